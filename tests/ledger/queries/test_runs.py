"""What a ledger holds, for lists to choose from."""

from datetime import datetime

from actionledger.core.ids import derived_id
from actionledger.core.vocabulary import RunKind
from actionledger.ledger import queries

LIVE = derived_id("run", "live")
AGAIN = derived_id("run", "again")
MONDAY = datetime.fromisoformat("2026-03-02T09:00")
TUESDAY = datetime.fromisoformat("2026-03-03T09:00")


def test_runs_and_dimensions_say_what_there_is(world: queries.Queryable) -> None:
    """What filter widgets list."""
    live, again, alone = queries.runs(world)
    assert (live.kind, live.attempts, live.refused, live.parsers) == (RunKind.LIVE, 10, 2, ("p-1",))
    assert (again.run_id, again.parent_run_id, again.attempts, again.refused) == (AGAIN, LIVE, 5, None)
    assert alone.attempts == 0
    found = queries.dimensions(world)
    assert found.profiles == ("assistant", "coder")
    assert found.models == ("large", "small")
    assert found.tasks == ("demo", "other")
    assert found.sources == ("jsonl", "live")
    assert found.dialects == ("actions", "json_action", "none", "xml_tags")
    assert (found.first, found.last) == (MONDAY, TUESDAY)


def test_dimensions_of_nothing_are_empty(empty: queries.Queryable) -> None:
    """An empty ledger has nothing to filter by."""
    found = queries.dimensions(empty)
    assert found == queries.Dimensions(*[()] * 12, None, None)
    assert queries.runs(empty) == []
