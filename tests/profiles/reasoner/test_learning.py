"""What recorded sessions teach, and what sets the reasoner off."""

from datetime import UTC, datetime

import pytest

import actionledger as al
from actionledger.core.rates import Rate
from actionledger.profiles.reasoner import suggestions

from .conftest import plan

WORKS = ("think", "x")
FAILS = ("remove_goal", "#9")


@pytest.fixture
def sessions(ledger):
    """Records sessions of one plan each."""

    def record(times, *actions, profile="reasoner"):
        for _ in range(times):
            with al.Runtime(profile, ledger=ledger) as runtime:
                runtime.handle(plan(*actions))

    return record


def test_a_pair_that_fails_often_is_named(ledger, sessions):
    """With how often it failed there and elsewhere, and in words."""
    sessions(12, WORKS, FAILS)
    (found,) = suggestions(ledger)
    assert (found.before, found.action, found.failures) == ("think", "remove_goal", Rate(12, 12))
    assert str(found).startswith("After think, remove_goal failed 12 of 12 times (95 % interval 76% to 100%;")


def test_a_pair_below_the_minimum_is_not_named(ledger, sessions):
    """Eleven of eleven are too few where twelve are asked for."""
    sessions(11, WORKS, FAILS)
    assert suggestions(ledger, minimum=12) == []
    assert len(suggestions(ledger, minimum=11)) == 1


def test_what_comes_of_too_few_sessions_is_not_named(ledger, sessions):
    """One session that fails over and over says nothing of the next one."""
    sessions(1, *[WORKS, FAILS] * 12)
    assert suggestions(ledger, minimum=2) == []


def test_a_pair_that_fails_no_more_than_elsewhere_is_not_named(ledger, sessions):
    """An action that always fails is not the fault of what stands before it."""
    sessions(10, WORKS, FAILS)
    sessions(10, ("speak", "x"), FAILS)
    assert suggestions(ledger) == []


def test_other_profiles_are_left_out(ledger, sessions):
    """A profile learns from its own sessions."""
    sessions(10, WORKS, FAILS)
    assert suggestions(ledger, profile="coder") == []


def test_actions_of_different_sessions_are_no_pair(ledger, sessions):
    for _ in range(12):
        sessions(1, WORKS)
        sessions(1, FAILS)
    assert suggestions(ledger) == []


def test_what_set_it_off_is_recorded_with_its_time(reasoner, ledger):
    """The turn holds what happened and when, UTC without a zone."""
    before = datetime.now(UTC).replace(tzinfo=None)
    list(reasoner(plan(), ledger=ledger).process("It rains."))
    [(prompt, occurred_at)] = ledger.sql("SELECT prompt, occurred_at FROM turns").fetchall()
    assert "It rains." in prompt
    assert before <= occurred_at <= datetime.now(UTC).replace(tzinfo=None)
