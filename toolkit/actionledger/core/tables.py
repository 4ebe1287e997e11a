"""Rows and columns as text for a terminal, and as HTML for a notebook."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from actionledger.core.html import escaped, frame
from actionledger.core.patterns import regex
from actionledger.core.text import counted, cut, visible, width

_WIDEST_TABLE = 110
_WIDEST_CELL = 48
_MOST_COLUMNS = 40
_LONGEST_CELL = 300

_WORD = regex(r"[\w.:/@-]{1,40}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Table:
    """A table to display."""

    columns: Sequence[str]  # the columns' names
    rows: Sequence[Sequence[Any]]  # the rows to show, each with a value for each column
    total: int | None  # the number of all rows; None if it is only known that there are more

    @property
    def footer(self) -> str:
        """The number of rows, and of shown ones."""
        shown = len(self.rows)
        if self.total == shown:
            return counted(shown, "row")
        if self.total is None:
            return f"the first {counted(shown, 'row')}; there are more"
        return f"the first {shown:,} of {counted(self.total, 'row')}"


def text_table(table: Table) -> str:
    """Return a table as lines that fit on a screen."""
    if not table.columns:
        return "(no columns)"
    cells = [
        [
            cut(visible("NULL" if value is None else _written(value, _WIDEST_CELL)), _WIDEST_CELL)
            for value in row
        ]
        for row in table.rows
    ]
    names = [cut(visible(name), _WIDEST_CELL) for name in table.columns]
    widths = [max(map(width, column)) for column in zip(names, *cells, strict=True)]
    room = _columns_with_room(widths)
    align = [_right if _is_number(table, place) else _left for place in range(room)]
    rule = ["-" * each for each in widths]
    lines = [
        "  ".join(put(cell, wide) for put, cell, wide in zip(align, line, widths, strict=False)).rstrip()
        for line in (names, rule, *cells)
    ]
    return "\n".join([*lines, f"({_footer(table, room)})"])


def html_table(table: Table) -> str:
    """Return a table as a separate display."""
    if not table.columns:
        return frame('<div class="al-foot">no columns</div>')
    room = min(len(table.columns), _MOST_COLUMNS)
    return frame(
        box(table.columns[:room], [row[:room] for row in table.rows]),
        f'<div class="al-foot">{escaped(_footer(table, room))}</div>',
    )


def box(columns: Sequence[str], rows: Sequence[Sequence[Any]], *, mono: frozenset[int] = frozenset()) -> str:
    """Return rows as a part of a display; many rows scroll. Text of type ``Markup`` is our own HTML, anything else is escaped; ``mono`` are columns of code."""
    table = Table(columns, rows, None)
    kinds = [
        "n" if _is_number(table, place) else "m" if place in mono else "w" if _is_word(table, place) else ""
        for place in range(len(columns))
    ]
    head = "".join(
        f"<th{_classed(kind) if kind == 'n' else ''}>{escaped(name)}</th>"
        for kind, name in zip(kinds, columns, strict=True)
    )
    body = "".join(
        f"<tr>{''.join(f'<td{_classed(kind)}>{_html_cell(value)}</td>' for kind, value in zip(kinds, row, strict=True))}</tr>"
        for row in rows
    )
    return f'<div class="al-box"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


class Markup(str):
    """HTML that this package made."""

    __slots__ = ()


def _classed(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def _html_cell(value: object) -> str:
    if isinstance(value, Markup):
        return value
    if value is None:
        return '<span class="al-null">NULL</span>'
    return escaped(_written(value, _LONGEST_CELL))


def _written(value: object, longest: int) -> str:
    match value:
        case str():
            return cut(value, longest)
        case bytes() | bytearray() | memoryview():
            start = bytes(value[:longest])
            return cut(f"{repr(start)[2:-1]}{'…' if len(value) > len(start) else ''}", longest)
        case bool():
            return str(value).lower()
        case float():
            return f"{value:.10g}"
        case _:
            return cut(str(value), longest)


def _is_number(table: Table, place: int) -> bool:
    values = [row[place] for row in table.rows if row[place] is not None]
    return bool(values) and all(
        isinstance(value, int | float | Decimal | timedelta) and not isinstance(value, bool)
        for value in values
    )


def _is_word(table: Table, place: int) -> bool:
    """Return whether a column's values are single words, such as ids or times, that must not be broken at their hyphens."""
    values = [row[place] for row in table.rows if row[place] is not None]
    return all(
        isinstance(value, UUID | datetime)
        or (isinstance(value, str) and not isinstance(value, Markup) and _WORD.fullmatch(value))
        for value in values
    )


def _columns_with_room(widths: Sequence[int]) -> int:
    total = 0
    for place, each in enumerate(widths):
        total += each + 2
        if place and total > _WIDEST_TABLE:
            return place
    return len(widths)


def _footer(table: Table, room: int) -> str:
    hidden = len(table.columns) - room
    return table.footer + (f"; {counted(hidden, 'more column')}: {_names(table, room)}" if hidden else "")


def _names(table: Table, room: int) -> str:
    return cut(", ".join(visible(name) for name in table.columns[room:]), _WIDEST_TABLE - 40)


def _left(text: str, wide: int) -> str:
    return text + " " * (wide - width(text))


def _right(text: str, wide: int) -> str:
    return " " * (wide - width(text)) + text
