"""Spans of OpenTelemetry: a request is a turn, a tool's span what came of a call, and shown history is no turn."""

import base64
import json
from functools import partial

import pytest
from given_items import left_out, sessions

from actionledger.core.vocabulary import Capture, LeftOutReason, Reason, Relation
from actionledger.imports import import_path, import_sessions
from actionledger.imports.formats.otel import SOURCE, read
from actionledger.imports.sources.registry import recognised, sample_of
from actionledger.imports.sources.wordings import judged
from actionledger.ledger import open_ledger

TRACE = "4bedea77bb33b9c5f280371eae21ea97"
BEGIN = 1_758_026_593_000_000_000


def value(held: object) -> dict:
    if isinstance(held, bool):
        return {"boolValue": held}
    if isinstance(held, int):
        return {"intValue": str(held)}
    if isinstance(held, list):
        return {"arrayValue": {"values": [value(each) for each in held]}}
    if isinstance(held, dict):
        return {"kvlistValue": {"values": pairs(held)}}
    return {"stringValue": held}


def pairs(held: dict) -> list:
    return [{"key": key, "value": value(each)} for key, each in held.items()]


def span(number: int, operation: str, *, parent: int = 0, trace: str = TRACE, **fields) -> dict:
    given = {"gen_ai.operation.name": operation} | fields.pop("attributes", {})
    return {
        "traceId": trace,
        "spanId": f"{number:016x}",
        "name": f"{operation} x",
        "startTimeUnixNano": str(BEGIN + number * 10**9),
        "endTimeUnixNano": str(BEGIN + number * 10**9 + 5 * 10**8),
        "attributes": pairs(given),
        **({"parentSpanId": f"{parent:016x}"} if parent else {}),
        **fields,
    }


def batch(*spans: dict) -> dict:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


def message(role: str, *parts: dict, **fields) -> dict:
    return {"role": role, "parts": list(parts), **fields}


def text(words: str) -> dict:
    return {"type": "text", "content": words}


def call(name: str, arguments: object) -> dict:
    return {"type": "tool_call", "id": name, "name": "look", "arguments": arguments}


def response(name: str, output: object) -> dict:
    return {"type": "tool_call_response", "id": name, "response": output}


def chat(number: int, shown: list, said: list | None, *, as_text: bool = True, **fields) -> dict:
    write = json.dumps if as_text else lambda held: held
    given = {
        "gen_ai.input.messages": write(shown),
        "gen_ai.request.model": "m",
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": number,
    }
    if said is not None:
        given["gen_ai.output.messages"] = write(said)
    return span(number, "chat", attributes=given | fields.pop("attributes", {}), **fields)


@pytest.fixture
def items(read_lines):
    """Return what is read of values, one a line."""
    return partial(read_lines, SOURCE)


ASKED = message("user", text("Where?"))
LOOKED = message("assistant", text("I look."), call("c1", '{"at": 1}'), finish_reason="tool_call")
SEEN = message("tool", response("c1", "here"))


@pytest.mark.parametrize("as_text", [True, False])
def test_repeated_history_is_counted_once(items, as_text):
    """Each request shows all that was said before; its answer alone is new, and what stands behind the last answer."""
    found = items(
        batch(
            chat(1, [ASKED], [LOOKED], as_text=as_text),
            chat(2, [ASKED, LOOKED, SEEN], [message("assistant", text("Here."))], as_text=as_text),
            chat(3, [ASKED, LOOKED, SEEN, message("assistant", text("Here."))], None, as_text=as_text),
        )
    )
    (session,) = sessions(found)
    assert (session.external_id, session.model, session.task) == (TRACE, "m", "Where?")
    first, second, third = session.turns
    assert [turn.text for turn in session.turns] == ["I look.", "Here.", ""]
    assert [(each.call_id, each.name, each.arguments) for each in first.calls] == [
        ("c1", "look", '{"at": 1}')
    ]
    assert [(each.call_id, each.output) for each in first.results] == [("c1", "here")]
    assert [turn.capture for turn in session.turns] == [Capture.ARGUMENTS, Capture.ARGUMENTS, Capture.NONE]
    assert [turn.usage.output_tokens for turn in session.turns] == [1, 2, 3]
    assert (first.prompt, second.prompt) == ("Where?", None)
    assert (first.usage.finish_reason, first.usage.latency_ms) == ("tool_call", 500)
    assert (first.external_id, third.index) == ("0000000000000001", 2)
    assert left_out(found) == {
        (LeftOutReason.REPEATED_HISTORY, "message"): 3,
        (LeftOutReason.NOT_RECORDED, "response"): 1,
    }


def test_a_tools_span_is_what_came_of_its_call(items):
    """By the call's identifier; without one by name and arguments; it knows the time and the error that a message doesn't."""
    twice = message("assistant", call("a", {"at": 1}), call("b", {"at": 2}))
    ran = {"gen_ai.tool.name": "look", "gen_ai.tool.call.id": "b", "gen_ai.tool.call.result": "two"}
    failed = span(3, "execute_tool", attributes={"gen_ai.tool.name": "look", "gen_ai.tool.call.id": "a"})
    failed |= {"status": {"code": 2, "message": "no such file"}}
    shown = [ASKED, twice, message("tool", response("b", "shown"))]
    (session,) = sessions(
        items(
            batch(
                chat(1, [ASKED], [twice]), span(2, "execute_tool", attributes=ran), failed, chat(4, shown, [])
            )
        )
    )
    one, two = session.turns[0].results
    assert (one.call_id, one.output, one.is_error, one.duration_ms) == ("a", "no such file", True, 500)
    assert (two.call_id, two.output, two.duration_ms) == ("b", "shown", 500)
    assert judged(one, SOURCE.wordings).reason is Reason.NOT_FOUND


def test_a_nameless_call_is_answered_by_its_arguments(items):
    """Then its place is what it is known by, so that nothing changes when its result comes later."""
    said = [{"tool.name": "look", "tool.args": json.dumps({"at": at})} for at in (1, 2)]
    ran = {"gen_ai.tool.name": "look", "gen_ai.tool.args": '{"at":2}', "gen_ai.output": "two"}
    request = span(1, "call_llm", attributes={"gen_ai.output": json.dumps(said)})
    (session,) = sessions(items(batch(request, span(2, "execute_tool", attributes=ran))))
    assert [(each.call_id, each.arguments) for each in session.turns[0].calls] == [
        ("0000000000000001:0", {"at": 1}),
        ("0000000000000001:1", {"at": 2}),
    ]
    assert [(each.call_id, each.output) for each in session.turns[0].results] == [
        ("0000000000000001:1", "two")
    ]


def test_a_call_whose_request_has_no_content(items):
    """Is known by the tool's span, where that has the arguments."""
    ran = {"gen_ai.tool.name": "look", "gen_ai.tool.call.id": "a", "gen_ai.tool.call.arguments": '{"at": 1}'}
    bare = {"gen_ai.tool.name": "look"}
    found = items(
        batch(
            span(1, "chat", attributes={"gen_ai.usage.input_tokens": 5}),
            span(2, "execute_tool", attributes=ran),
            span(3, "execute_tool", attributes=bare),
        )
    )
    (turn,) = sessions(found)[0].turns
    assert (turn.capture, turn.text, turn.usage.input_tokens) == (Capture.CALLS, "", 5)
    assert [(each.call_id, each.arguments) for each in turn.calls] == [("a", {"at": 1})]
    assert left_out(found) == {
        (LeftOutReason.NOT_RECORDED, "response"): 1,
        (LeftOutReason.NOT_RECORDED, "call"): 1,
    }


@pytest.mark.parametrize(
    "spelling",
    [
        TRACE,
        f"0x{TRACE}",
        base64.b64encode(bytes.fromhex(TRACE)).decode(),
        int(TRACE, 16),
    ],
)
def test_identifiers_are_text_however_they_are_written(items, spelling):
    """A number of 128 bits is no float: two traces that differ in their last bit are two."""
    other = int(TRACE, 16) + 1 if isinstance(spelling, int) else f"{int(TRACE, 16) + 1:032x}"
    one = chat(1, [ASKED], [LOOKED], trace=spelling)
    two = chat(2, [ASKED], [LOOKED], trace=other)
    assert [each.external_id for each in sessions(items(batch(one, two)))] == [
        TRACE,
        f"{int(TRACE, 16) + 1:032x}",
    ]


def test_a_conversation_is_one_session(items):
    """Of as many traces as it has."""
    named = {"gen_ai.conversation.id": "talk"}
    one = chat(1, [ASKED], [LOOKED], attributes=named)
    two = chat(2, [ASKED], [LOOKED], trace="ab" * 16, attributes=named)
    pieces = sessions(items(batch(one), batch(two)))
    assert [(each.external_id, each.begun_as, len(each.turns), each.is_last) for each in pieces] == [
        ("talk", TRACE, 1, False),
        ("talk", "ab" * 16, 1, True),
    ]


def test_an_agent_below_an_agents_tool_is_its_child(items):
    """One around another that asks no model itself is the same."""
    found = sessions(
        items(
            batch(
                span(1, "invoke_agent"),
                span(2, "invoke_agent", parent=1),
                chat(3, [ASKED], [LOOKED], parent=2),
                span(4, "execute_tool", parent=2, attributes={"gen_ai.tool.name": "look"}),
                span(5, "invoke_agent", parent=4),
                chat(6, [ASKED], [message("assistant", text("Below."))], parent=5),
            )
        )
    )
    assert [(each.external_id, each.parent, each.relation) for each in found] == [
        (TRACE, "", None),
        (f"{TRACE}/{5:016x}", TRACE, Relation.SUBAGENT),
    ]
    assert [turn.text for turn in found[1].turns] == ["Below."]


def test_old_attributes_are_flattened(items):
    """OpenLLMetry's: arguments are as the model wrote them."""
    given = {
        "llm.request.type": "chat",
        "gen_ai.system": "OpenAI",
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "Where?",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.finish_reason": "tool_calls",
        "gen_ai.completion.0.tool_calls.0.id": "c1",
        "gen_ai.completion.0.tool_calls.0.name": "look",
        "gen_ai.completion.0.tool_calls.0.arguments": '{"at": 1,}',
        "llm.request.functions.0.name": "look",
        "llm.request.functions.0.parameters": '{"type": "object"}',
        "gen_ai.usage.prompt_tokens": 7,
    }
    later = {f"gen_ai.prompt.{place}.role": "user" for place in range(11)}
    later |= {f"gen_ai.prompt.{place}.content": str(place) for place in range(11)}
    (session,) = sessions(
        items(
            batch(
                span(1, "", attributes=given | {"gen_ai.operation.name": ""}),
                span(2, "chat", attributes=later | {"gen_ai.completion.0.content": "Here."}),
            )
        )
    )
    first, second = session.turns
    assert (first.prompt, first.usage.input_tokens, first.usage.finish_reason) == ("Where?", 7, "tool_calls")
    assert [(each.call_id, each.arguments) for each in first.calls] == [("c1", '{"at": 1,}')]
    assert json.loads(first.tools)[0]["function"] == {"name": "look", "parameters": {"type": "object"}}
    assert second.prompt == "\n\n".join(map(str, range(11)))


@pytest.mark.parametrize("provider", ["anthropic", "gcp.vertex_ai", "aws.bedrock"])
def test_a_text_of_arguments_that_the_provider_parsed_is_nobodys(items, provider):
    """Its instrumentation wrote it: nothing can be said of how the model did."""
    attributes = {"gen_ai.provider.name": provider}
    (session,) = sessions(items(batch(chat(1, [ASKED], [LOOKED], attributes=attributes))))
    assert session.turns[0].calls[0].arguments == {"at": 1}
    assert session.turns[0].capture is Capture.CALLS


def test_events_say_what_was_said(items):
    """Of a span, and as records of a log beside it."""

    def event(name: str, **fields) -> dict:
        return {"name": name, "attributes": pairs(fields)}

    calls = [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}]
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "tool_calls": calls}}
    log = {"timeUnixNano": str(BEGIN), "traceId": TRACE, "spanId": f"{2:016x}", "eventName": "gen_ai.choice"}
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [log | {"body": value(choice)}]}]}]}
    (session,) = sessions(
        items(
            batch(
                span(
                    1,
                    "chat",
                    events=[
                        event("gen_ai.user.message", content="Where?"),
                        event(
                            "gen_ai.choice", message=json.dumps({"content": "Here."}), finish_reason="stop"
                        ),
                    ],
                ),
                span(2, "chat"),
            ),
            logs,
        )
    )
    first, second = session.turns
    assert (first.prompt, first.text, first.usage.finish_reason) == ("Where?", "Here.", "stop")
    assert [(each.call_id, each.arguments) for each in second.calls] == [("c1", "{}")]


def test_vercels_spans(items):
    """The outer span says the inner ones' again; arguments are as the model wrote them, times as it measured them."""
    outer = {"ai.operationId": "ai.generateText", "gen_ai.operation.name": "", "ai.response.text": "Here."}
    inner = {
        "ai.operationId": "ai.generateText.doGenerate",
        "ai.prompt.messages": json.dumps([{"role": "user", "content": [{"type": "text", "text": "Where?"}]}]),
        "ai.prompt.tools": ['{"type":"function","name":"look","inputSchema":{"type":"object"}}'],
        "ai.response.text": "Here.",
        "ai.response.toolCalls": '[{"toolCallId":"a","toolName":"look","input":"{\\"at\\":1}"}]',
        "ai.response.msToFirstChunk": 7,
        "ai.usage.inputTokens": 3,
        "gen_ai.response.finish_reasons": ["tool-calls"],
    }
    tool = {
        "ai.operationId": "ai.toolCall",
        "ai.toolCall.id": "a",
        "ai.toolCall.name": "look",
        "ai.toolCall.result": '"x"',
    }
    found = items(
        batch(
            span(1, "", attributes=outer),
            span(2, "", parent=1, attributes=inner | {"gen_ai.operation.name": ""}),
            span(3, "", parent=1, attributes=tool | {"gen_ai.operation.name": ""}),
        )
    )
    (turn,) = sessions(found)[0].turns
    assert (turn.prompt, turn.text, turn.capture) == ("Where?", "Here.", Capture.ARGUMENTS)
    assert [(each.call_id, each.arguments) for each in turn.calls] == [("a", '{"at":1}')]
    assert [each.output for each in turn.results] == ['"x"']
    assert json.loads(turn.tools)[0]["function"]["parameters"] == {"type": "object"}
    usage = turn.usage
    assert (usage.time_to_first_token_ms, usage.input_tokens, usage.finish_reason) == (7, 3, "tool-calls")
    assert left_out(found) == {(LeftOutReason.BOOKKEEPING, "agent"): 1}


def test_mastras_step_has_the_calls_of_its_request(items):
    """The request's own span has the words alone; in a result's place its history has the tool's name."""
    words = json.dumps([{"role": "assistant", "parts": [text("I look.")]}])
    said = {"text": "I look.", "toolCalls": [{"toolCallId": "a", "toolName": "look", "args": {"at": "b"}}]}
    shown = [{"role": "user", "content": "Where?"}, {"role": "tool", "content": "[tool-result: look]"}]
    step = {"mastra.model_step.input": json.dumps(shown), "mastra.model_step.output": json.dumps(said)}
    told = {"gen_ai.output.messages": words, "gen_ai.response.model": "m", "gen_ai.usage.output_tokens": 9}
    ran = {"gen_ai.tool.name": "look", "gen_ai.tool.call.id": "a", "gen_ai.tool.call.result": "b"}
    (session,) = sessions(
        items(
            span(1, "agent_step", attributes=step),
            span(2, "chat", parent=1, attributes=told),
            span(3, "execute_tool", parent=1, attributes=ran),
        )
    )
    (turn,) = session.turns
    assert (turn.text, turn.prompt, turn.usage.output_tokens, turn.model) == ("I look.", "Where?", 9, "m")
    assert turn.capture is Capture.CALLS
    assert [(call.call_id, call.name, call.arguments) for call in turn.calls] == [("a", "look", {"at": "b"})]
    assert [(each.call_id, each.output) for each in turn.results] == [("a", "b")]


def test_a_span_that_was_exported_twice_is_one(items):
    """An exporter that got no answer tries again."""
    found = items(batch(chat(1, [ASKED], [LOOKED])), batch(chat(1, [ASKED], [LOOKED])))
    assert [len(each.turns) for each in sessions(found)] == [1]
    assert left_out(found) == {(LeftOutReason.DUPLICATE, "span"): 1}


def test_the_sdks_own_exports_are_read(items, tmp_path):
    """Of Python, one object behind the other over many lines, and of JavaScript, a list; times in their own spelling."""
    given = {"gen_ai.operation.name": "chat", "gen_ai.output.messages": json.dumps([LOOKED])}
    python = {
        "name": "chat m",
        "context": {"trace_id": f"0x{TRACE}", "span_id": "0x00000000000000aa"},
        "parent_id": None,
        "start_time": "2026-02-03T15:19:52.000000Z",
        "end_time": "2026-02-03T15:19:53.000000Z",
        "status": {"status_code": "UNSET"},
        "attributes": given,
    }
    script = {
        "name": "chat m",
        "spanContext": {"traceId": TRACE, "spanId": "00000000000000bb"},
        "startTime": [1_770_131_992, 0],
        "endTime": [1_770_131_993, 0],
        "attributes": given,
    }
    for values, separator in (([python, python], "\n"), ([[script]], "")):
        path = tmp_path / "export.json"
        path.write_text(separator.join(json.dumps(each, indent=2) for each in values))
        (session,) = sessions(read(path))
        (turn,) = session.turns
        assert (session.external_id, turn.text, turn.usage.latency_ms) == (TRACE, "I look.", 1000)
        assert turn.occurred_at
        assert turn.occurred_at.isoformat() == "2026-02-03T15:19:53"


def test_many_traces_are_given_away_as_they_end(items):
    """No more than some are held; a late span joins its session with an index of its own."""
    lines = [batch(chat(1, [ASKED], [LOOKED], trace=f"{number:032x}")) for number in range(1, 400)]
    late = batch(chat(2, [ASKED], [LOOKED], trace=f"{1:032x}"))
    found = sessions(items(*lines, late))
    assert len(found) == 400
    assert not found[0].is_last
    assert [turn.index for each in found if each.external_id == f"{1:032x}" for turn in each.turns] == [0, 1]


def test_a_file_that_grows_adds_what_is_new(tmp_path):
    """Turn by turn, and a result that comes after its call; the end is the same as of the whole file at once."""
    ran = {"gen_ai.tool.name": "look", "gen_ai.tool.call.id": "c1", "gen_ai.tool.call.result": "here"}
    lines = [
        batch(chat(1, [ASKED], [LOOKED])),
        batch(span(2, "execute_tool", attributes=ran)),
        batch(chat(3, [ASKED, LOOKED, SEEN], [message("assistant", text("Here."))])),
    ]
    path, counts = tmp_path / "spans.jsonl", []
    with open_ledger(tmp_path / "ledger.duckdb") as ledger:
        for end in (1, 2, 3, 3):
            path.write_text("".join(json.dumps(each) + "\n" for each in lines[:end]))
            report = import_sessions(ledger, read(path), source=SOURCE.name, origin=path)
            counts.append((report.turns, report.calls, report.results))
        held = ledger.sql("SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM turns)").fetchone()
    assert counts == [(1, 1, 0), (0, 0, 1), (1, 0, 0), (0, 0, 0)]
    assert held == (1, 2)


def test_spans_of_jaeger_and_zipkin_are_those_of_otlp(tmp_path):
    """Tags for attributes, microseconds for times, the parent among the references."""
    said = json.dumps([message("assistant", text("Here."))])
    given = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.output.messages": said}
    own = {
        "traceID": TRACE,
        "spanID": "0000000000000002",
        "operationName": "chat m",
        "startTime": BEGIN // 1000,
        "duration": 500_000,
    }
    above = [{"refType": "CHILD_OF", "traceID": TRACE, "spanID": "0000000000000001"}]
    tags = [{"key": key, "type": "string", "value": each} for key, each in given.items()]
    root = own | {"spanID": "0000000000000001", "operationName": "agent", "tags": [
        {"key": "gen_ai.operation.name", "type": "string", "value": "invoke_agent"},
        {"key": "gen_ai.conversation.id", "type": "string", "value": "c"}]}  # fmt: skip
    jaeger = {
        "data": [
            {
                "traceID": TRACE,
                "spans": [root | {"references": []}, own | {"tags": tags, "references": above}],
                "processes": {},
            }
        ]
    }
    zipkin = [
        {"traceId": TRACE, "id": "0000000000000001", "name": "agent", "timestamp": BEGIN // 1000, "duration": 1, "tags": {
            "gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": "c"}},
        {"traceId": TRACE, "id": "0000000000000002", "parentId": "0000000000000001", "name": "chat m",
         "timestamp": BEGIN // 1000, "duration": 500_000, "tags": given},
    ]  # fmt: skip
    for name, whole in (("jaeger", jaeger), ("zipkin", zipkin)):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(whole, indent=1))
        assert recognised(sample_of(path))[0].source is SOURCE
        [session] = sessions(read(path))
        [turn] = session.turns
        assert (session.external_id, turn.text, turn.external_id) == ("c", "Here.", "0000000000000002")
        assert turn.usage.latency_ms == 500
        assert str(turn.occurred_at) == "2025-09-16 12:43:13.500000"
    del zipkin[1]["duration"]
    path.write_text(json.dumps(zipkin))
    assert str(sessions(read(path))[0].turns[0].occurred_at) == "2025-09-16 12:43:13"


ANSWER = [message("assistant", text("Here."))]


def evaluation(name: str, **score) -> dict:
    given = {"gen_ai.evaluation.name": name} if name else {}
    given |= {f"gen_ai.evaluation.score.{key}": held for key, held in score.items()}
    return {"name": "gen_ai.evaluation.result", "attributes": pairs(given)}


def test_an_evaluation_without_a_number_is_a_label_or_counted(items):
    """Of an agent; what is said of one response, or of a run of a tool, is counted: no score of a session is that."""
    said = [
        evaluation("grade", label="pass"),
        evaluation("tone", value=4, label="kind"),
        evaluation("empty"),
        evaluation("text", value="4"),
        evaluation("", value=1),
    ]
    spans = [
        span(1, "invoke_agent", events=said),
        chat(2, [], ANSWER, parent=1, events=[evaluation("of a response", value=1)]),
        span(3, "execute_tool", parent=1, events=[evaluation("of a tool", label="fine")]),
    ]
    given = items(batch(*spans))
    [session] = sessions(given)
    assert (session.scores, session.labels) == ({"tone": 4.0}, ("grade=pass", "tone=kind"))
    counted = left_out(given)
    assert counted[LeftOutReason.UNREADABLE, "score"] == 3
    assert counted[LeftOutReason.NO_SESSION, "evaluation"] == 2


@pytest.mark.parametrize("is_before", [True, False])
def test_an_evaluation_in_a_log_is_of_the_span_that_it_names(items, is_before):
    """Whichever of the two comes first, and nothing of the span is lost by it."""
    spans = [span(1, "invoke_agent"), chat(2, [], ANSWER, parent=1)]
    logged = [
        {"traceId": TRACE, "spanId": f"{number:016x}", "eventName": said.pop("name"), **said}
        for number, said in ((1, evaluation("reward", value=1)), (2, evaluation("of a response", value=1)))
    ]
    records = {"resourceLogs": [{"scopeLogs": [{"logRecords": logged}]}]}
    given = items(*((records, batch(*spans)) if is_before else (batch(*spans), records)))
    [session] = sessions(given)
    assert (session.scores, len(session.turns)) == ({"reward": 1.0}, 1)
    assert left_out(given)[LeftOutReason.NO_SESSION, "evaluation"] == 1


def test_what_was_left_out_is_not_what_a_model_wrote(items):
    """Parts without content are no empty call and no empty text: nothing of them is recorded but tokens and times."""
    bare = {"type": "tool_call", "id": "a", "name": "look"}
    found = items(
        batch(
            chat(1, [message("user", {"type": "text"})], [message("assistant", {"type": "text"}, bare)]),
            span(2, "execute_tool", attributes={"gen_ai.tool.name": "look", "gen_ai.tool.call.id": "a"}),
        )
    )
    (turn,) = sessions(found)[0].turns
    assert (turn.capture, turn.text, turn.calls, turn.results) == (Capture.NONE, "", (), ())
    assert turn.usage.input_tokens == 10
    assert left_out(found) == {
        (LeftOutReason.NOT_RECORDED, "response"): 1,
        (LeftOutReason.NOT_RECORDED, "call"): 1,
    }


def test_a_call_without_arguments_is_one(items):
    """Where texts have their content, a call without arguments has none."""
    bare = {"type": "tool_call", "id": "a", "name": "look"}
    (turn,) = sessions(items(batch(chat(1, [ASKED], [message("assistant", bare)]))))[0].turns
    assert (turn.capture, turn.calls[0].arguments) == (Capture.CALLS, {})


def test_an_empty_answer_is_recorded(items):
    """Its message is there, with nothing in it."""
    (turn,) = sessions(items(batch(chat(1, [ASKED], [message("assistant")]))))[0].turns
    assert turn.capture is not Capture.NONE


@pytest.mark.parametrize("reason", ["malformed_function_call", "MALFORMED_FUNCTION_CALL"])
def test_a_call_that_was_dropped_is_not_recorded(items, reason):
    """The reason to stop says that there was one, and the answer is empty."""
    ended = {"gen_ai.response.finish_reasons": [reason]}
    (turn,) = sessions(items(batch(chat(1, [ASKED], [message("assistant")], attributes=ended))))[0].turns
    assert (turn.capture, turn.usage.finish_reason) == (Capture.NONE, reason)


def test_capture_is_the_recorders_and_not_each_values(items):
    """One that parses arguments leaves those that are broken a text: a rate over them alone would be one of broken ones."""
    good, broken = call("a", {"at": 1}), call("b", '{"at": ')
    one = chat(1, [ASKED], [message("assistant", good)], parent=9)
    other = chat(2, [ASKED], [message("assistant", broken)], parent=9)
    turns = sessions(items(batch(one, other, span(9, "invoke_agent"))))[0].turns
    assert [turn.capture for turn in turns] == [Capture.CALLS, Capture.CALLS]
    known = {
        "scopeSpans": [{"scope": {"name": "opentelemetry.instrumentation.genai.openai"}, "spans": [other]}]
    }
    (turn,) = sessions(items({"resourceSpans": [known]}))[0].turns
    assert (turn.capture, turn.calls[0].arguments) == (Capture.CALLS, '{"at": ')


@pytest.mark.parametrize(
    ("given", "output", "reason"),
    [
        ({"pydantic_ai.tool.failure_stage": "validation"}, '[{"type": "missing"}]', Reason.SCHEMA_ERROR),
        (
            {},
            '{"error": "Invoking `go()` failed as no tool with that name is available."}',
            Reason.UNKNOWN_ACTION,
        ),
        (
            {},
            '{"error": "Invoking `look()` failed as the following mandatory input parameters are not present:\\nb"}',
            Reason.SCHEMA_ERROR,
        ),
    ],
)
def test_a_call_that_was_refused_before_it_ran_says_so(items, given, output, reason):
    """By a field of its recorder, or its runtime's own words."""
    ran = {"gen_ai.tool.name": "look", "gen_ai.tool.call.id": "a", "gen_ai.tool.call.result": output, **given}
    failed = span(2, "execute_tool", attributes=ran, status={"code": 2})
    found = items(batch(chat(1, [ASKED], [message("assistant", call("a", "{}"))]), failed))
    (result,) = sessions(found)[0].turns[0].results
    assert judged(result, SOURCE.wordings)[1] is reason


def test_a_call_that_has_no_identifier_is_found_by_its_name(items):
    """ADK writes these words for it where the tool has raised."""
    ran = {"gen_ai.tool.name": "look", "gen_ai.tool.call.id": "<not specified>", "error.type": "ValueError"}
    found = items(
        batch(
            chat(1, [ASKED], [message("assistant", call("a", {}))]), span(2, "execute_tool", attributes=ran)
        )
    )
    (result,) = sessions(found)[0].turns[0].results
    assert (result.call_id, result.output, result.is_error) == ("a", "ValueError", True)


def test_adks_names_before_the_conventions_are_read(items):
    """The request and the answer are bodies of Gemini's, around a span that has the tokens."""
    part = {"function_call": {"id": "a", "name": "look", "args": {"at": 1}}}
    held = {
        "gcp.vertex.agent.session_id": "talk",
        "gcp.vertex.agent.llm_request": json.dumps(
            {"model": "m", "contents": [{"role": "user", "parts": [{"text": "Where?"}]}]}
        ),
        "gcp.vertex.agent.llm_response": json.dumps({"content": {"role": "model", "parts": [part]}}),
    }
    outer = span(1, "call_llm", attributes=held)
    outer["attributes"] = [each for each in outer["attributes"] if each["key"] != "gen_ai.operation.name"]
    inner = span(2, "generate_content", parent=1, attributes={"gen_ai.usage.input_tokens": 7})
    ran = {
        "gen_ai.tool.name": "look",
        "gcp.vertex.agent.tool_call_args": '{"at": 1}',
        "gcp.vertex.agent.tool_response": '{"result": 5}',
        "gcp.vertex.agent.llm_response": "{}",
    }
    (session,) = sessions(items(batch(outer, inner, span(3, "execute_tool", attributes=ran))))
    (turn,) = session.turns
    assert (session.external_id, turn.prompt, turn.usage.input_tokens) == ("talk", "Where?", 7)
    assert [(each.name, each.arguments) for each in turn.calls] == [("look", {"at": 1})]
    assert [each.output for each in turn.results] == ['{"result": 5}']


@pytest.mark.parametrize(
    ("given", "field", "value"),
    [
        ({"gen_ai.usage.details.reasoning_tokens": 3}, "reasoning_tokens", 3),
        ({"gen_ai.usage.cache_write.input_tokens": 3}, "cache_write_tokens", 3),
        ({"gen_ai.response.time_to_first_chunk": 0.25}, "time_to_first_token_ms", 250.0),
        ({"gen_ai.client.operation.time_to_first_chunk": 0.5}, "time_to_first_token_ms", 500.0),
        ({"anthropic.message.stop_reason": "tool_use"}, "finish_reason", "tool_use"),
        ({"metadata.usage_object": "{'x': {'cached_tokens': 3, 'y': None}}"}, "cached_tokens", 3),
        ({"metadata.usage_object": "{'x': {'reasoning_tokens': 3}}"}, "reasoning_tokens", 3),
    ],
)
def test_recorders_have_names_of_their_own_for_what_a_request_took(items, given, field, value):
    """Times are seconds by the conventions."""
    given = {key: {"doubleValue": each} if isinstance(each, float) else each for key, each in given.items()}
    asked = chat(1, [ASKED], [message("assistant")])
    asked["attributes"] += [
        {"key": key, "value": each}
        if isinstance(each, dict)
        else {"key": key, "value": pairs({key: each})[0]["value"]}
        for key, each in given.items()
    ]
    (turn,) = sessions(items(batch(asked)))[0].turns
    assert getattr(turn.usage, field) == value


def test_a_librarys_own_span_of_a_request_is_told_once(items):
    """It is the root of a trace of its own, and has the identifier of the response that another trace has in full."""
    other = f"{int(TRACE, 16) + 1:032x}"
    known = {"gen_ai.response.id": "msg_12345678", "gen_ai.usage.cache_write.input_tokens": 4}
    alone = span(1, "chat", trace=other, attributes=known)
    found = items(batch(alone, chat(2, [ASKED], [LOOKED], attributes={"gen_ai.response.id": "msg_12345678"})))
    (session,) = sessions(found)
    (turn,) = session.turns
    assert (turn.usage.input_tokens, turn.usage.cache_write_tokens) == (10, 4)
    assert left_out(found)[LeftOutReason.DUPLICATE, "request"] == 1
    (session,) = sessions(items(batch(alone)))
    assert [turn.capture for turn in session.turns] == [Capture.NONE]


def test_a_librarys_own_span_that_was_a_turn_counts_no_longer_once_the_whole_is_there(tmp_path):
    """A ledger of before has both, each in a session of its own; what is taken in again doubles nothing."""
    known = {"gen_ai.response.id": "msg_12345678"}
    alone = span(
        1, "chat", trace=f"{int(TRACE, 16) + 1:032x}", attributes=known | {"gen_ai.usage.input_tokens": 10}
    )
    whole = chat(2, [ASKED], [LOOKED], attributes=known)
    ledger = tmp_path / "team.duckdb"
    for name, spans in (("alone", [alone]), ("whole", [whole])):
        (tmp_path / f"{name}.json").write_text(json.dumps(batch(*spans)))
        import_path(tmp_path / f"{name}.json", ledger)
    (tmp_path / "both.json").write_text(json.dumps(batch(alone, whole)))
    counts = "SELECT count(*), sum(input_tokens), count(*) FILTER (text LIKE 'I look.%') FROM turns"
    asked = partial(open_ledger, ledger, read_only=True)
    with asked() as opened:
        assert opened.sql(counts).fetchall() == [(2, 20, 1)]
    reports = [import_path(tmp_path / "both.json", ledger) for _ in range(2)]
    assert [(report.turns, report.merged) for report in reports] == [(0, 1), (0, 0)]
    with asked() as opened:
        assert opened.sql(counts).fetchall() == [(1, 10, 1)]


def test_our_own_export_says_what_was_not_recorded(items):
    """An answer that is empty there was none that anybody knows; each response is as it was kept."""
    none, kept = {"actionledger.capture": "none"}, {"actionledger.capture": "arguments"}
    found = items(
        batch(
            chat(1, [ASKED], [message("assistant", text(""))], attributes=none),
            chat(2, [ASKED], [message("assistant", call("a", "{}"))], attributes=kept),
            chat(
                3,
                [ASKED],
                [message("assistant", call("b", {}))],
                attributes={"actionledger.capture": "calls"},
            ),
        )
    )
    turns = sessions(found)[0].turns
    assert [turn.capture for turn in turns] == [Capture.NONE, Capture.ARGUMENTS, Capture.CALLS]


def test_litellm_writes_calls_beside_its_messages(items):
    """Its message has the words alone; what stands in both places is one call."""
    said = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "I look."}]}])
    beside = {
        "gen_ai.completion.0.function_call.name": "look",
        "gen_ai.completion.0.function_call.arguments": '{"at": 1}',
        "gen_ai.completion.1.function_call.name": "go",
        "gen_ai.completion.1.function_call.arguments": "{}",
    }
    (session,) = sessions(items(span(1, "chat", attributes={"gen_ai.output.messages": said} | beside)))
    (turn,) = session.turns
    assert turn.text == "I look."
    assert [(call.name, call.arguments) for call in turn.calls] == [("look", '{"at": 1}'), ("go", "{}")]
    whole = [{"type": "tool_call", "id": "c1", "name": "look", "arguments": {"at": 1}}]
    told = json.dumps([{"role": "assistant", "parts": whole}])
    (session,) = sessions(items(span(1, "chat", attributes={"gen_ai.output.messages": told} | beside)))
    assert [call.call_id for call in session.turns[0].calls] == ["c1"]


@pytest.mark.parametrize(
    ("ended", "reason"),
    [
        ({"gen_ai.response.finish_reasons": ["length"]}, "length"),
        ({"gen_ai.response.finish_reasons": '["length"]'}, "length"),
        ({"gen_ai.response.finish_reason": "FinishReason.LENGTH"}, "length"),
        ({"gen_ai.response.finish_reasons": "[length"}, ""),
    ],
)
def test_why_a_response_ended_is_told_in_several_ways(items, ended, reason):
    """A list, and in Microsoft's frameworks its JSON text or the name of an enumeration's member."""
    (session,) = sessions(items(chat(1, [ASKED], None, attributes=ended)))
    assert session.turns[0].usage.finish_reason == reason
