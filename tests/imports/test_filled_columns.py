"""Docs say of each agent that was run what its recordings fill: what imports of those that are here give."""

import re
from pathlib import Path

import pytest

import actionledger as al

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs" / "sources.md").read_text(encoding="utf-8")
RECORDINGS = {
    path.name: path
    for folder in (TESTS / "imports" / "recordings", TESTS / "lab" / "recordings")
    for path in sorted(folder.iterdir())
    if path.is_dir() and path.name != "pi_code_mode"  # the same format as pi's
}
COLUMNS = ("project", "git_branch", "git_commit", "agent_version")
ASKED = f"""
SELECT (SELECT min(title_from) FROM sessions), {", ".join(f"(SELECT bool_or({each} <> '') FROM sessions)" for each in COLUMNS)},
    (SELECT bool_or(tools_hash IS NOT NULL) FROM turns), (SELECT bool_or(decision = 'allowed') FROM permissions)"""


def documented() -> dict[str, list[str]]:
    table = PAGE.split("| Format | title | project |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", table, flags=re.MULTILINE)
    return {name: cells.split(" | ") for name, cells in rows}


@pytest.mark.parametrize("name", RECORDINGS)
def test_the_page_says_what_recordings_fill(name, tmp_path):
    """Each column, and of titles whose they are."""
    with al.open_ledger(tmp_path / "team.duckdb") as ledger:
        first = next(path for path in sorted(RECORDINGS[name].iterdir()) if path.name in {"exit3", "good"})
        al.import_path(first, ledger, workers=1)
        [(title, *filled)] = ledger.sql(ASKED).fetchall()
    assert [str(title), *("yes" if each else "no" for each in filled)] == documented()[name]
