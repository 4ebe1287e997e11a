"""Results of calls in Gemini CLI's chats, which mark every end of a shell command as a success."""

import re
from collections.abc import Iterator
from dataclasses import replace

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedResult
from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.imports.sources.access import as_list, exit_status_of, object_at, text_at, time_at

_ENDED = regex(r"^(?:Exit Code|Process exited with code): *(-?\d{1,10})\b", re.MULTILINE)
_SIGNAL = regex(r"^Signal: *(?!0$|\(none\))\w{1,20}$", re.MULTILINE)
_SHELLS = frozenset({"run_shell_command", "shell"})

_NOT_RUN = (
    (regex(r"Command injection detected: "), Reason.COMMAND_REFUSED),
    (regex(r"Command was automatically cancelled because it exceeded the timeout"), Reason.TIMEOUT),
    (regex(r"Command was cancelled by user before it could complete"), Reason.STOPPED),
)
"""The beginning of a shell's result that is marked as a success but is none."""


def results_of(calls: list[JsonMap]) -> Iterator[RecordedResult]:
    """Yield what came of calls."""
    for call in calls:
        output, status = _output(call.get("result"), text_at(call, "id")), text_at(call, "status")
        if output is None and status not in {"success", "error", "cancelled"}:
            continue
        is_shell = isinstance(output, str) and text_at(call, "name") in _SHELLS
        found = RecordedResult(
            text_at(call, "id"),
            output,
            is_error=None if status == "cancelled" else status == "error",
            status=ExecutionStatus.DENIED if status == "cancelled" else None,
            reason=Reason.REJECTED if status == "cancelled" else None,
            finished_at=time_at(call, "timestamp"),
        )
        yield replace(found, **_of_shell(str(output), is_success=status == "success")) if is_shell else found


def _of_shell(output: str, *, is_success: bool) -> JsonDict:
    """Return the end of a shell command from the result's words: its status is always success."""
    exits = _ENDED.findall(output)  # the client's words come after the program's output
    if exits:
        return {"exit_status": exit_status_of(int(exits[-1]))}
    if is_success and _SIGNAL.search(output):
        return {"is_error": True, "reason": Reason.COMMAND_FAILED}
    told = next((reason for words, reason in _NOT_RUN if is_success and words.match(output)), None)
    return {} if told is None else {"is_error": True, "reason": told, "is_inferred": True}


def _output(result: object, name: str) -> object:
    """Return the output as the model received it: the text of the response, or other content."""
    parts = as_list(result)
    given = [object_at(part, "functionResponse") for part in parts if isinstance(part, dict)]
    # A rewritten history has the results of all calls of a message at each call.
    came = [object_at(each, "response") for each in given if text_at(each, "id") == name] or [
        object_at(each, "response") for each in given
    ]
    first = next((each for each in came if each), None)
    if first is None:
        return result if isinstance(result, str) else None
    return next((first[key] for key in ("output", "error") if isinstance(first.get(key), str)), dict(first))
