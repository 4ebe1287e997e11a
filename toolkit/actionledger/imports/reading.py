"""How recorded turns are parsed: by their session's profile, by the import's options, or from calls recorded as parsed."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from actionledger.actions.tools import ToolCatalogue
from actionledger.actions.validation import AnyCatalogue
from actionledger.core.errors import UsageError, require_names
from actionledger.core.recording import Recorder, RunKey, TurnKey
from actionledger.core.recording.turns import response_parsed
from actionledger.core.recordings import RecordedSession, RecordedTurn
from actionledger.core.values import ParseResult
from actionledger.core.vocabulary import Capture, was_cut
from actionledger.reading.parsers import AnyParser, parser_for, parser_named
from actionledger.reading.recorded import WithCalls, with_calls
from actionledger.runtime.parse_result import catalogue_of_tools, not_read, read_and_record, read_calls

if TYPE_CHECKING:
    from actionledger.runtime.execution.profile import Profile

NO_PROFILE = "none"
"""The recorded profile name of a session without a profile."""


def _profile_named(name: str) -> "Profile":
    from actionledger.runtime.execution.registry import profile_named  # noqa: PLC0415 - slow to load, and few sessions are of a profile

    return profile_named(name)


@dataclass(frozen=True, slots=True)
class ReadAs:
    """How the texts of sessions without a profile are parsed."""

    profile: "Profile | None" = None  # the profile whose parser and catalogue to use; None for none
    # the parser to use instead; None for the profile's, or for every dialect without a profile
    parser: AnyParser | None = None
    # the actions to check against; None for the tools offered in a turn, or the profile's
    catalogue: AnyCatalogue | None = None

    @classmethod
    def of(
        cls,
        *,
        profile: str | None = None,
        dialects: Sequence[str] = (),
        parser: str | None = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
    ) -> "ReadAs":
        """Return how raw text is parsed, from the names that a user gives."""
        if sum((profile is not None, bool(dialects), parser is not None)) > 1:
            raise UsageError("Say in one way how raw text is read: by a profile, by dialects or by a parser.")
        require_names("dialects", dialects)
        by_dialects = parser_for(tuple(dialects)) if dialects else None
        return cls(
            profile=_profile_named(profile) if profile is not None else None,
            parser=parser_named(parser) if parser is not None else by_dialects,
            catalogue=ToolCatalogue.of(tools) if tools is not None else None,
        )

    @property
    def is_open(self) -> bool:
        """Whether the format of texts is unknown."""
        return self.profile is None and self.parser is None

    def in_format(self, dialects: tuple[str, ...]) -> "ReadAs":
        """Return the same with a format's own dialects as the parser, if nothing else was chosen."""
        return replace(self, parser=parser_for(dialects)) if dialects and self.is_open else self

    def profile_of(self, session: RecordedSession) -> "Profile | None":
        """Return the profile of a session; None for none."""
        return self.profile if session.profile is None else _profile_named(session.profile)

    def parser_of(self, session: RecordedSession, turn: RecordedTurn) -> AnyParser:
        """Return the parser of a turn's text."""
        if session.parser:
            parser = parser_named(session.parser)
        elif session.profile is None and self.parser is not None:
            parser = self.parser
        else:
            profile = self.profile_of(session)
            parser = profile.parser if profile else parser_named("auto")
        return _demanding(parser) if turn.demands_action and not parser.requires_action else parser

    def catalogue_of(self, session: RecordedSession, turn: RecordedTurn) -> AnyCatalogue | None:
        """Return the catalogue to check a turn's actions against; None if the offered tools are unknown."""
        if session.profile is None and self.catalogue is not None:
            return self.catalogue
        if turn.tools and (offered := catalogue_of_tools(turn.tools)):
            return offered
        profile = self.profile_of(session)
        return profile.catalogue if profile else None


@lru_cache(maxsize=64)
def _demanding(parser: AnyParser) -> AnyParser:
    return parser.model_copy(update={"requires_action": True})


AS_IT_SAYS = ReadAs()
"""Try every dialect, and check actions against the tools that the recording says were offered."""


def written_of(turn: RecordedTurn) -> WithCalls:
    """Return a turn's recorded text, with the argument strings that were split off."""
    is_whole = turn.capture in {Capture.TEXT, Capture.NONE}
    return WithCalls(turn.text) if is_whole else with_calls(turn.text, turn.calls)


def names_in(session: RecordedSession, of_format: frozenset[str]) -> frozenset[str]:
    """Return the tool names known in a session whose recording doesn't say which were offered."""
    called = {call.name for turn in session.turns for call in turn.calls if call.name}
    return of_format if called <= of_format else of_format | called


def read_turn(
    record: Recorder,
    session: RecordedSession,
    turn: RecordedTurn,
    written: WithCalls,
    *,
    key: TurnKey,
    run: RunKey,
    read_as: ReadAs,
    parser: AnyParser | None,
    names: frozenset[str] = frozenset(),
) -> ParseResult:
    """Parse a turn, check its actions and record the attempt; the parser is that of its text, None if its calls are recorded."""
    catalogue = read_as.catalogue_of(session, turn)
    if turn.capture is Capture.NONE:
        result = not_read()
        record(response_parsed(result, key, run, 0, turn.capture))
        return result
    if parser is not None:
        is_cut = was_cut(turn.usage.finish_reason)
        return read_and_record(record, turn.text, parser, catalogue, turn=key, run=run, is_cut=is_cut)
    begin = time.perf_counter_ns()
    result = read_calls(
        written,
        turn.capture,
        catalogue,
        demands_action=turn.demands_action,
        names=names,
        thoughts=turn.reasoning,
    )
    duration_us = (time.perf_counter_ns() - begin) // 1000
    record(response_parsed(result, key, run, duration_us, turn.capture))
    return result
