"""A call that is quoted, thought of, cut, misspelt or shown never runs, and is never passed over in silence."""

import pytest
from wild.hazard_calls import NOTE, ROWS, SEARCH, WRITE, Call, dialects, is_marked, marks, plainly
from wild.hazard_readings import OTHERWISE, RAN, SILENT, TWICE, is_equal, verdict, wrong_runs
from wild.hazard_texts import MAKERS, Hazard, hazards
from wild.hazards import Options, measured
from wild.silence import Place

EACH = 30
"""Of so many texts of a dialect's hazard one is read; ``python -m wild.hazards`` reads all."""

MOST_SILENT = 0
"""How many of a dialect's readings may pass over a call."""


@pytest.mark.parametrize("dialect", dialects())
def test_no_hazard_runs_a_call(dialect):
    found = [*measured(Options(only=(dialect,), each=EACH))]
    wrong = [each for each in found if set(each.faults) - {SILENT}]
    assert [(each.title, each.faults, each.hazard.text, each.seen) for each in wrong] == []
    silent = [each for each in found if SILENT in each.faults]
    assert len(silent) <= MOST_SILENT, [(each.title, each.hazard.text, each.seen) for each in silent]


def test_each_hazard_is_tried_in_nearly_every_dialect():
    """What has no special tokens can't lose them, and what has no words can't misspell them."""
    assert len(dialects()) >= 44
    for kind in MAKERS.keys() - {"special-lost"}:
        assert len([name for name in dialects() if any(hazards(kind, name))]) >= len(dialects()) - 2, kind


def test_a_hazard_says_where_its_calls_are():
    for hazard in (
        each for name in ("hermes", "glm", "json") for kind in MAKERS for each in hazards(kind, name)
    ):
        for place in hazard.places:
            assert 0 <= place.start < place.end <= len(hazard.text), hazard
            assert (
                hazard.kind in {"misspelt", "cut"}
                or "_" in hazard.text[slice(*place)]
                or "search" in hazard.text
            )


def test_marks_of_a_call_are_found():
    text = plainly("hermes", WRITE)
    assert [(text[mark.start : mark.end], mark.is_closer) for mark in marks(text)] == [
        ("<tool_call>", False),
        ("</tool_call>", True),
    ]
    text = plainly("pythonic", WRITE)
    assert [text[mark.start : mark.end] for mark in marks(text)] == ["[", "(", ")", "]"]
    assert is_marked(plainly("mistral", WRITE))
    assert not is_marked(text)


def test_a_cut_call_may_run_only_behind_its_last_value():
    [first] = [each for each in hazards("cut", "hermes") if each.meant][:1]
    assert first.meant == (ROWS,)
    assert first.text.endswith("true}")
    assert [each.meant for each in hazards("cut", "hermes") if each.text.endswith("tru")] == [()]


@pytest.mark.parametrize(
    ("runs", "meant", "faults"),
    [
        ([], [SEARCH], []),
        ([SEARCH], [SEARCH], []),
        ([SEARCH, SEARCH], [SEARCH], [TWICE]),
        ([Call("search", {})], [SEARCH], [OTHERWISE]),
        ([WRITE], [SEARCH], [RAN]),
        ([Call("put_note", {"text": "hello you", "count": "1500"})], [NOTE], [OTHERWISE]),
    ],
)
def test_what_runs_is_judged_by_what_is_meant(runs, meant, faults):
    assert wrong_runs(runs, meant, with_types=True) == faults


def test_without_types_a_number_is_its_text():
    assert is_equal(Call("put_note", {"text": "hello you", "count": "1500"}), NOTE, with_types=False)


def test_words_without_a_call_are_silent():
    text = "I wrote the file."
    silent = Hazard("hermes", "argument", "none", text, (), (Place(0, len(text)),))
    assert verdict(silent, "its dialect, tools").faults == (SILENT,)
    assert verdict(silent, "its dialect, tools").outcome == "silent"
