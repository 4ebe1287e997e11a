"""Run the assistant's actions: those on its store, and code over the same store.

A dry run works on a copy of the store, made on first use. Each action's result is as if the actions before it,
including code, had run; nothing is kept.
"""

import atexit
import re
from collections import Counter
from collections.abc import Mapping
from functools import cache, cached_property, partial
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any, NoReturn

from pydantic import ValidationError
from pydantic_core import PydanticUndefined

from actionledger.actions.catalogue import Action
from actionledger.actions.refusals import field_errors
from actionledger.core.canonical import JsonDict, JsonMap, json_text
from actionledger.core.errors import ActionError, SandboxError
from actionledger.core.privacy import mask_text
from actionledger.core.text import counted
from actionledger.core.values import FieldError
from actionledger.core.vocabulary import Reason
from actionledger.profiles.assistant.actions import CATALOGUE, AssistantAction, ExecuteCode
from actionledger.profiles.assistant.records import KINDS, ActionNames, AssistantStore, crud_handlers
from actionledger.runtime.execution.handlers import Context, Handler, HandlerFactory, Handlers
from actionledger.runtime.execution.outcomes import truncated
from actionledger.runtime.sandbox import Api, CodeOutcome, CodeResult, Limits, Sandbox, choose
from actionledger.runtime.sandbox.monty import MontySandbox
from actionledger.runtime.workspace import Workspace

STORE_FILE = "assistant.sqlite"
"""The assistant's store, in its session's workspace."""


def assistant_handlers(limits: Limits, sandbox: str | Sandbox) -> HandlerFactory:
    """Return a factory of a session's handlers, with their data in ``assistant.sqlite`` in its workspace."""
    return partial(_make, limits, sandbox)


def _make(limits: Limits, sandbox: str | Sandbox, workspace: Workspace) -> Handlers:
    stores = _Stores(workspace.root / STORE_FILE)
    code = CodeRunner(limits, sandbox)
    real = crud_handlers(lambda: stores.real)
    tried = crud_handlers(lambda: stores.copy)

    return Handlers(
        real | {"execute_code": code.over(real)},
        previews=tried | {"execute_code": code.over(tried)},
        close=stores.close,
    )


class _Stores:
    """The store of a session and its copy for dry runs, each opened on first use."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @cached_property
    def real(self) -> AssistantStore:
        return AssistantStore(self._path)

    @cached_property
    def copy(self) -> AssistantStore:
        return AssistantStore.copy_of(self._path)

    def close(self) -> None:
        for opened in (self.__dict__.pop(name, None) for name in ("real", "copy")):
            if isinstance(opened, AssistantStore):
                opened.close()


# Handlers of the assistant's ``execute_code``: a sandbox, the object ``gb`` over the same store, and messages to the model. Each
# call of ``gb`` takes effect at once, as an action does. So a failed script's changes stay, and the model is told about
# them: locking the store while foreign code runs would block every other session.
API_NAME = "gb"

_MOST_SAID = 200
"""The maximal length of the note about one call, in characters."""

_MOST_KEPT = 200
"""The number of calls that one run keeps."""

_NOT_ARGUMENTS = frozenset({*AssistantAction.model_fields, CATALOGUE.discriminator})
"""The fields of an action that concern its place among others; a method has none of them."""


class Calls:
    """The calls of one code run, for the model and the record: the first ones, then only their number."""

    def __init__(self) -> None:
        self.changes: list[str] = []
        """A few words on each change, in order."""
        self.kept: list[dict[str, str]] = []
        self.counts: Counter[str] = Counter()
        """The number of calls per outcome: done, refused, rate_limit."""

    def add(self, name: str, outcome: str, what: str = "") -> None:
        """Note a call: the method, its outcome, and a few words on its change or its failure."""
        self.counts[outcome] += 1
        if len(self.kept) < _MOST_KEPT:
            self.kept.append({"name": name, "outcome": outcome, "what": what[:_MOST_SAID]})


def gb_api(handlers: Mapping[str, Handler], context: Context, calls: Calls) -> Api:
    """Return the ``gb`` object of one code run."""
    methods = {
        name: GbMethod(name, names, handlers[name], context, calls)
        for names in KINDS
        for name in names.actions
    }
    return Api(API_NAME, methods)


class GbMethod:
    """One method of ``gb``; see ``gb_api`` for its arguments."""

    def __init__(
        self, name: str, names: ActionNames, handler: Handler, context: Context, calls: Calls
    ) -> None:
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

    def _action(self, given: tuple[Any, ...], named: JsonDict) -> Action:
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

    def _refusal(self, error: FieldError, arguments: JsonMap) -> Exception:
        """Return the exception for an argument that the action's model refuses."""
        if error.path == "status":
            kind = self._names.kind.name.capitalize()
            value = str(arguments["status"])[:100]
            return ValueError(f"{value} is not a valid {kind}Status; expected {error.expected}")
        kind_of_error = TypeError if error.code is Reason.WRONG_TYPE else ValueError
        return kind_of_error(f"{API_NAME}.{self.name}: {error.message}")

    def _missing(self, action: Action, error: ActionError) -> Any:
        """Return a method's answer for a missing record, or raise it."""
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


REASONS = {
    CodeOutcome.FAILED: Reason.CODE_ERROR,
    CodeOutcome.CRASHED: Reason.CODE_ERROR,
    CodeOutcome.TIMED_OUT: Reason.TIMEOUT,
    CodeOutcome.LIMIT_EXCEEDED: Reason.CODE_LIMIT,
    CodeOutcome.REFUSED: Reason.UNAVAILABLE,
    CodeOutcome.CANCELLED: Reason.STOPPED,
}
"""The recorded reason of failed code; ``timeout`` makes its execution ``timed_out``, the others ``failed``."""

_ROOMS = {"stdout": 20_000, "stderr": 8_000, "error": 8_000}
"""The maximal length of each text of a result, in characters of JSON text; together they fit into a record."""

_VALUE_ROOM = 20_000
_SHOWN_OUTPUT = 600
_SHOWN_CHANGES = 10


@cache
def shared_sandbox(name: str) -> Sandbox:
    """Return a sandbox shared by all sessions of this process: it proves itself once, and keeps a process ready."""
    sandbox = choose(name)
    atexit.register(sandbox.close)
    return sandbox


class CodeRunner:
    """Runs code for one session, within limits, in a sandbox of the caller's or one by name, looked up for the first code."""

    def __init__(self, limits: Limits, sandbox: str | Sandbox) -> None:
        self._limits = limits
        self._wanted = sandbox

    def over(self, handlers: Mapping[str, Handler]) -> Handler:
        """Return the handler of ``execute_code``."""
        return partial(self._run, handlers)

    def _run(self, handlers: Mapping[str, Handler], action: ExecuteCode, context: Context) -> JsonDict:
        """Run code; return the six keys."""
        calls = Calls()
        api = gb_api(handlers, context, calls)
        try:
            code = fenced["code"] if (fenced := _IN_FENCE.fullmatch(action.code)) else action.code
            result = self._sandbox().run(code, api=api, limits=self._limits, cancel=context.cancelled)
        finally:
            _note(calls, context)
        if not result.succeeded:
            _fail(result, [] if context.dry_run else calls.changes)
        document = document_of(result)
        if fenced:
            document["stderr"] += "Note: the code stood in a markdown fence, which was taken off.\n"
        return document

    def _sandbox(self) -> Sandbox:
        if not isinstance(self._wanted, str):
            return self._wanted
        try:
            return shared_sandbox(self._wanted)
        except SandboxError as error:
            message = "The code was not run: nothing here can confine it. Use actions instead."
            _fail(CodeResult(outcome=CodeOutcome.REFUSED, sandbox="", stderr=str(error), message=message), [])


_IN_FENCE = re.compile(r"\s*+```(?:python|py)?[ \t]*+\n(?P<code>(?:(?!```).)*+)```\s*+", re.DOTALL)
"""Code in a fence within its field; with the fence it would be no Python."""


def document_of(result: CodeResult) -> JsonDict:
    """Return a result with the document's six keys, each small enough to keep; logged messages are part of stderr.

    A seventh, ``sandbox``, names an interpreter that has only a part of Python.
    """
    document = result.as_document()
    document["stderr"] += "".join(f"gb.log: {message}\n" for message in result.logs)
    if result.sandbox == MontySandbox.name:
        document["sandbox"] = result.sandbox
    document["result"] = truncated(document["result"], _VALUE_ROOM)
    return document | {name: _fitted(document[name], room) for name, room in _ROOMS.items()}


def _note(calls: Calls, context: Context) -> None:
    """Record the code's calls: each is an executed action that no block of the response requested."""
    if not calls.kept or context.dry_run:
        return
    outcomes = ", ".join(f"{count:,} {outcome.replace('_', ' ')}" for outcome, count in calls.counts.items())
    message = f"The code called {API_NAME} {counted(calls.counts.total(), 'time')}: {outcomes}."
    context.note("called_in_code", message, {"counts": dict(calls.counts), "calls": calls.kept})


def _fail(result: CodeResult, changes: list[str]) -> NoReturn:
    """Raise the error of failed code."""
    parts = [result.message, _printed(result.stdout), _changes_in_words(changes)]
    message = " ".join(part for part in parts if part)
    raise ActionError(REASONS[result.outcome], message, result=document_of(result))


def _printed(stdout: str) -> str:
    """Return the code's output before it ended, on one line; for a long text, its end."""
    if not stdout:
        return ""
    # Half of a secret would not be recognized as one.
    shown = mask_text(stdout)[-_SHOWN_OUTPUT:]
    cut = "" if len(shown) == len(stdout) else f" (the last {len(shown):,} of {len(stdout):,} characters)"
    return f"It printed before{cut}: {json_text(shown)}."


def _changes_in_words(changes: list[str]) -> str:
    """Return the changes that the code had made when it ended."""
    if not changes:
        return ""
    more = f", … ({len(changes):,} in all)" if len(changes) > _SHOWN_CHANGES else ""
    return f"What it did before stays done: {', '.join(changes[:_SHOWN_CHANGES])}{more}."


def _fitted(text: str, room: int) -> str:
    """Return a text, shortened with a notice if its JSON text exceeds the available room."""
    kept = text if len(json_text(text)) <= room else mask_text(text)
    while (size := len(json_text(kept))) > room:
        kept = kept[: max(0, len(kept) * (room - 2) // size - 1)]
    return (
        kept
        if len(kept) == len(text)
        else f"{kept}\n[cut: {len(kept):,} of {len(text):,} characters are kept]\n"
    )
