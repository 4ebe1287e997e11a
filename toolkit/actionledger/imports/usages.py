"""What a response took, as a program says it, which is refused where it can't be, and as a provider says it, of which the rest is kept."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from difflib import get_close_matches
from math import isfinite
from typing import Any

from actionledger.core.errors import UsageError
from actionledger.core.values.recordings import Usage
from actionledger.imports.sources.usage import COUNTS, PROVIDERS_OWN, is_count, usage_of

_NAMES = frozenset(each.name for each in fields(Usage)) - {"billed"}
_OWN = _NAMES - {"input_tokens", "output_tokens"}
"""What only ``Usage`` calls so; the others are the providers' names as well, which don't mean the same everywhere."""

_NUMBERS = frozenset({"cost_usd", "latency_ms", "time_to_first_token_ms"})
_TEXT = "finish_reason"
_WITHIN = ("usage", "usageMetadata", "usage_metadata")


def told_usage(given: object) -> Usage:
    """Return what a program says that a response took."""
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
    """Return what can be of a usage that nobody is there to mend: no response is lost for it."""
    said = asdict(given) if isinstance(given, Usage) else given
    if not isinstance(said, Mapping):
        return Usage()
    return _usage({name: value for name, value in said.items() if value is None or _may_be(name, value)})


def usage_within(message: object) -> Mapping[str, Any] | None:
    """Return the usage that stands beside a message in its provider's response."""
    if not isinstance(message, Mapping):
        return None
    return next((found for name in _WITHIN if isinstance(found := message.get(name), Mapping)), None)


def _usage(given: Mapping[str, Any]) -> Usage:
    own = {name: value for name, value in given.items() if name in _OWN}
    if own.get(_TEXT, "") is None:
        del own[_TEXT]
    return usage_of(given, **own)


def _refuse_unknown(given: Mapping[str, Any]) -> None:
    """Refuse what nothing is kept of; a provider's own object may have what came up since."""
    unknown = [name for name in given if name not in _NAMES]
    if not unknown or not PROVIDERS_OWN.isdisjoint(given):
        return
    near = get_close_matches(str(unknown[0]), sorted(_NAMES), n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise UsageError(
        f"A usage has no {unknown[0]!r:.60}.{hint} It has {', '.join(sorted(_NAMES))}, or is a provider's usage object."
    )


def _refuse_impossible(given: Mapping[str, Any]) -> None:
    for name, value in given.items():
        if value is not None and not _may_be(name, value):
            wanted = (
                "a text"
                if name == _TEXT
                else f"{'a number' if name in _NUMBERS else 'a whole number'}, 0 or more"
            )
            raise UsageError(f"A usage's {name} is {wanted}, not {value!r:.60}.")


def _may_be(name: object, value: object) -> bool:
    """Return whether a value may stand under a name; under one that is not known here, any may."""
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
    except OverflowError:  # a whole number that no float holds
        return False
