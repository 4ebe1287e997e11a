"""Rows in a notebook and as frames, and one thing in the singular."""

import math
from datetime import UTC, datetime
from uuid import UUID

import pytest

from actionledger.core.frames import Columns, Framed, compared
from actionledger.core.rates import Rate
from actionledger.core.tables import Table, html_table
from actionledger.core.text import counted

ID = UUID("83341fa3-5925-5217-8023-1b98991f476f")


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([ID, None], ' class="w"'),
        ([str(ID)], ' class="w"'),
        ([datetime(2026, 1, 2, tzinfo=UTC)], ' class="w"'),
        (["mint", "gpt-4o-2024"], ' class="w"'),
        ([1, 2], ' class="n"'),
        (["two words", "one"], ""),
        (["x" * 41], ""),
        (["a\nb"], ""),
        ([["a"]], ""),
    ],
)
def test_ids_and_times_are_not_broken_at_their_hyphens(values, kind):
    """A column of words stays on its lines; prose, and what is long, is wrapped."""
    shown = html_table(Table(["column"], [[value] for value in values], len(values)))
    assert f"<td{kind}>" in shown
    assert shown.count(f"<td{kind}>") == len(values)


@pytest.mark.parametrize(
    ("shown", "total", "footer"),
    [
        (1, 1, "1 row"),
        (2, 2, "2 rows"),
        (2, None, "the first 2 rows; there are more"),
        (2, 1200, "the first 2 of 1,200 rows"),
    ],
)
def test_a_tables_footer_says_how_many_rows_there_are(shown, total, footer):
    """It also says if only the first ones are shown, and if nobody knows how many more there are."""
    assert Table(["column"], [[1]] * shown, total).footer == footer


AT = datetime(2026, 3, 1, 12)
KINDS = {"name": str, "count": int, "share": float, "is_one": bool, "at": datetime}


class Report(Framed):
    def __init__(self, *rows: tuple[object, ...]) -> None:
        self.rows = rows

    def _columns(self) -> Columns:
        return Columns(KINDS, self.rows)


ROWS = (("漢 😀", 2**40, 0.5, True, AT), (None, None, None, None, None))


def test_all_three_have_the_same_rows():
    """What is None is missing in each of them, and nothing becomes a fraction for it."""
    pytest.importorskip("polars")
    report = Report(*ROWS)
    table = report.arrow()
    assert [tuple(row.values()) for row in table.to_pylist()] == list(ROWS)
    assert report.pl().rows() == list(ROWS)
    frame = report.df()
    assert frame["count"].tolist()[0] == 2**40
    assert frame["count"].dtype == "Int64"
    assert frame.isna().sum(axis=1).tolist() == [0, 5]
    assert frame["at"].dtype == "datetime64[us]"


def test_nothing_has_the_same_kinds():
    """A frame without a row is like the first one in all but its rows."""
    pytest.importorskip("polars")
    some, nothing = Report(*ROWS), Report()
    assert nothing.arrow().schema == some.arrow().schema
    assert nothing.pl().schema == some.pl().schema
    assert dict(nothing.df().dtypes) == dict(some.df().dtypes)


def test_a_rate_brings_its_interval_and_its_count():
    """Without an interval its ends are missing, and never nothing."""
    none = Rate(0, 0)
    kinds, [row, other] = compared(
        [("a", Rate(1, 2), none, None, None), ("b", none, Rate(3, 3), (0.1, 0.2), 0.5)]
    )
    first, second = (dict(zip(kinds, values, strict=True)) for values in (row, other))
    assert (first["before"], first["before_count"], first["after"], first["after_count"]) == (0.5, 2, None, 0)
    assert math.isclose(first["before_low"] + first["before_high"], 1)
    assert (second["difference_low"], second["difference_high"], second["p_value"]) == (0.1, 0.2, 0.5)


@pytest.mark.parametrize(
    ("count", "words", "said"),
    [
        (0, ("turn",), "0 turns"),
        (1, ("turn",), "1 turn"),
        (2, ("turn",), "2 turns"),
        (1, ("entry", "entries"), "1 entry"),
        (1_234, ("entry", "entries"), "1,234 entries"),
        (1, ("turn was", "turns were"), "1 turn was"),
    ],
)
def test_a_number_has_its_word(count, words, said):
    assert counted(count, *words) == said
