"""Undo changes: first tried in memory, so that either all or none are undone."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.runtime.workspace.history import History, Record
from actionledger.runtime.workspace.journal import Contents
from actionledger.runtime.workspace.layers import LayeredTree
from actionledger.runtime.workspace.nodes import Change, EffectStep, Gap, Move, Node, paths_of
from actionledger.runtime.workspace.paths import plain_parts
from actionledger.runtime.workspace.texts import unified
from actionledger.runtime.workspace.tree import FileTree, loaded_or_none, obstacle

_MOST_DIFF_LINES = 20
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Conflict:
    """A path that prevents an undo."""

    path: str
    reason: Reason  # `changed_since` if it was changed since, `not_kept` if its earlier content is unknown
    why: str  # the details, as a sentence
    diff: str = ""  # the difference between its last recorded state and now, as far as it can be shown


class UndoRefusedError(ActionError):
    """Nothing was undone, because a path has changed since."""

    def __init__(self, conflicts: Sequence[Conflict]) -> None:
        named = " ".join(f"{one.path!r}: {one.why}" for one in conflicts[:_MOST_NAMED])
        more = f" And {len(conflicts) - _MOST_NAMED} more." if len(conflicts) > _MOST_NAMED else ""
        super().__init__(conflicts[0].reason, f"Nothing was undone. {named}{more}")
        self.conflicts = tuple(conflicts)


@dataclass(frozen=True, slots=True)
class Reversed:
    """The result of undoing the changes of one action.

    Args:
        action: the action that made the changes.
        paths: the paths that the undo changed, sorted.
        is_redone: whether the changes are in effect again, because an undo was reverted.
    """

    action: str
    paths: tuple[str, ...]
    is_redone: bool


@dataclass(frozen=True, slots=True)
class Undone:
    """The report of an undo.

    Args:
        action: the undo's own id, by which it can be undone.
        at: when it started, UTC.
        reversals: the reversal of each action, in the order of the actions' first changes.

    Example:
        >>> with al.Runtime("coder", auto=True) as runtime:
        ...     turn = runtime.handle("<create_file><path>a.txt</path><content>a</content></create_file>")
        ...     undone = runtime.undo()
        >>> undone.paths
        ('a.txt',)
    """

    action: str
    at: str
    reversals: tuple[Reversed, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """All paths that were changed back, sorted."""
        return tuple(sorted({path for each in self.reversals for path in each.paths}))


def undoings(history: History) -> list[Undone]:
    """Return the undos that were not part of an action, in order."""
    actions = (
        record.unit.action
        for record in history.records
        if _takes_back(record, history) and not record.unit.turn
    )
    made = (undoing_of(history, action) for action in dict.fromkeys(actions))
    return [undone for undone in made if undone.reversals]


def undoing_of(history: History, action: str) -> Undone:
    """Return the undo with an id."""
    records = [
        record for record in history.records if record.unit.action == action and _takes_back(record, history)
    ]
    return Undone(action, records[0].at, _reversals(history, records))


def _takes_back(record: Record, history: History) -> bool:
    return record.undoes is not None and history.was_done(record)


def _reversals(history: History, records: Sequence[Record]) -> tuple[Reversed, ...]:
    """Return the reversal of each action; an action that failed halfway reverted itself and has none."""
    chains: dict[int, list[tuple[Record, int]]] = defaultdict(list)
    for record in records:
        first, place = history.links(record)
        chains[first.number].append((record, place))
    paths: dict[str, set[str]] = defaultdict(set)
    redone: dict[str, bool] = {}
    for number, links in sorted(chains.items()):
        if len(links) % 2:
            record, place = links[-1]
            action = history.records[number].unit.action
            paths[action].update(paths_of(record.effect))
            redone[action] = place % 2 == 0
    return tuple(Reversed(action, tuple(sorted(paths[action])), redone[action]) for action in paths)


def undo_steps(records: Sequence[Record], tree: FileTree, contents: Contents) -> list[EffectStep]:
    """Return the steps that revert some records."""
    tried = LayeredTree(tree)
    steps: list[EffectStep] = []
    conflicts: list[Conflict] = []
    for record in records:
        if isinstance(record.effect, Gap):
            conflicts.append(Conflict(record.effect.path, Reason.NOT_KEPT, record.effect.why))
            continue
        step = _inverse(record.effect, contents)
        if conflict := _conflict(step, tried):
            conflicts.append(conflict)
        # Earlier records are tried all the same, so that every conflict is reported.
        tried.apply(step)
        steps.append(step)
    if conflicts:
        raise UndoRefusedError(list({one.path: one for one in reversed(conflicts)}.values())[::-1])
    return steps


def _inverse(effect: Change | Move, contents: Contents) -> EffectStep:
    if isinstance(effect, Move):
        return EffectStep(Move(effect.target, effect.path, effect.kind))
    back = Change(effect.path, effect.after, effect.before)
    return EffectStep(back, _content(effect.after, contents), _content(effect.before, contents))


def _content(node: Node | None, contents: Contents) -> bytes | None:
    return contents.get(node.digest) if node and node.digest else None


def _conflict(step: EffectStep, tree: FileTree) -> Conflict | None:
    effect = step.effect
    if isinstance(effect, Move):
        why = obstacle(tree, effect)
        return Conflict(effect.path, Reason.CHANGED_SINCE, why) if why else None
    if effect.after and effect.after.can_be_made and effect.after.digest and step.after is None:
        why = "What stood there is no longer kept: contents are let go some days after the last change of their session."
        return Conflict(effect.path, Reason.NOT_KEPT, why)
    if effect.after and not effect.after.can_be_made:
        why = (
            "What stood there can't be brought back: it was too large to be kept, or no file, folder or link."
        )
        return Conflict(effect.path, Reason.NOT_KEPT, why)
    why = obstacle(tree, effect)
    if why is None:
        return None
    found = loaded_or_none(tree, plain_parts(effect.path))
    now = found.content if found else None
    diff = unified(effect.path, step.before, now, most_lines=_MOST_DIFF_LINES) if step.before != now else ""
    return Conflict(effect.path, Reason.CHANGED_SINCE, why, diff)
