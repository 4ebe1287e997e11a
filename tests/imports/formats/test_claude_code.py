"""Transcripts of Claude Code: a message is a turn, however many lines it has, and what nobody wrote is no turn."""

import json

import pytest
from given_items import left_out

from actionledger.core.recordings import Compaction, RecordedResult, RecordedSession
from actionledger.core.vocabulary import (
    Capture,
    ExecutionStatus,
    LeftOutReason,
    Reason,
    Relation,
    TitleOrigin,
)
from actionledger.imports.formats.claude_code import SOURCE, WORDINGS, read, recognise
from actionledger.imports.sources.base import Refusal, Sample
from actionledger.imports.sources.wordings import judged

USAGE = {
    "input_tokens": 3,
    "cache_read_input_tokens": 20,
    "cache_creation_input_tokens": 100,
    "output_tokens": 7,
}


def line(kind: str, uuid: str, **fields) -> dict:
    place = {"sessionId": "s1", "uuid": uuid, "parentUuid": None, "timestamp": "2026-06-17T11:20:24.073Z"}
    return {"type": kind, **place, "version": "2.1.178", "cwd": "/home/ada/work", **fields}


def said(message: str, *blocks: dict, uuid: str = "u", output: int = 7, **fields) -> dict:
    body = {
        "id": message,
        "model": "m-1",
        "role": "assistant",
        "content": list(blocks),
        "stop_reason": "tool_use",
    }
    return line("assistant", uuid, message=body | {"usage": USAGE | {"output_tokens": output}}, **fields)


def call(name: str, **arguments) -> dict:
    return {"type": "tool_use", "id": name, "name": "Bash", "input": arguments}


def text(words: str) -> dict:
    return {"type": "text", "text": words}


def answered(name: str, output: object, *, is_error: bool = False, **fields) -> dict:
    block = {"type": "tool_result", "tool_use_id": name, "content": output, "is_error": is_error}
    return line("user", f"r{name}", message={"role": "user", "content": [block]}, **fields)


def asked(words: object, **fields) -> dict:
    return line("user", "p", message={"role": "user", "content": words}, **fields)


@pytest.fixture
def items(tmp_path):
    """Return what is read of lines; a text is a line as it is."""

    def read_all(*lines: dict | str) -> list:
        path = tmp_path / "session.jsonl"
        written = [each if isinstance(each, str) else json.dumps(each) for each in lines]
        path.write_text("\n".join(written) + "\n")
        return list(read(path))

    return read_all


def turns(items) -> dict[str, object]:
    return {
        turn.external_id: turn for each in items if isinstance(each, RecordedSession) for turn in each.turns
    }


def test_lines_of_one_message_are_one_turn(items):
    """Its tokens are counted once, the last line's, and its calls in order, also where a result stands between."""
    (session,) = items(
        asked("Look around.\nAnd be quick."),
        said("m1", text("I'll look."), output=1),
        said("m1", call("a", command="ls"), output=5),
        answered("a", "one\ntwo"),
        said("m1", call("b", command="pwd"), output=9),
        answered("b", "/home"),
    )
    (turn,) = session.turns
    assert (session.external_id, session.task, session.model) == ("s1", "Look around.", "m-1")
    assert session.metadata == {"version": "2.1.178", "cwd": "/home/ada/work"}
    assert (turn.text, turn.prompt) == ("I'll look.", "Look around.\nAnd be quick.")
    assert [(each.call_id, each.name, each.arguments) for each in turn.calls] == [
        ("a", "Bash", {"command": "ls"}),
        ("b", "Bash", {"command": "pwd"}),
    ]
    assert [(each.call_id, each.output) for each in turn.results] == [("a", "one\ntwo"), ("b", "/home")]
    usage = turn.usage
    assert (usage.input_tokens, usage.cached_tokens, usage.cache_write_tokens) == (123, 20, 100)
    assert (usage.output_tokens, usage.finish_reason) == (9, "tool_use")
    assert turn.capture is Capture.CALLS
    assert turn.occurred_at.isoformat() == "2026-06-17T11:20:24.073000"


def test_a_command_is_a_title_where_something_stands_behind_it(items):
    """The first one; ``/model`` alone is no task."""
    commands = (
        "<command-name>/model</command-name>\n<command-message>model</command-message>\n<command-args></command-args>",
        "<command-name>/goal</command-name>\n  <command-message>goal</command-message>\n <command-args>simplify it</command-args>",
        "<command-name>/goal</command-name>\n<command-args>and more</command-args>",
    )
    (session, *_) = items(*(asked(each) for each in commands), said("m1", text("So be it.")))
    assert (session.details.title, session.details.title_from) == ("/goal simplify it", TitleOrigin.PROMPT)


def test_a_line_that_comes_twice_adds_nothing(items):
    """A call is the call of its identifier."""
    read_once = turns(items(said("m1", call("a", command="ls"))))
    read_twice = turns(items(said("m1", call("a", command="ls")), said("m1", call("a", command="ls"))))
    assert read_twice == read_once


def test_a_session_that_a_stream_holds_at_several_ages_is_there_once(items):
    """Each text, thought and prompt of a message, though its earlier states stand before it."""
    begun = [asked("Look."), said("m1", text("I look."), {"type": "thinking", "thinking": "Hm."}, uuid="u1")]
    begun += [said("m1", call("a"), uuid="u2"), answered("a", "one"), asked("And now?")]
    whole = [*begun, said("m2", text("That."), text("That."), uuid="u3")]
    found = items(*begun, *whole, *whole)
    once = turns(items(*whole))
    assert {name: (each.text, each.reasoning, each.prompt) for name, each in turns(found).items()} == {
        name: (each.text, each.reasoning, each.prompt) for name, each in once.items()
    }
    assert once["m2"].text == "That.\n\nThat."
    assert left_out(found) == {(LeftOutReason.DUPLICATE, "line"): 5}


def test_a_long_session_comes_in_pieces_and_nothing_is_lost(items):
    """No piece repeats a message; results of messages that were given away come by themselves."""
    lines = []
    for number in range(300):
        lines += [said(f"m{number}", call(f"c{number}", command="ls"))]
        lines += [answered(f"c{number - 100}", "late")] if number >= 100 else []
    pieces = items(*lines)
    assert len(pieces) > 3
    assert [turn.external_id for piece in pieces for turn in piece.turns] == [f"m{n}" for n in range(300)]
    assert [turn.index for piece in pieces for turn in piece.turns] == list(range(300))
    assert [piece.is_last for piece in pieces] == [False] * (len(pieces) - 1) + [True]
    assert [each.call_id for piece in pieces for each in piece.results] == [f"c{n}" for n in range(200)]


def test_a_stream_of_many_sessions_holds_few_of_them(items):
    """What is read of a session is given away while the others are read; one that goes on after that goes on where it was."""
    lines = [
        said("m", text(f"{number}"), call(f"c{number}"), sessionId=f"s{number}", uuid=f"u{number}")
        | {"message": said(f"m{number}", call(f"c{number}"))["message"]}
        for number in range(100)
    ]
    found = items(*lines, answered("c0", "late", sessionId="s0"), said("n", text("More."), sessionId="s0"))
    given = [each.external_id for each in found if each.turns]
    assert given == [f"s{number}" for number in (*range(68), *range(68, 69), 0, *range(69, 100))]
    begun = next(each for each in found if each.external_id == "s0")
    assert [(turn.external_id, turn.index) for turn in begun.turns] == [("m0", 0)]
    assert [each.is_last for each in found].count(True) == 100


def test_a_result_may_stand_before_its_call(items):
    """Two writers write to one file; its turn has it all the same, also where a piece is given away in between."""
    before, after = ([said(f"{when}{number}", text("x")) for number in range(95)] for when in ("m", "n"))
    found = items(
        *before, answered("a", "early"), said("m94", text("y")), said("late", call("a", command="ls")), *after
    )
    turn = turns(found)["late"]
    assert [(each.call_id, each.output) for each in turn.results] == [("a", "early")]
    assert not any(each.results for each in found)


def test_what_no_model_and_no_person_wrote_is_counted(items):
    """Neither messages of the client nor texts that it puts in a person's place make turns or prompts."""
    found = items(
        line("mode", "x", mode="normal"),
        line("progress", "x", data={"type": "hook_progress"}),
        line("brand-new", "x"),
        asked("<command-name>/clear</command-name>"),
        asked("Caveat: what follows was run by the user.", isMeta=True),
        asked("[Request interrupted by user for tool use]"),
        asked("This session is continued.", isCompactSummary=True),
        asked([{"type": "image", "source": {}}, text("Look.")]),
        said(
            "m1",
            {"type": "thinking", "thinking": "", "signature": "x"},
            {"type": "thinking", "thinking": "Hm."},
        ),
        line("assistant", "e", message={"id": "m2", "model": "<synthetic>", "content": [text("API Error")]}),
    )
    assert left_out(found) == {
        (LeftOutReason.BOOKKEEPING, "mode"): 1,
        (LeftOutReason.PROGRESS, "progress"): 1,
        (LeftOutReason.UNKNOWN_KIND, "brand-new"): 1,
        (LeftOutReason.INJECTED_CONTEXT, "user"): 3,
        (LeftOutReason.COMPACTED, "summary"): 1,
        (LeftOutReason.NO_TEXT, "image"): 1,
        (LeftOutReason.ENCRYPTED, "thinking"): 1,
        (LeftOutReason.MADE_BY_CLIENT, "message"): 1,
    }
    (turn,) = turns(found).values()
    assert (turn.text, turn.prompt, turn.reasoning) == ("", "Look.", "Hm.")


def test_a_command_for_the_model_is_a_prompt(items):
    """As it was typed; the answer before it was the last one to its own prompt. What it stands for is the client's."""
    found = items(
        asked("Build it."),
        said("m1", text("Done.")),
        asked(
            "<command-message>review is running…</command-message>\n<command-name>/review</command-name>\n<command-args>a.py\nb.py</command-args>"
        ),
        asked([text("You review a.py and b.py.")], isMeta=True),
        said("m2", text("Fine.")),
        asked("<command-message>tidy</command-message>\n<command-name>/tidy</command-name>"),
        said("m3", text("Tidy.")),
        asked(
            "<command-name>/exit</command-name>\n<command-message>exit</command-message>\n<command-args></command-args>"
        ),
        said("m4", text("Bye.")),
    )
    prompts = [turn.prompt for turn in turns(found).values()]
    assert prompts == ["Build it.", "/review a.py\nb.py", "/tidy", None]


def test_sub_agents_are_children(items):
    """In a file of their own or between their parent's lines, in which older versions left them without a name."""
    found = items(
        said("m1", text("I delegate."), uuid="a1"),
        said("m2", text("I work."), uuid="b1", isSidechain=True, agentId="aac57f5"),
        said("m3", text("Old style."), uuid="c1", isSidechain=True),
        said("m4", text("It goes on."), uuid="c2", parentUuid="c1", isSidechain=True),
        said("m5", text("Summary."), uuid="d1", isSidechain=True, agentId="acompact-9"),
    )
    sessions = {each.external_id: each for each in found}
    assert {name: (each.parent, each.relation) for name, each in sessions.items()} == {
        "s1": ("", None),
        "s1/aac57f5": ("s1", Relation.SUBAGENT),
        "s1/c1": ("s1", Relation.SUBAGENT),
        "s1/acompact-9": ("s1", Relation.SUBAGENT),
    }
    assert [turn.external_id for turn in sessions["s1/c1"].turns] == ["m3", "m4"]
    assert sessions["s1/acompact-9"].labels == ("compaction",)


def test_a_compaction_stands_before_the_message_that_follows_it(items):
    """With what brought it about, and how large the context was."""
    found = turns(
        items(
            said("m1", text("Before.")),
            line(
                "system",
                "b",
                subtype="compact_boundary",
                compactMetadata={"trigger": "auto", "preTokens": 900, "postTokens": 40},
            ),
            said("m2", text("After.")),
            said("m3", text("Later.")),
        )
    )
    assert {name: turn.compaction for name, turn in found.items()} == {
        "m1": None,
        "m2": Compaction(trigger="auto", tokens_before=900, tokens_after=40),
        "m3": None,
    }


def test_a_session_that_begins_with_a_compaction_is_what_its_first_message_says(items):
    """As a file has it in which a session goes on; one with nothing behind the compaction is none."""
    boundary = line("system", "b", subtype="compact_boundary", compactMetadata={"preTokens": 900})
    (session,) = (
        each for each in items(boundary, said("m1", text("On."))) if isinstance(each, RecordedSession)
    )
    assert (session.model, session.turns[0].compaction) == ("m-1", Compaction(tokens_before=900))
    assert not [each for each in items(boundary) if isinstance(each, RecordedSession)]


@pytest.mark.parametrize(
    ("output", "fields", "status", "reason"),
    [
        ("Exit code 2\nFAIL: timeout", {}, ExecutionStatus.FAILED, Reason.COMMAND_FAILED),
        (
            "<tool_use_error>File has not been read yet. Read it first.",
            {},
            ExecutionStatus.FAILED,
            Reason.NOT_READ,
        ),
        ("The user doesn't want to proceed with this tool use.", {}, ExecutionStatus.DENIED, Reason.REJECTED),
        ("PreToolUse:Bash hook error: no pushes", {}, ExecutionStatus.DENIED, Reason.NOT_APPROVED),
        ("Killed", {"toolUseResult": {"interrupted": True}}, ExecutionStatus.INTERRUPTED, Reason.STOPPED),
        ([text("Something new.")], {}, ExecutionStatus.FAILED, Reason.TOOL_ERROR),
    ],
)
def test_why_a_call_failed_is_told(items, output, fields, status, reason):
    """By what the client records, and by its words."""
    (turn,) = turns(items(said("m1", call("a")), answered("a", output, is_error=True, **fields))).values()
    assert judged(turn.results[0], WORDINGS) == (status, reason, False)


def test_words_of_a_result_that_is_no_error_say_nothing(items):
    """A file that is read may hold any."""
    (turn,) = turns(items(said("m1", call("a")), answered("a", "Exit code 2"))).values()
    assert judged(turn.results[0], WORDINGS) == (ExecutionStatus.SUCCEEDED, None, False)
    assert turn.results[0].exit_status is None


def test_how_long_a_call_took_is_told_where_it_is_recorded(items):
    """In milliseconds, whichever way the tool says it."""
    for known, expected in (({"durationMs": 12}, 12.0), ({"durationSeconds": 2}, 2000.0), ("text", None)):
        (turn,) = turns(items(said("m1", call("a")), answered("a", "", toolUseResult=known))).values()
        assert turn.results[0].duration_ms == expected


def test_two_objects_on_a_line_and_broken_lines_lose_nothing_else(items):
    """Both objects are read; a line that is none is refused with its number."""
    both = json.dumps(said("m1", text("one"))) + json.dumps(said("m2", text("two")))
    found = items(both, "{oops", "[1]", said("m3", text("three")))
    assert list(turns(found)) == ["m1", "m2", "m3"]
    assert [each.line for each in found if isinstance(each, Refusal)] == [2, 3]


def test_each_wording_has_an_example_of_its_own():
    """The row fits it, and none before does."""
    for row in WORDINGS:
        assert judged(RecordedResult("a", row.example, is_error=True), WORDINGS).reason is row.reason


def test_it_is_recognised():
    """By its messages; by its notes alone less surely; another's lines are not its own."""
    assert recognise(Sample(None, b"", (said("m1", text("x")),))) == 1
    assert 0 < recognise(Sample(None, b"", ({"type": "summary", "sessionId": "s"},))) < 1
    assert recognise(Sample(None, b"", ({"session": "s", "text": "x"}, 5))) == 0
    assert SOURCE.keeps is Capture.CALLS


def test_a_fork_is_known_by_the_answers_that_it_has_copied(items):
    """They say in whose name they were asked for; nothing else does."""
    copied = said("m1", text("Hello"), sessionId="s2", requestSessionId="s1")
    own = said("m2", text("On"), uuid="u2", sessionId="s2")
    found = [each for each in items(copied, own) if isinstance(each, RecordedSession)]
    assert [(each.external_id, each.parent, each.relation) for each in found] == [("s2", "s1", Relation.FORK)]


def test_a_session_s_own_answers_make_no_fork_and_a_sub_agent_stays_one(items):
    """A fork of a fork comes from the last one."""
    own = said("m1", text("Hello"), requestSessionId="s1")
    child = said("m2", text("Look"), uuid="u2", agentId="a1", requestSessionId="s0")
    twice = [
        said(f"m{n}", text("x"), uuid=f"u{n}", sessionId="s3", requestSessionId=name)
        for n, name in ((3, "s1"), (4, "s2"))
    ]
    found = [each for each in items(own, child, *twice) if isinstance(each, RecordedSession)]
    assert [(each.external_id, each.parent, each.relation) for each in found] == [
        ("s1", "", None),
        ("s1/a1", "s1", Relation.SUBAGENT),
        ("s3", "s2", Relation.FORK),
    ]


def test_the_tools_that_were_offered_are_those_of_the_last_request(items):
    """Of a session and of its sub-agents each; before any request is told, nobody knows."""
    look, search = ({"name": name, "input_schema": {"type": "object"}} for name in ("Look", "ToolSearch"))
    found = items(
        said("m0", text("Hi."), uuid="a"),
        line("api-request-shape", "s1", shape={"tools": [look]}),
        said("m1", text("Ho."), uuid="b"),
        line("api-request-shape", "s2", shape={"tools": [look, search]}),
        line("api-request-shape", "s3", shape={"tools": [search]}, agentId="x"),
        said("m2", text("Hm."), uuid="c"),
    )
    (session,) = (each for each in found if isinstance(each, RecordedSession))
    assert [[tool["name"] for tool in json.loads(turn.tools or "[]")] for turn in session.turns] == [
        [],
        ["Look"],
        ["Look", "ToolSearch"],
    ]


def test_arguments_that_are_a_list_are_none_that_were_left_out(items):
    listed = {**call("c1"), "input": ["list it"]}
    (session,) = (
        each for each in items(asked("Go."), said("m1", listed)) if isinstance(each, RecordedSession)
    )
    assert session.turns[0].calls[0].arguments == '["list it"]'


def test_an_answer_whose_stream_broke_off_has_no_end_though_its_call_ran(items):
    """The client runs what came whole of it, and writes an end that nobody sent; it says so in a line of its own behind the result."""
    synthetic = {
        "id": "x",
        "model": "<synthetic>",
        "role": "assistant",
        "content": [text("Connection lost.")],
    }
    lost = line(
        "assistant", "u9", message=synthetic, isApiErrorMessage=True, streamCutCause="stale_connection"
    )
    read_all = items(
        asked("Go."), said("m1", text("First."), call("c1", command="ls")), answered("c1", "x"), lost,
        said("m2", text("Second."), uuid="u2"),
    )  # fmt: skip
    turns = [turn for each in read_all if isinstance(each, RecordedSession) for turn in each.turns]
    assert [turn.usage.finish_reason for turn in turns] == ["error", "tool_use"]
