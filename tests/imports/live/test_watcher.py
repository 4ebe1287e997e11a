"""A folder that others write into is taken in as it grows, each thing once."""

import gc
import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any

import duckdb
import pytest
import watchfiles
import wire_bodies as bodies
from forked_python import COMMAND, ForkedPython

import actionledger as al
from actionledger.cli.capture import watch
from actionledger.core.errors import SourceError, UnknownNameError
from actionledger.imports import ImportReport
from actionledger.imports.live import watcher as watching
from actionledger.imports.live.watcher import LONGEST_PAUSE, PAUSE, Watcher
from actionledger.ledger.queries.recorded import _OPEN_CALLS, known
from actionledger.ledger.storage.memory import FIRST_VARIABLE

AGENTS = Path(__file__).parents[3] / "data" / "agents"


def line(number: int) -> str:
    asked = {"model": "gpt-x", "messages": [{"role": "user", "content": f"Add {number}."}]}
    return json.dumps({"request": asked, "response": bodies.chat(str(number))}) + "\n"


def write(path: Path, *lines: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.writelines(lines)


def turns(ledger: al.Ledger) -> int:
    return ledger.sql("SELECT count(*) FROM turns").fetchall()[0][0]


@contextmanager
def watched(folder: Path, ledger: al.Ledger) -> Iterator["SimpleQueue[ImportReport]"]:
    """Watch in a thread; what was taken in comes through a queue."""
    taken: SimpleQueue[ImportReport] = SimpleQueue()
    stop = Event()
    thread = Thread(target=Watcher(folder, ledger, stop=stop).run, args=(taken.put,))
    thread.start()
    yield taken
    stop.set()
    thread.join(120)
    assert not thread.is_alive()


def test_what_is_there_and_what_comes_is_taken_in_once(tmp_path: Path, ledger: al.Ledger):
    """New lines, new files and new folders; what was there is passed over."""
    folder = tmp_path / "projects"
    write(folder / "a.jsonl", line(1))
    with watched(folder, ledger) as taken:
        assert taken.get(timeout=300).turns == 1
        write(folder / "a.jsonl", line(2), line(3))
        assert taken.get(timeout=300).turns == 2
        write(folder / "new" / "b.jsonl", line(4))
        assert taken.get(timeout=300).turns == 1
    assert turns(ledger) == 4
    assert Watcher(folder, ledger).take().turns == 0
    assert turns(ledger) == 4


def test_a_line_that_comes_before_the_system_watches_is_imported(
    tmp_path: Path, ledger: al.Ledger, monkeypatch
):
    """Nothing tells of it: it was written after the first import and before the watch began."""
    folder = tmp_path / "projects"
    write(folder / "a.jsonl", line(1))

    def watch(*_: object, stop_event: Event, **__: object) -> Iterator[set[object]]:
        write(folder / "a.jsonl", line(2))
        while not stop_event.wait(0.05):
            yield set()

    monkeypatch.setattr(watchfiles, "watch", watch)
    with watched(folder, ledger) as taken:
        assert [taken.get(timeout=300).turns for _ in range(2)] == [1, 1]


def test_what_the_system_can_not_tell_of_is_looked_for(tmp_path: Path, ledger: al.Ledger):
    """A name that is no UTF-8 ends what tells of changes, and neither the watch nor what comes later."""
    folder = tmp_path / "projects"
    write(folder / "a.jsonl", line(1))
    try:
        (folder / os.fsdecode(b"in\xff")).mkdir()
    except OSError:
        pytest.skip("this file system takes names in UTF-8 alone")
    with watched(folder, ledger) as taken:
        assert taken.get(timeout=300).turns == 1
        write(folder / "b.jsonl", line(2))
        assert taken.get(timeout=300).turns == 1
        write(folder / os.fsdecode(b"in\xff") / "c.jsonl", line(3))
        assert taken.get(timeout=300).turns == 1


@pytest.mark.parametrize(("took", "pause"), [(0.5, 0.5 * PAUSE), (600.0, LONGEST_PAUSE)])
def test_the_wait_after_a_reading_follows_its_processor_time_and_has_a_limit(
    tmp_path: Path, ledger: al.Ledger, monkeypatch: pytest.MonkeyPatch, took: float, pause: float
):
    """A busy machine makes no wait longer, and what comes faster than it is read no wait longer than the last."""
    write(tmp_path / "in" / "a.jsonl", line(0))
    used = iter((100.0, 100.0 + took))
    monkeypatch.setattr(watching, "_processor_time", lambda: next(used))
    clock = iter((1000.0, 5000.0))
    monkeypatch.setattr(watching, "monotonic", lambda: next(clock))
    watcher = Watcher(tmp_path / "in", ledger)
    assert watcher._take_due(lambda _report: None, 0.0) == 5000.0 + pause


def test_a_line_that_is_being_written_is_waited_for(tmp_path: Path, ledger: al.Ledger):
    """Half a line is no refusal while its writer may go on; left so for long, it is."""
    path, whole = tmp_path / "in" / "a.jsonl", line(1)
    write(path, line(0), whole[:100])
    watcher = Watcher(path.parent, ledger)
    assert watcher.take() == ImportReport()
    write(path, whole[100:])
    taken = watcher.take()
    assert (taken.turns, taken.refusals) == (2, [])
    write(path, whole[:100])
    os.utime(path, (1, 1))
    assert len(watcher.take().refusals) == 1
    assert turns(ledger) == 2


def test_what_is_taken_in_is_priced(tmp_path: Path, ledger: al.Ledger):
    """By the prices that the watching was told."""
    folder = tmp_path / "projects"
    write(folder / "a.jsonl", line(1))
    (tmp_path / "prices.toml").write_text('[[model]]\nmodel = "gpt-*"\ninput = 1.0\noutput = 4.0\n')
    watcher = Watcher(folder, ledger, prices=al.Prices.of(tmp_path / "prices.toml"))
    assert watcher.take().priced == watcher.report.priced == 1
    [(cost, tokens)] = ledger.sql(
        "SELECT cost_usd, input_tokens + 4 * output_tokens FROM turns WHERE cost_origin = 'prices'"
    ).fetchall()
    assert cost == pytest.approx(tokens / 1e6)


def test_files_that_are_none_of_a_known_format_are_passed_over(tmp_path: Path, ledger: al.Ledger):
    """And one that is gone, or holds something else, ends nothing."""
    folder = tmp_path / "in"
    write(folder / "notes.txt", "x")
    write(folder / "other.jsonl", '{"x": 1}\n')
    write(folder / "empty.jsonl")
    write(folder / "good.jsonl", line(1))
    (folder / "gone.jsonl").symlink_to(folder / "nowhere")
    assert Watcher(folder, ledger).take().turns == 1


def test_what_can_not_be_watched_is_refused(tmp_path: Path, ledger: al.Ledger):
    with pytest.raises(SourceError, match="There is no folder"):
        Watcher(tmp_path / "nowhere", ledger)
    with pytest.raises(UnknownNameError):
        Watcher(tmp_path, ledger, form="nonsense")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_says_what_was_kept_when_it_is_ended(
    tmp_path: Path, forked: ForkedPython, number: signal.Signals
):
    """It ends in order, with nothing lost."""
    folder, file = tmp_path / "in", tmp_path / "l.duckdb"
    write(folder / "a.jsonl", line(1), line(2))
    with forked.begun(COMMAND, tmp_path, "watch", folder, "--ledger", file) as running:
        told = []
        for said in running.stderr:
            told.append(said)
            if "2 new turns" in said:
                running.send_signal(number)
        assert running.wait() == 0
    assert any(said.startswith("New altogether: 2 turns, 2 calls and 0 results.") for said in told)
    with al.open_ledger(file, read_only=True) as ledger:
        assert turns(ledger) == 2


def test_the_command_says_what_was_kept_when_the_folder_goes(tmp_path: Path, forked: ForkedPython):
    """Somebody moves it while it is watched."""
    folder, file = tmp_path / "in", tmp_path / "l.duckdb"
    write(folder / "a.jsonl", line(1), line(2))
    with forked.begun(COMMAND, tmp_path, "watch", folder, "--ledger", file) as running:
        told = []
        for said in running.stderr:
            told.append(said)
            if "2 new turns" in said:
                folder.rename(tmp_path / "elsewhere")
        assert running.wait() == 1
    assert any(said.startswith("New altogether: 2 turns, 2 calls and 0 results.") for said in told)
    assert "to watch any more: it was moved or deleted." in " ".join("".join(told).split())


def test_a_watcher_s_questions_have_a_bound_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each reading asks the ledger what it has: for weeks that stayed in memory, up to a quarter of the machine's."""
    monkeypatch.setenv(FIRST_VARIABLE, "")
    monkeypatch.delenv(FIRST_VARIABLE)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    limits: list[str] = []

    def run(watcher: Watcher, _on_taken: object) -> ImportReport:
        limits.extend(watcher._ledger.sql("SELECT current_setting('memory_limit')").fetchone())
        return watcher.report

    monkeypatch.setattr(Watcher, "run", run)
    watch(tmp_path, tmp_path / "x.duckdb", "", None)
    assert limits == ["91.5 MiB"]


def test_each_reading_gives_its_memory_back(tmp_path: Path, ledger: al.Ledger, monkeypatch):
    """What is freed in between would stay with the process, more with each larger ledger."""
    given: list[bool] = []
    monkeypatch.setattr(watching, "give_memory_back", lambda: given.append(True))
    watcher = Watcher(tmp_path, ledger)
    watcher.take()
    watcher.take()
    assert len(given) == 2


def test_nothing_is_left_for_a_full_collection(tmp_path: Path, ledger: al.Ledger):
    """What refers to itself stays for minutes, and the memory of arrays with it, which the collector doesn't count."""
    write(tmp_path / "projects" / "a.jsonl", line(1), line(2))
    watcher = Watcher(tmp_path / "projects", ledger)
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        assert watcher.take().turns == 2
        ledger.ingest()
        gc.collect()
        left = {
            name
            for each in gc.garbage
            for name in (each.__module__ if isinstance(each, type) else type(each).__module__,)
            if name.startswith(("nanoarrow", "actionledger.ledger"))
        }
    finally:
        gc.set_debug(0)
        gc.enable()
        gc.garbage.clear()
    assert left == set()


def _with_equal_calls() -> al.RecordedSession:
    """Return a session whose turn has three calls, two of one identifier, and a result of the first."""
    names = [("same", "a"), ("other", "b"), ("same", "c")]
    calls = tuple(al.RecordedCall(call_id, name, "{}") for call_id, name in names)
    results = tuple(al.RecordedResult(call_id, "done") for call_id in ("same", "other"))
    turn = al.RecordedTurn(0, "On it.", capture=al.Capture.ARGUMENTS, calls=calls, results=results)
    return al.RecordedSession("s1", None, "some-model", "sums", (turn,))


def _operators(plan: Any) -> Iterator[tuple[str, int]]:
    """Yield each operator of a plan with how many rows it gave, in the words of DuckDB 1 or 2."""
    if isinstance(plan, dict):
        yield (
            plan.get("operator_name", plan.get("name", "")),
            plan.get("operator_cardinality", plan.get("intermediate_rows", 0)),
        )
    if isinstance(plan, dict | list):
        for each in plan.values() if isinstance(plan, dict) else plan:
            yield from _operators(each)


def test_answered_calls_are_not_numbered(tmp_path: Path):
    """A watch asks again and again for calls without a result: only their turns' calls take memory, of all that the ledger has."""
    with al.open_ledger(tmp_path / "t.duckdb") as ledger:
        al.import_path(AGENTS, ledger)
        al.import_sessions(ledger, [_with_equal_calls()])
        [call] = known(ledger, "python", "claude_code", "codex").open_calls()
    assert (call.call_id, call.repeated, call.name) == ("same", 1, "c")
    query = _OPEN_CALLS.replace("$sources", "concat_ws(chr(31), 'python', 'claude_code', 'codex')")
    with duckdb.connect(str(tmp_path / "t.duckdb"), read_only=True) as plain:
        [(_, plan)] = plain.execute(f"EXPLAIN (ANALYZE, FORMAT json) {query}").fetchall()
    numbered = [
        count
        for kind, count in _operators(json.loads(plan))
        if kind.strip() in {"WINDOW", "STREAMING_WINDOW"}
    ]
    assert numbered == [3]
