"""A session's timeline, step by step: the recorded content of its workspace and stores before and after each action."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import overload

from actionledger.core.hooks import Shown
from actionledger.ledger import Ledger
from actionledger.ledger.queries.names import Called, one_session, turn_place
from actionledger.ledger.queries.progress import RecordedTry, recorded_tries
from actionledger.runtime.session.states.capture import CapturedState, SkippedPath
from actionledger.runtime.session.states.lines import (
    Effects,
    RecordedStates,
    TurnEnded,
    following,
    read_states,
)
from actionledger.runtime.session.states.objects import Objects
from actionledger.runtime.session.states.stores import Rows, TableChange, rows_of, table_changes
from actionledger.runtime.workspace.nodes import Change, Node, NodeKind
from actionledger.runtime.workspace.texts import Diff, DiffKind, unified

_NOT_RECORDED = (
    "Nobody has kept what its workspace held: it was recorded without a manifest, or that is over its time."
)


@dataclass(frozen=True, slots=True)
class WorkspaceState:
    """The content of a workspace at one moment.

    Args:
        files: the entry at each path: kind, permissions, size in bytes and digest; for a store, those of its kept copy.
        stores: the paths of SQLite files.
        left_out: the paths whose content was not kept, with the reason.
        objects: the object store to load contents from.

    Example:
        >>> text = "<create_file><path>a.txt</path><content>hello</content></create_file>"
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("coder", ledger=ledger, auto=True) as runtime:
        ...         turn = runtime.handle(text)
        ...     steps = al.steps(ledger, runtime.session_id)
        >>> {path: node.size for path, node in steps[0].after.files.items()}
        {'a.txt': 5}
    """

    files: Mapping[str, Node]
    stores: frozenset[str]
    left_out: tuple[SkippedPath, ...]
    objects: Objects = field(repr=False, compare=False)

    def content(self, path: str) -> bytes | None:
        """Return a file's content; None if there was no file or its content was not kept.

        Example:
            >>> text = "<create_file><path>a.txt</path><content>hello</content></create_file>"
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     with al.Runtime("coder", ledger=ledger, auto=True) as runtime:
            ...         turn = runtime.handle(text)
            ...     [step] = al.steps(ledger, runtime.session_id)
            >>> step.before.content("a.txt"), step.after.content("a.txt")
            (None, b'hello')
        """
        node = self.files.get(path)
        return self.objects.get(node.digest) if node is not None and node.digest else None

    def rows(self, path: str) -> Rows | None:
        """Return the rows of each table of a store; None if it is not a store or was not kept.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     with al.Runtime("assistant", ledger=ledger) as runtime:
            ...         turn = runtime.handle(al.render([("create_task", {"content": "Call Ada"})], "actions"))
            ...     [step] = al.steps(ledger, runtime.session_id)
            >>> step.after.rows("assistant.sqlite")["tasks"][0][:2]
            (1, 'Call Ada')
        """
        image = self.content(path) if path in self.stores else None
        return rows_of(image) if image else None


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a session: an action, several parallel ones, or a change from outside.

    Args:
        turn_index: the turn's place in the session, from 0; None for a change without an action, such as an edit or an undo.
        actions: the last attempts at its actions, in order.
        before, after: the workspace's content; None if not recorded.
        changes: the changes, path by path.
        note: why something is not recorded, as a sentence; empty if everything is.

    Example:
        >>> text = "<create_file><path>a.txt</path><content>hello</content></create_file>"
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("coder", ledger=ledger, auto=True) as runtime:
        ...         turn = runtime.handle(text)
        ...     steps = al.steps(ledger, runtime.session_id)
        >>> steps[0].names, [change.path for change in steps[0].changes]
        (('create_file',), ['a.txt'])
    """

    turn_index: int | None
    actions: tuple[RecordedTry, ...]
    before: WorkspaceState | None
    after: WorkspaceState | None
    changes: tuple[Change, ...] = ()
    note: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its actions."""
        return tuple(each.name for each in self.actions)

    def diffs(self) -> tuple[Diff, ...]:
        """Return each file's diff, loaded on demand; stores have ``table_changes``.

        Example:
            >>> text = "<create_file><path>a.txt</path><content>hello</content></create_file>"
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     with al.Runtime("coder", ledger=ledger, auto=True) as runtime:
            ...         turn = runtime.handle(text)
            ...     [step] = al.steps(ledger, runtime.session_id)
            ...     [diff] = step.diffs()
            >>> diff.path, str(diff.kind), diff.text.splitlines()[3]
            ('a.txt', 'created', '+hello')
        """
        if self.before is None or self.after is None:
            return ()
        stores = self.before.stores | self.after.stores
        return tuple(self._diff(change) for change in self.changes if change.path not in stores)

    def table_changes(self) -> dict[str, tuple[TableChange, ...]]:
        """Return the rows added and removed, by store path and table, loaded on demand.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     with al.Runtime("assistant", ledger=ledger) as runtime:
            ...         for name in ("Ada", "Bob"):
            ...             turn = runtime.handle(al.render([("create_task", {"content": name})], "actions"))
            ...     changes = al.steps(ledger, runtime.session_id)[1].table_changes()
            >>> [(one.table, len(one.removed), len(one.added)) for one in changes["assistant.sqlite"]]
            [('sqlite_sequence', 1, 1), ('tasks', 0, 1)]
        """
        if self.before is None or self.after is None:
            return {}
        stores = self.before.stores | self.after.stores
        return {
            change.path: table_changes(self.before.rows(change.path), self.after.rows(change.path))
            for change in self.changes
            if change.path in stores
        }

    def _diff(self, change: Change) -> Diff:
        assert self.before is not None
        assert self.after is not None
        kind = _kind(change)
        if any(node is not None and node.kind is not NodeKind.FILE for node in (change.before, change.after)):
            one = change.after or change.before
            return Diff(change.path, kind, f"({one.kind if one else ''})")
        old, new = self.before.content(change.path), self.after.content(change.path)
        missing = (change.before and old is None) or (change.after and new is None)
        return Diff(change.path, kind, "(not kept)" if missing else unified(change.path, old, new))


class Steps(Sequence[Step], Shown):
    """A session's steps, in the order in which they happened.

    Args:
        session_id: the session.
        found: the steps.
        note: why there are no states, as a sentence; empty if there are.

    Example:
        >>> text = "<create_file><path>a.txt</path><content>hello</content></create_file>"
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("coder", ledger=ledger, auto=True) as runtime:
        ...         turn = runtime.handle(text)
        ...     steps = al.steps(ledger, runtime.session_id)
        >>> len(steps), steps.note
        (1, '')
    """

    session_id: str
    note: str

    def __init__(self, session_id: str, found: Sequence[Step], note: str = "") -> None:
        self.session_id = session_id
        self.note = note
        self._found = tuple(found)

    @overload
    def __getitem__(self, place: int) -> Step: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Step, ...]: ...
    def __getitem__(self, place: int | slice) -> Step | tuple[Step, ...]:
        return self._found[place]

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        return f"<Steps of {self.session_id}: {len(self)}>"


def steps(ledger: Ledger, session_id: Called, *, turn: int | None = None) -> Steps:
    """Return a session's timeline, step by step, without running anything.

    Args:
        ledger: the ledger with the session; it may be read-only.
        session_id: the session's id, name, the beginning of either, or its title.
        turn: the index of a single turn to return, with the outside changes after it; None for all.

    Returns:
        Each action with the workspace's content before and after it, and the outside changes in between. If these are not recorded,
        only the actions, with the reason.

    Raises:
        UsageError: the session is unknown, or its name is ambiguous.

    Example:
        >>> text = "<create_file><path>a.txt</path><content>hello</content></create_file>"
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("coder", ledger=ledger, auto=True) as runtime:
        ...         turn = runtime.handle(text)
        ...     steps = al.steps(ledger, runtime.session_id)
        >>> [(step.names, [change.path for change in step.changes]) for step in steps]
        [(('create_file',), ['a.txt'])]
    """
    session_id = one_session(ledger, session_id)
    last: dict[int, dict[int, RecordedTry]] = defaultdict(dict)
    for each in recorded_tries(ledger, session_id, None if turn is None else turn_place(turn)):
        last[each.turn_index][each.action_index] = each
    kept = read_states(ledger.manifests, session_id)
    if kept is None or kept.first is None:
        found = [
            Step(turn, (each,), None, None, note=_NOT_RECORDED)
            for turn, tries in sorted(last.items())
            for each in tries.values()
        ]
        return Steps(session_id, found, _NOT_RECORDED)
    timeline = _steps(kept, last)
    return Steps(session_id, list(timeline if turn is None else _of_turn(timeline, turn)))


def _of_turn(timeline: Iterator[Step], turn: int) -> Iterator[Step]:
    """Yield a turn's steps, and the outside changes before the next turn's."""
    latest = None
    for step in timeline:
        latest = latest if step.turn_index is None else step.turn_index
        if latest == turn:
            yield step


def _steps(kept: RecordedStates, last: Mapping[int, dict[int, RecordedTry]]) -> Iterator[Step]:
    state = kept.first
    # A turn ends each time that it continues; actions executed after its first end are reported at their own place.
    effects = [line for line in kept.lines if isinstance(line, Effects) and line.turn is not None]
    told = {(line.turn, place) for line in effects for place in line.actions}
    assert state is not None
    for line in kept.lines:
        before = _shown(state, kept.objects)
        if isinstance(line, Effects):
            state = following(state, line)
            assert state is not None
            turn = last.get(line.turn, {}) if line.turn is not None else {}
            actions = tuple(turn[place] for place in line.actions if place in turn)
            yield Step(line.turn, actions, before, _shown(state, kept.objects), tuple(line.as_changes))
        elif isinstance(line, TurnEnded):
            # An action that was never executed has changed nothing.
            for place, each in last.get(line.turn, {}).items():
                if (line.turn, place) not in told:
                    told.add((line.turn, place))
                    yield Step(line.turn, (each,), before, before)


def _shown(state: CapturedState, objects: Objects) -> WorkspaceState:
    return WorkspaceState(state.nodes, state.stores, state.left_out, objects)


def _kind(change: Change) -> DiffKind:
    if change.before is None:
        return DiffKind.CREATED
    return DiffKind.CHANGED if change.after is not None else DiffKind.DELETED
