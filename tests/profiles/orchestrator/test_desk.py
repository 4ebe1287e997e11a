"""The plan keeps its history; a request is asked once and answered once."""

import pytest

from actionledger.errors import UsageError
from actionledger.profiles.orchestrator.desk import Desk


@pytest.fixture
def desk(store):
    return Desk(store)


def test_the_plan_keeps_its_history(desk):
    """Each version stays, with who wrote it; an action that runs twice writes one."""
    desk.plan("first", "2ic", "a")
    desk.plan("second", "eng-lead", "b")
    assert desk.plan("first", "2ic", "a").version == 1
    assert [(plan.version, plan.text, plan.layer) for plan in desk.plans()] == [
        (1, "first", "2ic"),
        (2, "second", "eng-lead"),
    ]


def test_a_request_waits_until_it_is_answered(desk):
    """It is asked once however often its action runs; the answer has its author."""
    asked = desk.ask("info", "Which database?", "We have two.", layer="2ic", origin="a")
    assert desk.ask("info", "Which database?", "We have two.", layer="2ic", origin="a") == asked
    desk.ask("review", "feature/x", "", layer="eng-lead", origin="b")
    assert [each.number for each in desk.requests(waiting=True)] == [1, 2]
    answered = desk.answer(1, "The second one.", by="ada")
    assert (answered.answer, answered.answered_by) == ("The second one.", "ada")
    assert answered.answered_at is not None
    assert [each.number for each in desk.requests(waiting=True)] == [2]
    assert [each.number for each in desk.requests("info")] == [1]


def test_an_answer_stands(desk):
    """A second one is refused, and so is one to nothing; the message names what waits."""
    desk.ask("info", "a?", "", layer="", origin="a")
    desk.ask("info", "b?", "", layer="", origin="b")
    desk.answer(1, "yes", by="ada")
    with pytest.raises(UsageError, match="request 1 waits for no answer; the numbers of those that do: 2"):
        desk.answer(1, "no", by="bob")
    with pytest.raises(UsageError, match="request 99"):
        desk.answer(99, "no", by="bob")
    assert desk.requests()[0].answer == "yes"


def test_an_empty_answer_is_none(desk):
    """It is refused, and the request goes on waiting."""
    desk.ask("info", "a?", "", layer="", origin="a")
    with pytest.raises(UsageError, match="no words"):
        desk.answer(1, " \n", by="ada")
    assert len(desk.requests(waiting=True)) == 1
