"""The assistant: tasks, memories, goals and a datavault, asked for in ``actions`` or ``iteration`` blocks."""

from actionledger.execution.approval import Policy, Verdict
from actionledger.execution.conduct import Conduct, Conducts
from actionledger.execution.limits import Limits, RateLimit
from actionledger.execution.profile import Profile
from actionledger.parsing.parsers import parser_named
from actionledger.profiles.assistant.actions import CATALOGUE
from actionledger.profiles.assistant.handlers import assistant_handlers

POLICY = Policy((("*", Verdict.APPROVE),))

LIMITS = Limits(
    rates=(
        ("create_task", RateLimit(100, 60)),
        ("create_memory", RateLimit(50, 60)),
        ("create_goal", RateLimit(20, 60)),
        ("datavault_store", RateLimit(50, 60)),
        ("execute_code", RateLimit(10, 60)),
    )
)
"""The document's own: so many of each in any minute."""

_READING = Conduct(idempotent=True)

CONDUCTS = Conducts(
    tuple((glob, _READING) for glob in ("get_*", "list_*", "search_*", "datavault_[gl]*", "datavault_search"))
)
"""What only reads may be read again where nobody knows what became of the first time."""

ASSISTANT = Profile(
    name="assistant",
    parser=parser_named("assistant"),
    catalogue=CATALOGUE,
    policy=POLICY,
    handlers=assistant_handlers,
    conducts=CONDUCTS,
    limits=LIMITS,
)
"""Answers a request with blocks of actions."""

ITERATIVE = Profile(
    name="assistant-iterative",
    parser=parser_named("assistant-iterative"),
    catalogue=CATALOGUE,
    policy=POLICY,
    handlers=assistant_handlers,
    conducts=CONDUCTS,
    limits=LIMITS,
)
"""Works in steps: each response is an iteration block, until one says that it is final."""
