"""A model drives a session: until it is done, or a limit is reached, with the reason recorded."""

import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.core.vocabulary import ExecutionStatus
from actionledger.profiles.assistant.reasoning import ITERATION_LIMITS, IterativeReasoner
from actionledger.runtime.agent import Conversation, ConversationLimits, Ending, converse
from actionledger.runtime.models import (
    BrokenResponseError,
    Completion,
    ModelUnreachableError,
    RecordedModel,
    ScriptedModel,
)

PROSE = "All of it is done; have a nice day."


def actions(*items: dict[str, Any]) -> str:
    return f"```actions\n{json.dumps({'actions': items})}\n```"


def step(*items: dict[str, Any], final: bool = False, **fields: Any) -> str:
    return f"```iteration\n{json.dumps({'next_actions': items, 'is_final': final} | fields)}\n```"


def task(content: str) -> dict[str, Any]:
    return {"type": "create_task", "content": content}


MISSING = {"type": "get_task", "task_id": 7}


@pytest.fixture
def talk(ledger) -> Callable[..., tuple[Conversation, ScriptedModel]]:
    """Has a scripted model work on a request: takes its responses and what ``converse`` takes."""

    def lead(*responses: Any, profile: str = "assistant", **given: Any) -> tuple[Conversation, ScriptedModel]:
        model = ScriptedModel(responses)
        with al.Runtime(profile, ledger=ledger, model=model.name) as session:
            return converse(session, model, "Plan the week.", **given), model

    return lead


def shown(model: ScriptedModel, request: int) -> list[str]:
    return [message.content for message in model.asked[request].messages]


def notes(ledger: al.Ledger) -> dict[str, dict[str, Any]]:
    """The last note of each code, its message among the particulars."""
    found = ledger.sql(
        "SELECT code, message, detail FROM events WHERE kind = 'system_noted' ORDER BY recorded_at"
    )
    return {code: json.loads(detail) | {"message": message} for code, message, detail in found.fetchall()}


def test_it_goes_on_until_the_model_asks_for_nothing_more(talk):
    """Each response is acted on, what came of it is the next message, prose is the answer."""
    ended, model = talk(actions(task("a")), actions({"type": "list_tasks"}), PROSE)
    assert ended.ending is Ending.ANSWERED
    assert [turn.index for turn in ended.turns] == [0, 1, 2]
    first, second, third = (shown(model, request) for request in range(3))
    assert first == [al.prompt("assistant"), "Plan the week."]
    assert second[2:] == [actions(task("a")), ended.turns[0].feedback]
    assert '"tasks":[{"id":1' in third[-1]


def test_an_iterative_session_goes_on_until_is_final(talk):
    """Results of ``next_actions`` are in the next prompt, with the number of the iteration; prose is no end there."""
    ended, model = talk(
        step(task("a")), PROSE, step({"type": "list_tasks"}, final=True), profile="assistant-iterative"
    )
    assert ended.ending is Ending.FINAL
    assert ended.turns[2].observations[0].status is ExecutionStatus.SUCCEEDED
    after_first, after_prose = shown(model, 1)[-1], shown(model, 2)[-1]
    assert '"task_id":1' in after_first
    assert "Iteration 2 of at most 20" in after_first
    assert "```iteration" in after_prose


def test_what_is_refused_in_the_last_step_is_told_before_it_ends(talk):
    """A model that calls its work done hears once what of it was not; then its word holds."""
    wrong = step({"type": "create_taskk", "content": "a"}, final=True)
    ended, model = talk(wrong, step(task("a"), final=True), profile="assistant-iterative")
    assert (ended.ending, len(ended.turns)) == (Ending.FINAL, 2)
    assert "create_taskk" in shown(model, 1)[-1]
    assert ended.turns[1].observations[0].status is ExecutionStatus.SUCCEEDED
    ended, _ = talk(*[wrong] * 5, profile="assistant-iterative")
    assert (ended.ending, len(ended.turns)) == (Ending.FINAL, 2)
    ended, _ = talk(*[wrong] * 5, profile="assistant-iterative", max_turns=1)
    assert (ended.ending, len(ended.turns)) == (Ending.FINAL, 1)


def test_the_last_iteration_is_announced(talk):
    """The model can finish in an orderly way; then the limit ends it."""
    ended, model = talk(*(step(task(name)) for name in "abc"), profile="assistant-iterative", max_turns=3)
    assert ended.ending is Ending.TURN_LIMIT
    assert len(model.asked) == 3
    assert "last one" in shown(model, 2)[-1]
    assert "last one" not in shown(model, 1)[-1]


def test_a_refused_action_is_shown_with_its_right_form(talk):
    """What was wrong reaches the model, so that it doesn't repeat it."""
    ended, model = talk(actions({"type": "create_task"}), actions(task("a")), PROSE)
    assert ended.ending is Ending.ANSWERED
    assert "content" in shown(model, 1)[-1]
    assert '"type": "create_task"' in shown(model, 1)[-1]


def test_the_same_failing_action_again_and_again_ends_it(talk, ledger):
    """Nothing was done in three turns in a row: that is the reason, and is recorded."""
    ended, _ = talk(*[actions(MISSING)] * 10)
    assert (ended.ending, len(ended.turns)) == (Ending.FAILURES, 3)
    [(success, reason)] = ledger.sql("SELECT success, reason FROM sessions").fetchall()
    assert (success, reason) == (False, "failures")
    assert notes(ledger)["conversation_ended"] == {
        "ending": "failures",
        "turns": 3,
        "seconds": pytest.approx(0, abs=60),
        "message": ended.message,
    }


def test_the_same_action_that_succeeds_again_and_again_ends_it_too(talk):
    """Ten times the same list is no progress: the model is told so first, then the session stops."""
    ended, model = talk(*[actions({"type": "list_tasks"})] * 10)
    assert (ended.ending, len(ended.turns)) == (Ending.REPETITION, 4)
    assert "You are repeating yourself" in shown(model, 3)[-1]


def test_what_the_session_stops_for_ends_it_in_its_words(talk):
    """The session sees patterns that are no plain repetition, such as two actions by turns; it nudges, then stops."""
    by_turns = [actions(MISSING | {"task_id": 7 + number % 2}) for number in range(20)]
    ended, _ = talk(*by_turns, limits=ConversationLimits(failures=20))
    assert ended.ending is Ending.REPETITION
    assert "alternat" in ended.message.lower() or "repetition" in ended.message.lower()
    assert ended.message == ended.turns[-1].stopped


def test_turns_in_a_row_that_do_nothing_end_it(talk):
    """Different failures count together; a success in between makes up for them."""
    misses = [actions(MISSING | {"task_id": number}) for number in range(7, 12)]
    ended, _ = talk(*misses[:2], actions(task("a")), *misses)
    assert (ended.ending, len(ended.turns)) == (Ending.FAILURES, 6)


@pytest.mark.parametrize("nothing", ["", " \n\t", "\ufeff"])
@pytest.mark.parametrize("profile", ["assistant", "assistant-iterative"])
def test_a_model_that_says_nothing_is_told_so_and_given_up(talk, nothing, profile):
    """Empty responses are recorded like others, and don't go on for ever."""
    ended, model = talk(*[nothing] * 10, profile=profile)
    assert ended.ending in {Ending.REPETITION, Ending.FAILURES, Ending.ANSWERED}
    assert len(ended.turns) <= 3
    assert len(model.asked) < 2 or "empty" in shown(model, 1)[-1] or "is written" in shown(model, 1)[-1]


def test_prose_in_the_loop_is_shown_the_form_and_given_up(talk):
    """The protocol demands an action in every turn."""
    ended, _ = talk(*(f"I think {number}." for number in range(9)), profile="assistant-iterative")
    assert (ended.ending, len(ended.turns)) == (Ending.FAILURES, 3)


def test_time_is_limited(talk):
    """No request is begun after the limit."""
    moments = itertools.count(step=4.0)
    ended, model = talk(
        *(actions(task(name)) for name in "abcdef"),
        limits=ConversationLimits(seconds=10),
        clock=lambda: next(moments),
    )
    assert ended.ending is Ending.TIME_LIMIT
    assert len(model.asked) == 2


def test_a_response_that_breaks_off_is_asked_for_again_and_never_acted_on(talk, ledger):
    """Half a response may hold a whole action; it is noted, not run."""
    half = Completion(actions(task("from a broken response")), None, None, "m", 1.0, {})
    broken = BrokenResponseError("The stream was cut off.", partial=half)
    ended, model = talk(broken, actions({"type": "list_tasks"}), PROSE)
    assert ended.ending is Ending.ANSWERED
    assert ended.turns[0].observations[0].result == {"tasks": []}
    assert shown(model, 0) == shown(model, 1)
    noted = notes(ledger)["model_failed"]
    assert (noted["error"], noted["partial_length"]) == ("BrokenResponseError", len(half.text))
    assert "from a broken response" in noted["partial"]


def test_a_model_that_always_breaks_off_is_given_up(talk):
    ended, model = talk(*[BrokenResponseError("The stream was cut off.")] * 9)
    assert (ended.ending, len(model.asked), ended.turns) == (Ending.MODEL_FAILED, 3, ())
    assert "cut off" in ended.message


def test_a_model_that_can_not_be_reached_ends_it_with_what_was_recorded(talk, ledger):
    """Its client has tried again already; the turns before stay."""
    ended, _ = talk(actions(task("a")), ModelUnreachableError("Nobody listens there."))
    assert ended.ending is Ending.MODEL_FAILED
    assert ledger.sql("SELECT reason, (SELECT count(*) FROM turns) FROM sessions").fetchall() == [
        ("model_failed", 1)
    ]


def test_an_action_that_waits_for_a_person_ends_it(ledger, tmp_path):
    """Nobody knows how it would go on; the session can be reopened after the decision."""
    wait = al.Policy((("*", al.Verdict.ESCALATE),))
    model = ScriptedModel([actions(task("a")), PROSE])
    with al.Runtime("assistant", ledger=ledger, workspace=tmp_path / "w", policy=wait) as session:
        ended = converse(session, model, "Go.")
    assert ended.ending is Ending.WAITING
    assert len(model.asked) == 1
    assert ledger.sql("SELECT success, reason FROM sessions").fetchall() == [(None, "waiting")]


def test_a_stop_is_recorded_and_passed_on(ledger):
    """Ctrl-C in the middle: the session is closed with what it has."""

    def stop(_turn: al.Turn) -> None:
        raise KeyboardInterrupt

    model = ScriptedModel([actions(task("a"))])
    with al.Runtime("assistant", ledger=ledger) as session, pytest.raises(KeyboardInterrupt):
        converse(session, model, "Go.", on_turn=stop)
    assert ledger.sql("SELECT success, reason, (SELECT count(*) FROM turns) FROM sessions").fetchall() == [
        (False, "stopped", 1)
    ]
    assert ledger.sql("SELECT status FROM executions").fetchall() == [("succeeded",)]


def test_pieces_are_handed_on_as_they_come(talk):
    """Together they are the responses."""
    pieces: list[str] = []
    talk(actions(task("a")), PROSE, on_piece=pieces.append)
    assert len(pieces) > 4
    assert "".join(pieces) == actions(task("a")) + PROSE


def test_what_the_model_was_shown_is_recorded(talk, ledger):
    """The request, each message that was not the feedback alone, and the instructions."""
    talk(actions(task("a")), actions({"type": "create_task"}), "```actions\n{", PROSE)
    found = ledger.sql("SELECT prompt, feedback FROM turns ORDER BY turn_index").fetchall()
    assert [prompt for prompt, _ in found] == ["Plan the week.", None, None, None]
    assert notes(ledger)["conversation_started"]["system"] == al.prompt("assistant")


def test_what_is_said_around_the_feedback_is_recorded(talk, ledger):
    """An iteration's number, and how many are left, belong to what the model was shown."""
    talk(step(task("a")), step(final=True), profile="assistant-iterative")
    (first, feedback), (second, _) = ledger.sql(
        "SELECT prompt, feedback FROM turns ORDER BY turn_index"
    ).fetchall()
    assert first == "Plan the week."
    assert second == f"What came of iteration 1:\n{feedback}\n\n{second.rsplit(chr(10), 1)[-1]}"
    assert "Iteration 2 of at most 20" in second


def test_a_recorded_conversation_runs_again_word_for_word(talk, ledger):
    """The strict replay compares every message with the recorded one, the loop's own words included."""
    ended, _ = talk(
        step({"type": "list_tasks"}), step(MISSING), PROSE, step(final=True), profile="assistant-iterative"
    )
    model = RecordedModel(ledger, ended.session_id, strict=True)
    with al.Runtime("assistant-iterative") as session:
        again = converse(session, model, "Plan the week.")
    assert (again.ending, len(again.turns)) == (Ending.FINAL, 4), again.message


def test_a_replay_of_another_request_diverges(talk, ledger):
    """The comparison can fail: it ends before anything is run."""
    ended, _ = talk(actions({"type": "list_tasks"}), PROSE)
    model = RecordedModel(ledger, ended.session_id, strict=True)
    with al.Runtime("assistant") as session:
        again = converse(session, model, "Plan the month.")
    assert (again.ending, again.turns) == (Ending.MODEL_FAILED, ())


def test_half_a_character_in_a_broken_response_is_recorded(talk, ledger):
    """A stream may break off anywhere, and a note takes what came."""
    half = Completion("caf\ud83d", None, None, "m", 1.0, {})
    talk(BrokenResponseError("The stream was cut off.", partial=half), PROSE)
    assert notes(ledger)["model_failed"]["partial"] == "caf\ufffd"


def test_an_empty_request_is_refused(talk):
    with pytest.raises(UsageError, match="empty"), al.Runtime("assistant") as session:
        converse(session, ScriptedModel([]), "  \n")


@pytest.mark.parametrize(
    "wrong", [{"turns": 0}, {"seconds": 0}, {"failures": 0}, {"broken": -1}, {"context": 0}]
)
def test_limits_that_no_conversation_fits_are_refused(wrong):
    with pytest.raises(UsageError, match=next(iter(wrong))):
        ConversationLimits(**wrong)
    assert ConversationLimits(turns=1, failures=1, broken=0, context=1000)


def test_any_profile_can_be_driven():
    """The loop knows no catalogue: the coder's actions come and go the same way."""
    model = ScriptedModel(["<read_file><path>nowhere.txt</path></read_file>", PROSE])
    with al.Runtime("coder", auto=True) as session:
        ended = converse(session, model, "Look.")
    assert ended.ending is Ending.ANSWERED
    assert ended.turns[0].observations[0].status is ExecutionStatus.FAILED


def test_the_iterative_reasoner_works_in_sessions_of_its_own(ledger, tmp_path):
    """What one request leaves in the workspace the next one finds; ten iterations are the document's measure."""
    model = ScriptedModel(
        [step(task("a"), final=True), step({"type": "list_tasks"}), step(final=True, reasoning="Done.")]
    )
    reasoner = IterativeReasoner(model=model, ledger=ledger, workspace=tmp_path / "w")
    first, second = reasoner.run("Make one."), reasoner.run("Which are there?")
    assert (first.ending, second.ending) == (Ending.FINAL, Ending.FINAL)
    assert second.turns[0].observations[0].result["tasks"][0]["content"] == "a"
    assert first.session_id != second.session_id
    assert ITERATION_LIMITS.turns == 10


def test_a_call_in_prose_is_no_answer():
    """The model is told how it is written, however often it is asked; nothing was done, so nobody calls it answered."""
    model = ScriptedModel(['I use {"type": "list_tasks", "limit": 5} here.'] * 9)
    conversation = al.converse(al.Runtime("assistant"), model, "What is open?")
    assert conversation.ending is Ending.FAILURES
    assert "Write it so:" in model.asked[1].messages[-1].content


def test_actions_that_were_only_shown_are_told_once():
    """They may be meant; a model that says so has answered."""
    shown = "```xml\n<create_directory>\n<path>docs</path>\n</create_directory>\n```"
    model = ScriptedModel([shown, "It was an example."])
    conversation = al.converse(al.Runtime("coder"), model, "How do I make a folder?")
    assert conversation.ending is Ending.ANSWERED
    assert "look like an example" in model.asked[1].messages[-1].content
    again = al.converse(al.Runtime("coder"), ScriptedModel([shown, shown]), "How do I make a folder?")
    assert again.ending is Ending.ANSWERED
