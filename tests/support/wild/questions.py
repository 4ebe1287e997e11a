"""Tools that a model is offered, and the calls of them that are known to be right."""

import gzip
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from wild.own_tools import OWN

LEADERBOARD = Path(__file__).parents[4] / "shared" / "corpora" / "bfcl"

POOL = 100
"""How many questions of one call, and how many of two, a measurement draws from."""

LEFT_OUT = ("", None)
"""What an answer of the leaderboard has in place of a field that may be left out."""


@dataclass(frozen=True)
class Call:
    """A call that is meant."""

    name: str  # the tool's name as it is offered
    arguments: dict[str, Any]  # what is written of it
    accepted: dict[str, list[Any]]  # what else each argument may be


@dataclass(frozen=True)
class Question:
    """What is offered, and what is meant."""

    tools: tuple[dict[str, Any], ...]  # their definitions
    calls: tuple[Call, ...]  # what is to be called, at least one

    @property
    def names(self) -> tuple[str, ...]:
        """The offered names."""
        return tuple(tool["name"] for tool in self.tools)

    def parameters(self, name: str) -> list[str]:
        """The names of a tool's parameters, in the order of its schema."""
        tool = next(tool for tool in self.tools if tool["name"] == name)
        return list(tool["parameters"]["properties"])

    def other(self, chance: random.Random) -> str:
        """A name that is offered, and not called where there is such a one."""
        called = {call.name for call in self.calls}
        return chance.choice([name for name in self.names if name not in called] or list(self.names))

    def with_arguments(self, at: int, arguments: dict[str, Any]) -> "Question":
        """The same, with other arguments in one of its calls."""
        call = replace(self.calls[at], arguments=arguments, accepted={})
        return replace(self, calls=(*self.calls[:at], call, *self.calls[at + 1 :]))

    def renamed(self, old: str, new: str) -> "Question":
        """The same, with one sign of all names instead of another."""
        tools = tuple({**tool, "name": tool["name"].replace(old, new)} for tool in self.tools)
        calls = tuple(replace(call, name=call.name.replace(old, new)) for call in self.calls)
        return Question(tools, calls)


def own_questions() -> tuple[Question, ...]:
    """The questions on the tools that are made for this."""
    tools = tuple(tool for tool, _ in OWN)
    return tuple(
        Question(tools, (Call(tool["name"], arguments, {}),)) for tool, calls in OWN for arguments in calls
    )


@cache
def leaderboard_questions() -> tuple[Question, ...]:
    """The leaderboard's questions that have a possible answer; none where it is not here."""
    return tuple(
        _question(each, answers[each["id"]])
        for path in sorted(LEADERBOARD.glob("*.gz"))
        if (LEADERBOARD / "possible_answer" / path.name).exists()
        for answers in [
            {row["id"]: row["ground_truth"] for row in _rows(LEADERBOARD / "possible_answer" / path.name)}
        ]
        for each in _rows(path)
    )


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def _question(row: dict[str, Any], answer: list[dict[str, Any]]) -> Question:
    calls = (
        Call(name, _given(fields), {field: list(_values(options)) for field, options in fields.items()})
        for call in answer
        for name, fields in call.items()
    )
    return Question(tuple(row["function"]), tuple(calls))


def _values(options: Any) -> Iterator[Any]:
    """Yield each accepted value; within an object each field has accepted values of its own, of which the first counts."""
    for option in options if isinstance(options, list) else [options]:
        if option not in LEFT_OUT:
            yield _chosen(option)


def _chosen(value: Any) -> Any:
    if isinstance(value, dict):
        return _given(value)
    if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        return [_given(each) for each in value]
    return value


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: values[0] for name, options in fields.items() if (values := list(_values(options)))}


class Questions:
    """A pool of questions to draw from: it is small, since a catalogue of tools takes longer to make than a response to read.

    Args:
        seed: which questions are in it.
        with_leaderboard: whether seven of ten are the leaderboard's, where it is here.
    """

    def __init__(self, seed: int, *, with_leaderboard: bool = True) -> None:
        chance = random.Random(f"questions|{seed}")
        found = leaderboard_questions() if with_leaderboard else ()
        single = [each for each in found if len(each.calls) == 1]
        double = [each for each in found if len(each.calls) == 2]
        own = own_questions()
        self._single = [chance.choice(single if single and at % 10 < 7 else own) for at in range(POOL)]
        self._double = [
            chance.choice(double) if double and at % 10 < 4 else _joined(chance, self._single)
            for at in range(POOL)
        ]

    def draw(self, chance: random.Random, count: int) -> Question:
        """Return a question of one call or of two."""
        return chance.choice(self._single if count == 1 else self._double)


def _joined(chance: random.Random, single: list[Question]) -> Question:
    """Return two questions as one: both tools are offered, both calls are meant."""
    while True:
        first, second = chance.sample(single, 2)
        offered = {tool["name"]: tool for tool in (*first.tools, *second.tools)}
        is_clear = all(offered[tool["name"]] == tool for tool in first.tools)
        if is_clear and first.calls[0] != second.calls[0]:
            return Question(tuple(offered.values()), (*first.calls, *second.calls))
