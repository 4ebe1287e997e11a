"""What the planner is asked, and asked again where it didn't get it right."""

import pytest

from actionledger.core.errors import UsageError
from actionledger.profiles.reasoner import ActionSystemEvent, AgentText, ToolStarted, load_chains
from actionledger.profiles.reasoner.chains import NO_CHAINS
from actionledger.profiles.reasoner.context import user_input
from actionledger.profiles.reasoner.planner import instructions, question
from actionledger.profiles.reasoner.registry import ActionRegistry
from actionledger.profiles.reasoner.store import Persona
from actionledger.runtime.models import ScriptedModel

from .conftest import plan

NO_PLANS = [
    "I will think about their tone, and then comfort them.",
    '```json\n{"plan": [{"action": "think", "context": "x"}]}\n```',
    '```json\n["think", "speak"]\n```',
    '[{"action": "think", "context": "x"}]',
    "",
]

COMFORT = """
[comfort]
when = "The user is sad."
[[comfort.actions]]
action = "think"
context = "What they need."
[[comfort.actions]]
action = "speak"
context = "Comfort them."
"""


def types(events) -> list[str]:
    return [event.event_type for event in events if isinstance(event, ActionSystemEvent)]


@pytest.mark.parametrize("text", NO_PLANS)
def test_a_response_without_a_plan_is_told_and_asked_again(reasoner, ledger, text):
    """The watcher gets an event, the planner how a plan is written, and what it plans then is done."""
    model = ScriptedModel([text, plan(("speak", "x")), "Hello."])
    events = list(reasoner(model=model, ledger=ledger).process("Well?"))
    assert types(events) == ["plan_unreadable"]
    assert events[-1] == AgentText("Hello.", is_thought=False)
    asked = model.asked[1].messages[-1].content
    assert "holds no plan" in asked
    assert '{"actions": [{"action": "think"' in asked
    turn_ids = {str(row[0]) for row in ledger.sql("SELECT turn_id FROM turns").fetchall()}
    assert events[0].action_sequence_id in turn_ids


@pytest.mark.parametrize("text", [NO_PLANS[0], plan(("sing", "x")), plan(("sing", "x"), can_extend=True)])
def test_nothing_comes_of_asking_again_and_again(reasoner, text):
    """It is asked some times, and then the watcher is told why nothing more follows."""
    model = ScriptedModel([text] * 9)
    events = list(reasoner(model=model).process("Well?"))
    assert len(model.asked) in {2, 3}
    assert types(events)[-1] == "planning_failed"


def test_unreadable_plans_are_counted_in_a_row(reasoner):
    """One that can be read begins the count anew, and none of them counts as a sequence."""
    bad, good = "Hm.", plan(("think", "x"), can_extend=True)
    model = ScriptedModel([bad, bad, good, "One.", bad, bad, plan(("speak", "y")), "Two."])
    events = list(reasoner(model=model, max_sequences=2).process("Well?"))
    assert [event.content for event in events if isinstance(event, AgentText)] == ["One.", "Two."]
    assert types(events) == ["plan_unreadable"] * 4


@pytest.mark.parametrize("can_extend", [True, False])
def test_refused_actions_are_told_before_it_ends(reasoner, can_extend):
    """Whether the plan may be extended or not, and whatever else of it was done."""
    model = ScriptedModel([plan(("sing", "x"), can_extend=can_extend), plan(("speak", "y")), "La."])
    events = list(reasoner(model=model, max_sequences=1).process("Sing!"))
    assert "Action 1 (sing) refused" in model.asked[1].messages[-1].content
    assert events[-1] == AgentText("La.", is_thought=False)


def test_refused_actions_are_told_once(reasoner):
    """A plan of which something was done ends then, however often it names what there is not."""
    model = ScriptedModel(
        [plan(("sing", "x"), ("think", "a")), "Hm.", plan(("sing", "x"), ("think", "b")), "Ha."]
    )
    events = list(reasoner(model=model).process("Sing!"))
    assert len(model.asked) == 4
    assert types(events) == ["action_refused"] * 2


def test_what_is_refused_beside_done_is_told_too(reasoner):
    """And what is planned then is carried out: the end that was planned stood behind what was refused."""
    model = ScriptedModel([plan(("sing", "x"), ("done", "")), plan(("speak", "y")), "La."])
    events = list(reasoner(model=model).process("Sing!"))
    assert events[-1] == AgentText("La.", is_thought=False)


@pytest.mark.parametrize(("name", "known"), [("THINK", "think"), ("Think", "think"), ("SPEAK", "speak")])
def test_names_are_read_in_any_capitals(reasoner, ledger, name, known):
    """Recorded as written, run as what is meant."""
    robin = reasoner(plan((name, "x")), "Hm.", ledger=ledger)
    assert [event.content for event in robin.process("Well?")] == ["Hm."]
    assert ledger.sql("SELECT name, status FROM actions").fetchall() == [(name, "coerced")]
    assert ledger.sql("SELECT name, status FROM executions").fetchall() == [(known, "succeeded")]


def test_a_planned_chain_is_carried_out(reasoner, tmp_path, ledger):
    """By its name, like an action; its own actions are recorded like planned ones."""
    (tmp_path / "chains.toml").write_text(COMFORT)
    chains = load_chains(tmp_path / "chains.toml")
    model = ScriptedModel(
        [plan(("update_environment", "x"), {"action": "Comfort"}), "The garden.", "Sad.", "There, there."]
    )
    events = list(reasoner(model=model, chains=chains, ledger=ledger).process("I lost my job."))
    assert [event.tool_name for event in events if isinstance(event, ToolStarted)] == [
        "update_environment",
        "comfort",
    ]
    assert [event.content for event in events if isinstance(event, AgentText)] == ["Sad.", "There, there."]
    names = ledger.sql("SELECT name FROM executions ORDER BY started_at").fetchall()
    assert names == [("update_environment",), ("comfort",), ("think",), ("speak",)]


def test_what_came_of_a_chain_is_told(reasoner, tmp_path):
    """A plan that may be extended goes on with it."""
    (tmp_path / "chains.toml").write_text(COMFORT)
    model = ScriptedModel([plan(("comfort", "x"), can_extend=True), "Sad.", "There, there.", plan()])
    chains = load_chains(tmp_path / "chains.toml")
    list(reasoner(model=model, chains=chains).process("I lost my job."))
    assert "There, there." in model.asked[-1].messages[-1].content


def test_a_chain_can_have_no_action_s_name(tmp_path):
    """Else nobody knew which of them a plan names."""
    (tmp_path / "chains.toml").write_text(COMFORT.replace("comfort", "Think"))
    with pytest.raises(UsageError, match="an action has that name"):
        load_chains(tmp_path / "chains.toml")


def test_it_is_told_who_it_is_and_what_it_can_do():
    """The persona's name, then all of the planning guidance, and that each action needs its context."""
    registry = ActionRegistry()
    told = instructions(registry, Persona(name="Ada"), NO_CHAINS, [])
    assert told.role == "system"
    assert told.content.startswith("I am Ada, deciding what actions to take.")
    assert registry.get_planning_guidance() in told.content
    assert "the context that it should focus on" in told.content


def test_it_is_asked_what_to_do_about_what_has_happened():
    """State first, then what was said before, what happened, and the question."""
    asked = question(user_input("It rains."), Persona(mood="calm"), [])
    assert asked.role == "user"
    places = [
        asked.content.index(part) for part in ("Mood: calm", "(nothing yet)", "It rains.", "What should I")
    ]
    assert places == sorted(places)
