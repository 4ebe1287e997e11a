"""Writes docs/agents.md: which agent at which version was run when, what is right, and what the agent itself loses."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from lab.collecting import Subject
from lab.install import pins
from lab.judging import Cell
from lab.scenarios import SCENARIOS
from lab.table import faults, losses, not_run, table

_HEAD = """# Agents, compared with their model's output

Real agents and frameworks run, at the versions below, against a scripted model server on loopback. The truth is the server's responses, and the
file in which a command notes that it ran. The recordings are compared with the truth: words, calls with names and arguments, the result of
each call, tokens, model, and why an answer ended.

| recorded by | is |
|---|---|
| file | the agent's own files, imported |
| proxy | the requests and responses, through `actionledger proxy` |
| trace | a framework's spans, sent to `actionledger otlp-receiver` |

`make lab` writes this page anew (`make lab LAB="--page docs/agents.md"`); [CONTRIBUTING.md](../CONTRIBUTING.md#an-agent-of-the-lab) says how to add an agent.

A cell says

- *right*: the ledger has all of the truth;
- *loses*: the ledger has all that the agent has written down, but the agent hasn't written all of the truth; [below](#what-the-agents-themselves-lose) says what is missing;
- *WRONG*: the ledger differs from what the recording says.
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
