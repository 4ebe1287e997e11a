"""Runs of LangSmith, as its documentation describes them."""

import json
from collections import Counter
from functools import partial

import pytest
from given_items import sessions

from actionledger.core.vocabulary import Capture, LeftOutReason, Reason
from actionledger.imports.formats.langsmith import SOURCE
from actionledger.imports.sources.base import LeftOut
from actionledger.imports.sources.wordings import judged


def run(number: int, kind: str, inputs: dict, outputs: dict | None, parent: int = 0, **fields) -> dict:
    return {
        "id": f"r{number}",
        "trace_id": "r1",
        "parent_run_id": f"r{parent}" if parent else None,
        "dotted_order": f"2026Z{number}",
        "run_type": kind,
        "name": fields.pop("name", kind),
        "start_time": f"2026-02-03T15:19:{number:02}.000000",
        "end_time": f"2026-02-03T15:19:{number + 1:02}.000000",
        "inputs": inputs,
        "outputs": outputs,
        **fields,
    }


def constructed(kind: str, **fields) -> dict:
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", kind], "kwargs": fields}


@pytest.fixture
def items(read_lines):
    """Return what is read of runs, written as they are given."""
    return partial(read_lines, SOURCE)


ASKED = {
    "messages": [
        [constructed("SystemMessage", content="Be brief."), constructed("HumanMessage", content="Where?")]
    ]
}
CALLS = [{"id": "a", "name": "look", "args": {"at": 1}, "type": "tool_call"}]
USAGE = {"input_tokens": 10, "output_tokens": 4, "input_token_details": {"cache_read": 6}}
SAID = constructed("AIMessage", content="I look.", tool_calls=CALLS, usage_metadata=USAGE)
ANSWERED = {"generations": [[{"text": "I look.", "message": SAID}]], "llm_output": {}}
TOLD = {"output": constructed("ToolMessage", content="here", tool_call_id="a", status="success")}
EXTRA = {
    "metadata": {"ls_model_name": "m", "ls_provider": "openai", "thread_id": "talk"},
    "invocation_params": {"tools": [{"type": "function", "function": {"name": "look"}}]},
}


def test_feedback_in_words_is_no_score(items):
    """It is told as one that is no number, so that an import counts it; where nobody gave any there is nothing."""
    stats = {
        "right": {"n": 1, "avg": 1},
        "tone": {"n": 2, "avg": None, "values": {"kind": 2}},
        "none": {"n": 0, "avg": None, "values": {}},
    }
    found = items(
        run(1, "chain", {}, {}, name="agent", feedback_stats=stats),
        run(2, "llm", ASKED, ANSWERED, 1, extra=EXTRA),
    )
    [session] = sessions(found)
    assert str(session.scores) == "{'right': 1.0, 'tone': nan}"


def test_a_run_of_a_model_is_a_turn(items):
    """With what was offered, its thread, its tokens and cost; a tool's run is what came of its call."""
    found = items(
        run(1, "chain", {}, {}, name="agent", tags=["dev"], feedback_stats={"right": {"n": 2, "avg": -0.5}}),
        run(2, "llm", ASKED, ANSWERED, 1, extra=EXTRA, prompt_tokens=10, completion_tokens=4, total_cost="0.25",
            first_token_time="2026-02-03T15:19:02.250000"),
        run(3, "tool", {"input": '{"at": 1}'}, TOLD, 1, name="look"),
    )  # fmt: skip
    (session,) = sessions(found)
    (turn,) = session.turns
    assert (session.external_id, session.model, session.labels, session.scores) == (
        "talk",
        "m",
        ("dev",),
        {"right": -0.5},
    )
    assert (turn.prompt, turn.text, turn.capture) == ("Be brief.\n\nWhere?", "I look.", Capture.CALLS)
    assert [(each.call_id, each.arguments) for each in turn.calls] == [("a", {"at": 1})]
    assert [(each.call_id, each.output, each.duration_ms) for each in turn.results] == [("a", "here", 1000)]
    usage = turn.usage
    assert (usage.input_tokens, usage.output_tokens, usage.cost_usd) == (10, 4, 0.25)
    assert usage.time_to_first_token_ms == 250
    assert json.loads(turn.tools)[0]["function"]["name"] == "look"
    assert Counter(
        {(each.reason, each.detail): each.count for each in found if isinstance(each, LeftOut)}
    ) == {(LeftOutReason.BOOKKEEPING, "span"): 1}


def test_the_providers_own_bodies_are_read(items):
    """As its wrappers of clients hand them over: arguments are as the model wrote them."""
    call = {"id": "a", "type": "function", "function": {"name": "look", "arguments": '{"at": 1,}'}}
    body = {
        "choices": [{"message": {"role": "assistant", "tool_calls": [call]}, "finish_reason": "tool_calls"}]
    }
    asked = {"model": "m", "messages": [{"role": "user", "content": "Where?"}]}
    (turn,) = sessions(items(run(1, "llm", asked, body)))[0].turns
    assert [(each.call_id, each.arguments) for each in turn.calls] == [("a", '{"at": 1,}')]
    assert (turn.prompt, turn.capture, turn.usage.finish_reason) == (
        "Where?",
        Capture.ARGUMENTS,
        "tool_calls",
    )


def test_a_tool_that_failed_says_why(items):
    """Its error is what there is of its output."""
    failed = run(3, "tool", {"at": 1}, None, name="look", error="FileNotFoundError: no such file")
    (session,) = sessions(items({"runs": [run(2, "llm", ASKED, ANSWERED), failed]}))
    (result,) = session.turns[0].results
    assert (result.output, result.is_error) == ("FileNotFoundError: no such file", True)
    assert judged(result, SOURCE.wordings).reason is Reason.NOT_FOUND


def test_nested_runs_are_read(items):
    """As ``load_child_runs`` gives them."""
    root = run(1, "chain", {}, {}) | {"child_runs": [run(2, "llm", ASKED, ANSWERED, 1)]}
    assert [turn.external_id for each in sessions(items(root)) for turn in each.turns] == ["r2"]
