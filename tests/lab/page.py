"""Writes docs/agents.md: which agent at which version was run when, what is right, and what the agent itself loses."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lab.collecting import Subject
from lab.judging import Cell
from lab.results import cells_in
from lab.scenarios import SCENARIOS
from lab.table import faults, losses, table

_HEAD = """# Agents, compared with their model's output

Real agents and frameworks run, at the versions below, against a scripted model server on loopback. The truth is the server's responses, and the
file in which a command notes that it ran. The recordings are compared with the truth: words, calls with names and arguments, the result of
each call, tokens, model, and why an answer ended.

| recorded by | is |
|---|---|
| file | the agent's own files, imported |
| proxy | the requests and responses, through `actionledger proxy` |
| trace | a framework's spans, sent to `actionledger otlp-receiver` |

`make lab` writes this page anew (`make lab LAB="--page docs/agents.md"`); a run of some agents or scenarios replaces theirs alone.
[CONTRIBUTING.md](../CONTRIBUTING.md#an-agent-of-the-lab) says how to add an agent.

A cell says

- *right*: the ledger has all that the agent's recording can say: all of the truth, but for what the row *never there* names;
- what is missing, in a word, where an agent hasn't written down something else: the ledger has the rest, and invents nothing. *Finish* is why an
  answer ended, *status* what came of a call, *broken text* arguments that are no JSON, as the model sent them. [Below](#what-the-agents-themselves-lose)
  stands why;
- *WRONG*: the ledger differs from what the recording says;
- nothing: the agent has no such thing, or it has no result of today's code: it wasn't run, or not again since something was mended.

A run is *WRONG*, too, if a second import of the same files adds anything, or if its sessions don't form one tree (*lineage*).
"""


def scenarios(cells: Sequence[Cell]) -> str:
    """Return the table of what was run, in words."""
    ran = {cell.scenario for cell in cells}
    rows = [f"| {name} | {each.said} |" for name, each in SCENARIOS.items() if name in ran]
    return "\n".join(["| scenario | what the model says |", "|---|---|", *rows])


def write_page(path: Path, found: Mapping[str, Any], all_: Sequence[Subject]) -> None:
    """Write the page.

    Args:
        path: where.
        found: what is kept of the runs.
        all_: everything that is pinned.
    """
    titles = {subject.name: subject.title for subject in all_}
    cells = [cell for name, row in found.items() for cell in cells_in(name, row)]
    parts = [_HEAD, f"## What is right\n\n{table(cells, titles)}\n"]
    wrong = faults(cells)
    if wrong:
        parts.append("Wrong:\n\n" + "\n".join(f"- {line}" for line in wrong) + "\n")
    parts += [
        f"## What the agents themselves lose\n\n{losses(cells, titles)}\n",
        f"## The scenarios\n\n{scenarios(cells)}\n",
        f"## Versions\n\n{versions(found, all_)}\n",
    ]
    path.write_text("\n".join(parts), encoding="utf-8")


def versions(found: Mapping[str, Any], all_: Sequence[Subject]) -> str:
    """Return the table of what was run, at which version, and when last."""
    lines = ["| | package | version | last run on |", "|---|---|---|---|"]
    for subject in all_:
        beside = "".join(f", {each.replace('==', ' ')}" for each in subject.pin.beside)
        date = found.get(subject.name, {}).get("date", "not run")
        lines.append(
            f"| {subject.title} | `{subject.pin.package}` | {subject.pin.version}{beside} | {date} |"
        )
    return "\n".join(lines)
