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
    """Show a session's facts.

    Args:
        key: tells them from another session's on the page.
        facts: what ``facts_of`` gave.
        family: what ``family_of`` gave.
        readings: lists to pick from, each option an address of this page.
        ways: where one can go on to with the turn that is shown: what stands on each, and its address.
    """
    data = {
        "facts": list(facts),
        "family": list(family),
        "readings": list(readings),
        "ways": [{"text": text, "href": href} for text, href in ways],
    }
    _mount(key=key, data=data)
