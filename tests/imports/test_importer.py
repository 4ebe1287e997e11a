"""Recorded sessions into a ledger: what is there already is passed over, whatever cut the last import off."""

import json
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

import pytest

from actionledger.cli.imports import taken
from actionledger.core.errors import UnknownNameError
from actionledger.core.events import Event
from actionledger.core.recordings import RecordedCall, RecordedSession, RecordedTurn
from actionledger.core.vocabulary import Capture
from actionledger.imports import Importer, ImportReport, turns
from actionledger.imports.sources.base import Refusal
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.queries.recorded import Known, known
from actionledger.runtime.workspace import Workspace

CREATE = '```actions\n{"actions": [{"type": "create_task", "content": "water the plants"}]}\n```'
BROKEN = "```actions\n{oops\n```"


def session(name: str, *texts: str, **given) -> RecordedSession:
    turns = tuple(RecordedTurn(index, text, feedback=f"after {index}") for index, text in enumerate(texts))
    values = {"profile": "assistant", "model": "m", "task": "t", "success": True, "reason": "done"}
    return RecordedSession(external_id=name, turns=turns, **values | given)


SESSIONS = (
    session("first", CREATE, "Good morning.", BROKEN),
    session("second", "", CREATE, success=None),
    session("silent"),
    session("other", "<read_file><path>x</path></read_file>", profile="coder"),
)
TURNS = 6


def importer(record: Callable[[Event], None], there: Known | None = None, source: str = "jsonl") -> Importer:
    return Importer(record, source=source, origin="log.jsonl", known=there or Known())


def take(
    ledger: Ledger,
    *items: RecordedSession | Refusal,
    source: str = "jsonl",
    there: Known | None = None,
) -> ImportReport:
    """Import into a ledger as the command line does."""
    taking = importer(ledger.record, there or known(ledger, source), source)
    for item in items:
        taking.take(item)
    return taking.finish()


def events_of(*items: RecordedSession | Refusal, source: str = "jsonl") -> list[Event]:
    """Every event that an import writes where nothing is known."""
    events: list[Event] = []
    taking = importer(events.append, source=source)
    for item in items:
        taking.take(item)
    taking.finish()
    return events


def rows(ledger: Ledger, query: str) -> list[tuple]:
    return ledger.sql(query).fetchall()


COUNTS = """
SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM turns), (SELECT count(*) FROM parse_attempts),
       (SELECT count(*) FROM actions), (SELECT count(*) FROM turn_ends), (SELECT count(*) FROM session_ends)"""
WHOLE = [(4, TURNS, TURNS, 3, TURNS, 4)]


def test_sessions_are_taken_in_with_all_that_is_known(ledger):
    """Texts, feedback, outcomes and how the sessions ended are in the tables."""
    report = take(ledger, *SESSIONS)
    assert (report.sessions, report.turns, report.known, report.refusals) == (4, TURNS, 0, [])
    assert rows(ledger, COUNTS) == WHOLE
    assert rows(
        ledger,
        "SELECT external_id, t.turn_index, text, feedback, outcome, t.profile, t.model FROM turns t "
        "JOIN parse_attempts USING (turn_id) JOIN sessions s ON s.session_id = t.session_id ORDER BY 1, 2",
    ) == [
        ("first", 0, CREATE, "after 0", "clean", "assistant", "m"),
        ("first", 1, "Good morning.", "after 1", "no_action", "assistant", "m"),
        ("first", 2, BROKEN, "after 2", "failed", "assistant", "m"),
        ("other", 0, "<read_file><path>x</path></read_file>", "after 0", "clean", "coder", "m"),
        ("second", 0, "", "after 0", "empty", "assistant", "m"),
        ("second", 1, CREATE, "after 1", "clean", "assistant", "m"),
    ]
    assert rows(ledger, "SELECT external_id, success, reason, source FROM sessions ORDER BY 1") == [
        ("first", True, "done", "jsonl"),
        ("other", True, "done", "jsonl"),
        ("second", None, "done", "jsonl"),
        ("silent", True, "done", "jsonl"),
    ]


def named(session_id: str, text: str, *calls: str) -> RecordedSession:
    """A session of a source whose servers name its only response ``c:0``."""
    made = tuple(RecordedCall(each, "ls", {}) for each in calls)
    turn = RecordedTurn(0, text, external_id="c:0", capture=Capture.CALLS, calls=made)
    return RecordedSession(session_id, None, "m", "t", (turn,), ids="source")


@pytest.mark.parametrize(
    ("first", "second"),
    [(("I look.", "a"), ("I wait.", "b")), (("", "a"), ("I wait.", "b")), (("I", "a"), ("I wait.", "b"))],
    ids=["another text", "none before", "the same beginning"],
)
def test_two_sessions_have_a_name_by_chance(ledger, first, second):
    """Some servers count from 0 in each session: both turns are recorded, once, and each grows."""
    assert take(ledger, named("x", *first), named("y", *second), source="pi").turns == 2
    ledger.ingest()
    again = take(ledger, named("y", *second), named("x", *first), source="pi")
    assert (again.turns, again.known, again.differing) == (0, 2, [])
    assert take(ledger, named("y", second[0] + " So.", second[1]), source="pi").revised == 1
    ledger.ingest()
    texts = "SELECT external_id, text FROM turns JOIN sessions USING (session_id) ORDER BY 1"
    assert rows(ledger, texts) == [("x", first[0]), ("y", second[0] + " So.")]


def test_a_session_goes_on_in_a_second_file(ledger):
    """Each of a recorder's files counts from 0: later turns come after those of earlier files, also when the second one grows."""

    def of_file(day: int, *names: str) -> RecordedSession:
        turns = tuple(
            RecordedTurn(index, name, external_id=name, occurred_at=datetime(2026, 5, day, 10, index))
            for index, name in enumerate(names)
        )
        return RecordedSession("s", None, "m", "t", turns, ids="source")

    def taken_of(*sessions: RecordedSession) -> ImportReport:
        taking = importer(ledger.record, known(ledger, "otel"), "otel")
        for number, each in enumerate(sessions):
            taking.file = f"{number}.jsonl"
            taking.take(each)
        report = taking.finish()
        ledger.ingest()
        return report

    places = "SELECT text, turn_index FROM turns ORDER BY turn_index, text"
    taken_of(of_file(1, "a", "b"), of_file(2, "c", "d"))
    assert rows(ledger, places) == [("a", 0), ("b", 1), ("c", 2), ("d", 3)]
    assert taken_of(of_file(2, "c", "d", "e")).turns == 1
    assert taken_of(of_file(3, "f"), of_file(1, "a", "b")).turns == 1
    assert rows(ledger, places)[4:] == [("e", 4), ("f", 5)]
    assert taken_of(of_file(1, "before")).turns == 1  # it was not after what is there, and keeps its place
    assert rows(ledger, places)[:2] == [("a", 0), ("before", 0)]


def test_places_within_a_file_are_the_recorders_own(ledger):
    """A client asks beside its conversation, so that two responses of one file have a place, also when the file grows."""

    def piece(index: int, minute: int) -> RecordedSession:
        turn = RecordedTurn(index, "x", external_id=str(minute), occurred_at=datetime(2026, 5, 1, 10, minute))
        return RecordedSession("s", None, "m", "t", (turn,), ids="source")

    pieces = [piece(0, 0), piece(0, 1), piece(1, 2)]
    assert take(ledger, *pieces, source="otel").turns == 3
    ledger.ingest()
    assert take(ledger, *pieces, piece(2, 3), source="otel").turns == 1
    assert [place for (place,) in rows(ledger, "SELECT turn_index FROM turns ORDER BY occurred_at")] == [
        0,
        0,
        1,
        2,
    ]


def test_an_import_is_one_run_with_its_parsers(ledger):
    """The run says what it read and how much; each parser is kept once."""
    take(ledger, *SESSIONS, Refusal("log.jsonl", 9, "The line is not JSON."))
    assert rows(ledger, "SELECT run_kind, name, source, turns, refused FROM runs") == [
        ("import", "import jsonl", "log.jsonl", TURNS, 1)
    ]
    assert rows(ledger, "SELECT count(DISTINCT run_id) FROM parse_attempts") == [(1,)]
    assert rows(ledger, "SELECT name FROM parsers ORDER BY 1") == [("assistant",), ("coder",)]


def test_nothing_of_a_recording_is_run(ledger):
    """Without a workspace an import reads and checks, and that is all."""
    take(ledger, *SESSIONS)
    assert rows(ledger, "SELECT count(*) FROM executions") == [(0,)]


def test_importing_twice_doubles_nothing(ledger):
    """The second time all turns are known, and not even a run is begun."""
    take(ledger, *SESSIONS)
    before = rows(ledger, "SELECT count(*) FROM events")
    report = take(ledger, *SESSIONS)
    assert (report.sessions, report.turns, report.known) == (0, 0, TURNS)
    assert rows(ledger, COUNTS) == WHOLE
    assert rows(ledger, "SELECT count(*) FROM events") == before
    assert rows(ledger, "SELECT count(*) FROM runs") == [(1,)]


def test_importing_twice_doubles_nothing_where_nobody_looked_what_is_known(ledger):
    """Two imports at the same time write the same events, and the ledger takes each once."""
    for _ in range(2):
        taking = importer(ledger.record)
        for item in SESSIONS:
            taking.take(item)
        taking.finish()
        ledger.ingest()
    assert rows(ledger, COUNTS) == WHOLE


def test_a_session_that_grew_gets_its_new_turns(ledger):
    """What was there is neither read again nor changed."""
    take(ledger, session("first", CREATE, BROKEN))
    report = take(ledger, session("first", CREATE, BROKEN, CREATE, "Good night."))
    assert (report.sessions, report.turns, report.known) == (1, 2, 2)
    assert rows(ledger, COUNTS) == [(1, 4, 4, 2, 4, 1)]
    assert rows(ledger, "SELECT turn_index, count(*) FROM turns GROUP BY ALL ORDER BY 1") == [
        (0, 1),
        (1, 1),
        (2, 1),
        (3, 1),
    ]


def test_a_gap_is_filled(ledger):
    """A turn that was missing between two others is taken in later."""
    whole = session("first", "a", "b", "c")
    take(ledger, RecordedSession("first", "assistant", "m", "t", (whole.turns[0], whole.turns[2])))
    assert take(ledger, whole).turns == 1
    assert rows(ledger, "SELECT text FROM turns ORDER BY turn_index") == [("a",), ("b",), ("c",)]


def test_the_same_name_from_another_source_is_another_session(ledger):
    """Sessions are known by source and name together."""
    take(ledger, session("first", "a"))
    assert take(ledger, session("first", "a"), source="other").turns == 1
    assert rows(ledger, "SELECT source, count(*) FROM sessions GROUP BY ALL ORDER BY 1") == [
        ("jsonl", 1),
        ("other", 1),
    ]


CUT = (session("first", CREATE, "Good morning."), session("second", BROKEN))
CUT_KINDS = [event.kind for event in events_of(*CUT)]
WITHIN_A_TURN = [
    cut for cut, kind in enumerate(CUT_KINDS, start=1) if kind in {"response_received", "turn_finished"}
]
BETWEEN_TURNS = sorted(set(range(len(CUT_KINDS) + 1)) - set(WITHIN_A_TURN))


class AfterCut(NamedTuple):
    """What a second import makes of one that died."""

    report: ImportReport  # what the second one says that it took in
    counts: dict[str, tuple[int, int]]  # how many rows there are then, and of how many things


@pytest.fixture(scope="module")
def after_cuts(tmp_path_factory: pytest.TempPathFactory) -> list[AfterCut]:
    """For each number of events, what comes of an import that died after so many; all in one ledger, by source."""
    cuts = [f"cut {cut}" for cut in range(len(CUT_KINDS) + 1)]
    with open_ledger(tmp_path_factory.mktemp("cuts") / "team.duckdb") as ledger:
        for cut, source in enumerate(cuts):
            for event in events_of(*CUT, source=source)[:cut]:
                ledger.record(event)
        ledger.ingest()
        found = [known(ledger, source) for source in cuts]
        reports = [
            take(ledger, *CUT, source=source, there=there) for source, there in zip(cuts, found, strict=True)
        ]
        return [
            AfterCut(report, counts_of(ledger, source)) for report, source in zip(reports, cuts, strict=True)
        ]


def counts_of(ledger: Ledger, source: str) -> dict[str, tuple[int, int]]:
    keys = {
        "sessions": "session_id",
        "turns": "turn_id",
        "parse_attempts": "turn_id",
        "turn_ends": "turn_id",
        "session_ends": "session_id",
    }
    of_source = f"session_id IN (SELECT session_id FROM session_starts WHERE source = '{source}')"
    queries = (
        f"SELECT '{table}', count(*), count(DISTINCT {key}) FROM {table} WHERE {of_source}"
        for table, key in keys.items()
    )
    return {table: (count, things) for table, count, things in rows(ledger, " UNION ALL ".join(queries))}


EVERYTHING_ONCE = {
    "sessions": (2, 2),
    "turns": (3, 3),
    "parse_attempts": (3, 3),
    "turn_ends": (3, 3),
    "session_ends": (2, 2),
}


@pytest.mark.parametrize("cut", BETWEEN_TURNS)
def test_an_import_that_was_cut_off_goes_on_where_it_stopped(after_cuts, cut):
    """It takes in what is missing and passes over the rest: everything is there once, read once, and over."""
    turns = CUT_KINDS[:cut].count("response_received")
    report, counts = after_cuts[cut]
    assert (report.turns, report.known) == (3 - turns, turns)
    assert counts == EVERYTHING_ONCE


@pytest.mark.parametrize("cut", WITHIN_A_TURN)
def test_an_import_that_was_cut_off_within_a_turn_finishes_it(after_cuts, cut):
    """A text that was recorded and not read yet is read, and its session is brought to its end."""
    assert after_cuts[cut].counts == EVERYTHING_ONCE


def test_refusals_are_kept_with_the_run(ledger):
    """Each is an event with the sentence that names file, line and reason; the rest is taken in."""
    refusals = [
        Refusal("log.jsonl", 2, "The line is not JSON."),
        Refusal("log.jsonl", 7, "The field 'text' \x1b[31m."),
    ]
    report = take(ledger, refusals[0], SESSIONS[0], refusals[1])
    assert report.refusals == refusals
    assert report.turns == 3
    assert rows(
        ledger,
        "SELECT e.code, message FROM events e SEMI JOIN runs USING (run_id) WHERE code IS NOT NULL ORDER BY 2",
    ) == [
        ("line_refused", "log.jsonl:2: The line is not JSON."),
        ("line_refused", "log.jsonl:7: The field 'text' \x1b[31m."),
    ]


def test_any_name_of_a_session_will_do(ledger):
    """Names come from others: whatever they hold, each session is taken in once, and no two are thrown together."""
    names = ("half \ud83d", "half \ud83e", "\0", "", " ", "a/b?c=d&e", "x" * 10_000, "🙂\u202e")
    sessions = [session(name, CREATE) for name in names]
    take(ledger, *sessions)
    assert take(ledger, *sessions).known == len(names)
    assert rows(ledger, "SELECT count(*), count(DISTINCT session_id) FROM turns") == [(len(names),) * 2]


def test_hostile_texts_are_taken_in(ledger):
    """Texts, prompts, feedback and metadata may hold anything at all."""
    odd = "half \ud83d, nul \0, esc \x1b[31m, '; DROP TABLE turns; --"
    turn = RecordedTurn(0, odd, prompt=odd, feedback=odd)
    report = take(
        ledger, RecordedSession(odd, "assistant", odd, odd, (turn,), None, odd, {odd: [odd, float("nan")]})
    )
    assert report.turns == 1
    ((text, is_exact, prompt, feedback),) = rows(
        ledger, "SELECT text, text_is_exact, prompt, feedback FROM turns"
    )
    assert text == prompt == feedback == odd.replace("\ud83d", "\ufffd")
    assert is_exact is False
    ((metadata,),) = rows(ledger, "SELECT metadata FROM sessions")
    assert list(json.loads(metadata).values()) == [[odd.replace("\ud83d", "\ufffd"), "NaN"]]


def test_with_a_workspace_the_actions_are_run(ledger, tmp_path):
    """As in the demo: what the policy would have wait runs, too, within the folder; no program is ever started."""
    taking = importer(ledger.record)
    texts = (
        "<create_file><path>x</path><content>new</content></create_file>",
        "<create_file><path>../x</path><content>new</content></create_file>",
        "<execute_command><command>touch y</command></execute_command>",
    )
    taking.take(session("coder", *texts, profile="coder"), Workspace(tmp_path / "work"))
    assert taking.finish().turns == 3
    assert rows(ledger, "SELECT status, reason FROM executions ORDER BY turn_index") == [
        ("succeeded", None),
        ("failed", "path_refused"),
        ("skipped", "no_handler"),
    ]
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["x"]


def test_what_was_run_once_is_not_run_again(ledger, tmp_path):
    """A known turn is passed over with its effects."""
    for folder in ("one", "two"):
        taking = importer(ledger.record, known(ledger, "jsonl"))
        text = "<create_file><path>x</path><content>new</content></create_file>"
        taking.take(session("coder", text, profile="coder"), Workspace(tmp_path / folder))
        taking.finish()
    assert not (tmp_path / "two" / "x").exists()
    assert rows(ledger, "SELECT count(*) FROM executions") == [(1,)]


def test_an_unknown_profile_is_refused_before_anything_is_recorded():
    """Sources check their lines' profiles; whoever doesn't learns it here."""
    with pytest.raises(UnknownNameError):
        events_of(session("x", "a", profile="pilot"))


def test_an_import_of_nothing_records_nothing():
    """No session, no run."""
    assert events_of() == []


def test_a_response_that_is_too_large_is_refused_and_the_rest_goes_on(tmp_path, monkeypatch):
    """With its size, in the report and in the ledger."""
    monkeypatch.setattr(turns, "RESPONSE_CHARACTERS", 10)
    recorded = tuple(RecordedTurn(index, text) for index, text in enumerate(("short", "x" * 11, "again")))
    session = RecordedSession("s", "coder", "m", "", recorded)
    with open_ledger(tmp_path / "l.duckdb") as ledger:
        importer = Importer(ledger.record, source="jsonl", origin="f.jsonl", known=Known())
        importer.take(session)
        report = importer.finish()
        assert ledger.sql("SELECT turn_index FROM turns ORDER BY 1").fetchall() == [(0,), (2,)]
        assert ledger.sql(
            "SELECT detail->>'characters' FROM events WHERE code = 'response_too_large'"
        ).fetchall() == [("11",)]
    assert (report.turns, len(report.refusals)) == (2, 1)
    assert "turn 1: The response is larger" in report.refusals[0].reason


OTHER = "a#0: other content under the same id; what was recorded first is kept."


def test_of_what_a_session_is_about_the_beginning_is_kept(ledger):
    """Every event of the session says it: a prompt of megabytes would be there as often as there are events."""
    about = "read all of this: " + "word " * 20_000
    take(ledger, session("a", "say 1", "say 2", task=about), session("b", "say 3", task=about[:60_000]))
    cut = f"{about[:65_536]} … (cut: 65,536 of {len(about):,} characters are kept)"
    for table in ("session_starts", "turn_starts"):
        found = rows(ledger, f"SELECT DISTINCT task FROM {table} ORDER BY length(task)")
        assert found == [(about[:60_000],), (cut,)]


def test_a_turn_that_comes_with_another_text_is_not_there_already(ledger):
    """It is counted apart, told with its session and place, and what was recorded first is kept; the rest is taken in."""
    take(ledger, session("a", CREATE, "Good morning."))
    report = take(ledger, session("a", BROKEN, "Good morning.", "Good night."))
    assert (report.turns, report.known, [each.reason for each in report.differing]) == (1, 1, [OTHER])
    assert rows(ledger, "SELECT text FROM turns ORDER BY turn_index") == [
        (CREATE,),
        ("Good morning.",),
        ("Good night.",),
    ]
    assert rows(ledger, "SELECT message, session_id IS NOT NULL FROM events WHERE code = 'turn_differs'") == [
        (OTHER, True)
    ]


def test_two_texts_under_one_id_in_one_import_are_told(ledger):
    """As where two files hold parts of the same session; the same text twice is there already."""
    report = take(ledger, session("a", CREATE), session("a", BROKEN), session("a", CREATE))
    assert (report.turns, report.known, len(report.differing)) == (1, 1, 1)
    assert rows(ledger, "SELECT text FROM turns") == [(CREATE,)]


def test_a_text_that_was_recorded_and_not_read_yet_is_not_read_as_another(ledger):
    """An import that died within a turn left the text; what is read must be what is recorded."""
    events = events_of(session("a", CREATE))
    for event in events[: [event.kind for event in events].index("response_received") + 1]:
        ledger.record(event)
    ledger.ingest()
    report = take(ledger, session("a", BROKEN))
    assert (report.turns, len(report.differing)) == (0, 1)
    assert rows(ledger, "SELECT count(*) FROM parse_attempts") == [(0,)]


@pytest.mark.parametrize(
    "text", [f"password = {'h7' * 12}", "half \ud83d", "nul \0 and \x1b[31m", "ひらがな 👍🏽\r\n"]
)
def test_a_text_that_is_not_recorded_exactly_is_there_already(ledger, text):
    """A masked secret and half a character make no other content of it."""
    take(ledger, session("a", text))
    report = take(ledger, session("a", text))
    assert (report.turns, report.known, report.differing) == (0, 1, [])


def test_turns_of_a_fork_are_no_turns_that_were_there(ledger):
    """A fork repeats the turns of what it was forked from: of an import that takes in both, no ledger had them before."""
    turns = tuple(RecordedTurn(index, f"{index}", external_id=f"m{index}") for index in range(3))
    of = RecordedSession("s", None, "m", "", turns, ids="source")
    fork = RecordedSession("f", None, "m", "", turns, ids="source", parent="s")
    report = take(ledger, of, fork)
    assert (report.turns, report.known, report.repeated) == (3, 3, 3)
    assert "0 turns were already recorded; 3 turns repeat some of the same import" in taken(report)
    again = take(ledger, of)
    assert (again.turns, again.known, again.repeated) == (0, 3, 0)
    assert "3 turns were already recorded" in taken(again)
