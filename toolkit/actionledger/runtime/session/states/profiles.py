"""What a session runs under, as it is kept beside its states, and put together again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from actionledger._version import __version__
from actionledger.core.errors import UsageError
from actionledger.runtime.execution.approval import Policy, Rule
from actionledger.runtime.execution.limits import Limits
from actionledger.runtime.execution.profile import Profile
from actionledger.runtime.execution.settings import ExecutionSettings
from actionledger.runtime.repetition.limits import RepetitionLimits


@dataclass(frozen=True, slots=True)
class _Settings:
    profile: str
    parser: str
    toolkit: str
    policy: Sequence[Rule]
    execution: ExecutionSettings
    limits: Limits
    repetition: RepetitionLimits
    workers: int


_ADAPTER = TypeAdapter(_Settings)


def settings_of(profile: Profile, policy: Policy) -> dict[str, Any]:
    """Return what a session runs under, as a JSON value.

    Args:
        profile: the profile.
        policy: the policy, the profile's or another one.
    """
    found = _Settings(
        profile.name,
        profile.parser.id,
        __version__,
        policy.rules,
        profile.execution_settings,
        profile.limits,
        profile.repetition,
        profile.workers,
    )
    value: dict[str, Any] = _ADAPTER.dump_python(found, mode="json")
    return value


def as_recorded(profile: Profile, settings: Mapping[str, Any]) -> Profile:
    """Return a profile as a session ran under it: its handlers and parser with the recorded policy, limits and settings.

    Raises:
        UsageError: what is kept of it can't be read.
    """
    try:
        found = _ADAPTER.validate_python(settings)
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageError(
            f"What is kept of the session's settings can't be read: {first['loc']}: {first['msg']}."
        ) from error
    return replace(
        profile,
        policy=Policy(tuple(found.policy)),
        # Which actions touch the outside is said by whoever offers them now, too: what did so then stays recorded.
        execution_settings=found.execution,
        limits=replace(found.limits, shared=False),
        repetition=found.repetition,
        workers=found.workers,
    )
