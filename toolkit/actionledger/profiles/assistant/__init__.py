"""The assistant: tasks, memories, goals, a datavault and code, requested in ``actions`` or ``iteration`` blocks."""

from actionledger.profiles.assistant.actions import CATALOGUE
from actionledger.profiles.assistant.handlers import assistant_handlers
from actionledger.reading.parsers import parser_named
from actionledger.runtime.execution.approval import Policy, Verdict
from actionledger.runtime.execution.limits import Limits, RateLimit
from actionledger.runtime.execution.profile import ActionSettings, ExecutionSettings, Profile
from actionledger.runtime.sandbox import Limits as CodeLimits, Sandbox

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
"""The document's own limits: the number of each per minute."""

CODE_LIMITS = CodeLimits()
"""The document's own: code has 30 seconds."""

_READING = ActionSettings(idempotent=True)
_READERS = ("get_*", "list_*", "search_*", "datavault_[gl]*", "datavault_search")
"""Read-only actions may run again if the result of the first try is unknown."""

_AROUND_CODE = 15.0
"""The maximal extra time of a code run besides its own time and its process's start, in seconds."""


def assistant_profile(
    name: str,
    *,
    parser: str = "assistant",
    code: CodeLimits = CODE_LIMITS,
    sandbox: str | Sandbox = "auto",
    limits: Limits = LIMITS,
) -> Profile:
    """Return a profile of the assistant with other settings."""
    # The sandbox ends late code and tells the model why; the executor only ends whatever hangs around it.
    running = ActionSettings(timeout=code.seconds + code.start_seconds + _AROUND_CODE, retries=0)
    return Profile(
        name=name,
        parser=parser_named(parser),
        catalogue=CATALOGUE,
        policy=POLICY,
        handlers=assistant_handlers(code, sandbox),
        execution_settings=ExecutionSettings(
            (("execute_code", running), *((glob, _READING) for glob in _READERS))
        ),
        limits=limits,
    )


ASSISTANT = assistant_profile("assistant")
"""Answers a request with blocks of actions."""

ITERATIVE = assistant_profile("assistant-iterative", parser="assistant-iterative")
"""Works in steps: each response is an iteration block, until one is final."""
