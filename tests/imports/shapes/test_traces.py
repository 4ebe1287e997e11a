"""Sessions of traces, their steps, and which run of a tool answers which call."""

from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta

from actionledger.core.recordings import RecordedCall, RecordedResult, RecordedSession, Usage
from actionledger.core.vocabulary import Capture, LeftOutReason
from actionledger.imports.shapes.answers import Answers, arguments_of
from actionledger.imports.shapes.base import Message
from actionledger.imports.shapes.steps import Kind, Step
from actionledger.imports.shapes.traces import Traces, identified

BEGIN = datetime(2026, 2, 3, 15)


def step(kind: Kind, number: int, parent: int = 0, **fields) -> Step:
    at = BEGIN + timedelta(seconds=number)
    return Step(
        kind,
        f"s{number}",
        f"s{parent}" if parent else "",
        "t1",
        started=at,
        finished=at + timedelta(seconds=1),
        **fields,
    )


def said(text: str = "", *names: str) -> list[Message]:
    message = Message("model", text)
    for name in names:
        message.call("", name, "{}")
    return [message]


def shown(*outputs: str) -> list[Message]:
    messages = [Message("person", "Go.")]
    for output in outputs:
        message = Message("tool")
        message.result("", output)
        messages += [Message("model"), message]
    return messages


def sessions(*steps: Step) -> list[RecordedSession]:
    traces = Traces("some")
    given = [session for each in steps for session in traces.add(each)]
    return [*given, *traces.rest()]


def test_an_agent_that_a_tool_of_no_agent_started_is_a_child():
    """The trace itself is what it is a child of."""
    main, child = sessions(
        step("model", 1, said=said("Delegated.", "ask")),
        step("tool", 2, name="ask"),
        step("agent", 3, 2),
        step("model", 4, 3, said=said("Below.")),
    )
    assert (main.external_id, child.external_id, child.parent) == ("t1", "t1/s3", "t1")
    assert [turn.text for turn in child.turns] == ["Below."]


def test_agents_side_by_side_are_one_session():
    """Nobody that asks a model has started them: they are steps of the same work, in the order of time."""
    (session,) = sessions(
        step("other", 1),
        step("agent", 4, 1),
        step("model", 5, 4, said=said("Second.")),
        step("agent", 2, 1),
        step("model", 3, 2, said=said("First.")),
    )
    assert [(turn.index, turn.text) for turn in session.turns] == [(0, "First."), (1, "Second.")]


def test_steps_in_a_ring_end():
    """Whatever a file says of who is above whom."""
    (session,) = sessions(step("agent", 1, 2), step("agent", 2, 1), step("model", 3, 1, said=said("Here.")))
    assert [turn.text for turn in session.turns] == ["Here."]


def test_nameless_results_come_to_their_calls_in_order():
    """A history that is shown again gives nothing twice."""
    (session,) = sessions(
        step("model", 1, said=said("", "look")),
        step("model", 2, shown=shown("one"), said=said("", "look")),
        step("model", 3, shown=shown("one", "two"), said=said("Done.")),
    )
    assert [[each.output for each in turn.results] for turn in session.turns] == [["one"], ["two"], []]
    assert [turn.calls[0].call_id for turn in session.turns[:2]] == ["s1:0", "s2:0"]


def test_what_is_kept_of_an_answer_without_calls():
    """All of it where nothing says that calls are split off, else as much as of the others."""
    raw, split = Capture.TEXT, Capture.ARGUMENTS
    assert [turn.capture for turn in sessions(step("model", 1, said=said("Here.")))[0].turns] == [raw]
    (session,) = sessions(step("model", 1, said=said("", "look")), step("model", 2, said=said("Here.")))
    assert [turn.capture for turn in session.turns] == [split, split]
    (offered,) = sessions(step("model", 1, said=said("Here."), tools='[{"name": "look"}]'))
    assert [turn.capture for turn in offered.turns] == [split]
    parsed = said()
    parsed[0].call("a", "look", {})
    (mixed,) = sessions(step("model", 1, said=parsed), step("model", 2, said=said("Here.")))
    assert [turn.capture for turn in mixed.turns] == [Capture.CALLS, Capture.CALLS]


def test_several_choices_are_several_turns():
    """The first has what all of them took."""
    (session,) = sessions(step("model", 1, said=[*said("One."), *said("Two.")]))
    assert [(turn.external_id, turn.text) for turn in session.turns] == [("s1", "One."), ("s1#1", "Two.")]
    assert [turn.usage.latency_ms for turn in session.turns] == [1000, None]


def test_a_request_that_failed_is_no_turn():
    """It is counted; one that failed behind its answer is a turn."""
    traces = Traces("some")
    steps = [step("model", 1, is_error=True), step("model", 2, is_error=True, said=said("Cut"))]
    assert [list(traces.add(each)) for each in steps] == [[], []]
    (session,) = traces.rest()
    assert [turn.text for turn in session.turns] == ["Cut"]
    assert traces.passed == {(LeftOutReason.NO_RESPONSE, "request"): 1}


def test_the_run_is_the_one_that_the_model_was_told_of():
    """Two alike that name no call began in another order than they were asked for; what was shown says which is whose."""
    answer = said("", "look", "look")
    for number, call in enumerate(answer[0].calls):
        answer[0].calls[number] = replace(call, call_id=f"c{number}")
    told = [Message("model"), Message("tool"), Message("tool")]
    told[1].result("c0", "slow")
    told[2].result("c1", "fast")
    (session,) = sessions(
        step("model", 1, said=answer),
        step("tool", 2, name="look", arguments="{}", output="fast", is_error=True),
        step("tool", 3, name="look", arguments="{}", output="slow", is_error=False),
        step("model", 4, shown=told, said=said("Both.")),
    )
    came = [(each.call_id, each.output, each.is_error) for each in session.turns[0].results]
    assert came == [("c0", "slow", False), ("c1", "fast", True)]


def test_a_bare_value_is_the_only_argument():
    """LangChain gives a tool of one argument no name for it."""
    message = Message("model")
    message.call("a", "look", {"at": "here"})
    message.call("b", "look", {"at": "there"})
    (session,) = sessions(
        step("model", 1, said=[message]),
        step("tool", 2, name="look", arguments="there", output="two"),
        step("tool", 3, name="look", arguments="here", output="one"),
    )
    assert {each.call_id: each.output for each in session.turns[0].results} == {"a": "one", "b": "two"}


def test_a_request_around_another_fills_what_it_lacks():
    """Each field by itself: a client's library may say other things than the framework."""
    (session,) = sessions(
        step("model", 1, said=said("Yes."), usage=Usage(input_tokens=5, reasoning_tokens=2)),
        step("model", 2, 1, usage=Usage(input_tokens=5, cache_write_tokens=1)),
    )
    (turn,) = session.turns
    assert (turn.text, turn.usage.reasoning_tokens, turn.usage.cache_write_tokens) == ("Yes.", 2, 1)


def test_calls_under_one_identifier_are_told_apart_by_their_arguments():
    """They end in any order, and each is run once."""
    said = Message("model")
    for command in ("one", "two"):
        said.call("c", "run", {"command": command})
    answers = Answers(Counter())
    answers.take(Step("model", "m", said=[said]))
    for command in ("two", "one"):
        ran = Step("tool", command, name="run", call_id="c", arguments=command, output=f"ran {command}")
        answers.take(ran)
    calls, results = answers.of("m", 0)
    assert [call.arguments for call in calls] == [{"command": "one"}, {"command": "two"}]
    assert [result.output for result in results] == ["ran one", "ran two"]


def test_arguments_with_half_a_letter_are_no_obstacle():
    assert arguments_of('{"a": "\ud800"}') == {"a": "\ud800"}
    assert arguments_of("\ud800") == "\ud800"


def test_a_step_that_was_cut_out_is_known_as_older_versions_knew_it() -> None:
    """By what it says: a field that is new would give it another name, and a ledger would have it twice."""
    calls = [RecordedCall("a", "sh", {})]
    said = [Message("model", "Yes.", calls=calls, usage=Usage(input_tokens=1))]
    shown = [Message("tool", results=[RecordedResult("a", "ok")])]
    step = identified(Step("model", "", said=said, shown=shown))
    assert step.step_id == "69a971ef-0f79-513b-968b-a5a9f62e8921"
