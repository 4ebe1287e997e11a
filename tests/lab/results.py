"""What came of the runs of today's pins, kept in ``results.json``, so that the page is written anew after a part of them was run."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lab.judging import Cell
from lab.scenarios import SCENARIOS

RESULTS = Path(__file__).with_name("results.json")


def kept(path: Path = RESULTS) -> dict[str, Any]:
    """Return what is kept, by the names of agents and frameworks."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def with_new(
    old: Mapping[str, Any], cells: Sequence[Cell], versions: Mapping[str, str], date: str
) -> dict[str, Any]:
    """Return what is kept with new cells in the places of old ones.

    Args:
        old: what was kept.
        cells: what came of runs.
        versions: the pinned version of each agent and framework; what is kept of another version goes.
        date: when the runs were.
    """
    found = {name: row for name, row in old.items() if versions.get(name) == row["version"]}
    ran = [cell for cell in cells if not cell.not_run]
    for name in dict.fromkeys(cell.agent for cell in ran):
        mine = [cell for cell in ran if cell.agent == name]
        new = {(cell.way, cell.scenario): cell for cell in (*cells_in(name, found.get(name, {})), *mine)}
        found[name] = {"version": versions[name], "date": date, "ways": _ways(list(new.values()))}
    return {name: found[name] for name in versions if name in found}


def cells_in(name: str, row: Mapping[str, Any]) -> Iterator[Cell]:
    """Yield the cells of what is kept of an agent, as far as their scenarios are still there."""
    for way, told in row.get("ways", {}).items():
        lost: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for group in told["lost"]:
            for scenario in group["in"]:
                lost[scenario] += [(what, group["why"]) for what in group["what"]]
        for scenario in told["ran"]:
            if scenario in SCENARIOS:
                yield Cell(name, scenario, way, tuple(told["wrong"].get(scenario, ())), tuple(lost[scenario]))


def _ways(cells: Sequence[Cell]) -> dict[str, Any]:
    """Return cells by ways; what is lost in the same scenarios for the same reason stands together."""
    places = list(SCENARIOS)
    ordered = sorted(cells, key=lambda cell: (cell.way, places.index(cell.scenario)))
    return {
        way: _way([cell for cell in ordered if cell.way == way])
        for way in dict.fromkeys(cell.way for cell in ordered)
    }


def _way(cells: Sequence[Cell]) -> dict[str, Any]:
    return {
        "ran": [cell.scenario for cell in cells],
        "wrong": {cell.scenario: list(cell.wrong) for cell in cells if cell.wrong},
        "lost": [
            {"what": list(what), "why": why, "in": list(scenarios)} for what, why, scenarios in grouped(cells)
        ],
    }


def grouped(cells: Sequence[Cell]) -> list[tuple[tuple[str, ...], str, tuple[str, ...]]]:
    """Return what is lost, why, and in which scenarios, what is lost in the same ones together."""
    where: dict[tuple[str, str], list[str]] = defaultdict(list)
    for cell in cells:
        for each in cell.lost:
            where[each].append(cell.scenario)
    together: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    for (what, why), scenarios in where.items():
        together[why, tuple(scenarios)].append(what)
    return [(tuple(what), why, scenarios) for (why, scenarios), what in together.items()]


def keep_results(found: Mapping[str, Any], path: Path = RESULTS) -> None:
    """Write what is kept, a line for each list."""
    lines = []
    for name, row in found.items():
        ways = ",\n".join(f"   {json.dumps(way)}: {_lines(told)}" for way, told in row["ways"].items())
        head = ", ".join(f"{json.dumps(key)}: {json.dumps(row[key])}" for key in ("version", "date"))
        lines.append(f' {json.dumps(name)}: {{{head}, "ways": {{\n{ways}}}}}')
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _lines(told: Mapping[str, Any]) -> str:
    lost = ",\n".join(f"     {json.dumps(group, ensure_ascii=False)}" for group in told["lost"])
    ran, wrong = json.dumps(told["ran"]), json.dumps(told["wrong"], ensure_ascii=False)
    return f'{{"ran": {ran},\n    "wrong": {wrong},\n    "lost": [\n{lost}]}}'
