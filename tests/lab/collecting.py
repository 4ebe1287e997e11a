"""Runs what is asked for, one after the other, and judges each run in each way in which it was recorded."""

import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab import install
from lab.agents import AGENTS, fits
from lab.compare import Difference, differences, strangers
from lab.frameworks import FRAMEWORKS
from lab.install import Pin
from lab.judging import Cell, Ours, judged, ours_behind, ours_in
from lab.rows import Turn, parents_of, turns_of
from lab.run import Run, import_again, run_again, run_agent, run_framework
from lab.scenarios import SCENARIOS
from lab.steps import Scenario
from lab.together import TOGETHER, is_joinable, joined, of_each

WAYS = {"agents": ("file", "proxy"), "frameworks": ("proxy", "trace")}


@dataclass(frozen=True)
class Subject:
    """An agent or a framework, at a version."""

    name: str
    kind: str
    title: str
    pin: Pin


def subjects(names: Sequence[str]) -> list[Subject]:
    """Return the agents and frameworks of some names, or all of them.

    Raises:
        SystemExit: nothing goes by a name.
    """
    pinned = {kind: install.pins(kind) for kind in WAYS}
    titles = {name: row.title for name, row in (*AGENTS.items(), *FRAMEWORKS.items())}
    found = [Subject(name, kind, titles[name], pin) for kind in pinned for name, pin in pinned[kind].items()]
    strange = set(names) - {each.name for each in found}
    if strange:
        raise SystemExit(f"No agent and no framework is named {', '.join(sorted(strange))}.")
    return [each for each in found if not names or each.name in names]


def cells_of(
    subject: Subject, folder: Path, scenarios: Sequence[str] = (), *, together: bool = False
) -> Iterator[Cell]:
    """Run a subject through the scenarios, and yield what came of each in each way.

    Args:
        subject: what is run.
        folder: where things are installed and run.
        scenarios: which ones; by default all that it has what they need for.
        together: whether those that can be are run as one session.
    """
    chosen = fitting(subject, scenarios)
    try:
        programs = programs_of(subject, folder)
    except subprocess.CalledProcessError as error:
        why = f"can't be installed: exit {error.returncode}"
        for scenario in chosen:
            yield Cell(subject.name, scenario, WAYS[subject.kind][0], not_run=why)
        return
    some = [name for name in chosen if together and is_joinable(SCENARIOS[name])]
    if some:
        place = run_folder(folder, subject, TOGETHER)
        yield from judge_each(subject, some, run_in(place, subject, joined(some), programs))
    for scenario in (name for name in chosen if name not in some):
        place = run_folder(folder, subject, scenario)
        yield from judge(subject, scenario, run_in(place, subject, SCENARIOS[scenario], programs))


def programs_of(subject: Subject, folder: Path) -> tuple[Path, ...]:
    """Install what a subject needs, and return the programs."""
    if subject.kind == "agents":
        node = install.node(folder / "npm")
        return install.agent(subject.pin, folder / "npm", node), node
    return (install.framework(subject.pin, folder / "pip"),)


def run_in(place: Path, subject: Subject, script: Scenario, programs: tuple[Path, ...]) -> Run:
    """Run a subject once in a folder."""
    if subject.kind == "agents":
        return run_agent(AGENTS[subject.name], script, place, *programs)
    return run_framework(FRAMEWORKS[subject.name], script, place, *programs)


def cells_again(
    subject: Subject, folder: Path, scenarios: Sequence[str] = (), *, together: bool = False
) -> Iterator[Cell]:
    """Import and judge what earlier runs have left, and yield what came of each in each way."""
    store = AGENTS[subject.name].store if subject.kind == "agents" else None
    chosen = fitting(subject, scenarios)
    some = [name for name in chosen if together and is_joinable(SCENARIOS[name])]
    if some:
        yield from judge_each(subject, some, run_again(run_folder(folder, subject, TOGETHER), store))
    for scenario in (name for name in chosen if name not in some):
        place = run_folder(folder, subject, scenario)
        if (place / "truth.json").exists():
            yield from judge(subject, scenario, run_again(place, store))
        else:
            for way in WAYS[subject.kind]:
                yield Cell(subject.name, scenario, way, not_run="it was not run before")


def fitting(subject: Subject, scenarios: Sequence[str]) -> list[str]:
    """Return the scenarios, of some or of all, for which a subject has what they need."""
    chosen = scenarios or list(SCENARIOS)
    if subject.kind == "agents":
        return [name for name in chosen if fits(AGENTS[subject.name], SCENARIOS[name])]
    return [
        name for name in chosen if not SCENARIOS[name].is_for_agents and SCENARIOS[name].tools <= {"shell"}
    ]


def run_folder(folder: Path, subject: Subject, scenario: str) -> Path:
    """Where a run is."""
    return folder / "runs" / f"{subject.name}@{subject.pin.version}" / scenario.replace(" ", "_")


def judge(subject: Subject, scenario: str, run: Run) -> Iterator[Cell]:
    """Yield what came of a run in each way in which it was recorded."""
    for way in WAYS[subject.kind]:
        if not run.truth.answers and not run.truth.errors:
            yield Cell(subject.name, scenario, way, not_run=f"it asked nothing: {run.ending}")
        elif way not in run.ledgers:
            yield Cell(subject.name, scenario, way, lost=(("all", "it has written nothing"),))
        else:
            yield judged(subject.name, scenario, way, found_in(run, way), ours=ours_of(run, way))


def judge_each(subject: Subject, scenarios: Sequence[str], run: Run) -> Iterator[Cell]:
    """Yield what came of each of the scenarios that were run as one; of those that were not reached, nothing."""
    for way in (way for way in WAYS[subject.kind] if way in run.ledgers):
        ours = ours_of(run, way)
        for scenario, found in of_each(scenarios, run.truth, found_in(run, way)):
            yield judged(subject.name, scenario, way, found, ours=ours)


def ours_of(run: Run, way: str) -> Ours:
    """Return what tells our faults in a recording from what isn't there."""
    return ours_behind(run.truth) if way == "proxy" else ours_in(run.stores[way])


def found_in(run: Run, way: str) -> list[Difference]:
    """Return all that one recording of a run has otherwise than it was."""
    turns = turns_of(run.ledgers[way])
    lineage = strangers(run.truth, turns, parents_of(run.ledgers[way]))
    again = doubled(turns, run) if way == "file" else ()
    return [*differences(run.truth, turns), *lineage, *again]


def doubled(turns: Sequence[Turn], run: Run) -> Iterator[Difference]:
    """Yield what a second import of the same files changes, which is to be nothing."""
    import_again(run.stores["file"], run.ledgers["file"])
    after = turns_of(run.ledgers["file"])
    if after != turns:
        yield Difference(-1, "second import", f"{len(after)} turns", f"{len(turns)} turns as they were")
