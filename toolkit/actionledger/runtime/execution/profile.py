"""What a session runs under: how it is read, checked, decided, run."""

from dataclasses import dataclass

from actionledger.actions.catalogue import Catalogue
from actionledger.reading.parsers import BaselineParser, DialectParser
from actionledger.runtime.execution.approval import Policy
from actionledger.runtime.execution.handlers import HandlerFactory, no_handlers
from actionledger.runtime.execution.limits import STANDARD_LIMITS, Limits
from actionledger.runtime.execution.settings import STANDARD_SETTINGS, ExecutionSettings
from actionledger.runtime.repetition.limits import STANDARD_REPETITION, RepetitionLimits


@dataclass(frozen=True, slots=True)
class Profile:
    """One way of working with a model.

    Args:
        name: what records and people call it.
        parser: how its responses are read.
        catalogue: which actions exist, and whether they may refer to each other's results.
        policy: which of them may run.
        handlers: makes what runs them.
        execution_settings: how each is run: time-outs, retries, side by side.
        limits: how much a session may do.
        repetition: what counts as going in circles, and what comes of it.
        workers: how many actions may run at the same time, of those whose settings allow it.

    Example:
        >>> coder = al.profile("coder")
        >>> coder.name, coder.catalogue.name, coder.workers
        ('coder', 'coder', 1)
    """

    name: str
    parser: DialectParser | BaselineParser
    catalogue: Catalogue
    policy: Policy
    handlers: HandlerFactory = no_handlers
    execution_settings: ExecutionSettings = STANDARD_SETTINGS
    limits: Limits = STANDARD_LIMITS
    repetition: RepetitionLimits = STANDARD_REPETITION
    workers: int = 1
