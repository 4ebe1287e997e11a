"""The terms on which a cascade runs, and how it ends."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from actionledger.core.errors import UsageError
from actionledger.core.values import Observation, Turn
from actionledger.profiles.orchestrator.state import LayerMessage
from actionledger.runtime.execution.handlers import Handler

Status: TypeAlias = Literal["finished", "waiting", "turn_limit", "model_failed", "stopped"]


@dataclass(frozen=True, slots=True)
class Ending:
    """Why a cascade stopped.

    Args:
        status: ``finished``: all layers had their say and nothing waits; ``waiting``: a person has to answer, approve or carry
            on; ``turn_limit``: there were as many responses as there may be; ``model_failed``: a model gave no response;
            ``stopped``: somebody stopped it, which is recorded and never returned. All but the first can go on.
        reason: the same as a sentence.
    """

    status: Status
    reason: str


@dataclass(frozen=True, slots=True)
class Terms:
    """On which terms a cascade runs; they are the caller's, and not saved.

    Args:
        auto: whether actions that would wait for a person run without one.
        max_turns: how many responses the orchestration has at most, those before included.
        instead: handlers of the caller's own, by the action's name.
        on_message: takes each message once it is saved, with the turn in which it was said.
        on_decided: takes the layer and what came of its actions once a person's decisions about them were carried out.

    Raises:
        UsageError: no response at all would be allowed.
    """

    auto: bool = False
    max_turns: int = 12
    instead: Mapping[str, Handler] = field(default_factory=dict)
    on_message: Callable[[LayerMessage, Turn], None] | None = None
    on_decided: Callable[[str, Sequence[Observation]], None] | None = None

    def __post_init__(self) -> None:
        if self.max_turns < 1:
            raise UsageError(f"max_turns is {self.max_turns}; give a number from 1.")


STANDARD_TERMS = Terms()
"""A person approves; twelve responses; our own handlers."""
