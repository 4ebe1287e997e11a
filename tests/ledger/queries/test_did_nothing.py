"""How many responses did nothing: as SQL counts them, as the list that their number opens, and never within an outcome."""

import pytest

from actionledger.errors import UsageError
from actionledger.ledger import queries
from actionledger.ledger.queries import Filter, Mark
from actionledger.ledger.queries.stages import DID_NOTHING
from actionledger.vocabulary import Outcome


def test_is_every_first_reading_that_gave_no_action(world: queries.Queryable) -> None:
    """Two that could not be read, one that holds none, an empty one; one that says so by itself has done what it says."""
    found = queries.did_nothing(world)
    assert (found.rate.successes, found.rate.count, found.sessions) == (4, 10, 3)
    assert found.outcomes == {Outcome.FAILED: 2, Outcome.NO_ACTION: 1, Outcome.EMPTY: 1}
    assert [words for _, words in found.parts] == [
        "none that could be read in 2",
        "no action in 1",
        "no text in 1",
    ]
    assert found.rate.clustering is not None
    assert (found.rate.clustering.sessions, found.rate.interval) == (3, None)


@pytest.mark.parametrize("within", [Filter(), Filter(models=("small",)), Filter(profiles=("assistant",))])
def test_is_what_plain_sql_counts_and_what_its_links_list(world: queries.Queryable, within: Filter) -> None:
    """Responses and sessions, of all and of a part; each outcome's number is that of its turns."""
    found = queries.did_nothing(world, within)
    plain = """
        SELECT count(*) FILTER (idle), count(*), count(DISTINCT session_id) FILTER (idle)
        FROM (SELECT *, outcome IN ('failed', 'no_action', 'empty') AS idle FROM parse_attempts
              WHERE run_kind = 'live' AND model LIKE $model AND profile LIKE $profile)"""
    named = {"model": (within.models or ("%",))[0], "profile": (within.profiles or ("%",))[0]}
    assert world.sql(plain, named).fetchall() == [(found.rate.successes, found.rate.count, found.sessions)]
    assert queries.count_turns_behind(world, within, DID_NOTHING) == found.rate.successes
    for outcome, count in found.outcomes.items():
        assert queries.count_turns_behind(world, within, Mark(outcomes=(str(outcome),))) == count


def test_is_no_share_of_an_outcome_or_of_nothing(world: queries.Queryable, empty: queries.Queryable) -> None:
    """Within its own outcome it would be a rate of itself; where there is no response there is none."""
    with pytest.raises(UsageError):
        queries.did_nothing(world, Filter(outcomes=("failed",)))
    found = queries.did_nothing(empty)
    assert (found.rate.successes, found.rate.value, found.sessions, found.parts) == (0, None, 0, [])
