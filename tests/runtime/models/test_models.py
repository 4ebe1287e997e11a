"""What every model does, whichever is behind the protocol."""

import pytest

from actionledger import Runtime, open_ledger
from actionledger.core.errors import UsageError
from actionledger.reading.messages import read_message
from actionledger.runtime.models import Chunk, Completion, Message, ModelError, RecordedModel, ScriptedModel

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
