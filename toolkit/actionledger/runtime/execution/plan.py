"""Order the calls of one response: find their dependencies, and those that can't be ordered. Pure.

An action is named by the ``id`` that it gives itself and by its number: ``action_1``, ``action_2``, …; an id that equals another
action's number takes precedence. An action waits for those listed in its ``depends_on``, and for those whose results it
refers to. Independent actions keep the order of the text.
``depends_on`` and a given id may point forward. A number in a reference may not, because a forward number is probably
a slip by a model that counts from the current action.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush
from itertools import pairwise

from actionledger.actions.references import is_numbered
from actionledger.actions.validation import id_of
from actionledger.core.values import ActionCall, Issue, ParseResult
from actionledger.core.vocabulary import ActionStatus, BlockStatus, Reason

_NAMED = 10
"""The maximum number of ids listed in a message."""


@dataclass(slots=True)
class PlannedAction:
    """A call that may run in its plan."""

    index: int  # its index among its response's actions, from 0
    call: ActionCall
    waits_for: tuple[int, ...] = ()  # the indexes of the actions that must succeed first
    issue: Issue | None = None  # why it can't run; None if it can


@dataclass(frozen=True, slots=True)
class TurnPlan:
    """The runnable calls of a response, in execution order."""

    actions: tuple[PlannedAction, ...]  # the calls, each after those that it waits for
    places: Mapping[str, int] = field(default_factory=dict)  # the index of the action with each id

    @property
    def issues(self) -> tuple[Issue, ...]:
        """The issues of actions that can't be ordered, in the order of the plan."""
        return tuple(action.issue for action in self.actions if action.issue)


_RESTATING = frozenset(
    [
        "action",
        "actions",
        "answer",
        "block",
        "complete",
        "final",
        "full",
        "here",
        "in",
        "is",
        "my",
        "output",
        "response",
        "result",
        "so",
        "summary",
        "the",
        "version",
    ]
)
"""The words that only introduce the same block again."""


def doubled(result: ParseResult) -> frozenset[int]:
    """Return the indexes of the later blocks' calls, if a model wrote its only block of calls several times."""
    read = [block for block in result.blocks if block.status is not BlockStatus.IGNORED]
    calls = [call for call in result.actions if call.status.is_plannable]
    if len(read) < 2 or not all(call.arguments for call in calls):
        return frozenset()
    if len({block.span.of(result.text) for block in read}) > 1:
        return frozenset()
    between = [result.text[one.span.end : other.span.start] for one, other in pairwise(read)]
    if not all(_RESTATING.issuperset(re.findall(r"\w+", words.lower())) for words in between):
        return frozenset()
    return frozenset(place for place, call in enumerate(result.actions) if call.block != read[0].index)


def named(index: int, call: ActionCall) -> str:
    """Return an action's name in messages: its number, counted for the model, and its action name."""
    return f"action {index + 1} ({call.name[:100]})"


def as_sentence(clause: str) -> str:
    """Return a clause with a capital letter and a full stop."""
    return f"{clause[:1].upper()}{clause[1:]}."


def build_plan(
    calls: Sequence[ActionCall], *, references: bool = False, limit: int | None = None
) -> TurnPlan:
    """Order the runnable calls of a response, including those that need approval."""
    runnable = [PlannedAction(index, call) for index, call in enumerate(calls) if call.status.is_plannable]
    for planned in runnable[limit:] if limit is not None else ():
        detail = as_sentence(f"{named(planned.index, planned.call)} is beyond the limit of {limit}")
        planned.issue = Issue(Reason.ACTION_LIMIT, planned.call.span, detail)
    if not references:
        return TurnPlan(tuple(runnable))
    names = _Names(calls)
    for planned in runnable:
        planned.issue = planned.issue or names.issue_of(planned)
        if planned.issue is None:
            planned.waits_for, planned.issue = names.dependencies_of(planned)
    by_index = {planned.index: planned for planned in runnable}
    return TurnPlan(tuple(by_index[index] for index in _ordered(by_index)), names.places)


class _Names:
    """The actions by id."""

    def __init__(self, calls: Sequence[ActionCall]) -> None:
        self._calls = calls
        self._bearers: defaultdict[str, list[int]] = defaultdict(list)
        meant = [(n, call) for n, call in enumerate(calls) if call.status is not ActionStatus.ILLUSTRATION]
        for index, call in meant:
            if given := id_of(call):
                self._bearers[given].append(index)
        numbers = {f"action_{index + 1}": index for index, _ in meant}
        first = {name: bearers[0] for name, bearers in self._bearers.items()}
        self._called = [id_of(call) or f"action_{index + 1}" for index, call in meant]
        self.places: Mapping[str, int] = numbers | first

    def issue_of(self, planned: PlannedAction) -> Issue | None:
        """Return an issue if an earlier action already has this action's id."""
        bearers = self._bearers.get(id_of(planned.call), [planned.index])
        return None if bearers[0] == planned.index else self._twice(planned, id_of(planned.call))

    def dependencies_of(self, planned: PlannedAction) -> tuple[tuple[int, ...], Issue | None]:
        """Return the indexes of an action's dependencies, or the first issue that prevents it from having them."""
        places: dict[int, None] = {}
        for name, is_reference in _mentioned(planned.call):
            issue = self._issue_with(planned, name, is_reference=is_reference)
            if issue:
                return (), issue
            places[self.places[name]] = None
        return tuple(places), None

    def _issue_with(self, planned: PlannedAction, name: str, *, is_reference: bool) -> Issue | None:
        place = self.places.get(name)
        who = named(planned.index, planned.call)
        if place is None:
            known = ", ".join(repr(each) for each in self._called[:_NAMED])
            detail = as_sentence(f"{who} refers to {name[:100]!r}; the ids are: {known}")
            return Issue(Reason.UNKNOWN_DEPENDENCY, planned.call.span, detail)
        if len(self._bearers.get(name, ())) > 1:
            return self._twice(planned, name)
        is_by_number = is_reference and name not in self._bearers and is_numbered(name)
        if is_by_number and place > planned.index:
            detail = as_sentence(f"{who} refers to {named(place, self._calls[place])}; give that one an id")
            return Issue(Reason.FORWARD_REFERENCE, planned.call.span, detail)
        return None

    def _twice(self, planned: PlannedAction, name: str) -> Issue:
        bearers = " and ".join(named(each, self._calls[each]) for each in self._bearers[name][:_NAMED])
        detail = f"The id {name[:100]!r} is that of {bearers}; give each its own."
        return Issue(Reason.DUPLICATE_ID, planned.call.span, detail)


def _mentioned(call: ActionCall) -> Iterator[tuple[str, bool]]:
    """Yield the ids that a call mentions, each with whether it is in a reference."""
    # In a dialect that has only text values, the model may write a list as text.
    listed = getattr(call.action, "depends_on", call.arguments.get("depends_on"))
    for name in listed if isinstance(listed, list) else ():
        yield name, False
    for reference in call.references:
        yield reference.action, True


def _ordered(actions: Mapping[int, PlannedAction]) -> Iterator[int]:
    """Yield the indexes of actions, each after its dependencies, and otherwise in text order."""
    sorter = _sorter_without_cycles(actions)
    ready: list[int] = []
    while sorter.is_active():
        for index in sorter.get_ready():
            heappush(ready, index)
        index = heappop(ready)
        yield index
        sorter.done(index)


def _sorter_without_cycles(actions: Mapping[int, PlannedAction]) -> TopologicalSorter[int]:
    """Return a prepared sorter; the actions of each cycle get an issue and lose their dependencies."""
    while True:
        waits = {
            index: [place for place in planned.waits_for if place in actions]
            for index, planned in actions.items()
        }
        sorter = TopologicalSorter(waits)
        try:
            sorter.prepare()
        except CycleError:
            for cycle in _cycles(waits, _never_ready(sorter, waits)):
                _note_cycle([actions[index] for index in cycle])
        else:
            return sorter


def _never_ready(sorter: TopologicalSorter[int], waits: Mapping[int, Sequence[int]]) -> set[int]:
    """Return the actions that are in a cycle or wait for one."""
    stuck = set(waits)
    while ready := sorter.get_ready():
        stuck.difference_update(ready)
        sorter.done(*ready)
    return stuck


def _cycles(waits: Mapping[int, Sequence[int]], stuck: AbstractSet[int]) -> Iterator[list[int]]:
    """Yield at least one cycle; cycles share no action, and each action comes before the one it waits for.

    Each stuck action waits for another stuck one, so following these leads into a cycle. This finds many at a time;
    the sorter reports only one.
    """
    found_from: dict[int, int] = {}
    for start in sorted(stuck):
        path: list[int] = []
        index = start
        while index not in found_from:
            found_from[index] = start
            path.append(index)
            index = next(place for place in waits[index] if place in stuck)
        if found_from[index] == start:
            yield path[path.index(index) :]


def _note_cycle(cycle: Sequence[PlannedAction]) -> None:
    links = [
        f"{named(one.index, one.call)} waits for {named(other.index, other.call)}"
        for one, other in pairwise((*cycle, cycle[0]))
    ]
    itself = f"{named(cycle[0].index, cycle[0].call)} waits for itself: leave out its depends_on"
    detail = as_sentence(", ".join(links[:_NAMED]) if len(cycle) > 1 else itself)
    for planned in cycle:
        planned.issue = Issue(Reason.DEPENDENCY_CYCLE, planned.call.span, detail)
        planned.waits_for = ()
