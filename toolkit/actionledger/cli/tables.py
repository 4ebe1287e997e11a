"""Print tables as wide as the terminal, with model text only as text; markup in it is never interpreted."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from typing import TYPE_CHECKING, Any

import typer
from rich import box
from rich.console import Console, ConsoleDimensions, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from actionledger.core.rates import Rate
from actionledger.core.text import printable, printable_json

if TYPE_CHECKING:
    from actionledger.core.values import Observation


RIGHT = frozenset({"count", "responses", "intent", "turns", "characters", "number", "rows"})
"""The heads of columns that are always numbers."""

UNBOUNDED = 10_000_000
"""The width without a terminal, at which nothing is cut or wrapped."""

_GAP = 2
"""Space between columns, in cells."""


@dataclass(frozen=True, slots=True)
class _Row:
    cells: tuple[Text, ...]
    style: str


class Sheet:
    """A table that is laid out when the available width is known.

    Without a terminal, each row is one line. If the columns fit without breaking a word, they are next to each other, with the
    widest ones wrapped. Otherwise each row is printed vertically, one line per column.

    Args:
        columns: the columns' heads; one may be empty.
        title: the line above the table.
        below: whether each row is always printed vertically.
        numbers: the heads of number columns, in addition to those that are always numbers.
    """

    def __init__(
        self, *columns: str, title: str = "", below: bool = False, numbers: Iterable[str] = ()
    ) -> None:
        self._columns = tuple(map(visible_text, columns))
        self._right = RIGHT | set(numbers)
        self._title = title
        self._below = below
        self._rows: list[_Row] = []

    def add_row(self, *cells: str | Text, style: str = "") -> None:
        self._rows.append(_Row(tuple(map(visible_text, cells)), style))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Lay out the table in the available width."""
        if self._title:
            yield Text(f"\n{self._title}", style="bold")
        widths = self._widths(console, options)
        if self._below or widths is None:
            # One line per value, wrapped by the terminal, so that a long one can be copied whole.
            longest = max(head.cell_len for head in self._columns)
            for number, row in enumerate(self._rows):
                if number:
                    yield Text()
                for head, cell in zip(self._columns, row.cells, strict=True):
                    name = head.copy()
                    name.align("left", longest + _GAP)
                    name.stylize("dim")
                    line = Text(no_wrap=True, overflow="ignore", style=row.style)
                    line.append_text(name).append_text(_one_line(cell))
                    line.rstrip()
                    yield line
        elif options.max_width >= UNBOUNDED:
            yield from self._lines()
        else:
            yield self._side_by_side(widths)

    def _lines(self) -> Iterator[Text]:
        heads = _Row(self._columns, "bold")
        rows = [(row.style, [_one_line(cell) for cell in row.cells]) for row in (heads, *self._rows)]
        widths = [
            max(cell.cell_len for cell in column)
            for column in zip(*(cells for _, cells in rows), strict=True)
        ]
        for style, cells in rows:
            line = Text(style=style, no_wrap=True, overflow="ignore")
            for head, cell, width in zip(self._columns, cells, widths, strict=True):
                cell.align("right" if head.plain in self._right else "left", width)
                line.append_text(cell).append(" " * _GAP)
            line.rstrip()
            yield line

    def _widths(self, console: Console, options: ConsoleOptions) -> list[int] | None:
        """Return the columns' widths in cells; None if a word would be broken."""
        room = options.max_width - _GAP * len(self._columns)
        columns = [_measured(console, options, cells) for cells in self._by_column()]
        if sum(column.minimum for column in columns) > room:
            return None
        widths = [column.maximum for column in columns]
        while (excess := sum(widths) - room) > 0:
            widest = max(range(len(widths)), key=lambda place: widths[place] - columns[place].minimum)
            others = [width for place, width in enumerate(widths) if place != widest]
            next_widest = max((width for width in others if width < widths[widest]), default=0)
            goal = max(columns[widest].minimum, widths[widest] - excess, next_widest)
            widths[widest] = goal if goal < widths[widest] else widths[widest] - 1
        return widths

    def _by_column(self) -> Iterator[list[Text]]:
        for place, head in enumerate(self._columns):
            yield [head, *(row.cells[place] for row in self._rows)]

    def _side_by_side(self, widths: Sequence[int]) -> Table:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, _GAP - 1, 0, 0))
        for head, width in zip(self._columns, widths, strict=True):
            justify = "right" if head.plain in self._right else "left"
            table.add_column(head, width=width, justify=justify, overflow="fold")  # type: ignore[arg-type]
        for row in self._rows:
            table.add_row(*row.cells, style=row.style)
        return table


def visible_text(text: object) -> Text:
    """Return a text for display as it is, with control characters made visible; a ``Text`` is returned unchanged."""
    if isinstance(text, Text):
        return text
    return Text(printable(str(text)))


def _one_line(cell: Text) -> Text:
    shown = cell.copy()
    shown.plain = cell.plain.replace("\n", " ")
    return shown


def _measured(console: Console, options: ConsoleOptions, cells: Sequence[Text]) -> Measurement:
    """Return a column's minimum width, its longest word, and its maximum, its longest line."""
    measured = [cell.__rich_measure__(console, options) for cell in cells]
    return Measurement(max(each.minimum for each in measured), max(each.maximum for each in measured))


SHOWN_CHARACTERS = 160
"""Maximum number of characters of a long text in a terminal's table."""


class PlainConsole(Console):
    """A console without a width if there is no terminal; a terminal wraps long lines itself."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print; see ``Console.print``."""
        super().print(*objects, **({"soft_wrap": True} | options))

    @property
    def size(self) -> ConsoleDimensions:
        """The available size."""
        size = super().size
        return size if self.file.isatty() else ConsoleDimensions(UNBOUNDED, size.height)

    @size.setter
    def size(self, new_size: tuple[int, int]) -> None:
        self._width, self._height = new_size


console = PlainConsole(highlight=False)
"""The console for results."""

beside = PlainConsole(highlight=False, stderr=True)
"""The console for progress, errors and next steps."""


def plain(text: object) -> Text:
    """Return a text for display as it is, with control characters made visible."""
    return visible_text(text)


def print_error(sentence: str) -> None:
    """Print an error as one line."""
    beside.print(plain(f"actionledger: {' '.join(sentence.splitlines())}"), style="red")


def print_json(value: object) -> None:
    """Print a value as one line of JSON; characters that are invisible or steer a terminal are printed as JSON escapes."""
    from actionledger.core.canonical import json_text  # noqa: PLC0415 - slow to load, and most commands print none

    typer.echo(printable_json(json_text(value)))


def print_note(sentence: str, *, style: str = "") -> None:
    """Print a sentence that is not a result, such as the next step."""
    beside.print(plain(sentence), style=style)


def shortened(text: str) -> str:
    """Return a text, cut to ``SHOWN_CHARACTERS`` in a terminal."""
    return cut(text) if console.file.isatty() else text


def cut(text: str) -> str:
    """Return a text, cut to ``SHOWN_CHARACTERS`` even in a pipe, where ``--json`` has all of it."""
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"


def print_text(text: str, *, style: str = "") -> None:
    """Print a text as it is, with its line breaks."""
    for line in text.splitlines():
        console.print(plain(line), style=style)


def print_observation(observation: "Observation") -> None:
    """Print an action's result as one line."""
    from actionledger.core.canonical import json_text  # noqa: PLC0415 - the same

    what = observation.message or json_text(observation.result)
    status = observation.status.value.replace("_", " ")
    console.print(plain(f"{observation.name} {status}: {what}"))


def shown_rate(rate: Rate) -> str:
    """Return a rate with its interval."""
    return f"{rate.shown_value} {rate.shown_interval}".rstrip()


def rate_value(rate: Rate) -> dict[str, object]:
    """Return a rate with its interval and the counts behind it, for JSON."""
    low, high = rate.interval or (None, None)
    plain_low, plain_high = rate.plain_interval or (None, None)
    return {
        "successes": rate.successes,
        "count": rate.count,
        "rate": rate.value,
        **({"refusal": rate.refusal} if rate.refusal else {}),
        "low": low,
        "high": high,
        "plain_low": plain_low,
        "plain_high": plain_high,
        "sessions": rate.clustering.sessions if rate.clustering else None,
        "design_effect": rate.design_effect,
    }


def fields_value(source: object, names: str) -> dict[str, object]:
    """Return an object's fields, named between blanks, for JSON: rates with their counts, other values by their own fields."""
    return {name: _json_value(getattr(source, name)) for name in names.split()}


def _json_value(value: object) -> object:
    match value:
        case Rate():
            return rate_value(value)
        case list() | tuple():
            return [_json_value(each) for each in value]
        case Mapping():
            return {name: _json_value(each) for name, each in value.items()}
        case _ if is_dataclass(value) and not isinstance(value, type):
            return asdict(value)
    return value
