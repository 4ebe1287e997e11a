"""MINT's two actions."""

import pytest

from actionledger.core.vocabulary import ActionStatus, Reason
from actionledger.profiles.mint import CATALOGUE

FIELDS = {"execute": "code", "solution": "answer"}


def test_the_catalogue_holds_just_the_two_actions():
    """A turn runs code or gives the answer."""
    assert CATALOGUE.names == tuple(FIELDS)


@pytest.mark.parametrize(("name", "field"), FIELDS.items())
def test_the_one_field_is_required_and_not_empty(checked, name, field):
    """Neither nothing nor an empty text is code or an answer."""
    assert checked(CATALOGUE, name, {}).reason is Reason.MISSING_FIELD
    assert checked(CATALOGUE, name, {field: ""}).reason is Reason.BAD_LENGTH
    assert checked(CATALOGUE, name, {field: "x"}, strings_only=True).status is ActionStatus.VALID
