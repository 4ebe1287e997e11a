"""The course of a session, its facts and its family."""

from collections.abc import Iterable
from dataclasses import replace

from actionledger.core.vocabulary import Outcome, Relation
from actionledger.ledger.queries import Child, Session, Stretch, TurnRow
from actionledger.ledger.queries.lineage import Start
from actionledger_dashboard.viewer.session import WINDOW, Course, course_data, facts_of, family_of


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


SESSION = Session("s", "x" * 30 + "END" + "y" * 30, "jsonl", "coder", "", "", None, None, "{}", 3, None, None)
CHILD = Child("c", "child\u202e", Relation.SUBAGENT, 2, 1)


def test_long_names_are_cut_in_the_middle_and_told_whole() -> None:
    """Names differ at their ends."""
    [name, *_] = facts_of(SESSION)
    assert (name["text"][:5], name["text"][-5:], len(name["text"])) == ("xxxxx", "yyyyy", 40)
    assert name["whole"] == SESSION.external_id
    said = {fact["label"]: fact["text"] for fact in facts_of(SESSION)}
    assert (said["Model"], said["Started (UTC)"]) == ("–", "not recorded")
    assert "Ended" not in said


def test_a_fact_that_says_nothing_is_no_fact() -> None:
    """An import has no profile, and most recordings don't say whether a session succeeded."""
    said = {fact["label"]: fact["text"] for fact in facts_of(replace(SESSION, profile="none"))}
    assert said.keys().isdisjoint({"Ended", "Profile"})
    failed = {fact["label"]: fact["text"] for fact in facts_of(replace(SESSION, success=False, reason="cut"))}
    assert failed["Ended"] == "no success: cut"


def test_a_child_leads_to_its_page_and_opens_in_place() -> None:
    """Its name is text, with what nobody sees in it named."""
    [row] = family_of(
        SESSION, None, [CHILD], href_of="replay?session={}".format, opened_of="?child={}&turn={}".format
    )
    assert (row["href"], row["opened"], row["role"], row["failed"]) == (
        "replay?session=c",
        "?child=c&turn=None",
        "subagent",
        1,
    )
    assert [piece["code"] for piece in row["name"] if isinstance(piece, dict)] == ["U+202E"]


def test_a_parent_that_is_not_in_the_ledger_is_said() -> None:
    orphan = replace(SESSION, parent_session_id="gone", relation=Relation.FORK)
    [row] = family_of(orphan, None, [], href_of="replay?session={}".format)
    assert (row["role"], row["href"]) == ("fork of a session that is not in this ledger", None)


def test_a_child_says_which_call_has_started_it() -> None:
    """And opens at that call's turn; of one whose call is unknown that is said, of a fork nothing: no call starts it."""
    start = Start("c", 7, 0, "Task", "result")
    fork = replace(CHILD, session_id="f", relation=Relation.FORK)
    rows = family_of(SESSION, None, [CHILD, fork], [start], opened_of="?child={}&turn={}".format)
    assert [(row["start"], row["opened"]) for row in rows] == [
        ("started in turn 7 by Task", "?child=c&turn=7"),
        ("", "?child=f&turn=None"),
    ]
    [row] = family_of(SESSION, None, [CHILD])
    assert row["start"] == "which call has started it is not recorded"
