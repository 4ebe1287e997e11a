"""The results of validation for an action's fields: errors, conversions, and references to another action's result."""

from dataclasses import dataclass
from typing import NamedTuple

from actionledger.core.vocabulary import SENTENCES, Reason


@dataclass(frozen=True, slots=True)
class FieldError:
    """One field of an action that its model refuses.

    Args:
        code: what is wrong.
        path: the field, as a JSON path without its root: ``issues.0.labels``; empty for the action itself.
        value: the value that was given, as JSON text of at most 200 characters; empty for a missing field.
        expected: what is allowed instead.

    Example:
        >>> text = al.render([("create_task", {"content": 7})], "actions")
        >>> [error] = al.parse(text, profile="assistant").actions[0].errors
        >>> str(error.code), error.path, error.value
        ('wrong_type', 'content', '7')
    """

    code: Reason
    path: str
    value: str
    expected: str

    @property
    def message(self) -> str:
        """The error as one sentence, for people."""
        where = f"{self.path}: " if self.path else ""
        got = f", got {self.value}" if self.value else ""
        return f"{where}{SENTENCES[self.code]} Expected {self.expected}{got}."


class Conversion(NamedTuple):
    """A value that was written in another type than its field's, and was converted without loss.

    Args:
        path: the field, as a JSON path without its root.
        before: the written value, as JSON text of at most 200 characters.
        after: the converted value, likewise.
    """

    path: str
    before: str
    after: str


class Reference(NamedTuple):
    """A place in an action's arguments for a value from another action's result.

    Args:
        field: the place, as a JSON path into the arguments without its root.
        action: the id of the other action.
        path: the value's place in that result, as a JSON path without its root.
    """

    field: str
    action: str
    path: str
