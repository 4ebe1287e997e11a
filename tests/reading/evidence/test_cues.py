"""Words around a call that stands on evidence alone."""

import pytest

from actionledger.reading.evidence.places import is_choice, speaks_against
from actionledger.reading.scan.source import Source


@pytest.mark.parametrize(
    ("before", "behind", "why"),
    [
        ("I look it up:", "", ""),
        ("For example:", "", "The sentence before it shows or forbids it."),
        ("Shall I run it?", "", "It is asked about first."),
        ("Here it is.", "Soll ich das tun?", "It is asked about first."),
        ("I cannot do it.", "", "The sentence around it says that it is not done."),
        ("Here it is.", "is not needed", "The sentence around it says that it is not done."),
        ("The documentation has it.", "", "The sentence before it describes a call."),
        ("I cannot do that. Now another one.", "", ""),
    ],
)
def test_the_last_sentence_and_what_follows_speak_against_a_call(before, behind, why):
    text = f"{before}\n\nf()\n\n{behind}"
    start = len(before) + 2
    assert speaks_against(Source(text), start, start + 3) == why


@pytest.mark.parametrize(
    ("between", "is_one"), [("\nor\n", True), ("\n\noder\n", True), ("\nand\n", False), ("\norder\n", False)]
)
def test_or_between_two_makes_a_choice(between, is_one):
    assert is_choice(between) is is_one
