"""Two runs over the same turns, counted by hand."""

import pytest

from actionledger.core.errors import UsageError
from actionledger.core.ids import derived_id
from actionledger.core.rates import Clustering, Rate
from actionledger.core.vocabulary import Outcome
from actionledger.ledger import queries

ONE = derived_id("session", "one")
TWO = derived_id("session", "two")
LIVE = derived_id("run", "live")
AGAIN = derived_id("run", "again")
ALONE = derived_id("run", "alone")


def test_counts_pairs_by_what_changed(world: queries.Queryable) -> None:
    """One turn each is the same, recovered, lost, changed, and meant by neither; success is over the four that mean to act."""
    found = queries.compare_runs(world, LIVE, AGAIN)
    assert found.counts == {
        "same": 1,
        "recovered": 1,
        "lost": 1,
        "newly_rejected": 0,
        "newly_accepted": 0,
        "changed_actions": 0,
        "changed_arguments": 1,
        "newly_intent": 0,
        "no_longer_intent": 0,
        "no_intent": 1,
    }
    assert (found.pairs, found.intent) == (5, 4)
    assert (found.before, found.after) == (Rate(3, 4), Rate(3, 4))
    assert found.net == Clustering(sessions=2, sizes=9 + 1, totals=1 + 1, products=3 - 1)
    assert found.shifts == {1: 1, -1: 1}
    assert (found.unpaired_before, found.unpaired_after) == (5, 0)


def test_names_the_turns_of_each_bucket(world: queries.Queryable) -> None:
    """Every bucket leads to its turns."""
    found = queries.compare_runs(world, LIVE, AGAIN).turns
    named = {
        bucket: {(turn.session_id, turn.turn_index) for turn in turns} for bucket, turns in found.items()
    }
    assert named == {
        "same": {(ONE, 0)},
        "recovered": {(ONE, 2)},
        "lost": {(TWO, 1)},
        "newly_rejected": set(),
        "newly_accepted": set(),
        "changed_actions": set(),
        "changed_arguments": {(ONE, 1)},
        "newly_intent": set(),
        "no_longer_intent": set(),
        "no_intent": {(ONE, 3)},
    }
    assert (found["lost"][0].before, found["lost"][0].after) == (Outcome.CLEAN, Outcome.FAILED)


def test_the_other_way_round_swaps_recovered_and_lost(world: queries.Queryable) -> None:
    """Before and after are not the same."""
    found = queries.compare_runs(world, AGAIN, LIVE)
    assert (found.turns["recovered"][0].session_id, found.turns["lost"][0].session_id) == (TWO, ONE)


def test_limit_is_on_the_lists_and_not_on_the_counts(world: queries.Queryable) -> None:
    """Counts are of all turns."""
    found = queries.compare_runs(world, LIVE, AGAIN, limit=0)
    assert found.turns["same"] == ()
    assert found.counts["same"] == 1


def test_refuses_runs_that_share_no_turn(world: queries.Queryable) -> None:
    """What doesn't pair is refused with the numbers, not compared."""
    with pytest.raises(UsageError, match=r"has read 5 turns and run .* 0, none of them the same"):
        queries.compare_runs(world, AGAIN, ALONE)
    with pytest.raises(UsageError, match="'latest' is not a run's id"):
        queries.compare_runs(world, LIVE, "latest")


def test_turns_of_buckets_and_of_a_session_are_listed(world: queries.Queryable) -> None:
    """By default what has changed, in order; one bucket, one session and a page narrow it down, whichever run comes first."""
    changed = queries.compared_turns(world, LIVE, AGAIN)
    assert [(turn.session_id, turn.turn_index, turn.bucket) for turn in changed] == sorted(
        [(ONE, 1, "changed_arguments"), (ONE, 2, "recovered"), (TWO, 1, "lost")]
    )
    assert queries.compared_turns(world, LIVE, AGAIN, limit=1, offset=1) == changed[1:2]
    lost = queries.compared_turns(world, LIVE, AGAIN, buckets=("lost",))
    assert [(turn.session_id, turn.turn_index) for turn in lost] == [(TWO, 1)]
    here = queries.compared_turns(world, LIVE, AGAIN, session_id=ONE)
    assert [turn.turn_index for turn in here] == [1, 2]
    assert [turn.turn_index for turn in queries.compared_turns(world, AGAIN, LIVE, session_id=ONE)] == [1, 2]
    assert queries.compared_turns(world, LIVE, AGAIN, session_id="no session") == []
    with pytest.raises(UsageError, match="not a run's id"):
        queries.compared_turns(world, LIVE, "no run")
