"""Shows what a language model tried to do, what came of it, and what would have come of it under another parser."""

from actionledger._version import __version__
from actionledger.actions.catalogue import Action, Catalogue
from actionledger.agent import Conversation, ConversationLimits, converse
from actionledger.api import (
    Runtime,
    dialect_names,
    parse,
    parse_message,
    parser,
    parser_names,
    profile_names,
    prompt,
    register_profile,
    render,
    reparse,
    tools,
)
from actionledger.errors import ActionError, ActionLedgerError
from actionledger.execution.approval import Decision, Policy, Rule, Verdict
from actionledger.execution.handlers import Context, Handlers
from actionledger.execution.limits import Limits, RateLimit
from actionledger.execution.profile import Profile
from actionledger.execution.settings import ActionSettings, ExecutionSettings
from actionledger.explain import explain
from actionledger.ledger import Ledger, open_ledger
from actionledger.models import Model, model_from
from actionledger.parsing.stream import StreamParser
from actionledger.profiles import profile_named as profile
from actionledger.profiles.assistant.reasoning import IterativeReasoner
from actionledger.profiles.custom import ActionSet, custom_profile
from actionledger.profiles.orchestrator.cascade import orchestrate
from actionledger.profiles.orchestrator.casting import Layer
from actionledger.rates import Rate
from actionledger.replay.reparse import ReparseReport
from actionledger.tolerant_json import Decoded, DecodeOptions, decode, decode_all, find_value
from actionledger.values import (
    ActionCall,
    Approval,
    Block,
    FieldError,
    Issue,
    Observation,
    ParseResult,
    Repair,
    Span,
    Turn,
)
from actionledger.vocabulary import DecisionKind

__all__ = [
    "Action",
    "ActionCall",
    "ActionError",
    "ActionLedgerError",
    "ActionSet",
    "ActionSettings",
    "Approval",
    "Block",
    "Catalogue",
    "Context",
    "Conversation",
    "ConversationLimits",
    "Decision",
    "DecisionKind",
    "DecodeOptions",
    "Decoded",
    "ExecutionSettings",
    "FieldError",
    "Handlers",
    "Issue",
    "IterativeReasoner",
    "Layer",
    "Ledger",
    "Limits",
    "Model",
    "Observation",
    "ParseResult",
    "Policy",
    "Profile",
    "Rate",
    "RateLimit",
    "Repair",
    "ReparseReport",
    "Rule",
    "Runtime",
    "Span",
    "StreamParser",
    "Turn",
    "Verdict",
    "__version__",
    "converse",
    "custom_profile",
    "decode",
    "decode_all",
    "dialect_names",
    "explain",
    "find_value",
    "model_from",
    "open_ledger",
    "orchestrate",
    "parse",
    "parse_message",
    "parser",
    "parser_names",
    "profile",
    "profile_names",
    "prompt",
    "register_profile",
    "render",
    "reparse",
    "tools",
]
