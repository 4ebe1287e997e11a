"""Runs scenarios of one session as one session, which saves the agent's starts, and tells what came of each."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from lab.compare import Difference
from lab.scenarios import SCENARIOS
from lab.steps import Scenario, Step, parts
from lab.truth import Truth

TOGETHER = "together"
"""The name of the run's folder."""
BREAKS = frozenset({"text", "call", "end", "unfinished"})
"""What cuts an answer so that an agent asks again; an error that is told ends the session of some."""
RETRIED = frozenset({429, 500, 503, 529})
"""The errors after which an agent asks again."""


def is_joinable(script: Scenario) -> bool:
    """Whether a scenario can be a part of a session: one that no agent ends before its last words."""
    return not script.is_for_agents and all(map(_goes_on, script.steps[:-1]))


def _goes_on(step: Step) -> bool:
    has_calls = any(part.calls for part in parts(step))
    is_whole = has_calls and not step.finish and not step.cut
    return step.status in RETRIED or step.cut in BREAKS or is_whole


def joined(names: Sequence[str]) -> Scenario:
    """Return scenarios as one, without the last words of each."""
    steps = [replace(step, of=name) for name in names for step in _body(SCENARIOS[name])]
    return Scenario("many scenarios, one after the other", (*steps, Step("All of them are over.")))


def _body(script: Scenario) -> tuple[Step, ...]:
    return script.steps if _goes_on(script.steps[-1]) else script.steps[:-1]


def came_through(names: Sequence[str], truth: Truth) -> list[str]:
    """Return the scenarios whose answers were all asked for; an agent may end the session before the others."""
    asked = [answer.of for answer in truth.answers if not answer.is_side]
    wanted = {name: sum(step.status == 200 for step in _body(SCENARIOS[name])) for name in names}
    return [name for name, count in wanted.items() if asked.count(name) == count]


def of_each(
    names: Sequence[str], truth: Truth, found: Sequence[Difference]
) -> Iterator[tuple[str, list[Difference]]]:
    """Yield each scenario with what is recorded otherwise than it was; what is of no answer is the last one's."""
    of = {answer.number: answer.of for answer in truth.answers}
    ran = came_through(names, truth)
    for name in ran:
        mine = [each for each in found if of.get(each.answer) == name]
        yield name, [*mine, *(each for each in found if each.answer < 0 and name == ran[-1])]
