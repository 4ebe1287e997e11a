"""Small components: lines, links, choices, texts to copy and findings. Their HTML, CSS and JavaScript are files next to their modules."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from actionledger.ledger.upkeep.health import Finding, Level
from actionledger_dashboard.components.wording import pieces, visible
from actionledger_dashboard.viewer.page import joined, read


def mount_of(name: str, *before: str) -> Callable[..., Any]:
    """Return the mount function of a component, from those of ``NAME.html``, ``NAME.css`` and ``NAME.js`` that exist."""
    names = tuple(dict.fromkeys(("shared", *before, name)))
    mount = st.components.v2.component(
        f"actionledger.{name}",
        html=read(name, "html") or None,
        css=joined(names, "css"),
        js=joined(names, "js"),
    )

    def mounted(*, data: Mapping[str, Any], **more: Any) -> Any:
        # In a list: Streamlit looks for data frames among a dict's values, and loads pandas, numpy and pyarrow for that.
        return mount(data=[data], **more)

    return mounted


def line() -> DeltaGenerator:
    """Return a row to put parts in; none becomes wider than the row."""
    return st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center")


def heading(text: str, meaning: str | None = None) -> None:
    """Show a heading that leaves room next to it."""
    st.subheader(text, help=meaning, anchor=False, width="content")


_mount_anchors = mount_of("anchors")


def show_anchors(key: str, anchors: Sequence[tuple[str, str]], before: str = "") -> None:
    """Show links in a row."""
    drawn = [{"text": pieces(text), "href": href} for text, href in anchors]
    _mount_anchors(key=key, data={"before": pieces(before), "links": drawn})


_mount_exact = mount_of("exact", "copying")


def show_exact(key: str, text: str) -> None:
    """Show a text to copy, of one or several lines."""
    _mount_exact(key=key, data={"text": pieces(text)})


_mount_choice = mount_of("choice", "addressed")


def show_choice(key: str, label: str, name: str, options: Mapping[str, str], picked: str) -> None:
    """Show a choice field with its label above it."""
    shown = [{"value": value, "text": visible(text)} for value, text in options.items()]
    _mount_choice(key=key, data={"label": label, "name": name, "options": shown, "picked": picked})


_LOOKS = {Level.FINE: "good", Level.NOTE: "idle", Level.FAULT: "bad"}
_ORDER = [Level.FAULT, Level.NOTE, Level.FINE]

_mount_findings = mount_of("findings")


def show_findings(findings: Sequence[Finding]) -> None:
    """Show findings, worst first."""
    drawn = [
        {
            "level": str(finding.level),
            "look": _LOOKS[finding.level],
            "check": str(finding.check),
            "sentence": pieces(finding.sentence),
            "to_do": pieces(finding.to_do),
        }
        for finding in sorted(findings, key=lambda finding: _ORDER.index(finding.level))
    ]
    _mount_findings(key="findings", data={"findings": drawn})
