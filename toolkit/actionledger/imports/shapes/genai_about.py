"""What an agent's span says of its session, as our own export writes it there."""

from collections.abc import Mapping
from typing import Any

from actionledger.imports.shapes.about import About
from actionledger.imports.shapes.outcomes import OWN
from actionledger.imports.sources.access import text_at, texts_at


def about(given: Mapping[str, Any]) -> About:
    """Return what an agent's span says of its session."""
    success = given.get(f"{OWN}success")
    return About(
        task=text_at(given, f"{OWN}task"),
        labels=texts_at(given, f"{OWN}labels"),
        success=success if isinstance(success, bool) else None,
        reason=text_at(given, f"{OWN}end_reason"),
    )
