"""Conversations of Letta Code's local store, as 0.25.9 wrote them in our own runs against a scripted model server."""

import json
from base64 import urlsafe_b64encode
from datetime import datetime

import pytest

from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import ExecutionStatus as Status, LeftOutReason, Reason
from actionledger.imports.formats.letta_code import SOURCE, read
from actionledger.imports.sources.base import LeftOut
from actionledger.imports.sources.registry import recognised, sample_of
from actionledger.imports.sources.wordings import judged, with_end_told

AGENT, HELPER = "agent-local-2e68", "agent-local-5d24"
REMINDER = (
    "<system-reminder>\nThis is an automated message.\n- **Letta Code version**: 0.25.9\n"
    "- **Current working directory**: /home/dev/project\n</system-reminder>"
)


def line(
    number: int, role: str, content: list, agent: str = AGENT, talk: str = "local-conv-1", **more
) -> dict:
    """A line with a counted time, as those of prompts and results have it."""
    within = {"created_at": f"2026-01-01T00:00:{number:02}.000Z", "agent_id": agent, "conversation_id": talk}
    about = {"id": f"ui-msg-{number}", "role": role, "metadata": within}
    return about | {"content": content, "timestamp": 1767225600000 + number * 1000} | more


def said(number: int, text: str, *calls: dict, **more) -> dict:
    usage = {"input": 23, "output": 13, "cacheRead": 17, "cacheWrite": 0, "totalTokens": 53}
    parts = [{"type": "text", "text": text}, *calls]
    own = {
        "model": "asked",
        "responseModel": "served",
        "responseId": f"r{number}",
        "usage": usage,
        "stopReason": "stop",
    }
    return line(number, "assistant", parts, timestamp=1796142994000 + number) | own | more


def call(name: str = "Bash", call_id: str = "c1", **arguments) -> dict:
    return {"type": "toolCall", "id": call_id, "name": name, "arguments": arguments}


def came(number: int, text: str, name: str = "Bash", *, is_error: bool = False) -> dict:
    told = {"toolCallId": "c1", "toolName": name, "isError": is_error}
    return line(number, "toolResult", [{"type": "text", "text": text}], **told)


ASK = line(1, "user", [{"type": "text", "text": REMINDER}, {"type": "text", "text": "Do the job."}])


def items(path, *lines: dict) -> list:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return list(read(path))


def test_a_conversation_is_a_session(tmp_path):
    """Its prompt is the person's words, and its project and version stand in a reminder."""
    path = tmp_path / "messages.jsonl"
    found = items(path, ASK, said(2, "I look.", call(command="ls")), came(3, "a\n"), said(4, "Done."))
    session, passed = found[0], found[1:]
    assert isinstance(session, RecordedSession)
    assert (session.external_id, session.task, session.model) == (
        f"{AGENT}/local-conv-1",
        "Do the job.",
        "served",
    )
    assert (session.details.project, session.details.agent_version) == ("/home/dev/project", "0.25.9")
    first, last = session.turns
    took = first.usage
    assert (took.input_tokens, took.output_tokens, took.cached_tokens) == (40, 13, 17)
    assert first.results[0].finished_at is None
    assert first.occurred_at > datetime(2026, 12, 1)
    assert (last.text, last.usage.finish_reason) == ("Done.", "stop")
    assert passed == [LeftOut(str(path), LeftOutReason.INJECTED_CONTEXT, "system-reminder")]
    assert [each.source.name for each in recognised(sample_of(path))] == [SOURCE.name]


@pytest.mark.parametrize(
    ("words", "name", "is_error", "outcome"),
    [
        ("mark\n", "Bash", False, (Status.SUCCEEDED, None)),
        ("Exit code: 3\nmark\n", "Bash", False, (Status.FAILED, Reason.COMMAND_FAILED)),
        ("Exit code: 3\nmark\n", "Read", False, (Status.SUCCEEDED, None)),
        ("Command timed out after 2000ms\nno", "Bash", False, (Status.TIMED_OUT, Reason.TIMEOUT)),
        ("Tool not found: go. Available tools: Bash", "go", False, (Status.FAILED, Reason.UNKNOWN_ACTION)),
        ("String to replace not found in file.\nString: x", "Edit", False, (Status.FAILED, Reason.NO_MATCH)),
        (
            "Found 2 matches of the string to replace, but no",
            "Edit",
            False,
            (Status.FAILED, Reason.SEVERAL_MATCHES),
        ),
        (
            "File does not exist. Attempted path: /x. Current",
            "Read",
            False,
            (Status.FAILED, Reason.NOT_FOUND),
        ),
        (
            "Bash tool missing required parameter: command.",
            "Bash",
            True,
            (Status.FAILED, Reason.SCHEMA_ERROR),
        ),
        ("Tool requires approval (headless mode)", "Bash", True, (Status.DENIED, Reason.NOT_APPROVED)),
        (
            "subagent_type=a subagent_id=b subagent_status=error",
            "Agent",
            False,
            (Status.FAILED, Reason.TOOL_ERROR),
        ),
    ],
)
def test_the_words_of_a_result_say_that_it_failed(tmp_path, words, name, is_error, outcome):
    """``isError`` is false of most that failed."""
    found = items(
        tmp_path / "messages.jsonl", ASK, said(2, "", call(name)), came(3, words, name, is_error=is_error)
    )
    (result,) = found[0].turns[0].results
    status, reason, _ = judged(with_end_told(result), SOURCE.wordings)
    assert (status, reason) == outcome


def test_an_answer_that_broke_off_has_no_end(tmp_path):
    """What stands there was made up: the word ``stop``, a counted time, and no tokens."""
    cut = line(2, "assistant", [{"type": "text", "text": "Half of th"}], stopReason="stop")
    found = items(tmp_path / "messages.jsonl", ASK, cut)
    (turn,) = found[0].turns
    assert (turn.text, turn.occurred_at, turn.usage.finish_reason) == ("Half of th", None, "")


def test_a_summary_is_no_prompt(tmp_path):
    """The answer after it says that the history was summed up."""
    summed = line(1, "user", [{"type": "text", "text": "Summary."}])
    summed["metadata"]["compaction"] = {"summary": "Summary."}
    session, passed = items(tmp_path / "messages.jsonl", summed, said(2, "On."))
    assert (session.turns[0].prompt, session.turns[0].compaction is not None) == (None, True)
    assert passed.reason is LeftOutReason.COMPACTED


def test_a_helper_is_below_the_agent_that_sent_it(tmp_path):
    """The result of the call names the helper; a lone file names nobody."""
    words = f"subagent_type=a subagent_id=b subagent_status=success agent_id={HELPER} conversation_id=default\n\nSeen."
    above, below = (tmp_path / f"conversations/{name}/messages.jsonl" for name in ("a", "b"))
    items(above, ASK, said(2, "", call("Agent")), came(3, words, "Agent"))
    own = {"agent": HELPER, "talk": "default"}
    lines = (line(1, "user", [{"type": "text", "text": "Look."}], **own), line(2, "assistant", [], **own))
    assert items(below, *lines)[0].parent == ""
    agents = tmp_path / "agents"
    agents.mkdir()
    name = urlsafe_b64encode(HELPER.encode()).decode().rstrip("=")
    (agents / f"{name}.json").write_text('{"tags": ["role:subagent"]}')
    assert items(below, *lines)[0].parent == f"{AGENT}/local-conv-1"


def test_a_line_without_its_conversation_is_refused(tmp_path):
    """The others count."""
    lost, session, *_ = items(tmp_path / "messages.jsonl", {"role": "user"}, ASK, said(2, "On."))
    assert (lost.line, len(session.turns)) == (1, 1)
