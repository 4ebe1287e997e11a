"""Kimi Code's sessions: ``~/.kimi-code/sessions/WORKSPACE/SESSION/agents/AGENT/wire.jsonl``, with ``state.json`` two folders above.

Defined by MoonshotAI/kimi-code; 2.1.0 was run (wire protocol 1.5; 1.4 is read as well). A step of the loop is one response: its parts, its calls and
their results, and at its end the usage. Calls are parsed there; since 1.5 each message comes again after its turn, with arguments as the model wrote
them. Subagents have files of their own.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from actionledger.core.canonical import JsonMap, json_text
from actionledger.core.patterns import regex
from actionledger.core.recordings import (
    NO_DETAILS,
    Permission,
    RecordedCall,
    RecordedResult,
    RecordedSession,
    SessionDetails,
    Usage,
)
from actionledger.core.vocabulary import Capture, ExecutionStatus, LeftOutReason, Reason, Relation
from actionledger.imports.shapes.base import Message, Passed, left_out, plain, since_epoch, texts_of, total
from actionledger.imports.sources.access import (
    NOTHING,
    count_at,
    exit_status_of,
    given_arguments,
    non_empty,
    number_at,
    object_at,
    objects_at,
    text_at,
    told as unknown_as,
)
from actionledger.imports.sources.base import Item, Refusal, Sample, Source, Wording, seen
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.json_values import json_lines
from actionledger.imports.sources.pieces import OpenTurn, SessionPieces

NAME = "kimi_code"

_EXITED = regex(r"Command failed with exit code: (\d{1,10})\.?\s*\Z")
_MOST = 2**20
_LONGEST_TURN = 1024
"""How many steps of a turn are kept open: calls as they were written come at the turn's end."""
_ENDS = {"timed_out": ExecutionStatus.TIMED_OUT, "killed": ExecutionStatus.INTERRUPTED}

_KNOWN = ("config.", "cron.", "file_history.", "goal.", "hook.", "mcp.", "plan.", "profile.", "runtime.", "skill.", "subagent.", "task.", "todo.", "token_counting.", "tools.")  # fmt: skip
"""The prefixes of the client's own notes."""

_NOTES = dict.fromkeys(
    (
        "agent.turn.ended", "agent.turn.started", "context.clear", "context.undo",
        "plugin.session_start", "prompt.completed", "turn.ended", "turn.step.interrupted", "turn.step.retrying", "usage.record",
    ),
    LeftOutReason.BOOKKEEPING,
) | {"context.apply_compaction": LeftOutReason.COMPACTED}  # fmt: skip

_WORDINGS = seen(
    "2.1.0",
    "2.1.0",
    (
        Wording(
            r'^(?:unknown tool: |Tool "[^"\n]{1,200}" not found)',
            Reason.UNKNOWN_ACTION,
            'Tool "teleport" not found',
        ),
        Wording(
            r'^Invalid args for tool "',
            Reason.SCHEMA_ERROR,
            "Invalid args for tool \"Bash\": must have required property 'command'",
        ),
        Wording(r"^old_string not found in ", Reason.NO_MATCH, "old_string not found in /home/ada/x"),
        Wording(
            r"^old_string (?:is not unique|appears \d+ times)",
            Reason.SEVERAL_MATCHES,
            "old_string is not unique in x",
        ),
        Wording(r'^"[^"\n]{1,500}" does not exist\.', Reason.NOT_FOUND, '"/home/ada/x" does not exist.'),
    ),
)


@dataclass(slots=True)
class _Wire:
    """A file while its lines come in."""

    session: SessionPieces
    model: str = ""
    tools: str = ""
    prompts: list[str] = field(default_factory=list)
    took: Usage = field(default_factory=Usage)
    """The usage of the response that comes next: of a step that was killed it stands nowhere else."""
    steps: dict[str, str] = field(default_factory=dict)
    decided: dict[str, Permission] = field(default_factory=dict)
    passed: Passed = field(default_factory=Passed)


def read(path: Path, on_read: OnRead | None = None) -> Iterator[Item]:
    """Yield the session of a file in pieces, then the skip counts."""
    wire = _Wire(SessionPieces(_begun(path), Capture.CALLS, _LONGEST_TURN))
    for item in json_lines(path, on_read):
        if isinstance(item, Refusal):
            yield item
            continue
        _take(wire, item[1])
        if wire.session.is_full():
            yield wire.session.piece()
    if not wire.session.is_empty():
        yield wire.session.piece(is_last=True)
    yield from left_out(shown(path), wire.passed)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is a session: its first line names the wire's protocol, and others are events of a loop."""
    lines = sample.objects
    if not lines or lines[0].get("type") != "metadata" or "protocol_version" not in lines[0]:
        return 0.0
    return 1.0 if any("time" in line and "." in text_at(line, "type") for line in lines[1:]) else 0.5


def _take(wire: _Wire, line: JsonMap) -> None:
    kind = text_at(line, "type")
    if kind == "context.append_loop_event":
        _take_event(wire, line, object_at(line, "event"))
    elif kind in {"turn.prompt", "turn.steer"}:
        _take_words(wire, line)
    elif kind == "agent.message.appended":
        _take_written(wire, object_at(line, "message"))
    elif kind == "llm.request":
        wire.model = text_at(line, "model") or wire.model
        is_again = bool(text_at(line, "attempt"))
        wire.passed[LeftOutReason.NO_RESPONSE if is_again else LeftOutReason.BOOKKEEPING, kind] += 1
    elif kind == "llm.tools_snapshot":
        # The offered tools, in the form of OpenAI's interface.
        offered = [
            {
                "type": "function",
                "function": {key: tool[key] for key in ("name", "description", "parameters") if key in tool},
            }
            for tool in objects_at(line, "tools")
            if text_at(tool, "name")
        ]
        wire.tools = json_text(offered) if offered else ""
        wire.passed[LeftOutReason.BOOKKEEPING, kind] += 1
    elif kind == "context.append_message":
        is_said = text_at(object_at(object_at(line, "message"), "origin"), "kind") in {
            "user",
            "system_trigger",
        }
        wire.passed[LeftOutReason.DUPLICATE if is_said else LeftOutReason.INJECTED_CONTEXT, kind] += 1
    elif kind == "metadata":
        wire.session.session = _of_version(wire.session.session, text_at(line, "protocol_version"))
        wire.passed[LeftOutReason.BOOKKEEPING, kind] += 1
    elif kind == "permission.record_approval_result":
        decision = text_at(object_at(line, "result"), "decision")
        is_refused = decision in {"rejected", "denied", "reject"}
        if is_refused or decision.startswith(("approve", "accept", "allow")):
            said = Permission("refused" if is_refused else "allowed", "person", decision)
            wire.decided[text_at(line, "toolCallId")] = said
    elif kind in {"turn.cancel", "permission.set_mode"}:
        aborted = kind if kind == "turn.cancel" else wire.session.session.details.aborted
        wire.session.describe(SessionDetails(permission_mode=text_at(line, "mode"), aborted=aborted))
        wire.passed[LeftOutReason.BOOKKEEPING, kind] += 1
    elif kind == "usage.record" and text_at(line, "usageScope") == "turn":
        wire.took = _counted(object_at(line, "usage"))
        wire.passed[LeftOutReason.BOOKKEEPING, kind] += 1
    elif kind == "task.terminated":
        _take_end(wire, object_at(line, "info"))
        wire.passed[LeftOutReason.BOOKKEEPING, kind] += 1
    elif kind in _NOTES or kind.startswith(_KNOWN):
        wire.passed[_NOTES.get(kind, LeftOutReason.BOOKKEEPING), kind[:40]] += 1
    else:
        wire.passed[LeftOutReason.UNKNOWN_KIND, unknown_as(kind, line)] += 1


def _of_version(session: RecordedSession, version: str) -> RecordedSession:
    """Return a session with its version of the wire's protocol."""
    return (
        replace(session, metadata={**session.metadata, "protocol_version": version}) if version else session
    )


def _take_event(wire: _Wire, line: JsonMap, event: JsonMap) -> None:
    """Add an event of the loop: a part of a response, a call, a result, or the end of a step."""
    kind = text_at(event, "type")
    if kind == "content.part":
        turn, part = _turn(wire, line, text_at(event, "stepUuid")), object_at(event, "part")
        said, thought = text_at(part, "text"), text_at(part, "think")
        turn.texts += [said] if said else []
        turn.thoughts += [thought] if thought else []
        if not said and not thought:
            wire.passed[LeftOutReason.NO_TEXT, text_at(part, "type")[:40]] += 1
    elif kind == "tool.call":
        turn, given = _turn(wire, line, text_at(event, "stepUuid")), event.get("args")
        arguments = given_arguments(given)
        wire.session.call(
            turn.external_id, RecordedCall(text_at(event, "toolCallId"), text_at(event, "name"), arguments)
        )
    elif kind == "tool.result":
        wire.session.result(_result(line, event, wire.decided.get(text_at(event, "toolCallId"))))
    elif kind == "step.end" and not wire.session.has_open(text_at(event, "uuid")) and "usage" not in event:
        wire.passed[LeftOutReason.NO_RESPONSE, kind] += 1
    elif kind == "step.end":
        turn = _turn(wire, line, text_at(event, "uuid"))
        first, streamed = number_at(event, "llmFirstTokenLatencyMs"), number_at(event, "llmStreamDurationMs")
        turn.usage = replace(
            _counted(object_at(event, "usage")) if "usage" in event else turn.usage,
            latency_ms=None if first is None or streamed is None else first + streamed,
            time_to_first_token_ms=first,
            finish_reason=(text_at(event, "rawFinishReason") or text_at(event, "finishReason"))[:80],
        )
        wire.steps[text_at(event, "messageId")] = turn.external_id
    elif kind == "step.begin":
        wire.took = Usage()
    else:
        wire.passed[LeftOutReason.UNKNOWN_KIND, unknown_as(f"loop {kind}", event)] += 1


def _counted(took: JsonMap) -> Usage:
    read, written = count_at(took, "inputCacheRead"), count_at(took, "inputCacheCreation")
    return Usage(
        input_tokens=total(count_at(took, "inputOther"), read, written),
        output_tokens=count_at(took, "output"),
        cached_tokens=read,
        cache_write_tokens=written,
    )


def _turn(wire: _Wire, line: JsonMap, step: str) -> OpenTurn:
    is_new = not wire.session.has_open(step)
    turn = wire.session.turn(step)
    if is_new:
        wire.session.describe(NO_DETAILS)  # it continues after a cancellation
        turn.occurred_at = since_epoch(line.get("time"))
        turn.prompt = "\n\n".join(wire.prompts) or None
        wire.prompts.clear()
        turn.model, turn.tools, turn.usage = wire.model, wire.tools, wire.took
        if not wire.session.session.model:
            wire.session.session = replace(wire.session.session, model=wire.model)
    return turn


def _take_words(wire: _Wire, line: JsonMap) -> None:
    said = Message("person")
    texts_of(said, line.get("input"))
    wire.passed.update(said.passed)
    if not said.text:
        return
    wire.prompts.append(said.text)
    if not wire.session.session.task:
        task = said.text.strip().split("\n", 1)[0][:200]
        wire.session.session = replace(wire.session.session, task=task)


def _take_written(wire: _Wire, appended: JsonMap) -> None:
    """Add a message as it was written: only it has the arguments of its calls as text."""
    step = wire.steps.pop(text_at(object_at(appended, "meta"), "messageId"), "")
    written = {
        text_at(call, "id"): call["arguments"]
        for call in objects_at(object_at(appended, "message"), "toolCalls")
        if isinstance(call.get("arguments"), str)
    }
    wire.passed[LeftOutReason.DUPLICATE, "agent.message.appended"] += 1
    if not step or not written or not wire.session.has_open(step):
        return
    turn = wire.session.turn(step)
    if all(call.call_id in written for call in turn.calls.values()):
        turn.capture = Capture.ARGUMENTS
        turn.calls = {
            name: replace(call, arguments=written[call.call_id]) for name, call in turn.calls.items()
        }


def _result(line: JsonMap, event: JsonMap, decided: Permission | None) -> RecordedResult:
    came = object_at(event, "result")
    output, is_error = plain(came.get("output")), came.get("isError") is True
    exited = _EXITED.search(output[-100:]) if is_error and isinstance(output, str) else None
    return RecordedResult(
        text_at(event, "toolCallId"),
        output,
        is_error=is_error,
        exit_status=exit_status_of(int(exited[1])) if exited else None,
        duration_ms=number_at(came, "durationMs"),
        refused_by="person" if decided is not None and decided.decision == "refused" else "",
        finished_at=since_epoch(line.get("time")),
        permission=decided,
    )


def _take_end(wire: _Wire, info: JsonMap) -> None:
    """Add how a command in the background ended to its call's result, which came when it began."""
    code, status = exit_status_of(info.get("exitCode")), _ENDS.get(text_at(info, "status"))
    if code or status is not None:
        wire.session.amend(
            text_at(info, "parentToolCallId"),
            lambda result: replace(result, is_error=True, exit_status=code, status=status),
        )


def _begun(path: Path) -> RecordedSession:
    """Return the beginning of a session, from its folder's name and its state file."""
    is_in_place = path.name.startswith("wire.jsonl") and path.parent.parent.name == "agents"
    folder, agent = path.parent.parent.parent, path.parent.name
    own = folder.name if is_in_place else path.name.split(".jsonl")[0]
    state = _state(folder / "state.json") if is_in_place else NOTHING
    is_child = is_in_place and agent != "main"
    above = text_at(object_at(object_at(state, "agents"), agent), "parentAgentId")
    title, origin = text_at(state, "title"), text_at(state, "forkedFrom")
    known = {
        "cwd": text_at(state, "cwd"),
        "title": title,
        "title_source": ("user" if state.get("isCustomTitle") is True else "auto") if title else "",
        "agent_type": text_at(
            object_at(object_at(object_at(state, "agents"), agent), "labels"), "profileName"
        ),
    }
    return RecordedSession(
        f"{own}/{agent}" if is_child else own,
        None,
        "",
        "",
        (),
        metadata=non_empty(known),
        source=NAME,
        parent=(own if above in {"", "main"} else f"{own}/{above}") if is_child else origin,
        relation=Relation.SUBAGENT if is_child else Relation.FORK if origin else None,
        ids="source",
    )


def _state(path: Path) -> JsonMap:
    try:
        told = json.loads(path.read_bytes()[:_MOST]) if path.is_file() else {}
    except (OSError, ValueError, RecursionError):
        return NOTHING
    return told if isinstance(told, dict) else NOTHING


_TOOLS = (
    "Agent", "AgentSwarm", "AskUserQuestion", "Bash", "CronCreate", "CronDelete", "CronList", "Edit", "EnterPlanMode", "ExitPlanMode",
    "FetchURL", "Glob", "Grep", "Read", "ReadMediaFile", "Skill", "TaskList", "TaskOutput", "TaskStop", "TodoList", "WebSearch",
    "Write",
)  # fmt: skip
"""The agent's built-in tools."""

SOURCE = Source(
    NAME,
    "Kimi Code",
    Capture.ARGUMENTS,
    read,
    recognise,
    patterns=("wire.jsonl", "*.jsonl", "*.jsonl.gz"),
    wordings=_WORDINGS,
    loses="The text of calls before protocol 1.5, and of a turn that was not over; tries that broke off, but for their number; what a compaction took.",
    fields=("type", "time"),
    other_fields=(("type", "protocol_version", "created_at"),),
    tools=_TOOLS,
    tested="1.5",
)
