"""The session viewer as a separate HTML page, from script and style files next to their modules. It requests nothing from any host."""

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
"""The parts of the session viewer, in loading order."""


def read(name: str, kind: str) -> str:
    """Return the content of the components' file ``NAME.KIND``; empty if missing."""
    file = FOLDER / f"{name}.{kind}"
    return file.read_text(encoding="utf-8") if file.exists() else ""


def joined(names: tuple[str, ...], kind: str) -> str:
    """Return the concatenated files of one kind."""
    return "".join(read(name, kind) for name in names)


# Streamlit's names for its theme's colours, so that one style serves both.
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

# Only the viewer's own script runs, whatever a text contains, and the page can reach no host.
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{}'"


def page_of(view: Values, *, title: str = "actionledger") -> str:
    """Return what ``view_of`` gives as a whole HTML page of the session viewer, with its scripts, styles and data."""
    # With "<" escaped, no text in the JSON can end the script element.
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
    """Return what ``view_of`` gives as a notebook's frame, with a height in pixels; it can't reach the notebook around it."""
    page = escape(page_of(view), quote=True)
    return (
        f'<iframe sandbox="allow-scripts" title="a session, turn by turn" srcdoc="{page}" '
        f'style="width: 100%; height: {height}px; border: 0"></iframe>'
    )
