"""Rows in a notebook: what a cell's class says of how it is set."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from actionledger.core.tables import Table, html_table

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
