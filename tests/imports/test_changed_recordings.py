"""Recordings of agents that were run, each changed in one place: no change stops the import, and no other line is lost for it."""

import json
import random
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from effort import examples
from given_items import check_items, sessions
from hostile_values import STRANGE, holder, paths

from actionledger.core.errors import SourceError
from actionledger.core.vocabulary import LeftOutReason
from actionledger.imports.sources.base import Item, LeftOut, Refusal
from actionledger.imports.sources.json_values import value_of
from actionledger.imports.sources.registry import recognised, sample_of, source_named

TESTS = Path(__file__).parents[1]
RECORDED = sorted(
    path
    for folder in ("imports/recordings", "lab/recordings")
    for kind in ("*.jsonl", "*.json")
    for path in (TESTS / folder).rglob(kind)
    if path.name != "truth.json"
)
HALF, UNKNOWN = "\ud800", {"type": "teleported", "role": "teleported", "place": {"on": "moon"}}
OTHERS = (
    *STRANGE,
    HALF,
    f'{{"half": "{HALF}"}}',
    "2026-13-45T99:99:99Z",
    -(2**63),
    [{"type": {}}],
    {"": None},
)
FIRST = frozenset({"pi", "gemini_cli", "droid"})
"""Formats whose first line says which session the others are of: without it they are refused."""


def changed(line: Any, dice: random.Random) -> Any:
    """Return a line with one of its values, one of its names, its kind, or all of it put for something else."""
    there = list(paths(line))
    if not there or dice.random() < 0.1:
        return dice.choice((5, None, "text", [1], [], {}))
    place, other = dice.choice(there), deepcopy(line)
    held, kinds = holder(other, place), ("type", "role", "kind", "status")
    chance = dice.random()
    if isinstance(held, dict) and chance < 0.2:
        held[f"{place[-1]}V2"] = held.pop(place[-1])
    elif isinstance(held, dict) and chance < 0.4 and (kind := next(filter(held.get, kinds), "")):
        held[kind] = "teleported"
    else:
        held[place[-1]] = dice.choice(OTHERS)
    return other


def read(path: Path, name: str, values: list[Any]) -> list[Item]:
    """Write values as a recording beside whatever stands beside it, and read it."""
    texts = [json.dumps(value) for value in values]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    try:
        return list(source_named(name).read(path, None))
    except SourceError as error:  # a document that is none
        return [Refusal(str(path), 0, str(error))]


def words(items: list[Item]) -> set[str]:
    """Return the first lines of what was said: a text may be joined to what stands beside it."""
    said = (line for each in sessions(items) for turn in each.turns for line in turn.text.split("\n"))
    return {line.strip() for line in said if line.strip()}


def recordings(*kinds: str) -> list[Any]:
    """Return the recordings of some kinds of file, each with its format's name."""
    sure = {path: recognised(sample_of(path))[:1] for path in RECORDED if path.suffix in kinds}
    return [
        pytest.param(path, found.source.name, id=f"{path.relative_to(TESTS)}")
        for path, some in sure.items()
        for found in some
        if found.sureness == 1
    ]


@pytest.mark.scaled
@pytest.mark.parametrize(("path", "name"), recordings(".json", ".jsonl"))
def test_no_change_stops_an_import_and_no_other_line_is_lost(path, name, tmp_path):
    """Whatever is put in one place; what is lost is what that line said."""
    is_lines, dice = path.suffix == ".jsonl", random.Random(path.name)
    text = path.read_text(encoding="utf-8")
    lines = [value_of(line) for line in text.splitlines() if line.strip()] if is_lines else [value_of(text)]
    copy = tmp_path / path.name
    said = words(read(copy, name, lines))
    for _ in range(examples(20)):
        at = dice.randrange(len(lines))
        other = changed(lines[at], dice)
        items = read(copy, name, [*lines[:at], other, *lines[at + 1 :]])
        check_items(items, source_named(name).wordings)
        if is_lines and not (at == 0 and name in FIRST):
            own = json.dumps(lines[at])
            there = "\n".join(words(items))
            lost = {line for line in said if line not in there and json.dumps(line[:20])[1:-1] not in own}
            assert not lost, other


@pytest.mark.parametrize(("path", "name"), recordings(".jsonl"))
def test_a_kind_that_nobody_knows_is_counted_by_its_name(path, name, tmp_path):
    """Between any two lines, which are read as they were."""
    lines = [value_of(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    copy = tmp_path / path.name
    said = words(read(copy, name, lines))
    items = read(copy, name, [*lines, UNKNOWN])
    unknown = [
        each.detail
        for each in items
        if isinstance(each, LeftOut) and each.reason is LeftOutReason.UNKNOWN_KIND
    ]
    assert [each for each in unknown if "teleported" in each and "place" in each], unknown
    assert words(items) == said
