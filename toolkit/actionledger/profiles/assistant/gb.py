"""The object ``gb`` that model-written code is given: the assistant's actions as methods, over the same store.

Arguments are checked by the actions' own models, so code and actions can't come to differ. What is refused is raised as a
built-in exception, in the document's words where it has some.
"""

from collections import Counter
from collections.abc import Mapping
from inspect import Parameter, Signature
from typing import Any

from pydantic import ValidationError
from pydantic_core import PydanticUndefined

from actionledger.actions.catalogue import Action
from actionledger.actions.refusals import field_errors
from actionledger.core.errors import ActionError
from actionledger.core.values import FieldError
from actionledger.core.vocabulary import Reason
from actionledger.profiles.assistant.actions import CATALOGUE
from actionledger.profiles.assistant.actions.base import AssistantAction
from actionledger.profiles.assistant.crud_handlers import KINDS, Names
from actionledger.runtime.execution.handlers import Context, Handler
from actionledger.runtime.sandbox import Api

API_NAME = "gb"

_MOST_SAID = 200
"""How much is kept of what is said of one call, in characters."""

_MOST_KEPT = 200
"""How many calls are kept of one run."""

_NOT_ARGUMENTS = frozenset({*AssistantAction.model_fields, CATALOGUE.discriminator})
"""The fields of an action that say where it stands among others; a method has none of them."""


class Calls:
    """What one run of code has called, for the model and the record: the first calls each, then their number."""

    def __init__(self) -> None:
        self.changes: list[str] = []
        """A few words on each change that a call made, in order."""
        self.kept: list[dict[str, str]] = []
        self.counts: Counter[str] = Counter()
        """How many calls there were of each outcome: done, refused, rate_limit."""

    def add(self, name: str, outcome: str, what: str = "") -> None:
        """Note a call: the method, what came of it, and a few words on what it changed or why it did not."""
        self.counts[outcome] += 1
        if len(self.kept) < _MOST_KEPT:
            self.kept.append({"name": name, "outcome": outcome, "what": what[:_MOST_SAID]})


def gb_api(handlers: Mapping[str, Handler], context: Context, calls: Calls) -> Api:
    """Return the object that one run of code is given."""
    methods = {
        name: Method(name, names, handlers[name], context, calls) for names in KINDS for name in names.actions
    }
    return Api(API_NAME, methods)


class Method:
    """One method of ``gb``; see ``gb_api`` for its arguments."""

    def __init__(self, name: str, names: Names, handler: Handler, context: Context, calls: Calls) -> None:
        model = CATALOGUE.model(name)
        assert model is not None
        self.name = name
        self.model = model
        self.signature = _signature(model)
        self._names = names
        self._handler = handler
        self._context = context
        self._calls = calls

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Run the action."""
        try:
            result = self._done(self._action(given, named))
        except (ActionError, LookupError, TypeError, ValueError) as error:
            self._calls.add(self.name, "refused", str(error))
            raise
        what = f"{self.name} {result[self._names.key]}" if self.name in self._names.changing else ""
        if what and result.get("success", True):
            self._calls.changes.append(what)
        self._calls.add(self.name, "done", what)
        return result

    def _done(self, action: Action) -> Any:
        if why := self._context.take(self.name):
            self._calls.add(self.name, str(Reason.RATE_LIMIT), why)
            raise RuntimeError(why)
        try:
            return self._handler(action, self._context)
        except ActionError as error:
            return self._missing(action, error)

    def _action(self, given: tuple[Any, ...], named: dict[str, Any]) -> Action:
        try:
            arguments = dict(self.signature.bind(*given, **named).arguments)
        except TypeError as error:
            raise TypeError(f"{API_NAME}.{self.name}{self.signature}: {error}") from None
        try:
            return self.model.model_validate({CATALOGUE.discriminator: self.name} | arguments)
        except ValidationError as error:
            schema = CATALOGUE.argument_schema(self.name)
            first = field_errors(error, arguments, schema)[0]
            raise self._refusal(first, arguments) from None

    def _refusal(self, error: FieldError, arguments: Mapping[str, Any]) -> Exception:
        """Return what is raised for an argument that the action's model refuses."""
        if error.path == "status":
            kind = self._names.kind.name.capitalize()
            value = str(arguments["status"])[:100]
            return ValueError(f"{value} is not a valid {kind}Status; expected {error.expected}")
        kind_of_error = TypeError if error.code is Reason.WRONG_TYPE else ValueError
        return kind_of_error(f"{API_NAME}.{self.name}: {error.message}")

    def _missing(self, action: Action, error: ActionError) -> Any:
        """Return what a method says of a record that isn't there, or raise it."""
        if error.reason != Reason.NOT_FOUND:
            raise error
        number = getattr(action, self._names.number)
        if self.name == self._names.deleting:
            return {"success": False, self._names.key: number}
        shown = self._names.kind.name.capitalize()
        raise LookupError(f"{shown} {number} not found") from None


def _signature(model: type[Action]) -> Signature:
    """Return a method's signature: the action's own fields in their order."""
    return Signature(
        [
            Parameter(
                name,
                Parameter.POSITIONAL_OR_KEYWORD,
                default=Parameter.empty if field.default is PydanticUndefined else field.default,
            )
            for name, field in model.model_fields.items()
            if name not in _NOT_ARGUMENTS
        ]
    )
