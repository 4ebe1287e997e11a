"""Files of any format into a ledger: found, recognised, taken in once, and what goes wrong with one of them is told."""

import gzip
import io
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import zipfile
from pathlib import Path

import duckdb
import pytest
from interrupting import heard

from actionledger.core.errors import SourceError
from actionledger.core.recordings import RecordedSession, RecordedTurn
from actionledger.core.vocabulary import Capture, LeftOutReason
from actionledger.imports import import_path
from actionledger.imports.importer import Importer
from actionledger.imports.plan_importer import ImportStopped
from actionledger.imports.reading import read_turn
from actionledger.imports.report import ImportReport
from actionledger.imports.sources import registry
from actionledger.imports.sources.base import Source
from actionledger.imports.sources.registry import sources
from actionledger.ledger import open_ledger
from actionledger.ledger.queries.recorded import known
from actionledger.ledger.storage import imported_files
from actionledger.ledger.storage.imported_files import TakenFiles

MINT = {
    "state": {
        "history": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}],
        "success": True,
    },
    "task": {"task_name": "math", "task_id": 7},
}


def line(session: str = "s", text: str = "hi", **more: object) -> str:
    return json.dumps({"session": session, "text": text} | more) + "\n"


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "team.duckdb"


@pytest.fixture
def logs(tmp_path) -> Path:
    """A folder of files of several formats, and of none."""
    folder = tmp_path / "logs"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.jsonl").write_text(line() * 2)
    (folder / "deep/a.jsonl.gz").write_bytes(gzip.compress(line("t").encode()))
    (folder / "deep/results.jsonl").write_text(json.dumps(MINT))
    (folder / "b.csv").write_text("session,text\nc,hi\n")
    (folder / "other.jsonl").write_text('{"level": "info"}')
    (folder / "notes.md").write_text("session,text")
    with zipfile.ZipFile(folder / "old.zip", "w") as archive:
        archive.writestr("x/a.jsonl", line("z"))
        archive.writestr("x/readme.txt", "nothing")
    return folder


def counts(path: Path) -> dict[str, int]:
    with open_ledger(path, read_only=True) as ledger:
        tables = ("sessions", "turns", "parse_attempts", "runs", "events", "left_out")
        return {name: ledger.sql(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables}


def test_a_folder_holds_several_formats(logs, path):
    """Each file is what it is, and what is none is counted; formats whose names are a file's own are told apart by it."""
    report = import_path(logs, path)
    assert (report.sessions, report.turns, report.refusals) == (5, 6, [])
    assert dict(report.files) == {"jsonl": 3, "mint": 1, "table": 1}
    assert report.sureness == {"jsonl": 0.9, "mint": 1.0, "table": 0.9}
    unknown = {(Path(file).name, detail): count for (file, _, detail), count in report.left_out.items()}
    assert unknown == {("logs", ".jsonl"): 1, ("logs", ".md"): 1, ("old.zip", ".txt"): 1}
    assert set(report.left_out_by_reason) == {LeftOutReason.UNKNOWN_FORMAT}
    with open_ledger(path, read_only=True) as ledger:
        named = {row[0] for row in ledger.sql("SELECT source FROM sessions").fetchall()}
    assert named == {"a", "deep/a", "x/a", "b", "mint"}


def test_what_is_counted_at_each_file_is_its_own(path, tmp_path, monkeypatch):
    """Files that are each a source of their own take time in proportion to them: nobody asks all of them at each."""
    for number in range(60):
        (tmp_path / f"{number}.jsonl").write_text(line(session=f"s{number}") + ("{\n" if number % 2 else ""))
    asked, looked_at = [], ImportReport.looked_at
    monkeypatch.setattr(
        ImportReport, "looked_at", property(lambda self: asked.append(1) or looked_at.fget(self))
    )
    told = []
    report = import_path(tmp_path, path, workers=1, on_progress=lambda progress: told.append(progress.turns))
    assert (report.turns, len(report.refusals), max(told)) == (60, 30, 60)
    assert len(asked) < 5 * 60


def test_a_folder_that_can_not_be_looked_into_is_refused(logs, path, monkeypatch):
    """The others are taken in; nobody takes what is in it for taken in."""
    scandir = os.scandir

    def closed(place):
        if place == str(logs / "deep"):
            raise PermissionError(13, "Permission denied", str(place))
        return scandir(place)

    monkeypatch.setattr(os, "scandir", closed)
    report = import_path(logs, path)
    assert [refusal.file for refusal in report.refusals] == [str(logs / "deep")]
    assert dict(report.files) == {"jsonl": 2, "table": 1}


def test_a_second_import_reads_nothing(logs, path, monkeypatch):
    """Files are known by what they are; nothing is opened that loads the rest of the toolkit, and no event is added."""
    import_path(logs, path)
    before = counts(path)
    monkeypatch.setattr("actionledger.ledger.opening.open_ledger", None)
    report = import_path(logs, path)
    assert (report.unchanged, report.turns, report.known) == (5, 0, 0)
    assert report.left_out_by_reason == {LeftOutReason.UNKNOWN_FORMAT: 2}
    assert counts(path) == before


def test_what_changed_is_read_again_and_known_turn_by_turn(logs, path):
    """One file grew, one was touched, one has another content of the same size and time: the others are passed over."""
    import_path(logs, path)
    with (logs / "a.jsonl").open("a") as file:
        file.write(line(text="more"))
    (logs / "b.csv").touch()
    status = (logs / "deep/results.jsonl").stat()
    (logs / "deep/results.jsonl").write_text(json.dumps(MINT).replace('"task_id": 7', '"task_id": 8'))
    os.utime(logs / "deep/results.jsonl", ns=(status.st_atime_ns, status.st_mtime_ns))
    report = import_path(logs, path)
    assert (report.unchanged, report.turns, report.known) == (2, 2, 3)


def test_what_was_taken_in_is_for_the_owner_and_holds_no_secret(path, tmp_path):
    """The note of it is readable to nobody else, whatever was there, and keeps no key that a source is called by; it is known again."""
    key = "sk-proj-" + "a1B2" * 12
    log = tmp_path / "log.jsonl"
    log.write_text(line())
    taken = Path(f"{path}.d/taken.json")
    for more in ("", "more"):
        log.write_text(line() + (line("t") if more else ""))
        assert import_path(log, path, source=f"app {key}").turns == 1
        assert taken.stat().st_mode & 0o777 == 0o600
        assert key not in taken.read_text()
        assert import_path(log, path, source=f"app {key}").unchanged == 1
        taken.chmod(0o644)


@pytest.mark.parametrize("lost", ["taken", "ledger", "damaged", "version"])
def test_what_was_remembered_may_go(logs, path, lost, monkeypatch):
    """Then files are read again, and nothing is doubled; a ledger that is gone is made anew."""
    import_path(logs, path)
    before = counts(path)
    taken = Path(f"{path}.d/taken.json")
    match lost:
        case "taken":
            taken.unlink()
        case "damaged":
            taken.write_bytes(taken.read_bytes()[:50])
        case "ledger":
            path.unlink()
        case "version":
            monkeypatch.setattr(imported_files, "_VERSION", "another")
    report = import_path(logs, path)
    assert (report.unchanged, report.turns, report.known) == (0, 0, 6)
    assert counts(path) == before


def test_a_file_with_a_trouble_is_told_of_again(tmp_path, path):
    """What is refused, and what has other content under the same id, is said every time; nothing is doubled."""
    log = tmp_path / "log.jsonl"
    log.write_text(line(turn=0) + "oops\n")
    assert len(import_path(log, path).refusals) == 1
    assert len(import_path(log, path).refusals) == 1
    log.write_text(line(turn=0, text="another"))
    for _ in range(2):
        report = import_path(log, path)
        assert (len(report.differing), report.turns, report.unchanged) == (1, 0, 0)
    assert counts(path)["turns"] == 1


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_archive_with_several_files_of_one_name_says_so_each_time(tmp_path, path):
    """The last one is read, as whoever unpacks it finds it; a name that leads out of it may be another one's."""
    packed = tmp_path / "two.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for name, session in (
            ("a.jsonl", "first"),
            ("a.jsonl", "second"),
            ("../a.jsonl", "third"),
            ("b.jsonl", "b"),
        ):
            archive.writestr(name, line(session))
    for turns in (2, 0):
        report = import_path(packed, path)
        assert (report.turns, [refused.file for refused in report.refusals]) == (
            turns,
            [str(packed / "a.jsonl")],
        )
        assert "3 files of this name" in report.refusals[0].reason


def test_what_differs_is_told_with_its_file(tmp_path, path):
    """Of several that were named it is the one to look into."""
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    first.write_text(line(turn=0))
    second.write_text(line(turn=0, text="another"))
    [told] = import_path([first, second], path, source="log").differing
    assert told.file == str(second)


def test_a_format_that_is_said_is_another_reading(tmp_path, path):
    """What was passed over as it was is read again where people say how."""
    log = tmp_path / "log.jsonl"
    log.write_text(line())
    import_path(log, path)
    report = import_path(log, path, format="jsonl", source="other")
    assert (report.unchanged, report.turns, report.sureness) == (0, 1, {"jsonl": 1.0})
    assert import_path(log, path, format="jsonl", source="other").unchanged == 1


def test_a_name_that_lies_changes_nothing(tmp_path, path):
    """Content decides: a table called lines, lines called a table, an archive called lines, and no name at all."""
    (tmp_path / "t.jsonl").write_text("session,text\na,x\n")
    (tmp_path / "l.csv").write_text(line("b"))
    (tmp_path / "bare").write_text(line("c"))
    with zipfile.ZipFile(tmp_path / "z.jsonl", "w") as archive:
        archive.writestr("x.jsonl", line("d"))
    names = ("t.jsonl", "l.csv", "bare", "z.jsonl")
    report = import_path([tmp_path / name for name in names], path)
    assert (report.turns, dict(report.files), report.refusals) == (4, {"jsonl": 3, "table": 1}, [])


def test_one_bad_file_of_several_is_refused_alone(tmp_path, path):
    """Named ones are refused with what they are, the others are taken in; the exit of the reader of one is not the end of all."""
    (tmp_path / "good.jsonl").write_text(line())
    (tmp_path / "bad.jsonl").write_bytes(b"SQLite format 3\0")
    (tmp_path / "cut.zip").write_bytes(b"PK\x03\x04cut")
    report = import_path([tmp_path / name for name in ("bad.jsonl", "cut.zip", "good.jsonl")], path)
    assert report.turns == 1
    assert ["not a database" in each.reason for each in report.refusals] == [True, False]
    assert "can't be read" in report.refusals[1].reason
    with open_ledger(path, read_only=True) as ledger:
        kept = ledger.sql("SELECT count(*) FROM events WHERE code = 'line_refused'").fetchone()
    assert kept == (2,)


def test_a_reader_with_a_fault_loses_no_other_file(tmp_path, path, monkeypatch):
    """What it gave is kept, where it gave up is refused, and the next file is read."""

    def read(file: Path, on_read: object = None):
        yield RecordedSession(file.stem, None, "", "", (RecordedTurn(0, "x"),))
        raise KeyError("no such field")

    broken = Source(
        "broken", "Broken", Capture.TEXT, read, lambda sample: float(b"broken" in sample.head), ("*.log",)
    )
    monkeypatch.setattr(registry, "_offered", lambda: (broken,))
    sources.cache_clear()
    try:
        for name in ("a.log", "b.log"):
            (tmp_path / name).write_text("broken")
        report = import_path(tmp_path, path)
    finally:
        monkeypatch.undo()
        sources.cache_clear()
    assert report.turns == 2
    assert ["The reader of broken gives up here: KeyError" in each.reason for each in report.refusals] == [
        True,
        True,
    ]


def test_a_session_of_an_unknown_profile_is_refused_alone(tmp_path, path):
    (tmp_path / "log.jsonl").write_text(line("a", profile="pilot") + line("b"))
    report = import_path(tmp_path / "log.jsonl", path)
    assert report.turns == 1
    assert "Session 'a': There is no profile 'pilot'. Known: assistant" in report.refusals[0].reason


def test_an_open_ledger_stays_open(tmp_path, path):
    """One that is given is its owner's to close; the report says what raw text looks like."""
    (tmp_path / "log.jsonl").write_text(line(text="<execute>1</execute>") + line())
    with open_ledger(path) as ledger:
        report = import_path(str(tmp_path / "log.jsonl"), ledger)
        assert (report.searched, dict(report.found)) == (2, {"mint": 1})
        assert ledger.sql("SELECT count(*) FROM turns").fetchone() == (2,)
        told = import_path(tmp_path / "log.jsonl", ledger, source="told", dialects=["hermes"])
        assert (told.turns, told.searched) == (2, 0)


def test_a_pattern_means_files(logs, path):
    """Also below folders; what fits and is no recording is left out."""
    report = import_path(str(logs / "**/*.jsonl*"), path)
    assert dict(report.files) == {"jsonl": 2, "mint": 1}
    with pytest.raises(SourceError, match="No file fits the pattern"):
        import_path(str(logs / "*.none"), path)


def test_a_ledgers_own_folder_is_no_recording(tmp_path, monkeypatch):
    """Its lines are what it has recorded."""
    (tmp_path / "log.jsonl").write_text(line())
    monkeypatch.chdir(tmp_path)
    import_path(".", "team.duckdb")
    report = import_path(".", "team.duckdb")
    assert report.unchanged == 1
    assert {detail for _, _, detail in report.left_out} == {".duckdb"}


def test_one_who_stops_is_told_and_goes_on(tmp_path, path, monkeypatch):
    """Files that were read whole are remembered, the others are read again, and nothing is doubled."""
    for name in "abc":
        (tmp_path / f"{name}.jsonl").write_text(line(name) + line(name))
    take, seen = Importer.take, []

    def stop_at_third(self, item, *rest):
        seen.append(item)
        if len(seen) == 3:
            raise KeyboardInterrupt
        return take(self, item, *rest)

    monkeypatch.setattr(Importer, "take", stop_at_third)
    with pytest.raises(ImportStopped) as stopped:
        import_path(tmp_path / "*.jsonl", path)
    assert (stopped.value.report.turns, stopped.value.report.sessions) == (4, 2)
    monkeypatch.undo()
    report = import_path(tmp_path / "*.jsonl", path)
    assert (report.unchanged, report.turns, counts(path)["turns"]) == (2, 2, 6)


def test_a_turn_in_which_somebody_stops_is_kept_whole_and_counted(tmp_path, path, monkeypatch):
    """Ctrl-C in the middle of one waits for its end."""
    (tmp_path / "log.jsonl").write_text("".join(line(f"s{n}") for n in range(3)))
    read = []

    def stopped_within(*given, **more):
        read.append(given)
        if len(read) == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return read_turn(*given, **more)

    monkeypatch.setattr("actionledger.imports.importer.read_turn", stopped_within)
    with heard(), pytest.raises(ImportStopped) as stopped:
        import_path(tmp_path / "log.jsonl", path)
    there = counts(path)
    assert (stopped.value.report.turns, there["turns"], there["parse_attempts"]) == (2, 2, 2)


def test_one_that_is_killed_goes_on(tmp_path, path, forked):
    """Nothing was remembered, and what was recorded is known turn by turn."""
    (tmp_path / "log.jsonl").write_text("".join(line(f"s{n}", "x" * 2000) for n in range(1000)))
    code = (
        "import os, sys, actionledger as al\n"
        "def tell(now):\n    if now.turns > 500: os.kill(os.getpid(), 9)\n"
        "al.import_path(sys.argv[1], sys.argv[2], on_progress=tell)"
    )
    done = forked.run(code, tmp_path, tmp_path / "log.jsonl", path)
    assert done.returncode == -9
    report = import_path(tmp_path / "log.jsonl", path)
    assert report.turns + report.known == 1000
    assert counts(path)["turns"] == 1000


def test_what_is_piped_in_is_taken_as_it_comes(path):
    """A stream that never ends: each turn is there before the next one comes, and who stops it is told what was kept."""
    code = (
        "import signal, sys, threading, _thread, actionledger as al\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background has it ignored\n"
        "def tell(now):\n    print(now.turns, flush=True)\n    if now.turns == 3: _thread.interrupt_main()\n"
        "try:\n    al.import_path('-', sys.argv[1], on_progress=tell)\n"
        "except KeyboardInterrupt as stopped:\n    print('kept', stopped.report.turns, flush=True)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    with process:
        for n in range(3):
            process.stdin.write(line(text=f"turn {n}"))
            process.stdin.flush()
            while process.stdout.readline().strip() != str(n + 1):
                pass
        said = [each.strip() for each in process.stdout]
        process.stdin = None
    assert said[-1] == "kept 3"
    assert counts(path)["turns"] == 3


def test_progress_says_how_far_it_is(logs, path):
    """In bytes and turns; the last word is all of it."""
    told = []
    import_path([logs / "a.jsonl", logs / "deep"], path, on_progress=told.append)
    assert (
        told[-1].bytes
        == told[-1].total
        == sum(file.stat().st_size for file in (logs / "a.jsonl", *(logs / "deep").iterdir()))
    )
    assert told[-1].turns == 4
    assert [each.bytes for each in told] == sorted(each.bytes for each in told)


def test_what_a_ledger_has_is_asked_for_once(tmp_path, path, monkeypatch):
    """However many files there are whose names are their own."""
    for n in range(20):
        (tmp_path / f"{n}.jsonl").write_text(line())
    asked = []
    monkeypatch.setattr(
        "actionledger.imports.sessions.known", lambda *given: (asked.append(given), known(*given))[1]
    )
    assert (import_path(tmp_path / "0.jsonl", path).turns, asked) == (1, []), "of a new one, nothing"
    report = import_path(tmp_path, path)
    assert (report.turns, len(asked)) == (19, 1)
    for file in tmp_path.glob("*.jsonl"):
        file.touch()
    assert import_path(tmp_path, path).known == 20


def test_what_others_bring_while_it_reads_is_not_new(tmp_path, path):
    """Of a new ledger, too, which was asked nothing: whoever records a turn first has brought it."""
    (tmp_path / "a.jsonl").write_text(line())
    others = []

    def tell(_progress):
        if not others:
            others.append(None)
            others[0] = import_path(tmp_path / "a.jsonl", path)

    report = import_path(tmp_path / "a.jsonl", path, on_progress=tell)
    assert [(each.turns, each.known, each.is_settled) for each in (others[0], report)] == [
        (1, 0, True),
        (0, 1, True),
    ]
    assert counts(path)["turns"] == 1


def test_links_that_lead_nowhere_or_in_circles_are_no_files(tmp_path, path):
    """A folder is walked once."""
    (tmp_path / "log.jsonl").write_text(line())
    (tmp_path / "circle").symlink_to(tmp_path)
    (tmp_path / "nowhere.jsonl").symlink_to(tmp_path / "missing")
    os.mkfifo(tmp_path / "pipe.jsonl")
    assert import_path(tmp_path, path).turns == 1


@pytest.mark.parametrize("kind", ["pipe", "device", "socket"])
def test_a_stream_that_is_named_as_a_file_is_refused_at_once(tmp_path, path, kind):
    """A file is read from its beginning more than once: a pipe would wait for ever for who has written to it, and a device has no end."""
    named = tmp_path / "log.jsonl"
    if kind == "pipe":
        os.mkfifo(named)
    elif kind == "socket":
        socket.socket(socket.AF_UNIX).bind(str(named))
    else:
        named = Path("/dev/zero")
    with pytest.raises(SourceError, match="give it as the standard input: actionledger import - < "):
        import_path(named, path)
    assert not path.exists()


def test_a_file_that_vanishes_is_refused(tmp_path, path):
    """What was there is taken in."""
    for name in "ab":
        (tmp_path / f"{name}.jsonl").write_text(line(name))
    report = import_path(tmp_path, path, on_progress=lambda _: (tmp_path / "b.jsonl").unlink(missing_ok=True))
    assert report.turns == 1
    assert "can't be read: No such file" in report.refusals[0].reason


def test_nothing_is_remembered_of_a_pipe(path, monkeypatch):
    """It is gone when it was read."""
    for _ in range(2):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(line().encode()))))
        report = import_path("-", path)
        assert (report.turns + report.known, report.unchanged) == (1, 0)
    assert TakenFiles.of(path)._files == {}


MEASURED = """
import sys
from pathlib import Path
import actionledger as al
report = al.import_path(sys.argv[1], sys.argv[2])
# What getrusage says is that of the process before this one as well, whose memory it was started with.
peak = next(line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(report.turns, len(report.refusals), peak)
"""


@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="only Linux says what a process held at most"
)
@pytest.mark.parametrize(
    "size",
    [2**28, pytest.param(5 * 2**30, marks=pytest.mark.soak)],
    ids=["a quarter of a GB", "5 GB"],
)
@pytest.mark.soak
def test_a_large_file_takes_little_memory(tmp_path, path, size):
    """Also where it is one line without an end: what is too long is refused, what stands before and behind it is taken in."""
    log = tmp_path / "log.jsonl"
    with log.open("wb") as file:
        file.write(line().encode())
        file.truncate(size)
        file.seek(0, os.SEEK_END)
        file.write(b"\n" + line().encode())
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, log, path], check=True, capture_output=True, text=True
    )
    turns, refused, kibibytes = map(int, done.stdout.split())
    assert (turns, refused) == (2, 1)
    assert kibibytes < 200 * 1024


def test_a_turn_whose_text_somebody_has_taken_out_is_another_one(tmp_path):
    """A notebook may write into a published file whose working file is gone: an import says so, and goes on."""
    log, path = tmp_path / "log.jsonl", tmp_path / "team.duckdb"
    lines = [json.dumps({"session": "a", "turn": number, "text": f"{number}"}) for number in range(3)]
    log.write_text("\n".join(lines[:2]))
    assert import_path(log, path).turns == 2
    shutil.rmtree(f"{path}.d")
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE turn_starts SET text = NULL, characters = NULL, call_count = NULL")
    log.write_text("\n".join(lines))
    report = import_path(log, path)
    assert (report.turns, len(report.differing)) == (1, 2)
