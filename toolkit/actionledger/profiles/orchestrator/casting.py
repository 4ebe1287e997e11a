"""Which model plays which layer, and what its responses cost."""

from dataclasses import dataclass
from math import inf

from actionledger.core.errors import UsageError
from actionledger.runtime.models import Completion, Model, Usage

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """What a model's tokens cost.

    Args:
        prompt: US dollars for a million tokens that it is shown.
        completion: US dollars for a million tokens that it writes.

    Raises:
        UsageError: one of them is no number from 0.
    """

    prompt: float
    completion: float

    def __post_init__(self) -> None:
        if not all(0 <= dollars < inf for dollars in (self.prompt, self.completion)):
            raise UsageError(
                f"A price of {self.prompt} and {self.completion} dollars is none; give numbers from 0."
            )

    def of(self, usage: Usage | None) -> float | None:
        """Return what a response cost, in US dollars; None where its server doesn't say what it took."""
        if usage is None or usage.prompt_tokens is None or usage.completion_tokens is None:
            return None
        return (usage.prompt_tokens * self.prompt + usage.completion_tokens * self.completion) / _MILLION


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer and who plays it.

    Args:
        name: one of ``layers.LAYERS``.
        model: gives its responses.
        price: what they cost; None if unknown.

    Example:
        >>> from actionledger.runtime.models import ScriptedModel
        >>> al.Layer("team-lead", ScriptedModel(["Done."])).name
        'team-lead'
    """

    name: str
    model: Model
    price: Price | None = None

    def cost_of(self, completion: Completion) -> float | None:
        """Return what a response cost, in US dollars; None if unknown.

        Example:
            >>> from actionledger.runtime.models import Completion, ScriptedModel, Usage
            >>> from actionledger.profiles.orchestrator.casting import Price
            >>> layer = al.Layer("team-lead", ScriptedModel([]), Price(prompt=1.0, completion=2.0))
            >>> layer.cost_of(Completion("Done.", None, Usage(1_000_000, 500_000), "mine", 0.0, {}))
            2.0
        """
        return self.price.of(completion.usage) if self.price else None
