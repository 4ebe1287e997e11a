"""Sessions of pi and openclaw's telemetry: a message is a turn, and a copy of it the same one."""

import json
import sqlite3
from contextlib import closing

import pytest
import zstandard

from actionledger.core.recordings import Compaction, RecordedSession
from actionledger.core.vocabulary import ExecutionStatus, LeftOutReason, Reason, Relation
from actionledger.imports import import_sessions
from actionledger.imports.formats import openclaw_telemetry, pi
from actionledger.imports.sources.base import LeftOut, Refusal
from actionledger.imports.sources.registry import recognised, sample_of
from actionledger.imports.sources.wordings import judged

HEAD = {
    "type": "session",
    "id": "11111111-1111-1111-1111-111111111111",
    "timestamp": "2026-05-12T01:02:27.657Z",
    "cwd": "/w",
}
ASK = {"role": "user", "content": [{"type": "text", "text": "Look"}], "timestamp": 1778547747671}
SAID = {
    "role": "assistant",
    "content": [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "I look."},
        {"type": "toolCall", "id": "toolu_1", "name": "bash", "arguments": {"command": "ls"}},
    ],
    "model": "opus",
    "usage": {"input": 1, "output": 3, "cacheRead": 4, "cacheWrite": 5, "cost": {"total": 0.25}},
    "stopReason": "toolUse",
    "timestamp": 1778547747721,
}
CAME = {
    "role": "toolResult",
    "toolCallId": "toolu_1",
    "content": [{"type": "text", "text": "a"}],
    "isError": False,
    "details": {"exitCode": 2, "durationMs": 7},
    "timestamp": 1778547747821,
}
LAST = {"role": "assistant", "content": [{"type": "text", "text": "One."}], "timestamp": 1778547747921}


def written(path, *lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def session(tmp_path, *messages, head=HEAD, name="s.jsonl", others=()):
    return written(
        tmp_path / name, head, *others, *({"type": "message", "message": each} for each in messages)
    )


def pieces(items):
    return [item for item in items if isinstance(item, RecordedSession)]


def left(items):
    return {(item.reason, item.detail): item.count for item in items if isinstance(item, LeftOut)}


def test_a_message_is_a_turn_with_its_tokens_and_what_came_of_its_calls(tmp_path):
    """What caches gave and took is input; an exit status says more than a flag."""
    path = session(tmp_path, ASK, SAID, CAME, ASK | {"content": "Again"}, LAST)
    assert [(each.source.name, each.sureness) for each in recognised(sample_of(path))] == [("pi", 1)]
    items = list(pi.read(path))
    first, second = (turn for piece in pieces(items) for turn in piece.turns)
    assert (first.text, first.prompt, first.feedback, second.index) == ("I look.", "Look", "Again", 1)
    usage = first.usage
    assert (usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.cost_usd) == (10, 3, 4, 0.25)
    assert (usage.finish_reason, str(first.occurred_at)) == ("toolUse", "2026-05-12 01:02:27.721000")
    (result,) = first.results
    assert (result.exit_status, result.duration_ms, judged(result).reason) == (2, 7, Reason.COMMAND_FAILED)
    assert (first.reasoning, left(items)) == ("hm", {})


def test_the_model_is_the_one_that_answered(tmp_path):
    asked = {**LAST, "model": "asked-1", "responseModel": "served-1"}
    (piece,) = pieces(pi.read(session(tmp_path, asked)))
    assert piece.turns[0].model == "served-1"


def test_what_was_branched_off_begins_with_a_copy(tmp_path, ledger):
    """It is a fork, and the copied messages stay where they were seen first."""
    head = HEAD | {
        "id": "22222222-2222-2222-2222-222222222222",
        "branchedFrom": f"/home/x/2026-05-12T01-02-27-657Z_{HEAD['id']}.jsonl",
    }
    first = session(tmp_path, ASK, SAID, CAME)
    second = session(tmp_path, ASK, SAID, CAME, LAST, head=head, name="t.jsonl")
    fork = pieces(pi.read(second))[0]
    assert (fork.parent, fork.relation) == (HEAD["id"], Relation.FORK)
    for path in (first, second, first):
        import_sessions(ledger, pi.read(path), source="pi", origin=path)
    counts = "SELECT (SELECT count(*) FROM turns), (SELECT count(*) FROM actions), (SELECT count(*) FROM executions)"
    assert ledger.sql(counts).fetchall() == [(2, 1, 1)]


def test_other_lines_are_counted_and_a_lost_beginning_is_refused(tmp_path):
    """A response that was aborted before it took anything is none."""
    others = [{"type": "compaction"}, {"type": "model_change"}, {"type": "custom_message"}, {"type": "new"}]
    items = list(
        pi.read(
            session(
                tmp_path, ASK, SAID | {"content": [], "usage": {}, "stopReason": "aborted"}, others=others
            )
        )
    )
    assert left(items) == {
        (LeftOutReason.COMPACTED, "compaction"): 1,
        (LeftOutReason.BOOKKEEPING, "model_change"): 1,
        (LeftOutReason.INJECTED_CONTEXT, "custom_message"): 1,
        (LeftOutReason.UNKNOWN_KIND, "new"): 1,
        (LeftOutReason.NO_RESPONSE, "aborted"): 1,
    }
    (item,) = pi.read(written(tmp_path / "cut.jsonl", {"type": "message", "message": SAID}))
    assert isinstance(item, Refusal)


def test_a_compaction_stands_before_the_message_that_follows_it(tmp_path):
    """With how large the context was; what a branch was summed up as is none."""
    spoken = [{"type": "message", "message": SAID | {"responseId": name}} for name in "abc"]
    path = written(
        tmp_path / "s.jsonl",
        HEAD,
        spoken[0],
        {"type": "compaction", "summary": "So far.", "tokensBefore": 195},
        spoken[1],
        {"type": "branch_summary", "summary": "Elsewhere."},
        spoken[2],
    )
    found = [turn.compaction for piece in pieces(pi.read(path)) for turn in piece.turns]
    assert found == [None, Compaction(tokens_before=195), None]


TOOL = {"name": "bash", "description": "Run it", "parameters": {"type": "object", "required": ["command"]}}
OFFER = {"role": "system", "content": "", "sections": {"cwd": "/w"}, "toolsAdded": [TOOL]}


def turns(path):
    return [turn for piece in pieces(pi.read(path)) for turn in piece.turns]


def test_system_messages_say_which_tools_are_offered(tmp_path):
    """They add and remove; a summary says all of them anew; and nobody takes what broke off for a whole call."""
    others = {"role": "system", "toolsAdded": [{"name": "edit"}], "toolsRemoved": [{"name": "bash"}]}
    cut = SAID | {"stopReason": "error", "timestamp": 1778547747722}
    path = session(tmp_path, OFFER, ASK, SAID, CAME, others, cut, LAST)
    first, broken, last = (turn.tools for turn in turns(path))
    assert ('"bash"' in first, broken, '"edit"' in last, '"bash"' in last) == (True, "", True, False)
    summary = {"type": "compaction", "systemMessage": OFFER}
    path = written(path, HEAD, summary, {"type": "message", "message": LAST})
    assert '"bash"' in turns(path)[0].tools
    assert left(pi.read(path)) == {(LeftOutReason.COMPACTED, "compaction"): 1}


def test_arguments_that_cannot_be_parsed_are_kept_as_they_were_written(tmp_path):
    """They stand in what is said of the error, behind an empty object."""
    call = {"type": "toolCall", "id": "c", "name": "bash", "arguments": {}}
    wrong = "Unterminated string in JSON at position 13\n\nReceived arguments:\n"
    said = [call | {"argumentsError": wrong + '{"command": "l'}, call | {"argumentsError": "new"}]
    (turn,) = turns(session(tmp_path, SAID | {"content": said}))
    assert [each.arguments for each in turn.calls] == ['{"command": "l', {}]


@pytest.mark.parametrize(
    ("stopped", "raw", "ending"),
    [
        ("error", "content_filter", "content_filter"),
        ("error", "stop", "error"),
        ("error", "", "error"),
        ("toolUse", "tool_calls", "toolUse"),
    ],
)
def test_a_refusal_ends_in_the_providers_word(tmp_path, stopped, raw, ending):
    """pi calls it an error, as it does an answer that broke off."""
    said = SAID | {"stopReason": stopped, "rawStopReason": raw, "durationMs": 141}
    (turn,) = turns(session(tmp_path, said))
    assert (turn.usage.finish_reason, turn.usage.latency_ms) == (ending, 141)


def test_calls_of_a_script_are_within_its_call_which_failed_where_one_of_them_did(tmp_path):
    nested = [
        {"id": "c/1", "name": "bash", "status": "error", "durationMs": 2, "arguments": {"command": "x"},
         "error": "x\n\n\nCommand exited with code 3"},
        {"id": "c/2", "name": "read", "status": "unfinished"},
        {"id": "c/3", "name": "ls", "status": "ok"},
    ]  # fmt: skip
    came = CAME | {"details": {}, "durationMs": 9, "nestedCalls": {"calls": nested, "complete": True}}
    (turn,) = turns(session(tmp_path, SAID, came))
    (result,) = turn.results
    assert (result.is_error, result.exit_status, result.duration_ms) == (True, 3, 9)
    assert [(call.name, judged(inner).status) for call, inner in result.within] == [
        ("bash", ExecutionStatus.FAILED),
        ("read", ExecutionStatus.INTERRUPTED),
        ("ls", ExecutionStatus.SUCCEEDED),
    ]


def test_what_is_billed_beside_responses_is_the_next_ones(tmp_path):
    """A line of its own, and what a tool has asked of a model."""
    warm = {"type": "usage", "kind": "cache_warm", "model": "opus", "usage": {"cacheRead": 50, "output": 0}}
    path = session(tmp_path, SAID, CAME | {"usage": {"input": 7, "output": 2}}, LAST, others=[warm])
    first, last = (turn.usage for turn in turns(path))
    assert [(each.kind, each.cached_tokens) for each in first.billed] == [("cache_warm", 50)]
    assert [(each.kind, each.input_tokens, each.output_tokens) for each in last.billed] == [("tool", 7, 2)]


def event(kind, **fields):
    return {
        "type": kind,
        "sessionKey": "agent:main:main",
        "agentId": "main",
        "seq": 1,
        "ts": 1778547747999,
    } | fields


def test_telemetry_repeats_all_messages_at_each_end(tmp_path):
    """Each counts once; events of tools say the same again."""
    path = written(
        tmp_path / "t.jsonl",
        event("agent.start", prompt="Look"),
        event("tool.start", toolName="bash", params={}),
        event("tool.end", toolName="bash", success=True, durationMs=7),
        event("agent.end", messages=[ASK, SAID, CAME]),
        event("agent.end", messages=[ASK, SAID, CAME, LAST]),
    )
    assert [(each.source.name, each.sureness) for each in recognised(sample_of(path))] == [
        ("openclaw_telemetry", 1)
    ]
    items = list(openclaw_telemetry.read(path))
    turns = [turn for piece in pieces(items) for turn in piece.turns]
    assert [(turn.index, turn.text, len(turn.results)) for turn in turns] == [
        (0, "I look.", 1),
        (1, "One.", 0),
    ]
    assert left(items) == {
        (LeftOutReason.BOOKKEEPING, "agent.start"): 1,
        (LeftOutReason.DUPLICATE, "tool.start"): 1,
        (LeftOutReason.DUPLICATE, "tool.end"): 1,
        (LeftOutReason.REPEATED_HISTORY, "message"): 1,
    }


def test_telemetry_without_its_end_is_a_state_in_between(tmp_path):
    """Its calls come with the messages, once."""
    path = written(tmp_path / "t.jsonl", event("tool.start", toolName="bash", params={}))
    items = list(openclaw_telemetry.read(path))
    assert pieces(items) == []
    assert left(items) == {(LeftOutReason.PROGRESS, "tool.start"): 1}


@pytest.mark.corpus
def test_sessions_of_others_are_read_whole(corpus, counted):
    """As many turns, calls, results and tokens as their messages say."""
    paths = corpus("agents/pi-openclaw/*.jsonl")
    lines = [json.loads(line) for path in paths for line in path.read_text().splitlines()]
    messages = [line["message"] for line in lines if line["type"] == "message"]
    answers = [each for each in messages if each["role"] == "assistant" and each["content"]]
    found = counted("pi", *paths)
    assert (found["sessions"], found["turns"], found["refused"]) == (2, len(answers), 0)
    assert found["calls"] == sum(part["type"] == "toolCall" for each in answers for part in each["content"])
    assert found["results"] == sum(each["role"] == "toolResult" for each in messages)
    assert found["tokens"] == sum(each["usage"]["output"] for each in answers)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            'Validation failed for tool "bash":\n  - command: must be string\n\nReceived arguments:\n{"timeout": 3}',
            (ExecutionStatus.FAILED, Reason.SCHEMA_ERROR, None),
        ),
        ("Tool  not found", (ExecutionStatus.FAILED, Reason.UNKNOWN_ACTION, None)),
        ("Tool execution was blocked", (ExecutionStatus.DENIED, Reason.NOT_APPROVED, None)),
        ("Built 3 of 9\n\nCommand aborted", (ExecutionStatus.INTERRUPTED, Reason.STOPPED, None)),
        (
            'Tool call "bash" was not executed: the response hit the output token limit, so its arguments',
            (ExecutionStatus.FAILED, Reason.SCHEMA_ERROR, None),
        ),
        ("boom\n\n\nCommand exited with code 3", (ExecutionStatus.FAILED, Reason.COMMAND_FAILED, 3)),
        ("Could not find the exact text in notes.txt.", (ExecutionStatus.FAILED, Reason.NO_MATCH, None)),
    ],
)
def test_an_error_is_told_by_its_words(tmp_path, words, expected):
    """Arguments that it repeats say nothing of it."""
    came = CAME | {"isError": True, "content": [{"type": "text", "text": words}], "details": {}}
    (found,) = pieces(pi.read(session(tmp_path, ASK, SAID, came)))
    (result,) = found.turns[0].results
    assert (*judged(result, pi.SOURCE.wordings)[:2], result.exit_status) == expected


def test_openclaws_database_holds_the_same_lines(tmp_path):
    """One after the other, by session; a large one is packed."""
    lines = [
        HEAD,
        *({"type": "message", "id": str(n), "message": each} for n, each in enumerate((ASK, SAID, CAME))),
    ]
    path = tmp_path / "openclaw-agent.sqlite"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "CREATE TABLE transcript_events (session_id text, seq integer, event_json text, event_zstd blob)"
        )
        for seq, line in enumerate(lines):
            text, packed = json.dumps(line), None
            if seq == len(lines) - 1:
                text, packed = None, zstandard.compress(text.encode())
            database.execute("INSERT INTO transcript_events VALUES ('s', ?, ?, ?)", (seq, text, packed))
        database.execute(
            "INSERT INTO transcript_events VALUES ('t', 0, '[1]', NULL), ('t', 1, NULL, x'28b52ffd00')"
        )
    assert [(each.source.name, each.sureness) for each in recognised(sample_of(path))] == [("pi", 1.0)]
    items = list(pi.read(path))
    (found,) = pieces(items)
    assert (found.external_id, found.turns[0].text, len(found.turns[0].results)) == (HEAD["id"], "I look.", 1)
    assert sum(isinstance(item, Refusal) for item in items) == 2
