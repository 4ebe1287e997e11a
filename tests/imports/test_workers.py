"""Imports that several processes read: the same rows, the same report and the same answers as one that a single process reads."""

import gzip
import json
import os
import pickle
from collections import deque
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
from forked_python import ForkedPython
from same_rows import differences

from actionledger.core.errors import UsageError
from actionledger.imports import ImportStopped, import_path, parts, plan_importer
from actionledger.imports.handovers import MadePart
from actionledger.imports.parts import ImportPart, PartProgress
from actionledger.imports.report import ImportReport
from actionledger.imports.workers import ImportWorkers, PartOnItsWay, _Worker
from actionledger.ledger import open_ledger
from actionledger.ledger.storage import internals

SAMPLES = Path(__file__).parents[2] / "data" / "agents"


@pytest.fixture
def in_small_parts(monkeypatch) -> None:
    """The samples are many parts, each of which is handed over in several answers, and many batches."""
    monkeypatch.setattr(plan_importer, "WORTH_BYTES", 0)
    monkeypatch.setattr(plan_importer, "MADE_BYTES", 4096)
    monkeypatch.setattr(plan_importer, "LEAST_MADE_BYTES", 4096)
    monkeypatch.setattr(parts, "GROUP_BYTES", 20_000)
    monkeypatch.setattr(parts, "SHARED_BYTES", 40_000)
    monkeypatch.setattr(internals, "BATCH_BYTES", 65_536)


@pytest.fixture
def forks(forked: ForkedPython, monkeypatch) -> None:
    """What reads the parts is forks of one Python that has loaded the package: to load it is most of what so short an import takes."""
    monkeypatch.setattr("actionledger.core.worker_pool.subprocess", forked)


@pytest.fixture
def by_hand(monkeypatch) -> list[int]:
    """The parts whose rest was read by the process that has the ledger."""
    gone_on, go_on = [], plan_importer.PlanImporter._go_on

    def noted(self, given) -> None:
        gone_on.append(given.part.number)
        go_on(self, given)

    monkeypatch.setattr(plan_importer.PlanImporter, "_go_on", noted)
    return gone_on


def line(session: str, turn: int, text: str) -> str:
    return json.dumps({"session": session, "turn": turn, "text": text})


def log(path: Path, lines: Iterator[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
    return path


def without_lists(report: ImportReport) -> dict[str, object]:
    """Return a report as it compares: what was refused in any order."""
    said = {field.name: getattr(report, field.name) for field in fields(report)}
    return said | {name: sorted(map(str, said[name])) for name in ("refusals", "differing")}


def both(tmp_path: Path, *given: Path, **told: object) -> tuple[Path, Path]:
    """Import the same by one process and by three, each twice; check that nobody can tell which it was."""
    paths = tmp_path / "one.duckdb", tmp_path / "three.duckdb"
    reports = [
        [import_path(given, path, workers=workers, **told) for _ in range(2)]
        for path, workers in zip(paths, (1, 3), strict=True)
    ]
    for one, three in zip(*reports, strict=True):
        assert without_lists(one) == without_lists(three)
    assert differences(*paths) == {}
    return paths


def test_the_same_comes_in_as_by_one_process(tmp_path, in_small_parts, by_hand) -> None:
    """Sessions of every sample format: each table, each count of both imports."""
    both(tmp_path, SAMPLES)
    assert len(set(by_hand)) < 4  # the samples hold a file or two that others are told of


def test_a_large_file_is_shared_out_by_its_sessions(tmp_path, in_small_parts, forks, by_hand) -> None:
    """Sessions that are told in turns, broken lines among them: each is there whole and once, and so is each refusal."""
    told = [line(f"s{n % 13}", n // 13, f"<execute>print({n})</execute>" * 9) for n in range(13 * 12)]
    told[100] = "{broken"
    path = log(tmp_path / "log.jsonl", told)
    assert path.stat().st_size > parts.SHARED_BYTES
    one, _ = both(tmp_path, path, parser="mint")
    with open_ledger(one, read_only=True) as ledger:
        assert ledger.sql("SELECT count(*) FROM turns").fetchone() == (len(told) - 1,)
    assert not by_hand


def test_a_session_in_two_files_is_read_by_one_behind_the_other(
    tmp_path, in_small_parts, forks, by_hand
) -> None:
    """The same session, longer or with other texts in a later file: what was there first counts, and each turn once."""
    first = [line("same", turn, f"first {turn} " * 900) for turn in range(8)]
    longer = [*first, line("same", 8, "eighth"), line("other", 0, "y" * 9000)]
    changed = [line("same", 0, "changed " * 900), *first[1:4]]
    files = [
        log(tmp_path / f"{n}" / "log.jsonl", lines) for n, lines in enumerate((first, longer, changed, first))
    ]
    one, _ = both(tmp_path, *files, source="logs")
    assert by_hand
    with open_ledger(one, read_only=True) as ledger:
        assert ledger.sql(
            "SELECT count(*), count(*) FILTER (text LIKE 'changed%') FROM turns"
        ).fetchone() == (
            10,
            0,
        )


def claude_lines(session: str, count: int, *, first: int = 0) -> Iterator[str]:
    """Yield lines of calls, each with its result behind the next call."""
    for number in range(first, first + count):
        call = {"type": "tool_use", "id": f"toolu_{number}", "name": "Bash", "input": {"command": "x" * 400}}
        message = {"id": f"msg_{number}", "role": "assistant", "model": "m", "content": [call]}
        at = f"2026-05-04T12:00:{number % 60:02}.000Z"
        common = {"sessionId": session, "parentUuid": None, "timestamp": at, "version": "2"}
        yield json.dumps(common | {"type": "assistant", "uuid": f"a{number}", "message": message})
        if number > first:
            result = {"type": "tool_result", "tool_use_id": f"toolu_{number - 1}", "content": f"out {number}"}
            said = {"role": "user", "content": [result]}
            yield json.dumps(common | {"type": "user", "uuid": f"u{number}", "message": said})


def test_messages_and_results_of_another_file_count_once(tmp_path, in_small_parts, forks, by_hand) -> None:
    """A fork holds copies of its parent's messages, and the result of its parent's last call: as by one process, in any order."""
    parent = log(tmp_path / "a" / "p.jsonl", claude_lines("parent", 40))
    forked = [each.replace('"parent"', '"fork"') for each in claude_lines("parent", 60)]
    fork = log(tmp_path / "b" / "f.jsonl", forked)
    one, _ = both(tmp_path, parent, fork)
    assert by_hand
    with open_ledger(one, read_only=True) as ledger:
        assert ledger.sql("SELECT count(*) FROM turns").fetchone() == (60,)
        assert ledger.sql("SELECT count(*) FROM executions").fetchone() == (59,)


def test_what_grew_is_taken_in_behind_what_is_there(tmp_path, in_small_parts, forks) -> None:
    """Into a ledger that has the beginnings already: new turns, late results, and no others."""
    paths = tmp_path / "one.duckdb", tmp_path / "three.duckdb"
    for path, workers in zip(paths, (1, 3), strict=True):
        for count in (5, 30, 31):
            for name in "pqr":
                lines = (each.replace("toolu_", name) for each in claude_lines(name, count))
                log(tmp_path / "logs" / f"{name}.jsonl", (each.replace("msg_", f"m{name}") for each in lines))
            report = import_path(tmp_path / "logs", path, workers=workers)
        assert (report.turns, report.results) == (3, 3)
    assert differences(*paths, but="runs") == {}


def test_a_process_that_dies_is_gone_on_for(tmp_path, in_small_parts, forks, by_hand, monkeypatch) -> None:
    """Whoever has told half of a part dies: what it had not told is read by the one that has the ledger."""
    hear, killed = _Worker.hear, []

    def deadly(self) -> None:
        part = self.parts[0]
        hear(self)
        if len(killed) < 2 and not part.is_read:
            self._process.kill()
            self._process.wait()
            while self.answers.read(65_536):  # what it had written already is lost with it
                pass
            killed.append(part.part.number)

    monkeypatch.setattr(_Worker, "hear", deadly)
    both(tmp_path, SAMPLES)
    assert len(killed) == 2
    assert set(killed) <= set(by_hand)


def test_without_a_process_that_can_be_started_one_reads_all(tmp_path, in_small_parts, monkeypatch) -> None:
    """Nothing hangs, nothing is lost, and it is not tried for ever."""
    started = []

    def broken(module: str) -> tuple[str, ...]:
        started.append(module)
        return ("false",)

    monkeypatch.setattr("actionledger.imports.workers.words_for", broken)
    both(tmp_path, SAMPLES)
    assert len(started) < 9


def test_who_stops_it_is_told_what_is_kept_and_goes_on(tmp_path, in_small_parts, forks) -> None:
    """Ctrl-C between two answers: no process is left, the report is true, and the rest comes with the next import."""
    path, seen = tmp_path / "team.duckdb", []

    def stop(progress) -> None:
        seen.append(progress.turns)
        if progress.turns > 20:
            raise KeyboardInterrupt

    with pytest.raises(ImportStopped) as told:
        import_path(SAMPLES, path, workers=2, on_progress=stop)
    with open_ledger(path, read_only=True) as ledger:
        assert ledger.sql("SELECT count(*) FROM turns").fetchone() == (told.value.report.turns,)
    import_path(SAMPLES, path, workers=2)
    import_path(SAMPLES, tmp_path / "whole.duckdb", workers=1)
    assert differences(path, tmp_path / "whole.duckdb", but="runs") == {}


class _Slow:
    """Stands for a process, which answers when it is told to."""

    def __init__(self, _how) -> None:
        self.parts, self.knows = deque(), set()

    def give(self, part, _task) -> None:
        self.parts.append(part)

    def end(self) -> None:
        pass


def test_a_part_that_is_left_while_it_is_read_may_be_the_last_on_its_way(monkeypatch) -> None:
    """Those behind it are read when its process has done with it."""

    def listen(self, _head) -> None:
        for worker in self._pool.workers:
            part = worker.parts[0]
            is_second = part.is_left or part.part.number > 0
            part.hear(PartProgress(MadePart([], {}), 0, 0, 0, is_last=is_second))
            if is_second:
                worker.parts.popleft()

    monkeypatch.setattr("actionledger.imports.workers._Worker", _Slow)
    monkeypatch.setattr(ImportWorkers, "_listen", listen)
    workers, seen = ImportWorkers(1, None, lambda part, knows: None), []
    for given, _ in workers.run([[ImportPart(0, (0, 1))], [ImportPart(1, (2, 3))]]):
        seen.append(given.part.number)
        if given.part.number == 0:
            workers.leave(given)
    assert seen == [0, 1]


def test_a_process_has_small_parts_ahead_and_large_ones_once_it_is_free(monkeypatch) -> None:
    """To put a ledger in order takes as long as some small parts: nobody gives another one meanwhile."""

    given: list[list[int]] = []

    def listen(self, head: list[PartOnItsWay]) -> None:
        given.append([len(worker.parts) for worker in self._pool.workers])
        for worker in self._pool.workers:
            while worker.parts:
                worker.parts.popleft().hear(PartProgress(MadePart([], {}), 0, 0, 0, is_last=True))

    monkeypatch.setattr("actionledger.imports.workers._Worker", _Slow)
    monkeypatch.setattr(ImportWorkers, "_listen", listen)
    small = [[ImportPart(number, (number,), size=1)] for number in range(9)]
    large = [[ImportPart(number, (number,), size=2**30)] for number in (9, 10, 11)]
    seen = [
        part.part.number for part, _ in ImportWorkers(2, None, lambda part, knows: None).run([*small, *large])
    ]
    assert seen == list(range(12))
    assert given == [[5, 4], [1, 1], [1, 0]]


def test_what_is_to_be_read_may_be_more_than_a_pipe_holds(tmp_path, in_small_parts, forks) -> None:
    """A process at a large file has many small ones with long names ahead, while nobody fetches what it made."""
    first = log(tmp_path / "a.jsonl", (line(f"s{n}", 0, f"{n} " * 900) for n in range(120)))
    assert first.stat().st_size > 4 * 2**16
    folder = tmp_path.joinpath(*("n" * 200 for _ in range(3)))
    folder.mkdir(parents=True)
    few = [log(folder / f"{n}.jsonl", iter([line(f"few{n}", 0, "few")])) for n in range(300)]
    both(tmp_path, first, *few, source="logs")


def test_what_a_ledger_had_is_told_once(tmp_path, in_small_parts, forks, monkeypatch) -> None:
    """Of files that are each a source of their own a process gets many parts, and with none of them all that there was again."""
    files = [
        log(tmp_path / f"{n}.jsonl", (line("s", turn, f"{n}.{turn}") for turn in range(150)))
        for n in range(20)
    ]
    import_path(files, tmp_path / "team.duckdb", workers=1)
    for each in files:
        each.touch()
    told, send = [], _Worker._send
    monkeypatch.setattr(
        _Worker, "_send", lambda self, value: (told.append(len(pickle.dumps(value))), send(self, value))
    )
    assert import_path(files, tmp_path / "team.duckdb", workers=2).known == 20 * 150
    of_all, of_parts = told[:2], told[2:]
    assert len(of_parts) > 5
    assert max(of_parts) < min(of_all) / 10


def test_little_is_read_by_one_process(tmp_path, monkeypatch) -> None:
    """Starting another one would take longer than reading it."""
    monkeypatch.setattr(ImportWorkers, "__init__", lambda *_given: pytest.fail("A process was started."))
    assert import_path(SAMPLES, tmp_path / "team.duckdb", workers=4).turns


def test_no_process_at_all_is_refused(tmp_path) -> None:
    with pytest.raises(UsageError, match="give 1 or more"):
        import_path(SAMPLES, tmp_path / "team.duckdb", workers=0)


def test_a_compressed_file_is_shared_out_too(tmp_path, in_small_parts, forks, by_hand) -> None:
    told = "\n".join(line(f"s{n % 5}", n // 5, f"{n} {os.urandom(200).hex()}") for n in range(100))
    path = tmp_path / "log.jsonl.gz"
    path.write_bytes(gzip.compress(told.encode()))
    both(tmp_path, path)
    assert not by_hand
