"""MINT's recorded sessions: messages become turns, and empty responses that left no message are found."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import actionledger as al
from actionledger.core.recordings import RecordedSession, RecordedTurn
from actionledger.imports.formats.mint import SOURCE, read as read_mint
from actionledger.imports.sources.base import Refusal, Sample
from actionledger.imports.sources.files import fits

FOLDERS = Path("some-model/F=None/max5_p2+tool+cd/reasoning/math")


def line(*messages: tuple[str, str], **state: Any) -> dict[str, Any]:
    history = [{"role": role, "content": content} for role, content in messages]
    return {
        "state": {"history": history, "success": True, "agent_action_count": {"use_tool": 1}} | state,
        "task": {"task_name": "math", "task_id": 7, "prompt": "What is\n1?"},
    }


@pytest.fixture
def read(tmp_path: Path):
    """Writes lines where a harness would, and reads them."""

    def read_lines(*lines: dict[str, Any] | bytes) -> list[RecordedSession | Refusal]:
        path = tmp_path / FOLDERS / "results.jsonl.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        data = b"\n".join(each if isinstance(each, bytes) else json.dumps(each).encode() for each in lines)
        path.write_bytes(gzip.compress(data))
        return list(read_mint(path))

    return read_lines


def turns(read, *messages: tuple[str, str]) -> list[tuple[str, str | None, str | None]]:
    (session,) = read(line(*messages))
    assert [turn.index for turn in session.turns] == list(range(len(session.turns)))
    return [(turn.text, turn.prompt, turn.feedback) for turn in session.turns]


def test_the_folders_name_model_setting_and_task_set(read):
    """The session's name is its path and its number: no two of a corpus are called the same."""
    (session,) = read(line(("user", "q"), ("assistant", "a"), terminate_reason="max_steps", success=False))
    assert session == RecordedSession(
        external_id=f"{FOLDERS.as_posix()}/7",
        profile="mint",
        model="some-model",
        task="math",
        turns=(RecordedTurn(0, "a", "q"),),
        success=False,
        reason="max_steps",
        details=al.SessionDetails(title="What is\n1?", title_from=al.TitleOrigin.PROMPT),
        metadata={"kind": "reasoning", "setting": "max5_p2+tool+cd", "counts": {"use_tool": 1}},
    )


def test_a_session_is_called_by_its_task(read, tmp_path, ledger):
    """Its first message begins with the same rules for all of them."""
    read(line(("user", "You are a helpful assistant."), ("assistant", "<solution>1</solution>")))
    al.import_path(tmp_path / FOLDERS, ledger)
    assert ledger.sql("SELECT title, title_from FROM sessions").fetchall() == [("What is 1?", "prompt")]


def test_only_the_assistants_messages_are_responses(read):
    """What the user says before is the first one's prompt, what he says after is the feedback."""
    assert turns(read, ("user", "q"), ("assistant", "a"), ("user", "b"), ("assistant", "c")) == [
        ("a", "q", "b"),
        ("c", None, None),
    ]


def test_the_first_message_quotes_tags_that_are_no_response(read):
    """An example in the prompt is not counted as anything the model did."""
    assert turns(read, ("user", "<execute>example</execute>"), ("assistant", "a"))[0][0] == "a"


def test_two_messages_of_the_user_in_a_row_are_an_empty_response(read):
    """The response between them left no message; the second message is what it was answered with."""
    assert turns(
        read, ("user", "q"), ("assistant", "a"), ("user", "b"), ("user", "c"), ("assistant", "d")
    ) == [
        ("a", "q", "b"),
        ("", None, "c"),
        ("d", None, None),
    ]


def test_a_first_response_may_be_empty(read):
    """Then the prompt is the first message and the feedback the second."""
    assert turns(read, ("user", "q"), ("user", "b"), ("assistant", "a")) == [
        ("", "q", "b"),
        ("a", None, None),
    ]


def test_several_empty_responses_are_several_turns(read):
    """Three messages in a row are two of them."""
    assert [text for text, _, _ in turns(read, ("user", "q"), ("user", "b"), ("user", "c"))] == ["", ""]


def test_an_empty_response_that_left_a_message_is_one_turn(read):
    assert turns(read, ("user", "q"), ("assistant", ""), ("user", "b")) == [("", "q", "b")]


@pytest.mark.parametrize("messages", [(), (("user", "q"),)])
def test_a_session_without_any_response_has_no_turn(read, messages):
    (session,) = read(line(*messages))
    assert session.turns == ()


def test_two_responses_in_a_row_are_two_turns(read):
    """The first of them had no feedback."""
    assert turns(read, ("user", "q"), ("assistant", "a"), ("assistant", "b"), ("user", "c")) == [
        ("a", "q", None),
        ("b", None, "c"),
    ]


@pytest.mark.parametrize("text", ["half \ud83d", "\0", "", "<execute>\r\n", "🙂" * 1000])
def test_any_text_is_taken_as_it_is(read, text):
    """No character of a response is changed."""
    assert turns(read, ("user", "q"), ("assistant", text))[0][0] == text


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b"oops", "The line is not JSON"),
        (b"[]", "The line holds no object"),
        ({"task": {"task_name": "math", "task_id": 1}}, "The field 'state': "),
        ({"state": {"history": []}}, "The field 'task': "),
        ({"state": {}, "task": {"task_name": "math", "task_id": 1}}, "The field 'state.history': "),
        (line(("user", "q")) | {"task": {"task_name": "math"}}, "The field 'task.task_id': "),
        (line(history=[{"role": "user"}]), "The field 'state.history.0.content': "),
        (line(history=["text"]), "The field 'state.history.0': "),
        (line(agent_action_count={"use_tool": "many"}), "The field 'state.agent_action_count.use_tool': "),
        (line(success="perhaps"), "The field 'state.success': "),
    ],
)
def test_a_line_that_cannot_be_read_is_refused_alone(read, bad, reason):
    """With file, number and reason, and the lines around it are read."""
    good = line(("user", "q"), ("assistant", "a"))
    first, refusal, last = read(good, bad, good)
    assert isinstance(first, RecordedSession)
    assert isinstance(last, RecordedSession)
    assert refusal.line == 2
    assert refusal.file.endswith("results.jsonl.gz")
    assert refusal.reason.startswith(reason)


def test_its_files_are_known_by_their_names(tmp_path):
    """Plain and compressed ones; other files are none."""
    names = ("results.jsonl", "results.jsonl.gz", "results.jsonl.zst")
    assert all(fits(tmp_path / name, SOURCE.patterns) for name in names)
    others = ("results.jsonl.bak", "other.jsonl", "results.jsonl.gz.md5")
    assert not any(fits(tmp_path / name, SOURCE.patterns) for name in others)


@pytest.mark.parametrize(
    ("value", "sureness"),
    [
        (line(("user", "q")), 1.0),
        ({"state": 1, "task": {}}, 0.0),
        ({"session": "s", "text": "t"}, 0.0),
        ([], 0.0),
    ],
)
def test_it_is_recognised_by_what_its_lines_hold(value, sureness):
    assert SOURCE.recognise(Sample(Path("x"), b"", (value,))) == sureness


def test_a_file_without_folders_above_it_is_read_too(tmp_path, monkeypatch):
    """Only its sessions' names say less."""
    path = tmp_path / "results.jsonl"
    path.write_text(json.dumps(line(("user", "q"), ("assistant", "a"))))
    (session,) = read_mint(path)
    assert session.external_id.endswith("/7")
    assert len(session.turns) == 1


@pytest.mark.parametrize(("form", "parser"), [('"```python" tag', "mint-fences"), ('"<execute>" tag', "")])
def test_the_prompt_says_how_the_model_was_to_write_code(read, ledger, form, parser):
    """Some models were prompted for fences; what chose the parser is recorded, and a prompt that doesn't say so changes nothing."""
    prompt = f"Your code should be enclosed using {form}, for example: …"
    (session,) = read(line(("user", prompt), ("assistant", "```python\nprint(1)\n```")))
    assert session.parser == parser
    assert ("parser_because" in session.metadata) is bool(parser)
    al.import_sessions(ledger, [session])
    asked = "SELECT parser_name, outcome FROM parse_attempts"
    assert ledger.sql(asked).fetchall() == [(parser or "mint", "clean" if parser else "failed")]
