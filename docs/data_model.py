"""Draw docs/images/data_model.svg: the tables of a ledger, and the columns that join them."""

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).parent / "images" / "data_model.svg"

PLACES = {
    "runs": (0, 0),
    "parsers": (0, 1),
    "left_out": (0, 3),
    "forgotten": (0, 4),
    "sessions": (1, 0),
    "turns": (1, 2),
    "tools": (1, 3),
    "resumptions": (0, 2),
    "parse_attempts": (2, 1),
    "blocks": (2, 2),
    "repairs": (2, 3),
    "issues": (2, 0),
    "actions": (3, 1),
    "validation_errors": (3, 0),
    "executions": (3, 2),
    "approvals": (4, 1),
    "reversals": (4, 2),
    "reviews": (2, 4),
}
"""Where each table stands: its column and its row."""


class Join(NamedTuple):
    """Rows of the second table belong to one of the first."""

    one: str
    many: str
    by: str


JOINS = (
    Join("runs", "sessions", "run_id"),
    Join("parsers", "parse_attempts", "parser_id"),
    Join("sessions", "turns", "session_id"),
    Join("tools", "turns", "tools_hash"),
    Join("turns", "resumptions", "turn_id"),
    Join("turns", "parse_attempts", "turn_id"),
    Join("turns", "reviews", "turn_id"),
    Join("parse_attempts", "issues", "attempt_id"),
    Join("parse_attempts", "blocks", "attempt_id"),
    Join("parse_attempts", "actions", "attempt_id"),
    Join("blocks", "repairs", "block_index"),
    Join("actions", "validation_errors", "action_index"),
    Join("actions", "executions", "action_id"),
    Join("actions", "approvals", "action_id"),
    Join("executions", "reversals", "action_id"),
)
_WIDE, _HIGH, _ACROSS, _DOWN, _MARGIN = 150, 34, 236, 92, 12
_STYLE = """
text{font:13px ui-monospace,Menlo,Consolas,monospace;fill:#24292f;text-anchor:middle}
text.by{font-size:11px;fill:#57606a;paint-order:stroke;stroke:#fff;stroke-width:5px}
rect{fill:#f3f5f8;stroke:#8b93a1}path{stroke:#8b93a1;fill:none}marker path{fill:#8b93a1}
@media(prefers-color-scheme:dark){text{fill:#e6e9ee}text.by{fill:#a9b0bc;stroke:#15181d}rect{fill:#232830}}
"""


def drawing() -> str:
    """Return the picture."""
    columns, rows = (1 + max(place[axis] for place in PLACES.values()) for axis in (0, 1))
    wide = (columns - 1) * _ACROSS + _WIDE + 2 * _MARGIN
    high = (rows - 1) * _DOWN + _HIGH + 2 * _MARGIN
    arrow = '<marker id="many" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0,0L8,4L0,8z"/></marker>'
    parts = (*_lines(), *_boxes())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" role="img">'
        f"<title>The tables of a ledger: an arrow leads from one row to the many that belong to it</title>"
        f"<style>{_STYLE}</style><defs>{arrow}</defs>\n{chr(10).join(parts)}\n</svg>\n"
    )


def _boxes() -> Iterator[str]:
    for name in PLACES:
        x, y = _middle(name)
        yield f'<rect x="{x - _WIDE // 2}" y="{y - _HIGH // 2}" width="{_WIDE}" height="{_HIGH}" rx="6"/>'
        yield f'<text x="{x}" y="{y + 5}">{escape(name)}</text>'


def _lines() -> Iterator[str]:
    for join in JOINS:
        (x, y), (to_x, to_y) = _middle(join.one), _middle(join.many)
        is_beside = x != to_x
        half_x, half_y = (_WIDE // 2 if is_beside else 0), (0 if is_beside else _HIGH // 2)
        right, down = (1 if to_x > x else -1), (1 if to_y > y else -1)
        x, y, to_x, to_y = x + right * half_x, y + down * half_y, to_x - right * half_x, to_y - down * half_y
        yield f'<path d="M{x},{y}L{to_x},{to_y}" marker-end="url(#many)"/>'
        yield f'<text class="by" x="{(x + to_x) // 2}" y="{(y + to_y) // 2 + 4}">{escape(join.by)}</text>'


def _middle(name: str) -> tuple[int, int]:
    column, row = PLACES[name]
    return _MARGIN + _WIDE // 2 + column * _ACROSS, _MARGIN + _HIGH // 2 + row * _DOWN


if __name__ == "__main__":
    FILE.write_text(drawing(), encoding="utf-8")
