"""Several hosts at live work into one lake, some of them killed: what is committed, tried again, lost, doubled, and how soon it is seen.

    python tests/benchmarks/hosts.py [--hosts 8] [--seconds 120] [--turns-a-second 1] [--direct | --file]

With a committer, which is killed as well; with ``--direct`` each host commits by itself; with ``--file`` all write to one file on this
machine, to compare the processor time. It needs DuckDB 1.5.5 with the extra ``lake-test``, and PostgreSQL where it is to be had (else
SQLite). Folders stand for what hosts share.
"""

import argparse
import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread

import lake_servers

from actionledger.ledger import open_ledger
from actionledger.ledger.storage.lake.connection import connect_lake
from actionledger.ledger.storage.lake.place import LakePlace, is_place
from actionledger.ledger.storage.local import verify
from actionledger.runtime.session.runtime import Runtime

TURNS_A_SESSION = 20
_TEXT = "On it. " + "The quick brown fox jumps over the lazy dog. " * 20


def work(path: Path, turns_a_second: float) -> None:
    """Be a host: act, flush, say which turns are safe."""
    ended = Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    with open_ledger(path) as ledger:
        while not ended.is_set():
            with Runtime("assistant", ledger=ledger) as runtime:
                for _ in range(TURNS_A_SESSION):
                    turn = runtime.handle(_TEXT)
                    ledger.flush()
                    sys.stdout.write(f"{turn.turn_id}\n")
                    sys.stdout.flush()
                    if ended.wait(1 / turns_a_second):
                        break


def commit(path: Path) -> None:
    """Be the committer."""
    from actionledger.ledger.storage.lake.committer import committer_of

    ended = Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    committer_of(path).run(is_stopped=ended.is_set, told=print)


class Processes:
    """The processes of a trial, their processor time, and what they have said."""

    def __init__(self, folder: Path, turns_a_second: float) -> None:
        self._folder = folder
        self._turns_a_second = turns_a_second
        self._live: dict[str, subprocess.Popen[bytes]] = {}
        self.cpu: dict[str, float] = {}

    def start(self, name: str, kind: str, path: Path) -> None:
        with (
            (self._folder / f"{name}.out").open("ab") as out,
            (self._folder / f"{name}.err").open("ab") as err,
        ):
            self._live[name] = subprocess.Popen(
                [sys.executable, __file__, f"--{kind}", path, "--turns-a-second", str(self._turns_a_second)],
                stdout=out,
                stderr=err,
            )

    def end(self, name: str, *, killed: bool = False) -> None:
        process = self._live.pop(name)
        process.send_signal(signal.SIGKILL if killed else signal.SIGTERM)
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0
        self.cpu[name] = self.cpu.get(name, 0.0) + used.ru_utime + used.ru_stime

    def lines(self, prefix: str, ending: str = "out") -> list[str]:
        found = sorted(self._folder.glob(f"{prefix}*.{ending}"))
        return [line for path in found for line in path.read_text().splitlines(keepends=True)]


class Watching(Thread):
    """Looks every other second which turns are seen in the lake, and how old they are then."""

    def __init__(self, path: Path) -> None:
        super().__init__(daemon=True)
        self._path = path
        self.ended = Event()
        self.ages: list[float] = []

    def run(self) -> None:
        seen: set[str] = set()
        asked = "SELECT turn_id::VARCHAR, recorded_at FROM base.events WHERE kind = 'response_received'"
        with connect_lake(LakePlace.read(self._path)) as connection:
            while not self.ended.wait(2.0):
                found = connection.execute(asked).fetchall()
                moment = datetime.now(UTC).replace(tzinfo=None)
                self.ages += [(moment - at).total_seconds() for turn, at in found if turn not in seen]
                seen.update(turn for turn, _ in found)


def trial(places: dict[str, Path], given: argparse.Namespace, folder: Path) -> None:
    """Have the hosts work, kill two of them and the committer, and say what came of it."""
    processes = Processes(folder, given.turns_a_second)
    first = next(iter(places.values()))
    is_lake, has_committer = is_place(first), "committer" in places
    open_ledger(first, in_background=False).close()
    before = snapshots(first) if is_lake else 0
    watching = Watching(first) if is_lake else None
    if watching:
        watching.start()
    hosts, begun = [name for name in places if name != "committer"], time.monotonic()
    if has_committer:
        processes.start("committer", "commit", places["committer"])
    for name in hosts:
        processes.start(name, "work", places[name])
    while not all(processes.lines(name) for name in hosts):
        time.sleep(1)  # a busy machine takes its time to start them
    print(f"all at work after {time.monotonic() - begun:.0f} s")
    victims = [*hosts[:2], *(["committer"] if has_committer else [])]
    pause = given.seconds / (len(victims) + 1)
    for name in victims:
        time.sleep(pause)
        processes.end(name, killed=True)
        time.sleep(2)
        processes.start(name, "commit" if name == "committer" else "work", places[name])
    time.sleep(pause)
    for name in hosts:
        processes.end(name)
    for name in hosts[:2]:
        with open_ledger(places[name], in_background=False):
            pass  # what the killed one has left is handed over
    if has_committer:
        queue = LakePlace.read(first).queue_path
        give_up_at = time.monotonic() + 120
        while list(Path(queue).glob("*/*.gz")) and time.monotonic() < give_up_at:
            time.sleep(1)
        processes.end("committer")
    if watching:
        time.sleep(5)
        watching.ended.set()
        watching.join()
    say(processes, first, before, watching)


def snapshots(path: Path) -> int:
    with connect_lake(LakePlace.read(path)) as connection:
        [(count,)] = connection.execute("SELECT count(*) FROM base.snapshots()").fetchall()
    return int(count)


def say(processes: Processes, path: Path, before: int, watching: Watching | None) -> None:
    acknowledged = {line.strip() for line in processes.lines("host") if line.endswith("\n")}
    with open_ledger(path, read_only=True) as ledger:
        found = [turn for (turn,) in ledger.sql("SELECT turn_id::VARCHAR FROM turn_starts").fetchall()]
        [(events, distinct)] = ledger.sql("SELECT count(*), count(DISTINCT event_id) FROM events").fetchall()
    doubled = len(found) - len(set(found)) + events - distinct
    hosts = sum(cpu for name, cpu in processes.cpu.items() if name != "committer")
    print(
        f"{len(acknowledged):,} turns acknowledged, {len(acknowledged - set(found))} lost, {doubled} doubled"
    )
    print(
        f"CPU-s: hosts {hosts:.1f}, committer {processes.cpu.get('committer', 0.0):.1f}; "
        f"{1000 * (hosts + processes.cpu.get('committer', 0.0)) / len(found):.1f} per 1,000 turns"
    )
    if watching is None:
        return
    retries = sum("Another host was first" in line for line in processes.lines("", "err"))
    ages = sorted(watching.ages)
    with connect_lake(LakePlace.read(path)) as connection:
        [(files,)] = connection.execute("SELECT sum(file_count) FROM ducklake_table_info('base')").fetchall()
    print(f"{snapshots(path) - before} commits, {retries} tried again, {files} files")
    print(
        f"seconds until seen by others: half within {ages[len(ages) // 2]:.1f}, 95 % within {ages[len(ages) * 95 // 100]:.1f}, all within {ages[-1]:.1f}"
    )
    print(f"whole: {verify(path).is_whole}")


def place(folder: Path, host: str, catalog: str, *, queue: bool) -> Path:
    (folder / host).mkdir()
    path = folder / host / "team.toml"
    said = {"metadata_path": catalog, "data_path": f"{folder}/data", "host": host}
    if queue:
        said["queue_path"] = f"{folder}/queue"
    path.write_text("\n".join(["[ducklake]", *(f'{key} = "{value}"' for key, value in said.items())]))
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--turns-a-second", type=float, default=1)
    parser.add_argument("--direct", action="store_true")
    parser.add_argument("--file", action="store_true")
    parser.add_argument("--work", type=Path)
    parser.add_argument("--commit", type=Path)
    given = parser.parse_args()
    logging.basicConfig(level=logging.WARNING)
    logging.getLogger("actionledger.ledger.storage.lake.tables").setLevel(logging.DEBUG)
    if given.work or given.commit:
        work(given.work, given.turns_a_second) if given.work else commit(given.commit)
        return
    names = [f"host-{number}" for number in range(given.hosts)]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if given.file:
            trial(dict.fromkeys(names, folder / "team.duckdb"), given, folder)
            return
        catalog = f"sqlite:{folder}/catalog.sqlite"
        try:
            database = stack.enter_context(lake_servers.postgres())
            os.environ |= database
            lake_servers.make_database(database, "ledger")
            catalog = "postgres:dbname=ledger"
        except lake_servers.NotHereError as error:
            print(error)
        hosts = names if given.direct else [*names, "committer"]
        print(
            f"{given.hosts} hosts, {given.seconds:.0f} s, {catalog.partition(':')[0]}, {hosts[-1]} the last"
        )
        trial({name: place(folder, name, catalog, queue=not given.direct) for name in hosts}, given, folder)


if __name__ == "__main__":
    main()
