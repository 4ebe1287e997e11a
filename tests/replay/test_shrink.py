"""Shrinking: what is left fails in the same way, and nothing more can be left out of it."""

import pytest
from effort import examples
from hypothesis import given, settings, strategies as st

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.demo import sample_sessions, take_samples
from actionledger.replay.readers import Reader
from actionledger.replay.shrink import like

FAILING = {
    "assistant": 'Sure.\n```actions\n{"actions": [{"type": "create_task", "content": "a", "content": "b"}]}\n```\nDone \U0001f389.',
    "coder": "I begin.\n<create_file>\n<path>a.py</path>\n<content>\nprint(1)\n</create_file>\nThat is all.",
    "mint": "Let me think about it.\nAs I said before.",
    "orchestrator": 'Now:\n```json\n{"action": "create_issues", "issues": [{"title": "A", "labels": "x"}]}\n```\nok',
}


@pytest.mark.parametrize(("profile", "text"), FAILING.items())
def test_what_is_left_fails_in_the_same_way(profile, text):
    """The same outcome, issues and refused fields, without a repair more; and a second time nothing goes."""
    shrunk = al.shrink(text, profile=profile)
    before, after = al.parse(text, profile=profile), al.parse(shrunk.text, profile=profile)
    assert after.outcome is before.outcome
    assert {issue.code for issue in after.issues} == {issue.code for issue in before.issues}
    errors = [{error.code for call in each.actions for error in call.errors} for each in (before, after)]
    assert errors[0] == errors[1]
    assert {repair.kind for repair in after.repairs} <= {repair.kind for repair in before.repairs}
    assert shrunk.is_smallest
    assert len(shrunk.text) < len(text)
    assert al.shrink(shrunk.text, profile=profile).text == shrunk.text
    assert al.shrink(text, profile=profile) == shrunk


def test_no_character_of_it_can_be_left_out():
    """Counted by trying each."""
    text = FAILING["assistant"]
    shrunk, is_alike = al.shrink(text, profile="assistant").text, like(text, Reader(profile="assistant"))
    assert [at for at in range(len(shrunk)) if is_alike(shrunk[:at] + shrunk[at + 1 :])] == []


@settings(max_examples=examples(100))
@given(st.text(max_size=60), st.sets(st.characters(), min_size=1, max_size=4))
def test_of_any_predicate_what_is_left_holds(text, needed):
    """All needed characters are kept, and they alone."""
    whole = text + "".join(sorted(needed))
    shrunk = al.shrink(whole, lambda each: needed <= set(each))
    assert sorted(shrunk.text) == sorted(needed)


def test_the_tries_are_bounded():
    """It gives what it has by then, and says that it is not the smallest."""
    tried = []
    shrunk = al.shrink("ab" * 500, lambda text: tried.append(text) is None and text.count("a") > 400, tries=7)
    assert (shrunk.tries, len(tried), shrunk.is_smallest) == (7, 8, False)
    assert shrunk.text.count("a") > 400


def test_what_does_not_fail_is_not_shrunk():
    """With the reason."""
    with pytest.raises(UsageError, match="Nothing fails"):
        al.shrink("<execute>1</execute>", profile="mint")
    with pytest.raises(UsageError, match="doesn't fail"):
        al.shrink("a", lambda text: False)
    with pytest.raises(UsageError, match="either"):
        al.shrink("a", lambda text: True, profile="mint")
    with pytest.raises(UsageError, match="how to read"):
        al.shrink("a")


@pytest.mark.soak
def test_each_group_of_the_sample_sessions_shrinks(tmp_path):
    """The ten costliest groups of reading and checking: each a text of its group, of half its length or less in sum."""
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        take_samples(ledger, sample_sessions())
        groups = [group for group in al.failures(ledger).groups if group.key.stage != "acting"][:10]
        shrunk = [al.shrink_group(ledger, group) for group in groups]
        acting = next(group for group in al.failures(ledger).groups if group.key.stage == "acting")
        with pytest.raises(UsageError, match="only failures of parsing and checking"):
            al.shrink_group(ledger, acting)
    assert len(shrunk) == 10
    assert all(len(each.text) <= len(each.original) for each in shrunk)
    assert 2 * sum(len(each.text) for each in shrunk) < sum(len(each.original) for each in shrunk)
    assert all(each.is_smallest and each.text for each in shrunk)


def test_it_shows_every_character_as_text():
    """In a notebook no markup, in a terminal no sequence."""
    shrunk = al.shrink("<script>\x1b[31m\u202e", lambda text: {"<", "\x1b", "\u202e", "s"} <= set(text))
    assert "<script" not in shrunk._repr_html_()
    assert "\x1b" not in repr(shrunk)
    assert "⟨U+202E⟩" in repr(shrunk)
