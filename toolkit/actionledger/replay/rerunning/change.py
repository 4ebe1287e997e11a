"""What is other in a rerun than it was recorded, and the profile that this makes."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from actionledger.reading.parsers import AnyParser
from actionledger.runtime.execution.approval import Policy
from actionledger.runtime.execution.handlers import Handler, HandlerFactory, Handlers
from actionledger.runtime.execution.policy_file import policy_meant
from actionledger.runtime.execution.profile import Profile
from actionledger.runtime.workspace import Workspace

NewHandlers: TypeAlias = Mapping[str, Handler] | HandlerFactory
"""Other handlers: some by the names of their actions, or what makes all of them."""


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be other than it was recorded; None for what stays.

    Args:
        handlers, policy, parser: what takes the place of the recorded.
    """

    handlers: NewHandlers | None
    policy: Policy | str | Path | None
    parser: AnyParser | None

    @property
    def is_one(self) -> bool:
        """Whether anything is to be other at all."""
        return any(each is not None for each in (self.handlers, self.policy, self.parser))


def changed(plain: Profile, change: Change) -> Profile:
    """Return a profile as a change makes it."""
    made = plain
    if change.policy is not None:
        made = replace(made, policy=policy_meant(change.policy, plain.catalogue))
    if change.parser is not None:
        made = replace(made, parser=change.parser)
    if change.handlers is not None:
        made = replace(made, handlers=_with_handlers(plain.handlers, change.handlers))
    return made


def without_handlers(make: HandlerFactory, names: set[str]) -> HandlerFactory:
    """Return what makes a profile's handlers but some."""

    def made(workspace: Workspace) -> Handlers:
        handlers = make(workspace)
        kept = {name: handler for name, handler in handlers.items() if name not in names}
        return _like(handlers, kept)

    return made


def _with_handlers(make: HandlerFactory, others: NewHandlers) -> HandlerFactory:
    if not isinstance(others, Mapping):
        return others

    def made(workspace: Workspace) -> Handlers:
        handlers = make(workspace)
        return _like(handlers, {**handlers, **others})

    return made


def _like(handlers: Handlers, by_name: Mapping[str, Handler]) -> Handlers:
    return Handlers(
        by_name,
        previews=handlers.previews,
        close=handlers.close,
        reaches=handlers.reaches,
        binds=handlers.binds,
        opens=handlers.opens,
    )
