"""The sample sessions are what their generator writes, and what their README says."""

import ast
import json
import os
import subprocess
import sys
import tomllib
from collections import defaultdict
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parents[2] / "data"
FIELDS = {"session", "turn", "profile", "model", "task", "at", "prompt", "text", "feedback", "success"}
PROFILES = {"assistant", "assistant-iterative", "orchestrator", "coder", "reasoner"}

Row = dict[str, Any]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder that the generator has just written to, and what it printed."""
    folder = tmp_path_factory.mktemp("data")
    command = [sys.executable, "-B", str(DATA / "generate.py"), "--folder", str(folder)]
    # Another hash seed than this process's own shows whether the order of a set or a hash leaks into the output.
    environment = os.environ | {"PYTHONHASHSEED": "4711", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(command, capture_output=True, check=True, encoding="utf-8", env=environment)
    return folder, done.stdout


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """The checked-in turns, in the order of their lines."""
    text = (DATA / "sessions.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.removesuffix("\n").split("\n")]


@pytest.fixture(scope="module")
def sessions(rows: list[Row]) -> dict[str, list[Row]]:
    """The checked-in turns by session, in the order in which the sessions first appear."""
    grouped: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        grouped[row["session"]].append(row)
    return dict(grouped)


def test_sessions_are_what_the_generator_writes(written: tuple[Path, str]) -> None:
    """Running the generator again gives the checked-in file, byte for byte."""
    assert (written[0] / "sessions.jsonl").read_bytes() == (DATA / "sessions.jsonl").read_bytes()


def test_readme_holds_the_counts_of_the_generator(written: tuple[Path, str]) -> None:
    """The README's tables are those that the generator counts and prints."""
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    between = readme.partition("<!-- rates: ")[2].partition("-->")[2].partition("<!-- end of rates -->")[0]
    assert between.strip() == written[1].strip()
    assert (written[0] / "README.md").read_text(encoding="utf-8") == readme


def test_counts_agree_with_the_file(written: tuple[Path, str], rows: list[Row]) -> None:
    """The counted responses of each model are as many as the file has, and every fault occurs."""
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in written[1].splitlines()]
    models, counts = table[0][1:-1], table[2][1:-1]
    assert [sum(row["model"] == model for row in rows) for model in models] == [
        int(count) for count in counts
    ]
    totals = {cells[0]: int(cells[-1]) for cells in table if cells[0].startswith("`")}
    assert len(totals) > 40
    assert min(totals.values()) > 0


def test_every_line_has_the_fields_of_the_import_format(rows: list[Row]) -> None:
    """Required fields are there, no other fields than the documented ones, each of its type."""
    for row in rows:
        assert row.keys() <= FIELDS
        assert isinstance(row["session"], str)
        assert row["session"]
        assert isinstance(row["text"], str)
        assert row["profile"] in PROFILES
        assert datetime.fromisoformat(row["at"]).utcoffset() is not None


def test_file_ends_lines_with_line_feeds_only() -> None:
    """Carriage returns of a response are escaped; the file itself has none, and is of a size to check in."""
    raw = (DATA / "sessions.jsonl").read_bytes()
    assert b"\r" not in raw
    assert raw.endswith(b"}\n")
    assert 1_500_000 < len(raw) < 4_000_000


def test_sessions_stand_in_order_of_time(rows: list[Row], sessions: dict[str, list[Row]]) -> None:
    """A session's lines stand together, and sessions begin one after the other."""
    begins = [turns[0]["at"] for turns in sessions.values()]
    assert len(begins) == 600
    assert begins == sorted(begins)
    assert [row["session"] for row in rows] == [
        row["session"] for turns in sessions.values() for row in turns
    ]


def test_turns_count_from_zero(sessions: dict[str, list[Row]]) -> None:
    """A session's turns are numbered without gaps, in time, at most eight, all of one model and profile."""
    for turns in sessions.values():
        assert [row["turn"] for row in turns] == list(range(len(turns)))
        assert len(turns) <= 8
        assert [row["at"] for row in turns] == sorted({row["at"] for row in turns})
        assert len({(row["model"], row["profile"], row["task"]) for row in turns}) == 1


def test_prompt_comes_first_and_success_last(sessions: dict[str, list[Row]]) -> None:
    """Only a session's first line has a prompt, and only its last may say whether it succeeded."""
    for turns in sessions.values():
        assert turns[0]["prompt"]
        assert not any("prompt" in row for row in turns[1:])
        assert not any("success" in row for row in turns[:-1])


def test_every_model_is_recorded_under_every_profile(rows: list[Row]) -> None:
    """A comparison of models finds all five of them wherever it looks."""
    assert len({row["model"] for row in rows}) == 5
    assert len({(row["model"], row["profile"]) for row in rows}) == 25


def test_responses_hardly_ever_look_alike(rows: list[Row]) -> None:
    """At least 95 of 100 responses occur only once."""
    texts = [row["text"] for row in rows]
    assert len(set(texts)) > 0.95 * len(texts)


def test_every_fault_is_a_row_and_a_function() -> None:
    """No row is without the function that puts it in, no such function is forgotten, no profile or model has no rate."""
    table = tomllib.loads((DATA / "generator/tables/faults.toml").read_text(encoding="utf-8"))
    rows = {name: row for kind in table["kinds"] for name, row in table[kind].items()}
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in DATA.glob("generator/faults/*.py")]
    functions = {
        node.name
        for node in (node for tree in trees for node in tree.body)
        if isinstance(node, ast.FunctionDef) and ast.unparse(node.returns or ast.Constant("")) == "None"
    }
    assert {row.get("by", name) for name, row in rows.items()} == {
        name for name in functions if not name.startswith("_")
    }
    assert {len(row["rates"]) for row in rows.values()} == {5}
    assert set(table["groups"]["all"]) == PROFILES


def test_generator_knows_nothing_of_the_toolkit() -> None:
    """The generator imports the standard library and itself: it is independent of what it tests."""
    allowed = sys.stdlib_module_names | {"generator"}
    for path in DATA.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert {name.partition(".")[0] for name in names} <= allowed, path
