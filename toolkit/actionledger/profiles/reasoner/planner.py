"""What the planner's model is asked: who it is, what it can do, what has happened, and what comes next. Pure."""

from collections.abc import Mapping, Sequence

from actionledger.actions.guidance import REFERENCE_RULES
from actionledger.profiles.reasoner.chains import Chain
from actionledger.profiles.reasoner.learning import Suggestion
from actionledger.profiles.reasoner.persona import Persona
from actionledger.profiles.reasoner.registry import ActionRegistry
from actionledger.profiles.reasoner.store import Line
from actionledger.profiles.reasoner.triggers import Trigger
from actionledger.reading.dialects import dialect_named
from actionledger.runtime.models import Message


def instructions(
    registry: ActionRegistry,
    persona: Persona,
    chains: Mapping[str, Chain],
    learned: Sequence[Suggestion],
) -> Message:
    """Return what the planner is told once: its actions, how they are written, and what is known of them."""
    dialect = dialect_named("plan")
    rules = "\n".join(f"- {rule}" for rule in (*dialect.rules, *REFERENCE_RULES))
    parts = [
        f"I am {persona.name}, deciding what actions to take.",
        f"Available actions:\n{registry.get_planning_guidance()}",
        f"How to write them:\n{rules}\n\n{dialect.example}",
        (
            "For each action I plan, I give the context that it should focus on in this situation. I need not speak, and "
            "I may do nothing: then the list is empty."
        ),
    ]
    if chains:
        listed = "\n".join(chain.described for chain in chains.values())
        parts.append(
            "Known sequences, each an action by its name; it is carried out when the sequence that names it is over:\n"
            + listed
        )
    if learned:
        parts.append("From earlier sessions:\n" + "\n".join(f"- {each}" for each in learned))
    return Message("system", "\n\n".join(parts))


def question(trigger: Trigger, persona: Persona, conversation: Sequence[Line]) -> Message:
    """Return what the planner is asked first."""
    said = "\n".join(line.described for line in conversation) or "(nothing yet)"
    return Message(
        "user",
        f"{persona.described()}\n\nConversation:\n{said}\n\n{trigger.described}\n\nWhat should I do next?",
    )


def further(feedback: str, persona: Persona) -> Message:
    """Return what the planner is asked when its sequence is over and may go on."""
    return Message(
        "user",
        f"{feedback}\n\n{persona.described()}\n\nWhat should I do next? If nothing, the list of actions is empty.",
    )


def unplanned(feedback: str) -> Message:
    """Return what the planner is asked when its response holds no plan."""
    said = f"{feedback}\n\n" if feedback else ""
    return Message(
        "user",
        f"{said}Your response holds no plan, so nothing was done. This is how one is written:\n"
        f"{dialect_named('plan').example}\n\nWhat should I do next? If nothing, the list of actions is empty.",
    )
