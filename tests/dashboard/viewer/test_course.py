"""The course of a session: a window of turns, the way to its neighbours, and the whole as a map."""

from collections.abc import Iterable

from actionledger.core.vocabulary import Outcome
from actionledger.ledger.queries import Stretch, TurnRow
from actionledger_dashboard.viewer.session import WINDOW, Course, course_data


def row(index: int, errors: Iterable[int] = ()) -> TurnRow:
    return TurnRow(index, Outcome.CLEAN, None, 10, 0, 0, 0, 0, 0, 0, 0, index in set(errors))


def course_of(wanted: int, indices: list[int], errors: Iterable[int] = (), most: int = 240) -> Course:
    """Return a course over turns that are known in full here, as the ledger would give it in part."""
    size = max(1, -(-len(indices) // most))
    stretches = []
    for at in range(0, len(indices), size):
        part = indices[at : at + size]
        bad = [index for index in part if index in set(errors)]
        ends = (bad[0], bad[-1]) if bad else (None, None)
        stretches.append(Stretch(part[0], part[-1], len(part), len(bad), *ends, 0, len(part) - len(bad)))
    return Course.around(
        wanted,
        stretches,
        lambda ends: [row(index, errors) for index in indices if ends[0] <= index <= ends[1]],
    )


def test_a_short_session_is_known_whole() -> None:
    """Its neighbours are the turns beside it, and there are none beyond its ends."""
    course = course_of(2, [0, 1, 2, 3])
    assert (course.index, course.previous, course.next, course.last, course.turns) == (2, 1, 3, 3, 4)
    assert (course_of(0, [0, 1]).previous, course_of(1, [0, 1]).next) == (None, None)


def test_the_nearest_turn_is_shown_where_there_is_none() -> None:
    """Also in a session that doesn't begin at 0, or has gaps."""
    assert [course_of(wanted, [3, 4, 9]).index for wanted in (0, 4, 6, 7, 999)] == [3, 4, 4, 9, 9]
    assert (course_of(9, [3, 4, 9]).previous, course_of(4, [3, 4, 9]).next) == (4, 9)


def test_of_a_long_session_a_window_is_known_and_every_turn_is_reached() -> None:
    """From each turn, the neighbours are the turn before and after, across the edges of windows too."""
    turns = list(range(10_000))
    for wanted in (0, 99, 100, 125, 126, 4_999, 5_000, 9_998, 9_999):
        course = course_of(wanted, turns)
        assert course.index == wanted
        assert course.previous == (wanted - 1 if wanted else None)
        assert course.next == (wanted + 1 if wanted < 9_999 else None)
        assert WINDOW <= len(course.rows) <= 2 * WINDOW or course.rows[-1].index == 9_999
        drawn = course_data(course)
        assert drawn["before"]["turns"] + len(drawn["turns"]) + drawn["after"]["turns"] == 10_000


def test_the_next_errors_are_known_beyond_the_window() -> None:
    """Stepping to the next turn with an error needs no search."""
    drawn = course_data(course_of(5_000, list(range(10_000)), errors=[3, 700, 9_000, 9_900]))
    assert (drawn["before"]["error"], drawn["after"]["error"]) == (700, 9_000)
    assert not any(turn["error"] for turn in drawn["turns"])


def test_the_map_has_every_turn_in_a_place_and_shows_the_worst() -> None:
    """A place with an error leads to the error."""
    drawn = course_data(course_of(0, list(range(10_000)), errors=[4_321]))
    assert len(drawn["stretches"]) <= 240
    bad = [cell for cell in drawn["stretches"] if cell["look"] == "bad"]
    assert [cell["goesTo"] for cell in bad] == [4_321]
    assert "1 of 42 turns with an error" in bad[0]["said"]


def test_the_list_says_of_a_reading_what_is_its_own() -> None:
    """Where another reading's actions failed, this one's turn is as it was read."""
    turn = TurnRow(0, Outcome.CLEAN, None, 10, 1, 1, 1, 0, 0, 1, 1, has_error=False)
    [drawn] = course_data(Course(0, [turn], [Stretch(0, 0, 1, 0, None, None, 0, 1)]))["turns"]
    assert (drawn["outcome"], drawn["look"], drawn["error"]) == ("parsed", "good", False)


def test_the_list_says_what_went_wrong_where_reading_did_not() -> None:
    """A turn that was read well and done badly doesn't look well."""
    refused = TurnRow(0, Outcome.CLEAN, None, 10, 2, 2, 1, 1, 0, 0, 0, has_error=True)
    failed = TurnRow(1, Outcome.CLEAN, None, 10, 0, 0, 0, 0, 0, 1, 1, has_error=True)
    denied = TurnRow(2, Outcome.CLEAN, None, 10, 1, 1, 1, 0, 0, 1, 0, has_error=True)
    unread = TurnRow(3, Outcome.FAILED, None, 10, 0, 0, 0, 0, 0, 0, 0, has_error=True)
    stretch = Stretch(0, 3, 4, 4, 0, 3, 0, 3)
    drawn = course_data(Course(0, [refused, failed, denied, unread], [stretch]))["turns"]
    titles = [turn["title"].split(" · ")[1] for turn in drawn]
    assert titles[:3] == ["1 of 2 actions valid", "0 actions", "1 of 1 actions valid"]
    assert [(turn["outcome"], turn["look"]) for turn in drawn] == [
        ("parsed, rejected by schema", "bad"),
        ("parsed, a tool call failed", "bad"),
        ("parsed, a tool call failed", "bad"),
        ("unparseable", "bad"),
    ]
