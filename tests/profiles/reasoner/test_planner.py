"""What the planner's model is asked. Pure."""

from actionledger.profiles.reasoner.chains import NO_CHAINS
from actionledger.profiles.reasoner.context import user_input
from actionledger.profiles.reasoner.planner import instructions, question
from actionledger.profiles.reasoner.registry import ActionRegistry
from actionledger.profiles.reasoner.store import Persona


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
