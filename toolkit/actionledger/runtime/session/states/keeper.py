"""Keep the workspace's content at a session's start and after each action."""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any
from uuid import UUID

from actionledger.core.draws import Taking
from actionledger.core.errors import ActionError
from actionledger.core.events import (
    ActionReversed,
    Event,
    ExecutionFinished,
    ExecutionStarted,
    ResponseReceived,
    TurnFinished,
    TurnResumed,
)
from actionledger.core.ids import derived_id, now
from actionledger.core.recording import Recorder
from actionledger.runtime.execution.execution_events import ActionStep
from actionledger.runtime.session.states.capture import CapturedState, Lens
from actionledger.runtime.session.states.lines import (
    Begun,
    DrawnValues,
    Effects,
    Line,
    TurnBegun,
    TurnEnded,
    change_as_json,
    read_states,
    remove_old,
    written,
)
from actionledger.runtime.session.states.objects import Objects
from actionledger.runtime.session.states.settings import ManifestSettings
from actionledger.runtime.workspace.folders import make_private_folder, open_private, write_all
from actionledger.runtime.workspace.nodes import digest_of
from actionledger.runtime.workspace.snapshots import WorkspaceSnapshot

_Modes = Callable[[], tuple[bool, bool]]


class StateKeeper:
    """Keeps the states of one session; if that fails, the session goes on without them."""

    def __init__(
        self,
        folder: Path,
        session_id: str,
        *,
        root: Path,
        settings: ManifestSettings,
        runs_under: Mapping[str, Any],
        modes: _Modes,
        remembers: bool,
    ) -> None:
        self._folder = folder
        self._session_id = str(UUID(session_id))
        self._root = root
        self._settings = settings
        self._runs_under = runs_under
        self._modes = modes
        self._known = folder / "known" / f"{derived_id('workspace', root)}.json" if remembers else None
        self._objects = Objects(folder / "objects", settings.tree_bytes)
        self._lens = Lens(root, self._objects, settings)
        self._state: CapturedState | None = None
        self._turns: dict[str, int] = {}
        self._open: dict[str, tuple[int, int]] = {}
        self._done: list[tuple[int, int]] = []
        self._tapes: dict[tuple[int, int], Taking] = {}
        self._is_fresh = False
        self._path = folder / f"{self._session_id}.jsonl"
        self._unwritten: list[Line] = []
        self.is_broken = False

    @property
    def path(self) -> Path:
        """The session's file."""
        return self._path

    def tape_of(self, step: ActionStep) -> Taking:
        """Return the tape of an action's drawn values; all its attempts share it."""
        return self._tapes.setdefault((step.turn.index, step.index), Taking())

    def after(self, record: Recorder) -> Recorder:
        """Return a recorder that records each event, then keeps the state it concerns."""

        def recorded(event: Event) -> None:
            record(event)
            self.event(event)

        return recorded

    def event(self, event: Event) -> None:
        """Keep the state that a recorded event concerns."""
        if self.is_broken:
            return
        try:
            if self._state is None:
                self._begin()
                self._is_fresh = True
            self._take(event)
        except (OSError, ActionError):
            # A failure here must not end the session: it only prevents a rerun.
            self._break_off()

    def close(self) -> None:
        """Write pending lines, and save the last seen state for the next session in the same workspace."""
        if self.is_broken:
            return
        try:
            self._write_out()
        except OSError:
            self._break_off()
            return
        if self._known is None or self._lens.known is None:
            return
        with suppress(OSError):
            make_private_folder(self._known.parent)
            self._replace(self._known, self._lens.known.as_bytes())

    def _begin(self) -> None:
        make_private_folder(self._folder)
        with suppress(OSError):
            remove_old(self._folder, self._settings.days)
        earlier = read_states(self._folder, self._session_id)
        if self._known is not None:
            with (
                suppress(OSError, ValueError, TypeError, KeyError),
                os.fdopen(open_private(self._known, os.O_RDONLY | os.O_NONBLOCK), "rb") as file,
            ):
                self._lens.known = WorkspaceSnapshot.from_bytes(file.read())
        seen = self._lens.look()
        if earlier is None or earlier.last is None:
            data = seen.as_bytes()
            digest = digest_of(data)
            self._objects.keep(data, digest)
            self._unwritten.append(Begun(now(), str(self._root), digest, dict(self._runs_under)))
        else:
            self._state = earlier.last
            self._note(seen, None, ())
        self._write_out()
        self._state = seen

    def _take(self, event: Event) -> None:
        match event:
            case ResponseReceived():
                self._turns[event.turn_id] = event.turn_index
                if not self._is_fresh:
                    self._look(None, ())
                auto, dry_run = self._modes()
                self._unwritten.append(TurnBegun(now(), event.turn_index, auto, dry_run))
                self._is_fresh = False
            case ExecutionStarted():
                # The next step may take long, or this process may end.
                self._write_out()
                self._turns[event.turn_id] = event.turn_index
                self._open[event.execution_id] = event.turn_index, event.action_index
            case ExecutionFinished():
                self._finished(event)
            case TurnFinished() | TurnResumed():
                self._turn_ended(self._turns.get(event.turn_id, -1))
            case ActionReversed():
                self._look(None, ())
                self._write_out()
            case _:
                pass

    def _finished(self, event: ExecutionFinished) -> None:
        place = self._open.pop(event.execution_id, None)
        if place is None or not event.status.was_attempted:
            return
        self._done.append(place)
        # For actions that ran in parallel, nobody can tell which one made a change.
        if (
            not self._open
            and len(self._lens.known.seen if self._lens.known else ()) <= self._settings.each_action
        ):
            self._look_after_actions()

    def _turn_ended(self, turn: int) -> None:
        self._look_after_actions()
        for (of_turn, action), tape in sorted(self._tapes.items()):
            if tape.taken:
                self._unwritten.append(DrawnValues(of_turn, action, tuple(tape.taken)))
        self._tapes.clear()
        self._unwritten.append(TurnEnded(now(), turn))
        self._write_out()

    def _look_after_actions(self) -> None:
        if self._done:
            turn = self._done[-1][0]
            actions = tuple(sorted({action for _, action in self._done}))
            self._done.clear()
            self._look(turn, actions)

    def _look(self, turn: int | None, actions: tuple[int, ...]) -> None:
        seen = self._lens.look()
        self._note(seen, turn, actions)
        self._state = seen

    def _note(self, seen: CapturedState, turn: int | None, actions: tuple[int, ...]) -> None:
        assert self._state is not None
        before = self._state
        changes = () if seen is before else tuple(change_as_json(each) for each in before.changes_to(seen))
        is_other = changes or seen.stores != before.stores or seen.left_out != before.left_out
        if is_other or turn is not None:
            stores = None if seen.stores == before.stores else tuple(sorted(seen.stores))
            is_same = seen.left_out == before.left_out
            left_out = None if is_same else tuple(asdict(each) for each in seen.left_out)
            self._unwritten.append(Effects(turn, actions, changes, stores, left_out))

    def _write_out(self) -> None:
        if not self._unwritten:
            return
        # Opened each time: thousands of sessions may be live, and this way a deleted folder is noticed.
        descriptor = open_private(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            write_all(descriptor, written(*self._unwritten))
        finally:
            os.close(descriptor)
        self._unwritten.clear()

    def _replace(self, path: Path, data: bytes) -> None:
        fresh = path.with_name(f".{self._session_id}.tmp")
        fresh.unlink(missing_ok=True)
        descriptor = open_private(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            write_all(descriptor, data)
        finally:
            os.close(descriptor)
        fresh.replace(path)

    def _break_off(self) -> None:
        """Stop keeping states and drop the earlier ones: a part of a session can't be rerun."""
        self.is_broken = True
        with suppress(OSError):
            self.path.unlink(missing_ok=True)
