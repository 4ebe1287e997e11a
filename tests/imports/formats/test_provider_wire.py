"""Bodies of providers as programs store them: pairs, responses alone, streams."""

import json

import pytest

from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import Capture, LeftOutReason
from actionledger.imports import import_sessions
from actionledger.imports.formats.provider_wire import SOURCE, read
from actionledger.imports.sources.base import LeftOut, Refusal
from actionledger.imports.sources.registry import recognised, sample_of

ASK = {"model": "m", "messages": [{"role": "user", "content": "Read a"}]}
CALL = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path": "a"}'}}
ANSWER = {
    "id": "chatcmpl-000000001",
    "model": "m",
    "choices": [{"message": {"role": "assistant", "content": "Hi", "tool_calls": [CALL]}}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 3},
}
MESSAGE = {
    "type": "message",
    "id": "msg_0000000000001",
    "role": "assistant",
    "content": [{"type": "text", "text": "Hi"}],
    "usage": {"input_tokens": 9, "output_tokens": 3},
}
STREAM = f"data: {json.dumps({'id': 'chatcmpl-000000001', 'choices': [{'index': 0, 'delta': {'content': 'Hi'}}]})}\n\ndata: [DONE]\n\n"


@pytest.fixture
def file(tmp_path):
    """Writes a text to a file."""

    def of(text, name="log.jsonl"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return of


def turns(path):
    pieces = [item for item in read(path) if isinstance(item, RecordedSession)]
    return [turn for piece in pieces for turn in piece.turns]


@pytest.mark.parametrize(
    "entry",
    [
        {"request": ASK, "response": ANSWER},
        {"request_body": json.dumps(ASK), "response_body": json.dumps(ANSWER)},
        {"request": {"url": "x", "body": ASK}, "response": {"status": 200, "body": json.dumps(ANSWER)}},
        {**ASK, "response": ANSWER},
    ],
)
def test_a_pair_is_a_turn_with_what_it_was_shown(file, entry):
    """Whatever its two sides are called."""
    path = file(json.dumps(entry))
    (turn,) = turns(path)
    assert (turn.external_id, turn.prompt, turn.text, turn.capture) == (
        "chatcmpl-000000001",
        "Read a",
        "Hi",
        Capture.ARGUMENTS,
    )
    assert recognised(sample_of(path))[0].source.name == "provider_wire"


def test_lists_lines_and_documents_of_responses_are_read(file):
    """One after the other, each a session."""
    for text, name in [
        (f"{json.dumps(ANSWER)}\n{json.dumps(MESSAGE)}\n", "a.jsonl"),
        (json.dumps([ANSWER, MESSAGE]), "a.json"),
        (json.dumps([ANSWER, MESSAGE], indent=2), "b.json"),
    ]:
        path = file(text, name)
        assert [turn.external_id for turn in turns(path)] == ["chatcmpl-000000001", "msg_0000000000001"]
        assert recognised(sample_of(path))[0].source.name == "provider_wire"


def test_a_document_of_one_response_is_read(file):
    assert [turn.text for turn in turns(file(json.dumps(ANSWER, indent=1), "a.json"))] == ["Hi"]


def test_a_file_that_is_a_stream_is_a_response(file):
    path = file(STREAM, "out.txt")
    assert [(turn.external_id, turn.text) for turn in turns(path)] == [("chatcmpl-000000001", "Hi")]
    assert recognised(sample_of(path))[0].source.name == "provider_wire"


def test_times_of_the_recorder_are_taken_where_a_body_has_none(file):
    for at in (1700000000, 1700000000000, "2023-11-14T22:13:20Z"):
        (turn,) = turns(
            file(json.dumps({"request": ASK, "response": ANSWER, "timestamp": at, "duration_ms": 7}))
        )
        assert (str(turn.occurred_at), turn.usage.latency_ms) == ("2023-11-14 22:13:20", 7)


def test_what_is_nothing_of_a_model_is_counted(file):
    """A line that can't be read is refused, one of something else left out."""
    items = list(read(file('{"type": "note"}\nnothing\n')))
    assert [type(item) for item in items] == [LeftOut, Refusal]
    assert items[0].reason is LeftOutReason.UNKNOWN_KIND


def test_an_import_twice_and_a_longer_log_add_only_what_is_new(file, ledger):
    """A result that came with a later request belongs to the call of the earlier one."""
    told = {"role": "tool", "tool_call_id": "c1", "content": "text of a"}
    again = {**ASK, "messages": [*ASK["messages"], ANSWER["choices"][0]["message"], told]}
    last = {
        **ANSWER,
        "id": "chatcmpl-000000002",
        "choices": [{"message": {"role": "assistant", "content": "It says a."}}],
    }
    lines = [
        json.dumps({"request": ASK, "response": ANSWER}),
        json.dumps({"request": again, "response": last}),
    ]
    for count in (1, 2, 2):
        path = file("\n".join(lines[:count]))
        import_sessions(ledger, read(path), source=SOURCE.name, origin=path)
    counts = (
        "SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM turns), (SELECT count(*) FROM actions)"
    )
    assert ledger.sql(counts).fetchall() == [(1, 2, 1)]
    assert ledger.sql("SELECT call_id, status FROM executions WHERE origin = 'recorded'").fetchall() == [
        ("c1", "succeeded")
    ]
    assert ledger.sql("SELECT sum(output_tokens) FROM turns").fetchall() == [(6,)]


def told(number, begun, *messages, **more):
    """Return LiteLLM's payload of a request."""
    answered = {"role": "assistant", "content": "Hi", "tool_calls": [CALL | {"id": f"c{number}"}]}
    body = ANSWER | {"id": f"chatcmpl-{number:09}", "choices": [{"message": answered}]}
    parameters = {
        "tools": [{"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}}]
    }
    return {
        "id": body["id"], "startTime": begun, "model": "m", "messages": [*ASK["messages"], *messages], "response": body,
        "model_parameters": parameters, **more,
    }  # fmt: skip


def test_what_litellm_writes_out_of_order_is_read_by_its_beginnings(file):
    """Its callbacks run in threads: the second answer may stand before the first. Its tools stand among the parameters."""
    history = [
        told(1, 10.0)["response"]["choices"][0]["message"],
        {"role": "tool", "tool_call_id": "c1", "content": "a"},
    ]
    lines = [told(2, 11.0, *history), told(1, 10.0)]
    path = file("".join(json.dumps(each) + "\n" for each in lines))
    assert [each.source.name for each in recognised(sample_of(path))] == ["provider_wire"]
    first, second = turns(path)
    assert [call.call_id for turn in (first, second) for call in turn.calls] == ["c1", "c2"]
    assert json.loads(first.tools)[0]["function"]["name"] == "read"
    pieces = [item for item in read(path) if isinstance(item, RecordedSession)]
    assert len({piece.external_id for piece in pieces}) == 1


@pytest.mark.parametrize("is_list", [True, False])
def test_the_history_of_a_model_of_dspy_is_read(is_list, file):
    """As lines it has all keys of OpenHands' logs of completions."""
    entry = {
        "prompt": None, "messages": ASK["messages"], "kwargs": told(1, 1.0)["model_parameters"], "response": ANSWER,
        "outputs": [{"text": "Hi"}], "usage": ANSWER["usage"], "cost": None, "timestamp": "2026-12-01T13:28:23.895099",
        "uuid": "c0eb5a18-998d-4c63-a106-58b05ec649c7", "model": "openai/m", "response_model": "m", "model_type": "chat",
    }  # fmt: skip
    path = file(json.dumps([entry] if is_list else entry), "history.json")
    assert [each.source.name for each in recognised(sample_of(path))] == ["provider_wire"]
    (turn,) = turns(path)
    assert (turn.text, turn.calls[0].call_id, turn.prompt) == ("Hi", "c1", "Read a")
    assert "read" in turn.tools
