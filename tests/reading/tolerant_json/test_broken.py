"""Broken JSON of neutral origin, one, two and three faults at a time: most is read, and next to nothing is wrong in silence.

With ``-s`` the shares are printed, for the combinations that the reader was built with and for those held out.
"""

import sys
from collections import Counter

import pytest
from broken_json.combining import is_held_out, samples
from broken_json.judging import judged

from actionledger.reading.parsers import PARSERS
from actionledger.reading.tolerant_json import DecodeOptions, decode
from actionledger.reading.tolerant_json.faults import GUESSES

LEAST_EXACT = {1: 0.92, 2: 0.82, 3: 0.70}
MOST_WRONG = 0.03
OUTCOMES = ("exact", "in doubt", "refused", "wrong")


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("held_out", [False, True])
def test_most_is_read_and_little_is_wrong_without_a_word(count, held_out):
    """Also of the combinations that were held out."""
    counts = Counter(
        judged(sample)
        for sample in samples(count, 8 if count == 1 else 2, seed=7)
        if is_held_out(sample.faults) == held_out
    )
    total = counts.total()
    shares = "  ".join(f"{outcome} {counts[outcome] / total:6.1%}" for outcome in OUTCOMES)
    sys.stdout.write(
        f"\n{count} at a time, {'held out' if held_out else 'built with'}: {shares}  of {total:,}"
    )
    assert counts["exact"] >= LEAST_EXACT[count] * total
    assert counts["wrong"] <= MOST_WRONG * total


def test_who_acts_on_what_is_read_gets_none_of_the_guesses():
    """No parser asks for the likelier reading, and what it reads needs no kind of repair that guesses."""
    assert not any(parser.decoding.likelier for parser in PARSERS.values() if hasattr(parser, "decoding"))
    careful = DecodeOptions(repairs=DecodeOptions().repairs - GUESSES)
    for sample in samples(2, 1, seed=3):
        decoded = decode(sample.text, options=careful, end=len(sample.text))
        assert not decoded.ok or not any(repair.kind in GUESSES for repair in decoded.repairs)
