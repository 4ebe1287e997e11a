"""Claude Code's transcripts: ``~/.claude/projects/FOLDER/SESSION.jsonl``, and ``SESSION/subagents/agent-ID.jsonl``.

Nobody publishes the format; this is what versions 2.1.5 to 2.1.178 write. A line is an event. What counts: ``assistant`` lines,
several of which are one message of the model (a block of its content each, with the same ``message.id`` and the same usage), and
``user`` lines, which hold what a person wrote, what the client put in their place, or the results of calls. Sessions that are
resumed or forked begin with a copy of what came before: a message is known by its own identifier in every file.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from actionledger.sources.access import (
    NOTHING,
    exit_status_of,
    number_at,
    object_at,
    objects_at,
    text_at,
    time_at,
)
from actionledger.sources.base import (
    Item,
    LeftOut,
    RecordedCall,
    RecordedResult,
    RecordedSession,
    Refusal,
    Sample,
    Source,
    Usage,
    Wording,
)
from actionledger.sources.containers import OnRead, shown
from actionledger.sources.lines import json_lines
from actionledger.sources.pieces import FileSessions, OpenTurn, SessionPieces
from actionledger.sources.usage import usage_of
from actionledger.vocabulary import Capture, ExecutionStatus, LeftOutReason, Reason, Relation

Line = Mapping[str, Any]

_SYNTHETIC = "<synthetic>"
_INJECTED = re.compile(r"\s*(?:<[a-z][\w-]*>|\[Request interrupted by user)")
"""What a person's line begins with where the client has written it: a tag, or the note that a person broke in."""

_EXIT = re.compile(r"Exit code (-?\d{1,10})\b")
_BY_PERSON = re.compile(r"The user doesn't want to (?:proceed with|take) this")
_BY_POLICY = re.compile(
    r"Permission for this action was denied|Permission to use \S+ .{0,200}has been denied"
)
_BY_HOOK = re.compile(r"\S+ hook (?:error|blocked)|Hook \S+ (?:denied|blocked)")
_REFUSERS: tuple[tuple[Literal["person", "policy", "hook"], re.Pattern[str]], ...] = (
    ("person", _BY_PERSON),
    ("policy", _BY_POLICY),
    ("hook", _BY_HOOK),
)

_PROGRESS = frozenset({"progress", "queue-operation"})
_KNOWN = frozenset(
    {
        "system", "attachment", "file-history-snapshot", "file-history-delta", "summary", "pr-link", "last-prompt",
        "mode", "permission-mode", "ai-title", "custom-title", "agent-name", "bridge-session",
    }
)  # fmt: skip
"""The client's own notes."""

_DURATIONS = (("durationMs", 1.0), ("totalDurationMs", 1.0), ("durationSeconds", 1000.0))

WORDINGS = (
    Wording(
        r"^(?:<tool_use_error>)?File content \(\d+ tokens\) exceeds maximum allowed tokens",
        Reason.CONTEXT_LIMIT,
        "File content (31125 tokens) exceeds maximum allowed tokens (25000).",
    ),
    Wording(
        r'^Working directory ".*" was deleted',
        Reason.NOT_FOUND,
        'Working directory "/home/ada/work" was deleted; shell cwd recovered to "/home/ada".',
    ),
    Wording(
        r"^(?:<tool_use_error>)?String to replace not found in file",
        Reason.NO_MATCH,
        "<tool_use_error>String to replace not found in file.\nString: a</tool_use_error>",
    ),
)


def read(path: Path, on_read: OnRead | None = None) -> Iterator[Item]:
    """Yield the sessions of a transcript in pieces, then what was passed over.

    Args:
        path: the file, plain or gzipped; ``-`` for the standard input.
        on_read: is told how far it is read.

    Raises:
        SourceError: the file can't be opened.
    """
    transcript = _Transcript(path.name.split(".jsonl")[0])
    for item in json_lines(path, on_read):
        if isinstance(item, Refusal):
            yield item
            continue
        if full := transcript.take(item[1]):
            yield full.piece()
        if transcript.sessions.is_crowded():
            yield transcript.sessions.let_go()
    yield from transcript.sessions.end()
    for (reason, detail), count in transcript.left_out.items():
        yield LeftOut(shown(path), reason, detail, count)


def recognise(sample: Sample) -> float:
    """Return how sure it is that a sample is a transcript: its messages name their session and their place in its tree."""
    lines = [value for value in sample.values if isinstance(value, dict) and "sessionId" in value]
    if any(
        {"uuid", "parentUuid"} <= line.keys() and "content" in object_at(line, "message") for line in lines
    ):
        return 1.0
    kinds = {line.get("type") for line in sample.values if isinstance(line, dict)}
    return 0.6 if lines and kinds <= _KNOWN | _PROGRESS else 0.0


class _Transcript:
    """The sessions of one file, as far as its lines have come."""

    def __init__(self, name: str) -> None:
        self._file = name
        self.sessions = FileSessions(Capture.CALLS)
        self.left_out: Counter[tuple[LeftOutReason, str]] = Counter()
        self._prompts: dict[str, str] = {}
        self._sidechains: dict[str, str] = {}
        self._took: tuple[Line, str] = (NOTHING, "")
        self._usage = Usage()

    def take(self, line: Line) -> SessionPieces | None:
        """Take in a line; return the session, if it is time to give a piece of it away."""
        kind = text_at(line, "type")
        if kind == "assistant":
            return self._take_message(line)
        if kind == "user":
            return self._take_answer(line)
        if kind == "attachment" and text_at(object_at(line, "attachment"), "type") == "queued_command":
            self._prompts[self._name(line)] = text_at(object_at(line, "attachment"), "prompt")
        elif kind in _PROGRESS:
            self.left_out[LeftOutReason.PROGRESS, kind] += 1
        elif kind in _KNOWN:
            self.left_out[LeftOutReason.BOOKKEEPING, kind] += 1
        else:
            self.left_out[LeftOutReason.UNKNOWN_KIND, kind[:40]] += 1
        return None

    def _take_message(self, line: Line) -> SessionPieces | None:
        """Take in a block of a message."""
        message = object_at(line, "message")
        external_id = text_at(message, "id") or text_at(line, "uuid")
        if text_at(message, "model") == _SYNTHETIC:
            self.left_out[LeftOutReason.MADE_BY_CLIENT, text_at(line, "error")[:40] or "message"] += 1
            return None
        session = self._session(line)
        is_new = not session.has_open(external_id)
        turn = session.turn(external_id)
        if turn.is_told_again(text_at(line, "uuid"), message):
            self.left_out[LeftOutReason.DUPLICATE, "line"] += 1
            self._prompts.pop(session.session.external_id, None)
            return None
        if is_new:
            turn.occurred_at = time_at(line, "timestamp")
            turn.prompt = self._prompts.pop(session.session.external_id, None)
        turn.model = text_at(message, "model")
        took = (object_at(message, "usage"), text_at(message, "stop_reason"))
        if took != self._took:  # as a rule each line of a message says the same
            self._took, self._usage = took, usage_of(took[0], finish_reason=took[1])
        turn.usage = self._usage
        content = message.get("content")
        if isinstance(content, str):
            turn.texts.append(content)
        for block in objects_at(message, "content"):
            self._take_block(session, external_id, block)
        return session if session.is_full() else None

    def _take_block(self, session: SessionPieces, external_id: str, block: Line) -> None:
        kind = text_at(block, "type")
        turn = session.turn(external_id)
        if kind == "text":
            turn.texts.append(text_at(block, "text"))
        elif kind in {"thinking", "redacted_thinking"}:
            self._take_thought(turn, text_at(block, "thinking"))
        elif kind in {"tool_use", "server_tool_use"}:
            given = block.get("input")
            arguments = given if isinstance(given, dict | str) else {}
            session.call(external_id, RecordedCall(text_at(block, "id"), text_at(block, "name"), arguments))
        else:
            self.left_out[LeftOutReason.UNKNOWN_KIND, kind[:40]] += 1

    def _take_thought(self, turn: OpenTurn, thought: str) -> None:
        if not thought:
            self.left_out[LeftOutReason.ENCRYPTED, "thinking"] += 1
        else:
            turn.thoughts.append(thought)

    def _take_answer(self, line: Line) -> SessionPieces | None:
        """Take in what a person, the client or a tool has answered."""
        if line.get("isCompactSummary") is True:
            self.left_out[LeftOutReason.COMPACTED, "summary"] += 1
            return None
        message, is_meta = object_at(line, "message"), line.get("isMeta") is True
        content = message.get("content")
        if isinstance(content, str):
            self._take_prompt(line, content, is_meta=is_meta)
        session = None
        for block in objects_at(message, "content"):
            kind = text_at(block, "type")
            if kind == "tool_result":
                session = self._session(line)
                session.result(_result(line, block))
            elif kind == "text":
                self._take_prompt(line, text_at(block, "text"), is_meta=is_meta)
            else:
                self.left_out[LeftOutReason.NO_TEXT, kind[:40]] += 1
        return session if session and session.is_full() else None

    def _take_prompt(self, line: Line, text: str, *, is_meta: bool) -> None:
        if is_meta or _INJECTED.match(text):
            self.left_out[LeftOutReason.INJECTED_CONTEXT, "user"] += 1
            return
        name = self._name(line)
        before = self._prompts.get(name)
        self._prompts[name] = f"{before}\n\n{text}" if before else text

    def _session(self, line: Line) -> SessionPieces:
        name = self._name(line)
        return self.sessions.get(name, lambda: self._begun(name, line))

    def _begun(self, name: str, line: Line) -> RecordedSession:
        parent = text_at(line, "sessionId") or self._file
        is_child = name != parent
        known = {key: text_at(line, key) for key in ("version", "cwd", "gitBranch", "entrypoint", "slug")}
        return RecordedSession(
            name,
            None,
            text_at(object_at(line, "message"), "model"),
            self._prompts.get(name, "").strip().split("\n", 1)[0][:200],
            (),
            metadata={key: value for key, value in known.items() if value},
            source=SOURCE.name,
            parent=parent if is_child else "",
            relation=Relation.SUBAGENT if is_child else None,
            labels=("compaction",) if text_at(line, "agentId").startswith("acompact-") else (),
            ids="source",
        )

    def _name(self, line: Line) -> str:
        """Return the name of a line's session; a sub-agent's has its own below that of its parent."""
        session, agent = text_at(line, "sessionId") or self._file, text_at(line, "agentId")
        if not agent and line.get("isSidechain") is True:
            own, parent = text_at(line, "uuid"), text_at(line, "parentUuid")
            agent = self._sidechains[own] = self._sidechains.get(parent, own)
        return f"{session}/{agent}" if agent else session


def _result(line: Line, block: Line) -> RecordedResult:
    """Return what a line says of a call: the text for the model, and what the client knows beside it."""
    output = block.get("content")
    parts = [text_at(part, "text") for part in objects_at(block, "content")]
    text = output if isinstance(output, str) else "\n".join(filter(None, parts))
    is_error = block.get("is_error") is True
    known = line.get("toolUseResult")
    known = known if isinstance(known, dict) else NOTHING
    exited = _EXIT.match(text) if is_error else None
    was_stopped = known.get("interrupted") is True
    times = (each * unit for key, unit in _DURATIONS if (each := number_at(known, key)) is not None)
    refusers = (who for who, words in _REFUSERS if is_error and words.match(text))
    return RecordedResult(
        text_at(block, "tool_use_id"),
        text or output,
        is_error=is_error,
        status=ExecutionStatus.INTERRUPTED if was_stopped else None,
        exit_status=exit_status_of(int(exited[1])) if exited else None,
        duration_ms=next(times, None),
        refused_by=next(refusers, ""),
        finished_at=time_at(line, "timestamp"),
    )


_TOOLS = (
    "Agent", "AskUserQuestion", "Bash", "BashOutput", "Edit", "ExitPlanMode", "Glob", "Grep",
    "KillShell", "LS", "MultiEdit", "NotebookEdit", "Read", "Skill", "SlashCommand", "Task",
    "TodoWrite", "WebFetch", "WebSearch", "Write",
)  # fmt: skip
"""The tools that it brings."""

SOURCE = Source(
    "claude_code",
    "Claude Code",
    Capture.CALLS,
    read,
    recognise,
    wordings=WORDINGS,
    loses="The raw response: calls are parsed, so how they were written can't be audited; which tools were offered; how long a response took, and what it cost.",
    fields=("sessionId", "uuid", "parentUuid", "message"),
    tools=_TOOLS,
)
