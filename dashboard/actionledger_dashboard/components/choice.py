"""One of several things, picked from a browser's own field, which leads to another address of the page."""

from collections.abc import Mapping

from actionledger_dashboard.components.assets import mount_of
from actionledger_dashboard.components.visible import visible

_mount = mount_of("choice", "addressed")


def show_choice(key: str, label: str, name: str, options: Mapping[str, str], picked: str) -> None:
    """Show the field, its label above it."""
    shown = [{"value": value, "text": visible(text)} for value, text in options.items()]
    _mount(key=key, data={"label": label, "name": name, "options": shown, "picked": picked})
