"""What opens a block is read in steps in proportion to the text, in whatever number and company it comes.

The openers are the dialects' own, so a new dialect is in here without a word. Sixteen times the text may take twenty times
the steps; looking on to its end, or back to where its line begins, for each of them would take two hundred times.
"""

import pytest
from openers import Opener, kinds_of_openers, offered, openers
from steps import SPARE, steps_of_reading

from actionledger.reading.parsers import PARSERS

SMALL, TIMES = 2_000, 16
"""How long the small text is, in code points, and how many times as long the large one; counted exactly, little says much."""

LEAST = 6
"""How often the small text repeats itself at least: what can't be known of its end is in each text once."""

MOST = 20
IN_VAIN = 2
"""How many times its own length a text may be read in vain, beyond the ends of its blocks (``Source.overran``).

The large text may use that up where the small one has too few blocks to: that is no growth, since it is a limit.
"""


pytestmark = pytest.mark.usefixtures("small_windows")


def units(opener: Opener) -> list[str]:
    """Return an opener as it is repeated: on one line, on lines of its own, with half a body behind it."""
    return list(
        dict.fromkeys(
            [opener.text, f"{opener.text}\n", f"a {opener.text} b\n", opener.half, f"{opener.half}\n"]
        )
    )


def grows_too_fast(unit: str) -> str:
    """Return what reading a text that is made of this costs, if it is too much; else an empty text."""
    parser, count = PARSERS["auto"], max(LEAST, SMALL // len(unit) + 1)
    small, large = (
        steps_of_reading(lambda text: parser.read(text, offered()), unit * times)
        for times in (count, count * TIMES)
    )
    spare = SPARE._replace(characters=SPARE.characters + IN_VAIN * len(unit) * count * TIMES)
    is_fine = all(
        much <= MOST * little + least for little, much, least in zip(small, large, spare, strict=True)
    )
    return "" if is_fine else f"{unit!r} {count} times: {small}, {count * TIMES} times: {large}"


@pytest.mark.soak
@pytest.mark.parametrize("opener", openers(), ids=lambda opener: repr(opener.text))
def test_steps_grow_with_the_number_of_openers(opener):
    """One opener over and over."""
    assert not list(filter(None, map(grows_too_fast, units(opener))))


@pytest.mark.soak
@pytest.mark.parametrize("opener", kinds_of_openers(), ids=lambda opener: repr(opener.text))
def test_steps_grow_with_openers_by_turns(opener):
    """One opener by turns with one of every other kind, on one line and on lines of their own."""
    turns = [opener.text + other.text for other in kinds_of_openers() if other != opener]
    assert not list(filter(None, map(grows_too_fast, ["".join(turns), "\n".join(turns) + "\n"])))
