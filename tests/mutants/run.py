"""Changes the code in small ways, and says which changes no test notices.

    python tests/mutants/run.py [ROOM …] [--each 20] [--seed 1]

A mutant is one operator, number or condition changed, as cosmic-ray makes them; each is tried against the tests of its own
room (``rooms.toml``), in a copy of the repository. One that survives is a line that a fault could sit in unseen, or a
change that means the same.
"""

import argparse
import os
import shlex
import shutil
import site
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from cosmic_ray.mutating import mutate_and_test
from cosmic_ray.work_item import MutationSpec, TestOutcome, WorkResult
from places import drawn, mutants_of
from rooms import ROOT, Room, rooms

from actionledger.core.rates import Rate

PATIENCE = 4
"""A mutant has so many times as long as the room's tests take without one."""

LEAST_SECONDS = 60.0


@dataclass
class Tried:
    """What came of one room."""

    room: str  # its name
    places: int = 0  # at how many places of it something can be changed
    # what was changed, and what came of it
    results: list[tuple[MutationSpec, WorkResult]] = field(default_factory=list)

    def count(self, outcome: TestOutcome) -> int:
        """Return to how many mutants that has come."""
        return sum(result.test_outcome is outcome for _, result in self.results)

    @property
    def late(self) -> int:
        """How many count as caught because the tests took too long."""
        return sum(result.output == "timeout" for _, result in self.results)

    @property
    def caught(self) -> Rate:
        """The share of the mutants that a test has noticed."""
        killed = self.count(TestOutcome.KILLED)
        return Rate(killed, killed + self.count(TestOutcome.SURVIVED))


def main() -> int:
    """Try what was asked for; return 1 where the tests fail without any change."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help="all of rooms.toml where none is named")
    parser.add_argument("--each", type=int, default=20, help="how many mutants of each room (20)")
    parser.add_argument("--seed", type=int, default=1, help="another one draws other mutants (1)")
    arguments = parser.parse_args()
    done: list[Tried] = []
    try:
        with working_copy():
            for room in rooms(arguments.rooms):
                done.append(Tried(room.name))
                try_out(room, arguments.each, arguments.seed, done[-1])
    except (LookupError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    finally:
        print_survivors(done)
        print_table(done, arguments.seed)
    return 0


@contextmanager
def working_copy() -> Iterator[None]:
    """Work in a copy of the repository with an environment of its own, so that nothing here is ever left changed."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    home = Path.cwd()
    with TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder) / "actionledger"
        for name in filter(None, listed.stdout.decode().split("\0")):
            if (ROOT / name).is_file():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, copy / name)
        _make_environment(copy)
        os.chdir(copy)
        try:
            yield
        finally:
            os.chdir(home)


def _make_environment(copy: Path) -> None:
    """Make an environment in which the copy is imported, also by processes that heed no variables."""
    venv.create(copy / ".venv", symlinks=True)
    (packages,) = (copy / ".venv").glob("lib/python*/site-packages")
    added = [f"import site; site.addsitedir({path!r})" for path in site.getsitepackages()]
    (packages / "copy.pth").write_text("\n".join([f"{copy}/toolkit", f"{copy}/dashboard", *added]) + "\n")


def try_out(room: Room, count: int, seed: int, found: Tried) -> None:
    """Try a sample of a room's mutants, each against the room's tests until one fails; each result is added at once."""
    seconds = _seconds_without(room)
    mutants = mutants_of(room.code)
    found.places = len(mutants)
    for number, mutant in enumerate(drawn(mutants, count, seed), 1):
        command = shlex.join(_command(room.tests_for(mutant.module_path)))
        result = mutate_and_test([mutant], command, max(LEAST_SECONDS, PATIENCE * seconds))
        found.results.append((mutant, result))
        outcome = (
            "late"
            if result.output == "timeout"
            else (result.test_outcome.value if result.test_outcome else "not tried")
        )
        print(f"{room.name} {number}/{count}: {_place(mutant)} {_kind(mutant)}: {outcome}", flush=True)


def _seconds_without(room: Room) -> float:
    began = time.monotonic()
    done = subprocess.run(_command(room.tests), capture_output=True, text=True, check=False)
    seconds = time.monotonic() - began
    if done.returncode:
        raise ValueError(f"The tests of {room.name} fail without any change:\n{done.stdout[-2000:]}")
    print(f"{room.name}: {done.stdout.strip().splitlines()[-1]}", flush=True)
    return seconds


def _command(tests: list[Path] | tuple[Path, ...]) -> list[str]:
    options = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider"]
    return [str(Path(".venv/bin/python").absolute()), "-m", "pytest", *options, *map(str, tests)]


def print_survivors(done: list[Tried]) -> None:
    """Print what no test has noticed, each with its place and its difference."""
    for one in done:
        for mutant, result in one.results:
            if result.test_outcome is TestOutcome.SURVIVED:
                changed = [line for line in (result.diff or "").splitlines()[3:] if line[:1] in "+-@"]
                print(f"\n{_place(mutant)} in {mutant.definition_name or 'the module'}: {_kind(mutant)}")
                print("\n".join(f"  {line}" for line in changed))


def print_table(done: list[Tried], seed: int) -> None:
    """Print how many were caught, room by room."""
    print(
        f"\n{'room':12} {'places':>7} {'tried':>6} {'caught':>7} {'(late)':>7} {'survived':>9}   caught, 95 %"
    )
    for one in done:
        survived, late = one.count(TestOutcome.SURVIVED), one.late
        tried_count = one.caught.count
        print(
            f"{one.room:12} {one.places:7,} {tried_count:6} {one.caught.successes:7} {late:7} {survived:9}   {one.caught}"
        )
        if failed := one.count(TestOutcome.INCOMPETENT):
            print(f"{'':12} {failed} could not be tried")
    print(f"seed {seed}")


def _place(mutant: MutationSpec) -> str:
    return f"{mutant.module_path}:{mutant.start_pos[0]}"


def _kind(mutant: MutationSpec) -> str:
    return mutant.operator_name.removeprefix("core/")


if __name__ == "__main__":
    sys.exit(main())
