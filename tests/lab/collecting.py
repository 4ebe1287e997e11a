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
from lab.judging import Cell, judged, ours_behind, ours_in
from lab.rows import Turn, parents_of, turns_of
from lab.run import Run, import_again, run_again, run_agent, run_framework
from lab.scenarios import SCENARIOS

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


def cells_of(subject: Subject, folder: Path, scenarios: Sequence[str] = ()) -> Iterator[Cell]:
    """Run a subject through the scenarios, and yield what came of each in each way."""
    try:
        programs = (
            (install.agent(subject.pin, folder / "npm"), install.node(folder / "npm"))
            if subject.kind == "agents"
            else (install.framework(subject.pin, folder / "pip"),)
        )
    except subprocess.CalledProcessError as error:
        for scenario in fitting(subject, scenarios):
            yield Cell(
                subject.name,
                scenario,
                WAYS[subject.kind][0],
                not_run=f"can't be installed: exit {error.returncode}",
            )
        return
    for scenario in fitting(subject, scenarios):
        place = run_folder(folder, subject, scenario)
        if subject.kind == "agents":
            run = run_agent(AGENTS[subject.name], scenario, place, *programs)
        else:
            run = run_framework(FRAMEWORKS[subject.name], scenario, place, *programs)
        yield from judge(subject, scenario, run)


def cells_again(subject: Subject, folder: Path, scenarios: Sequence[str] = ()) -> Iterator[Cell]:
    """Import and judge what earlier runs have left, and yield what came of each in each way."""
    for scenario in fitting(subject, scenarios):
        place = run_folder(folder, subject, scenario)
        if (place / "truth.json").exists():
            store = AGENTS[subject.name].store if subject.kind == "agents" else None
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
            continue
        if way not in run.ledgers:
            yield Cell(subject.name, scenario, way, lost=(("all", "it has written nothing"),))
            continue
        turns = turns_of(run.ledgers[way])
        found = [
            *differences(run.truth, turns),
            *strangers(run.truth, turns, parents_of(run.ledgers[way])),
        ]
        if way == "file":
            found += doubled(turns, run)
        ours = ours_behind(run.truth) if way == "proxy" else ours_in(run.stores[way])
        yield judged(subject.name, scenario, way, found, ours=ours)


def doubled(turns: Sequence[Turn], run: Run) -> Iterator[Difference]:
    """Yield what a second import of the same files changes, which is to be nothing."""
    import_again(run.stores["file"], run.ledgers["file"])
    after = turns_of(run.ledgers["file"])
    if after != turns:
        yield Difference(-1, "second import", f"{len(after)} turns", f"{len(turns)} turns as they were")
