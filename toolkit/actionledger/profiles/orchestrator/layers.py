"""The layers that a directive goes down, their models, and the table of each layer's immediate actions.

The document names the second in command (``2ic``); the others are ours. The person who gives the directive is above them
all (``ceo``); no model plays that part.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf

from actionledger.core.canonical import json_text
from actionledger.core.errors import UnknownNameError, UsageError
from actionledger.runtime.execution.approval import Policy, Rule, Verdict
from actionledger.runtime.models import Completion, Model, Usage

PERSON = "ceo"
"""The person who gives the directive, answers the layers' questions, and gets the lowest layer's last message."""

LAYERS = ("2ic", "eng-lead", "team-lead")
"""The layers that a model plays, from the top."""

TASKS: Mapping[str, str] = {
    "2ic": "You are the second in command: turn the directive into a plan, and leave the details to those below.",
    "eng-lead": "You lead the engineers: choose the technical way within the plan, and create the branch to work on.",
    "team-lead": "You lead a team: break the work into issues that one person can finish, and hand them on.",
}
"""The description of each layer's part, for its prompt."""

AT_ONCE: Mapping[str, frozenset[str]] = {
    "2ic": frozenset({"update_plan", "request_info", "escalate", "request_review"}),
    "eng-lead": frozenset({"update_plan", "request_info", "escalate", "request_review", "create_branch"}),
    "team-lead": frozenset({"request_info", "escalate", "request_review", "create_issues"}),
}
"""The actions that each layer may execute at once; all others are queued for approval."""


@dataclass(frozen=True)
class LayerPolicy(Policy):
    """A layer's immediate actions, as a policy.

    All layers of one table have one version, so that an approval for a layer holds wherever its session continues.

    Args:
        rows: the table of this layer.
        whole: the version of the whole table.
    """

    whole: str

    @cached_property
    def version(self) -> str:
        """The hash of the whole table; see ``Policy``."""
        return self.whole


def policy_of(layer: str | None, table: Mapping[str, Iterable[str]] = AT_ONCE) -> LayerPolicy:
    """Return a layer's policy: actions outside its row wait for approval."""
    rows = {name: sorted(actions) for name, actions in table.items()}
    if layer is None:
        names = sorted(set.intersection(*map(set, rows.values())) if rows else ())
    elif layer in rows:
        names = rows[layer]
    else:
        raise UnknownNameError("layer", layer, rows)
    why = (
        f"The layer {layer!r} does not do this by itself."
        if layer
        else "Not every layer does this by itself."
    )
    at_once = tuple(Rule(name, Verdict.APPROVE) for name in names)
    whole = hashlib.sha256(json_text(rows).encode()).hexdigest()
    return LayerPolicy((*at_once, Rule("*", Verdict.ESCALATE, why=why)), whole)


def in_order(layers: Sequence[str]) -> tuple[str, ...]:
    """Return the names of layers in their order from the top."""
    if not layers:
        raise UsageError(f"No layer has a model; give one to at least one of: {', '.join(LAYERS)}.")
    for layer in layers:
        if layer not in LAYERS:
            raise UnknownNameError("layer", layer, LAYERS)
        if layers.count(layer) > 1:
            raise UsageError(f"The layer {layer!r} is given twice; one model plays it.")
    return tuple(layer for layer in LAYERS if layer in layers)


_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """A model's price.

    Args:
        prompt: US dollars for a million input tokens.
        completion: US dollars for a million output tokens.

    Raises:
        UsageError: one of them is not a number of at least 0.
    """

    prompt: float
    completion: float

    def __post_init__(self) -> None:
        if not all(0 <= dollars < inf for dollars in (self.prompt, self.completion)):
            raise UsageError(
                f"A price of {self.prompt} and {self.completion} dollars is none; give numbers from 0."
            )

    def of(self, usage: Usage | None) -> float | None:
        """Return a response's cost in US dollars; None if its server doesn't report its usage."""
        if usage is None or usage.prompt_tokens is None or usage.completion_tokens is None:
            return None
        return (usage.prompt_tokens * self.prompt + usage.completion_tokens * self.completion) / _MILLION


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer and its model.

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
        """Return a response's cost in US dollars; None if unknown.

        Example:
            >>> from actionledger.runtime.models import Completion, ScriptedModel, Usage
            >>> from actionledger.profiles.orchestrator.layers import Price
            >>> layer = al.Layer("team-lead", ScriptedModel([]), Price(prompt=1.0, completion=2.0))
            >>> layer.cost_of(Completion("Done.", None, Usage(1_000_000, 500_000), "mine", 0.0, {}))
            2.0
        """
        return self.price.of(completion.usage) if self.price else None
