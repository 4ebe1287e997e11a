"""The error tree: each error has one audience, and one root that catches them all."""

import inspect

import pytest

from actionledger.core import errors
from actionledger.core.errors import ActionError, ActionLedgerError, LedgerError, UnknownNameError, UsageError
from actionledger.core.vocabulary import Reason

ERRORS = [cls for _, cls in inspect.getmembers(errors, inspect.isclass) if issubclass(cls, Exception)]


def test_every_error_has_the_same_root():
    """One ``except`` is enough to catch whatever the toolkit raises on purpose."""
    assert len(ERRORS) >= 9
    assert all(issubclass(cls, ActionLedgerError) for cls in ERRORS)


@pytest.mark.parametrize("cls", ERRORS, ids=lambda cls: cls.__name__)
def test_the_tree_in_the_docstring_is_the_tree(cls):
    """The drawing at the head of the module names each class, deeper than its parent."""
    lines = {line.strip(" │├└─").split("  ")[0]: line for line in errors.__doc__.splitlines()}
    line = lines[cls.__name__]
    if cls is not ActionLedgerError:
        parent = lines[cls.__bases__[0].__name__]
        assert line.index(cls.__name__) == parent.index(cls.__bases__[0].__name__) + 4


def test_audiences_are_told_apart():
    """What a developer got wrong isn't what an operator has to mend, nor what the model is told."""
    branches = [UsageError, LedgerError, errors.SourceError, ActionError]
    assert all(cls.__bases__ == (ActionLedgerError,) for cls in branches)


@pytest.mark.parametrize(
    ("name", "known", "message"),
    [
        ("codr", ["mint", "coder"], "There is no profile 'codr'. Did you mean 'coder'? Known: coder, mint."),
        ("zzz", ["mint", "coder"], "There is no profile 'zzz'. Known: coder, mint."),
        ("x", {"a": 1}, "There is no profile 'x'. Known: a."),
    ],
)
def test_an_unknown_name_is_told_the_near_one_and_all_known_ones(name, known, message):
    """One sentence says what was asked for, what may have been meant and what there is."""
    assert str(UnknownNameError("profile", name, known)) == message


def test_an_action_error_carries_its_reason():
    """The code goes into the record, the sentence to the model."""
    error = ActionError(Reason.NOT_FOUND, "There is no task 7.")
    assert (error.reason, str(error)) == (Reason.NOT_FOUND, "There is no task 7.")
