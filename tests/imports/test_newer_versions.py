"""Recordings of versions that nobody has tested: what is known of them is read, and what is not is named."""

import json
from pathlib import Path

import pytest

from actionledger.core.vocabulary import LeftOutReason
from actionledger.imports import import_path
from actionledger.imports.newer_versions import newer, newer_recordings, version_of
from actionledger.imports.sources.registry import sources
from actionledger.ledger import open_ledger

RECORDING = next((Path(__file__).parents[0] / "recordings/qwen_code/good").rglob("chats/*.jsonl"))


@pytest.fixture
def of_tomorrow(tmp_path):
    """A recording of a version of tomorrow's, with a kind of line that nobody knows."""
    lines = [json.loads(line) | {"version": "999.0.1"} for line in RECORDING.read_text().splitlines()]
    new = {"type": "teleported", "uuid": "x", "sessionId": "s", "place": "moon", "/home/ada/x": 1, "how": {}}
    path = tmp_path / "tomorrow.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in (*lines, new)))
    return path


def test_what_is_known_is_read_and_the_rest_is_named(of_tomorrow, tmp_path):
    """An unknown kind is counted with a sample of its keys, none of them a person's."""
    with open_ledger(tmp_path / "team.duckdb") as ledger:
        report = import_path(of_tomorrow, ledger)
        (found,) = newer_recordings(ledger)
    assert (report.sessions, report.turns, report.refusals) == (1, 2, [])
    unknown = {
        detail: n
        for (_, reason, detail), n in report.left_out.items()
        if reason is LeftOutReason.UNKNOWN_KIND
    }
    assert unknown == {"teleported (how, place)": 1}
    assert report.versions == {("qwen_code", "999.0.1")}
    assert (found.source, found.version, found.sessions) == ("qwen_code", "999.0.1", 1)
    assert found.words.startswith(
        f"1 session of qwen_code 999.0.1, newer than {sources()['qwen_code'].tested}"
    )


@pytest.mark.parametrize(
    ("version", "is_newer"),
    [
        ("0.24.4", False),
        ("0.24.5", True),
        ("0.100", True),
        ("0.9.99", False),
        ("1.0-beta", True),
        ("nightly", False),
    ],
)
def test_versions_are_compared_by_their_numbers(version, is_newer):
    """What is no version is no newer one."""
    assert bool(newer([("qwen_code", version)])) == is_newer


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("pi", {"version": 4}),
        ("kimi_code", {"protocol_version": "1.10"}),
        ("atif", {"schema_version": "ATIF-v1.8"}),
    ],
)
def test_a_format_has_versions_where_its_agent_says_none(source, said):
    """The tested one is not newer than itself."""
    assert newer([(source, version_of(said)), (source, sources()[source].tested)]) != []
    assert newer([(source, sources()[source].tested)]) == []


def test_of_what_no_version_is_known_nothing_is_said():
    """Nor of a format that nobody knows, or of an agent that shares another one's format."""
    assert newer([("gemini_cli", "99.0"), ("brand_new", "99.0")]) == []
    assert version_of({"version": [3]}) == version_of({"version": "7.7.9", "agent": "kilo"}) == ""


def test_a_file_of_another_format_than_was_said_is_told(tmp_path):
    """Not of one that may be either; and of lines of one's own nothing is known."""
    with open_ledger(tmp_path / "team.duckdb") as ledger:
        report = import_path(RECORDING, ledger, format="claude_code")
        assert (dict(report.mistaken), report.turns) == ({"qwen_code": 1}, 0)
        assert not import_path(RECORDING, ledger, format="qwen_code").mistaken
        assert not import_path(RECORDING, ledger, format="jsonl").mistaken
