"""Which rows an event becomes."""

import pytest

from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import ActionStatus, Reason, RepairKind
from actionledger.ledger.storage.projection import REPAIR_CHARACTERS, rows_of
from actionledger.ledger.storage.schema import TABLES

STAGED = {table.name: table.staged for table in TABLES}


def rows(event, table: str) -> list[dict[str, object]]:
    return [dict(zip(STAGED[table], row.values, strict=True)) for row in rows_of(event) if row.table == table]


def test_every_table_gets_rows(make) -> None:
    """One event of each kind fills every table, and a row has a value for every column."""
    all_rows = [row for event in make.one_of_each() for row in rows_of(event)]
    assert {row.table for row in all_rows} == STAGED.keys()
    for row in all_rows:
        assert len(row.values) == len(STAGED[row.table]), row.table


def test_every_column_is_staged() -> None:
    """No column is forgotten, and none comes twice."""
    for table in TABLES:
        assert sorted(table.staged) == sorted(table.columns), table.name


def test_every_event_has_one_row_in_events(make) -> None:
    """The row in ``events`` comes first, with what all kinds have in common."""
    for event in make.one_of_each():
        assert next(iter(rows_of(event))).table == "events"
        [values] = rows(event, "events")
        assert values["event_id"] == event.event_id
        assert values["kind"] == event.kind


def test_only_a_note_has_words_in_events(make) -> None:
    """Code, message and particulars are a note's; an execution's message is elsewhere."""
    (note,) = rows(make.note("words", detail={"line": 3}), "events")
    assert (note["code"], note["message"], note["detail"]) == ("line_refused", "words", '{"line":3}')
    (finished,) = rows(make.finished(message="no"), "events")
    assert finished["message"] is None


def test_characters_are_code_points(make) -> None:
    """A turn's length is counted as spans are."""
    (turn,) = rows(make.response("é😀漢"), "turn_starts")
    assert turn["characters"] == 3


def test_a_parse_attempt_counts_what_was_found(make) -> None:
    """Counts come from the event; valid are those that may go on to be executed."""
    statuses = (ActionStatus.VALID, ActionStatus.COERCED, ActionStatus.INVALID, ActionStatus.UNKNOWN)
    event = make.parsed(
        blocks=(make.block(), make.block(index=1, repairs=())),
        actions=tuple(make.action(index=index, status=status) for index, status in enumerate(statuses)),
    )
    (attempt,) = rows(event, "parse_attempts")
    counts = [attempt[name] for name in ("block_count", "action_count", "valid_count", "repair_count")]
    assert counts == [2, 4, 2, 1]
    assert attempt["parsed_at"] == event.recorded_at


def test_what_was_found_has_the_dimensions_of_its_attempt(make) -> None:
    """Blocks, repairs, actions and their errors need no join to be counted by model, parser or time."""
    event = make.parsed(
        blocks=(make.block(index=2, dialect="hermes"),),
        actions=(make.action(block=2, dialect="hermes"),),
        issues=(Issue(Reason.TRUNCATED),),
    )
    for table in ("blocks", "repairs", "issues", "actions"):
        (row,) = rows(event, table)
        assert (row["session_id"], row["turn_index"], row["model"]) == (event.session_id, 3, "m")
        assert (row["attempt_id"], row["parser_id"], row["run_kind"]) == (
            event.attempt_id,
            event.parser_id,
            "live",
        )
    for table in ("blocks", "repairs", "actions"):
        (row,) = rows(event, table)
        assert (row["block_index"], row["dialect"]) == (2, "hermes")
    (action,) = rows(event, "actions")
    assert (action["span_start"], action["span_end"], action["catalogue"]) == (11, 40, "assistant")


def test_an_issue_without_a_place_has_none(make) -> None:
    """The lack of something stands nowhere."""
    (issue,) = rows(make.parsed(issues=(Issue(Reason.NO_ACTION_FOUND),)), "issues")
    assert issue["span_start"] is None


@pytest.mark.parametrize("length", [REPAIR_CHARACTERS, REPAIR_CHARACTERS + 1])
def test_the_text_of_a_repair_is_capped(make, length) -> None:
    """A repair that swallowed a whole response doesn't store it again."""
    repair = Repair(RepairKind.DROPPED_TAIL, Span(0, length), "b" * length, "a" * length)
    (row,) = rows(make.parsed(blocks=(make.block(repairs=(repair,)),)), "repairs")
    assert row["before"] == "b" * REPAIR_CHARACTERS
    assert row["after"] == "a" * REPAIR_CHARACTERS
