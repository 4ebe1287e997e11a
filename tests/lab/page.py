"""Writes docs/agents.md: which agent at which version was run when, what is right, and what the agent itself loses."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from lab.collecting import Subject
from lab.install import pins
from lab.judging import Cell
from lab.scenarios import SCENARIOS
from lab.table import faults, losses, not_run, table

_HEAD = """# Agents, held against what their model said

Real agents and frameworks, installed at the versions below and run against a scripted model server on loopback: what the server sent, and
what a command left in a file when it ran, is the truth. What each agent wrote is imported, what passed goes through `actionledger proxy`, and
what a framework traces goes to `actionledger otlp-receiver`; each is compared with the truth: words, calls with names and arguments, what came of
each call, tokens, model, and why an answer ended. `make lab` writes this page anew
(`make lab LAB="--page docs/agents.md"`); [CONTRIBUTING.md](../CONTRIBUTING.md#an-agent-of-the-lab) says how to add one.

*right*: all of it is in the ledger as it was. *loses*: what the agent has written down is in the ledger as it was, and some of the truth it hasn't
written; [below](#what-the-agents-themselves-lose) says what. *WRONG*: the ledger says something else than the recording could have told.
"""


def scenarios(cells: Sequence[Cell]) -> str:
    """Return the table of what was run, in words."""
    ran = {cell.scenario for cell in cells}
    rows = [f"| {name} | {each.said} |" for name, each in SCENARIOS.items() if name in ran]
    return "\n".join(["| scenario | what the model says |", "|---|---|", *rows])


def write_page(path: Path, cells: Sequence[Cell], chosen: Sequence[Subject]) -> None:
    """Write the page.

    Args:
        path: where.
        cells: what came of the runs.
        chosen: what was run.
    """
    titles = {subject.name: subject.title for subject in chosen}
    parts = [_HEAD, f"## What is right\n\n{table(cells, titles)}\n"]
    wrong = faults(cells)
    if wrong:
        parts.append("Wrong:\n\n" + "\n".join(f"- {line}" for line in wrong) + "\n")
    missing = not_run(cells, titles)
    if missing:
        parts.append("Not run:\n\n" + "\n".join(f"- {line}" for line in missing) + "\n")
    parts += [
        f"## What the agents themselves lose\n\n{losses(cells, titles)}\n",
        f"## The scenarios\n\n{scenarios(cells)}\n",
        f"## Versions\n\n{versions(chosen, datetime.now(UTC).date().isoformat())}\n",
    ]
    path.write_text("\n".join(parts), encoding="utf-8")


def versions(chosen: Sequence[Subject], date: str) -> str:
    """Return the table of what was run, at which version, and when."""
    lines = ["| | package | version | run on |", "|---|---|---|---|"]
    for subject in chosen:
        beside = "".join(f", {each.replace('==', ' ')}" for each in subject.pin.beside)
        lines.append(
            f"| {subject.title} | `{subject.pin.package}` | {subject.pin.version}{beside} | {date} |"
        )
    kept = {name for kind in ("agents", "frameworks") for name in pins(kind)} - {
        subject.name for subject in chosen
    }
    lines += [f"| {name} | | | not run this time |" for name in sorted(kept)]
    return "\n".join(lines)
