"""Letta Code's local conversations: ``~/.letta/lc-local-backend/conversations/NAME/messages.jsonl``, a message of pi's engine a line.

Defined by letta-ai/letta-code (``LocalStore``); 0.25.9 was run. Times of users' messages and of results are counted, a second each from the first of January
2026 on; an answer's own time is real. ``isError`` is false of most that failed: the words of a result tell more.
"""

from base64 import urlsafe_b64encode
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from actionledger.core.canonical import JsonMap
from actionledger.core.ids import derived_id
from actionledger.core.patterns import regex
from actionledger.core.recordings import Compaction, RecordedResult, RecordedSession, SessionDetails, Usage
from actionledger.core.vocabulary import Capture, LeftOutReason, Relation
from actionledger.imports.shapes import framework_messages, pi_messages
from actionledger.imports.shapes.base import Message, left_out
from actionledger.imports.shapes.conversation import MessageTurns
from actionledger.imports.sources.access import exit_status_of, non_empty, object_at, objects_at, text_at
from actionledger.imports.sources.base import Item, Refusal, Sample, Source
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.json_values import json_lines

NAME = "letta_code"

_EXITED = regex(r"Exit code: (\d{1,10})(?:\n|\Z)")
_FAILED = regex(
    r"(?:Edit \d{1,4}: )?(?:String (?:to replace )?not found in file|No changes to make: |Expected \d{1,9} occurrences? but found |Found \d{1,9} matches of )"
    r"|(?:File does not exist|Directory not found|Not a directory|Path is a directory|Permission denied|Failed to |E[A-Z]{3,12}: [a-z ,]{5,60} ')"
    r"|subagent_type=\S{1,80} subagent_id=\S{1,80} subagent_status=(?!success)"
)
"""How the results of what failed begin, but for commands: nothing but their words tells it."""
_NOT_RUN = regex(
    r"Tool not found: .{1,200}\. Available tools: |Error: request to call tool denied|Interrupted by user\Z"
)
_TIMED_OUT = regex(r"(?:^|\n)Command timed out after \d{1,9}ms\n")
_ABOUT = regex(r"\n- \*\*(Letta Code version|Current working directory)\*\*: ([^\n]{1,400})")
_REMINDER = "<system-reminder>"
_ROLES = frozenset({"user", "assistant", "toolResult"})
_SHELLS = frozenset(
    {"Bash", "run_shell_command", "RunShellCommand", "exec_command", "shell_command", "ShellCommand"}
)


def read(path: Path, on_read: OnRead | None = None) -> Iterator[Item]:
    """Yield the session of a file, then the skip counts."""
    conversation, told, name = MessageTurns(), dict[str, str](), ""
    compactions: dict[int, Compaction] = {}
    for item in json_lines(path, on_read):
        if isinstance(item, Refusal):
            yield item
            continue
        number, line = item
        within = object_at(line, "metadata")
        agent, talk = text_at(within, "agent_id"), text_at(within, "conversation_id")
        if (not agent or not talk) and text_at(line, "role") in _ROLES:
            yield Refusal(shown(path), number, "It names no agent and conversation.")
            continue
        name = name or (f"{agent}/{talk}" if agent else "")
        if "compaction" in within:
            compactions[len(conversation.turns)] = Compaction()
        conversation.add(_message(line, name, told))
    turns = conversation.done(Capture.CALLS, splits=True)
    turns = tuple(replace(turn, compaction=compactions.get(place)) for place, turn in enumerate(turns))
    if turns:
        project, version = told.get("Current working directory", ""), told.get("Letta Code version", "")
        yield RecordedSession(
            name,
            None,
            next((turn.model for turn in turns if turn.model), ""),
            (turns[0].prompt or "").strip().split("\n", 1)[0][:200],
            turns,
            metadata=non_empty({"cwd": project, "version": version}),
            details=SessionDetails(project=project, agent=NAME, agent_version=version),
            parent=(above := _above(path, name.split("/")[0])),
            relation=Relation.SUBAGENT if above else None,
            source=NAME,
            ids="source",
        )
    yield from left_out(shown(path), conversation.passed)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is a conversation: a message with its agent's and its conversation's names."""
    first = sample.first
    if not isinstance(first, dict) or not {"id", "role", "content", "metadata"} <= first.keys():
        return 0.0
    within = object_at(first, "metadata")
    return 1.0 if text_at(within, "agent_id") and text_at(within, "conversation_id") else 0.0


def _message(line: JsonMap, session: str, told: dict[str, str]) -> Message:
    if line.get("role") == "user":
        return _of_person(line, told)
    found = pi_messages.message(line)
    if found.speaker == "model":
        if not text_at(line, "responseId"):
            # Its end was never heard: the pieces until then say "stop", and have a counted time and no tokens.
            found.usage, found.occurred_at, found.model = Usage(), None, ""
            found.message_id = derived_id(session, text_at(line, "id"), found.text)
    elif found.results:
        found.results = [_result(each, text_at(line, "toolName")) for each in found.results]
    return found


def _of_person(line: JsonMap, told: dict[str, str]) -> Message:
    found = Message("person")
    if "compaction" in object_at(line, "metadata"):
        found.pass_over(LeftOutReason.COMPACTED, "compaction")
        return found
    for part in objects_at(line, "content"):
        text = text_at(part, "text")
        if text.startswith(_REMINDER):
            for about, value in _ABOUT.findall(text):
                told.setdefault(about, value)
            found.pass_over(LeftOutReason.INJECTED_CONTEXT, "system-reminder")
        elif text:
            found.say(text)
        else:
            found.unknown(text_at(part, "type"), part)
    return found


def _result(result: RecordedResult, tool: str) -> RecordedResult:
    """Return a result as its words say, without its counted time."""
    text = result.output if isinstance(result.output, str) else ""
    is_command = tool in _SHELLS
    exited = _EXITED.match(text) if is_command else None
    status = exit_status_of(int(exited[1])) if exited else None
    said = (_TIMED_OUT.search(text) if is_command else _FAILED.match(text)) or _NOT_RUN.match(text)
    has_failed = bool(status) or said is not None
    return replace(
        result, is_error=True if has_failed else result.is_error, exit_status=status, finished_at=None
    )


def _above(path: Path, agent: str) -> str:
    """Return the session that has sent an agent: the call's result there names it; empty if none beside it does."""
    store = path.parent.parent.parent
    about = store / "agents" / f"{urlsafe_b64encode(agent.encode()).decode().rstrip('=')}.json"
    if not about.is_file() or b'"role:subagent"' not in about.read_bytes():
        return ""
    mark = f" agent_id={agent} conversation_id=".encode()
    for other in sorted(path.parent.parent.glob("*/messages.jsonl")):
        with other.open("rb") as lines:
            line = next((line for line in lines if mark in line), b"")
        if other != path and line:
            within = object_at(framework_messages.decoded(line.decode("utf-8", "replace")), "metadata")
            return f"{text_at(within, 'agent_id')}/{text_at(within, 'conversation_id')}"
    return ""


_TOOLS = ("Agent", "Bash", "Edit", "Read", "Skill", "TaskOutput", "TaskStop", "TodoWrite", "Write", "memory")

SOURCE = Source(
    NAME,
    "Letta Code",
    Capture.CALLS,
    read,
    recognise,
    patterns=("messages.jsonl", "messages.jsonl.gz"),
    loses=(
        "The text of calls: broken arguments are mended, and so run; that a signal ended a command, and a failure whose words don't tell it, since `isError` is false; "
        "times of prompts and results; how long a response took; the tools that were offered; whose fork a conversation is."
    ),
    fields=("id", "role", "content", "metadata"),
    tools=_TOOLS,
    tested="0.25.9",
)
