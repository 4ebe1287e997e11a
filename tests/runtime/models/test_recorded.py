"""The recorded model: a session's responses once more, and a strict look at what it is shown."""

import re

import pytest

from actionledger import Runtime
from actionledger.core.errors import UsageError
from actionledger.runtime.models import Message, NoMoreResponsesError, RecordedModel, ReplayDivergedError

ASK = "Compute it. My key is sk-abcdefghij0123456789abcdef and half a \ud83d."
TEXTS = ["<solution>7</solution>", "<execute>1</execute>", "Well."]


@pytest.fixture
def session(ledger):
    """A recorded session of three turns: its id and the messages that the model was shown last in each."""
    with Runtime("mint", ledger=ledger, model="kestrel") as runtime:
        first = runtime.handle(TEXTS[0], prompt=ASK)
        runtime.handle(TEXTS[1])
        runtime.handle(TEXTS[2], prompt="And now?")
        return runtime.session_id, [ASK, first.feedback, "And now?"]


def test_the_same_messages_give_the_same_session(ledger, session):
    """Strict or not; secrets that the ledger masked in a prompt make no difference."""
    session_id, prompts = session
    model = RecordedModel(ledger, session_id, strict=True)
    assert [model.complete([Message("user", prompt)]).text for prompt in prompts] == TEXTS
    assert model.name == "kestrel"


@pytest.mark.parametrize("turn", [0, 1, 2])
def test_strict_refuses_another_message(ledger, session, turn):
    """It says at which turn and character, and what stands there and here; the turn can be asked for again."""
    session_id, prompts = session
    model = RecordedModel(ledger, session_id, strict=True)
    for prompt in prompts[:turn]:
        model.complete([Message("user", prompt)])
    with pytest.raises(ReplayDivergedError) as caught:
        list(model.stream([Message("user", prompts[turn][:5] + "!!" + prompts[turn][5:])]))
    assert f"Turn {turn} was recorded after another message: at character 5 " in str(caught.value)
    assert re.search("and not with ['\"]!!", str(caught.value))
    assert model.complete([Message("user", prompts[turn])]).text == TEXTS[turn]


@pytest.mark.parametrize("messages", [[], [Message("user", "Comp")]])
def test_strict_refuses_less_than_was_recorded(ledger, session, messages):
    """No message, or the beginning of the recorded one, is another one."""
    model = RecordedModel(ledger, session[0], strict=True)
    with pytest.raises(ReplayDivergedError, match="and not with ''"):
        model.complete(messages)


def test_lenient_takes_any_message(ledger, session):
    """A replay under another parser gets other feedback; the responses stay."""
    model = RecordedModel(ledger, session[0])
    assert [model.complete([]).text for _ in TEXTS] == TEXTS
    with pytest.raises(NoMoreResponsesError, match="has 3 recorded responses, and all were given"):
        model.complete([])


def test_a_prompt_that_nobody_recorded_is_not_compared(ledger):
    """The first turn of a session often has none."""
    with Runtime("mint", ledger=ledger) as runtime:
        runtime.handle("Hm.")
    model = RecordedModel(ledger, runtime.session_id, strict=True)
    assert model.complete([Message("user", "anything")]).text == "Hm."


def test_strict_refuses_a_text_that_was_changed_for_the_record(ledger):
    """A response in which a secret was masked is not what the model wrote."""
    with Runtime("mint", ledger=ledger) as runtime:
        runtime.handle("sk-abcdefghij0123456789abcdef")
    with pytest.raises(ReplayDivergedError, match="Turn 0 is not recorded exactly"):
        RecordedModel(ledger, runtime.session_id, strict=True).complete([])
    assert set(RecordedModel(ledger, runtime.session_id).complete([]).text) == {"*"}


@pytest.mark.parametrize("session_id", ["sample-1", "018f0000-0000-7000-8000-000000000000"])
def test_a_session_that_is_not_there(ledger, session_id):
    """The operator hears how to find the ones that are."""
    with pytest.raises(UsageError, match="actionledger show"):
        RecordedModel(ledger, session_id)
