"""The reasoner: a persona's thoughts, state and speech, planned as a sequence in a ``json`` block."""

from actionledger.profiles.reasoner.chains import (
    POLICY,
    REASONER,
    REPETITION,
    Chain,
    load_chains,
    reasoner_profile,
)
from actionledger.profiles.reasoner.context import (
    Trigger,
    TriggerType,
    self_reflection,
    timer,
    tool_result,
    user_input,
)
from actionledger.profiles.reasoner.planner import Suggestion, suggestions
from actionledger.profiles.reasoner.reasoner import (
    ActionSystemEvent,
    AgentEvent,
    AgentText,
    Reasoner,
    ToolFinished,
    ToolStarted,
)
from actionledger.profiles.reasoner.registry import ActionRegistry
from actionledger.profiles.reasoner.sequence import ActionPlan, ActionSequence, sequence_of
from actionledger.profiles.reasoner.store import Entry, Persona, PersonaStore

__all__ = [
    "POLICY",
    "REASONER",
    "REPETITION",
    "ActionPlan",
    "ActionRegistry",
    "ActionSequence",
    "ActionSystemEvent",
    "AgentEvent",
    "AgentText",
    "Chain",
    "Entry",
    "Persona",
    "PersonaStore",
    "Reasoner",
    "Suggestion",
    "ToolFinished",
    "ToolStarted",
    "Trigger",
    "TriggerType",
    "load_chains",
    "reasoner_profile",
    "self_reflection",
    "sequence_of",
    "suggestions",
    "timer",
    "tool_result",
    "user_input",
]
