"""From calls to ordered steps: who waits for whom, and what can't be ordered."""

from graphlib import TopologicalSorter
from typing import Any

import pytest
from effort import examples
from hypothesis import given, settings, strategies as st
from steps import steps

from actionledger.core.values import ActionCall, Reference, Span
from actionledger.core.vocabulary import ActionStatus, Reason
from actionledger.runtime.execution.plan import TurnPlan, build_plan


def call(*refers_to: str, status: ActionStatus = ActionStatus.VALID, **arguments: Any) -> ActionCall:
    """A call that refers to results of the actions of these ids."""
    references = tuple(Reference("field", name, "id") for name in refers_to)
    return ActionCall("act", arguments, status, Span(0, 1), "actions", 0, references=references)


def plan(*calls: ActionCall, **given: Any) -> TurnPlan:
    return build_plan(calls, **{"references": True} | given)


def order(planned: TurnPlan) -> list[int]:
    return [action.index for action in planned.actions]


def codes(planned: TurnPlan) -> dict[int, Reason]:
    return {action.index: action.issue.code for action in planned.actions if action.issue}


def test_without_dependencies_the_order_is_that_of_the_text():
    """Nothing is moved without need."""
    assert order(plan(call(), call(id="x"), call())) == [0, 1, 2]


def test_an_action_comes_behind_those_that_it_waits_for():
    """The others keep their order around it."""
    planned = plan(call(depends_on=["last"]), call(), call(id="last"))
    assert order(planned) == [1, 2, 0]
    assert {action.index: action.waits_for for action in planned.actions} == {0: (2,), 1: (), 2: ()}


def test_a_reference_is_a_dependency():
    """Whether it is listed as well or not, it counts once."""
    planned = plan(call(id="a"), call("a", "a", depends_on=["a"]))
    assert planned.actions[1].waits_for == (0,)


def test_an_action_without_an_id_goes_by_its_number():
    """Counted as the feedback counts: from 1, over all actions of the response."""
    refused = call(status=ActionStatus.INVALID)
    planned = plan(call(), refused, call("action_1", "action_2"))
    assert order(planned) == [0, 2]
    assert planned.actions[1].waits_for == (0, 1)


def test_an_action_with_an_id_goes_by_its_number_as_well():
    """Both name it: in a reference, and in ``depends_on``."""
    planned = plan(call(id="x"), call("action_1"), call("x", depends_on=["action_1", "action_2"]))
    assert codes(planned) == {}
    assert [action.waits_for for action in planned.actions] == [(), (0,), (0, 1)]


def test_an_id_that_looks_like_a_number_is_that_of_the_action_that_has_it():
    """Whether the one whose number it is has an id of its own or not."""
    for first in (call(), call(id="x")):
        planned = plan(first, call(id="action_1"), call("action_1"))
        assert planned.actions[2].waits_for == (1,)


@pytest.mark.parametrize(
    ("later", "refers"),
    [
        (call(id="b"), call("b")),
        (call(id="b"), call(depends_on=["b"])),
        (call(), call(depends_on=["action_2"])),
    ],
)
def test_what_is_said_plainly_may_point_forward(later, refers):
    """A given id anywhere, a number in ``depends_on``."""
    planned = plan(refers, later)
    assert (order(planned), codes(planned)) == ([1, 0], {})


def test_a_number_in_a_reference_may_not_point_forward():
    """It is a likely slip; the model is told which action it names."""
    planned = plan(call("action_2"), call())
    assert codes(planned) == {0: Reason.FORWARD_REFERENCE}
    assert "Action 1 (act) refers to action 2 (act)" in planned.issues[0].detail
    assert codes(plan(call("action_1"))) == {0: Reason.DEPENDENCY_CYCLE}


def test_an_id_that_nobody_has_is_an_issue():
    planned = plan(call(id="tea"), call(depends_on=["coffee"]), call())
    assert codes(planned) == {1: Reason.UNKNOWN_DEPENDENCY}
    (issue,) = planned.issues
    assert issue.detail == "Action 2 (act) refers to 'coffee'; the ids are: 'tea', 'action_2', 'action_3'."
    assert issue.span == Span(0, 1)


def test_the_first_of_two_keeps_an_id_and_nobody_can_mean_either():
    """The second and those that refer to the id are refused; what has nothing to do with it isn't."""
    planned = plan(call(id="x"), call(id="x"), call("x"), call())
    assert codes(planned) == {1: Reason.DUPLICATE_ID, 2: Reason.DUPLICATE_ID}
    assert "'x' is that of action 1 (act) and action 2 (act)" in planned.issues[0].detail


def test_a_cycle_refuses_those_that_are_in_it():
    """It names them all; those that wait for them wait for something that won't be done, and the others run."""
    planned = plan(
        call(id="a", depends_on=["c"]),
        call(id="b", depends_on=["a"]),
        call(id="c", depends_on=["b"]),
        call(depends_on=["c"]),
        call(),
    )
    assert codes(planned) == dict.fromkeys((0, 1, 2), Reason.DEPENDENCY_CYCLE)
    detail = planned.issues[0].detail
    assert "ction 1 (act) waits for action 3 (act)" in detail
    assert "ction 2 (act) waits for action 1 (act)" in detail
    assert "ction 3 (act) waits for action 2 (act)" in detail
    assert planned.actions[3].waits_for == (2,)
    assert order(planned) == [0, 1, 2, 3, 4]


def test_an_action_that_waits_for_itself_is_a_cycle():
    assert codes(plan(call(id="a", depends_on=["a"]))) == {0: Reason.DEPENDENCY_CYCLE}
    assert codes(plan(call("a", id="a"))) == {0: Reason.DEPENDENCY_CYCLE}


def test_illustrations_have_no_id():
    """What is shown as an example can't be referred to, and is not in the plan."""
    planned = plan(call(id="a", status=ActionStatus.ILLUSTRATION), call("a"))
    assert (order(planned), codes(planned)) == ([1], {1: Reason.UNKNOWN_DEPENDENCY})


def test_further_actions_than_the_limit_are_not_run():
    """They are in the plan, with an issue."""
    planned = plan(call(), call(), call(depends_on=["nobody"]), limit=2)
    assert (order(planned), codes(planned)) == ([0, 1, 2], {2: Reason.ACTION_LIMIT})


def test_where_actions_may_not_refer_to_each_other_an_id_is_a_field_like_others():
    """No dependency is seen, no id is twice."""
    planned = plan(call(id="x", depends_on=["y"]), call(id="x"), references=False)
    assert (order(planned), codes(planned)) == ([0, 1], {})


@settings(max_examples=examples(100))
@given(
    st.lists(st.lists(st.integers(0, 9).map(str), max_size=3), max_size=10).map(
        lambda rows: [call(id=str(place), depends_on=row) for place, row in enumerate(rows)]
    )
)
def test_any_plan_is_an_order(calls):
    """Every call is in it once, behind all that it waits for; what has no issue is in no cycle."""
    planned = build_plan(calls, references=True)
    assert sorted(order(planned)) == list(range(len(calls)))
    done: set[int] = set()
    for action in planned.actions:
        assert action.issue or set(action.waits_for) <= done
        done.add(action.index)
    TopologicalSorter({action.index: action.waits_for for action in planned.actions}).prepare()


def test_a_thousand_actions_in_circles_take_ten_times_what_a_hundred_do():
    """As many as a turn may have, two by two."""
    calls = [call(id=str(n), depends_on=[str(n ^ 1)]) for n in range(1000)]
    assert len(plan(*calls).issues) == 1000
    assert steps(lambda: plan(*calls)) < 12 * steps(lambda: plan(*calls[:100]))
