"""What stands beside the actions of a block: true and false in other words are taken as meant, and said; anything else is told."""

import json

import pytest

import actionledger as al
from actionledger.core.vocabulary import Reason
from actionledger.profiles.reasoner import sequence_of
from actionledger.runtime.agent.endings import says_final


def step(value):
    return al.parse(f'```iteration\n{{"next_actions": [], "is_final": {json.dumps(value)}}}\n```', profile="assistant-iterative")  # fmt: skip


def plan(value):
    text = f'```json\n{{"actions": [{{"action": "think", "context": "x"}}], "can_extend": {json.dumps(value)}}}\n```'
    return al.parse(text, profile="reasoner")


@pytest.mark.parametrize(
    ("value", "truth", "said"),
    [
        (True, True, []),
        (False, False, []),
        (None, False, []),
        *((value, True, [Reason.CONVERTED]) for value in ("true", "True", 1, "1")),
        *((value, False, [Reason.CONVERTED]) for value in ("false", 0, "")),
        *((value, False, [Reason.WRONG_TYPE]) for value in ("yes", "maybe", 7, [], {"really": True})),
    ],
)
def test_a_flag_says_what_it_says(value, truth, said):
    """For the end of a loop and for a plan that goes on alike."""
    assert says_final(step(value)) is truth
    assert sequence_of(plan(value)).can_extend is truth
    assert [issue.code for issue in step(value).issues] == said
    assert [issue.code for issue in plan(value).issues] == said


def test_a_last_step_without_a_list_is_one():
    """Also where its truth is written in another way."""
    result = al.parse('```iteration\n{"is_final": "true"}\n```', profile="assistant-iterative")
    assert says_final(result)
    with al.Runtime("assistant-iterative") as session:
        assert "'is_final' is \"maybe\"" in session.handle(step("maybe").text).feedback
