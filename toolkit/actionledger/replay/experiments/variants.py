"""A variant: the model, what it is told, and what it works under."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, TypeAlias

from actionledger.core.canonical import json_text
from actionledger.core.errors import UsageError
from actionledger.core.text import writable
from actionledger.reading.parsers import AnyParser, parser_named
from actionledger.runtime.execution.approval import Policy
from actionledger.runtime.execution.profile import Profile
from actionledger.runtime.execution.prompting import prompt_of
from actionledger.runtime.execution.registry import profile_meant
from actionledger.runtime.models import Model, model_from

AnyModel: TypeAlias = str | Callable[[str], Model]
"""A model as a text names it, or what makes one for a task's name: each conversation has its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One way to set a model to work.

    Args:
        name: what it is called; it tells the variants of an experiment apart.
        profile: what the model works under, by name or as a value: its parser, its actions and how they are carried out.
        model: the model, as ``model_from`` takes it, or a function of a task's name that makes one.
        system: what the model is told; the profile's own instructions if not given.
        parser: what reads its responses instead of the profile's parser, by name or as a value.
        policy: which actions may run; the profile's if not given.
        auto: whether actions that the policy would have wait for a person run without one.

    Example:
        >>> al.Variant(name="short", profile="assistant", model="ollama:qwen3", system="Write actions blocks.").name
        'short'
    """

    name: str
    profile: str | Profile
    model: AnyModel
    system: str | None = None
    parser: str | AnyParser | None = None
    policy: Policy | None = None
    auto: bool = False

    @classmethod
    def grid(cls, **axes: Mapping[str, Any]) -> tuple["Variant", ...]:
        """Return a variant for each combination of some settings.

        Args:
            axes: for each setting of a variant what it may be, by the name that people call that.

        Raises:
            UsageError: an axis is no setting, or has no value.

        Example:
            >>> profile, model = {"assistant": "assistant"}, {"qwen3": "ollama:qwen3"}
            >>> wordings = {"short": "Be short.", "long": "Be thorough."}
            >>> [variant.name for variant in al.Variant.grid(profile=profile, model=model, system=wordings)]
            ['short', 'long']
        """
        known = [name for name in cls.__dataclass_fields__ if name != "name"]
        for axis, values in axes.items():
            if axis not in known or not values:
                what = "has no value" if axis in known else f"is none of {', '.join(known)}"
                raise UsageError(f"The axis {axis!r} of a grid {what}.")
        several = [axis for axis, values in axes.items() if len(values) > 1]
        found = []
        for combined in product(*(values.items() for values in axes.values())):
            settings = dict(zip(axes, combined, strict=True))
            named = [settings[axis][0] for axis in several] or [pair[0] for pair in settings.values()]
            found.append(
                cls(name=" × ".join(named), **{axis: value for axis, (_, value) in settings.items()})
            )
        return tuple(found)

    @property
    def chosen(self) -> Profile:
        """The profile, with the variant's own parser and policy."""
        profile = profile_meant(self.profile)
        parser = parser_named(self.parser) if isinstance(self.parser, str) else self.parser
        return replace(profile, parser=parser or profile.parser, policy=self.policy or profile.policy)

    @property
    def told(self) -> str:
        """What the model is told."""
        return prompt_of(self.chosen) if self.system is None else self.system

    @property
    def settings_hash(self) -> str:
        """The hash of what is recorded of it: another one is another variant, whatever it is called."""
        model = self.model if isinstance(self.model, str) else "made for each task"
        profile = self.chosen
        tools = profile.catalogue.tools()
        described = json_text(
            [profile.name, profile.parser.id, tools, repr(profile.policy), self.told, model, self.auto]
        )
        return hashlib.sha256(described.encode()).hexdigest()[:16]


def model_of(variant: Variant, task: str) -> Model:
    """Return the model of one conversation."""
    return model_from(variant.model) if isinstance(variant.model, str) else variant.model(task)


def distinct(variants: "tuple[Variant, ...]") -> Iterator[Variant]:
    """Yield variants whose names tell them apart."""
    if not variants:
        raise UsageError("An experiment has one variant at least; give a list of Variant.")
    seen: set[str] = set()
    for variant in variants:
        if not variant.name or variant.name in seen:
            raise UsageError(
                f"Two variants are called {variant.name!r}, or one has no name; give each its own."
            )
        seen.add(variant.name)
        yield variant


def check_names(name: str, variants: Sequence[Variant], tasks: Mapping[Any, Any]) -> None:
    """Refuse names that a record can't have as they are, since what is recorded is found again by them; and tasks that ask nothing."""
    if not isinstance(tasks, Mapping):
        raise UsageError(
            f"Tasks are requests by their names, as in {{'sort': 'Sort the list.'}}; {type(tasks).__name__} has none."
        )
    names: list[Any] = [name, *(variant.name for variant in variants), *tasks]
    for each in names:
        if not isinstance(each, str) or not each or each != writable(each):
            raise UsageError(f"{each!r} is no name of an experiment, a variant or a task; give a text.")
    for task, request in tasks.items():
        if not isinstance(request, str) or not request.strip():
            raise UsageError(
                f"The task {task!r} asks for {request!r}; say in a text what the model is to do."
            )
