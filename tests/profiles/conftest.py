"""Checks one action of a profile as if a response had written it."""

from collections.abc import Callable
from typing import Any

import pytest

from actionledger.actions.catalogue import Catalogue
from actionledger.actions.validation import check_action
from actionledger.core.values import ActionCall, RawAction, Span


@pytest.fixture
def checked() -> Callable[..., ActionCall]:
    """Takes a catalogue, a name, arguments and whatever else the raw action is to say."""

    def check(catalogue: Catalogue, name: str, arguments: dict[str, Any], **changes: Any) -> ActionCall:
        given: dict[str, Any] = {"span": Span(0, 10), "dialect": "actions", "block": 0} | changes
        return check_action(RawAction(name=name, arguments=arguments, **given), catalogue)

    return check
