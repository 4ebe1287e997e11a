"""What checking finds at an action's fields: errors, conversions, and places that stand for another action's result."""

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
    """A field's value that was written in another type, and taken in the field's own without losing anything.

    Args:
        path: the field, as a JSON path without its root.
        before: the value as it was written, as JSON text of at most 200 characters.
        after: the value that it was taken as, likewise.
    """

    path: str
    before: str
    after: str


class Reference(NamedTuple):
    """A place in an action's arguments that stands for a value of another action's result.

    Args:
        field: where it stands, as a JSON path into the arguments without its root.
        action: the id of the action whose result is meant.
        path: where in that result the value is, as a JSON path without its root.
    """

    field: str
    action: str
    path: str
