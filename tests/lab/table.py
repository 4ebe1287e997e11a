"""The table of what came of all runs: for a terminal, and as the page docs/agents.md."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from lab.judging import Cell
from lab.scenarios import SCENARIOS

RIGHT, LOST, WRONG, NOT_RUN = "right", "loses", "WRONG", "not run"


def word(cell: Cell) -> str:
    """Return what a cell is in a word."""
    if cell.not_run:
        return NOT_RUN
    if cell.wrong:
        return WRONG
    return LOST if cell.lost else RIGHT


def table(cells: Sequence[Cell], titles: Mapping[str, str]) -> str:
    """Return a table of scenario by agent for each way of recording, as Markdown, which a terminal shows as well."""
    found = {(cell.way, cell.scenario, cell.agent): word(cell) for cell in cells}
    tables = []
    for way in dict.fromkeys(cell.way for cell in cells):
        agents = list(dict.fromkeys(cell.agent for cell in cells if cell.way == way))
        ran = {cell.scenario for cell in cells if cell.way == way}
        lines = [
            f"| recorded by {way} | {' | '.join(titles[each] for each in agents)} |",
            f"|---|{'---|' * len(agents)}",
        ]
        lines += [
            f"| {name} | {' | '.join(found.get((way, name, each), '') for each in agents)} |"
            for name in SCENARIOS
            if name in ran
        ]
        tables.append("\n".join(lines))
    return "\n\n".join(tables)


def faults(cells: Sequence[Cell]) -> list[str]:
    """Return a line for each thing that is wrong."""
    return [f"{cell.agent}, {cell.scenario}, {cell.way}: {each}" for cell in cells for each in cell.wrong]


def losses(cells: Sequence[Cell], titles: Mapping[str, str]) -> str:
    """Return what each agent itself loses, as a table of Markdown."""
    found: dict[tuple[str, str], dict[tuple[str, str], list[str]]] = defaultdict(lambda: defaultdict(list))
    for cell in cells:
        for what, why in cell.lost:
            found[cell.agent, cell.way][what, why].append(cell.scenario)
    lines = ["| | recorded by | what isn't there | where |", "|---|---|---|---|"]
    ran: dict[tuple[str, str], list[str]] = defaultdict(list)
    for cell in cells:
        ran[cell.agent, cell.way].append(cell.scenario)
    for (agent, way), rows in found.items():
        grouped: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
        for (what, why), scenarios in rows.items():
            grouped[why, tuple(scenarios)].append(what)
        for (why, scenarios), named in grouped.items():
            where = _where(scenarios, ran[agent, way])
            said = f"{', '.join(named)}: {why}" if why else ", ".join(named)
            lines.append(f"| {titles[agent]} | {way} | {said} | {where} |")
    return "\n".join(lines)


def _where(scenarios: Sequence[str], ran: Sequence[str]) -> str:
    """Return some of the scenarios that were run, in few words."""
    others = [each for each in ran if each not in scenarios]
    if not others:
        return "everywhere"
    is_most = len(others) < len(scenarios) / 2
    return f"everywhere but {', '.join(others)}" if is_most else ", ".join(scenarios)


def not_run(cells: Sequence[Cell], titles: Mapping[str, str]) -> list[str]:
    """Return a line for each agent that could not be run, and why."""
    told = dict.fromkeys((titles[cell.agent], cell.not_run) for cell in cells if cell.not_run)
    return [f"{title}: {why}" for title, why in told]
