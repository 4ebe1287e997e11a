"""One thing has the singular."""

import pytest

from actionledger.core.text import counted


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
    """With commas, as everywhere."""
    assert counted(count, *words) == said
