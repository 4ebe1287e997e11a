"""What is known of a session, on one line: its facts, its family, and which reading of its turn is shown."""

from collections.abc import Sequence

from actionledger_dashboard.components.assets import mount_of
from actionledger_dashboard.viewer.looks import Values

_mount = mount_of("session_facts", "facts")


def show_facts(
    key: str,
    facts: Sequence[Values],
    family: Sequence[Values],
    readings: Sequence[Values] = (),
    ways: Sequence[tuple[str, str]] = (),
) -> None:
    """Show a session's facts."""
    data = {
        "facts": list(facts),
        "family": list(family),
        "readings": list(readings),
        "ways": [{"text": text, "href": href} for text, href in ways],
    }
    _mount(key=key, data=data)
