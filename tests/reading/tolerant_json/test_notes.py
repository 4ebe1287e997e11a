"""Notes are packed where there are many of them; what comes out is what went in."""

import pytest

from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.tolerant_json import decode
from actionledger.reading.tolerant_json.decoded import Places
from actionledger.reading.tolerant_json.notes import Columns, Notes

FORMS = ((RepairKind.MISSING_COMMA, ","), (RepairKind.COMMENT, ""), (RepairKind.QUOTES, '"a"'))


def some(count, start=0):
    """Return that many notes of three forms."""
    numbers = range(start, start + count)
    return [(FORMS[at % 3][0], at, at + 1, FORMS[at % 3][1]) for at in numbers]


def noted(notes):
    """Return such notes, kept."""
    made = Notes()
    for note in notes:
        made.recent.append(note)
        made.pack()
    return made


def test_few_notes_are_left_as_they_are():
    """Packing them costs more than it saves."""
    notes = noted(some(100))
    assert notes.packed is None
    assert (list(notes), len(notes)) == (some(100), 100)


@pytest.mark.parametrize("first", [0, 1, 900, 999, 1_000])
def test_many_notes_come_out_as_they_were_made(first):
    """From whatever number on they are asked for, packed or not."""
    notes = noted(some(1_000))
    assert notes.packed is not None
    assert len(notes.recent) < 300
    assert (list(notes), len(notes)) == (some(1_000), 1_000)
    assert list(notes.since(first)) == some(1_000)[first:]
    assert notes.kinds() == {kind for kind, _ in FORMS}


@pytest.mark.parametrize("first", [0, 10, 990])
@pytest.mark.parametrize("count", [50, 1_000])
def test_only_notes_from_a_number_on_are_dropped(first, count):
    """Those before it are not asked."""
    notes = noted(some(count))
    notes.keep(lambda note: note[0] is not RepairKind.COMMENT, first)
    kept = [note for at, note in enumerate(some(count)) if at < first or note[0] is not RepairKind.COMMENT]
    assert list(notes) == kept


@pytest.mark.parametrize("own", [0, 5, 1_000])
@pytest.mark.parametrize("others", [0, 5, 1_000])
def test_notes_of_another_stretch_are_added_behind(own, others):
    """However many there are of either."""
    notes = noted(some(own))
    notes.take(noted(some(others, own)))
    assert list(notes) == some(own + others)


def test_columns_take_forms_that_are_known_beforehand_and_others():
    """A form has one number, whenever it was met first."""
    columns = Columns({FORMS[2]: 0})
    columns.extend(some(6))
    assert list(columns.since(0)) == some(6)
    assert list(columns.forms) == [1, 2, 0, 1, 2, 0]
    columns.cut(2)
    assert list(columns.since(1)) == some(2)[1:]


def test_places_come_out_as_they_were_kept():
    """In their order, without the one that was dropped."""
    places = Places()
    first, second, third = {}, {}, {}
    places.add(first, 0, 5)
    places.add(second, 6, 8)
    places.drop_last()
    places.add(third, 7, 9)
    assert list(places) == [(first, 0, 5), (third, 7, 9)]
    assert [value for value, *_ in places][1] is third


def test_keys_that_are_there_twice_very_often_are_named_together():
    """A hundred issues at most: the last says how many more there are, and covers them all."""
    member = '"a": 1, '
    text = "{" + member * 500 + "}"
    issues = decode(text).issues
    assert {issue.code for issue in issues} == {Reason.DUPLICATE_KEY}
    assert len(issues) == 100
    assert issues[98].detail == "The key is 'a'; its values are 1 and 1."
    assert "400 times" in issues[99].detail
    assert issues[99].span == (text.index(member) + len(member) * 100, text.rindex('"a"') + 3)
