"""Handlers: the functions that run actions, by action name, and how a session closes their resources."""

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
    """Allow every action: there are no rates."""
    return ""


def unheard(_code: str, _message: str, _detail: JsonMap) -> None:
    """Ignore a note."""


@dataclass(frozen=True, slots=True)
class Context:
    """The context in which a handler runs.

    Args:
        workspace: the folder that the session's actions may touch.
        session_id, turn_id: the action's session and turn.
        trace_id: an id of eight characters for logs; the same for all tries of the action.
        cancelled: set when the result is no longer wanted; a long-running handler checks it.
        dry_run: whether only a preview is wanted.
        take: counts another action that the handler is about to run, by its name, against the session's rates;
            returns why it may not run, as a sentence, or an empty text.
        note: records a note for a reviewer: a code in one word, a sentence, and details as JSON values by
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
        """Return the time in UTC, with its zone; a rerun returns the recorded time.

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
        """Return a new identifier; a rerun returns the recorded one.

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
"""Runs one action: takes its validated model, returns a JSON value, and raises ``ActionError`` with a message for the model."""


def reach_nothing(_path: Path) -> str:
    """Return that no file can be read, for handlers that start no program or only sandboxed ones."""
    return ""


Binder: TypeAlias = Callable[[Any, Collection[str]], str]
"""Returns what a decision about an action covers besides its arguments, such as the content of a script that it runs.

Takes its validated model and the texts of earlier actions in the same turn, because the decision covers what these create.
"""


def hold_nothing() -> None:
    """Do nothing, for handlers without resources."""


class Handlers(dict[str, Handler]):
    """A session's handlers, by action name.

    Args:
        handlers: the handler of each action.
        previews: functions that preview an action, by action name; called in dry runs instead of the handler.
        close: closes the handlers' resources; called once, when the session ends.
        reaches: returns, as a clause, why a program that a handler starts could read a file of this user; empty if none can.
            If one can read the key for decisions, other processes' decisions don't count.
        binds: returns, by action name, what a decision about an action covers besides its arguments; see ``Binder``.
        opens: opens the handlers' resources, like the first handler that runs; a second call does nothing. If several actions
            ran in parallel, a rerun lets the same one draw the opened values.

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
"""Makes a session's handlers for its workspace."""


def no_handlers(_workspace: "Workspace") -> Handlers:
    """Make none: every action fails with ``no_handler``."""
    return Handlers()
