"""What is said of profiles' references without loading them is what they say."""

import pytest

from actionledger.replay.loop import _OF_TOOLKIT, takes_references
from actionledger.runtime.execution.registry import PROFILES, TOOLKIT


@pytest.mark.parametrize("name", [entry.name for entry in TOOLKIT])
def test_the_toolkits(name: str) -> None:
    assert _OF_TOOLKIT[name] == takes_references(name) == PROFILES[name].catalogue.references


def test_no_others_are_listed() -> None:
    assert set(_OF_TOOLKIT) == {entry.name for entry in TOOLKIT}


def test_one_that_nobody_knows_has_none() -> None:
    assert not takes_references("")
    assert not takes_references("nobody's")
