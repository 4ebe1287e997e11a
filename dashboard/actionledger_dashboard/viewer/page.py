"""A session's viewer as an HTML page of its own, of scripts and styles that stand beside their modules; it asks no host for anything."""

import json
from base64 import b64encode
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Final

from actionledger_dashboard.viewer.looks import Values

FOLDER = Path(__file__).parents[1] / "components"

VIEWER = (
    "shared",
    "marked",
    "cards",
    "explained",
    "facts",
    "minimap",
    "selected",
    "copying",
    "stepping",
    "viewer",
)
"""What the viewer of a session is made of, in the order in which it is read."""


def read(name: str, kind: str) -> str:
    """Return a file ``NAME.KIND`` of the components; empty where there is none."""
    file = FOLDER / f"{name}.{kind}"
    return file.read_text(encoding="utf-8") if file.exists() else ""


def joined(names: tuple[str, ...], kind: str) -> str:
    """Return files of one kind, one behind the other."""
    return "".join(read(name, kind) for name in names)


# The names that Streamlit gives its theme's colours, so that one style serves both.
_THEME: Final = """
:root { color-scheme: light dark; --st-background-color: #fff; --st-secondary-background-color: #f0f2f6; --st-text-color: #31333f;
  --st-border-color: #d5d7dd; --st-primary-color: #2463a3; --st-link-color: #1f5c99; --st-red-color: #d9352c; --st-orange-color: #b35900;
  --st-yellow-color: #e0a800; --st-green-color: #1a8a41; --st-gray-color: #7d8090; --st-font: system-ui, sans-serif;
  --st-code-font: ui-monospace, monospace; --st-base-radius: 8px; }
@media (prefers-color-scheme: dark) { :root { --st-background-color: #0e1117; --st-secondary-background-color: #262730;
  --st-text-color: #fafafa; --st-border-color: #41444c; --st-primary-color: #7db4ee; --st-link-color: #7db4ee; --st-red-color: #ff6c6c;
  --st-orange-color: #ffb066; --st-yellow-color: #ffe066; --st-green-color: #5ce488; --st-gray-color: #a3a8b4; } }
body { margin: 0; padding: 8px; background: var(--st-background-color); }
"""

# No script runs but the viewer's own, whatever a text says, and nothing on the page can reach anybody.
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{}'"


def page_of(view: Values, *, title: str = "actionledger") -> str:
    """Return a session's viewer as a whole HTML page: scripts, styles and data are in it.

    Args:
        view: what ``view_of`` gave.
        title: the page's.
    """
    # As JSON within a script, nothing can end the element: "<" stands in it as an escape.
    data = json.dumps(view, ensure_ascii=True).replace("<", "\\u003c").replace(">", "\\u003e")
    style = _THEME + joined((*VIEWER, "transcript"), "css").replace(":host", ":root")
    script = f"{joined(VIEWER, 'js')}\nshowAlone(document);"
    policy = _POLICY.format(b64encode(sha256(script.encode()).digest()).decode())
    body = read("session_facts", "html") + read("transcript", "html")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head><body>{body}"
        f'<script type="application/json" id="view">{data}</script>'
        f"<script>{script}</script></body></html>"
    )


def frame_of(view: Values, *, height: int = 720) -> str:
    """Return a session's viewer as a frame that a notebook shows as HTML; it can't reach the notebook around it.

    Args:
        view: what ``view_of`` gave.
        height: the frame's height, in pixels.
    """
    page = escape(page_of(view), quote=True)
    return (
        f'<iframe sandbox="allow-scripts" title="a session, turn by turn" srcdoc="{page}" '
        f'style="width: 100%; height: {height}px; border: 0"></iframe>'
    )
