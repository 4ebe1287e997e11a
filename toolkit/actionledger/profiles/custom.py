"""Custom profiles: make actions of functions, and a profile of actions and dialects."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from actionledger.actions.catalogue import Catalogue
from actionledger.actions.schemas import Arguments
from actionledger.actions.signatures import AnyFunction, FunctionAction, action_model, argument_of_type
from actionledger.core.errors import UsageError, require_kind, require_names
from actionledger.profiles import PROFILES
from actionledger.reading.dialects import AnyDialect, Dialect, dialects_named
from actionledger.reading.dialects.parts.writing import PlainCall
from actionledger.reading.dialects.xml_tags import XmlTags
from actionledger.reading.parsers import AnyParser, DialectParser
from actionledger.runtime.execution.approval import Policy, Verdict
from actionledger.runtime.execution.handlers import Context, HandlerFactory, Handlers, no_handlers
from actionledger.runtime.execution.limits import Limits
from actionledger.runtime.execution.profile import ExecutionSettings, Profile
from actionledger.runtime.workspace import Workspace

Function = TypeVar("Function", bound=AnyFunction)

RUN_ALL = Policy((("*", Verdict.APPROVE),))
"""The policy for the caller's own functions: all of them may run."""


@dataclass(frozen=True, slots=True)
class _Registered:
    function: AnyFunction
    model: type[FunctionAction]

    @property
    def origin(self) -> tuple[str, str]:
        """Where the function was defined; running a notebook's cell again defines it at the same place."""
        return self.function.__module__, self.function.__qualname__


class ActionSet:
    """Actions made of functions::

        actions = ActionSet("mail")

        @actions.action(example={"to": "ada@example.org", "text": "Done."})
        def send_mail(to: str, text: str) -> dict[str, bool]:
            "Send a mail to one person."
            return {"sent": True}

    Defining a function again, for example by running a notebook's cell again, replaces it.

    Args:
        name: its catalogue's name in the records.

    Example:
        >>> actions = al.ActionSet("mail")
        >>> @actions.action(example={"to": "ada@example.org"})
        ... def send_mail(to: str) -> str:
        ...     "Send a mail."
        ...     return f"sent to {to}"
        >>> actions.names
        ('send_mail',)
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._actions: dict[str, _Registered] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The actions' names, in the order of their definition."""
        return tuple(self._actions)

    @property
    def catalogue(self) -> Catalogue:
        """The current actions.

        Raises:
            UsageError: there are none.
        """
        return Catalogue(self.name, tuple(each.model for each in self._actions.values()))

    def action(
        self, *, example: Arguments, name: str | None = None, group: str = ""
    ) -> Callable[[Function], Function]:
        """Return a decorator that makes an action of a function and leaves the function unchanged.

        The language model sees the docstring: the action's purpose, and the meaning of its arguments in a section ``Args:``.
        An argument annotated with ``Context`` gets the action's runtime context instead. The function's return value
        is the action's result; it raises ``ActionError`` to report an error to the language model.

        Args:
            example: correct arguments.
            name: the action's name; by default the function's.
            group: the action's group, such as ``Mail``; prompts show a group's actions under it.

        Raises:
            UsageError: the function can't be an action, its example is wrong, or another action has its name.

        Example:
            >>> actions = al.ActionSet("sums")
            >>> @actions.action(example={"a": 1, "b": 2})
            ... def add(a: int, b: int) -> int:
            ...     "Add two numbers."
            ...     return a + b
            >>> add(2, 3), actions.catalogue.argument_schema("add")["required"]
            (5, ['a', 'b'])
        """

        def decorate(function: Function) -> Function:
            self._add(function, name or function.__name__, example, group)
            return function

        return decorate

    def remove(self, name: str) -> None:
        """Remove an action; do nothing if there is none of that name.

        Example:
            >>> actions = al.ActionSet("sums")
            >>> actions.remove("add")
            >>> actions.names
            ()
        """
        self._actions.pop(name, None)

    def handlers(self) -> HandlerFactory:
        """Return a factory of a session's handlers for the current functions.

        Example:
            >>> actions = al.ActionSet("sums")
            >>> @actions.action(example={"a": 1})
            ... def double(a: int) -> int:
            ...     "Double a number."
            ...     return 2 * a
            >>> actions.handlers()
            <function ActionSet.handlers.<locals>.make at 0x...>
        """
        runners = {
            name: partial(_run, each.function, argument_of_type(each.function, Context))
            for name, each in self._actions.items()
        }

        def make(_workspace: Workspace) -> Handlers:
            return Handlers(runners)

        return make

    def _add(self, function: AnyFunction, name: str, example: Arguments, group: str) -> None:
        model = action_model(function, name=name, example=example, group=group, besides=Context)
        added = _Registered(function, model)
        before = self._actions.get(name)
        if before and before.origin != added.origin:
            raise UsageError(
                f"The action {name!r} of the set {self.name!r} is made of the function {'.'.join(before.origin)!r}; "
                f"give this one another name, or take that one out first: remove({name!r})."
            )
        Catalogue(self.name, (model,))  # refuses a wrong example
        self._actions[name] = added


def custom_profile(
    name: str,
    *,
    actions: ActionSet | Catalogue,
    dialects: Sequence[str] = (),
    parser: AnyParser | None = None,
    policy: Policy = RUN_ALL,
    handlers: HandlerFactory | None = None,
    execution_settings: ExecutionSettings | None = None,
    limits: Limits | None = None,
    workers: int = 1,
) -> Profile:
    """Return a profile of custom actions, with their current definitions.

    Args:
        name: its name in records and for people.
        actions: functions as actions, or a catalogue.
        dialects: how the language model writes them; it is told to write the first one.
        parser: the parser of its responses, instead of dialects.
        policy: which actions may run; by default all of them.
        handlers: makes the handlers of a catalogue's actions; a set of functions has its own.
        execution_settings: how each action is run.
        limits: the limits of a session.
        workers: how many actions may run at the same time.

    Raises:
        UnknownNameError: there is no such dialect.
        UsageError: the name is taken, the actions are of another type, not exactly one of dialects and parser is given, or a dialect can't write an action.

    Example:
        >>> actions = al.ActionSet("sums")
        >>> @actions.action(example={"a": 1, "b": 2})
        ... def add(a: int, b: int) -> int:
        ...     "Add two numbers."
        ...     return a + b
        >>> sums = al.custom_profile("sums", actions=actions, dialects=["hermes"])
        >>> with al.Runtime(sums) as runtime:
        ...     turn = runtime.handle(al.render([("add", {"a": 2, "b": 3})], "hermes"))
        >>> turn.observations[0].result
        5
    """
    require_kind(name, str, "A profile's name is a text")
    PROFILES.check_name(name)
    require_kind(actions, ActionSet | Catalogue, "The actions of a profile are an ActionSet or a Catalogue")
    if bool(dialects) == bool(parser):
        raise UsageError(f"Say how the profile {name!r} is read: give either dialects or a parser.")
    catalogue = actions.catalogue if isinstance(actions, ActionSet) else actions
    reader = parser or _parser_of(name, dialects, catalogue)
    _check_writable(reader, catalogue)
    own = actions.handlers() if isinstance(actions, ActionSet) else no_handlers
    return Profile(
        name=name,
        parser=reader,
        catalogue=catalogue,
        policy=policy,
        handlers=handlers or own,
        execution_settings=execution_settings or ExecutionSettings(),
        limits=limits or Limits(),
        workers=workers,
    )


def _run(function: AnyFunction, wants_context: str | None, action: FunctionAction, context: Context) -> Any:
    given = action.given()
    if wants_context:
        given[wants_context] = context
    return function(**given)


def _parser_of(name: str, dialects: Sequence[str], catalogue: Catalogue) -> DialectParser:
    """Return the parser of some dialects, each once."""
    require_names("dialects", dialects)
    by_name = {dialect.name: dialect for each in dialects for dialect in dialects_named(each)}
    fitted = tuple(_fitted(dialect, catalogue) for dialect in by_name.values())
    return DialectParser(name=name, dialects=fitted)


def _fitted(dialect: AnyDialect, catalogue: Catalogue) -> AnyDialect:
    """Return a dialect with the catalogue's actions, if it needs to know them beforehand."""
    if not isinstance(dialect, XmlTags):
        return dialect
    return XmlTags.of(
        {name: tuple(catalogue.argument_schema(name)["properties"]) for name in catalogue.names}
    )


def _check_writable(parser: AnyParser, catalogue: Catalogue) -> None:
    """Refuse a dialect that can't write an action, since no model could request that action."""
    for dialect in parser.dialects if isinstance(parser, DialectParser) else ():
        _check_dialect(dialect, catalogue)


def _check_dialect(dialect: Dialect, catalogue: Catalogue) -> None:
    naming = getattr(dialect, "discriminator", None)
    for action in catalogue.describe():
        if any(field.name == naming for field in action.fields):
            raise UsageError(
                f"The field {naming!r} of the action {action.name!r} is where the dialect {dialect.name!r} names the "
                "action; call it otherwise, or take another dialect."
            )
        dialect.render([PlainCall(action.name, action.example or {})])
