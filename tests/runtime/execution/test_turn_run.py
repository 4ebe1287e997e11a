"""The actions of one turn: dependencies, references, the policy, the limits, dry runs, side by side."""

import json
from datetime import datetime
from threading import Barrier
from typing import Any, ClassVar, Literal

import pytest
from pydantic import Field

from actionledger.actions.catalogue import Action, Arguments, Catalogue
from actionledger.core.errors import ActionError
from actionledger.core.events import ApprovalDecided, ApprovalRequested, SystemNoted
from actionledger.core.vocabulary import DecisionKind, ExecutionStatus, Reason
from actionledger.reading.parsers import parser_for
from actionledger.runtime.execution.approval import Policy, Rule, Verdict
from actionledger.runtime.execution.handlers import Handlers
from actionledger.runtime.execution.limits import Limits, LocalCounter, RateLimit
from actionledger.runtime.execution.profile import ActionSettings, ExecutionSettings, Profile

NOON = datetime.fromisoformat("2026-05-04T12:00:00")
RUN_ALL = Policy((("*", Verdict.APPROVE),))
S, F, K, P = (
    ExecutionStatus.SUCCEEDED,
    ExecutionStatus.FAILED,
    ExecutionStatus.SKIPPED,
    ExecutionStatus.PENDING,
)


class Make(Action):
    """Make something."""

    example: ClassVar[Arguments] = {"what": "tea"}
    type: Literal["make"]
    id: str | None = None
    depends_on: list[str] = Field(default=[])
    what: str = Field(min_length=1)
    number: int = Field(default=0, ge=0)


class Break(Action):
    """Break something: it always fails."""

    example: ClassVar[Arguments] = {}
    type: Literal["break"]
    id: str | None = None
    depends_on: list[str] = Field(default=[])


CATALOGUE = Catalogue("workshop", (Make, Break), references=True)


class Workshop:
    """Handlers that note what they made, and the profile around them."""

    def __init__(self) -> None:
        self.made: list[tuple[str, int]] = []

    def make(self, action: Make, _context: object) -> dict[str, Any]:
        self.made.append((action.what, action.number))
        return {"number": len(self.made), "what": action.what, "parts": ["a", {"b": 5}]}

    def fail(self, _action: Break, _context: object) -> None:
        raise ActionError(Reason.NOT_FOUND, "There is nothing to break.")

    def profile(self, **given: Any) -> Profile:
        handlers = Handlers({"make": self.make, "break": self.fail})
        values = {"policy": RUN_ALL, "handlers": lambda _workspace: handlers} | given
        return Profile("workshop", parser_for(("actions",)), CATALOGUE, **values)


@pytest.fixture
def workshop() -> Workshop:
    return Workshop()


@pytest.fixture
def act(session, workshop):
    """Handles one response of these actions; what the profile and the session are made of can be given."""

    def run(*actions: dict[str, Any], profile: dict[str, Any] | None = None, **given: Any):
        running = session(profile=workshop.profile(**profile or {}), **given)
        return running.handle(block(*actions), occurred_at=NOON)

    return run


def block(*actions: dict[str, Any]) -> str:
    return f"```actions\n{json.dumps({'actions': list(actions)})}\n```"


def make(what: str = "tea", **given: Any) -> dict[str, Any]:
    return {"type": "make", "what": what} | given


def fail(**given: Any) -> dict[str, Any]:
    return {"type": "break"} | given


def fates(turn) -> list[tuple[int, ExecutionStatus, Reason | None]]:
    return [(each.action_index, each.status, each.reason) for each in turn.observations]


def test_actions_run_in_the_order_of_the_plan(act, workshop):
    turn = act(make("second", depends_on=["x"]), make("first", id="x"))
    assert workshop.made == [("first", 0), ("second", 0)]
    assert fates(turn) == [(1, S, None), (0, S, None)]


def test_references_are_filled_in_and_keep_their_type(act, workshop, events):
    """In both spellings; what an action ran with is in the record where it isn't what was written."""
    turn = act(
        make("pot"),
        make("${action_1.what} of tea", number="${action_1.number}"),
        {"type": "make", "what": "cup", "number_from": "action_1.parts.1.b"},
    )
    assert workshop.made == [("pot", 0), ("pot of tea", 1), ("cup", 5)]
    assert fates(turn) == [(0, S, None), (1, S, None), (2, S, None)]
    ran_with = [event.arguments for event in events if event.kind == "execution_started"]
    assert ran_with[0] is None
    assert json.loads(ran_with[1]) == {"what": "pot of tea", "number": 1}
    assert json.loads(ran_with[2]) == {"what": "cup", "number": 5}


def test_what_depends_on_a_failure_is_skipped_and_the_rest_goes_on(act, workshop):
    """All the way down, each with the name of the cause."""
    turn = act(
        fail(id="a"),
        make("b", id="b", depends_on=["a"]),
        make("c", depends_on=["b"]),
        make("free"),
    )
    assert fates(turn) == [
        (0, F, Reason.NOT_FOUND),
        (1, K, Reason.DEPENDENCY_FAILED),
        (2, K, Reason.DEPENDENCY_FAILED),
        (3, S, None),
    ]
    assert workshop.made == [("free", 0)]
    _, first, second, _ = turn.observations
    assert first.message == "Action 1 (break) ended as failed, and this one depends on it."
    assert "by way of action 2 (make)" in second.message
    assert second.message.startswith("Action 1 (break)")


def test_what_depends_on_a_refused_action_is_skipped(act):
    """A refused action is as good as a failed one."""
    turn = act({"type": "make", "id": "a"}, make(depends_on=["a"]))
    assert fates(turn) == [(1, K, Reason.DEPENDENCY_FAILED)]
    assert "was refused" in turn.observations[0].message


@pytest.mark.parametrize(
    ("value", "reason", "words"),
    [
        ("${action_1.nothing}", Reason.UNRESOLVED_REFERENCE, "number, what, parts"),
        ("${action_1.what}", Reason.REFUSED_ARGUMENTS, "wrong type"),
        ("${action_9.what}", Reason.UNKNOWN_DEPENDENCY, "action_9"),
    ],
)
def test_a_reference_that_cannot_be_filled_in_is_an_outcome_of_its_own(act, workshop, value, reason, words):
    """The action isn't run, and the model learns why."""
    turn = act(make("pot"), make(number=value))
    assert fates(turn) == [(0, S, None), (1, K, reason)]
    assert words in turn.observations[1].message
    assert workshop.made == [("pot", 0)]


def test_filled_in_arguments_are_checked_again(act):
    """The field errors come with the observation."""
    turn = act(make("pot"), make(number="${action_1.what}"))
    (error,) = turn.observations[1].errors
    assert (error.path, error.code, error.value) == ("number", Reason.WRONG_TYPE, '"pot"')


def test_the_turn_says_what_is_wrong_with_its_plan(act):
    """A cycle is an issue with a place, and an observation for each action in it."""
    turn = act(make(id="a", depends_on=["b"]), make(id="b", depends_on=["a"]), make())
    assert [issue.code for issue in turn.issues] == [Reason.DEPENDENCY_CYCLE] * 2
    assert [each.status for each in turn.observations] == [K, K, S]
    assert "waits for" in turn.feedback


def test_a_rule_may_change_what_is_run(act, workshop, events):
    """The change is checked, run and recorded with who, why, before and after."""
    rule = Rule("make", Verdict.MODIFY, changes={"number": 7}, why="Seven is the house's number.")
    turn = act(make("tea", number=1), profile={"policy": Policy((rule,))})
    assert workshop.made == [("tea", 7)]
    assert fates(turn) == [(0, S, None)]
    (asked,) = (event for event in events if isinstance(event, ApprovalRequested))
    (decided,) = (event for event in events if isinstance(event, ApprovalDecided))
    assert json.loads(asked.arguments) == {"what": "tea", "number": 1}
    assert json.loads(decided.changed_arguments) == {"what": "tea", "number": 7}
    assert (decided.decision, decided.decided_by, decided.why) == (
        DecisionKind.MODIFIED,
        "policy",
        "Seven is the house's number.",
    )
    assert decided.decided_hash == asked.content_hash


def test_a_change_that_is_not_valid_is_not_run(act, workshop):
    """A rule can't get past the action's model."""
    rule = Rule("make", Verdict.MODIFY, changes={"number": -1})
    turn = act(make(), profile={"policy": Policy((rule,))})
    assert fates(turn) == [(0, K, Reason.REFUSED_ARGUMENTS)]
    assert workshop.made == []


def test_the_policy_sees_what_is_run(act, workshop):
    """Conditions are about the arguments with their references filled in."""
    policy = Policy((Rule("make", Verdict.REJECT, {"what": "bomb"}, why="No."), ("make", Verdict.APPROVE)))
    turn = act(make("bom"), make("${action_1.what}b"), profile={"policy": policy})
    assert fates(turn)[1] == (1, ExecutionStatus.DENIED, Reason.NOT_APPROVED)
    assert turn.observations[1].message.endswith(
        'in this session. No. The rule: reject make where what = "bomb".'
    )
    assert workshop.made == [("bom", 0)]


def test_a_rule_is_asked_about_what_an_action_leaves_out(act, workshop):
    """A field that is not given has its default, for a rule as for the handler."""
    policy = Policy((Rule("make", Verdict.REJECT, {"number": "0"}), ("make", Verdict.APPROVE)))
    turn = act(make("bolt"), profile={"policy": policy})
    assert fates(turn) == [(0, ExecutionStatus.DENIED, Reason.NOT_APPROVED)]
    assert workshop.made == []


def test_what_a_rule_may_be_about_waits_in_an_automatic_session_too(act, workshop):
    """Its message names the rule."""
    policy = Policy((Rule("make", Verdict.REJECT, {"what": "bomb"}, why="No."), ("make", Verdict.ESCALATE)))
    turn = act(make("BOMB"), make("bolt"), profile={"policy": policy}, auto=True)
    assert fates(turn) == [(0, ExecutionStatus.PENDING, Reason.NOT_APPROVED), (1, S, None)]
    assert 'reject make where what = "bomb"' in turn.observations[0].message


def test_rates_hold_over_a_sliding_window(act, session, workshop):
    """What is too much is told when to come back; later there is room again."""
    now = [0.0]
    limited = workshop.profile(limits=Limits(rates=(("make", RateLimit(2, 60)),)))
    running = session(profile=limited, counter=LocalCounter(lambda: now[0]))
    turn = running.handle(block(make(), make(), make(), fail()), occurred_at=NOON)
    limited_fate = (2, ExecutionStatus.RATE_LIMITED, Reason.RATE_LIMIT)
    assert fates(turn) == [(0, S, None), (1, S, None), limited_fate, (3, F, Reason.NOT_FOUND)]
    assert turn.observations[2].message == "Rate limit exceeded for make: 2 per 60 s; try again in 60 s."
    now[0] = 59.9
    assert fates(running.handle(block(make()), occurred_at=NOON))[0][1] is ExecutionStatus.RATE_LIMITED
    now[0] = 60.0
    assert fates(running.handle(block(make()), occurred_at=NOON))[0][1] is S


def test_the_same_failing_action_ten_times(act, events):
    """After five in a row the rest is skipped, and a reviewer sees it."""
    turn = act(*[fail()] * 10)
    assert fates(turn) == [(n, F, Reason.NOT_FOUND) for n in range(5)] + [
        (n, K, Reason.FAILURE_LIMIT) for n in range(5, 10)
    ]
    (note,) = (event for event in events if isinstance(event, SystemNoted) and event.code == "failure_limit")
    assert (note.code, note.detail, note.turn_id) == ("failure_limit", {"skipped": 5}, turn.turn_id)
    assert "5 actions in a row failed" in note.message


def test_a_success_makes_up_for_failures(act):
    turn = act(*[fail(), fail(), make()] * 4, profile={"limits": Limits(failures_per_turn=3)})
    assert Reason.FAILURE_LIMIT not in {each.reason for each in turn.observations}


def test_failures_of_several_turns_end_the_session(session, workshop):
    """Turn by turn it would never stop."""
    running = session(profile=workshop.profile(limits=Limits(failures_per_turn=5, failures_per_session=4)))
    turns = [running.handle(block(fail(), fail()), occurred_at=NOON) for _ in range(3)]
    assert [each.status for turn in turns for each in turn.observations] == [F, F, F, F, K, K]


def test_more_actions_than_a_turn_may_have_are_skipped(act, workshop):
    """The first ones run."""
    turn = act(*[make()] * 4, profile={"limits": Limits(actions_per_turn=2)})
    assert fates(turn)[2:] == [(2, K, Reason.ACTION_LIMIT), (3, K, Reason.ACTION_LIMIT)]
    assert len(workshop.made) == 2


def test_a_dry_run_does_nothing_and_says_what_it_would_do(act, workshop):
    """The policy holds; rates are not used up; references can't be known."""
    policy = Policy((Rule("make", Verdict.ESCALATE, {"what": "fire"}), ("make", Verdict.APPROVE)))
    turn = act(
        make(), make("${action_1.what}"), make("fire"), fail(), profile={"policy": policy}, dry_run=True
    )
    assert [each.status for each in turn.observations] == [ExecutionStatus.DRY_RUN] * 3 + [
        ExecutionStatus.DENIED
    ]
    assert "would run make" in turn.observations[0].message
    assert "would wait for approval" in turn.observations[2].message
    assert turn.observations[2].reason is Reason.NOT_APPROVED
    assert workshop.made == []


def test_a_dry_run_says_what_would_wait_and_what_would_wait_with_it(act, workshop, events):
    """As it would be for real; nobody is asked, and what it would give is shown all the same."""
    policy = Policy((Rule("make", Verdict.ESCALATE, {"what": "fire"}), ("make", Verdict.APPROVE)))
    handlers = Handlers(
        {"make": workshop.make}, previews={"make": lambda action, _: {"would_make": action.what}}
    )
    profile = {"policy": policy, "handlers": lambda _workspace: handlers}
    turn = act(
        make("fire", id="a"), make("tea", depends_on=["a"]), make("ice"), profile=profile, dry_run=True
    )
    assert [(each.reason, each.result) for each in turn.observations] == [
        (Reason.NOT_APPROVED, {"would_make": "fire"}),
        (Reason.DEPENDENCY_WAITS, {"would_make": "tea"}),
        (None, {"would_make": "ice"}),
    ]
    assert "It would wait with" in turn.observations[1].message
    assert not any(isinstance(event, ApprovalRequested) for event in events)
    assert turn.feedback.count("nothing was done") == 3


def test_a_preview_describes_what_its_handler_would_do(session, workshop):
    """It gets the same model and context, and a failure is told as one."""

    def preview(action: Make, context: Any) -> dict[str, object]:
        if action.what == "gold":
            raise ActionError(Reason.NOT_FOUND, "There is no philosopher's stone.")
        return {"would_make": action.what, "dry": context.dry_run}

    handlers = Handlers({"make": workshop.make}, previews={"make": preview})
    profile = workshop.profile(handlers=lambda _workspace: handlers)
    turn = session(profile=profile, dry_run=True).handle(block(make(), make("gold")), occurred_at=NOON)
    first, second = turn.observations
    assert first.result == {"would_make": "tea", "dry": True}
    assert second.message == "It would fail. There is no philosopher's stone."


def test_independent_actions_run_side_by_side_where_the_profile_allows_it(session, workshop, events):
    """Two meet, though neither could finish alone; the third waits for them; events stay in order."""
    both = Barrier(2, timeout=120)

    def meet(action: Make, context: object) -> dict[str, Any]:
        if action.number:
            both.wait()
        return workshop.make(action, context)

    profile = workshop.profile(
        handlers=lambda _workspace: Handlers({"make": meet}),
        execution_settings=ExecutionSettings((), ActionSettings(parallel=True)),
        workers=4,
    )
    actions = (make("a", id="a", number=1), make("b", number=2), make("c", depends_on=["a"]))
    turn = session(profile=profile).handle(block(*actions), occurred_at=NOON)
    assert fates(turn) == [(0, S, None), (1, S, None), (2, S, None)]
    assert workshop.made[2] == ("c", 0)
    kinds = [event.kind.removeprefix("execution_") for event in events[2:-1]]
    assert kinds == ["started", "started", "finished", "finished", "started", "finished"]


def test_what_is_not_safe_beside_others_runs_alone(session, workshop, events):
    profile = workshop.profile(
        execution_settings=ExecutionSettings((), ActionSettings(parallel=False)), workers=4
    )
    session(profile=profile).handle(block(make(), make()), occurred_at=NOON)
    kinds = [event.kind.removeprefix("execution_") for event in events[2:-1]]
    assert kinds == ["started", "finished"] * 2


def test_what_depends_on_something_that_waits_waits_too(act, workshop):
    """It isn't lost; what is free goes on."""
    policy = Policy((Rule("make", Verdict.ESCALATE, {"what": "fire"}), ("*", Verdict.APPROVE)))
    turn = act(make("fire", id="a"), make("toast", depends_on=["a"]), make(), profile={"policy": policy})
    assert fates(turn) == [(0, P, Reason.NOT_APPROVED), (1, P, Reason.DEPENDENCY_WAITS), (2, S, None)]
    assert workshop.made == [("tea", 0)]


def test_each_execution_has_one_start_and_one_end(act, events):
    """Whether it ran, failed or was withheld."""
    act(make(), fail(), make(number="${action_1.x}"), make(depends_on=["action_2"]))
    starts = [event.execution_id for event in events if event.kind == "execution_started"]
    ends = [event.execution_id for event in events if event.kind == "execution_finished"]
    assert starts == ends
    assert len(set(starts)) == 4


def test_a_call_with_references_and_no_policy_is_not_run(act, workshop):
    """No rule means reject, for filled-in actions as for others."""
    turn = act(make(), make(number="${action_1.number}"), profile={"policy": Policy(())})
    assert {each.status for each in turn.observations} == {ExecutionStatus.DENIED, K}
    assert workshop.made == []
