"""A thousand kills: each step of taking in, counting sessions, publishing, importing and writing live; what was acknowledged, lost, doubled.

    python tests/benchmarks/kills.py [--kills 1000] [--seed 1] [--only import]

Each kill is of a fork that does one of four things to a small ledger: takes in and publishes what this process has flushed, the same of turns
whose sessions are counted in pieces of a few events, imports the
recordings of ``data/agents`` in transactions of a few events, or writes live beside its own ingester. Half of the forks die as they touch
a file for the so-manieth time, and the table says in which step; the others at any moment, within DuckDB or the system, by a clock. After
each of them the published file is counted with plain DuckDB: it may never have fewer events, nor one of them twice. Every ledger is
finished and verified after some kills. Acknowledged is what a flush has said of a live writer's events, and what the published file has
shown of an import's turns; it counts as lost where it isn't there in the end.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any

import duckdb
from rich.console import Console
from rich.table import Table

import actionledger as al
from actionledger.core.events import SystemNoted
from actionledger.core.ids import new_id, now
from actionledger.ledger import open_ledger
from actionledger.ledger.storage import internals, spare
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.ingest import ingest
from actionledger.ledger.storage.local import verify
from actionledger.ledger.storage.rollups import tables, writer
from actionledger.ledger.storage.store import Publishing

SAMPLES = Path(__file__).parents[2] / "data" / "agents"
A_LEDGER = 25
"""After how many kills a ledger is finished, verified and left for a new one."""

BATCH_BYTES = 40_000
"""How much an import takes in at a time here, so that it takes several transactions."""

STEPS = {
    "publish": "publishing",
    "only": "counting sessions",
    "roll_up": "counting sessions",
    "make_store": "making the working file",
    "open_store": "opening the working file",
    "load": "taking in segments",
    "load_prepared": "taking in a batch",
    "remove_finished": "clearing away",
    "remove_leftovers": "clearing away",
    "_write_buffer": "flushing",
    "segment_sizes": "looking for segments",
    "add": "staging rows",
    "insert_prepared": "taking in a batch",
    "insert_arrow": "taking in a batch",
    "_close": "putting a working file in order",
    "finish": "remembering what was imported",
    "open_files": "opening the ledger",
    "planned": "looking at recordings",
    "items_of": "reading recordings",
}
"""What the functions do that a kill is counted for, the innermost of them."""

STEP = "kills.step"
"""A touch of nothing but a database."""

TOUCHES = frozenset(
    [
        STEP,
        "open",
        "os.rename",
        "os.link",
        "os.truncate",
        "os.chmod",
        "os.utime",
        "os.remove",
        "os.mkdir",
        "os.rmdir",
        "os.scandir",
        "os.listdir",
        "shutil.rmtree",
    ]
)


@dataclass
class Tally:
    """What came of the kills of one road."""

    kills: Counter[str] = field(default_factory=Counter)
    survived: int = 0
    acknowledged: int = 0
    lost: int = 0
    doubled: int = 0
    fewer: int = 0
    publications: int = 0
    faults: list[str] = field(default_factory=list)


class Road:
    """One way into a ledger, and what it has acknowledged.

    Args:
        path: the ledger.
        dice: draws.

    Attributes:
        touches: how often it touches a file, about.
        seconds: how long it takes, about.
        is_over_at_its_end: whether there is nothing left to do where it came to its end once.
    """

    name = ""
    touches, seconds = 60, 0.4
    is_over_at_its_end = False

    def __init__(self, path: Path, dice: random.Random) -> None:
        self.path, self.dice, self.acknowledged = path, dice, set[str]()

    def before(self) -> None:
        """Prepare the next fork."""

    def work(self, said: int) -> None:
        """Do it in the fork; what is acknowledged is written to ``said``."""
        raise NotImplementedError

    def seen(self, plain: duckdb.DuckDBPyConnection) -> None:
        """Note what the published file shows."""

    def finish(self) -> None:
        """Do the rest, undisturbed."""

    def found(self) -> list[str]:
        """Return what is there in the end of what was acknowledged."""
        with open_ledger(self.path, read_only=True) as ledger:
            return [name for (name,) in ledger.sql(self.asked).fetchall()]

    asked = "SELECT event_id::VARCHAR FROM events WHERE code = 'kill'"


class Ingesting(Road):
    """Takes in and publishes what another process has flushed."""

    name = "ingest"

    def __init__(self, path: Path, dice: random.Random) -> None:
        super().__init__(path, dice)
        self.writer = open_ledger(path, in_background=False)

    def before(self) -> None:
        self.acknowledged.update(write(self.writer, self.dice.randrange(1, 8)))

    def work(self, said: int) -> None:
        ingest(LedgerFiles.at(self.path), Publishing.AT_THE_END)

    def finish(self) -> None:
        self.writer.close()


class Counting(Ingesting):
    """The same of turns, as a large ledger is kept: what sessions come to is counted, a piece after the other."""

    name = "count"
    touches, seconds = 40, 3.0
    asked = "SELECT turn_id::VARCHAR FROM turn_starts"

    def __init__(self, path: Path, dice: random.Random) -> None:
        super().__init__(path, dice)
        count_in_pieces()

    def before(self) -> None:
        for _ in range(self.dice.randrange(1, 4)):
            text = "<execute>1 + 1" + self.dice.choice(("</execute>", ""))
            self.acknowledged.add(
                self.writer.record_turn(f"s{self.dice.randrange(12)}", text, profile="mint")
            )
        self.writer.flush()

    def finish(self) -> None:
        super().finish()
        with open_ledger(self.path) as ledger:
            ledger.record_turn("last", "Well.", profile="mint")
        with open_ledger(self.path, read_only=True) as ledger:
            assert ledger.has_rollup, "the rollup is not whole"
            by_rows = ledger.sql("SELECT count(*) FROM parse_attempts").fetchall()
            assert [(sum(al.funnel(ledger).outcomes.values()),)] == by_rows, "the rollup has other responses"


def count_in_pieces() -> None:
    """Have any ledger be worth counting, a few events at a time, and each step of it be one to be killed at."""
    tables.WORTH_BYTES = 0
    writer.roll_up.__kwdefaults__["at_once"] = 12
    for name in ("pick_changed", "_roll", "_note", "_drop_unused"):
        step = getattr(writer, name)
        if not hasattr(step, "__wrapped__"):
            setattr(writer, name, touching(step))


def touching(step: Callable[..., Any]) -> Callable[..., Any]:
    """Return the same with a touch before it and one behind."""

    @wraps(step)
    def touched(*arguments: object, **named: object) -> object:
        sys.audit(STEP)
        found = step(*arguments, **named)
        sys.audit(STEP)
        return found

    return touched


class Importing(Road):
    """Imports recordings, a few events a transaction."""

    name = "import"
    touches, seconds, is_over_at_its_end = 170, 0.4, True
    asked = "SELECT turn_id::VARCHAR FROM turn_starts"

    def work(self, said: int) -> None:
        internals.BATCH_BYTES = BATCH_BYTES
        al.import_path(SAMPLES, self.path, workers=1)

    def seen(self, plain: duckdb.DuckDBPyConnection) -> None:
        self.acknowledged.update(name for (name,) in plain.execute(self.asked).fetchall())

    def finish(self) -> None:
        al.import_path(SAMPLES, self.path, workers=1)
        self.acknowledged |= IN_ALL


class Writing(Road):
    """Writes live, its own ingester beside it."""

    name = "live"

    def work(self, said: int) -> None:
        with open_ledger(self.path) as ledger:
            for _ in range(self.dice.randrange(4, 40)):
                os.write(said, "".join(f"{name}\n" for name in write(ledger, 3)).encode())
                time.sleep(0.002)

    def finish(self) -> None:
        with open_ledger(self.path) as ledger:
            ledger.ingest()


IN_ALL: set[str] = set()
"""The turns of the samples."""


def write(ledger: al.Ledger, count: int) -> list[str]:
    """Record some events and flush them; return their names."""
    names = [new_id() for _ in range(count)]
    for name in names:
        ledger.record(
            SystemNoted(
                event_id=name,
                recorded_at=now(),
                run_id=RUN,
                code="kill",
                message="x" * random.randrange(4000),
            )
        )
    ledger.flush()
    return names


RUN = new_id()


def die_at(step: int, told: int) -> None:
    """Kill this process at its so-manieth touch of a file, and say in which step."""
    touched = 0

    def count(event: str, _args: object) -> None:
        nonlocal touched
        if event not in TOUCHES:
            return
        touched += 1
        if touched == step:
            os.write(told, _step().encode())
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    pwrite = os.pwrite

    def counted(*arguments: object) -> int:
        count("open", ())
        return pwrite(*arguments)  # type: ignore[arg-type]

    os.pwrite = counted


def _step() -> str:
    frame = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_name in STEPS and "actionledger" in frame.f_code.co_filename:
            return STEPS[frame.f_code.co_name]
        frame = frame.f_back  # type: ignore[assignment]
    return "elsewhere"


def killed(road: Road, step: int | None, seconds: float) -> tuple[str, float]:
    """Have a fork do a road's work, and die of it; return in which step, empty where it came to its end, and how long it lived."""
    told, tell = os.pipe()
    said, say = os.pipe()
    child = os.fork()
    if child == 0:
        random.seed()
        if step is not None:
            die_at(step, tell)
        else:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
        try:
            road.work(say)
        except BaseException:  # noqa: BLE001 - the fork never comes back
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    began = time.monotonic()
    for descriptor in (tell, say):
        os.close(descriptor)
    with os.fdopen(said, "rb") as file:
        road.acknowledged.update(line.decode()[:-1] for line in file if line.endswith(b"\n"))
    status = os.waitpid(child, 0)[1]
    with os.fdopen(told, "rb") as file:
        where = file.read().decode() or "by the clock"
    if os.WIFEXITED(status):
        assert os.WEXITSTATUS(status) == 0, "the fork has failed"
        return "", time.monotonic() - began
    return where, time.monotonic() - began


def one_ledger(
    kind: Callable[[Path, random.Random], Road], path: Path, dice: random.Random, tally: Tally
) -> None:
    """Kill some forks at their work on a new ledger, then count."""
    open_ledger(path).close()
    road = kind(path, dice)
    inode, last, touches, seconds, kills = path.stat().st_ino, 0, road.touches, road.seconds, 0
    while kills < A_LEDGER:
        road.before()
        step = dice.randrange(1, touches) if dice.random() < 0.5 else None
        where, lived = killed(road, step, dice.random() * seconds)
        if where:
            tally.kills[where] += 1
            kills += 1
        else:
            tally.survived += 1
        if path.stat().st_ino != inode:
            inode = path.stat().st_ino
            tally.publications += 1
        with duckdb.connect(str(path), read_only=True) as plain:
            counted = plain.execute("SELECT count(*), count(DISTINCT event_id) FROM events").fetchone() or (
                0,
                0,
            )
            road.seen(plain)
        tally.doubled += counted[0] - counted[1]
        tally.fewer += counted[0] < last
        last = counted[0]
        if not where:
            if road.is_over_at_its_end:
                break
            # It came to its end: the next one is to be aimed nearer.
            touches, seconds = (max(8, touches - 4), seconds) if step else (touches, max(0.02, lived))
    _count(road, tally)


def _count(road: Road, tally: Tally) -> None:
    road.finish()
    found = road.found()
    tally.acknowledged += len(road.acknowledged)
    tally.lost += len(road.acknowledged - set(found))
    tally.doubled += len(found) - len(set(found))
    tally.faults += [fault.sentence for fault in verify(road.path).faults]


def main() -> None:
    """Kill, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    dice = random.Random(given.seed)
    tallies: defaultdict[str, Tally] = defaultdict(Tally)
    with tempfile.TemporaryDirectory() as place:
        reference = Path(place, "reference.duckdb")
        al.import_path(SAMPLES, reference, workers=1)
        IN_ALL.update(Importing(reference, dice).found())
        number = 0
        roads = [kind for kind in (Ingesting, Importing, Writing, Counting) if given.only in kind.name]
        for kind in roads:
            tally = tallies[kind.name]
            while tally.kills.total() < given.kills / len(roads):
                number += 1
                # Every other ledger is published by turns of two copies, as a large one is.
                spare.SPARED_BYTES = spare.WATCHED_BYTES = 0 if number % 2 else 8_000_000
                one_ledger(kind, Path(place, f"{number}.duckdb"), dice, tally)
    _print(tallies)


def _print(tallies: dict[str, Tally]) -> None:
    table = Table(
        "road",
        "kills",
        "acknowledged",
        "lost",
        "doubled",
        "seen going back",
        "publications",
        "came to its end",
        "faults",
    )
    for name, tally in tallies.items():
        figures = (
            sum(tally.kills.values()),
            tally.acknowledged,
            tally.lost,
            tally.doubled,
            tally.fewer,
            tally.publications,
            tally.survived,
            len(tally.faults),
        )
        table.add_row(name, *(f"{each:,}" for each in figures))
    console = Console(width=120)
    console.print(table)
    for name, tally in tallies.items():
        console.print(name, dict(tally.kills.most_common()), *tally.faults[:3])


if __name__ == "__main__":
    main()
