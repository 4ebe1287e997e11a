"""What is printed: numbers as numbers, a model's text as text."""

import io

import pytest
from rich.console import Console

from actionledger.cli.tables import plain, shown_rate
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
    assert shown_rate(Rate(1, 2)) == "50.0%  [9.5%, 90.5%]"
    assert shown_rate(Rate(0, 0)) == "–"
