"""A model that thinks aloud: what it thought is never spoken, kept or looked up, whatever it marks its thoughts with."""

import pytest

from actionledger.profiles.reasoner import AgentText
from actionledger.runtime.models import ScriptedModel

from .conftest import plan

THOUGHTS = {
    "tags": "<think>Pick #9 of them.</think>\n\n{}",
    "a lone end": "Pick #9 of them.\n</think>\n\n{}",
    "a lone end in a sentence": "pick #9 </think> {}",
    "channels": "<|channel|>analysis<|message|>Pick #9.<|end|><|start|>assistant<|channel|>final<|message|>{}<|return|>",
    "capitals": "<THINK>Pick #9.</THINK>\n{}",
    "another tag": "<scratchpad>\nPick #9.\n</scratchpad>\n{}",
    "two tags": "<reflection>Pick</reflection><thought>#9</thought>{}",
    "another one's end": "<think>Pick #9.</thinking>{}",
    "a response in tokens": "<|START_THINKING|>Pick #9.<|END_THINKING|><|START_RESPONSE|>{}<|END_RESPONSE|>",
    "a fence": "```thinking\nPick #9.\n```\n{}",
    "folded": '<details type="reasoning"><summary>Thought for 2 seconds</summary>Pick #9.</details>\n\n{}',
    "MedGemma's tokens": "<unused94>thought\nPick #9.<unused95>{}",
    "blanks in tags": "< think >Pick #9.</ think >{}",
    "a turn's tokens": "<|im_start|>assistant\n<think>Pick #9.</think>\n{}<|im_end|>",
    "an answer's tag": "<think>Pick #9.</think><answer>{}</answer>",
    "a response's tag": "<think>Pick #9.</think>\n<response>\n{}\n</response>",
    "a solution's tokens": "<|begin_of_thought|>Pick #9.<|end_of_thought|><|begin_of_solution|>{}<|end_of_solution|>",
    "channels without tokens": "analysisPick #9.assistantfinal{}",
}

KEEPING = (
    "add_memory",
    "add_goal",
    "add_desire",
    "update_environment",
    "update_appearance",
    "think",
    "speak",
)


@pytest.mark.parametrize("form", THOUGHTS.values(), ids=THOUGHTS)
@pytest.mark.parametrize("name", KEEPING)
def test_what_is_thought_is_not_kept(reasoner, form, name):
    """Each executor takes what is said, in every way in which models mark their thoughts."""
    robin = reasoner(plan((name, "It.")), form.format("Hello."))
    events = list(robin.process("Well?"))
    told = [getattr(event, "content", getattr(event, "result", "")) for event in events]
    assert [each.removeprefix("#1 ") for each in told if each] == ["Hello."]
    persona = robin.store.persona
    kept = [entry.text for part in ("memories", "goals", "desires") for entry in persona.entries(part)]
    kept += filter(None, (persona.environment, persona.appearance))
    kept += [line.text for line in robin.store.conversation(9) if line.who != "User"]
    assert kept == ([] if name == "think" else ["Hello."])


@pytest.mark.parametrize("form", THOUGHTS.values(), ids=THOUGHTS)
def test_a_number_in_thoughts_is_none(reasoner, form):
    """What is to be removed is what the answer says, and the mood too."""
    robin = reasoner(
        plan(("add_memory", "a"), ("remove_memory", "b"), ("update_mood", "c")),
        "One.",
        form.format("#1"),
        form.format('{"mood": "glad", "intensity": "low"}'),
    )
    list(robin.process("Well?"))
    assert robin.store.persona.entries("memories") == ()
    assert (robin.store.persona.mood, robin.store.persona.intensity) == ("glad", "low")


def test_a_thought_alone_is_what_thinking_comes_to(reasoner):
    """Of a model that was asked for its thoughts, and gave just those."""
    robin = reasoner(plan(("think", "x")), "<think>They sound sad.</think>")
    assert list(robin.process("Well?")) == [AgentText("They sound sad.", is_thought=True)]


def test_thoughts_without_an_answer_are_told_and_asked_again(reasoner):
    """Nothing is spoken then but what comes behind them."""
    model = ScriptedModel([plan(("speak", "x")), "<think>Greet them", "<think>Yes.</think>Hello."])
    assert list(reasoner(model=model).process("Well?")) == [AgentText("Hello.", is_thought=False)]
    assert "thoughts and nothing behind them" in model.asked[-1].messages[-1].content


@pytest.mark.parametrize(
    "text",
    [
        "Say `</think>` to end it.",
        "I < you > me.",
        "It was <s>red</s>",
        "<output>a</output>, then <output>b</output>",
        "My analysis: all is well.",
    ],
)
def test_what_is_said_of_thoughts_stays(reasoner, text):
    """A tag that is named is no thought."""
    assert list(reasoner(plan(("speak", "x")), text).process("?")) == [AgentText(text, is_thought=False)]


@pytest.mark.parametrize(
    ("intensity", "felt"),
    [('"High"', "high"), ('"LOW "', "low"), ('"very high"', "high"), ('"Medium."', "medium")],
)
def test_an_intensity_in_other_letters_is_known(reasoner, intensity, felt):
    """There is one that is plainly meant."""
    robin = reasoner(plan(("update_mood", "x")), f'{{"mood": "sad", "intensity": {intensity}}}')
    list(robin.process("Well?"))
    assert (robin.store.persona.mood, robin.store.persona.intensity) == ("sad", felt)


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        ('{"mood": "sad", "intensity": 7}', "names the mood 'sad', but '7' is not an intensity"),
        ('{"mood": "sad"}', "names the mood 'sad' and no intensity"),
        ('{"mood": "sad", "intensity": "low to high"}', "'low to high' is not an intensity"),
        ("I am sad.", "no JSON object with a text as \"mood\": 'I am sad.'"),
    ],
)
def test_what_is_wrong_with_a_mood_is_named_and_asked_again(reasoner, answer, wrong):
    """A mood that was named is not said to be missing, and the model gets another try."""
    model = ScriptedModel([plan(("update_mood", "x")), answer, '{"mood": "sad", "intensity": "high"}'])
    robin = reasoner(model=model)
    list(robin.process("Well?"))
    assert wrong in model.asked[-1].messages[-1].content
    assert robin.store.persona.intensity == "high"
