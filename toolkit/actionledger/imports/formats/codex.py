"""Codex's rollouts: ``~/.codex/sessions/YEAR/MONTH/DAY/rollout-TIME-ID.jsonl``, of the command line and the desktop program.

Defined by ``codex-rs/protocol`` of github.com/openai/codex (``models.rs``, ``protocol.rs``), versions 0.120 to 0.171. A line is ``{timestamp, type,
payload}``. The model's output is in ``response_item`` lines; those between two token counts or results are one response. ``event_msg`` lines repeat
most of it, and add how a call ended (``shapes/codex_items``) and a response's usage. Arguments are the text that the model wrote. A subagent's or a
fork's file begins with a copy of its parent's history.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from actionledger.core.canonical import JsonMap
from actionledger.core.patterns import regex
from actionledger.core.recordings import NO_DETAILS, Compaction, RecordedSession, SessionDetails
from actionledger.core.vocabulary import Capture, LeftOutReason, Relation, TitleOrigin
from actionledger.imports.shapes.codex_items import (
    ENDS,
    Ends,
    ResponseNames,
    above,
    call_of,
    holds_sign,
    parts_of,
    text_of,
    title_of,
)
from actionledger.imports.shapes.codex_results import WORDINGS, result_of, shown_of
from actionledger.imports.shapes.observations import LaterTools
from actionledger.imports.shapes.openai_responses import LATER_TOOLS, thoughts_of
from actionledger.imports.sources.access import non_empty, object_at, text_at, time_at, told as unknown_as
from actionledger.imports.sources.base import Item, LeftOut, Refusal, Sample, Source
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.json_values import json_lines
from actionledger.imports.sources.pieces import SessionPieces
from actionledger.imports.sources.usage import usage_of

Line = JsonMap

_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "web_search_call"})
_RESULTS = frozenset({"function_call_output", "custom_tool_call_output"})
_REPEATED = frozenset(
    {"agent_message", "user_message", "agent_reasoning", "agent_reasoning_raw_content", "web_search_end"}
)
_EVENTS = frozenset(
    {
        "task_started", "task_complete", "context_compacted", "entered_review_mode",
        "exited_review_mode", "sub_agent_activity", "thread_rolled_back", "undo_completed", "error",
        "stream_error", "background_event", "dynamic_tool_call_request", "thread_settings_applied",
    }
)  # fmt: skip
_KINDS = frozenset(
    {
        "session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state", "token_usage_record",
    }
)  # fmt: skip
_HEAD_CHARACTERS = 2000
"""How much of a result is searched for work that goes on after it, in characters."""

_REASON_CHARACTERS = 200
_INCOMPLETE = regex(r"^Incomplete response returned, reason: (\w{1,40})")
_INJECTED = regex(r"\s*(?:<[a-z_]+(?:>|\s)|# AGENTS\.md instructions)")
"""The beginning of a person's message that the client wrote."""

_ENVELOPE = regex(r"Message Type: \w+\nTask name: (?:\S*/)?(\S+)\nSender: [^\n]*\nPayload:\n?")
"""The envelope of another agent's message, which may be encrypted and is then not in the file."""


def read(path: Path, on_read: OnRead | None = None) -> Iterator[Item]:
    """Yield the sessions of a rollout in pieces, usually one, each followed by its skip counts."""
    rollout = _Rollout(path)
    for item in json_lines(path, on_read):
        if isinstance(item, Refusal):
            yield item
            continue
        if rollout.is_over(item[1]):
            yield from rollout.end()
            rollout = _Rollout(path)
        rollout.take(item[1])
        if rollout.pieces and rollout.pieces.is_full():
            yield rollout.pieces.piece()
    yield from rollout.end()


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is a rollout: each line has a time, a kind and a payload."""
    lines = sample.objects
    fitting = [line for line in lines if "timestamp" in line and isinstance(line.get("payload"), dict)]
    is_one = len(fitting) == len(lines) and any(line.get("type") in _KINDS for line in fitting)
    return 1.0 if is_one else 0.0


class _Rollout:
    """The session of one file, with its lines so far."""

    def __init__(self, path: Path) -> None:
        self.pieces: SessionPieces | None = None
        self.left_out: Counter[tuple[LeftOutReason, str]] = Counter()
        self._path = path
        self._name = path.name.split(".jsonl")[0]
        self._names = ResponseNames(self._name)
        self._model = ""
        self._prompt: str | None = None
        self._response: list[tuple[Line, Line]] = []
        self._has_said = False
        self._last = ""
        self._tokens: Any = None
        self._counted = ""
        self._failed = ""
        self._ends = Ends()
        self._tools = LaterTools()

    def is_over(self, line: Line) -> bool:
        """Return whether a line begins another session: the heads of a session's origins come before any message."""
        if line.get("type") != "session_meta":
            return False
        return self._has_said and not self._is_own(object_at(line, "payload"))

    def end(self) -> Iterator[Item]:
        """Yield the last piece, and the skip counts."""
        self.end_response()
        if self.pieces and not self.pieces.is_empty():
            yield self.pieces.piece(is_last=True)
        elif self.pieces and self._failed:
            yield self._session({}).piece(is_last=True)
        elif self.pieces:  # its model and task are those of its first response
            self.left_out[LeftOutReason.EMPTY, "session"] += 1
        for (reason, detail), count in self.left_out.items():
            yield LeftOut(shown(self._path), reason, detail, count)

    def take(self, line: Line) -> None:
        """Add a line."""
        kind, payload = text_at(line, "type"), object_at(line, "payload")
        if kind == "response_item":
            self._take_item(line, payload)
        elif kind == "event_msg":
            self._take_event(payload)
        elif kind == "session_meta":
            self._take_meta(line, payload)
        elif kind == "turn_context":
            self._model = text_at(payload, "model") or self._model
            self._describe(SessionDetails(permission_mode=text_at(payload, "approval_policy")))
        elif kind == "token_usage_record":
            # Give a response its recorded tokens: it is complete, and empty if it has no content.
            response_id, has_items = text_at(payload, "response_id"), bool(self._response)
            self.end_response(response_id)
            if not has_items and response_id and self._last == self._counted:
                self._begin_turn(line, response_id)
                self._has_said = True
            self._counted = self._last
            if self.pieces and self.pieces.has_open(self._last):
                self.pieces.turn(self._last).usage = usage_of(object_at(payload, "usage"))
        elif kind == "compacted":
            self.end_response()
            if self.pieces:
                self.pieces.compact(Compaction())
            self.left_out[LeftOutReason.COMPACTED, "history"] += 1
        else:
            known = kind in _KINDS or kind == "inter_agent_communication_metadata"
            self._count(kind, payload, is_known=known)

    def end_response(self, response_id: str = "") -> None:
        """Make a turn of the model's items since the last response."""
        if not self._response:
            return
        items, self._response = self._response, []
        first = next((item for _, item in items if text_at(item, "type") != "reasoning"), None)
        if first is None and not response_id and any(holds_sign(item) for _, item in items):
            first = items[0][1]
        if first is None and not response_id:  # the file ends here, or only reasoning was recorded
            self.left_out[LeftOutReason.EMPTY, "response"] += 1
            return
        external_id, formerly = (response_id, "") if first is None else self._names.name(first, items[0][0])
        pieces = self._begin_turn(items[0][0], external_id)
        turn = pieces.turn(external_id)
        turn.formerly = turn.formerly or formerly
        there = [*turn.texts, *turn.thoughts, *turn.calls.values()]  # a stream may hold a file twice
        for _, item in items:
            if there and (parts := parts_of(item)) and all(part in there for part in parts):
                self.left_out[LeftOutReason.DUPLICATE, text_at(item, "type")[:40]] += 1
            else:
                self._take_part(pieces, external_id, item)

    def _begin_turn(self, line: Line, external_id: str) -> SessionPieces:
        """Begin a response if it is new, and return its session."""
        pieces, self._last = self._session(line), external_id
        if not pieces.has_open(external_id):
            if pieces.session.details.aborted:
                pieces.describe(NO_DETAILS)
            turn = pieces.turn(external_id)
            turn.occurred_at, turn.model, turn.prompt = time_at(line, "timestamp"), self._model, self._prompt
            turn.tools = self._tools.text
        self._prompt = None
        return pieces

    def _take_meta(self, line: Line, meta: Line) -> None:
        """Add the head of a file: the first is the file's own, a later one that of the copied history after it."""
        self.end_response()
        self._names.take_head(line, meta)
        if self._is_own(meta):
            self._has_said = False
        if self.pieces is not None:
            self.left_out[LeftOutReason.BOOKKEEPING, "session_meta"] += 1
            return
        parent = above(meta) or text_at(meta, "forked_from_id")
        relation = (Relation.SUBAGENT if above(meta) else Relation.FORK) if parent else None
        known = {
            key: text_at(meta, key)
            for key in ("cli_version", "cwd", "originator", "agent_nickname", "agent_role")
        }
        git = object_at(meta, "git")
        if title := title_of(self._path, text_at(meta, "id")):
            known |= {"title": title, "title_source": "index"}
        self._begin(
            RecordedSession(
                self._names.session,
                None,
                "",
                "",
                (),
                metadata=non_empty(known),
                details=SessionDetails(
                    project=known["cwd"],
                    git_branch=text_at(git, "branch"),
                    git_commit=text_at(git, "commit_hash"),
                    agent=SOURCE.name,
                    agent_version=known["cli_version"],
                ),
                source=SOURCE.name,
                parent=parent,
                relation=relation,
                ids="source",
                started_at=time_at(meta, "timestamp"),
            )
        )

    def _describe(self, said: SessionDetails) -> None:
        if self.pieces is not None:
            self.pieces.describe(said)

    def _is_own(self, meta: Line) -> bool:
        return self.pieces is None or text_at(meta, "id") in {"", self.pieces.session.external_id}

    def _begin(self, session: RecordedSession) -> SessionPieces:
        self.pieces = SessionPieces(session, Capture.ARGUMENTS)
        return self.pieces

    def _session(self, line: Line) -> SessionPieces:
        """Return the session; its model and task are those of its first response."""
        pieces = self.pieces or self._begin(
            RecordedSession(
                self._name,
                None,
                "",
                "",
                (),
                source=SOURCE.name,
                ids="source",
                started_at=time_at(line, "timestamp"),
            )
        )
        if not pieces.session.model and not pieces.session.task:
            task = (self._prompt or "").strip().split("\n", 1)[0][:200]
            pieces.session = replace(pieces.session, model=self._model, task=task)
        return pieces

    def _take_item(self, line: Line, item: Line) -> None:
        kind = text_at(item, "type")
        if kind in _CALLS or kind == "reasoning" or (kind == "message" and item.get("role") == "assistant"):
            self._response.append((line, item))
            if kind in _CALLS:
                self._ends.call(call_of(kind, item))
            self._has_said = True
            return
        self.end_response()
        if kind in _RESULTS:
            call_id, output = text_at(item, "call_id"), item.get("output")
            end = self._ends.result(call_id, shown_of(output)[:_HEAD_CHARACTERS])
            self._session(line).result(result_of(call_id, output, end, time_at(line, "timestamp")))
        elif kind == "message":
            self._take_prompt(line, item)
        elif kind == "agent_message":
            self._prompt = text_of(item)
            self._title(line, self._prompt)
        elif kind in LATER_TOOLS:
            if not self._tools.take(item):
                self.left_out[LeftOutReason.BOOKKEEPING, kind] += 1
        else:
            self._count(kind, item, is_known=False)

    def _title(self, line: Line, told: str) -> None:
        """Title a subagent's session with its first message after the copied history, without the envelope."""
        session = self.pieces and self.pieces.session
        if (
            session
            and session.relation is Relation.SUBAGENT
            and not session.details.title
            and not self._names.is_copied(line)
        ):
            sent = _ENVELOPE.match(told)
            words = (told[sent.end() :].strip() or sent[1]) if sent else told
            self._describe(SessionDetails(title=words, title_from=TitleOrigin.PROMPT))

    def _take_prompt(self, line: Line, item: Line) -> None:
        text, role = text_of(item), text_at(item, "role")
        if role != "user" or _INJECTED.match(text):
            self.left_out[LeftOutReason.INJECTED_CONTEXT, role[:40]] += 1
            return
        self._prompt = f"{self._prompt}\n\n{text}" if self._prompt else text
        self._title(line, text)

    def _take_part(self, pieces: SessionPieces, external_id: str, item: Line) -> None:
        kind, turn = text_at(item, "type"), pieces.turn(external_id)
        if kind == "message":
            turn.texts.append(text_of(item))
        elif kind == "reasoning":
            if thoughts := thoughts_of(item):
                turn.thoughts += thoughts
            else:
                self.left_out[LeftOutReason.ENCRYPTED, "reasoning"] += 1
        else:
            pieces.call(external_id, call_of(kind, item))

    def _take_event(self, event: Line) -> None:
        kind = text_at(event, "type")
        if kind == "token_count":
            self._take_tokens(object_at(event, "info"))
        elif kind in ENDS:
            self._ends.event(event)
        elif kind == "item_completed":
            # Add the recorded end of an executed item; other completed items are recorded elsewhere too.
            known = self._ends.item(event)
            if isinstance(known, tuple):
                call_id, late = known
                known = self.pieces is not None and self.pieces.amend(call_id, late)
            if not known:
                self.left_out[LeftOutReason.BOOKKEEPING, "item_completed"] += 1
        elif kind == "task_complete" and (error := text_at(object_at(event, "error"), "message")):
            self.end_response()
            self._failed = error
            found = _INCOMPLETE.search(error)
            if found is None:
                self.left_out[LeftOutReason.NO_RESPONSE, "task_complete"] += 1
            elif self.pieces and self.pieces.has_open(self._last):
                turn = self.pieces.turn(self._last)
                turn.usage = replace(turn.usage, finish_reason=found[1])
            if self.pieces:
                self.pieces.session = replace(self.pieces.session, reason=error[:_REASON_CHARACTERS])
        elif kind == "thread_name_updated":
            self._describe(SessionDetails(title=text_at(event, "thread_name"), title_from=TitleOrigin.AGENT))
        elif kind == "turn_aborted":
            self.end_response()
            self._describe(SessionDetails(aborted=text_at(event, "reason") or "aborted"))
        elif kind in _REPEATED:
            self.left_out[LeftOutReason.DUPLICATE, kind] += 1
        else:
            self._count(kind, event, is_known=kind in _EVENTS)

    def _count(self, kind: str, value: Line, *, is_known: bool) -> None:
        reason = LeftOutReason.BOOKKEEPING if is_known else LeftOutReason.UNKNOWN_KIND
        self.left_out[reason, kind[:40] if is_known else unknown_as(kind, value)] += 1

    def _take_tokens(self, info: Line) -> None:
        """Give a response the token count that comes with it, if the running total says that it is new; zeros follow a compaction."""
        total = info.get("total_token_usage")
        self.end_response()
        is_new, self._tokens = bool(info) and total != self._tokens, total if info else self._tokens
        if not is_new or (self._last and self._counted == self._last):
            return
        last = object_at(info, "last_token_usage")
        is_counted = last.get("input_tokens") != 0 or last.get("output_tokens") != 0
        if is_counted and self.pieces and self.pieces.has_open(self._last):
            self.pieces.turn(self._last).usage = usage_of(last)


_TOOLS = (
    "apply_patch", "exec_command", "list_mcp_resources", "read_mcp_resource", "request_user_input",
    "shell", "shell_command", "spawn_agent", "update_plan", "view_image", "web_search",
    "write_stdin",
)  # fmt: skip
"""The agent's built-in tools."""

SOURCE = Source(
    "codex",
    "Codex",
    Capture.ARGUMENTS,
    read,
    recognise,
    wordings=WORDINGS,
    loses="Thoughts, where they are encrypted; whether a call failed, where no event says how it ended, but for its words; which tools were offered; how long a response took, why it ended, and what it cost.",
    fields=("timestamp", "type", "payload"),
    tools=_TOOLS,
    tested="0.171.0",
)
