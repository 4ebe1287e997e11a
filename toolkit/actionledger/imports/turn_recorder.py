"""Record another runtime's turns one by one as they happen."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from datetime import datetime
from difflib import get_close_matches
from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

from actionledger.core.canonical import JsonDict, JsonMap, json_text
from actionledger.core.errors import UsageError, require_text
from actionledger.core.ids import derived_id, utc
from actionledger.core.recordings import (
    AnyResult,
    AnyUsage,
    RecordedCall,
    RecordedResult,
    RecordedSession,
    RecordedTurn,
    Usage,
)
from actionledger.imports.importer import Importer
from actionledger.imports.reading import ReadAs
from actionledger.imports.shapes.framework_messages import answer_of
from actionledger.imports.sources.usage import COUNTS, PROVIDERS_OWN, is_count, usage_of
from actionledger.ledger import Ledger
from actionledger.ledger.queries.progress import next_turn_index
from actionledger.ledger.queries.recorded import known
from actionledger.ledger.storage.files import LedgerFiles, one_sentence
from actionledger.ledger.storage.placement import place_taken, remove_old_places
from actionledger.reading.messages import require_json, split_message
from actionledger.reading.parsers import AnyParser, NamedParser, parser_for, parser_named

if TYPE_CHECKING:
    from pydantic import TypeAdapter

# A response's usage as a program states it, where impossible values are refused, or as a provider does, where they are dropped.
_NAMES = frozenset(each.name for each in fields(Usage)) - {"billed"}
_OWN = _NAMES - {"input_tokens", "output_tokens"}
"""Names that only ``Usage`` has; providers use the others too, with different meanings."""

_NUMBERS = frozenset({"cost_usd", "latency_ms", "time_to_first_token_ms"})
_TEXT = "finish_reason"
_WITHIN = ("usage", "usageMetadata", "usage_metadata")


def usage_given(given: object) -> Usage:
    """Return the usage that a program states for a response."""
    if given is None:
        return Usage()
    if isinstance(given, Usage):
        _refuse_impossible(asdict(given))
        return given
    if not isinstance(given, Mapping):
        raise UsageError(f"A usage is a Usage or an object of counts, not {str(given)[:80]!r}.")
    _refuse_unknown(given)
    _refuse_impossible(given)
    return _usage(given)


def possible_usage(given: object) -> Usage:
    """Return the valid values of a usage that nobody can correct, so that no response is lost for it."""
    said = asdict(given) if isinstance(given, Usage) else given
    if not isinstance(said, Mapping):
        return Usage()
    return _usage({name: value for name, value in said.items() if value is None or _may_be(name, value)})


def usage_within(message: object) -> JsonMap | None:
    """Return the usage next to a message in its provider's response."""
    if not isinstance(message, Mapping):
        return None
    return next((found for name in _WITHIN if isinstance(found := message.get(name), Mapping)), None)


def _usage(given: JsonMap) -> Usage:
    own = {name: value for name, value in given.items() if name in _OWN}
    if own.get(_TEXT, "") is None:
        del own[_TEXT]
    return usage_of(given, **own)


def _refuse_unknown(given: JsonMap) -> None:
    """Refuse unknown fields; a provider's own object may have newer ones."""
    unknown = [name for name in given if name not in _NAMES]
    if not unknown or not PROVIDERS_OWN.isdisjoint(given):
        return
    near = get_close_matches(str(unknown[0]), sorted(_NAMES), n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise UsageError(
        f"A usage has no {unknown[0]!r:.60}.{hint} It has {', '.join(sorted(_NAMES))}, or is a provider's usage object."
    )


def _refuse_impossible(given: JsonMap) -> None:
    for name, value in given.items():
        if value is not None and not _may_be(name, value):
            wanted = (
                "a text"
                if name == _TEXT
                else f"{'a number' if name in _NUMBERS else 'a whole number'}, 0 or more"
            )
            raise UsageError(f"A usage's {name} is {wanted}, not {value!r:.60}.")


def _may_be(name: object, value: object) -> bool:
    """Return whether a value fits a name; an unknown name fits any value."""
    if name == _TEXT:
        return isinstance(value, str)
    if name in _NUMBERS:
        return _is_amount(value)
    return name not in COUNTS or is_count(value)


def _is_amount(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return isfinite(value) and value >= 0
    except OverflowError:  # an integer too large for a float
        return False


SOURCE = "python"
"""The source's name for turns that a program records itself."""


_RESULT_FIELDS = frozenset(each.name for each in fields(RecordedResult))


class TurnRecorder:
    """Records turns of sessions that another runtime runs, as one run."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        there = known(ledger, SOURCE)
        self._importer = Importer(ledger.record, source=SOURCE, origin="", known=there)
        self._places = LedgerFiles.at(ledger.path).places
        self._next: dict[str, int] = {}
        remove_old_places(self._places)

    def record(
        self, turn: RecordedTurn, read_as: ReadAs, *, session: str, profile: str | None, model: str, task: str
    ) -> str:
        """Record a turn as the next of its session, even if several processes record into it."""
        whole = RecordedSession(session, profile, model, task, ())
        session_id, before = derived_id("session", SOURCE, session), self._importer.report.turns
        failed = f"The ledger {self._ledger.path} can't record a turn of the session {session!r}"
        taken = place_taken(
            self._places,
            session_id,
            self._next.get(session),
            lambda: next_turn_index(self._ledger, session_id),
        )
        with one_sentence(failed), taken as place:
            turn_id = self._importer.take_turn(whole, replace(turn, index=place.index), read_as)
            place.next += self._importer.report.turns - before
            self._next[session] = place.next
        return turn_id

    def finish(self) -> None:
        """End the sessions and the run."""
        self._importer.finish()


def recorded_turn(
    text: str | None,
    message: object,
    *,
    tools: Sequence[JsonMap] | None,
    results: Sequence[AnyResult],
    usage: AnyUsage | None,
    at: datetime | None,
    reasoning: str = "",
    **given: Any,
) -> RecordedTurn:
    """Return the recorded turn for a program's arguments; see ``Ledger.record_turn``."""
    refuse_no_texts(reasoning=reasoning, **given)
    if at is not None and not isinstance(at, datetime):
        raise UsageError(f"at is a datetime, not {at!r:.60}.")
    if tools is not None and not _is_list_of_objects(tools):
        raise UsageError(
            f"tools is a list of objects, as a provider's interface takes them, not {tools!r:.60}."
        )
    if isinstance(results, str | Mapping) or not isinstance(results, Iterable):
        raise UsageError(f"results is a list with the result of each call, not {results!r:.60}.")
    if text is not None:
        require_text(text)
    if (text is None) == (message is None):
        raise UsageError("Give either text, the raw response, or message, the decoded JSON of a provider's.")
    said: JsonDict = {"text": text}
    took = usage_given(usage)
    if text is None:
        require_json(message)
        split = split_message(message)
        calls = tuple(RecordedCall(*call) for call in split.calls)
        said = {"text": split.text, "calls": calls, "capture": split.capture}
        took = possible_usage(usage_within(message)) if usage is None else took
        reasoning = reasoning or "\n\n".join(filter(None, (each.reasoning for each in answer_of(message))))
    return RecordedTurn(
        index=0,
        usage=took,
        tools="" if tools is None else json_text(tools),
        results=tuple(map(_result, results)),
        occurred_at=utc(at) if at else None,
        reasoning=reasoning,
        **said,
        **given,
    )


def refuse_no_texts(**given: object) -> None:
    """Refuse an argument that is neither a text nor None, by name."""
    for name, held in given.items():
        if not isinstance(held, str | None):
            raise UsageError(f"{name} is a text, not {held!r:.60} of the type {type(held).__name__}.")


def read_as(parser: NamedParser | None, dialects: Sequence[str] | Literal["auto"] | None) -> ReadAs:
    """Return how texts are parsed; "auto" is every format, as in ``al.parse``."""
    if parser is not None and dialects is not None:
        raise UsageError("Give either dialects or a parser: a parser brings its own dialects.")
    if dialects == "auto":
        return ReadAs(parser=parser_named("auto"))
    if isinstance(dialects, str):
        raise UsageError(f"dialects is a list of names; write [{dialects!r}].")
    if dialects is not None and not isinstance(dialects, Sequence):
        raise UsageError(f"dialects is a list of names, not {dialects!r:.60}.")
    if parser is not None and not isinstance(parser, str | AnyParser):
        raise UsageError(f"A parser is a name or what al.parser(name) gives, not {parser!r:.60}.")
    if dialects is not None:
        return ReadAs(parser=parser_for(tuple(dialects)))
    return ReadAs(parser=parser_named(parser) if isinstance(parser, str) else parser)


def _result(given: object) -> RecordedResult:
    if isinstance(given, RecordedResult):
        return given
    if not isinstance(given, Mapping) or not given.keys() <= _RESULT_FIELDS:
        allowed = ", ".join(sorted(_RESULT_FIELDS))
        raise UsageError(
            f"A result is a RecordedResult or has these fields: {allowed}; not {str(given)[:80]!r}."
        )
    from pydantic import ValidationError  # noqa: PLC0415 - needed only for a result given as a mapping

    try:
        return _results().validate_python({"call_id": ""} | dict(given))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise UsageError(f"A result's {where} is {first['input']!r:.60}: {first['msg']}.") from error


@cache
def _results() -> "TypeAdapter[RecordedResult]":
    from pydantic import TypeAdapter  # noqa: PLC0415 - the same

    return TypeAdapter(RecordedResult)


def _is_list_of_objects(given: object) -> bool:
    return isinstance(given, Sequence) and all(isinstance(each, Mapping) for each in given)
