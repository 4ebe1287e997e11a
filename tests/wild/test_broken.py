"""What was broken on purpose is read as it was meant, or not at all: calls in all dialects, and plain JSON."""

import json
import math
from collections import Counter

import pytest
from wild.broken_calls import broken_calls, outcome
from wild.broken_json import FAULTS, broken_texts, readings

import actionledger as al

PARTS = ("train", "held-out")
MOST_WRONG = 0.01
"""The share of the calls that may run otherwise than they were meant."""

LEAST_RIGHT = 0.5
LEAST_READ = {"careful": 0.85, "likelier": 0.9}
MOST_OTHERWISE = {"careful": 0.015, "likelier": 0.05}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("is_auto", [False, True], ids=["its dialect", "auto"])
def test_a_broken_call_runs_as_it_was_meant_or_not_at_all(part, is_auto):
    """Of the texts, every third one; ``python -m wild.broken_calls`` reads all."""
    texts = list(broken_calls(part, seed=1, each=1))[is_auto::3]
    found = [(each, *outcome(each, auto=is_auto)) for each in texts]
    wrong = [(each, runs) for each, kind, runs in found if kind == "wrong"]
    assert len(wrong) <= math.ceil(MOST_WRONG * len(found)), wrong
    assert len([kind for _, kind, _ in found if kind == "right"]) >= LEAST_RIGHT * len(found)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("manner", LEAST_READ)
def test_broken_json_is_read_as_it_was_meant_or_refused(part, manner):
    counts = Counter(kind for _, kind in readings(part, seed=1, each=1, manner=manner))
    assert counts["exact"] >= LEAST_READ[manner] * counts.total(), counts
    assert counts["wrong"] <= MOST_OTHERWISE[manner] * counts.total(), counts


def test_what_is_broken_is_no_json():
    texts = [*broken_texts(seed=1, each=1)]
    assert len({each.combination.split(" / ")[0] for each in texts}) >= len(FAULTS)
    for each in texts:
        with pytest.raises(json.JSONDecodeError):
            json.loads(each.text)


def test_a_text_that_nothing_was_done_to_is_read_as_it_is():
    for each in broken_texts(seed=2, each=1):
        assert al.decode(json.dumps(each.meant)).value == each.meant
