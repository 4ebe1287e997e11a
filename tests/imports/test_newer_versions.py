"""Versions, files and wordings that nobody knows: what is known is read, and the rest is named."""

import json
from pathlib import Path

import pytest

from actionledger.core.errors import SourceError
from actionledger.core.recordings import RecordedCall, RecordedResult, RecordedSession, RecordedTurn
from actionledger.core.vocabulary import Capture, LeftOutReason
from actionledger.imports import import_path, import_sessions
from actionledger.imports.newer_versions import newer, newer_recordings, unknown_wordings, version_of
from actionledger.imports.sources.registry import recognised, sample_of, sources
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


def test_a_file_of_another_format_than_was_said_is_told(ledger):
    """Not of one that may be either; and of lines of one's own nothing is known."""
    report = import_path(RECORDING, ledger, format="claude_code")
    assert (dict(report.mistaken), report.turns) == ({"qwen_code": 1}, 0)
    assert not import_path(RECORDING, ledger, format="qwen_code").mistaken
    assert not import_path(RECORDING, ledger, format="jsonl").mistaken


AGENTS = Path(__file__).parents[3] / "shared" / "corpora" / "agents"

WITHOUT_NAMES = {"aider", "intercode", "table"}
"""Formats without fields: Markdown, episodes under their numbers, and tables, whose columns are those of ``jsonl``."""

NEAR = [
    ("codex", {"timestamp": "x", "kind": "x", "payload": {}}),
    ("claude_code", {"session_id": "x", "uuid": "x", "parentUuid": None, "message": {}}),
    ("atif", {"schemaVersion": "x", "session_id": "x", "agent": {}, "steps": []}),
    ("langsmith", {"runType": "x", "trace_id": "x", "dotted_order": "x", "inputs": {}}),
    ("gemini_cli", {"sessionId": "x", "project_hash": "x", "startTime": "x"}),
    ("tau_bench", {"task": 1, "reward": 0, "info": {}, "traj": [], "trial": 0}),
    ("swe_agent", {"trajectories": [], "history": [], "info": {}}),
    ("toolbench", {"answer_generated": {}, "tree": {}, "win": True}),
    ("braintrust", {"rootSpanId": "x", "span_id": "x", "span_attributes": {}, "metrics": {}}),
    ("openai_batch", {"customid": "x", "response": {}, "error": None}),
    ("opencode", {"id": "x", "projectId": "x", "directory": "x"}),
    ("goose", {"workingDir": "x", "description": "x", "message_count": 1}),
    ("goose", {"id": "x", "workingDir": "x", "extension_data": {}, "conversation": []}),
    ("otel", {"span_name": "x", "attributes": {}, "scopeName": "x"}),
    ("otel", {"name": "x", "trace_id": "x", "spanID": "x", "attributes": {}}),
    ("openai_batch", {"customId": "x", "method": "x", "url": "x", "body": {}}),
    ("openai_batch", {"customId": "x", "result": {}}),
    ("agent_sdk_stream", {"types": "x", "subtype": "x", "sessionId": "x"}),
    ("langfuse", {"trace": {}, "observation": []}),
    ("otel", {"resource_spans": []}),
]


@pytest.mark.parametrize(
    ("name", "value"), NEAR, ids=[f"{name}-{number}" for number, (name, _) in enumerate(NEAR)]
)
def test_a_near_miss_is_told_what_it_is_nearest_to(tmp_path, name, value):
    """A field that is missing or called otherwise makes no other format nearer."""
    path = tmp_path / "log.json"
    path.write_text(json.dumps(value))
    with pytest.raises(SourceError) as told:
        import_path(path, tmp_path / "l.duckdb")
    assert f"nearest is {name} (" in str(told.value)


def test_lines_in_utf16_without_a_mark_are_told_what_they_are(tmp_path: Path):
    """They aren't guessed at; the sentence showed their bytes, NUL behind each letter."""
    path = tmp_path / "log.jsonl"
    path.write_bytes('{"session": "s", "text": "é"}\n'.encode("utf-16-le"))
    with pytest.raises(SourceError, match="it is in UTF-16LE without a byte order mark: iconv -f UTF-16LE"):
        import_path(path, tmp_path / "l.duckdb")


WITHOUT_OBJECTS = {"inspect", "cassettes", "mini_swe_agent", "openhands"}
"""Formats with files of other kinds: archives, YAML, bare lists of messages, whose fields are everybody's, and states beside the events."""


@pytest.mark.corpus
def test_what_others_recorded_holds_what_its_format_is_said_to_hold():
    """Every file that a format is sure of has all fields of one of its kinds."""
    files = [path for path in sorted(AGENTS.rglob("*")) if path.is_file()]
    if not files:
        pytest.skip("The recordings are not here: expected in shared/corpora/agents beside the checkout.")
    lacking = []
    for path in files:
        sample = sample_of(path)
        first = next(iter(recognised(sample)), None)
        objects = [
            each for value in sample.values for each in (value if isinstance(value, list) else [value])
        ]
        there = {key for each in objects if isinstance(each, dict) for key in each}
        if first is None or first.source.name in WITHOUT_NAMES | WITHOUT_OBJECTS:
            continue
        if not any(there.issuperset(kind) for kind in (first.source.fields, *first.source.other_fields)):
            lacking.append((first.source.name, path.name))
    assert lacking == []


def test_every_source_says_what_its_files_hold():
    """Else nobody is told that a file is near to it."""
    lacking = {each.name for each in sources().values() if not each.fields} - WITHOUT_NAMES
    assert not lacking, "give the SOURCE its fields"


WORDS = ("The flux is out of phase.", "The flux is out of phase.", "view_image failed: no", "Exit code 3")


def test_errors_that_no_wording_fits_are_counted(tmp_path):
    """What a row knows as an error and no more is known."""
    calls = tuple(RecordedCall(f"c{n}", "run", {}) for n, _ in enumerate(WORDS))
    results = tuple(RecordedResult(f"c{n}", said, is_error=True) for n, said in enumerate(WORDS))
    turn = RecordedTurn(0, "", external_id="t", capture=Capture.CALLS, calls=calls, results=results)
    session = RecordedSession("s", None, "m", "", (turn,), source="codex", metadata={"cli_version": "0.171"})
    with open_ledger(tmp_path / "x.duckdb") as ledger:
        import_sessions(ledger, [session])
        (found,) = unknown_wordings(ledger)
    assert (found.source, found.version, found.count) == ("codex", "0.171", 2)
    assert found.words == "2 errors of codex 0.171 match no known wording"
