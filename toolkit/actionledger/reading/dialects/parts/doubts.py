"""Values that can be read and are not to be acted on: a key with two values, a number that is none."""

import json
from dataclasses import replace
from typing import Any

from actionledger.core.values import Issue
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.tolerant_json import Decoded
from actionledger.reading.tolerant_json.shapes import brief


class _TwoValuesError(Exception):
    def __init__(self, key: str, first: object, second: object) -> None:
        super().__init__(key)
        self.key = key
        self.detail = f"The key is {key[:80]!r}; its values are {brief(first)} and {brief(second)}."


def unless_doubtful(text: str, decoded: Decoded) -> Decoded:
    """Return a value as it is, or refused if a key in it stands twice with two values, or a number is none.

    A key that stands twice with the same value stays an issue: it doesn't matter which of them counts.
    """
    issue = (_no_number(decoded) or _contradiction(text, decoded)) if decoded.ok else None
    return replace(decoded, ok=False, value=None, issues=(issue,), cut=()) if issue else decoded


def _no_number(decoded: Decoded) -> Issue | None:
    """Return the issue that a word was read as a number that is none."""
    for repair in decoded.repairs:
        if repair.kind is RepairKind.NON_FINITE_NUMBER:
            return Issue(Reason.NON_FINITE_NUMBER, repair.span)
    return None


def _contradiction(text: str, decoded: Decoded) -> Issue | None:
    """Return the issue that names two values of one key; a text that is broken beside that is not looked into."""
    twice = [issue for issue in decoded.issues if issue.code is Reason.DUPLICATE_KEY]
    if not twice:
        return None
    try:
        _decoder.decode(text[decoded.start : decoded.end])
    except _TwoValuesError as error:
        places = [
            issue.span for issue in twice if issue.span and issue.span.of(text).strip("\"'") == error.key
        ]
        return Issue(Reason.DUPLICATE_KEY, places[0] if places else twice[0].span, error.detail)
    except (ValueError, RecursionError):
        return twice[0]
    return None


def _agreeing(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made and json.dumps(made[key], sort_keys=True) != json.dumps(value, sort_keys=True):
            raise _TwoValuesError(key, made[key], value)
        made[key] = value
    return made


_decoder = json.JSONDecoder(object_pairs_hook=_agreeing, strict=False)
