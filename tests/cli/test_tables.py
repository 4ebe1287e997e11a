"""What is printed: tables, numbers as numbers, a model's text as text."""

import io
import re

import pytest
from rich.console import Console

from actionledger.cli.tables import UNBOUNDED, PlainConsole, Sheet, plain, shown_rate
from actionledger.core.rates import Rate


def printed(text: object) -> str:
    console = Console(file=io.StringIO(), width=200, force_terminal=True, color_system="truecolor")
    console.print(plain(text), end="")
    return console.file.getvalue()


@pytest.mark.parametrize(
    "text", ["", "plain", "[bold]x[/bold]", "[/nope]", "🙂 文書 é", "<b>&amp;", ":smile:", "https://x.y"]
)
def test_what_can_be_shown_is_shown_as_it_is(text):
    """Markup, emoji names and links have no meaning, on a colour terminal neither."""
    assert printed(text) == text


@pytest.mark.parametrize(
    "mark",
    [
        *map(chr, range(32)),
        *map(chr, range(127, 160)),
        "\u200b",
        "\u202e",
        "\u2028",
        "\u2066",
        "\ufeff",
        "\ud800",
        "\U000e0041",
    ],
)
def test_what_could_change_a_terminal_is_made_visible(mark):
    """Control characters, directions, invisible characters and halves of pairs are shown by their codes."""
    shown = printed(f"a{mark}b")
    assert shown.isprintable()
    assert shown == "a" + mark.encode("unicode_escape").decode() + "b"


def test_values_that_are_no_text_are_shown():
    """Numbers, times and the like come from a query as they are."""
    assert printed(7) == "7"
    assert printed(None) == "None"


def test_a_rate_is_shown_with_its_interval():
    """Where nothing was counted, there is none."""
    assert shown_rate(Rate(1, 2)) == "50.0% [9.5%, 90.5%]"
    assert shown_rate(Rate(0, 0)) == "–"


ID = "4c29d091-aaa6-5375-806b-657d40e22c9e"
WORDS = ("no_match", "remove_conversation_memory", ID, "kestrel-mini", "12,345", "97.5% [96.7%, 98.1%]")


def shown(sheet: Sheet, width: int) -> str:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    console = PlainConsole(file=Terminal(), width=width, color_system=None, legacy_windows=False)
    console.print(sheet)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [200, 120, 100, 80, 60, 50])
def test_no_word_is_broken(width):
    """However little room there is: a name or an id stands whole on one line."""
    sheet = Sheet(
        "reason", "action", "session", "model", "count", "rate with 95 % interval", title="Failures"
    )
    for _ in range(3):
        sheet.add_row(*WORDS)
    text = shown(sheet, width)
    words = re.findall(r"\S+", text)
    for word in " ".join(WORDS).split():
        assert words.count(word) >= 3, (word, text)
    assert max(map(len, text.splitlines())) <= max(width, 80)


@pytest.mark.parametrize("width", [80, 60, 40])
def test_a_column_is_as_narrow_as_its_longest_word(width):
    """A long sentence takes the room that the names leave, and no more than the room that there is."""
    sheet = Sheet("id", "what it means")
    sheet.add_row("abcdefgh", "word " * 100)
    lines = shown(sheet, width).splitlines()
    assert max(map(len, lines)) <= width
    assert sum(line.count("word") for line in lines) == 100


def test_without_a_terminal_there_is_no_width():
    """A row is one line, whatever it holds; a program that reads it finds all of it."""
    stream = io.StringIO()
    sheet = Sheet("id", "count", "text", title="All")
    sheet.add_row(ID, "1", "long " * 1000)
    sheet.add_row("文書", "20", "")
    PlainConsole(file=stream).print(sheet)
    _, title, heads, *rows = stream.getvalue().splitlines()
    assert title == "All"
    assert heads.split() == ["id", "count", "text"]
    assert rows[0] == f"{ID}      1  {'long ' * 1000}".rstrip()
    assert rows[1].split() == ["文書", "20"]
    assert len(rows) == 2
    assert UNBOUNDED > 1_000_000


def test_rows_may_stand_below_each_other():
    """One line a value; what is empty is shown as such."""
    stream = io.StringIO()
    sheet = Sheet("a", "longer", below=True)
    sheet.add_row("1", "x y")
    sheet.add_row("2", "")
    PlainConsole(file=stream).print(sheet)
    assert stream.getvalue() == "a       1\nlonger  x y\n\na       2\nlonger\n"


def test_text_is_text():
    """Markup has no meaning, and what would change the terminal is made visible."""
    sheet = Sheet("[bold]x[/nope]")
    sheet.add_row("\x1b[31mred[/also]")
    text = shown(sheet, 80)
    assert "[bold]x[/nope]" in text
    assert r"\x1b[31mred[/also]" in text
    assert "\x1b[31m" not in text
