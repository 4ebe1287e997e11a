"""Blessed baselines: what a file holds, with and without a ledger, and what is refused."""

import gzip
import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

import actionledger as al
from actionledger.core.errors import SourceError, UsageError
from actionledger.demo import sample_sessions
from actionledger.replay.gate.baseline import beside

TEXT = (
    '```actions\n{"actions": [{"type": "create_task", "content": "a\r\n\u202e😀 sk-ant-api03-%s"},]}\n```'
    % ("a1B2" * 24)
)
TOOLS = json.dumps(
    [{"name": "read", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}}]
)
CALL = '<tool_call>{"name": "read", "arguments": {"n": "x"}}</tool_call>'


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[al.Ledger]:
    """Sample sessions, one with a hostile name and a secret, one with tools, and one of calls alone."""
    with al.open_ledger(tmp_path_factory.mktemp("blessed") / "team.duckdb") as opened:
        al.import_sessions(opened, islice(sample_sessions(), 30))
        turns = (al.RecordedTurn(0, TEXT), al.RecordedTurn(1, "Well."))
        tooled = (al.RecordedTurn(0, CALL, tools=TOOLS),)
        calls = (
            al.RecordedTurn(
                0, "", calls=(al.RecordedCall("1", "read", {}),), capture=al.Capture.CALLS, tools=TOOLS
            ),
        )
        hostile = 'a"\\\n\u202e#'
        sessions = [
            al.RecordedSession(hostile, "assistant", "m", "t", turns, source="trials"),
            al.RecordedSession("tools", None, "tools", "t", tooled, source="trials"),
            al.RecordedSession("calls", None, "calls", "t", calls, source="trials"),
        ]
        al.import_sessions(opened, sessions)
        yield opened


@pytest.fixture(scope="module")
def kept(ledger, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the first readings, and their texts beside."""
    folder = tmp_path_factory.mktemp("kept")
    al.bless(ledger, folder / "base.json", with_texts=True)
    return folder


@pytest.fixture
def blessed(kept: Path, tmp_path: Path) -> Path:
    """The first readings, in a folder of the test's own."""
    shutil.copytree(kept, tmp_path, dirs_exist_ok=True)
    return tmp_path / "base.json"


def gate(path, ledger=None, candidate="assistant", **asked):
    return al.gate(
        ledger,
        baseline=str(path),
        candidate=candidate,
        within=al.Filter(profiles=("assistant",)),
        max_changed=0,
        **asked,
    )


def test_it_holds_what_was_read(ledger, blessed):
    """A line a turn, hashes that anybody can count again, and neither text nor argument."""
    value = json.loads(blessed.read_text())
    recorded = ledger.sql(
        "SELECT external_id, turn_index, text, outcome FROM turn_starts JOIN session_starts USING (session_id) "
        "JOIN parse_attempts USING (turn_id, turn_index) WHERE turn_starts.capture = 'text'"
    ).fetchall()
    assert {(each["session"], each["turn"], each["text"], each["outcome"]) for each in value["turns"]} == {
        (name, index, hashlib.sha256(text.encode()).hexdigest(), outcome)
        for name, index, text, outcome in recorded
    }
    assert len(blessed.read_text().splitlines()) == len(recorded) + 10
    assert value["counts"]["without_text"] == 1
    assert value["reading_rules"] == value["parsers"][0]["reading_rules"]
    assert "create_task" in blessed.read_text()
    assert "content" not in blessed.read_text()
    body, _, last = blessed.read_text().rpartition('  "sha256"')
    assert hashlib.sha256(body.encode()).hexdigest() in last


def test_the_same_readings_give_the_same_bytes(ledger, blessed, tmp_path):
    """Also of the texts, whenever they are written."""
    al.bless(ledger, tmp_path / "again" / "base.json", with_texts=True)
    for path in (blessed, beside(blessed)):
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes()


def test_secrets_are_masked(blessed):
    texts = gzip.decompress(beside(blessed).read_bytes()).decode()
    assert "create_task" in texts
    assert "a1B2a1B2" not in texts


def test_it_needs_no_ledger_and_says_the_same_as_one(ledger, blessed):
    """Bucket by bucket, for a parser that is as good and one that is worse."""
    same = gate(blessed)
    assert same.passed, str(same)
    for candidate in ("gembrain-standard", "gembrain-iterative"):
        without = gate(blessed, candidate=candidate)
        within = al.gate(
            ledger,
            baseline="first",
            candidate=candidate,
            within=al.Filter(profiles=("assistant",)),
            max_changed=0,
        )
        assert without.comparison.counts == within.comparison.counts
        assert without.comparison.counts["lost"] > 0
        assert without.comparison.shifts == within.comparison.shifts
        assert (without.comparison.before, without.comparison.after) == (
            within.comparison.before,
            within.comparison.after,
        )
        assert not without.passed


def test_tools_are_checked_against(ledger, blessed):
    """A call that its tool refuses stays refused, without the ledger."""
    asked = {"baseline": str(blessed), "candidate": "auto", "within": al.Filter(models=("tools",))}
    report = al.gate(None, **asked, max_changed=0, most={"newly_accepted": 0}, allow_few=True)
    [turn] = [turn for turn in al.Baseline.loads(blessed.read_text()).turns if turn.model == "tools"]
    assert [action.status for action in turn.actions] == ["invalid"]
    assert (report.passed, report.comparison.counts["same"]) == (True, 1)


def test_a_run_of_a_ledger_is_held_to_it(ledger, blessed):
    """Where it has read the turns already, no text is needed."""
    done = al.reparse(ledger, parser="gembrain-standard", within=al.Filter(profiles=("assistant",)))
    beside(blessed).unlink()
    report = gate(blessed, ledger, done.run_id)
    assert (
        report.comparison.counts
        == al.gate(
            ledger, baseline="first", candidate=done.run_id, within=al.Filter(profiles=("assistant",))
        ).comparison.counts
    )
    whole = al.gate(ledger, baseline=blessed, candidate=done.run_id)
    assert {each.name for each in whole.conditions if not each.passed} >= {"read_again"}


def test_texts_are_found_in_a_folder_or_a_ledger(ledger, blessed, tmp_path):
    """However they are called there: it is their content that counts."""
    folder = tmp_path / "texts" / "deep"
    folder.mkdir(parents=True)
    for number, line in enumerate(gzip.decompress(beside(blessed).read_bytes()).splitlines()):
        (folder / f"{number}.txt").write_bytes(json.loads(line)["content"].encode())
    (folder / "noise.bin").write_bytes(b"\xff\x00")
    beside(blessed).unlink()
    assert gate(blessed, texts=tmp_path / "texts").passed
    assert gate(blessed, ledger).passed


def test_a_missing_text_is_counted_and_does_not_pass(blessed):
    """It is named by its hash; with the word it passes, and is counted all the same."""
    lines = gzip.decompress(beside(blessed).read_bytes()).splitlines(keepends=True)
    dropped = next(line for line in lines if "create_task" in line.decode())
    beside(blessed).write_bytes(gzip.compress(b"".join(line for line in lines if line != dropped)))
    report = gate(blessed)
    missing = report.conditions[-1]
    assert (missing.name, missing.value, missing.passed, report.passed) == ("texts_found", 1, False, False)
    assert json.loads(dropped)["sha256"] in report.notes[0]
    allowed = gate(blessed, allow_missing=True)
    assert (allowed.passed, allowed.conditions[-1].value) == (True, 1)


def test_no_text_at_all_is_refused(blessed, tmp_path):
    """Nothing would be judged; with nothing allowed to make that pass."""
    beside(blessed).unlink()
    with pytest.raises(SourceError, match=r"None of the \d+ texts of the baseline base.json is beside it"):
        gate(blessed, allow_missing=True)
    with pytest.raises(SourceError, match="can't be read"):
        gate(blessed, texts=tmp_path / "nowhere")


def changed(path: Path, before: str, after: str) -> None:
    content = path.read_text()
    assert before in content
    path.write_text(content.replace(before, after, 1))


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (
            lambda path: changed(path, '"outcome": "repaired"', '"outcome": "failed"'),
            "was changed since it was blessed",
        ),
        (lambda path: changed(path, '"turn": 0', '"turn": 7'), "was changed since it was blessed"),
        (
            lambda path: changed(path, '"without_text": 1', '"without_text": 0'),
            "was changed since it was blessed",
        ),
        (
            lambda path: path.write_text("".join(path.read_text().splitlines(keepends=True)[:12])),
            "or was cut off",
        ),
        (lambda path: changed(path, '"version": 1', '"version": 2'), "another format than version 1"),
        (lambda path: changed(path, '"outcome": "repaired"', '"outcome": "fine"'), "is not a baseline as"),
        (lambda path: changed(path, '"turns": [', '"extra": 1, "turns": ['), "extra: Extra inputs"),
        (lambda path: path.write_text("[" * 100_000), "is not a baseline"),
        (lambda path: path.write_text("{}"), "is not a baseline as"),
        (lambda path: path.write_bytes(b"\xff\xfe"), "is not UTF-8 text"),
        (lambda path: path.unlink(), "is not a file"),
        (lambda path: (path.unlink(), path.mkdir()), "is not a file"),
    ],
)
def test_a_changed_cut_or_hostile_file_is_refused(blessed, edit, says):
    """With a sentence that names it."""
    edit(blessed)
    with pytest.raises(SourceError, match=re.escape(says)) as raised:
        gate(blessed)
    assert "base.json" in str(raised.value)


def test_line_ends_of_a_checkout_change_nothing(blessed):
    """A system may give a text its own."""
    blessed.write_bytes(blessed.read_bytes().replace(b"\n", b"\r\n"))
    assert gate(blessed).passed


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (lambda data: data[: len(data) // 2], "can't be read"),
        (
            lambda data: gzip.compress(gzip.decompress(data).replace(b"create_task", b"delete_task")),
            "were changed",
        ),
        (lambda _: gzip.compress(b"[[[[\n"), "hold no text in line 1"),
        (lambda _: gzip.compress(b'{"sha256": 1, "content": 2}\n'), "hold no text in line 1"),
        (lambda _: gzip.compress(b" " * 300 * 2**20), "can't be read"),
    ],
)
def test_changed_cut_or_swollen_texts_are_refused(blessed, content, says):
    """Also ones that unpack to far more than any text."""
    path = beside(blessed)
    path.write_bytes(content(path.read_bytes()))
    with pytest.raises(SourceError, match=re.escape(says)):
        gate(blessed)


def test_what_does_not_fit_is_refused(ledger, blessed, tmp_path):
    """Nothing to bless, nothing to judge."""
    with pytest.raises(UsageError, match="No recorded turn with a text fits"):
        al.bless(ledger, tmp_path / "none.json", within=al.Filter(profiles=("nobody",)))
    assert not (tmp_path / "none.json").exists()
    with pytest.raises(UsageError, match=r"No turn of the baseline base\.json fits"):
        al.gate(None, baseline=blessed, candidate="assistant", within=al.Filter(profiles=("nobody",)))
    with pytest.raises(UsageError, match="Without a ledger the baseline must be a file"):
        al.gate(None, baseline="first", candidate="assistant")
