"""Logs of Inspect: a sample is a session, its events are its turns, and what is kept once stands where it is named."""

import json
import zipfile

import pytest
from given_items import left_out, sessions
from zstd_archives import write_zstd_archive

from actionledger.core.vocabulary import Capture, ExecutionStatus, LeftOutReason, Reason, Relation
from actionledger.imports.formats.inspect import SOURCE, read, recognise
from actionledger.imports.sources.base import Refusal, Sample
from actionledger.imports.sources.wordings import judged

EVAL = {"run_id": "r1", "task_id": "t1", "task": "guess", "model": "maker/model", "created": "2025-10-06"}
AT = "2025-10-06T10:15:45.370000+02:00"


def said(name: str, text: object = "", *calls: str, **fields) -> dict:
    made = [{"id": each, "function": "bash", "arguments": {"cmd": each}} for each in calls]
    return {"id": name, "role": "assistant", "content": text, "tool_calls": made} | fields


def asked(text: str, role: str = "user") -> dict:
    return {"id": f"m-{text}", "role": role, "content": text}


def answered(message: dict, *shown: dict, **fields) -> dict:
    output = {"model": "m-1", "choices": [{"message": message, "stop_reason": "stop"}], "time": 1.5}
    return {"event": "model", "model": "m", "input": list(shown), "output": output, "timestamp": AT} | fields


def ran(call: str, result: object = "ok", **fields) -> dict:
    return {"event": "tool", "id": call, "function": "bash", "result": result, "working_time": 0.25} | fields


def span(name: str, kind: str, above: str = "") -> dict:
    return {
        "event": "span_begin",
        "id": name,
        "parent_id": above or None,
        "type": kind,
        "name": f"the {name}",
    }


def sample(*events: dict, messages: list | None = None, **fields) -> dict:
    whole = {"id": "7", "epoch": 1, "uuid": "u1", "input": "Guess.\nNow.", "messages": messages or []}
    return whole | {"events": list(events)} | fields


@pytest.fixture
def items(tmp_path):
    """Return what is read of samples, as a log in an archive holds them."""

    def read_all(*samples: dict) -> list:
        path = tmp_path / "log.eval"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": EVAL}))
            for number, each in enumerate(samples):
                archive.writestr(f"samples/{number}_epoch_1.json", json.dumps(each))
            archive.writestr("summaries.json", "[]")
        return list(read(path))

    return read_all


def test_a_response_is_a_turn_with_what_came_of_its_calls(items):
    """Which the tool's event says: the result, and how long it took."""
    first = answered(said("a1", "I look.", "c1"), asked("Be brief.", "system"), asked("Guess."))
    second = answered(said("a2", "Done."), asked("Guess."), said("a1"), asked("Go on."))
    (session,) = sessions(items(sample(first, ran("c1"), second)))
    look, done = session.turns
    assert (session.external_id, session.task, session.model) == ("u1", "Guess.", "maker/model")
    assert (look.external_id, look.text, look.prompt) == ("a1", "I look.", "Be brief.\n\nGuess.")
    assert (done.prompt, done.capture, look.capture) == ("Go on.", Capture.TEXT, Capture.CALLS)
    assert [(call.call_id, call.name, call.arguments) for call in look.calls] == [
        ("c1", "bash", {"cmd": "c1"})
    ]
    assert [(each.output, each.is_error, each.duration_ms) for each in look.results] == [("ok", False, 250)]
    assert str(look.occurred_at) == "2025-10-06 08:15:45.370000"
    assert look.usage.latency_ms == 1500


def test_arguments_are_as_written_where_the_providers_body_is_there(items):
    """Its strings take the place of what they were parsed to, and no body of another interface does."""
    function = {"name": "bash", "arguments": '{"cmd": "c1",}'}
    body = {"choices": [{"message": {"tool_calls": [{"id": "c1", "function": function}]}}]}
    (session,) = sessions(items(sample(answered(said("a1", "", "c1"), call={"response": body}))))
    assert session.turns[0].capture is Capture.ARGUMENTS
    assert session.turns[0].calls[0].arguments == '{"cmd": "c1",}'
    other = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "c1", "name": "b", "input": {}}],
    }
    (session,) = sessions(items(sample(answered(said("a1", "", "c1"), call={"response": other}))))
    assert session.turns[0].capture is Capture.CALLS


def test_two_calls_with_one_identifier_have_each_its_arguments_and_its_result(items):
    """As some servers give them: both run, in their order, and the log's messages say it once more."""
    written = ('{"cmd": "one"}', '{"cmd": "two"}')
    made = [{"id": "c", "function": {"name": "bash", "arguments": each}} for each in written]
    event = answered(
        said("a1", "", "c", "c"), call={"response": {"choices": [{"message": {"tool_calls": made}}]}}
    )
    away = {"type": "unknown", "message": "It is away."}
    told = [
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
        {"role": "tool", "tool_call_id": "c", "error": away},
    ]
    found = items(
        sample(event, ran("c"), ran("c", "", error=away), messages=[said("a1", "", "c", "c"), *told])
    )
    (turn,) = sessions(found)[0].turns
    assert [call.arguments for call in turn.calls] == list(written)
    assert [(each.output, each.is_error) for each in turn.results] == [("ok", False), ("It is away.", True)]


def test_a_tool_that_there_is_not_is_no_error_of_its_arguments(items):
    """Inspect calls both errors of parsing."""
    error = {"type": "parsing", "message": "Tool teleport not found"}
    (session,) = sessions(items(sample(answered(said("a1", "", "c1")), ran("c1", "", error=error))))
    assert judged(session.turns[0].results[0]).reason is Reason.UNKNOWN_ACTION


def test_what_is_kept_once_stands_where_it_is_named(items):
    """Long texts by their hashes, messages of an event's input by their places in the pool."""
    event = answered(said("a1", "attachment://h1"), input_refs=[[0, 1], [2, 3]])
    pool = [asked("attachment://h2"), asked("not this"), asked("and that")]
    held = sample(
        event, attachments={"h1": "The long answer.", "h2": "The long question."}, message_pool=pool
    )
    for changed in (held, held | {"message_pool": [], "events_data": {"messages": pool}}):
        (session,) = sessions(items(changed))
        assert session.turns[0].text == "The long answer."
        assert session.turns[0].prompt == "The long question.\n\nand that"


@pytest.mark.parametrize(
    ("kind", "reason", "status"),
    [
        ("parsing", Reason.SCHEMA_ERROR, ExecutionStatus.FAILED),
        ("timeout", Reason.TIMEOUT, ExecutionStatus.TIMED_OUT),
        ("permission", Reason.NOT_PERMITTED, ExecutionStatus.FAILED),
        ("file_not_found", Reason.NOT_FOUND, ExecutionStatus.FAILED),
        ("output_limit", Reason.TOO_LARGE, ExecutionStatus.FAILED),
        ("approval", Reason.NOT_APPROVED, ExecutionStatus.DENIED),
        ("unknown", Reason.TOOL_ERROR, ExecutionStatus.FAILED),
    ],
)
def test_an_error_of_a_tool_has_its_reason(kind, reason, status, items):
    """By the name that Inspect gives it, in the tool's event or in its message alone."""
    error = {"type": kind, "message": "It went wrong."}
    message = {"role": "tool", "tool_call_id": "c1", "content": "", "error": error}
    by_event = sample(answered(said("a1", "", "c1")), ran("c1", "", error=error), messages=[message])
    by_message = sample(answered(said("a1", "", "c1")), messages=[said("a1", "", "c1"), message])
    for each in (by_event, by_message):
        (result,) = sessions(items(each))[0].turns[0].results
        found = judged(result, SOURCE.wordings)
        assert (result.output, found.reason, found.status, found.is_inferred) == (
            "It went wrong.",
            reason,
            status,
            False,
        )


def test_agents_and_graders_are_children_by_their_spans(items):
    """One that the sample was handed to is none: its responses are the sample's messages."""
    events = [
        span("solver", "solver"), span("lead", "agent", "solver"), span("helper", "agent", "lead"),
        span("deep", "agent", "helper"), span("grader", "scorer"),
        answered(said("a1", "", "c1"), span_id="lead"),
        answered(said("b1", "", "d1"), span_id="helper"),
        ran("d1", "inner", span_id="helper"),
        answered(said("e1", "deep"), span_id="deep"),
        ran("c1", "outer", span_id="lead"),
        answered(said("g1", "GRADE: C"), span_id="grader"),
    ]  # fmt: skip
    main, helper, deep, grader = sessions(items(sample(*events, messages=[said("a1", "", "c1")])))
    assert [turn.external_id for turn in main.turns] == ["a1"]
    assert (helper.external_id, helper.parent, helper.relation) == ("u1/helper", "u1", Relation.SUBAGENT)
    assert (deep.parent, grader.parent, grader.labels) == ("u1/helper", "u1", ("scorer",))
    assert helper.turns[0].results[0].output == "inner"
    assert main.turns[0].results[0].output == "outer"


def test_before_spans_there_were_steps_and_events_within_events(items):
    """Of the logs before version 0.3.90."""
    inner = ran("c1", "outer", events=[answered(said("", "within"))])
    begin = {"event": "step", "action": "begin", "type": "scorer", "name": "graded"}
    end = {"event": "step", "action": "end", "type": "scorer", "name": "graded"}
    events = [
        answered(said("", "", "c1")),
        inner,
        begin,
        answered(said("", "GRADE: C")),
        end,
        answered(said("", "x")),
    ]
    main, *others = sessions(items(sample(*events)))
    assert [turn.text for turn in main.turns] == ["", "x"]
    assert [turn.external_id for turn in main.turns] == ["turn-0", "turn-1"]
    assert [[turn.text for turn in each.turns] for each in others] == [["within"], ["GRADE: C"]]


@pytest.mark.parametrize(
    ("usage", "shown"),
    [
        ({"input_tokens": 30, "output_tokens": 5, "total_tokens": 35, "input_tokens_cache_read": 20}, 30),
        ({"input_tokens": 10, "output_tokens": 5, "total_tokens": 35, "input_tokens_cache_read": 20}, 30),
        ({"input_tokens": 10, "output_tokens": 5}, 10),
    ],
)
def test_tokens_from_a_cache_are_part_of_the_input(usage, shown, items):
    """However its provider counts: the sum says it."""
    event = answered(said("a1", "x"))
    event["output"]["usage"] = usage
    (session,) = sessions(items(sample(event)))
    assert (session.turns[0].usage.input_tokens, session.turns[0].usage.output_tokens) == (shown, 5)


def test_scores_say_how_a_sample_ended(items):
    """Words are numbers as Inspect's own metrics take them; a score of several has each by its name."""
    scores = {"match": {"value": "C"}, "close": {"value": 0.5}, "many": {"value": {"a": 1, "b": "I"}}}
    (session,) = sessions(items(sample(scores=scores, limit={"type": "token", "limit": 5})))
    assert session.scores == {"match": 1, "close": 0.5, "many/a": 1, "many/b": 0}
    assert (session.success, session.reason) == (True, "limit: token")
    (session,) = sessions(items(sample(scores={"close": {"value": 0.5}}, error={"message": "It fell over."})))
    assert (session.success, session.reason) == (None, "error: It fell over.")


def test_what_no_model_wrote_is_counted(items):
    """Messages that stand in the model's place, responses without an answer, results of no call."""
    lost = answered(said("a1")) | {"output": {"choices": []}}
    found = items(
        sample(
            answered(
                said("a2", [{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": "Hi."}])
            ),
            lost,
            lost | {"pending": True},
            ran("nobody's"),
            messages=[said("by hand", "x"), asked("Guess.")],
        )
    )
    assert left_out(found) == {
        (LeftOutReason.NO_RESPONSE, "model"): 1,
        (LeftOutReason.PROGRESS, "model"): 1,
        (LeftOutReason.NO_CALL, ""): 1,
        (LeftOutReason.MADE_BY_CLIENT, "message"): 1,
    }
    (turn,) = sessions(found)[0].turns
    assert (turn.text, turn.reasoning) == ("Hi.", "Hm.")


def test_a_log_without_events_is_its_messages(items):
    """As a log that was made small is."""
    tool = {"role": "tool", "tool_call_id": "c1", "content": "ok"}
    messages = [asked("Guess."), said("a1", "", "c1"), tool, said("a2", "Done.")]
    (session,) = sessions(items(sample(messages=messages)))
    assert [turn.external_id for turn in session.turns] == ["a1", "a2"]
    assert session.turns[0].results[0].output == "ok"


def test_a_document_is_the_same_log(tmp_path):
    """Samples without an identifier of their own are known by the run, the task, their number and their epoch."""
    path = tmp_path / "log.json"
    held = sample(answered(said("a1", "Hi.")), uuid=None)
    path.write_text(json.dumps({"version": 2, "status": "success", "eval": EVAL, "samples": [held]}))
    (session,) = sessions(read(path))
    assert session.external_id == "r1/t1/7/1"


def test_what_cannot_be_read_is_refused_and_the_rest_goes_on(tmp_path):
    """A sample that is no JSON, one in chunks, one that says it is enormous."""
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("samples/1_epoch_1.json", "{cut")
        archive.writestr("samples/2_epoch_1/sample.json", "{}")
        archive.writestr("samples/3_epoch_1.json", json.dumps(sample(answered(said("a1", "Hi.")))))
    found = list(read(path))
    assert len(sessions(found)) == 1
    refused = [each.reason for each in found if isinstance(each, Refusal)]
    assert [("1_epoch_1" in each, "chunks" in each) for each in refused] == [(True, False), (False, True)]
    path.write_bytes(path.read_bytes()[:-40])
    (refusal,) = read(path)
    assert "can't be read" in refusal.reason
    path.write_text('{"a": 1}')
    (refusal,) = read(path)
    assert "no eval" in refusal.reason


def test_an_error_of_a_request_is_no_empty_answer(items):
    """Its output is there all the same, with an empty message."""
    found = items(sample(answered(said("a1"), error="ConnectionError"), answered(said("a2"))))
    assert [turn.external_id for turn in sessions(found)[0].turns] == ["a2"]
    assert left_out(found)[LeftOutReason.NO_RESPONSE, "model"] == 1


def test_an_archive_of_today_is_read(tmp_path):
    """Its files are compressed by zstd; one that is damaged is refused, and the rest goes on."""
    path = tmp_path / "log.eval"
    held = sample(answered(said("a1", "Hi.")))
    files = {
        "_journal/start.json": json.dumps({"version": 2, "eval": EVAL}).encode(),
        "samples/1_epoch_1.json": json.dumps(held).encode(),
        "samples/2_epoch_1.json": b"{cut",
    }
    write_zstd_archive(path, files)
    found = list(read(path))
    (session,) = sessions(found)
    assert [turn.text for turn in session.turns] == ["Hi."]
    (refused,) = (each.reason for each in found if isinstance(each, Refusal))
    assert "2_epoch_1" in refused
    write_zstd_archive(path, files, size=3)
    assert all(isinstance(each, Refusal) for each in read(path))


def test_it_is_recognised_by_its_first_file_or_its_first_fields(tmp_path):
    """Another archive is none."""
    document = b'{"version": 2, "status": "success", "eval": {"run_id": "x"}}'
    assert recognise(Sample(tmp_path / "x.json", document)) == 1
    assert recognise(Sample(tmp_path / "x.json", b'{"version": 2, "eval": 1}')) == 0
    assert recognise(Sample(tmp_path / "x.eval", b"PK\x03\x04")) == 1
    assert recognise(Sample(tmp_path / "x.zip", b"PK\x03\x04....word/document.xml")) == 0
