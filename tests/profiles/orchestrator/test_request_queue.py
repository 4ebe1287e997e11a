"""The plan keeps its history; a request is asked once and answered once."""

import pytest

from actionledger.core.errors import UsageError
from actionledger.profiles.orchestrator.request_queue import RequestQueue


@pytest.fixture
def request_queue(store):
    return RequestQueue(store)


def test_the_plan_keeps_its_history(request_queue):
    """Each version stays, with who wrote it; an action that runs twice writes one."""
    request_queue.plan("first", "2ic", "a")
    request_queue.plan("second", "eng-lead", "b")
    assert request_queue.plan("first", "2ic", "a").version == 1
    assert [(plan.version, plan.text, plan.layer) for plan in request_queue.plans()] == [
        (1, "first", "2ic"),
        (2, "second", "eng-lead"),
    ]


def test_a_request_waits_until_it_is_answered(request_queue):
    """It is asked once however often its action runs; the answer has its author."""
    asked = request_queue.ask("info", "Which database?", "We have two.", layer="2ic", origin="a")
    assert request_queue.ask("info", "Which database?", "We have two.", layer="2ic", origin="a") == asked
    request_queue.ask("review", "feature/x", "", layer="eng-lead", origin="b")
    assert [each.number for each in request_queue.requests(waiting=True)] == [1, 2]
    answered = request_queue.answer(1, "The second one.", by="ada")
    assert (answered.answer, answered.answered_by) == ("The second one.", "ada")
    assert answered.answered_at is not None
    assert [each.number for each in request_queue.requests(waiting=True)] == [2]
    assert [each.number for each in request_queue.requests("info")] == [1]


def test_an_answer_stands(request_queue):
    """A second one is refused, and so is one to nothing; the message names what waits."""
    request_queue.ask("info", "a?", "", layer="", origin="a")
    request_queue.ask("info", "b?", "", layer="", origin="b")
    request_queue.answer(1, "yes", by="ada")
    with pytest.raises(UsageError, match="request 1 waits for no answer; the numbers of those that do: 2"):
        request_queue.answer(1, "no", by="bob")
    with pytest.raises(UsageError, match="request 99"):
        request_queue.answer(99, "no", by="bob")
    assert request_queue.requests()[0].answer == "yes"


def test_an_empty_answer_is_none(request_queue):
    """It is refused, and the request goes on waiting."""
    request_queue.ask("info", "a?", "", layer="", origin="a")
    with pytest.raises(UsageError, match="no words"):
        request_queue.answer(1, " \n", by="ada")
    assert len(request_queue.requests(waiting=True)) == 1
