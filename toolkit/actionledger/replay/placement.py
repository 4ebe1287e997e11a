"""Choose the parser and the place to run it: this version or another, in this process, in others, or on a cluster."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pydantic import ValidationError

from actionledger.core.errors import UsageError
from actionledger.core.privacy import custom
from actionledger.core.processes import cores
from actionledger.core.recording import ParserIdentity, RunKey
from actionledger.core.vocabulary import Reason
from actionledger.ledger.queries.rereading import RecordedResponse
from actionledger.reading.parsers import PARSERS, AnyParser, resolve_parser
from actionledger.replay.processes import PAYS_FROM, Processes, own_command
from actionledger.replay.runners import InThisProcess, Reading, Rereader, Runner, unread_line
from actionledger.replay.worker import PARSER
from actionledger.runtime.execution.registry import PROFILES

Place: TypeAlias = Literal["processes", "ray"]
"""The place where turns are parsed again."""


def placed(
    parser: AnyParser, *, workers: int | None, seconds: float, place: Place
) -> Callable[[RunKey, int], Runner]:
    """Return a factory for the runner, given its run and the number of turns."""

    def runner(run: RunKey, turns: int) -> Runner:
        count = workers or (cores() if turns >= PAYS_FROM else 1)
        if not _travels(parser):
            return InThisProcess(Rereader(parser, run))
        if place == "ray":
            from actionledger.replay.distributed import OnRay  # noqa: PLC0415 - optional

            return OnRay(_setup(parser, run, seconds), workers, rest=_processes(parser, run, 1, seconds))
        if count == 1:
            return InThisProcess(Rereader(parser, run))
        return _processes(parser, run, count, seconds)

    return runner


def _processes(parser: AnyParser, run: RunKey, count: int, seconds: float) -> Processes:
    own = Rereader(parser, run)

    def here(response: RecordedResponse, tools: Mapping[str, str]) -> Reading | None:
        """Parse a response whose profile only this process has; None for any other."""
        return Reading(own.read(response, tools)) if PROFILES.is_registered(response.profile) else None

    def fail(response: RecordedResponse, reason: Reason, detail: str) -> Reading:
        return Reading(unread_line(response, parser, run, reason, detail), failed=reason)

    command = own_command(_setup(parser, run, seconds))
    return Processes(command, count, convert=lambda _response, line: Reading(line), fail=fail, here=here)


def _setup(parser: AnyParser, run: RunKey, seconds: float) -> dict[str, object]:
    return {
        "parser": parser.configuration,
        "run_id": run.run_id,
        "seconds": seconds,
        "secrets": custom.texts(),
    }


def _travels(parser: AnyParser) -> bool:
    """Return whether a parser can be recreated identically from its configuration."""
    try:
        return PARSER.validate_json(parser.configuration).id == parser.id
    except ValidationError:
        return False


@dataclass(frozen=True, slots=True)
class ChosenReader:
    """A reader for turns that are parsed again."""

    identity: ParserIdentity  # its recorded identity
    fits: AnyParser | None  # the parser whose formats decide which turns it supports
    runner: Callable[[RunKey, int], Runner]  # makes the runner, given the run and the number of turns


def reader_of(
    parser: str | AnyParser, against: str | None, *, workers: int | None, seconds: float, place: Place
) -> ChosenReader:
    """Return the reader that parses turns again."""
    if against is not None:
        if not isinstance(parser, str):
            raise UsageError("Give the parser's name: a value of this version is none of another one's.")
        if place != "processes":
            raise UsageError("Another version reads in processes of this machine alone; leave place out.")
        from actionledger.replay.versions import OtherVersion  # noqa: PLC0415 - seldom needed

        other = OtherVersion(against, parser, seconds)
        return ChosenReader(other.identity, PARSERS.get(parser), other.runner(workers))
    chosen = resolve_parser(parser)
    return ChosenReader(chosen, chosen, placed(chosen, workers=workers, seconds=seconds, place=place))
