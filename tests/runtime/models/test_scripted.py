"""The scripted model: what it gives, what it remembers, and scripts in files."""

from itertools import repeat
from pathlib import Path

import pytest

from actionledger.core.errors import SourceError
from actionledger.runtime.models import (
    Asked,
    BrokenResponseError,
    Completion,
    Message,
    NoMoreResponsesError,
    ScriptedModel,
)

SAMPLES = Path(__file__).parents[3] / "data" / "sessions.jsonl"


def test_it_remembers_what_it_was_asked(hello):
    """A test can look at every request, the refused one included."""
    model = ScriptedModel(["a"])
    tools = [{"type": "function"}]
    model.complete(hello, tools=tools, stop=["x"])
    with pytest.raises(NoMoreResponsesError, match="'scripted' is at its end after 1 requests"):
        list(model.stream(hello[:1]))
    assert model.asked == [Asked(tuple(hello), tools, ["x"]), Asked((hello[0],), None, None)]


def test_a_completion_is_given_as_it_is(hello):
    """Calls, thoughts and usage can be scripted, too."""
    said = Completion(
        "Hi", "tool_calls", None, "x", 1.0, {"content": "Hi", "tool_calls": [{"id": "1"}]}, "Hm."
    )
    model = ScriptedModel([said, said], piece=1)
    assert model.complete(hello) is said
    pieces = list(model.stream(hello))
    assert [(piece.reasoning, piece.text) for piece in pieces] == [
        ("Hm.", ""),
        ("", "H"),
        ("", "i"),
        ("", ""),
    ]
    assert pieces[-1].completion is said
    assert said.as_message().tool_calls == ({"id": "1"},)


def test_an_error_is_raised_after_what_came_before_it(hello):
    """A loop can be tested against a stream that breaks."""
    partial = Completion("Hel", None, None, "x", 1.0, {"content": "Hel"})
    error = BrokenResponseError("cut", partial=partial)
    model = ScriptedModel([error, error, OSError("no")])
    texts = []
    with pytest.raises(BrokenResponseError, match="cut"):
        texts.extend(piece.text for piece in model.stream(hello))
    assert texts == ["Hel"]
    with pytest.raises(BrokenResponseError):
        model.complete(hello)
    with pytest.raises(OSError, match="no"):
        list(model.stream(hello))


def test_a_script_may_go_on_without_end(hello):
    """Its responses are taken one by one."""
    model = ScriptedModel(repeat("again"))
    assert [model.complete(hello).text for _ in range(3)] == ["again"] * 3


def test_a_file_holds_texts_and_objects(tmp_path, hello):
    """Blank lines are passed over; the file's name is the model's."""
    path = tmp_path / "play.jsonl"
    path.write_text('"a\u2028b"\n\n{"text": "c", "session": "s"}\n', encoding="utf-8")
    model = ScriptedModel.from_file(path)
    assert [model.complete(hello).text for _ in range(2)] == ["a\u2028b", "c"]
    assert model.name == "play"


def test_the_sample_sessions_are_a_script(hello):
    """What the format ``jsonl`` has can be played as it is."""
    assert "```json" in ScriptedModel.from_file(SAMPLES).complete([Message("user", "Go on.")]).text


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"nonsense", ":2: the line is not JSON"),
        (b"7", ":2: a line is a text, or an object"),
        (b'{"text": 7}', ":2: a line is a text, or an object"),
        (b"[" * 100_000, ":2: the line is not JSON"),
        (b"\xff", "can't be read"),
    ],
)
def test_a_script_that_cannot_be_read(tmp_path, content, words):
    """The operator hears file, line and what is wrong, before anything is played."""
    path = tmp_path / "bad.jsonl"
    path.write_bytes(b'"good"\n' + content)
    with pytest.raises(SourceError) as caught:
        ScriptedModel.from_file(path)
    assert words in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_script_that_is_not_there(tmp_path):
    """A missing file is the operator's to mend."""
    with pytest.raises(SourceError, match="No such file"):
        ScriptedModel.from_file(tmp_path / "none.jsonl")
