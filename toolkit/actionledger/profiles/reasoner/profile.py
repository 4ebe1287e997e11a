"""The reasoner as a profile: how its plans are read, checked and carried out."""

from collections.abc import Mapping

from actionledger.profiles.reasoner.actions import CATALOGUE, SILENT_CATALOGUE
from actionledger.profiles.reasoner.chains import NO_CHAINS, Chain, chain_action
from actionledger.profiles.reasoner.persona import Persona
from actionledger.profiles.reasoner.registry import ActionRegistry, reasoner_handlers
from actionledger.profiles.reasoner.shared_context import SharedContext
from actionledger.reading.parsers import parser_named
from actionledger.runtime.execution.approval import Policy, Verdict
from actionledger.runtime.execution.limits import Limits
from actionledger.runtime.execution.profile import Profile
from actionledger.runtime.models import Model
from actionledger.runtime.repetition.limits import RepetitionLimits, Threshold

POLICY = Policy((("*", Verdict.APPROVE),))

REPETITION = RepetitionLimits(
    same_action=Threshold(2, 3),
    same_thought=Threshold(2, 3),
    thoughts=("think",),
    needs_nudge=False,
    ends_turn=True,
)
"""A plan is a sequence of its own, so it ends where it begins to turn."""

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
    )


REASONER = reasoner_profile()
"""Carries out a persona's plans; without a model, contexts are taken as they stand."""
