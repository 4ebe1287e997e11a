"""What every model does, and the scripted one."""

from itertools import repeat
from pathlib import Path

import pytest

from actionledger import Runtime, open_ledger
from actionledger.core.errors import SourceError, UsageError
from actionledger.reading.messages import read_message
from actionledger.runtime.models import (
    Asked,
    BrokenResponseError,
    Chunk,
    Completion,
    Message,
    ModelError,
    NoMoreResponsesError,
    RecordedModel,
    ScriptedModel,
)

TEXTS = ["Hello, this is a text of more than one piece 😀.", "", "Bye."]
KINDS = ["live", "recorded", "scripted"]


@pytest.fixture(params=KINDS)
def model(request, server, client, tmp_path):
    """A model of each kind that gives three responses and then can't go on."""
    if request.param == "scripted":
        yield ScriptedModel(TEXTS, name="m")
    elif request.param == "live":
        yield _LivePlan(server, client(retries=0))
    else:
        with (
            open_ledger(tmp_path / "l.duckdb") as ledger,
            Runtime("mint", ledger=ledger, model="m") as runtime,
        ):
            for text in TEXTS:
                runtime.handle(text)
            yield RecordedModel(ledger, runtime.session_id)


class _LivePlan:
    """A live model whose server answers in the way that it is asked."""

    def __init__(self, server, model):
        self.server, self.model, self.texts, self.name = server, model, list(TEXTS), model.name

    def complete(self, messages, **given):
        if self.texts:
            self.server.whole({"role": "assistant", "content": self.texts.pop(0)})
        return self.model.complete(messages, **given)

    def stream(self, messages, **given):
        if self.texts:
            words = self.texts.pop(0).split(" ")
            pieces = [words[0], *(f" {word}" for word in words[1:])]
            self.server.stream(*map(self.server.piece, pieces), self.server.DONE)
        return self.model.stream(messages, **given)


def test_responses_come_in_their_order_whole(model, hello):
    """Each request gives the next text, as a message that the provider reader takes."""
    found = [model.complete(hello) for _ in TEXTS]
    assert all(isinstance(completion, Completion) for completion in found)
    assert [completion.text for completion in found] == TEXTS
    assert [read_message(completion.message).text for completion in found] == TEXTS
    assert [completion.as_message() for completion in found] == [Message("assistant", text) for text in TEXTS]


def test_responses_come_in_their_order_in_pieces(model, hello):
    """The pieces together are the text, and the last one alone carries the completion."""
    for text in TEXTS:
        pieces = list(model.stream(hello, tools=[], stop=["x"]))
        assert all(isinstance(piece, Chunk) for piece in pieces)
        assert "".join(piece.text for piece in pieces) == text == pieces[-1].completion.text
        assert [piece.completion for piece in pieces[:-1]] == [None] * (len(pieces) - 1)
    long = next(iter(TEXTS))
    assert len(long) > 16


def test_a_stream_has_more_than_one_piece(model, hello):
    """Whoever is written against a recorded model meets pieces, as with a live one."""
    assert len([piece for piece in model.stream(hello) if piece.text]) > 1


def test_a_stream_can_be_closed(model, hello):
    """After that the model can be asked again."""
    chunks = model.stream(hello)
    assert next(chunks).text
    chunks.close()
    assert model.complete(hello).text == TEXTS[1]


@pytest.mark.parametrize("way", ["complete", "stream"])
def test_a_model_that_cannot_go_on_says_so(model, hello, way):
    """It is one kind of error for all of them, and its text is one for people."""
    for _ in TEXTS:
        model.complete(hello)
    with pytest.raises(ModelError) as caught:
        list(getattr(model, way)(hello))
    assert len(str(caught.value)) > 40
    assert caught.value.partial is None


def test_the_name_is_the_models(model):
    """It is what a record says of it."""
    assert model.name == "m"


def test_a_message_has_a_role_that_exists():
    """A mistyped role is the developer's to mend, before a server refuses it."""
    with pytest.raises(UsageError, match="'bot'; use one of: system, user, assistant, tool"):
        Message("bot", "x")


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
