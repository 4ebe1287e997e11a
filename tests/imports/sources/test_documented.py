"""The source that docs/sources.md shows is one: it is taken out of the page and used."""

import json
import re
from pathlib import Path

import pytest

import actionledger as al
from actionledger.imports import import_sessions
from actionledger.imports.sources.base import Source
from actionledger.imports.sources.registry import sample_of, sources

PAGE = Path(__file__).parents[3] / "docs" / "sources.md"
LINES = (
    {"chat": "a", "id": "m1", "say": "On it.", "calls": [{"id": "c1", "name": "add", "arguments": '{"a": 1}'}],
     "results": [{"call": "c1", "output": "Exit code 1", "failed": True}]},
    {"chat": "a", "kind": "ping"},
    {"chat": "a", "id": "m2", "say": "Done."},
    {"chat": "b", "id": "m1", "say": "Hello."},
)  # fmt: skip


def documented() -> Source:
    [code] = re.findall(r"## A source in thirty lines.*?```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    names: dict[str, object] = {}
    exec(code, names)  # our own page
    source = names["SOURCE"]
    assert isinstance(source, Source)
    return source


def test_the_source_of_the_page_is_imported(tmp_path):
    """In growing prefixes, and twice: every turn, call and result once; what is none is counted."""
    source, path = documented(), tmp_path / "chats.jsonl"
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        for length in (1, 3, 4, 4):
            path.write_text("".join(json.dumps(line) + "\n" for line in LINES[:length]) + "{oops\n")
            assert source.recognise(sample_of(path)) == 1.0
            report = import_sessions(ledger, source.read(path, None), source=source.name, origin=path)
            assert len(report.refusals) == 1
        assert (report.turns, report.known) == (0, 3)
        counts = ledger.sql(
            "SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM turns), (SELECT count(*) FROM actions), "
            "(SELECT count(*) FROM executions), (SELECT sum(count) FROM left_out)"
        ).fetchone()
        assert tuple(counts) == (2, 3, 1, 1, 1)


def test_each_format_has_its_row():
    """The page says of every format what it keeps and, in the source's own words, what is lost."""
    table = PAGE.read_text(encoding="utf-8").split("## Formats")[1]
    rows = re.findall(r"^\| `(\w+)` \|.*\| (.+) \|$", table, flags=re.MULTILINE)
    ours = sorted((source.name, source.loses) for source in sources().values())
    assert sorted(rows) == ours, (
        "have the table at the end of docs/sources.md say what each source's `loses` says"
    )


@pytest.mark.parametrize("text", ["[1]\n", "7\n", '"chat say"\n', "", "# chat"])
def test_the_source_of_the_page_looks_at_any_file(tmp_path, text):
    """Every format is shown every file: what others' files begin with is no fault."""
    path = tmp_path / "x"
    path.write_text(text)
    assert documented().recognise(sample_of(path)) == 0.0
