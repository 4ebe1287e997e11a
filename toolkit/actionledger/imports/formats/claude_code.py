"""Claude Code's transcripts: ``~/.claude/projects/FOLDER/SESSION.jsonl``, and ``SESSION/subagents/agent-ID.jsonl``.

The format is not published; this reads what versions 2.1.5 to 2.1.332 write. A line is an event. ``assistant`` lines hold the model's messages:
several lines form one message, each with a block of its content, the same ``message.id`` and the same usage. ``user`` lines hold a person's words,
the client's own, or results of calls. A resumed or forked session begins with a copy of its history. A message has its own identifier in every file,
and copied answers name a fork's origin in ``requestSessionId``.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from actionledger.core.canonical import JsonMap
from actionledger.core.patterns import regex
from actionledger.core.recordings import (
    NO_DETAILS,
    Compaction,
    RecordedCall,
    RecordedSession,
    SessionDetails,
    Usage,
)
from actionledger.core.vocabulary import Capture, LeftOutReason, Relation, TitleOrigin
from actionledger.imports.shapes.base import tools_text
from actionledger.imports.shapes.claude_results import WORDINGS, arguments_of, notified, result_of
from actionledger.imports.sources.access import (
    NOTHING,
    count_at,
    hook_of_claude,
    non_empty,
    object_at,
    objects_at,
    text_at,
    time_at,
    told as unknown_as,
    with_hook,
)
from actionledger.imports.sources.base import Item, LeftOut, Refusal, Sample, Source
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.json_values import json_lines
from actionledger.imports.sources.pieces import FileSessions, SessionPieces
from actionledger.imports.sources.usage import usage_of

Line = JsonMap

_SYNTHETIC = "<synthetic>"
_INJECTED = regex(r"\s*(?:<[a-z][\w-]*>|\[Request interrupted by user)")
"""The beginning of a person's line that the client wrote: a tag, or the note of an interruption."""

_TYPED = regex(
    r"\s*<command-message>[^<]*</command-message>\s*<command-name>([^<]*)</command-name>"
    r"(?:\s*<command-args>(.*)</command-args>)?\s*\Z",
    re.DOTALL,
)
"""A command that a person typed for the model, which gets the expanded text in another line; a client command begins with its name."""

_COMMAND = regex(
    r"^<command-name>(/[\w:-]+)</command-name>\s*(?:<command-message>[^<]*</command-message>\s*)?<command-args>\s*([^<]+)"
)
"""A command followed by a person's words, which are the session's task if nothing was said before."""

_INTERRUPTED = "[Request interrupted by user"

_CUT = "Your response above was cut off mid-stream"
_EMPTY = "[Your previous response had no visible output"
"""The client's notes to the model about its last answer, in a person's message: no other line says so."""

_PROGRESS = frozenset({"progress", "queue-operation"})
_KNOWN = frozenset(
    """agent-color agent-name agent-setting ai-title api-request api-request-blob api-request-resumed artifact-autoreact-ledger
    artifact-comment-monitor atis-latch attachment attribution-snapshot bridge-session content-replacement continued-in cost-state
    custom-title data-flow-incomplete data-flow-records derived-from dev-mods ended-by-model file-history-delta file-history-snapshot
    fork-context-ref frame-link history-suppression isolation-latch last-prompt memory-mode mode observer-ref permission-mode pr-link
    relocated resume-head-vouch session-owner summary system tag tools-used worktree-state""".split()  # noqa: SIM905 - a list would be forty lines
)
"""The client's own notes: the kinds of line that the program of 2.1.332 names."""


def read(path: Path, on_read: OnRead | None = None) -> Iterator[Item]:
    """Yield the sessions of a transcript in pieces, then the skip counts."""
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
    """Return the certainty that a sample is a transcript: its messages name their session and their place in its tree."""
    lines = [value for value in sample.values if isinstance(value, dict) and "sessionId" in value]
    if any(
        {"uuid", "parentUuid"} <= line.keys() and "content" in object_at(line, "message") for line in lines
    ):
        return 1.0
    kinds = {text_at(line, "type") for line in sample.values if isinstance(line, dict)}
    return 0.6 if lines and kinds <= _KNOWN | _PROGRESS else 0.0


class _Transcript:
    """The sessions of one file, with its lines so far."""

    def __init__(self, name: str) -> None:
        self._file = name
        self.sessions = FileSessions(Capture.CALLS)
        self.left_out: Counter[tuple[LeftOutReason, str]] = Counter()
        self._prompts: dict[str, str] = {}
        self._sidechains: dict[str, str] = {}
        self._took: tuple[Line, str] = (NOTHING, "")
        self._usage = Usage()
        self._last: dict[str, str] = {}
        self._newest: dict[str, str] = {}
        self._said: dict[str, SessionDetails] = {}
        self._hooks: dict[str, list[str]] = {}
        self._mode = ""
        self._compactions: dict[str, Compaction] = {}
        self._tools: dict[str, str] = {}

    def take(self, line: Line) -> SessionPieces | None:
        """Add a line; return its session if a piece of it is complete."""
        kind = text_at(line, "type")
        if kind == "assistant":
            return self._take_message(line)
        if kind == "user":
            return self._take_answer(line)
        if kind == "attachment" and self._take_attachment(line, object_at(line, "attachment")):
            pass
        elif kind == "system" and text_at(line, "subtype") == "api_error":
            self.left_out[LeftOutReason.NO_RESPONSE, _failure(object_at(line, "error"))] += 1
        elif kind == "system" and text_at(line, "subtype") == "compact_boundary":
            self._compactions[self._name(line)] = _compaction(object_at(line, "compactMetadata"))
            self.left_out[LeftOutReason.BOOKKEEPING, kind] += 1
        elif (said := _details_in(kind, line)) is not None:
            self._describe(line, said)
        elif kind == "api-request-shape":
            self._tools[self._name(line)] = tools_text(object_at(line, "shape").get("tools"))
            self.left_out[LeftOutReason.BOOKKEEPING, kind] += 1
        elif kind in _PROGRESS:
            self.left_out[LeftOutReason.PROGRESS, kind] += 1
        elif kind in _KNOWN:
            self.left_out[LeftOutReason.BOOKKEEPING, kind] += 1
        else:
            self.left_out[LeftOutReason.UNKNOWN_KIND, unknown_as(kind, line)] += 1
        return None

    def _take_attachment(self, line: Line, attachment: Line) -> bool:
        """Add a queued prompt, or a call's hook; return whether the attachment is either."""
        if text_at(attachment, "type") == "queued_command":
            self._prompts[self._name(line)] = text_at(attachment, "prompt")
            return True
        call_id, hook = hook_of_claude(attachment)
        session = self.sessions.there(self._name(line)) if call_id else None
        if session is None or not session.has_call(call_id):
            return False
        if not session.amend(call_id, lambda result: with_hook(result, hook)):
            self._hooks.setdefault(call_id, []).append(hook)
        return True

    def _describe(self, line: Line, said: SessionDetails) -> None:
        """Note information about a session, which may not have begun yet."""
        name = self._name(line)
        self._said[name] = self._said.get(name, NO_DETAILS).then(said)
        if (session := self.sessions.there(name)) is not None:
            session.describe(said)

    def _take_message(self, line: Line) -> SessionPieces | None:
        """Add a block of a message."""
        message = object_at(line, "message")
        if "content" not in message:
            self.left_out[LeftOutReason.UNKNOWN_KIND, unknown_as("assistant", message)] += 1
            return None
        external_id = text_at(message, "id") or text_at(line, "uuid")
        if text_at(message, "model") == _SYNTHETIC:
            if "streamCutCause" in line:
                self._end_broken(line)
            self.left_out[LeftOutReason.MADE_BY_CLIENT, text_at(line, "error")[:40] or "message"] += 1
            return None
        session = self._session(line)
        # A file may begin with a compaction: the first message names its session.
        if self._compactions and (compaction := self._compactions.pop(self._name(line), None)):
            session.compact(compaction)
        is_new = not session.has_open(external_id)
        turn = session.turn(external_id)
        details, branch, version = session.session.details, _branch(line), text_at(line, "version")
        is_new_place = branch not in {"", details.git_branch} or version not in {"", details.agent_version}
        if is_new_place or details.aborted:
            session.describe(SessionDetails(git_branch=branch, agent_version=version))
        # Note a session's origin: a fork has copies of answers, which name the session that requested them.
        known, asked_by = session.session, text_at(line, "requestSessionId")
        if known.relation is not Relation.SUBAGENT and asked_by not in {"", known.external_id}:
            session.session = replace(known, parent=asked_by, relation=Relation.FORK)
        if turn.is_told_again(text_at(line, "uuid"), message):
            self.left_out[LeftOutReason.DUPLICATE, "line"] += 1
            self._prompts.pop(session.session.external_id, None)
            return None
        if is_new:
            turn.occurred_at = time_at(line, "timestamp")
            turn.prompt = self._prompts.pop(session.session.external_id, None)
            turn.tools = self._tools.get(session.session.external_id, "")
        turn.model = text_at(message, "model")
        self._last[session.session.external_id] = self._newest[session.session.external_id] = external_id
        took = (object_at(message, "usage"), text_at(message, "stop_reason"))
        if took != self._took:  # usually each line of a message has the same usage
            self._took, self._usage = took, usage_of(took[0], finish_reason=took[1])
        turn.usage = self._usage
        content = message.get("content")
        if isinstance(content, str):
            turn.texts.append(content)
        for block in objects_at(message, "content"):
            self._take_block(session, external_id, block)
        return session if session.is_full() else None

    def _end_broken(self, line: Line) -> None:
        """Note that the last answer's stream was cut off, though its line says otherwise: its complete calls have already run."""
        session, newest = self._session(line), self._newest.get(self._name(line), "")
        if session.has_open(newest):
            turn = session.turn(newest)
            turn.usage = replace(turn.usage, finish_reason="error")

    def _take_block(self, session: SessionPieces, external_id: str, block: Line) -> None:
        kind = text_at(block, "type")
        turn = session.turn(external_id)
        if kind == "text":
            turn.texts.append(text_at(block, "text"))
        elif kind in {"thinking", "redacted_thinking"}:
            if thought := text_at(block, "thinking"):
                turn.thoughts.append(thought)
            else:
                self.left_out[LeftOutReason.ENCRYPTED, "thinking"] += 1
        elif kind in {"tool_use", "server_tool_use"}:
            arguments = arguments_of(block.get("input"))
            session.call(external_id, RecordedCall(text_at(block, "id"), text_at(block, "name"), arguments))
        else:
            self.left_out[LeftOutReason.UNKNOWN_KIND, unknown_as(kind, block)] += 1

    def _take_answer(self, line: Line) -> SessionPieces | None:
        """Add an answer of a person, the client or a tool."""
        if line.get("isCompactSummary") is True:
            self.left_out[LeftOutReason.COMPACTED, "summary"] += 1
            return None
        message, is_meta = object_at(line, "message"), line.get("isMeta") is True
        self._mode = text_at(line, "permissionMode") or self._mode
        content = message.get("content")
        if isinstance(content, str):
            self._take_prompt(line, content, is_meta=is_meta)
        session = None
        for block in objects_at(message, "content"):
            kind = text_at(block, "type")
            if kind == "tool_result":
                session = self._session(line)
                result = result_of(line, block, self._mode)
                for hook in self._hooks.pop(result.call_id, ()) if self._hooks else ():
                    result = with_hook(result, hook)
                session.result(result)
                self._last.pop(session.session.external_id, None)
            elif kind == "text":
                self._take_prompt(line, text_at(block, "text"), is_meta=is_meta)
            else:
                self.left_out[LeftOutReason.NO_TEXT, kind[:40]] += 1
        return session if session and session.is_full() else None

    def _take_prompt(self, line: Line, text: str, *, is_meta: bool) -> None:
        if is_meta:
            self._take_note(line, text)
        elif text.startswith("<task-notification>"):
            self._take_notice(line, text)
        command = None if is_meta else _TYPED.match(text)
        if command is not None:
            text = " ".join(filter(None, map(str.strip, command.groups(""))))
        elif is_meta or _INJECTED.match(text):
            self.left_out[LeftOutReason.INJECTED_CONTEXT, "user"] += 1
            if text.startswith(_INTERRUPTED):
                self._describe(line, SessionDetails(aborted="interrupted by user"))
            elif (command := _COMMAND.search(text)) and not self._said.get(
                self._name(line), NO_DETAILS
            ).title:
                words = f"{command[1]} {command[2]}"
                self._describe(line, SessionDetails(title=words, title_from=TitleOrigin.PROMPT))
            return
        name = self._name(line)
        self._last.pop(name, None)
        before = self._prompts.get(name)
        self._prompts[name] = f"{before}\n\n{text}" if before else text

    def _take_note(self, line: Line, text: str) -> None:
        """Add a note of the client about the last answer: that its stream was cut off, or that it was empty."""
        if not text.startswith((_CUT, _EMPTY)):
            return
        session, name = self._session(line), self._name(line)
        last = self._last.pop(name, "")
        if text.startswith(_CUT) and session.has_open(last):
            turn = session.turn(last)
            turn.usage = replace(turn.usage, finish_reason="error")
        elif text.startswith(_EMPTY) and not last:
            turn = session.turn(text_at(line, "uuid"))
            turn.occurred_at = time_at(line, "timestamp")
            turn.prompt = self._prompts.pop(name, None)

    def _take_notice(self, line: Line, text: str) -> None:
        """Add the result of a background task, whose call had its own result long before."""
        if (found := notified(text)) is not None:
            self._session(line).amend(*found)

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
            metadata=non_empty(known),
            details=SessionDetails(
                project=known["cwd"],
                git_branch=_branch(line),
                agent=SOURCE.name,
                agent_version=known["version"],
            ).then(self._said.get(name, NO_DETAILS)),
            source=SOURCE.name,
            parent=parent if is_child else "",
            relation=Relation.SUBAGENT if is_child else None,
            labels=("compaction",) if text_at(line, "agentId").startswith("acompact-") else (),
            ids="source",
        )

    def _name(self, line: Line) -> str:
        """Return the name of a line's session; a subagent's is below its parent's."""
        session, agent = text_at(line, "sessionId") or self._file, text_at(line, "agentId")
        if not agent and line.get("isSidechain") is True:
            own, parent = text_at(line, "uuid"), text_at(line, "parentUuid")
            agent = self._sidechains[own] = self._sidechains.get(parent, own)
        return f"{session}/{agent}" if agent else session


def _branch(line: Line) -> str:
    """Return the checked-out branch; empty outside a repository, or without a branch."""
    name = text_at(line, "gitBranch")
    return "" if name == "HEAD" else name


def _compaction(said: Line) -> Compaction:
    return Compaction(
        trigger=text_at(said, "trigger"),
        tokens_before=count_at(said, "preTokens"),
        tokens_after=count_at(said, "postTokens"),
    )


def _details_in(kind: str, line: Line) -> SessionDetails | None:
    """Return a client note's information about its session; None if it has none."""
    if kind == "ai-title" and (title := text_at(line, "aiTitle")):
        return SessionDetails(title=title, title_from=TitleOrigin.AGENT)
    if kind == "custom-title" and (title := text_at(line, "customTitle")):
        return SessionDetails(title=title, title_from=TitleOrigin.PERSON)
    if kind == "pr-link" and (address := text_at(line, "prUrl")):
        return SessionDetails(pull_requests=(address,))
    if kind == "permission-mode" and (mode := text_at(line, "permissionMode")):
        return SessionDetails(permission_mode=mode)
    return None


def _failure(error: Line) -> str:
    """Return a failed request's error: a status, or a connection's error code."""
    said = error.get("status") or text_at(object_at(error, "connection"), "code")
    return f"api_error {said}".strip()[:40]


_TOOLS = (
    "Agent", "AskUserQuestion", "Bash", "BashOutput", "Edit", "ExitPlanMode", "Glob", "Grep",
    "KillShell", "LS", "MultiEdit", "NotebookEdit", "Read", "Skill", "SlashCommand", "Task",
    "TodoWrite", "WebFetch", "WebSearch", "Write",
)  # fmt: skip
"""The agent's built-in tools."""

SOURCE = Source(
    "claude_code",
    "Claude Code",
    Capture.CALLS,
    read,
    recognise,
    wordings=WORDINGS,
    loses="The raw response: calls are parsed, so how they were written can't be audited; which tools were offered before 2.1.332, and those that a search finds; how long a response took, and what it cost; escapes of letters in arguments (`\\u00e9`), in whose place it puts the letters before it runs a call.",
    fields=("sessionId", "uuid", "parentUuid", "message"),
    tools=_TOOLS,
    tested="2.1.332",
)
