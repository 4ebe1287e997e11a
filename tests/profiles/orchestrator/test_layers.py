"""Which layers may execute what at once, what they cost, where a message goes, and what is asked of a person."""

import pytest

from actionledger.core.errors import UnknownNameError, UsageError
from actionledger.core.values import Observation
from actionledger.core.vocabulary import ExecutionStatus
from actionledger.profiles.orchestrator import ORCHESTRATOR
from actionledger.profiles.orchestrator.actions import CATALOGUE
from actionledger.profiles.orchestrator.briefing import Route, route
from actionledger.profiles.orchestrator.layers import AT_ONCE, LAYERS, TASKS, Price, in_order, policy_of
from actionledger.profiles.orchestrator.request_queue import RequestQueue
from actionledger.runtime.execution.approval import Verdict


def verdicts(layer: str | None) -> set[str]:
    """Return what a layer may execute at once; all else must be queued."""
    policy = policy_of(layer)
    found = {name: policy.rule_for(name, {}).verdict for name in CATALOGUE.names}
    assert set(found.values()) <= {Verdict.APPROVE, Verdict.ESCALATE}
    return {name for name, verdict in found.items() if verdict is Verdict.APPROVE}


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_executes_what_stands_in_its_row_and_queues_the_rest(layer):
    """The table decides, and nothing is refused outright."""
    assert verdicts(layer) == AT_ONCE[layer]


def test_the_table_is_about_these_layers_and_these_actions():
    """Each layer has its row and its task, and no row has a slip of the pen."""
    assert set(AT_ONCE) == set(TASKS) == set(LAYERS)
    assert frozenset().union(*AT_ONCE.values()) <= set(CATALOGUE.names)


def test_handing_work_to_the_runner_always_waits():
    """It spends money, and no layer does that by itself."""
    assert not any("invoke_cheenoski" in actions for actions in AT_ONCE.values())


def test_where_nobody_says_which_layer_only_what_all_may_is_done():
    """A session of the bare profile asks a person for whatever one of the layers would have to ask for."""
    assert (
        verdicts(None)
        == frozenset.intersection(*AT_ONCE.values())
        == {
            "request_info",
            "escalate",
            "request_review",
        }
    )
    assert ORCHESTRATOR.policy == policy_of(None)


def test_an_approval_holds_wherever_its_session_goes_on():
    """All layers have one version of the policy; another table has another."""
    versions = {policy_of(layer).version for layer in (None, *LAYERS)}
    assert len(versions) == 1
    changed = dict(AT_ONCE) | {"2ic": frozenset({"escalate"})}
    assert policy_of("2ic", changed).version not in versions


def test_an_unknown_layer_is_refused():
    """The message names those that there are."""
    with pytest.raises(UnknownNameError, match="Did you mean 'team-lead'"):
        policy_of("team-leed")
    with pytest.raises(UnknownNameError, match="There is no layer 'janitor'"):
        in_order(["2ic", "janitor"])
    with pytest.raises(UsageError, match="No layer has a model"):
        in_order([])
    with pytest.raises(UsageError, match="'2ic' is given twice"):
        in_order(["2ic", "team-lead", "2ic"])


def test_layers_are_put_in_order():
    """Whoever names them in another order gets the same cascade."""
    assert in_order(["team-lead", "2ic"]) == ("2ic", "team-lead")


@pytest.mark.parametrize("dollars", [-1.0, float("nan"), float("inf")])
def test_a_price_is_a_number_from_0(dollars):
    """A cost that is none would make every sum of costs one."""
    with pytest.raises(UsageError, match="numbers from 0"):
        Price(1.0, dollars)


def done(name, result=None, status=ExecutionStatus.SUCCEEDED):
    return Observation("e", 0, name, status, result=result)


ESCALATED = done("escalate", {"handed_to": "above"})
ASKED = done("request_info", {"request": 4, "state": "waits for an answer"})


@pytest.mark.parametrize(
    ("layer", "observations", "expected"),
    [
        ("2ic", [], Route("eng-lead", "eng-lead")),
        ("eng-lead", [done("update_plan")], Route("team-lead", "team-lead")),
        ("team-lead", [done("create_issues")], Route("ceo", None)),
        ("eng-lead", [ESCALATED], Route("2ic", "2ic")),
        ("team-lead", [done("update_plan"), ESCALATED], Route("eng-lead", "eng-lead")),
        ("2ic", [done("escalate", {"request": 1})], Route("ceo", "2ic", (1,))),
        ("eng-lead", [ASKED], Route("ceo", "eng-lead", (4,))),
        ("eng-lead", [ASKED, ESCALATED], Route("ceo", "eng-lead", (4,))),
        ("eng-lead", [done("request_review", {"request": 2})], Route("team-lead", "team-lead")),
        ("eng-lead", [done("escalate", None, ExecutionStatus.DENIED)], Route("team-lead", "team-lead")),
        ("eng-lead", [done("escalate", None, ExecutionStatus.PENDING)], Route("team-lead", "team-lead")),
        ("2ic", [done("request_info", None, ExecutionStatus.DRY_RUN)], Route("eng-lead", "eng-lead")),
    ],
)
def test_a_message_goes_down_unless_its_layer_escalates_or_asks(layer, observations, expected):
    """Down to the person at the end; up for what succeeded in escalating; to the person and back for a question."""
    assert route(LAYERS, layer, observations) == expected


def test_one_layer_alone_answers_the_person():
    """It is the first and the last."""
    assert route(("eng-lead",), "eng-lead", []) == Route("ceo", None)


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
