"""Trajectories of Harbor: a step of the agent is a turn, embedded trajectories are children, and raw turns stay raw."""

import json

import pytest
from given_items import left_out, sessions

from actionledger.core.vocabulary import Capture, LeftOutReason, Reason, Relation
from actionledger.imports.formats.atif import SOURCE, read
from actionledger.imports.sources.base import Refusal
from actionledger.imports.sources.wordings import judged

AGENT = {"name": "an-agent", "version": "1", "model_name": "m"}


def trajectory(*steps: dict, **fields) -> dict:
    numbered = [{"step_id": number + 1} | step for number, step in enumerate(steps)]
    head = {"schema_version": "ATIF-v1.7", "session_id": "s1", "agent": AGENT}
    return head | {"steps": numbered} | fields


def asked(text: object = "Do it.", **fields) -> dict:
    return {"source": "user", "message": text, **fields}


def said(text: object = "", *calls: str, results: list | None = None, **fields) -> dict:
    step = {"source": "agent", "message": text, **fields}
    if calls:
        step["tool_calls"] = [
            {"tool_call_id": each, "function_name": "run", "arguments": {"of": each}} for each in calls
        ]
    return step if results is None else step | {"observation": {"results": results}}


def answered(call: str | None, content: object) -> dict:
    return ({"source_call_id": call} if call else {}) | {"content": content}


@pytest.fixture
def items(tmp_path):
    """Return what is read of trajectories."""

    def read_all(*trajectories: object) -> list:
        path = tmp_path / "trajectory.json"
        path.write_text("\n".join(json.dumps(each) for each in trajectories))
        return list(read(path))

    return read_all


def test_a_step_of_the_agent_is_a_turn(items):
    """With its calls, what came of each, its tokens, and what it was told right before."""
    metrics = {"prompt_tokens": 50, "completion_tokens": 6, "cached_tokens": 40, "cost_usd": 0.5}
    results = [answered("b", "two"), answered("a", "one")]
    (session,) = sessions(
        items(
            trajectory(
                {"source": "system", "message": "Be brief."},
                asked(),
                said("I do.", "a", "b", results=results, metrics=metrics, timestamp="2026-04-20T10:00:00Z"),
                said("Done.", model_name="m-2"),
            )
        )
    )
    first, last = session.turns
    assert (session.external_id, session.model, session.task) == ("s1", "m", "Do it.")
    assert (first.prompt, first.text, first.capture) == ("Be brief.\n\nDo it.", "I do.", Capture.CALLS)
    assert [(call.call_id, call.arguments) for call in first.calls] == [
        ("a", {"of": "a"}),
        ("b", {"of": "b"}),
    ]
    assert [(result.call_id, result.output) for result in first.results] == [("b", "two"), ("a", "one")]
    usage = first.usage
    assert (usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.cost_usd) == (50, 6, 40, 0.5)
    assert (first.external_id, last.external_id, last.model, last.prompt) == ("step-3", "step-4", "m-2", None)
    assert first.occurred_at
    assert first.occurred_at.isoformat() == "2026-04-20T10:00:00"


def test_a_raw_response_is_read_as_it_stands(items):
    """Where no calls were split off, or an observation answers a step without any; thoughts beside it are no part of it."""
    refused = [answered(None, "ERROR: Missing required fields")]
    (session,) = sessions(
        items(
            trajectory(
                asked(),
                said('{"commands": [}', results=refused, reasoning_content="Hm."),
                said("I do.", "a", results=[answered(None, "ok")], reasoning_content="So."),
                said("Done."),
            )
        )
    )
    raw, split, end = session.turns
    assert [turn.capture for turn in session.turns] == [Capture.TEXT, Capture.CALLS, Capture.CALLS]
    assert (raw.text, raw.feedback) == ('{"commands": [}', "ERROR: Missing required fields")
    assert split.text == "I do."
    assert [turn.reasoning for turn in session.turns] == ["Hm.", "So.", ""]
    assert end.feedback is None
    (bare,) = sessions(items(trajectory(asked(), said("<function=x></function>"), said("Done."))))
    assert [turn.capture for turn in bare.turns] == [Capture.TEXT, Capture.TEXT]


def test_offered_tools_say_that_calls_are_split_off(items):
    """A final answer is no raw response with a call missing."""
    tools = [{"type": "function", "function": {"name": "run", "parameters": {}}}]
    (session,) = sessions(
        items(trajectory(asked(), said("Done."), agent=AGENT | {"tool_definitions": tools}))
    )
    assert session.turns[0].capture is Capture.CALLS
    assert json.loads(session.turns[0].tools) == tools


def test_what_no_model_wrote_is_left_out(items):
    """Copied history, steps without a request to a model, summaries: counted, and no turns."""
    compaction = {"source": "system", "message": "Compacted.", "extra": {"context_management": {"type": "x"}}}
    found = items(
        trajectory(
            asked("Do it.", is_copied_context=True),
            said("Before.", "a", is_copied_context=True),
            said("", "b", llm_call_count=0, results=[answered("b", "x")]),
            compaction | {"observation": {"results": [answered(None, "The summary.")]}},
            {"source": "tool", "message": "?"},
            said("Now.", llm_call_count=1),
        )
    )
    assert [turn.text for turn in sessions(found)[0].turns] == ["Now."]
    assert sessions(found)[0].turns[0].prompt == "Do it.\n\nCompacted."
    assert left_out(found) == {
        (LeftOutReason.REPEATED_HISTORY, "step"): 1,
        (LeftOutReason.MADE_BY_CLIENT, "step"): 1,
        (LeftOutReason.COMPACTED, "step"): 1,
        (LeftOutReason.UNKNOWN_KIND, "tool (message, source, step_id)"): 1,
    }


def test_embedded_trajectories_are_children(items):
    """Of the one that embeds them, at any depth; one run's are told apart by their own identifiers."""
    inner = trajectory(said("Deep."), trajectory_id="t3", session_id="s1")
    child = trajectory(said("Below."), trajectory_id="t2", subagent_trajectories=[inner])
    del child["session_id"]
    nameless = {"steps": [{"source": "agent", "message": "Whose?"}]}
    found = sessions(
        items(trajectory(said("Top."), trajectory_id="t1", subagent_trajectories=[child, nameless]))
    )
    assert [(each.external_id, each.parent, each.relation) for each in found[:3]] == [
        ("s1/t1", "", None),
        ("s1/t2", "s1/t1", Relation.SUBAGENT),
        ("s1/t3", "s1/t2", Relation.SUBAGENT),
    ]
    assert found[3].parent == "s1/t1"
    assert found[3].external_id.startswith("s1/")


@pytest.mark.parametrize(
    ("name", "parent", "relation"),
    [
        ("run-cont-1", "run", Relation.CONTINUATION),
        ("run-cont-12", "run-cont-11", Relation.CONTINUATION),
        ("run-summarization-1-summary", "run", Relation.SUBAGENT),
        ("run-cont-1-summarization-2-answers", "run-cont-1", Relation.SUBAGENT),
        ("run-continued", "", None),
    ],
)
def test_a_continuation_is_known_by_its_name(items, name, parent, relation):
    """Its own file names nobody; Harbor makes its name of its predecessor's."""
    (session,) = sessions(items(trajectory(said("Go on."), session_id=name)))
    assert (session.parent, session.relation) == (parent, relation)


def test_parts_of_a_content_are_its_texts(items):
    """Of messages and results (1.6); images are counted."""
    picture = {"type": "image", "source": {"path": "x.png"}}
    parts = [{"type": "text", "text": "See"}, picture, {"type": "text", "text": "this"}]
    found = items(trajectory(asked(parts), said("Yes.", "a", results=[answered("a", parts)])))
    assert sessions(found)[0].turns[0].prompt == "See\nthis"
    assert sessions(found)[0].turns[0].results[0].output == "See\nthis"
    assert left_out(found) == {(LeftOutReason.NO_TEXT, "content"): 2}


def test_words_tell_of_errors(items):
    """The format has no field for them."""
    outputs = ["Error: API rate limit exceeded", "Error: it broke", "No error: fine", "Errors are rare"]
    results = [answered(str(place), output) for place, output in enumerate(outputs)]
    (session,) = sessions(items(trajectory(said("", *"0123", results=results))))
    found = [judged(result, SOURCE.wordings) for result in session.turns[0].results]
    assert [each.reason for each in found] == [Reason.RATE_LIMIT, Reason.TOOL_ERROR, None, None]
    assert all(each.is_inferred for each in found)


def test_several_trajectories_in_one_file(items):
    """One a line, or a list of them; what is none is refused, and the rest goes on."""
    one, two = trajectory(said("1"), session_id="a"), trajectory(said("2"), session_id="b")
    assert [each.external_id for each in sessions(items(one, two))] == ["a", "b"]
    found = items([one, {"steps": 5}, two])
    assert [each.external_id for each in sessions(found)] == ["a", "b"]
    assert [each.reason for each in found if isinstance(each, Refusal)] == [
        "The object is not a trajectory: it has no list of steps."
    ]
