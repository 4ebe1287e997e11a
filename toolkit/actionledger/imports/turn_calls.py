"""A turn's calls, each with its parsed action, to be matched with recorded results."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from actionledger.core.errors import ActionError
from actionledger.core.ids import derived_id
from actionledger.core.patterns import regex
from actionledger.core.recording import SessionKey, TurnKey
from actionledger.core.recording.turns import action_id_of
from actionledger.core.recordings import RecordedCall, RecordedTurn
from actionledger.core.values import ActionCall, ParseResult
from actionledger.core.vocabulary import ActionStatus, Capture
from actionledger.ledger.queries.recorded import OpenCall
from actionledger.reading.leaked import is_leaked

# Programs whose exit status 1 is an answer and no failure: nothing found, files differ, false.
ANSWERS: Mapping[str, tuple[str, str]] = {
    "grep": ("no line was selected", "POSIX.1-2024, grep, EXIT STATUS"),
    "egrep": ("no line was selected", "GNU grep manual, 2.3 Exit Status"),
    "fgrep": ("no line was selected", "GNU grep manual, 2.3 Exit Status"),
    "rg": ("no match was found", "rg(1), EXIT STATUS"),
    "pgrep": ("no process matched", "pgrep(1) of procps-ng, EXIT STATUS"),
    "diff": ("differences were found", "POSIX.1-2024, diff, EXIT STATUS"),
    "cmp": ("the files are not the same", "POSIX.1-2024, cmp, EXIT STATUS"),
    "test": ("the expression is false", "POSIX.1-2024, test, EXIT STATUS"),
    "[": ("the expression is false", "POSIX.1-2024, test, EXIT STATUS"),
    "git diff --exit-code": ("there are differences", "git-diff(1), --exit-code, --quiet and --no-index"),
}
"""The meaning of status 1 by program, and where it is documented: docs/sources.md has the same table."""

SHELL_TOOLS = frozenset(
    {
        *("bash", "shell", "local_shell", "shell_command", "exec_command", "container.exec"),
        *("run_shell_command", "execute_command", "run_commands", "run_terminal_cmd", "run_in_terminal"),
        *("developer__shell", "execute_bash", "terminal"),
    }
)
"""Agents' tools that run a command in their arguments, in lower case."""

MOST = 20_000
"""The longest command that is examined, in characters."""

_KEYS = ("command", "cmd", "commands")
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh"})
_SCRIPT = regex(r"-l?c")
_QUIET = regex(r"(?:\s+(?:2>&1|&?>\s?/dev/null|[12]>\s?/dev/null))+\s*\Z")
_DIFFERS = frozenset({"--exit-code", "--quiet", "--no-index"})
_GIT_FLAGS = frozenset({"--no-pager", "-P", "--paginate", "-p", "--no-optional-locks", "--literal-pathspecs"})
_PRINTED = regex(r"^Output:[^\S\n]*$", re.MULTILINE)
_FRAME = regex(
    r"^(?:(?:Exit code:?|Process exited with code|Command exited with code|Exit Code:) 1"
    r"|\((?:no output|empty)\)|Output: \(empty\)|Wall time:? [^\n]{1,40}|</?(?:shell_metadata|bash_metadata)>)?[^\S\n]*$",
    re.MULTILINE,
)


def command_of(name: str, arguments: object) -> str | list[str]:
    """Return the command that a call runs, as a shell line or as words; empty if it is not a known command."""
    if name.lower() not in SHELL_TOOLS or not isinstance(arguments, dict | Mapping):
        return ""
    given: Any = next((arguments[key] for key in _KEYS if key in arguments), "")
    if isinstance(given, str):
        return given if len(given) <= MOST else ""
    if not isinstance(given, list) or not all(isinstance(word, str) for word in given):
        return ""
    if sum(map(len, given)) > MOST:
        return ""
    if len(given) == 1:
        return str(given[0])
    if len(given) == 3 and _base(given[0]) in _SHELLS and _SCRIPT.fullmatch(given[1]):
        return str(given[2])
    return list(given) if "commands" not in arguments else ""


def is_answer(command: str | Sequence[str], text: str) -> bool:
    """Return whether exit status 1 of a command is an answer."""
    if not isinstance(command, str):
        return _answers(command)
    quiet = _QUIET.search(command)
    line = command[: quiet.start()] if quiet else command
    words = _words(line, expands=False)
    if words is None and not (quiet and "/dev/null" in quiet[0]) and not _printed(text):
        words = _words(line, expands=True)
    return words is not None and _answers(words)


def _words(line: str, *, expands: bool) -> list[str] | None:
    from actionledger.runtime.commands.words import words_of  # noqa: PLC0415 - few imports need it, and it loads a module that starts programs

    try:
        return words_of(line, expands=expands)
    except ActionError:
        return None


def _answers(words: Sequence[str]) -> bool:
    program = _base(words[0]) if words else ""
    if program == "git":
        # Whether the arguments of git are a ``diff`` whose status says whether there are differences.
        rest = iter(words[1:])
        for word in rest:
            if word in {"-C", "-c"}:
                next(rest, None)
            elif word == "diff":
                return any(each in _DIFFERS for each in _options(rest))
            elif word not in _GIT_FLAGS:
                return False
        return False
    return program in ANSWERS


def _options(rest: Iterator[str]) -> Iterator[str]:
    for word in rest:
        if word == "--":
            return
        yield word


def _base(program: str) -> str:
    return program.rpartition("/")[2]


def _printed(text: str) -> str:
    """Return a program's output without the words that agents put around it."""
    begins = _PRINTED.search(text)
    shown = text[begins.end() :] if begins else text
    return _FRAME.sub("", shown).strip()


class TurnCall(NamedTuple):
    """A call that a result may belong to."""

    turn: TurnKey
    # attempt_id, action_id, action_index, name, dialect: the parsed action; an unparsed call has an id of its own and an index after the actions
    attempt_id: str
    action_id: str
    action_index: int
    name: str
    dialect: str
    call_id: str  # its identifier in the source; empty if it has none
    repeated: int = 0  # how many earlier calls of its turn have the same identifier
    # the command it runs, as `command_of` returns it; empty if it is none or unknown
    command: str | list[str] = ""

    @property
    def known_as(self) -> str | int:
        """The key of its result within its turn."""
        return _known_as(self.call_id, self.repeated, self.action_index)


def may_be_unread(call: RecordedCall) -> bool:
    """Return whether the parser may have refused a call's arguments."""
    if not isinstance(call.arguments, str):
        return False
    if call.kind == "text":
        return call.name == "apply_patch"
    try:
        return not isinstance(json.loads(call.arguments or "{}"), dict)
    except (ValueError, RecursionError):
        return True


def calls_of(turn: RecordedTurn, key: TurnKey, result: ParseResult, attempt_id: str) -> list[TurnCall]:
    """Return a turn's calls in order, each with its parsed action."""
    actions = [
        (index, action)
        for index, action in enumerate(result.actions)
        if action.status is not ActionStatus.ILLUSTRATION
    ]
    if not turn.calls:
        return [_of_action(key, attempt_id, index, action, action.call_id or "") for index, action in actions]
    first = turn.calls[0].call_id
    if len(turn.calls) == len(actions) == 1 and first and actions[0][1].call_id == first:  # the usual case
        return [_of_action(key, attempt_id, *actions[0], first)]
    ordered = sorted(turn.calls, key=lambda call: len(turn.text) if call.at is None else call.at)
    at = _places(turn, result)
    alike = Counter([call.call_id for call in ordered]) if len(ordered) > 1 else {ordered[0].call_id: 1}
    calls: list[TurnCall] = []
    before: dict[str, int] = {}
    for place, call in enumerate(ordered):
        named = [pair for pair in actions if call.call_id and pair[1].call_id == call.call_id]
        same = next((pair for pair in named if at(pair) == place), None)
        if same is None and named and alike[call.call_id] == 1:
            same = named[0]
        if same is None and not named:
            same = next(
                (pair for pair in actions if at(pair) == place and pair[1].name == call.name),
                None,
            )
        if same is not None:
            actions.remove(same)
            found = _of_action(key, attempt_id, *same, call.call_id)
        else:
            behind = len(result.actions) + place
            unread = derived_id(
                "unread-call", key.turn_id, _known_as(call.call_id, before.get(call.call_id, 0), place)
            )
            found = TurnCall(key, attempt_id, unread, behind, call.name, "", call.call_id)
        repeated = before.get(call.call_id, 0)
        calls.append(found._replace(repeated=repeated) if repeated else found)
        before[call.call_id] = repeated + 1
    return calls


def _known_as(call_id: str, repeated: int, place: int) -> str | int:
    """Return a call's key in its turn: its identifier, or its index if it has none."""
    if not call_id:
        return place
    return f"{call_id}#{repeated}" if repeated else call_id


def _places(turn: RecordedTurn, result: ParseResult) -> Callable[[tuple[int, ActionCall]], int]:
    """Return a function from an action to its call's index: by actions for a text, by blocks of calls for split-off calls."""
    if turn.capture is Capture.TEXT:
        return lambda pair: pair[0]
    calls = [block.index for block in result.blocks if not is_leaked(block)]
    place_of = {index: place for place, index in enumerate(calls)}
    return lambda pair: place_of.get(pair[1].block, -1)


def _of_action(key: TurnKey, attempt_id: str, index: int, action: ActionCall, call_id: str) -> TurnCall:
    action_id = action_id_of(attempt_id, index)
    command = command_of(action.name, action.arguments)
    return TurnCall(key, attempt_id, action_id, index, action.name, action.dialect, call_id, command=command)


def call_of(there: OpenCall) -> TurnCall:
    """Return a call without a result, from the ledger."""
    session = SessionKey(
        session_id=there.session_id, profile=there.profile, model=there.model, task=there.task
    )
    turn = TurnKey(
        session=session, turn_id=there.turn_id, index=there.turn_index, occurred_at=there.occurred_at
    )
    return TurnCall(
        turn,
        there.attempt_id,
        there.action_id,
        there.action_index,
        there.name,
        there.dialect,
        there.call_id,
        there.repeated,
        command_of(there.name, json.loads(there.arguments)) if there.arguments else "",
    )
