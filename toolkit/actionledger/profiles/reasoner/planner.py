"""The planner's prompt: persona, actions, events, and the lessons of earlier sessions, by count and interval. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from actionledger.actions.guidance import REFERENCE_RULES
from actionledger.core.rates import TOO_FEW, Rate
from actionledger.core.text import counted
from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.courses import Sequel, sequels
from actionledger.profiles.reasoner.chains import Chain
from actionledger.profiles.reasoner.context import Trigger
from actionledger.profiles.reasoner.registry import ActionRegistry
from actionledger.profiles.reasoner.store import Persona, SpokenLine
from actionledger.reading.dialects import dialect_named
from actionledger.runtime.execution.mending import HOW
from actionledger.runtime.models import Message

MINIMUM = 10
"""The minimum of recorded successions of two actions before a suggestion about them."""

MOST = 5
"""The maximum of suggestions for a planner."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An action that fails more often right after a certain other one."""

    before: str  # the other one's name
    action: str  # its own name
    failures: Rate  # how often it failed there
    elsewhere: Rate  # how often it failed after any other

    def __str__(self) -> str:
        ends = self.failures.interval
        interval = TOO_FEW if ends is None else f"95 % interval {ends[0]:.0%} to {ends[1]:.0%}"
        return (
            f"After {self.before}, {self.action} failed {self.failures.successes} of {counted(self.failures.count, 'time')} "
            f"({interval}; elsewhere {self.elsewhere})."
        )


def suggestions(
    ledger: Queryable, *, profile: str = "reasoner", minimum: int = MINIMUM, most: int = MOST
) -> list[Suggestion]:
    """Return pairs of actions to avoid, from a profile's recorded sessions, the most failing first.

    A pair is named if the lower end of its interval is above the action's share of failures elsewhere, and above a
    tenth: a planner can ignore anything less. Pairs from too few sessions for an interval are not named.
    """
    found = (_suggestion(sequel) for sequel in sequels(ledger, profile, minimum))
    return [each for each in found if _is_telling(each)][:most]


def _suggestion(sequel: Sequel) -> Suggestion:
    return Suggestion(
        before=sequel.before,
        action=sequel.name,
        failures=sequel.failures,
        elsewhere=sequel.elsewhere,
    )


def _is_telling(suggestion: Suggestion) -> bool:
    low, _ = suggestion.failures.interval or (0.0, 1.0)
    return low > max(0.1, suggestion.elsewhere.value or 0.0)


def instructions(
    registry: ActionRegistry,
    persona: Persona,
    chains: Mapping[str, Chain],
    learned: Sequence[Suggestion],
) -> Message:
    """Return the planner's instructions: its actions, their notation, and known failures."""
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


def question(trigger: Trigger, persona: Persona, conversation: Sequence[SpokenLine]) -> Message:
    """Return the planner's first question."""
    said = "\n".join(line.described for line in conversation) or "(nothing yet)"
    return Message(
        "user",
        f"{persona.described()}\n\nConversation:\n{said}\n\n{trigger.described}\n\nWhat should I do next?",
    )


def further(feedback: str, persona: Persona) -> Message:
    """Return the planner's question after a sequence that may continue."""
    return Message(
        "user",
        f"{feedback}\n\n{persona.described()}\n\nWhat should I do next? If nothing, the list of actions is empty.",
    )


def unplanned(feedback: str) -> Message:
    """Return the planner's question after a response without a plan."""
    parts = [feedback, "Your response holds no plan, so nothing was done."]
    if HOW not in feedback:
        parts.append(f"This is how one is written:\n{dialect_named('plan').example}")
    parts.append("What should I do next? If nothing, the list of actions is empty.")
    return Message("user", "\n\n".join(filter(None, parts)))
