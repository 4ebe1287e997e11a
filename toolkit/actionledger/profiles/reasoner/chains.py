"""The reasoner's profile, and its chains: named sequences prepared in a TOML file.

A file holds a table for each chain::

    [comfort]
    when = "The user is sad."

    [[comfort.actions]]
    action = "think"
    context = "What they need now."
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from pydantic import create_model

from actionledger.actions.catalogue import Catalogue
from actionledger.core.errors import UsageError
from actionledger.profiles.reasoner.actions import CATALOGUE, SILENT_CATALOGUE, ReasonerAction
from actionledger.profiles.reasoner.context import SharedContext
from actionledger.profiles.reasoner.registry import ActionRegistry, reasoner_handlers
from actionledger.profiles.reasoner.store import PARTS, Persona
from actionledger.reading.dialects import dialect_named
from actionledger.reading.dialects.parts.writing import PlainCall
from actionledger.reading.parsers import parser_named
from actionledger.runtime.execution.approval import Policy, Verdict
from actionledger.runtime.execution.limits import Limits
from actionledger.runtime.execution.profile import Profile
from actionledger.runtime.models import Model
from actionledger.runtime.parse_result import read_response
from actionledger.runtime.repetition.limits import RepetitionLimits, Threshold


@dataclass(frozen=True, slots=True)
class Chain:
    """A named sequence."""

    name: str  # its name for people and planners
    when: str  # when it fits, as a sentence
    actions: tuple[tuple[str, Mapping[str, Any]], ...]  # each action's name with its arguments

    @property
    def described(self) -> str:
        """The chain on one line, for a planner."""
        return f"- {self.name}: {self.when} ({', '.join(name for name, _ in self.actions)})"

    def written(self) -> str:
        """Return the chain as a response that requests it."""
        calls = [PlainCall(name, dict(arguments)) for name, arguments in self.actions]
        return dialect_named("plan").render(calls)


class ChainAction(ReasonerAction):
    """A sequence by its name, planned like an action."""

    group = "Known sequences"
    context_description = "Nothing, or why it fits."
    example = {}
    reads = PARTS
    writes = PARTS
    context: str = ""


def chain_action(chain: Chain) -> type[ChainAction]:
    """Return the action with which a plan names a chain."""
    name: Any = Literal[chain.name]
    return create_model(f"Chain {chain.name}", __base__=ChainAction, __doc__=chain.when, action=(name, ...))


NO_CHAINS: Mapping[str, Chain] = MappingProxyType({})


def load_chains(path: str | Path, catalogue: Catalogue = CATALOGUE) -> dict[str, Chain]:
    """Load and check a file's chains, by name."""
    try:
        tables = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"The chains in {str(path)!r} can't be read: {error}.") from error
    return {name: _chain(str(path), name, table, catalogue) for name, table in tables.items()}


def _chain(path: str, name: str, table: Any, catalogue: Catalogue) -> Chain:
    def refused(why: str) -> UsageError:
        return UsageError(f"The chain {name!r} in {path} can't be used: {why}.")

    if not isinstance(table, dict) or set(table) - {"when", "actions"}:
        raise refused("a chain is a table of 'when' and 'actions'")
    when, actions = table.get("when"), table.get("actions")
    if not isinstance(when, str) or not when.strip():
        raise refused("it lacks 'when', a sentence on when it fits")
    if not isinstance(actions, list) or not actions or not all(map(_names_an_action, actions)):
        raise refused("'actions' must be a list of tables, each with an 'action'")
    if catalogue.known_name(name) in catalogue.names:
        raise refused("an action has that name; take another one")
    steps = tuple(
        (each["action"], {key: value for key, value in each.items() if key != "action"}) for each in actions
    )
    chain = Chain(name, " ".join(when.split()), steps)
    read = read_response(chain.written(), parser_named("reasoner"), catalogue)
    for number, call in enumerate(read.actions, start=1):
        if not call.status.is_runnable:
            raise refused(f"action {number} ({call.name}): {' '.join(each.message for each in call.errors)}")
    return chain


def _names_an_action(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("action"), str)


POLICY = Policy((("*", Verdict.APPROVE),))

REPETITION = RepetitionLimits(
    same_action=Threshold(2, 3),
    same_thought=Threshold(2, 3),
    thoughts=("think",),
    needs_nudge=False,
    ends_turn=True,
)
"""A plan is a sequence of its own, so it ends when it begins to repeat itself."""

LIMITS = Limits(actions_per_turn=50)


def reasoner_profile(
    name: str = "reasoner",
    *,
    model: Model | None = None,
    persona: Persona | None = None,
    speaks: bool = True,
    workers: int = 4,
    repetition: RepetitionLimits = REPETITION,
    shared: SharedContext | None = None,
    chains: Mapping[str, Chain] = NO_CHAINS,
) -> Profile:
    """Return a profile of the reasoner with other settings."""
    catalogue = CATALOGUE if speaks else SILENT_CATALOGUE
    if chains:
        catalogue = catalogue.extended(*map(chain_action, chains.values()), name=f"{catalogue.name}+chains")
    return Profile(
        name=name,
        parser=parser_named("reasoner"),
        catalogue=catalogue,
        policy=POLICY,
        handlers=reasoner_handlers(model, shared, persona, catalogue.names),
        execution_settings=ActionRegistry(catalogue).execution_settings(),
        limits=LIMITS,
        repetition=repetition,
        workers=workers,
        told=partial(_planner_prompt, catalogue, persona or Persona(), tuple(chains.values())),
    )


def _planner_prompt(catalogue: Catalogue, persona: Persona, chains: Sequence[Chain]) -> str:
    """Return the planner's instructions."""
    from actionledger.profiles.reasoner.planner import instructions  # noqa: PLC0415 - it imports this module

    return instructions(ActionRegistry(catalogue), persona, {each.name: each for each in chains}, ()).content


REASONER = reasoner_profile()
"""Executes a persona's plans; without a model, contexts are used unchanged."""
