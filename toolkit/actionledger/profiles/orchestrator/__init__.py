"""The orchestrator: plans, issues, branches and reviews, requested in ``json`` blocks with ``action``, layer by layer."""

from actionledger.profiles.orchestrator.actions import (
    CATALOGUE,
    ParsedActions,
    parse_actions,
    strip_action_blocks,
)
from actionledger.profiles.orchestrator.handlers import orchestrator_handlers, orchestrator_settings
from actionledger.profiles.orchestrator.layers import policy_of
from actionledger.reading.parsers import parser_named
from actionledger.runtime.execution.profile import Profile

ORCHESTRATOR = Profile(
    name="orchestrator",
    parser=parser_named("orchestrator"),
    catalogue=CATALOGUE,
    policy=policy_of(None),
    handlers=orchestrator_handlers,
    execution_settings=orchestrator_settings(),
)
"""If the acting layer is unknown, only actions of every layer run at once; the rest waits for approval."""

__all__ = ["ORCHESTRATOR", "ParsedActions", "parse_actions", "strip_action_blocks"]
