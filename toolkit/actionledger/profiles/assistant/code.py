"""What runs the assistant's ``execute_code``: a sandbox, the object ``gb``, and what the model is told of it.

Each call of ``gb`` takes effect at once, as an action does. So what a script did before it failed stays done, and the model
is told what that is: a store locked for as long as a stranger's code runs would keep every other session waiting.
"""

import atexit
from collections.abc import Mapping
from functools import cache, partial
from typing import Any, NoReturn

from actionledger.core.canonical import json_text
from actionledger.core.errors import ActionError, SandboxError
from actionledger.core.plurals import counted
from actionledger.core.privacy import mask_text
from actionledger.core.vocabulary import Reason
from actionledger.profiles.assistant.actions import ExecuteCode
from actionledger.profiles.assistant.gb import API_NAME, Calls, gb_api
from actionledger.runtime.execution.handlers import Context, Handler
from actionledger.runtime.execution.truncation import truncated
from actionledger.runtime.sandbox import CodeOutcome, CodeResult, Limits, Sandbox, choose
from actionledger.runtime.sandbox.monty import MontySandbox

REASONS = {
    CodeOutcome.FAILED: Reason.CODE_ERROR,
    CodeOutcome.CRASHED: Reason.CODE_ERROR,
    CodeOutcome.TIMED_OUT: Reason.TIMEOUT,
    CodeOutcome.LIMIT_EXCEEDED: Reason.CODE_LIMIT,
    CodeOutcome.REFUSED: Reason.UNAVAILABLE,
    CodeOutcome.CANCELLED: Reason.STOPPED,
}
"""What is recorded of code that did not succeed; ``timeout`` makes its execution ``timed_out``, the others ``failed``."""

_ROOMS = {"stdout": 20_000, "stderr": 8_000, "error": 8_000}
"""How much is kept of each text of a result, in characters of JSON text; all of it fits into what a record takes."""

_VALUE_ROOM = 20_000
_SHOWN_OUTPUT = 600
_SHOWN_CHANGES = 10


@cache
def shared_sandbox(name: str) -> Sandbox:
    """Return a sandbox that all sessions of this process share: it proves itself once, and keeps a process ready."""
    sandbox = choose(name)
    atexit.register(sandbox.close)
    return sandbox


class CodeRunner:
    """Runs code for one session.

    Args:
        limits: how much one run may use.
        sandbox: where code runs: a name, looked up when the first code comes, or a sandbox of the caller's own.
    """

    def __init__(self, limits: Limits, sandbox: str | Sandbox) -> None:
        self._limits = limits
        self._wanted = sandbox

    def over(self, handlers: Mapping[str, Handler]) -> Handler:
        """Return the handler of ``execute_code``."""
        return partial(self._run, handlers)

    def _run(self, handlers: Mapping[str, Handler], action: ExecuteCode, context: Context) -> dict[str, Any]:
        """Run code; return the six keys."""
        calls = Calls()
        api = gb_api(handlers, context, calls)
        try:
            result = self._sandbox().run(action.code, api=api, limits=self._limits, cancel=context.cancelled)
        finally:
            _note(calls, context)
        if not result.succeeded:
            _fail(result, [] if context.dry_run else calls.changes)
        return document_of(result)

    def _sandbox(self) -> Sandbox:
        if not isinstance(self._wanted, str):
            return self._wanted
        try:
            return shared_sandbox(self._wanted)
        except SandboxError as error:
            message = "The code was not run: nothing here can confine it. Use actions instead."
            _fail(CodeResult(outcome=CodeOutcome.REFUSED, sandbox="", stderr=str(error), message=message), [])


def document_of(result: CodeResult) -> dict[str, Any]:
    """Return a result with the document's six keys, each small enough to be kept; what was logged is part of stderr.

    A seventh, ``sandbox``, says so where the code ran in an interpreter that has a part of Python only.
    """
    document = result.as_document()
    document["stderr"] += "".join(f"gb.log: {message}\n" for message in result.logs)
    if result.sandbox == MontySandbox.name:
        document["sandbox"] = result.sandbox
    document["result"] = truncated(document["result"], _VALUE_ROOM)
    return document | {name: _fitted(document[name], room) for name, room in _ROOMS.items()}


def _note(calls: Calls, context: Context) -> None:
    """Record what the code called: each call is an action that was done, though no block of the response asked for it."""
    if not calls.kept or context.dry_run:
        return
    outcomes = ", ".join(f"{count:,} {outcome.replace('_', ' ')}" for outcome, count in calls.counts.items())
    message = f"The code called {API_NAME} {counted(calls.counts.total(), 'time')}: {outcomes}."
    context.note("called_in_code", message, {"counts": dict(calls.counts), "calls": calls.kept})


def _fail(result: CodeResult, changes: list[str]) -> NoReturn:
    """Raise what came of code that did not succeed."""
    parts = [result.message, _printed(result.stdout), _kept(changes)]
    message = " ".join(part for part in parts if part)
    raise ActionError(REASONS[result.outcome], message, result=document_of(result))


def _printed(stdout: str) -> str:
    """Return what the code printed before it ended, as one line; of a long text the end."""
    if not stdout:
        return ""
    # Half of a secret would not be known as one.
    shown = mask_text(stdout)[-_SHOWN_OUTPUT:]
    cut = "" if len(shown) == len(stdout) else f" (the last {len(shown):,} of {len(stdout):,} characters)"
    return f"It printed before{cut}: {json_text(shown)}."


def _kept(changes: list[str]) -> str:
    """Return what the code had changed when it ended."""
    if not changes:
        return ""
    more = f", … ({len(changes):,} in all)" if len(changes) > _SHOWN_CHANGES else ""
    return f"What it did before stays done: {', '.join(changes[:_SHOWN_CHANGES])}{more}."


def _fitted(text: str, room: int) -> str:
    """Return a text, or its beginning where its JSON text is longer than there is room; a cut says so."""
    kept = text if len(json_text(text)) <= room else mask_text(text)
    while (size := len(json_text(kept))) > room:
        kept = kept[: max(0, len(kept) * (room - 2) // size - 1)]
    return (
        kept
        if len(kept) == len(text)
        else f"{kept}\n[cut: {len(kept):,} of {len(text):,} characters are kept]\n"
    )
