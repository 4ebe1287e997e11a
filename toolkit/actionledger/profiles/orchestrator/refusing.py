"""What is wrong with an action, in the words of the orchestrator's own document: ``issues: Expected array, received string``.

They are made from the field errors that every profile has, by one table. Pure.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from actionledger.core.values import ActionCall, FieldError
from actionledger.core.vocabulary import Reason

_RECEIVED = {'"': "string", "[": "array", "{": "object", "t": "boolean", "f": "boolean", "n": "null"}
"""Which type a JSON text is of, by its first character; what begins otherwise is a number."""

_LEAST = re.compile(r"at least (\d+)")


def refusal(call: ActionCall, names: Sequence[str]) -> str:
    """Return what is wrong with a refused action, as one line: ``Invalid action "create_issues": issues: Required``."""
    return f'Invalid action "{call.name}": {"; ".join(_in_words(error, names) for error in call.errors)}'


def _in_words(error: FieldError, names: Sequence[str]) -> str:
    if error.code in {Reason.UNKNOWN_ACTION, Reason.MISSING_NAME}:
        expected = " | ".join(f"'{name}'" for name in names)
        return f"Invalid discriminator value. Expected {expected}"
    if error.code is Reason.UNKNOWN_FIELD:
        parent, _, field = error.path.rpartition(".")
        return _at(parent, f"Unrecognized key(s) in object: '{field}'")
    words = _WORDS.get(error.code)
    return _at(error.path, words(error) if words else f"Expected {error.expected}")


def _at(path: str, message: str) -> str:
    return f"{path}: {message}" if path else message


def _wrong_type(error: FieldError) -> str:
    return f"Expected {error.expected.split()[0]}, received {_RECEIVED.get(error.value[:1], 'number')}"


def _bad_length(error: FieldError) -> str:
    """Return how long a value must be; the least length is the only one that these actions know."""
    least = _LEAST.search(error.expected)
    if least is None:
        return f"Expected {error.expected}"
    if error.value.startswith("["):
        return f"Array must contain at least {least[1]} element(s)"
    return f"String must contain at least {least[1]} character(s)"


_WORDS: Mapping[Reason, Callable[[FieldError], str]] = {
    Reason.MISSING_FIELD: lambda _error: "Required",
    Reason.WRONG_TYPE: _wrong_type,
    Reason.BAD_LENGTH: _bad_length,
}
