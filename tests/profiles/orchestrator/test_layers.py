"""Which layers may execute what at once."""

import pytest

from actionledger.core.errors import UnknownNameError, UsageError
from actionledger.profiles.orchestrator import ORCHESTRATOR
from actionledger.profiles.orchestrator.actions import CATALOGUE
from actionledger.profiles.orchestrator.layers import AT_ONCE, LAYERS, TASKS, in_order, policy_of
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
