"""``python -m lab [NAME…]``: run agents and frameworks, print the table, and exit with 1 where one is wrong; ``--drift``: the newest versions."""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from lab import install
from lab.agents import AGENTS
from lab.collecting import Subject, cells_again, cells_of, run_folder, subjects
from lab.drift import changes, shape
from lab.judging import Cell
from lab.keeping import keep
from lab.page import write_page
from lab.results import keep_results, kept, with_new
from lab.scenarios import SCENARIOS
from lab.table import faults, losses, not_run, table, word

CellsFrom = Callable[[Subject, Path, Sequence[str]], Iterator[Cell]]

FOLDER = Path(tempfile.gettempdir()) / "actionledger-lab"


def main() -> int:
    """Run what was asked for."""
    asked = argparse.ArgumentParser(prog="lab", description=__doc__)
    asked.add_argument("names", nargs="*", help="agents and frameworks; by default all")
    asked.add_argument("--scenario", action="append", default=[], choices=list(SCENARIOS))
    asked.add_argument("--folder", type=Path, default=FOLDER, help="where things are installed and run")
    asked.add_argument("--page", type=Path, help="write the table as a page of Markdown")
    asked.add_argument(
        "--drift",
        action="store_true",
        help="run the newest versions, and say what changed since the pinned ones",
    )
    asked.add_argument("--against", default="", help="with --drift: this version instead of the newest")
    asked.add_argument(
        "--again", action="store_true", help="import and judge what was run before, and run nothing"
    )
    asked.add_argument(
        "--keep", type=Path, help="keep what agents wrote as small recordings, with the truth, in this folder"
    )
    asked.add_argument(
        "--together", action="store_true", help="run those scenarios as one session that can be: much faster"
    )
    given = asked.parse_args()
    chosen = subjects(given.names)
    if given.drift:
        return drift(chosen, given.folder, given.scenario, given.against)
    cells_from = cells_again if given.again else cells_of
    cells = run(chosen, given.folder, given.scenario, partial(cells_from, together=given.together))
    tell(cells, chosen)
    if given.keep:
        keep_all(chosen, given.folder, given.scenario, given.keep)
    if given.page:
        all_ = subjects([])
        versions = {subject.name: subject.pin.version for subject in all_}
        found = with_new(kept(), cells, versions, datetime.now(UTC).date().isoformat())
        keep_results(found)
        write_page(given.page, found, all_)
    return int(bool(faults(cells)))


def run(
    chosen: Sequence[Subject], folder: Path, scenarios: Sequence[str], cells_from: CellsFrom = cells_of
) -> list[Cell]:
    """Run subjects one after the other, saying how far it is."""
    cells: list[Cell] = []
    for subject in chosen:
        for cell in cells_from(subject, folder, scenarios):
            print(
                f"{subject.title} {subject.pin.version}, {cell.scenario}, {cell.way}: {word(cell)}",
                file=sys.stderr,
            )
            cells.append(cell)
    return cells


def tell(cells: Sequence[Cell], chosen: Sequence[Subject]) -> None:
    """Print the table, what is wrong, what agents lose, and what could not be run."""
    titles = {subject.name: subject.title for subject in chosen}
    print(table(cells, titles), end="\n\n")
    print("\n".join(faults(cells)) or "Nothing is wrong.", end="\n\n")
    print(losses(cells, titles))
    print("\n".join(f"Not run: {each}" for each in not_run(cells, titles)))


def keep_all(chosen: Sequence[Subject], folder: Path, scenarios: Sequence[str], to: Path) -> None:
    """Keep the runs of agents that are small enough."""
    for subject in (each for each in chosen if each.kind == "agents"):
        for scenario in scenarios or SCENARIOS:
            run_at, name = run_folder(folder, subject, scenario), scenario.replace(" ", "_")
            store = run_at / "home" / AGENTS[subject.name].store
            is_kept = store.exists() and keep(run_at, store, to / subject.name / name)
            print(f"{subject.title}, {scenario}: {'kept' if is_kept else 'not kept'}", file=sys.stderr)


def drift(chosen: Sequence[Subject], folder: Path, scenarios: Sequence[str], against: str) -> int:
    """Run the pinned versions and the newest ones, and print what changed."""
    is_wrong = False
    for subject in chosen:
        newest = install.newest(subject.kind, subject.pin)
        other = replace(subject, pin=replace(newest, version=against or newest.version))
        if other.pin.version == subject.pin.version:
            print(f"{subject.title}: {subject.pin.version} is the newest.", flush=True)
            continue
        run([subject], folder, scenarios)
        cells = run([other], folder, scenarios)
        print(f"{subject.title}: {subject.pin.version} to {other.pin.version}")
        if missing := not_run(cells, {subject.name: subject.title}):
            print("\n".join(f"  Not run: {each}" for each in missing), flush=True)
            continue
        for line in changes(shape(subject, folder, scenarios), shape(other, folder, scenarios)):
            print(f"  {line}")
        for line in faults(cells):
            print(f"  WRONG {line}", flush=True)
        is_wrong = is_wrong or bool(faults(cells))
    return int(is_wrong)


if __name__ == "__main__":  # an import may start processes of its own
    sys.exit(main())
