"""The table of what came of all runs: for a terminal, and as the page docs/agents.md."""

from collections.abc import Mapping, Sequence

from lab.judging import Cell
from lab.results import grouped
from lab.scenarios import SCENARIOS

RIGHT, LOST, WRONG, NOT_RUN = "right", "loses", "WRONG", "not run"
_TOKENS = ("input tokens", "cached tokens", "output tokens", "reasoning tokens")
_NAMES = {
    "call that nobody sent": "calls",
    "call": "calls",
    "turn that nobody sent": "answers",
    "answer": "answers",
    "broken arguments": "broken text",
    "check of broken arguments": "broken text",
    "all": "everything",
}
"""What a cell calls a loss, where that is not its own name."""


def word(cell: Cell) -> str:
    """Return what a cell is in a word."""
    if cell.not_run:
        return NOT_RUN
    if cell.wrong:
        return WRONG
    return LOST if cell.lost else RIGHT


def table(cells: Sequence[Cell], titles: Mapping[str, str]) -> str:
    """Return a table of scenario by agent for each way of recording, as Markdown, which a terminal shows as well.

    What an agent loses wherever it was run stands once, in a row above the others.
    """
    return "\n\n".join(
        _table(way, [cell for cell in cells if cell.way == way], titles)
        for way in dict.fromkeys(cell.way for cell in cells)
    )


def _table(way: str, cells: Sequence[Cell], titles: Mapping[str, str]) -> str:
    agents = list(dict.fromkeys(cell.agent for cell in cells))
    never = {name: always_lost([cell for cell in cells if cell.agent == name]) for name in agents}
    found = {(cell.scenario, cell.agent): said(cell, never[cell.agent]) for cell in cells}
    lines = [
        f"| recorded by {way} | {' | '.join(titles[each] for each in agents)} |",
        f"|---|{'---|' * len(agents)}",
    ]
    if any(never.values()):
        lines.append(f"| *never there* | {' | '.join(named(sorted(never[each])) for each in agents)} |")
    ran = {scenario for scenario, _ in found}
    lines += [
        f"| {name} | {' | '.join(found.get((name, each), '') for each in agents)} |"
        for name in SCENARIOS
        if name in ran
    ]
    return "\n".join(lines)


def always_lost(cells: Sequence[Cell]) -> frozenset[str]:
    """Return what one agent loses in all its runs but a few, in which there was none of it."""
    ran = [cell for cell in cells if not cell.not_run]
    counts = {what: sum(what in dict(cell.lost) for cell in ran) for cell in ran for what, _ in cell.lost}
    return frozenset(what for what, count in counts.items() if len(ran) > 2 and _is_most(count, len(ran)))


def _is_most(some: int, all_: int) -> bool:
    return all_ - some < some / 2


def said(cell: Cell, never: frozenset[str]) -> str:
    """Return what a cell is, where what is never there is left out: what else is lost is named."""
    lost = [what for what, _ in cell.lost if what not in never]
    return named(lost) if lost and word(cell) == LOST else RIGHT if word(cell) == LOST else word(cell)


def named(lost: Sequence[str]) -> str:
    """Return what is lost in a few words."""
    tokens = [each for each in lost if each in _TOKENS]
    if len(tokens) > 2:
        lost = [*(each for each in lost if each not in _TOKENS), "tokens"]
    return ", ".join(dict.fromkeys(_NAMES.get(each, each) for each in lost))


def faults(cells: Sequence[Cell]) -> list[str]:
    """Return a line for each thing that is wrong."""
    return [f"{cell.agent}, {cell.scenario}, {cell.way}: {each}" for cell in cells for each in cell.wrong]


def losses(cells: Sequence[Cell], titles: Mapping[str, str]) -> str:
    """Return what each agent itself loses, as a table of Markdown."""
    lines = ["| | recorded by | what isn't there | where |", "|---|---|---|---|"]
    for agent, way in dict.fromkeys((cell.agent, cell.way) for cell in cells):
        mine = [cell for cell in cells if (cell.agent, cell.way) == (agent, way)]
        for what, why, scenarios in grouped(mine):
            reason = f"{', '.join(what)}: {why}" if why else ", ".join(what)
            where = _where(scenarios, [cell.scenario for cell in mine])
            lines.append(f"| {titles[agent]} | {way} | {reason} | {where} |")
    return "\n".join(lines)


def _where(scenarios: Sequence[str], ran: Sequence[str]) -> str:
    """Return some of the scenarios that were run, in few words."""
    others = [each for each in ran if each not in scenarios]
    if not others:
        return "everywhere"
    is_most = _is_most(len(scenarios), len(ran))
    return f"everywhere but {', '.join(others)}" if is_most else ", ".join(scenarios)


def not_run(cells: Sequence[Cell], titles: Mapping[str, str]) -> list[str]:
    """Return a line for each agent that could not be run, and why."""
    told = dict.fromkeys((titles[cell.agent], cell.not_run) for cell in cells if cell.not_run)
    return [f"{title}: {why}" for title, why in told]
