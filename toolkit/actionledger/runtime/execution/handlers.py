"""Handlers: functions that run actions, by the action's name, and how a session closes what they hold."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, TypeAlias

from actionledger.core.canonical import JsonMap
from actionledger.core.draws import drawn_id, drawn_now

if TYPE_CHECKING:
    from actionledger.runtime.workspace import Workspace


def unlimited(_name: str) -> str:
    """Let every action run: nothing limits how often."""
    return ""


def unheard(_code: str, _message: str, _detail: JsonMap) -> None:
    """Pass over a note: nothing is recorded."""


@dataclass(frozen=True, slots=True)
class Context:
    """The circumstances in which a handler runs.

    Args:
        workspace: the folder that the session's actions may touch.
        session_id, turn_id: where the action belongs.
        trace_id: the same for all tries of the action; eight characters, for logs.
        cancelled: set when nobody waits for the result any more; a handler that takes long looks at it.
        dry_run: whether only to say what would be done (for a preview).
        take: counts another action that the handler is about to do in its course, by its name, against the session's rates;
            returns why it may not, as a sentence, or an empty text.
        note: records something that a reviewer should see: a code in one word, a sentence, particulars as JSON values by
            name.

    Example:
        >>> actions = al.ActionSet("places")
        >>> @actions.action(example={"name": "a.txt"})
        ... def note(name: str, context: al.Context) -> str:
        ...     "Write a note."
        ...     (context.workspace.root / name).write_text("hello")
        ...     return context.session_id
        >>> places = al.custom_profile("places", actions=actions, dialects=["hermes"])
        >>> with al.Runtime(places) as runtime:
        ...     turn = runtime.handle(al.render([("note", {"name": "a.txt"})], "hermes"))
        >>> turn.observations[0].result == turn.session_id
        True
    """

    workspace: "Workspace"
    session_id: str
    turn_id: str
    trace_id: str
    cancelled: Event
    dry_run: bool = False
    take: Callable[[str], str] = unlimited
    note: Callable[[str, str, JsonMap], None] = unheard

    def now(self) -> datetime:
        """Return the time, in UTC with its zone; run again for the record, the action sees the recorded one.

        Example:
            >>> actions = al.ActionSet("hours")
            >>> @actions.action(example={})
            ... def hour(context: al.Context) -> int:
            ...     "Tell the hour."
            ...     return context.now().hour
            >>> with al.Runtime(al.custom_profile("hours", actions=actions, dialects=["hermes"])) as runtime:
            ...     turn = runtime.handle(al.render([("hour", {})], "hermes"))
            >>> turn.observations[0].result in range(24)
            True
        """
        return drawn_now()

    def new_id(self) -> str:
        """Return a fresh identifier; run again for the record, the action sees the recorded one.

        Example:
            >>> actions = al.ActionSet("tickets")
            >>> @actions.action(example={})
            ... def ticket(context: al.Context) -> str:
            ...     "Draw a ticket."
            ...     return context.new_id()
            >>> with al.Runtime(al.custom_profile("tickets", actions=actions, dialects=["hermes"])) as runtime:
            ...     turn = runtime.handle(al.render([("ticket", {})], "hermes"))
            >>> len(turn.observations[0].result)
            36
        """
        return drawn_id()


Handler: TypeAlias = Callable[[Any, Context], Any]
"""Runs one action: takes its validated model, returns a JSON value, raises ``ActionError`` for the model to hear."""


def reach_nothing(_path: Path) -> str:
    """Return that nothing can be read: the reach of handlers that start no program, or only such as are shut in."""
    return ""


Binder: TypeAlias = Callable[[Any, Collection[str]], str]
"""Says what a decision about an action is about beside its arguments, such as the content of a script that it runs.

Takes its validated model, and the texts that actions before it in the same turn are given: what these make is decided about with them.
"""


def hold_nothing() -> None:
    """Open or let go of nothing: for handlers that hold nothing."""


class Handlers(dict[str, Handler]):
    """A session's handlers, by action name.

    Args:
        handlers: what runs each action.
        previews: what says, by action name, what its handler would do; called in dry runs instead of the handler.
        close: lets go of what the handlers hold; called once, when the session ends.
        reaches: says, as a clause, why a program that a handler starts could read a file of this user; empty if none can.
            Where one can read the key for decisions, those of other processes don't count.
        binds: says, by action name, what a decision about an action is about beside its arguments; see ``Binder``.
        opens: opens what the handlers hold, as the first of them to run does; called again, it does nothing. A rerun has it drawn by
            the action that did so where several ran side by side.

    Example:
        >>> handlers = al.Handlers({"add": lambda action, context: action.a + action.b})
        >>> list(handlers), dict(handlers.previews)
        (['add'], {})
    """

    def __init__(
        self,
        handlers: Mapping[str, Handler] | None = None,
        *,
        previews: Mapping[str, Handler] | None = None,
        close: Callable[[], None] = hold_nothing,
        reaches: Callable[[Path], str] = reach_nothing,
        binds: Mapping[str, Binder] | None = None,
        opens: Callable[[], None] = hold_nothing,
    ) -> None:
        super().__init__(handlers or {})
        self.previews: Mapping[str, Handler] = previews or {}
        self.close = close
        self.reaches = reaches
        self.binds: Mapping[str, Binder] = binds or {}
        self.opens = opens


HandlerFactory: TypeAlias = Callable[["Workspace"], Handlers]
"""Makes a session's handlers over the session's workspace."""


def no_handlers(_workspace: "Workspace") -> Handlers:
    """Make none: every action is answered with ``no_handler``."""
    return Handlers()
