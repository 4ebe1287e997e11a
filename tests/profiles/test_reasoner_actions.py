"""The reasoner's 12 actions: each is planned with a context, and says which."""

import pytest

from actionledger.core.vocabulary import ActionStatus, Reason
from actionledger.profiles.reasoner.actions import CATALOGUE

NAMES = (
    "think",
    "update_mood",
    "add_memory",
    "remove_memory",
    "update_appearance",
    "update_environment",
    "add_goal",
    "remove_goal",
    "add_desire",
    "remove_desire",
    "speak",
    "done",
)


def test_the_catalogue_holds_just_the_documented_actions():
    """There are 12 actions, in the document's order, told apart by the field 'action'."""
    assert CATALOGUE.names == NAMES
    assert CATALOGUE.discriminator == "action"


@pytest.mark.parametrize("name", NAMES)
def test_a_planner_is_told_what_context_each_action_needs(name):
    """Planning guidance has a description and a context description of its own for each action."""
    model = CATALOGUE.model(name)
    assert model.context_description
    others = {CATALOGUE.model(other).context_description for other in NAMES if other != name}
    assert model.context_description not in others


@pytest.mark.parametrize("name", NAMES[:-1])
def test_a_context_is_required(checked, name):
    """An action without what it should focus on is invalid."""
    call = checked(CATALOGUE, name, {})
    assert [(error.code, error.path) for error in call.errors] == [(Reason.MISSING_FIELD, "context")]


def test_done_needs_no_context(checked):
    """The end of the sequence may come without words."""
    call = checked(CATALOGUE, "done", {})
    assert call.status is ActionStatus.VALID
    assert call.action.context == ""


def test_a_context_is_text(checked):
    """A context of another type is a mistake."""
    assert checked(CATALOGUE, "think", {"context": ["x"]}).reason is Reason.WRONG_TYPE


def test_the_enum_names_of_the_document_are_read(checked):
    """The document's capitals name the same actions, in any case; misspelt ones are near misses, and the answer says of what."""
    call = checked(CATALOGUE, "UPDATE_MOOD", {"context": "x"})
    assert (call.name, call.status) == ("UPDATE_MOOD", ActionStatus.COERCED)
    assert checked(CATALOGUE, "UpdateMood", {"context": "x"}).status is ActionStatus.COERCED
    call = checked(CATALOGUE, "UpdatMood", {"context": "x"})
    assert call.status is ActionStatus.UNKNOWN
    assert "did you mean 'update_mood'" in call.errors[0].expected
