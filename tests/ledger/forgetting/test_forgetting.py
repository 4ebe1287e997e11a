"""What is forgotten is in no file any more, whoever wrote it there and whenever somebody was killed; and it stays forgotten."""

import errno
import io
import json
import os
import resource
import shutil
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import duckdb
import pytest
from effort import soaked

import actionledger as al
from actionledger.cli.erasure import _rule
from actionledger.core.errors import LedgerError, UsageError
from actionledger.core.processes import FileLock
from actionledger.core.vocabulary import LeftOutReason
from actionledger.ledger import open_ledger
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.saved import Saved
from actionledger.ledger.storage import spare
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.local import verify
from actionledger.ledger.storage.spool import LineSpool, SpooledLine
from actionledger.ledger.upkeep.forgetting import records
from actionledger.ledger.upkeep.forgetting.intent import Intent
from actionledger.runtime.session import erasure
from actionledger.runtime.session.states.lines import Effects, read_states
from actionledger.runtime.session.states.objects import Objects
from actionledger.runtime.workspace import retention as effects
from actionledger.runtime.workspace.journal import Contents
from actionledger.runtime.workspace.nodes import digest_of

WORDS = "Zaphod's naïve 漢字 secret"
NEEDLES = [
    WORDS.encode(),
    json.dumps(WORDS)[1:-1].encode(),
    json.dumps(json.dumps(WORDS))[1:-1].encode(),
    WORDS.encode("utf-16-le"),
    b"Zaphod",
]
KEPT = "This one stays."
STEPS = [
    (erasure, "_forget_beside"),
    (erasure, "forget_effects"),
    (erasure, "forget_states"),
    (erasure, "_forget_saved"),
    (records, "forget_records"),
    (records, "_make_anew"),
    (records, "publish"),
    (records, "remove_finished"),
    (records, "blank_lines"),
]
"""Where somebody may be killed: before each step and right behind it."""


class KilledError(BaseException):
    """Stands for a process that is gone."""


def found_in(ledger: Path) -> Iterator[str]:
    """Yield every file of a ledger that holds the words, and every table of a database in which a row does: texts may be compressed there."""
    for path in (ledger, *LedgerFiles.at(ledger).folder.rglob("*")):
        if not path.is_file():
            continue
        data = path.read_bytes()
        with suppress(zlib.error):  # contents of workspaces are compressed by zlib
            data += zlib.decompress(data)
        yield from (f"{path.name}: {needle!r}" for needle in NEEDLES if needle in data)
        if path.suffix == ".duckdb":
            yield from _tables_with_words(path)


def _tables_with_words(path: Path) -> Iterator[str]:
    with duckdb.connect(str(path), read_only=True) as connection:
        tables = connection.execute("SELECT table_name FROM duckdb_tables() WHERE NOT internal").fetchall()
        for (table,) in tables:
            asked = f"SELECT count(*) FROM {table} AS t WHERE contains(t::VARCHAR, 'Zaphod')"
            if connection.execute(asked).fetchone() != (0,):
                yield f"{path.name}: {table}"


def recorded(path: Path, workspace: Path) -> list[str]:
    """Make a ledger that holds the words wherever they can stand; return the ids of the live session and the recorded one."""
    log = path.with_name("log.jsonl")
    lines = [{"session": name, "text": f"<execute>{WORDS if name == 'bad' else KEPT}</execute>", "prompt": WORDS if name == "bad" else "q"} for name in ("bad", "good")]  # fmt: skip
    log.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    al.import_path(log, path)
    with open_ledger(path) as ledger:
        with al.Runtime("coder", ledger=ledger, workspace=workspace, auto=True) as runtime:
            for name, text in (("a.txt", WORDS), ("b.txt", f"{WORDS} again")):
                runtime.handle(f"<create_file><path>{name}</path><content>{text}</content></create_file>")
            live = runtime.session_id
        with al.Runtime("coder", ledger=ledger, workspace=workspace, auto=True) as runtime:
            runtime.handle(f"<create_file><path>c.txt</path><content>{KEPT}</content></create_file>")
        [(bad,)] = ledger.sql("SELECT session_id::VARCHAR FROM sessions WHERE external_id = 'bad'").fetchall()
        al.review(ledger, "bad", 0, by="ann", comment=WORDS)
    Saved(path, "queries").put("mine", f"FROM turns WHERE session_id = '{bad}' -- {WORDS}")
    Saved(path, "queries").put("others", "FROM turns")
    segments = LedgerFiles.at(path).segments
    (segments / "00000000-0000-7000-8000-000000000000.000000.jsonl").write_bytes(
        json.dumps({"session_id": bad, "kind": "response_received", "text": WORDS}).encode() + b"\nnonsense\n"
    )
    with open_ledger(path) as ledger:
        ledger.ingest()
    return [live, bad]


def test_nothing_is_left_in_any_file(tmp_path, monkeypatch) -> None:
    """Texts, prompts, files, reviews, quarantine, saved queries: gone; what is others' is there, and all of it is proven."""
    monkeypatch.setattr(spare, "SPARED_BYTES", 0)  # the copy before the published one lies beside it
    monkeypatch.setattr(spare, "WATCHED_BYTES", 0)
    path = tmp_path / "team.duckdb"
    sessions = recorded(path, tmp_path / "work")
    assert list(found_in(path))
    with open_ledger(path) as ledger:
        report = ledger.forget([sessions[0], "bad"], by="ann")
    assert list(found_in(path)) == []
    assert set(report.sessions) == set(sessions)
    assert report.counts["turn_starts"] == 3
    assert report.counts["reviews"] == 1
    with duckdb.connect(str(path), read_only=True) as plain:
        assert plain.execute(
            "SELECT count(*) FROM turn_starts WHERE contains(text, ?)", [KEPT]
        ).fetchone() == (2,)
        assert plain.execute("SELECT line FROM quarantine").fetchall() == [("nonsense",)]
        told = plain.execute(
            "SELECT session_id::VARCHAR, step, forgotten_by FROM forgotten ORDER BY 1"
        ).fetchall()
    assert told == [(session, "forgotten", "ann") for session in sorted(sessions)]
    assert list(Saved(path, "queries").entries()) == ["others"]
    found = verify(path)
    assert found.faults == ()
    assert found.forgotten > 0
    with (
        open_ledger(path) as ledger,
        al.Runtime("coder", ledger=ledger, workspace=tmp_path / "work", auto=True) as runtime,
    ):
        done = runtime.handle("<create_file><path>d.txt</path><content>new</content></create_file>")
        assert [str(each.status) for each in done.observations] == ["succeeded"]  # the journal is whole


@pytest.mark.parametrize(("room", "step"), STEPS, ids=[step for _, step in STEPS])
@pytest.mark.parametrize(
    # Behind a step is nearly where the next one begins.
    "is_behind",
    soaked([False, True], [False]),
    ids=["before", "behind"],
)
def test_whoever_is_killed_is_followed_by_the_next(tmp_path, monkeypatch, room, step, is_behind) -> None:
    """Until it is done the published copy is whole, as it was or as it is to be; the next forgetting goes on, and so does an ingest."""
    path = tmp_path / "team.duckdb"
    with open_ledger(path, in_background=False) as ledger:
        for name, text in (("bad", WORDS), ("good", KEPT)):
            ledger.record_turn(name, text)
    usual = getattr(room, step)

    def killed(*given, **named):
        if is_behind:
            usual(*given, **named)
        raise KilledError

    with open_ledger(path, in_background=False) as ledger:
        with monkeypatch.context() as patched:
            patched.setattr(room, step, killed)
            with pytest.raises(KilledError):
                ledger.forget(["bad"])
        with duckdb.connect(str(path), read_only=True) as plain:
            texts = {text for (text,) in plain.execute("SELECT text FROM turn_starts").fetchall()}
            gone = plain.execute("SELECT count(*) FROM forgotten").fetchone()[0]
        assert texts == ({KEPT} if gone else {KEPT, WORDS})
        assert erasure.go_on_forgetting(ledger).was_begun
    assert list(found_in(path)) == []
    assert verify(path).faults == ()
    with open_ledger(path, in_background=False) as ledger:
        assert ledger.sql("SELECT text FROM turns").fetchall() == [(KEPT,)]
        assert ledger.sql("SELECT count(*) FROM forgotten").fetchall() == [(1,)]


def test_a_full_disk_is_said_to_be_in_the_way_of_forgetting(tmp_path, monkeypatch) -> None:
    """Also where another act goes on with it, which it comes before; and what was half made gives its room back."""
    path = tmp_path / "team.duckdb"
    with open_ledger(path, in_background=False) as ledger:
        ledger.record_turn("bad", WORDS)
        ledger.ingest()
        with monkeypatch.context() as patched:

            def fill(new: Path) -> None:
                new.write_bytes(b"half")
                raise OSError(errno.ENOSPC, "No space left on device")

            patched.setattr(records, "connect_store", fill)
            for act in (lambda: ledger.forget(["bad"]), ledger.ingest):
                with pytest.raises(
                    LedgerError, match=r"can't forget what it was asked to.*: No space left on device\.$"
                ):
                    act()
                assert not list(path.with_name("team.duckdb.d").glob("tmp-*"))
    assert list(found_in(path)) == []


def test_what_a_live_writer_has_flushed_is_blanked(tmp_path) -> None:
    """Its segment stays, and so does what it writes on; what it still holds of a forgotten session is passed over."""
    path = tmp_path / "team.duckdb"
    with open_ledger(path, in_background=False) as writer:
        writer.record_turn("bad", WORDS)
        writer.record_turn("good", KEPT)
        writer.flush()
        with open_ledger(path, in_background=False) as other:
            other.forget(["bad"])
        assert [str(each) for each in LedgerFiles.at(path).segments.iterdir()]
        assert list(found_in(path)) == []
        writer.record_turn("bad", f"{WORDS}, once more")
        writer.record_turn("good", f"{KEPT} Still.")
        report = writer.ingest()
        assert report.forgotten
        assert writer.sql("SELECT text FROM turns ORDER BY text").fetchall() == [(KEPT,), (f"{KEPT} Still.",)]
    assert list(found_in(path)) == []
    assert verify(path).faults == ()


def test_a_session_that_is_open_is_refused(tmp_path) -> None:
    """In a sentence, and nothing is begun."""
    path = tmp_path / "team.duckdb"
    with open_ledger(path) as ledger, al.Runtime("assistant", ledger=ledger) as runtime:
        runtime.handle("Nothing to do.")
        with pytest.raises(LedgerError, match="open in a live process"):
            ledger.forget([runtime.session_id])
        assert not LedgerFiles.at(path).forgetting.exists()
        with pytest.raises(UsageError, match="no session 'x'"):
            ledger.forget(["x"])
        with pytest.raises(UsageError, match="takes several"):
            ledger.forget("x")


def test_an_import_brings_it_back_only_when_asked(tmp_path) -> None:
    """It is counted as left out by its own reason; asked for, it is there as it was, and proven."""
    path, log = tmp_path / "team.duckdb", tmp_path / "log.jsonl"
    lines = [json.dumps({"session": name, "text": text}) for name, text in (("bad", WORDS), ("good", KEPT))]
    log.write_text("\n".join(lines), encoding="utf-8")
    assert al.import_path(log, path).turns == 2
    with open_ledger(path) as ledger:
        ledger.forget(["bad"])
    report = al.import_path(log, path)
    assert (report.turns, report.known) == (0, 1)
    assert report.left_out_by_reason == {LeftOutReason.FORGOTTEN: 1}
    assert list(found_in(path)) == []
    with open_ledger(path) as ledger:
        ledger.record_turn("s", "One.")
        ledger.forget(["s"])
        with pytest.raises(UsageError, match="was forgotten"):
            ledger.record_turn("s", "Two.")
    report = al.import_path(log, path, again_forgotten=True)
    assert report.turns == 1
    with open_ledger(path) as ledger:
        assert len(ledger.sql("SELECT text FROM turns")) == 2
        assert ledger.sql("SELECT sum(count) FROM left_out WHERE reason = 'forgotten'").fetchall() == [(0,)]
    assert verify(path).faults == ()
    with open_ledger(path) as ledger:
        ledger.forget(["bad"])
    assert list(found_in(path)) == []
    assert verify(path).faults == ()


@pytest.mark.parametrize("is_said", [True, False], ids=["said to go on", "not said"])
@pytest.mark.parametrize("order", soaked([(0, 1), (1, 0)], [(0, 1)]))
def test_a_message_that_another_session_has_copied(tmp_path, order, is_said) -> None:
    """It is one turn, of the session that it was seen in first. A session that is said to go on from the forgotten one goes along; of another one
    it is its own, and stays with it, or comes in with it when that is taken in again."""
    path = tmp_path / "team.duckdb"
    turns = [al.RecordedTurn(0, WORDS, external_id="m0"), al.RecordedTurn(1, KEPT, external_id="m1")]
    parent = {"parent": "first", "relation": al.Relation.CONTINUATION} if is_said else {}
    sessions = [
        al.RecordedSession("first", "mint", "m", "", turns[:1], ids="source"),
        al.RecordedSession("second", "mint", "m", "", tuple(turns), ids="source", **parent),
    ]

    def texts() -> list[tuple[str, str]]:
        with open_ledger(path, read_only=True) as ledger:
            asked = "SELECT s.external_id, text FROM turns JOIN sessions AS s USING (session_id) ORDER BY turn_index"
            return ledger.sql(asked).fetchall()

    with open_ledger(path) as ledger:
        al.import_sessions(ledger, [sessions[place] for place in order])
        assert len(ledger.sql("SELECT text FROM turns")) == 2
        ledger.forget(["first"])
    is_seconds_own = order == (1, 0) and not is_said
    assert texts() == (
        [] if is_said else [("second", WORDS), ("second", KEPT)] if is_seconds_own else [("second", KEPT)]
    )
    assert bool(list(found_in(path))) is is_seconds_own
    with open_ledger(path) as ledger:
        al.import_sessions(ledger, sessions)
    assert texts() == ([] if is_said else [("second", WORDS), ("second", KEPT)])
    if not is_said:
        with open_ledger(path) as ledger:
            ledger.forget(["second"])
    assert list(found_in(path)) == []
    assert verify(path).faults == ()


def test_children_go_with_their_parents(tmp_path) -> None:
    """A subagent was told what its parent had to say."""
    path = tmp_path / "team.duckdb"
    sessions = [
        al.RecordedSession("top", None, "m", "", (al.RecordedTurn(0, KEPT),)),
        al.RecordedSession("kid", None, "m", "", (al.RecordedTurn(0, WORDS),), parent="top", relation=al.Relation.SUBAGENT),
        al.RecordedSession("kid's kid", None, "m", "", (al.RecordedTurn(0, WORDS),), parent="kid", relation=al.Relation.FORK),
        al.RecordedSession("other", None, "m", "", (al.RecordedTurn(0, KEPT),)),
    ]  # fmt: skip
    with open_ledger(path) as ledger:
        al.import_sessions(ledger, sessions)
        report = ledger.forget(["top"])
        assert len(report.sessions) == 3
        assert ledger.sql("SELECT external_id FROM sessions").fetchall() == [("other",)]
    assert list(found_in(path)) == []


def test_the_text_that_was_looked_for_is_no_part_of_the_rule() -> None:
    """What sessions were found by stays in the record of their forgetting; a text of theirs would."""
    assert _rule(Filter(models=("small",), text="Zaphod")) == "model small, a text"
    assert _rule(Filter(text="Zaphod")) == "a text"
    assert _rule(Filter(tasks=("t",))) == "task t"


def test_more_sessions_go_at_once_than_a_process_can_have_files_open(tmp_path) -> None:
    """Retention by age picks thousands; and what is being forgotten is opened by nobody, though no lock is held."""
    path = tmp_path / "team.duckdb"
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    with open_ledger(path, in_background=False) as ledger:
        turns = (al.RecordedTurn(0, KEPT),)
        al.import_sessions(
            ledger, [al.RecordedSession(f"s{number}", None, "m", "", turns) for number in range(80)]
        )
        ledger.ingest()
        sessions = [each for (each,) in ledger.sql("SELECT session_id::VARCHAR FROM sessions").fetchall()]
        resource.setrlimit(
            resource.RLIMIT_NOFILE,
            (max(int(each.name) for each in Path("/dev/fd").iterdir()) + 40, limits[1]),
        )
        try:
            report = erasure.forget(ledger, sessions[1:])
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        assert len(report.sessions) == 79
        Intent.of(sessions[:1], [], [], forgotten_by="ann", why="").save(LedgerFiles.at(path))
        with pytest.raises(LedgerError, match="is being erased"):
            ledger.internals.session_lock(sessions[0]).acquire()
        assert not list(LedgerFiles.at(path).sessions.iterdir())


def test_one_forgets_at_a_time(tmp_path, monkeypatch) -> None:
    """There is one file that says what is to be forgotten: two who write it at once would forget one's sessions, and tell both that they had."""
    path = tmp_path / "team.duckdb"
    monkeypatch.setattr(erasure, "_PATIENCE_SECONDS", 0.0)
    with open_ledger(path, in_background=False) as ledger:
        ledger.record_turn("bad", WORDS)
        lock = FileLock(LedgerFiles.at(path).forgetting_lock)
        assert lock.acquire()
        with pytest.raises(LedgerError, match="has been forgetting"):
            ledger.forget(["bad"])
        lock.release()
        assert ledger.forget(["bad"]).counts["turn_starts"] == 1


def test_what_an_import_was_called_goes_with_its_sessions(tmp_path) -> None:
    """A file may have a session's name, and a line of it that was refused may be quoted; a run that has other sessions stays."""
    path, log = tmp_path / "team.duckdb", tmp_path / "Zaphod.jsonl"
    log.write_text(
        json.dumps({"session": "bad", "text": WORDS}) + f"\nno line of {WORDS}\n", encoding="utf-8"
    )
    al.import_path(log, path)
    with open_ledger(path, in_background=False) as ledger:
        ledger.record_turn("good", KEPT)
        ledger.ingest()
        ledger.forget(["bad"])
        assert ledger.sql("SELECT count(*) FROM runs").fetchall() == [(1,)]
    assert list(found_in(path)) == []
    assert verify(path).faults == ()


def test_tools_of_a_forgotten_session_go_out_of_live_segments(tmp_path) -> None:
    """They are of no session, and were offered in no other one; those that another session was offered stay."""
    path = tmp_path / "team.duckdb"
    tools = {
        name: [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}]
        for name in ("Zaphod", "others")
    }
    with open_ledger(path, in_background=False) as writer:
        writer.record_turn("bad", KEPT, tools=tools["Zaphod"])
        writer.record_turn("good", KEPT, tools=tools["others"])
        writer.flush()
        with open_ledger(path, in_background=False) as other:
            other.forget(["bad"])
        [segment] = LedgerFiles.at(path).segments.iterdir()
        assert b"Zaphod" not in segment.read_bytes()
        assert b"others" in segment.read_bytes()
        writer.record_turn("good", f"{KEPT} Still.")
        writer.ingest()
        assert len(writer.sql("FROM tools")) == 1
    assert list(found_in(path)) == []
    assert verify(path).faults == ()


def beside(path: Path, workspace: Path) -> list[str]:
    """Make a ledger whose words lie beside the records in every place; return the ids of the sessions that hold them."""
    with open_ledger(path, in_background=False) as ledger:
        with al.Runtime("coder", ledger=ledger, workspace=workspace, auto=True) as runtime:
            runtime.handle(f"<create_file><path>a.txt</path><content>{WORDS}</content></create_file>")
            bad = runtime.session_id
        with al.Runtime("coder", ledger=ledger, workspace=workspace, auto=True) as runtime:
            runtime.handle("<delete_file><path>a.txt</path></delete_file>")  # it has found the words there
            runtime.handle(f"<create_file><path>c.txt</path><content>{KEPT}</content></create_file>")
        ledger.record_turn("named", WORDS)
        ledger.ingest()
        [(named,)] = ledger.sql(
            "SELECT session_id::VARCHAR FROM sessions WHERE external_id = 'named'"
        ).fetchall()
    Saved(path, "queries").put("mine", f"FROM turns WHERE session_id = '{named}' -- {WORDS}")
    assert LineSpool(LedgerFiles.at(path).held).add([SpooledLine("g", (named,), WORDS)])
    return [bad, named]


@pytest.mark.parametrize("is_behind", [False, True], ids=["before", "behind"])
@pytest.mark.parametrize(
    ("room", "step"),
    [
        (effects, "_rewrite"),
        (Contents, "keep_only"),
        (Objects, "remove"),
        (Objects, "remove_all_but"),
        (erasure, "erase_spooled"),
    ],
    ids=["lines of effects", "contents of effects", "contents of states", "states of the dead", "held"],
)  # fmt: skip
def test_whoever_is_killed_between_two_files_is_followed_by_the_next(
    tmp_path, monkeypatch, room, step, is_behind
) -> None:
    """The same call again finds what is left, though what named it may be gone, and says what was done."""
    path = tmp_path / "team.duckdb"
    sessions = beside(path, tmp_path / "work")
    usual = getattr(room, step)

    def killed(*given, **named):
        if is_behind:
            usual(*given, **named)
        raise KilledError

    with open_ledger(path, in_background=False) as ledger:
        with monkeypatch.context() as patched:
            patched.setattr(room, step, killed)
            with pytest.raises(KilledError):
                ledger.forget([sessions[0], "named"])
        report = ledger.forget([sessions[0], "named"])
    assert report.was_begun
    assert set(report.sessions) == set(sessions)
    assert list(found_in(path)) == []
    assert verify(path).faults == ()


@pytest.mark.parametrize("name", ["manifest", "state", "held", "saved", "another's manifest"])
def test_what_cant_be_read_isnt_taken_for_nothing(tmp_path, monkeypatch, name) -> None:
    """A disk that fails once leaves neither a part of the session nor another's states without what they need."""
    path = tmp_path / "team.duckdb"
    sessions = beside(path, tmp_path / "work")
    files = LedgerFiles.at(path)
    [other] = {each.stem for each in files.manifests.glob("*.jsonl")} - set(sessions)
    begun = read_states(files.manifests, sessions[0]).begun.state
    [held] = files.held.glob("*.jsonl")
    whole = restored_paths(files.manifests, other)
    failing = {
        "manifest": files.manifests / f"{sessions[0]}.jsonl",
        "state": files.manifests / "objects" / begun[:2] / begun,
        "held": held,
        "saved": Saved(path, "queries").path,
        "another's manifest": files.manifests / f"{other}.jsonl",
    }[name]
    with open_ledger(path, in_background=False) as ledger:
        with monkeypatch.context() as patched:
            fail_to_open(patched, failing)
            with pytest.raises(LedgerError, match="Input/output error"):
                ledger.forget([sessions[0], "named"])
        assert ledger.forget([sessions[0], "named"]).was_begun
    assert list(found_in(path)) == []
    assert restored_paths(files.manifests, other) == whole


def restored_paths(folder: Path, session: str) -> set[str]:
    """Return what can still be put back of a session's last state and is its own."""
    kept = read_states(folder, session)
    changes = [change for line in kept.lines if isinstance(line, Effects) for change in line.as_changes]
    return {change.path for change in changes if change.after and kept.objects.get(change.after.digest)}


def fail_to_open(patched: pytest.MonkeyPatch, failing: Path) -> None:
    """Have a disk fail at one file."""
    usual_open, usual_os = io.open, os.open

    def opened(file, *given, **named):
        if str(file) == str(failing):
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(file))
        return usual_open(file, *given, **named)

    def opened_by_system(file, *given, **named):
        if str(file) == str(failing):
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(file))
        return usual_os(file, *given, **named)

    patched.setattr(io, "open", opened)
    patched.setattr(os, "open", opened_by_system)


def test_a_saved_query_that_cant_be_removed_is_said(tmp_path, monkeypatch) -> None:
    """It names the session: to pass it over would leave it there for good."""
    path = tmp_path / "team.duckdb"
    beside(path, tmp_path / "work")
    with open_ledger(path, in_background=False) as ledger:
        with monkeypatch.context() as patched:

            def fail(*_: object) -> None:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

            patched.setattr(Saved, "_write", fail)
            with pytest.raises(LedgerError, match=r"queries can't be saved.*No space left"):
                ledger.forget(["named"])
        ledger.forget(["named"])
    assert list(Saved(path, "queries").entries()) == []


def test_what_a_killed_session_has_kept_and_not_said_yet(tmp_path) -> None:
    """No manifest names it, nor what was half written: it goes, unless it may be a live session's, which keeps what it has just kept."""
    path = tmp_path / "team.duckdb"
    sessions = beside(path, tmp_path / "work")
    objects = LedgerFiles.at(path).manifests / "objects"
    Objects(objects, 1000).keep(WORDS.encode(), digest_of(WORDS.encode()))
    half = objects / "00" / ".half.tmp"
    half.parent.mkdir(exist_ok=True)
    half.write_bytes(zlib.compress(WORDS.encode()))
    for each in objects.glob("*/*"):
        os.utime(each, (each.stat().st_mtime - 10,) * 2)
    with open_ledger(path, in_background=False) as ledger:
        with al.Runtime("coder", ledger=ledger, workspace=tmp_path / "live", auto=True) as runtime:
            runtime.handle("<create_file><path>d.txt</path><content>d</content></create_file>")
            ledger.forget(["named"])
            assert not half.exists()
            kept = read_states(LedgerFiles.at(path).manifests, runtime.session_id)
            assert kept.last is not None
        ledger.forget(sessions[:1])
    assert list(found_in(path)) == []


def test_a_half_kept_content_that_is_removed_is_kept_again(tmp_path, monkeypatch) -> None:
    """A session that lives beside a forgetting loses nothing by it."""
    objects, usual = Objects(tmp_path / "objects", 1000), os.write
    raced = []

    def written(descriptor: int, data: bytes) -> int:
        if not raced:
            raced.append(True)
            objects.remove_unfinished()
        return usual(descriptor, data)

    monkeypatch.setattr(os, "write", written)
    objects.keep(KEPT.encode(), digest_of(KEPT.encode()))
    assert raced
    assert objects.get(digest_of(KEPT.encode())) == KEPT.encode()


def test_a_kept_workspace_that_cant_be_removed_is_said(tmp_path, monkeypatch) -> None:
    """The sentence names the folder, and the next one goes on."""
    path = tmp_path / "team.duckdb"
    monkeypatch.setattr(erasure.tempfile, "tempdir", str(tmp_path))
    with open_ledger(path, in_background=False) as ledger:
        with al.Runtime("coder", ledger=ledger, auto=True) as runtime:
            runtime.handle("Nothing.")
            place = Path(runtime.workspace)
        place.mkdir(exist_ok=True)  # as it is kept for a session that waits for somebody
        (place / "a.txt").write_text(WORDS, encoding="utf-8")
        with monkeypatch.context() as patched:

            def fail(path: Path, **_: object) -> None:
                raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))

            patched.setattr(shutil, "rmtree", fail)
            with pytest.raises(
                LedgerError, match=r"folder .*actionledger-.* can't be removed: Input/output error\."
            ):
                ledger.forget([runtime.session_id])
        ledger.forget([runtime.session_id])
    assert not place.exists()
