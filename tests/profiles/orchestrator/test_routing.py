"""Where a message goes."""

import pytest

from actionledger.core.values import Observation
from actionledger.core.vocabulary import ExecutionStatus
from actionledger.profiles.orchestrator.briefing import Route, route
from actionledger.profiles.orchestrator.layers import LAYERS


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
