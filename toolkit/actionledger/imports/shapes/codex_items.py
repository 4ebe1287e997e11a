"""The items and events of Codex rollouts, and the calls that their end events belong to.

Since about 0.150, ``item_completed`` says how each executed item ended. If tools are functions, the item has its call's identifier. In code mode the
model writes a script for one tool, ``exec``, and what the script runs has identifiers of its own. It belongs to the running script, or among several
to the one that contains its command. Work that outlasts its result ends later: a process is known by its number, a script by its cell.
"""

import hashlib
import json
import re
from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path

from actionledger.core.canonical import JsonMap
from actionledger.core.names import qualified
from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedCall, RecordedResult
from actionledger.core.text import utf8_with_halves
from actionledger.core.vocabulary import ExecutionStatus
from actionledger.imports.shapes.base import since_epoch
from actionledger.imports.shapes.codex_results import UNSAID, End, Inner, with_end
from actionledger.imports.shapes.openai_responses import thoughts_of
from actionledger.imports.sources.access import (
    exit_status_of,
    number_at,
    object_at,
    objects_at,
    text_at,
    texts_at,
    time_at,
)

Line = JsonMap


# Titles of Codex threads: ``session_index.jsonl`` in its home folder, written by its desktop application and ``/rename``.
_FOLDERS = frozenset({"sessions", "archived_sessions"})
_MOST = 16 * 2**20


def title_of(path: Path, name: str) -> str:
    """Return a thread's title; empty if it has none, or its file isn't in Codex' home folder."""
    home = next((folder.parent for folder in path.absolute().parents if folder.name in _FOLDERS), None)
    if home is None:
        return ""
    index = home / "session_index.jsonl"
    try:
        status = index.stat()
    except OSError:
        return ""
    return _titles(index, status.st_mtime_ns, status.st_size).get(name, "")


@lru_cache(maxsize=4)
def _titles(index: Path, _changed: int, size: int) -> dict[str, str]:
    """Return an index's titles by thread; it is read again after a change."""
    if size > _MOST:
        return {}
    found = {}
    try:
        lines = index.read_bytes().splitlines()
    except OSError:
        return {}
    for line in lines:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict) and text_at(entry, "id"):
            found[text_at(entry, "id")] = text_at(entry, "thread_name")[:500]
    return found


def text_of(item: Line) -> str:
    """Return the texts of an item: of its content, or of a reasoning summary."""
    parts = (*objects_at(item, "content"), *objects_at(item, "summary"))
    return "\n\n".join(filter(None, (text_at(part, "text") for part in parts)))


def holds_sign(thought: Line) -> bool:
    """Return whether a reasoning text may contain a call: then it ends the response and is one itself."""
    from actionledger.reading.leaked import has_sign  # noqa: PLC0415 - loads every dialect, and few files end with a thought

    return has_sign("\n".join(thoughts_of(thought)), frozenset())


def parts_of(item: Line) -> Sequence[str | RecordedCall]:
    """Return an item's part of a response: its text, its reasoning or its call."""
    kind = text_at(item, "type")
    if kind == "reasoning":
        return thoughts_of(item)
    return [text_of(item) if kind == "message" else call_of(kind, item)]


def call_of(kind: str, item: Line) -> RecordedCall:
    call_id = text_at(item, "call_id")
    name = qualified(item.get("namespace"), text_at(item, "name"))
    if kind == "custom_tool_call":
        return RecordedCall(call_id, name, text_at(item, "input"), kind="text")
    if kind == "function_call":
        return RecordedCall(call_id, name, text_at(item, "arguments"))
    return RecordedCall(call_id, kind.removesuffix("_call"), object_at(item, "action"))


# Identifiers of responses in Codex rollouts: in most versions they have none of their own.
_COPYING = timedelta(seconds=1)
"""Lines within this time after a file's head are copies: they are written at once, and a model takes longer to answer."""


_COUNTED = regex(r"(?:[A-Za-z_.]{0,80}[:_.-])?\d{1,4}")
"""A call's identifier that a server counts from 0 in each session, such as Kimi's ``functions.shell:0``."""


class ResponseNames:
    """Names the responses of one rollout, in order."""

    def __init__(self, file: str) -> None:
        self.session = file
        self._before = self._before_of_old = self._copied_from = file
        self._above = self._scope = ""
        self._until: datetime | None = None
        self._has_head = self._has_history = False

    def take_head(self, line: Line, meta: Line) -> None:
        """Read a head: the first is the file's own, a later one that of the copied history after it."""
        self._before = self._before_of_old = self._copied_from = text_at(meta, "id") or self._before
        self._above = self._scope = ""
        if not self._has_head:
            self.session = self._before
            self._above = (
                ""
                if (bool(meta.get("history_base")) or text_at(meta, "history_mode") == "paginated")
                else text_at(meta, "forked_from_id") or above(meta)
            )
            begun = time_at(line, "timestamp") or time_at(meta, "timestamp")
            self._until = begun + _COPYING if begun else None
        self._has_head, self._has_history = True, self._has_head

    def is_copied(self, line: Line) -> bool:
        """Return whether a line belongs to the history at a file's beginning, which was written when the file began."""
        return self._has_history and self._is_of_beginning(line)

    def _is_of_beginning(self, line: Line) -> bool:
        at = time_at(line, "timestamp")
        return at is None or self._until is None or at <= self._until

    def name(self, item: Line, line: Line) -> tuple[str, str]:
        """Return a response's name, and the name that earlier versions gave it, if it differs."""
        above, self._above = self._above, ""
        if call_id := text_at(item, "call_id"):
            owner = self._copied_from if self.is_copied(line) else self.session
            self._scope = f"{owner}/" if _COUNTED.fullmatch(call_id) else ""
            self._before, self._before_of_old = f"{self._scope}{call_id}", call_id
            return self._before, call_id if self._scope else ""
        before = above if above and self._is_of_beginning(line) else self._before
        self._before = f"{self._scope}{_hashed(before, text_of(item))}"
        self._before_of_old = _hashed(self._before_of_old, text_of(item))
        return self._before, self._before_of_old if self._before_of_old != self._before else ""


def above(meta: Line) -> str:
    """Return the parent of a subagent's session; empty if it has none."""
    spawned = object_at(object_at(object_at(meta, "source"), "subagent"), "thread_spawn")
    return text_at(meta, "parent_thread_id") or text_at(spawned, "parent_thread_id")


def _hashed(before: str, text: str) -> str:
    return hashlib.sha256(utf8_with_halves(f"{before}\n{text}")).hexdigest()[:32]


ENDS = frozenset({"exec_command_end", "patch_apply_end", "mcp_tool_call_end", "dynamic_tool_call_response"})
"""The events that recorded a call's end before there were items."""

_SCRIPTS = frozenset({"exec", "wait"})
"""The tools of code mode: one begins a script, the other waits for one that is running."""

_ENDED = frozenset({"completed", "failed", "declined"})
_NAMES = {"CommandExecution": "exec_command", "FileChange": "apply_patch"}
_GOES_ON = regex(
    r"\bProcess running with session ID (\d{1,10})|\"session_id\": ?(\d{1,10})|^Script running with cell ID (\w{1,40})",
    re.MULTILINE,
)
_EXITED = regex(r"^Process exited with code (-?\d{1,10})$", re.MULTILINE)
_REMEMBERED = 256
"""How many calls with a result are remembered: some end later."""


class Ends:
    """The calls without a result, and the ends recorded for them."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, tuple[str, str]] = OrderedDict()
        self._said: defaultdict[str, list[End]] = defaultdict(list)
        self._within: defaultdict[str, list[Inner]] = defaultdict(list)
        self._answered: OrderedDict[str, str] = OrderedDict()
        self._going_on: OrderedDict[str, str] = OrderedDict()

    def call(self, call: RecordedCall) -> None:
        """Add a call without a result."""
        text = call.arguments if isinstance(call.arguments, str) else ""
        if call.call_id:
            self._open[call.call_id] = (call.name, text)

    def event(self, event: Line) -> None:
        """Add an event of ``ENDS``."""
        self._said[text_at(event, "call_id")].append(_ended(event))

    def item(self, event: Line) -> tuple[str, "Late"] | bool:
        """Add an event ``item_completed``."""
        item = object_at(event, "item")
        if text_at(item, "status") not in _ENDED:
            return False
        name, end = text_at(item, "id"), _ended(item)
        if name in self._open or self._said.get(name):
            self._said[name].append(end)
        elif name in self._answered:
            return name, Late(end)
        else:
            return self._take_inner(item, _inner(item, end, event))
        return True

    def result(self, call_id: str, output: str) -> End:
        """Return the recorded end of a call whose result has come, with everything that it ran."""
        self._open.pop(call_id, None)
        said, within = self._said.get(call_id), self._within.pop(call_id, [])
        end = said.pop(_place(said, output) if len(said) > 1 else 0) if said else UNSAID
        self._remember(self._answered, call_id, "")
        if "session" in output or "Script running" in output:
            for found in _GOES_ON.finditer(output):
                self._remember(self._going_on, next(filter(None, found.groups())), call_id)
        return replace(end, within=tuple(within)) if within else end

    def _take_inner(self, item: Line, inner: Inner) -> tuple[str, "Late"] | bool:
        """Add something that a script ran."""
        earlier = self._going_on.get(text_at(item, "process_id"))
        scripts = {name: text for name, (tool, text) in self._open.items() if tool in _SCRIPTS}
        if earlier is None and not scripts:
            return False
        owner = earlier or _owner(scripts, list(_words(item)))
        if owner in scripts and self._open[owner][0] == "wait":
            owner = self._going_on.get(_cell(scripts[owner]), owner)
        if owner in self._answered and owner not in self._open:
            return owner, Late(UNSAID, (inner,))
        self._within[owner].append(inner)
        return True

    @staticmethod
    def _remember(known: OrderedDict[str, str], name: str, value: str) -> None:
        known[name] = value
        if len(known) > _REMEMBERED:
            known.popitem(last=False)


def _place(said: Sequence[End], output: str) -> int:
    """Return the index of the end that belongs to a result, among those with one identifier: calls of one response end in any order."""
    found = _EXITED.search(output)
    status = int(found[1]) if found else None
    return next((place for place, end in enumerate(said) if end.exit_status == status), 0)


class Late:
    """A call's end that comes after its result."""

    def __init__(self, end: End, within: tuple[Inner, ...] = ()) -> None:
        self._end, self._within = end, tuple((call, _unless_killed(result)) for call, result in within)

    def __call__(self, result: RecordedResult) -> RecordedResult:
        """Return a result with this end."""
        whole = (*result.within, *self._within)
        return _unless_killed(with_end(result, replace(self._end, within=whole)))


def _unless_killed(result: RecordedResult) -> RecordedResult:
    """Return a result, as interrupted if its process outlasted it and never had an exit status of its own."""
    is_killed = result.is_error and (result.exit_status or 0) < 0
    return replace(result, status=ExecutionStatus.INTERRUPTED) if is_killed else result


def _owner(scripts: Mapping[str, str], words: Sequence[str]) -> str:
    """Return the script that ran something: the one that contains its words, or else the first without a result."""
    if len(scripts) > 1:
        quoted = [f"{quote}{word}{quote}" for word in words for quote in "\"'`"]
        for sought in (quoted, words):
            holding = [name for name, text in scripts.items() if any(word in text for word in sought)]
            if len(holding) == 1:
                return holding[0]
    return next(iter(scripts))


def _words(item: Line) -> Iterator[str]:
    """Yield a script's possible words for something that it runs, as in a JavaScript string or unquoted."""
    command = texts_at(item, "command")
    named = f"mcp__{text_at(item, 'server')}__{text_at(item, 'tool')}" if "server" in item else ""
    for word in (command[-1] if command else "", named):
        if word:
            yield word
            yield json.dumps(word, ensure_ascii=False)[1:-1]


def _cell(arguments: str) -> str:
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return ""
    return str(value.get("cell_id")) if isinstance(value, dict) else ""


def _ended(said: Line) -> End:
    """Return the end in an event or an item; both have had several forms."""
    success, status = said.get("success"), text_at(said, "status")
    is_error = (not success) if isinstance(success, bool) else None
    if status in _ENDED:
        is_error = status != "completed"
    result = object_at(said, "result")
    told = object_at(result, "Ok") or result
    if "Err" in result or said.get("error"):
        is_error = True
    elif isinstance(flag := told.get("isError", told.get("is_error")), bool):
        is_error = flag or is_error is True
    elif "Ok" in result and is_error is None:
        is_error = False
    took = object_at(said, "duration")
    seconds, nanoseconds = number_at(took, "secs"), number_at(took, "nanos")
    return End(
        is_error=is_error,
        exit_status=exit_status_of(said.get("exit_code")),
        status=ExecutionStatus.DENIED if status == "declined" else None,
        duration_ms=None if seconds is None else 1000 * seconds + (nanoseconds or 0) / 1e6,
    )


def _inner(item: Line, end: End, event: Line) -> Inner:
    """Return something that a script ran, as a call with its result."""
    kind, name = text_at(item, "type"), text_at(item, "id")
    tool, arguments = _NAMES.get(kind) or text_at(item, "tool") or kind, object_at(item, "arguments")
    if "server" in item:
        tool = f"mcp__{text_at(item, 'server')}__{tool}"
    if command := texts_at(item, "command"):
        arguments = {"command": list(command)}
    elif changes := object_at(item, "changes"):
        arguments = {"paths": sorted(changes)}
    result = RecordedResult(
        name,
        _output(item),
        started_at=since_epoch(event.get("started_at_ms")),
        finished_at=since_epoch(event.get("completed_at_ms")),
    )
    return RecordedCall(name, tool, arguments), with_end(result, end)


def _output(item: Line) -> object:
    told = object_at(item, "result")
    texts = [text_at(part, "text") for part in objects_at(told, "content")]
    said = (
        text_at(object_at(item, "error"), "message"),
        text_at(item, "aggregated_output"),
        "\n".join(filter(None, (text_at(item, "stdout"), text_at(item, "stderr")))),
        "\n".join(filter(None, texts)),
    )
    return next(filter(None, said), told or None)
