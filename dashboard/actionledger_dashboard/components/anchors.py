"""A line of links to other pages and to other states of this one. Their words are text, whoever wrote them."""

from collections.abc import Sequence

from actionledger_dashboard.components.assets import mount_of
from actionledger_dashboard.components.visible import pieces

_mount = mount_of("anchors")


def show_anchors(key: str, anchors: Sequence[tuple[str, str]], before: str = "") -> None:
    """Show links in a row."""
    drawn = [{"text": pieces(text), "href": href} for text, href in anchors]
    _mount(key=key, data={"before": pieces(before), "links": drawn})
