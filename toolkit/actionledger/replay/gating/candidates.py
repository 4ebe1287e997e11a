"""What a gate judges: a parser that reads the turns now, or a run that has read them."""

from dataclasses import dataclass
from typing import TypeAlias

from actionledger.reading.parsers import AnyParser


@dataclass(frozen=True, slots=True)
class ReadNow:
    """A parser that reads the turns now.

    Args:
        parser: the parser, or the name of another version's.
        against: the version of this package whose parser it is: a wheel, a folder, or a commit; None for this one.
        workers: how many processes read; None for one on each core where that pays.
    """

    parser: str | AnyParser
    against: str | None
    workers: int | None


@dataclass(frozen=True, slots=True)
class ReadRun:
    """A run of the ledger.

    Args:
        run_id: its id.
    """

    run_id: str

    @property
    def name(self) -> str:
        """What it is called."""
        return f"run {self.run_id}"


Candidate: TypeAlias = ReadNow | ReadRun
