"""The errors of models: one tree, drawn where it is defined."""

import inspect

import pytest

from actionledger.core.errors import ActionLedgerError, UsageError
from actionledger.runtime.models import ModelStatusError, Timeouts, errors

ERRORS = [cls for _, cls in inspect.getmembers(errors, inspect.isclass) if issubclass(cls, errors.ModelError)]


@pytest.mark.parametrize("cls", ERRORS, ids=lambda cls: cls.__name__)
def test_the_tree_in_the_docstring_is_the_tree(cls):
    """The drawing names each class, deeper than its parent, and one ``except`` catches them all."""
    lines = {line.strip(" │├└─").split("  ")[0]: line for line in errors.__doc__.splitlines()}
    line, parent = lines[cls.__name__], cls.__bases__[0]
    assert issubclass(cls, ActionLedgerError)
    if cls is not errors.ModelError:
        assert line.index(cls.__name__) == lines[parent.__name__].index(parent.__name__) + 4


def test_a_status_error_carries_what_a_caller_decides_by():
    """The status, and how long to wait."""
    error = ModelStatusError("busy", status=429, retry_after=2.0)
    assert (str(error), error.status, error.retry_after, error.partial) == ("busy", 429, 2.0, None)


@pytest.mark.parametrize("given", [{"connect": 0}, {"read": -1}, {"total": float("nan")}])
def test_time_outs_are_above_zero(given):
    """A time-out that nothing can meet is the developer's mistake."""
    with pytest.raises(UsageError, match="seconds above 0"):
        Timeouts(**given)
