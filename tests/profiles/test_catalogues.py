"""What holds for the actions of every profile: their examples, their schema and their descriptions."""

import pytest

from actionledger.core.vocabulary import ActionStatus
from actionledger.profiles import mint
from actionledger.profiles.assistant import actions as assistant
from actionledger.profiles.coder import actions as coder
from actionledger.profiles.orchestrator import actions as orchestrator
from actionledger.profiles.reasoner import actions as reasoner

CATALOGUES = {
    "assistant": assistant.CATALOGUE,
    "coder": coder.CATALOGUE,
    "mint": mint.CATALOGUE,
    "orchestrator": orchestrator.CATALOGUE,
    "reasoner": reasoner.CATALOGUE,
}
ACTIONS = [(profile, name) for profile, catalogue in CATALOGUES.items() for name in catalogue.names]
every_profile = pytest.mark.parametrize("catalogue", CATALOGUES.values(), ids=CATALOGUES)


@pytest.mark.parametrize(("profile", "name"), ACTIONS)
def test_the_example_is_valid(checked, profile, name):
    """What a model is shown as correct is correct."""
    catalogue = CATALOGUES[profile]
    assert checked(catalogue, name, catalogue.model(name).example).status is ActionStatus.VALID


@every_profile
def test_the_json_schema_has_all_names(catalogue):
    """The schema that a model may be given holds every action by name."""
    discriminator = catalogue.json_schema()["discriminator"]
    assert discriminator["propertyName"] == catalogue.discriminator
    assert set(discriminator["mapping"]) == set(catalogue.names)


@every_profile
def test_every_field_and_action_is_described(catalogue):
    """A model is told what each action does and what each field means."""
    for action in catalogue.describe():
        assert action.description
        assert all(field.description for field in action.fields), action.name
