"""Find turns that a parser was not meant for, and responses without an action that look like another format."""

from collections import Counter
from typing import TYPE_CHECKING

from actionledger.core.text import counted
from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.rereading import responses_by_profile
from actionledger.ledger.queries.unacted import quiet_responses

if TYPE_CHECKING:
    from actionledger.reading.parsers import AnyParser

_SHOWN = 3
_JSON = "JSON of no known format"


def other_format(ledger: Queryable, within: Filter = EVERYTHING) -> str:
    """Return a sentence on the format that responses without an action seem to use; empty if they are few or match no known format.

    It is given only if most responses have no action, and most of the sampled ones look like another format.
    """
    found = quiet_responses(ledger, within)
    looks: Counter[str] = Counter()
    for number, text in enumerate(found.texts, 1):
        if look := _look_of(text):
            looks[look] += 1
        elif 2 * (number - looks.total()) >= len(found.texts):  # most don't, whatever the rest looks like
            return ""
    if not looks:
        return ""
    named = ", ".join(f"{count:,} {look}" for look, count in looks.most_common(_SHOWN))
    known = " 'actionledger replay --parser auto' looks for every format." if set(looks) - {_JSON} else ""
    return (
        f"In {found.quiet:,} of {counted(found.responses, 'response')} no action of their format was found. Of {len(found.texts):,} different ones, "
        f"{looks.total():,} look like another format: {named}.{known}"
    )


def _look_of(text: str) -> str:
    """Return the dialect of a text's calls, or that it is JSON; empty if no format matches."""
    from pydantic_core import from_json  # noqa: PLC0415 - slow to load, and most ledgers have no such text

    from actionledger.reading.parsers import PARSERS  # noqa: PLC0415 - the same
    from actionledger.runtime.parse_result import read_response  # noqa: PLC0415 - the same

    result = read_response(text, PARSERS["auto"], None)
    if result.valid_actions:
        return result.valid_actions[0].dialect
    if not text.lstrip().startswith(("{", "[")):
        return ""
    try:
        value = from_json(text.strip())
    except ValueError:
        return ""
    return _JSON if isinstance(value, dict | list) else ""


def unfit_turns(ledger: Queryable, parser: "AnyParser", within: Filter) -> dict[str, int]:
    """Count the filtered turns of each profile whose formats a parser doesn't support.

    A parser supports a profile if they share a dialect. Profiles that this process doesn't know are not counted.
    """
    from actionledger.profiles import PROFILES  # noqa: PLC0415 - slow to load

    reads = _dialects(parser)
    return {
        name: turns
        for name, turns in responses_by_profile(ledger, within).items()
        if (profile := PROFILES.get(name)) and reads.isdisjoint(_dialects(profile.parser))
    }


def unknown_profiles(ledger: Queryable, within: Filter) -> dict[str, int]:
    """Count the filtered turns of each profile that this process doesn't know: their actions are not checked when parsed again."""
    from actionledger.profiles import PROFILES  # noqa: PLC0415 - slow to load

    return {
        name: turns
        for name, turns in responses_by_profile(ledger, within).items()
        if name not in {"", "none"} and name not in PROFILES
    }


def _dialects(parser: "AnyParser") -> frozenset[str]:
    from actionledger.reading.baselines import baseline_dialect  # noqa: PLC0415 - slow to load
    from actionledger.reading.parsers import BaselineParser  # noqa: PLC0415 - the same

    if isinstance(parser, BaselineParser):
        return frozenset({baseline_dialect(parser.rules)})
    return frozenset(dialect.name for dialect in parser.dialects)
