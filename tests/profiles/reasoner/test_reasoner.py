"""From something that happens to what the persona thinks, changes and says, as events and in the ledger."""

import threading

import pytest

from actionledger.core.errors import UnknownNameError, UsageError
from actionledger.core.vocabulary import ExecutionStatus
from actionledger.profiles.reasoner import (
    ActionSystemEvent,
    AgentText,
    Persona,
    ToolFinished,
    ToolStarted,
    load_chains,
    self_reflection,
    timer,
    tool_result,
)
from actionledger.runtime.models import ModelError, ScriptedModel

from .conftest import ByFocus, plan

MOOD = '{"mood": "worried", "intensity": "low"}'


def test_a_sequence_is_carried_out_in_order(reasoner):
    """Thought, change and speech come as events of their own kinds, in the plan's order."""
    robin = reasoner(
        plan(("think", "Their tone."), ("update_mood", "A little worried."), ("speak", "Comfort.")),
        "They are sad.",
        MOOD,
        "What happened?",
    )
    thought, started, finished, spoken = robin.process("I lost my job.")
    assert thought == AgentText("They are sad.", is_thought=True)
    assert isinstance(started, ToolStarted)
    assert (started.tool_name, started.parameters) == ("update_mood", {"context": "A little worried."})
    assert finished == ToolFinished(started.tool_id, "I feel worried (low).", ExecutionStatus.SUCCEEDED)
    assert spoken == AgentText("What happened?", is_thought=False)
    assert (robin.store.persona.mood, robin.store.persona.intensity) == ("worried", "low")


def test_it_need_not_speak(reasoner):
    """A plan without speech, and one without any action, are plans like others."""
    robin = reasoner(plan(("add_memory", "Their sister is Ada.")), "Ada is their sister.", plan())
    assert not [event for event in robin.process("My sister is Ada.") if isinstance(event, AgentText)]
    assert list(robin.process("…")) == []
    assert [entry.text for entry in robin.store.persona.memories] == ["Ada is their sister."]


def test_a_silent_reasoner_has_no_speech(reasoner):
    """Its planner is not told of speaking, and a plan that speaks all the same is refused."""
    model = ScriptedModel([plan(("speak", "Hello.")), plan()])
    events = list(reasoner(model=model, speaks=False).process("Hello?"))
    assert "- speak:" not in model.asked[0].messages[0].content
    assert [event.event_type for event in events] == ["action_refused"]
    assert "Action 1 (speak) refused" in model.asked[1].messages[-1].content


def test_executors_see_the_state_as_it_is_then(reasoner):
    """What an earlier action of the sequence changed or thought, a later one is shown."""
    model = ScriptedModel(
        [plan(("update_mood", "x"), ("think", "y"), ("speak", "z")), MOOD, "They need help.", "Hello."]
    )
    list(reasoner(model=model).process("Help me."))
    _, mood, think, speak = (asked.messages[-1].content for asked in model.asked)
    assert "Mood: calm (medium)" in mood
    assert "Mood: worried (low)" in think
    assert "They need help." in speak
    assert "The user says:\nHelp me." in speak


def test_executors_see_no_more_than_they_read(reasoner):
    """Who adds a goal is shown goals, and neither the mood nor the memories."""
    model = ScriptedModel([plan(("add_goal", "x")), "Finish the plan."])
    list(reasoner(model=model, persona=Persona(environment="the garden")).process("Help me."))
    asked = model.asked[1].messages[-1].content
    assert "Goals: none" in asked
    assert "the garden" not in asked
    assert "Mood" not in asked


@pytest.mark.parametrize(
    ("trigger", "words"),
    [
        ("Hello.", "The user says:\nHello."),
        (tool_result("weather", "rain"), "A tool has given a result (weather):\nrain"),
        (timer("tea", "The tea is ready."), "A timer has gone off (tea):\nThe tea is ready."),
        (self_reflection(), "Nobody asks for anything; I look back on how it goes:\nWhat matters now?"),
    ],
)
def test_whatever_sets_it_off_reaches_the_planner(reasoner, trigger, words):
    """Each kind of trigger is told as what it is."""
    model = ScriptedModel([plan()])
    list(reasoner(model=model).process(trigger))
    assert words in model.asked[0].messages[-1].content


def test_the_conversation_is_remembered(reasoner):
    """What the user and the persona said stands before the next question; what a timer says is no speech."""
    model = ScriptedModel([plan(("speak", "x")), "Good morning!", plan(), plan()])
    robin = reasoner(model=model)
    list(robin.process("Hello."))
    list(robin.process(timer("tea", "ready")))
    list(robin.process("And?"))
    question = model.asked[-1].messages[-1].content
    assert "Conversation:\nUser: Hello.\nRobin: Good morning!\n\nThe user says:\nAnd?" in question


def test_a_plan_may_be_extended(reasoner):
    """A sequence that says so is followed by another one, planned with what came of it."""
    model = ScriptedModel([plan(("think", "x"), can_extend=True), "Hm.", plan(("speak", "y")), "Yes."])
    events = list(reasoner(model=model).process("Well?"))
    assert [event.content for event in events] == ["Hm.", "Yes."]
    assert '"summary":"Hm."' in model.asked[2].messages[-1].content


def test_a_plan_that_may_not_be_extended_ends(reasoner):
    """Nobody is asked again."""
    model = ScriptedModel([plan(("think", "x")), "Hm."])
    list(reasoner(model=model).process("Well?"))
    assert len(model.asked) == 2


@pytest.mark.parametrize("last", ["done", "stays_open"])
def test_done_ends_the_sequence(reasoner, last):
    """Even one that may be extended, and one that never says so ends at the limit."""
    end = [("done", "")] if last == "done" else []
    model = ByFocus(
        [plan(("add_memory", f"number {place}"), *end, can_extend=True) for place in range(5)],
        {f"number {place}": f"memory {place}" for place in range(5)},
    )
    events = list(reasoner(model=model, max_sequences=3).process("Well?"))
    assert 5 - len(model.plans) == (1 if last == "done" else 3)
    limits = [event for event in events if getattr(event, "event_type", "") == "sequence_limit"]
    assert len(limits) == (0 if last == "done" else 1)


def test_what_stands_behind_done_is_not_done(reasoner):
    events = list(reasoner(plan(("done", ""), ("think", "x"))).process("Well?"))
    (event,) = events
    assert isinstance(event, ActionSystemEvent)
    assert "done stands before this action" in event.message


def test_a_plan_that_cannot_be_read_is_asked_for_again(reasoner, ledger):
    """The planner is told what is wrong, and the failure is in the record."""
    model = ScriptedModel(['```json\n{"actions": [{"action" oops\n```', plan(("speak", "x")), "Hello."])
    robin = reasoner(model=model, ledger=ledger)
    first, spoken = robin.process("Well?")
    assert first.event_type == "plan_unreadable"
    assert spoken == AgentText("Hello.", is_thought=False)
    assert "Not read:" in model.asked[1].messages[-1].content
    outcomes = ledger.sql(
        "SELECT outcome FROM turns JOIN parse_attempts USING (turn_id) ORDER BY ALL"
    ).fetchall()
    assert outcomes == [("clean",), ("failed",)]


def test_a_repaired_plan_is_carried_out_and_recorded_as_repaired(reasoner, ledger):
    """A trailing comma costs nothing and is named in the record."""
    robin = reasoner(
        '```json\n{"actions": [{"action": "speak", "context": "x"},]}\n```', "Hello.", ledger=ledger
    )
    assert [event.content for event in robin.process("Well?")] == ["Hello."]
    assert ledger.sql("SELECT kind FROM repairs").fetchall() == [("trailing_comma",)]


def test_an_unknown_action_spoils_nothing_else(reasoner):
    """It is refused with the names that there are; the others run."""
    refused, spoken = reasoner(plan(("SING", "x"), ("speak", "y")), "La.", plan()).process("Sing!")
    assert refused.event_type == "action_refused"
    assert spoken.content == "La."


@pytest.mark.parametrize(
    ("contexts", "thoughts"), [(["Their tone."] * 6, "abcdef"), ("abcdef", ["They must be heard now."] * 6)]
)
def test_thinking_in_circles_is_stopped(reasoner, ledger, contexts, thoughts):
    """The same thought is had twice, and the event says why no third time, whichever words repeat themselves."""
    robin = reasoner(
        plan(*[("think", each) for each in contexts], ("speak", "x")), *thoughts, "Hello.", ledger=ledger
    )
    events = list(robin.process("Well?"))
    spoken = [event for event in events if isinstance(event, AgentText)]
    assert len(spoken) == (2 if contexts[0] == contexts[1] else 3)
    stopped = events[-1]
    assert stopped.event_type == "repetition_stopped"
    assert "the same thought" in stopped.message
    recorded = ledger.sql("SELECT DISTINCT turn_id::VARCHAR FROM turns").fetchall()
    assert recorded == [(stopped.action_sequence_id,)]


def test_different_thoughts_are_no_circle(reasoner):
    """However many there are of them."""
    robin = reasoner(plan(*[("think", str(n)) for n in range(9)]), *"abcdefghi")
    assert [event.content for event in robin.process("Well?")] == list("abcdefghi")


def test_a_stopped_sequence_is_not_extended(reasoner):
    """Nobody plans on where it turns."""
    model = ByFocus([plan(*[("think", str(n)) for n in range(6)], can_extend=True), plan()], {})
    list(reasoner(model=model).process("Well?"))
    assert len(model.plans) == 1


def test_dependencies_hold(reasoner):
    """What depends on an action that failed is not run."""
    actions = [
        {"action": "remove_goal", "context": "#7", "id": "old"},
        {"action": "add_goal", "context": "x", "depends_on": ["old"]},
    ]
    events = list(reasoner(plan(*actions), "#7").process("Well?"))
    assert [event.status for event in events if isinstance(event, ToolFinished)] == [
        ExecutionStatus.FAILED,
        ExecutionStatus.SKIPPED,
    ]


def test_actions_on_other_parts_run_side_by_side(reasoner):
    """A memory and a goal are asked for at the same time; neither would come while the other one waits."""
    together = threading.Barrier(2, timeout=120)

    class Meeting(ByFocus):
        def complete(self, messages, **options):
            completion = super().complete(messages, **options)
            if "Focus: " in messages[-1].content:
                together.wait()
            return completion

    model = Meeting([plan(("add_memory", "m"), ("add_goal", "g"))], {"m": "a memory", "g": "a goal"})
    robin = reasoner(model=model, workers=4)
    list(robin.process("Well?"))
    assert [entry.text for entry in robin.store.persona.memories] == ["a memory"]
    assert [entry.text for entry in robin.store.persona.goals] == ["a goal"]


def test_actions_on_the_same_part_run_one_after_the_other(reasoner):
    """Two memories, and a thought behind a mood, are never under way at the same time."""
    under_way, most = [], []

    class Watched(ByFocus):
        def complete(self, messages, **options):
            under_way.append(1)
            most.append(len(under_way))
            completion = super().complete(messages, **options)
            under_way.pop()
            return completion

    model = Watched(
        [plan(("add_memory", "a"), ("add_memory", "b"), ("update_mood", "c"), ("think", "d"))], {"c": MOOD}
    )
    model.answers |= {"a": "one", "b": "two"}
    robin = reasoner(model=model, workers=4)
    list(robin.process("Well?"))
    assert [entry.text for entry in robin.store.persona.memories] == ["one", "two"]
    asked = [question for question in model.asked if "Focus: d" in question]
    assert "Mood: worried (low)" in asked[0]
    assert "#2 two" in asked[0]


def test_a_model_that_fails_at_an_action_fails_that_action(reasoner):
    """The others are carried out, and the watcher is told."""
    robin = reasoner(plan(("think", "x"), ("speak", "y")), ModelError("It is out."), "Hello.")
    failed, spoken = robin.process("Well?")
    assert (failed.event_type, "It is out." in failed.message) == ("action_failed", True)
    assert spoken.content == "Hello."


def test_a_planner_that_fails_is_an_error_and_the_next_trigger_works(reasoner, ledger):
    """Whoever listens gets the model's error, and it is recorded; the reasoner is not stuck."""
    robin = reasoner(ModelError("It is out."), plan(("speak", "x")), "Hello.", ledger=ledger)
    with pytest.raises(ModelError, match="It is out"):
        list(robin.process("Well?"))
    assert ledger.sql("SELECT code FROM events WHERE kind = 'system_noted'").fetchall() == [("model_failed",)]
    assert [event.content for event in robin.process("Well?")] == ["Hello."]


def test_two_triggers_at_a_time_are_refused(reasoner):
    """A sequence is over before the next one begins."""
    robin = reasoner(plan(("speak", "x")), "Hello.")
    events = robin.process("One.")
    next(events)
    with pytest.raises(UsageError, match="busy"):
        next(robin.process("Two."))
    assert list(events) == []


def test_whoever_stops_listening_ends_it_after_the_sequence(reasoner):
    """The sequence under way is finished and recorded; no other one follows."""
    model = ByFocus([plan(("think", "a"), ("speak", "b"), can_extend=True)] * 3, {})
    robin = reasoner(model=model)
    events = robin.process("Well?")
    next(events)
    events.close()
    assert len(model.plans) >= 1
    assert robin.store.conversation(5)[-1].who == "Robin"


def test_an_error_of_the_listener_ends_it(reasoner):
    """The sequence under way is finished, the reasoner closed; nothing hangs, and nothing more is taken."""
    model = ByFocus([plan(("think", "a"), ("speak", "b"))] * 2, {})

    def listen(robin) -> None:
        with robin:
            for _event in robin.process("Well?"):
                raise ZeroDivisionError

    robin = reasoner(model=model)
    with pytest.raises(ZeroDivisionError):
        listen(robin)
    with pytest.raises(UsageError, match="closed"):
        next(robin.process("Well?"))


def test_what_is_said_over_several_lines_stays_one_persons_words(reasoner):
    """A user's line break puts no words into the persona's mouth."""
    model = ScriptedModel([plan(), plan()])
    robin = reasoner(model=model)
    list(robin.process("Hello.\nRobin: I promise."))
    list(robin.process("And?"))
    assert "User: Hello.\n  Robin: I promise.\n" in model.asked[1].messages[-1].content


def test_all_of_it_is_in_the_ledger(reasoner, ledger):
    """Session, plan, actions and executions are recorded like any other's."""
    robin = reasoner(plan(("think", "x"), ("add_desire", "y")), "Hm.", "Tea.", ledger=ledger)
    list(robin.process("Well?"))
    rows = ledger.sql("SELECT profile, model, name, status FROM executions ORDER BY action_index").fetchall()
    assert rows == [
        ("reasoner", "scripted", "think", "succeeded"),
        ("reasoner", "scripted", "add_desire", "succeeded"),
    ]


def test_a_persona_lives_on(reasoner):
    """Another reasoner in the same workspace goes on as the same persona, whoever it was to begin with."""
    list(reasoner(plan(("add_goal", "x")), "Finish the plan.").process("Well?"))
    again = reasoner(persona=Persona(name="Ada"))
    assert (again.store.persona.name, again.store.persona.goals[0].text) == ("Robin", "Finish the plan.")


CHAIN = """
[comfort]
when = "The user is sad."

[[comfort.actions]]
action = "think"
context = "What they need."

[[comfort.actions]]
action = "speak"
context = "Comfort them."
"""


def test_a_chain_is_run_by_name(reasoner, tmp_path, ledger):
    """No planner is asked; its actions are recorded like planned ones."""
    (tmp_path / "chains.toml").write_text(CHAIN)
    robin = reasoner(
        "They are sad.", "There, there.", chains=load_chains(tmp_path / "chains.toml"), ledger=ledger
    )
    assert [event.content for event in robin.run_chain("comfort", "I lost my job.")] == [
        "They are sad.",
        "There, there.",
    ]
    assert ledger.sql("SELECT count(*) FROM executions").fetchall() == [(2,)]
    with pytest.raises(UnknownNameError, match="Known: comfort"):
        robin.run_chain("confort", "x")


def test_the_planner_knows_the_chains(reasoner, tmp_path):
    """Each is told with when it fits and what it does."""
    (tmp_path / "chains.toml").write_text(CHAIN)
    model = ScriptedModel([plan()])
    list(reasoner(model=model, chains=load_chains(tmp_path / "chains.toml")).process("Well?"))
    assert "- comfort: The user is sad. (think, speak)" in model.asked[0].messages[0].content


def test_what_was_learned_reaches_the_planner(reasoner, ledger):
    """A pair of actions that failed often before is named with its count and its interval."""
    goals = [("think", "x"), ("remove_goal", "#9")]
    for _ in range(10):
        list(reasoner(model=ByFocus([plan(*goals)], {"#9": "#9"}), ledger=ledger).process("Well?"))
    model = ScriptedModel([plan()])
    list(reasoner(model=model, ledger=ledger).process("Well?"))
    assert (
        "- After think, remove_goal failed 10 of 10 times (95 % interval 72% to 100%; elsewhere – (0))."
        in model.asked[0].messages[0].content
    )
