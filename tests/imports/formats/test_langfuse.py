"""Exports of Langfuse: what a framework put into an observation is found, and a request that is told twice is one turn."""

import json

import pytest
from given_items import left_out, sessions

from actionledger.core.vocabulary import Capture, LeftOutReason, Reason, Relation
from actionledger.imports.formats.langfuse import SOURCE, read
from actionledger.imports.sources.registry import recognised, sample_of
from actionledger.imports.sources.wordings import judged


def observation(number: int, kind: str, parent: int = 0, **fields) -> dict:
    return {
        "id": f"o{number}",
        "traceId": "t1",
        "type": kind,
        "name": fields.pop("name", kind.lower()),
        "parentObservationId": f"o{parent}" if parent else None,
        "startTime": f"2026-02-03T15:19:{number:02}.000Z",
        "endTime": f"2026-02-03T15:19:{number + 1:02}.000Z",
        "level": "DEFAULT",
        **fields,
    }


def generation(number: int, asked: object, answer: object, parent: int = 0, **fields) -> dict:
    texts = {
        key: json.dumps(held) if held is not None and not isinstance(held, str) else held
        for key, held in (("input", asked), ("output", answer))
    }
    return observation(number, "GENERATION", parent, **texts, model=fields.pop("model", "m"), **fields)


@pytest.fixture
def items(tmp_path):
    """Return what is read of a trace with observations."""

    def read_all(*observations: dict, **trace) -> list:
        path = tmp_path / "trace.json"
        path.write_text(json.dumps({"trace": {"id": "t1"} | trace, "observations": list(observations)}))
        assert recognised(sample_of(path))[0].source is SOURCE
        return list(read(path))

    return read_all


ASKED = [{"role": "user", "content": "Where?"}]
FUNCTION = {"name": "look", "arguments": '{"at": 1}'}
CALL = {"id": "a", "type": "function", "function": FUNCTION}
RESPONSES = {"type": "function_call", "call_id": "a", **FUNCTION}
WRITTEN = {
    "chat": {"role": "assistant", "content": "I look.", "tool_calls": [CALL]},
    "body": {"choices": [{"message": {"role": "assistant", "content": "I look.", "tool_calls": [CALL]}}]},
    "langgraph": {"role": "assistant", "content": "I look.", "additional_kwargs": {"tool_calls": [CALL]}},
    "responses": {
        "object": "response",
        "output": [
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
            RESPONSES,
        ],
    },
    "items": [{"role": "assistant", "content": "I look."}, RESPONSES],
    "koog": [
        {"role": "assistant", "content": "I look."},
        {"role": "assistant", "content": json.dumps([CALL])},
    ],
    "vercel": {
        "text": "I look.",
        "toolCalls": [{"toolCallId": "a", "toolName": "look", "input": '{"at": 1}'}],
    },
    "genai": [
        {
            "role": "assistant",
            "parts": [
                {"type": "text", "content": "I look."},
                {"type": "tool_call", "id": "a", **FUNCTION},
            ],
        }
    ],
}
PARSED = {
    "langchain": {
        "type": "ai",
        "content": "I look.",
        "tool_calls": [{"id": "a", "name": "look", "args": {"at": 1}}],
    },
    "constructor": {
        "generations": [
            [
                {
                    "text": "I look.",
                    "message": {
                        "lc": 1,
                        "type": "constructor",
                        "id": ["langchain", "schema", "messages", "AIMessage"],
                        "kwargs": {
                            "content": "I look.",
                            "tool_calls": [{"id": "a", "name": "look", "args": {"at": 1}}],
                        },
                    },
                }
            ]
        ]
    },
    "anthropic": {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "a", "name": "look", "input": {"at": 1}},
        ],
    },
    "gemini": {
        "content": {
            "role": "model",
            "parts": [{"text": "I look."}, {"function_call": {"id": "a", "name": "look", "args": {"at": 1}}}],
        },
        "finish_reason": "STOP",
    },
}


@pytest.mark.parametrize("framework", [*WRITTEN, *PARSED])
def test_an_answer_is_found_however_a_framework_writes_it(items, framework):
    """Its text and its call, with arguments as the model wrote them where they are there."""
    given = (WRITTEN | PARSED)[framework]
    (turn,) = sessions(items(generation(1, ASKED, given)))[0].turns
    assert (turn.prompt, turn.text) == ("Where?", "I look.")
    arguments = '{"at": 1}' if framework in WRITTEN else {"at": 1}
    assert [(each.call_id, each.name, each.arguments) for each in turn.calls] == [("a", "look", arguments)]
    assert turn.capture is (Capture.ARGUMENTS if framework in WRITTEN else Capture.CALLS)


def test_a_text_is_a_raw_response(items):
    """Where nothing says that calls are split off; a list of offered tools does."""
    (turn,) = sessions(items(generation(1, "Where?", "<execute>look</execute>")))[0].turns
    assert (turn.text, turn.prompt, turn.capture) == ("<execute>look</execute>", "Where?", Capture.TEXT)
    tool = {"type": "function", "function": {"name": "look"}}
    for asked in ({"messages": ASKED, "tools": [tool]}, [*ASKED, {"role": "tool", "content": tool}]):
        (turn,) = sessions(items(generation(1, asked, {"role": "assistant", "content": "Here."})))[0].turns
        assert (turn.prompt, turn.capture, json.loads(turn.tools)) == ("Where?", Capture.ARGUMENTS, [tool])


def test_a_request_that_is_told_twice_is_one_turn(items):
    """The framework's observation around the client's gives what that lacks, and its tokens aren't added."""
    outer = generation(1, ASKED, WRITTEN["body"], usageDetails={"input": 9, "output": 9})
    inner = generation(2, "user: Where?", None, parent=1, usageDetails={"input": 5, "output": 3})
    found = items(outer, inner)
    (turn,) = sessions(found)[0].turns
    assert (turn.external_id, turn.text, len(turn.calls)) == ("o2", "I look.", 1)
    assert (turn.usage.input_tokens, turn.usage.output_tokens) == (5, 3)
    assert left_out(found) == {(LeftOutReason.DUPLICATE, "request"): 1}


@pytest.mark.parametrize("kind", ["TOOL", "SPAN"])
def test_a_tools_observation_is_what_came_of_its_call(items, kind):
    """Whatever its type, where it has the name of a tool that was called."""
    failed = observation(2, kind, name="look", input='{"at": 1}', level="ERROR", statusMessage="no such file")
    other = observation(3, "SPAN", name="graph")
    found = items(generation(1, ASKED, WRITTEN["chat"]), failed, other)
    (result,) = sessions(found)[0].turns[0].results
    assert (result.call_id, result.output, result.is_error, result.duration_ms) == (
        "a",
        "no such file",
        True,
        1000,
    )
    assert judged(result, SOURCE.wordings).reason is Reason.NOT_FOUND
    assert left_out(found) == {(LeftOutReason.BOOKKEEPING, "span"): 1}


def test_history_is_shown_and_not_said(items):
    """Results in it come to their calls, nameless ones in order."""
    second = [
        *ASKED,
        {"role": "assistant", "content": json.dumps([CALL])},
        {"role": "tool", "content": "here"},
    ]
    nameless = {"role": "model", "parts": [{"function_call": {"name": "look", "args": {}}}]}
    third = {
        "contents": [
            nameless,
            {"role": "user", "parts": [{"function_response": {"name": "look", "response": {}}}]},
        ]
    }
    found = items(
        generation(1, ASKED, WRITTEN["chat"]),
        generation(2, second, {"content": nameless}),
        generation(3, third, "There."),
    )
    first, then, last = sessions(found)[0].turns
    assert [(each.call_id, each.output) for each in first.results] == [("a", "here")]
    assert (then.text, last.text) == ("", "There.")
    assert left_out(found)[LeftOutReason.REPEATED_HISTORY, "message"] == 2


def test_what_a_trace_says_as_a_whole(items):
    """Its conversation, its scores by their names, its tags and categories; cost, cached tokens, the first token's time."""
    scores = [
        {"name": "right", "value": 0.5, "dataType": "NUMERIC"},
        {"name": "tone", "value": None, "stringValue": "rude", "dataType": "CATEGORICAL"},
        {"name": "grade", "value": "B", "dataType": "CATEGORICAL"},
        {"name": "parts", "value": [1]},
        {"name": "empty", "value": None},
    ]
    usage = {"input": 10, "input_cached_tokens": 30, "output": 5, "total": 45}
    answer = generation(
        1,
        ASKED,
        "Here.",
        usageDetails=usage,
        costDetails={"total": 0.25},
        completionStartTime="2026-02-03T15:19:01.250Z",
    )
    (session,) = sessions(items(answer, sessionId="talk", tags=["dev"], scores=scores, name="run"))
    assert (session.external_id, session.labels) == ("talk", ("dev", "tone=rude", "grade=B"))
    assert (
        str(session.scores) == "{'right': 0.5, 'parts': nan}"
    )  # what is no number is counted by whoever records it
    assert session.metadata == {"name": "run", "trace": "t1"}
    took = session.turns[0].usage
    assert (took.input_tokens, took.cached_tokens, took.output_tokens, took.cost_usd) == (40, 30, 5, 0.25)
    assert (took.time_to_first_token_ms, took.latency_ms) == (250, 1000)


def test_an_agent_that_a_tool_started_is_a_child(items):
    found = sessions(
        items(
            observation(1, "AGENT"),
            generation(2, ASKED, WRITTEN["chat"], parent=1),
            observation(3, "TOOL", 1, name="look"),
            observation(4, "AGENT", 3),
            generation(5, ASKED, "Below.", parent=4),
        )
    )
    assert [(each.external_id, each.parent, each.relation) for each in found] == [
        ("t1", "", None),
        ("t1/o4", "t1", Relation.SUBAGENT),
    ]


def test_observations_one_a_line(tmp_path):
    """A batch export has no trace around them."""
    path = tmp_path / "observations.jsonl"
    rows = [generation(1, ASKED, "Here."), generation(2, ASKED, "There.") | {"traceId": "t2"}]
    path.write_text("".join(json.dumps(each) + "\n" for each in [*rows, {"id": "t1", "name": "a trace"}]))
    found = list(read(path))
    assert [(each.external_id, each.turns[0].text) for each in sessions(found)] == [
        ("t1", "Here."),
        ("t2", "There."),
    ]
    assert left_out(found) == {(LeftOutReason.UNKNOWN_KIND, "object (name)"): 1}
