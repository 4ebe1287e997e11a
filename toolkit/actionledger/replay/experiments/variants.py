"""The variants of an experiment, the way to stop it, and its report with each variant's rates and comparisons."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass, replace
from itertools import product
from threading import Lock, Thread
from typing import Any, TypeAlias, TypeVar, cast

from actionledger.core.canonical import json_text
from actionledger.core.errors import UsageError
from actionledger.core.frames import Columns, Framed, Kind, rate_kinds, rate_values
from actionledger.core.hooks import drawn
from actionledger.core.text import writable
from actionledger.ledger import Ledger
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.funnel import funnel
from actionledger.reading.parsers import AnyParser, parser_named
from actionledger.replay.contrasts import Contrast, contrast
from actionledger.runtime.execution.approval import Policy
from actionledger.runtime.execution.profile import Profile, prompt_of
from actionledger.runtime.execution.registry import resolve_profile
from actionledger.runtime.models import Model, model_from

Result = TypeVar("Result")


class ExperimentStopped(KeyboardInterrupt):
    """Raised if an experiment is stopped; its recorded conversations are kept, and the same call runs the rest."""

    def __init__(self, done: int, total: int) -> None:
        super().__init__(
            f"The experiment was stopped. {done:,} of its {total:,} conversations are recorded to their ends; "
            "the same call goes on with the others."
        )
        self.done = done  # number of conversations recorded to their ends
        self.total = total  # number of conversations in all


class Stopping:
    """A stop signal that interrupts everyone who waits for a model."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_set = False
        self._waiting: set[Future[Any]] = set()

    def stop(self) -> None:
        """Stop: current and later waits raise ``KeyboardInterrupt``."""
        with self._lock:
            self._is_set = True
            for answer in self._waiting:
                with suppress(InvalidStateError):  # its result is being set right now
                    answer.set_exception(KeyboardInterrupt())

    def check(self) -> None:
        """Raise ``KeyboardInterrupt`` if stopped."""
        if self._is_set:
            raise KeyboardInterrupt

    def heeded(self, ask: Callable[[], Result]) -> Result:
        """Return the result of a slow call, or abandon the call if stopped meanwhile."""
        answer: Future[Result] = Future()
        with self._lock:
            self.check()
            self._waiting.add(answer)
        Thread(target=copy_context().run, args=(_give, answer, ask), daemon=True).start()
        try:
            return answer.result()
        finally:
            with self._lock:
                self._waiting.discard(answer)


def _give(answer: Future[Result], ask: Callable[[], Result]) -> None:
    value: Result | None = None
    raised: BaseException | None = None
    try:
        value = ask()
    except BaseException as error:  # noqa: BLE001 - the waiting caller raises it
        raised = error
    with suppress(InvalidStateError):  # stopped meanwhile
        if raised is None:
            answer.set_result(cast("Result", value))
        else:
            answer.set_exception(raised)


AnyModel: TypeAlias = str | Callable[[str], Model]
"""A model's name, or a function from a task's name to a model; each conversation has its own model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One setup of a model.

    Args:
        name: its name, unique in an experiment.
        profile: the profile with parser, actions and handlers, by name or as a value.
        model: the model, as for ``model_from``, or a function from a task's name to a model.
        system: the model's instructions; the profile's own if not given.
        parser: the parser to use instead of the profile's, by name or as a value.
        policy: the policy for actions; the profile's if not given.
        auto: whether actions that need approval under the policy run without it.

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
            axes: for each setting of a variant its possible values, by display name.

        Raises:
            UsageError: an axis is not a setting, or has no value.

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
        """The profile with the variant's own parser and policy."""
        profile = resolve_profile(self.profile)
        parser = parser_named(self.parser) if isinstance(self.parser, str) else self.parser
        return replace(profile, parser=parser or profile.parser, policy=self.policy or profile.policy)

    @property
    def told(self) -> str:
        """The model's instructions."""
        return prompt_of(self.chosen) if self.system is None else self.system

    @property
    def settings_hash(self) -> str:
        """The hash of its recorded settings; a different hash means a different variant, even under the same name."""
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
    """Yield variants, and refuse repeated names."""
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
    """Refuse names that a record would change, since recorded conversations are found by name; and tasks without a request."""
    if not isinstance(tasks, Mapping):
        raise UsageError(
            f"Tasks are requests by their names, as in {{'sort': 'Sort the list.'}}; {type(tasks).__name__} has none."
        )
    names: list[Any] = [name, *(variant.name for variant in variants), *tasks]
    for each in names:
        if not isinstance(each, str) or not each or each != writable(each):
            raise UsageError(f"{each!r} is not a name of an experiment, a variant or a task; give a text.")
    for task, request in tasks.items():
        if not isinstance(request, str) or not request.strip():
            raise UsageError(
                f"The task {task!r} asks for {request!r}; say in a text what the model is to do."
            )


_RATES = ("parse_success", "strict_success", "validation", "execution")


@dataclass(frozen=True, slots=True)
class Experiment(Framed):
    """An experiment's report, so far as it is done.

    Args:
        name: its name.
        ledger: the ledger that records it.
        sources: the recorded source of each variant's sessions, by the variant's name.
        begun: number of conversations run by this call.
        known: number of conversations that were recorded before and not run again.
        left: number of conversations not run because the budget was spent.
        failed: why conversations broke off, by variant and task, with a further repeat as ``TASK (repeat 2)``. The next call runs them again.

    Example:
        >>> from actionledger.runtime.models import ScriptedModel
        >>> call = al.render([("list_tasks", {})], "actions")
        >>> variants = [
        ...     al.Variant(name=name, profile="assistant", model=lambda task, text=text: ScriptedModel([text, "Done."]))
        ...     for name, text in (("clear", call), ("vague", call.replace("{", "(", 1)))
        ... ]
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     found = al.experiment(ledger, "wording", variants, {"tasks": "What is to be done?"})
        ...     found.df()[["variant", "sessions", "parse_success"]].values.tolist()
        [['clear', 1, 1.0], ['vague', 1, 0.0]]
    """

    name: str
    ledger: Ledger
    sources: Mapping[str, str]
    begun: int
    known: int
    left: int
    failed: Mapping[tuple[str, str], str]

    def within(self, variant: str) -> Filter:
        """Return the filter for a variant's responses, for other queries.

        Args:
            variant: its name.

        Raises:
            UsageError: the variant is unknown.

        Example:
            >>> al.Experiment("wording", None, {"short": "wording: short"}, 0, 0, 0, {}).within("short").words
            'source wording: short'
        """
        if variant not in self.sources:
            raise UsageError(f"There is no variant {variant!r}; there are {', '.join(self.sources)}.")
        return Filter(sources=(self.sources[variant],))

    def compare(self, before: str, after: str) -> Contrast:
        """Compare two variants: each rate with the difference's interval and test, and task by task.

        Args:
            before: the first variant's name.
            after: the second variant's name.

        Raises:
            UsageError: a variant is unknown, or has no response yet.

        Example:
            >>> al.Experiment("wording", None, {"short": "wording: short"}, 0, 0, 0, {}).compare("short", "long")
            Traceback (most recent call last):
            ...
            actionledger.core.errors.UsageError: There is no variant 'long'; there are short.
        """
        return contrast(self.ledger, self.within(before), self.within(after))

    def _columns(self) -> Columns:
        """One row per variant."""
        kinds: dict[str, Kind] = {"variant": str, "sessions": int, "responses": int}
        for name in _RATES:
            kinds |= rate_kinds(name)
        rows = []
        for variant in self.sources:
            within = self.within(variant)
            found = funnel(self.ledger, within)
            held = self.ledger.sql(_SESSIONS, {"source": self.sources[variant]}).fetchone()
            rates = [value for name in _RATES for value in rate_values(getattr(found, name))]
            rows.append((variant, held[0] if held else 0, found.responses, *rates))
        return Columns(kinds, rows)

    def __repr__(self) -> str:
        left = f", {self.left:,} left" if self.left else ""
        broke = f", {len(self.failed):,} broke off" if self.failed else ""
        return (
            f"<Experiment {self.name!r}: {len(self.sources):,} variants, {self.begun:,} conversations held now, "
            f"{self.known:,} before{left}{broke}>"
        )

    def _repr_html_(self) -> str:
        found = [(variant, funnel(self.ledger, self.within(variant))) for variant in self.sources]
        rows = [
            (variant, each.responses, *(getattr(each, name) for name in _RATES)) for variant, each in found
        ]
        heads = ("variant", "responses", *(name.replace("_", " ") for name in _RATES))
        return drawn(self, "html", repr(self)[1:-1].removeprefix("Experiment "), heads, rows)


_SESSIONS = "SELECT count(*) FROM sessions WHERE source = $source"
