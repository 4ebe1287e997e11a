"""What reads turns again: a parser of this version, or one of another version of this package."""

from collections.abc import Callable
from dataclasses import dataclass

from actionledger.core.errors import UsageError
from actionledger.core.recording import ParserIdentity, RunKey
from actionledger.reading.parsers import PARSERS, AnyParser, parser_meant
from actionledger.replay.placing import Place, placed
from actionledger.replay.rereading import Runner


@dataclass(frozen=True, slots=True)
class ChosenReader:
    """What reads turns again.

    Args:
        identity: what is recorded of it.
        fits: the parser whose formats say which turns it is for.
        runner: makes what has turns read, of the run and of how many there are.
    """

    identity: ParserIdentity
    fits: AnyParser | None
    runner: Callable[[RunKey, int], Runner]


def reader_of(
    parser: str | AnyParser, against: str | None, *, workers: int | None, seconds: float, place: Place
) -> ChosenReader:
    """Return what reads turns again."""
    if against is not None:
        return _of_other_version(parser, against, workers, seconds, place)
    chosen = parser_meant(parser)
    return ChosenReader(chosen, chosen, placed(chosen, workers=workers, seconds=seconds, place=place))


def _of_other_version(
    parser: str | AnyParser, against: str, workers: int | None, seconds: float, place: Place
) -> ChosenReader:
    if not isinstance(parser, str):
        raise UsageError("Give the parser's name: a value of this version is none of another one's.")
    if place != "processes":
        raise UsageError("Another version reads in processes of this machine alone; leave place out.")
    from actionledger.replay.versions import OtherVersion  # noqa: PLC0415 - seldom needed

    other = OtherVersion(against, parser, seconds)
    return ChosenReader(other.identity, PARSERS.get(parser), other.runner(workers))
