"""Calls whose name heads what they take: none is passed over in silence, and who only names an action has called none."""

import pytest
from wrong_ways import MEANT, mentions, ways

import actionledger as al
from actionledger.core.vocabulary import Outcome
from actionledger.profiles import profile_named
from actionledger.reading.stream import StreamParser

WAYS = [
    pytest.param(profile, text, id=f"{profile}: {way}")
    for profile, (name, arguments, _) in MEANT.items()
    for way, text, _ in ways(name, arguments)
]
MENTIONS = [
    pytest.param(profile, text, id=f"{profile}: {number}")
    for profile, (name, arguments, other) in MEANT.items()
    for number, text in enumerate(mentions(name, next(iter(arguments)), other))
]


@pytest.mark.parametrize(("profile", "text"), WAYS)
def test_none_is_passed_over(profile, text):
    """It has failed, with an issue that says where; nothing of it is an action."""
    result = al.parse(text, profile=profile)
    assert (result.outcome, result.valid_actions) == (Outcome.FAILED, ())
    assert all(issue.span and issue.span.of(text).strip() for issue in result.issues)
    assert result.issues


@pytest.mark.parametrize(("profile", "text"), MENTIONS)
def test_to_name_an_action_is_not_to_call_it(profile, text):
    """In lists, descriptions, examples and questions."""
    result = al.parse(text, profile=profile)
    assert not result.valid_actions
    assert not [issue for issue in result.issues if "It looks like a call of" in issue.detail]


@pytest.mark.parametrize(("profile", "text"), [*WAYS[::7], *MENTIONS[::5]])
def test_a_stream_says_the_same(profile, text):
    """No block is given out that the whole response has not."""
    chosen = profile_named(profile)
    stream = StreamParser(chosen.parser, chosen.catalogue.offer)
    given = [block for at in range(0, len(text), 7) for block, _ in stream.feed(text[at : at + 7])]
    whole = chosen.parser.read(text, chosen.catalogue.offer)
    assert stream.finish() == whole
    assert given == list(whole.blocks[: len(given)])


def test_a_word_of_a_language_is_no_name():
    """``Think:`` within an answer is what anybody writes; a line that is ``think`` and a colon is an action."""
    assert (
        al.parse("Dear Anna,\n\nThink: it is late.\n\nBen", profile="reasoner").outcome is Outcome.NO_ACTION
    )
    assert al.parse("think: it is late", profile="reasoner").outcome is Outcome.FAILED


def test_several_calls_are_told_apart():
    """Each has its place, and only the first needs to be announced."""
    text = "I'll do both.\n\nadd_goal: Learn French.\nspeak: Tell them."
    result = al.parse(text, profile="reasoner")
    assert [issue.span.of(text) for issue in result.issues] == [
        "add_goal: Learn French.",
        "speak: Tell them.",
    ]
