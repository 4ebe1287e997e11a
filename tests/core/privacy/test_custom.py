"""A user's own patterns hide what they match, in every place that is masked, within linear time; and nothing that records are joined by."""

import json
import time

import pytest

import actionledger as al
from actionledger.core.errors import MissingPackageError, UsageError
from actionledger.core.privacy import custom, mask, mask_text
from actionledger.imports import plan_importer

pytest.importorskip("re2", reason="google-re2 is not installed: pip install 'actionledger[secrets]'")

SECRET = "ACME-0a1b2c3d"
PATTERN = r"\bACME-[0-9a-f]{8}\b"


@pytest.fixture(autouse=True)
def _forget_patterns(monkeypatch, tmp_path):
    """What a test adds is not the next one's."""
    monkeypatch.setattr(custom, "_added", [])
    monkeypatch.delenv(custom.ENVIRONMENT, raising=False)
    monkeypatch.chdir(tmp_path)
    custom.known.cache_clear()
    yield
    custom.known.cache_clear()


@pytest.mark.parametrize(
    "text",
    [
        SECRET,
        f"a {SECRET} b",
        f"first\n{SECRET}\nlast",
        f'"{SECRET}"',
        f"é漢😀 {SECRET} 漢",
        f"tab\t{SECRET}\\",
        f"{SECRET} {SECRET}",
        f'{{"key": "{SECRET}"}}',
    ],
)
def test_what_a_pattern_matches_is_hidden(text) -> None:
    """Whatever stands around it, as the text is and not as JSON writes it; every length stays."""
    custom.add([PATTERN])
    assert mask_text(text) == text.replace(SECRET, "*" * len(SECRET))
    assert json.loads(mask(json.dumps({"text": text}).encode())) == {
        "text": text.replace(SECRET, "*" * len(SECRET))
    }


def test_a_group_says_what_of_it_is_hidden() -> None:
    """The rest of the match only says where it stands."""
    custom.add([r"customer=(?P<secret>\d{6})"])
    assert mask_text("customer=123456 order=123456") == "customer=****** order=123456"


@pytest.mark.parametrize("way", ["file", "project", "argument"])
def test_patterns_come_from_three_places(way, monkeypatch, tmp_path) -> None:
    """And hide in what is recorded, live and imported, and in what the model is told."""
    if way == "file":
        (tmp_path / "patterns.txt").write_text(f"# ours\n\n{PATTERN}\n")
        monkeypatch.setenv(custom.ENVIRONMENT, str(tmp_path / "patterns.txt"))
    if way == "project":
        (tmp_path / "pyproject.toml").write_text(f"[tool.actionledger]\nsecrets = ['{PATTERN}']\n")
    (tmp_path / "log.jsonl").write_text(json.dumps({"session": "s", "text": SECRET, "prompt": SECRET}))
    with al.open_ledger(tmp_path / "l.duckdb", secrets=[PATTERN] if way == "argument" else ()) as ledger:
        al.import_path(tmp_path / "log.jsonl", ledger)
        with al.Runtime("coder", ledger=ledger, workspace=tmp_path / "work", auto=True) as runtime:
            (tmp_path / "work" / "a.txt").write_text(SECRET)
            told = runtime.handle("<read_file><path>a.txt</path></read_file>").feedback
        assert SECRET not in told
        assert "*" * len(SECRET) in told
        rows = ledger.sql(
            "SELECT text, prompt FROM turns UNION ALL SELECT result::VARCHAR, message FROM executions"
        ).fetchall()
    assert SECRET not in repr(rows)
    assert SECRET.encode() not in (tmp_path / "l.duckdb").read_bytes()


def test_what_records_are_joined_by_is_left_alone(tmp_path) -> None:
    """A pattern of everything hides texts, and no record is lost by it."""
    with al.open_ledger(tmp_path / "l.duckdb", secrets=[".+"]) as ledger:
        ledger.record_turn("s", "Hello.", prompt="Who?")
        assert ledger.sql("SELECT text, prompt, text_is_exact FROM turns").fetchall() == [
            ("*" * 6, "****", False)
        ]
        assert ledger.sql("SELECT count(*) FROM quarantine").fetchall() == [(0,)]
        assert ledger.sql("SELECT outcome FROM parse_attempts").fetchall() == [("no_action",)]


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("(a", r"missing \)"),
        ("(?<=a)b", "no look-around"),
        (r"(a)\1", "no backreferences"),
        ("a*", "matches an empty text"),
        ("a" * 2001, "2,001 characters"),
    ],
)
def test_a_pattern_that_can_not_be_used_is_refused(pattern, said, tmp_path, capfd) -> None:
    """Before anything is recorded, with the pattern and where it stands; the engine says nothing beside that."""
    with pytest.raises(UsageError, match=said) as refused:
        al.open_ledger(tmp_path / "l.duckdb", secrets=[pattern])
    assert capfd.readouterr().err == ""
    assert "secrets" in str(refused.value)
    assert not (tmp_path / "l.duckdb").exists()
    (tmp_path / "pyproject.toml").write_text("[tool.actionledger]\nsecrets = 'one'\n")
    with pytest.raises(UsageError, match="not a list of texts"):
        al.open_ledger(tmp_path / "l.duckdb")


def test_a_file_that_is_not_there_is_said(monkeypatch, tmp_path) -> None:
    """A text in place of several, and a file that nobody can read: nothing goes by in silence."""
    monkeypatch.setenv(custom.ENVIRONMENT, str(tmp_path / "none.txt"))
    with pytest.raises(UsageError, match="No such file"):
        al.open_ledger(tmp_path / "l.duckdb")
    with pytest.raises(UsageError, match="takes several"):
        custom.add(PATTERN)


def test_without_the_engine_it_is_said_what_to_install(monkeypatch) -> None:
    """Only who has patterns needs it."""
    monkeypatch.setattr("actionledger.core.errors.is_there", lambda _: False)
    assert mask_text(SECRET) == SECRET
    with pytest.raises(MissingPackageError, match=r"actionledger\[secrets\]"):
        custom.add([PATTERN])


def test_no_pattern_takes_more_than_linear_time() -> None:
    """What takes a backtracking engine longer than the universe takes this one as long for each character."""
    custom.add(["(a*)*b", "(a|aa)+c", "(x+x+)+y"])
    took = []
    for size in (20_000, 200_000):
        begun = time.process_time()
        mask_text("a" * size + "x" * size)
        took.append(time.process_time() - begun)
    assert took[1] < 40 * max(took[0], 0.005)


def test_a_mailchimp_key_is_hidden_whole() -> None:
    """With the name of its data centre, which is a part of it."""
    key = "0123456789abcdef" * 2 + "-us12"
    assert mask_text(f"key {key}!") == f"key {'*' * len(key)}!"
    assert mask_text("the-us12") == "the-us12"


def test_another_process_hides_them_too(monkeypatch, tmp_path) -> None:
    """Whoever reads parts of an import, or reads again, makes the lines that are recorded: also by a pattern that this process was given alone."""
    monkeypatch.setattr(plan_importer, "WORTH_BYTES", 0)
    for name in "ab":
        said = [json.dumps({"session": f"{name}{n}", "text": f"{SECRET} {n}"}) for n in range(50)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(said))
    with al.open_ledger(tmp_path / "l.duckdb", secrets=[PATTERN]) as ledger:
        al.import_path([tmp_path / "a.jsonl", tmp_path / "b.jsonl"], ledger, workers=2)
        count, found = ledger.sql(
            "SELECT count(*), count(*) FILTER (contains(text, $1)) FROM turns", [SECRET]
        ).fetchone()
    assert (count, found) == (100, 0)


def test_what_is_read_again_by_another_process_is_hidden(monkeypatch, tmp_path) -> None:
    """A pattern that came after the recording hides in whatever is made of it."""
    call = f'```json\n{{"name": "add", "arguments": {{"a": "{SECRET}"}}}}\n```'
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        ledger.record_turn("s", call, dialects=["hermes"])
    with al.open_ledger(tmp_path / "l.duckdb", secrets=[PATTERN]) as ledger:
        report = al.reparse(ledger, parser="auto", workers=2)
        arguments = ledger.sql(
            "SELECT arguments::VARCHAR FROM actions WHERE run_id = $1::UUID", [report.run_id]
        ).fetchall()
    assert arguments
    assert all(SECRET not in each for (each,) in arguments)


@pytest.mark.parametrize("wrong", ["hunter2", 5, [5], [b"x"], None])
def test_what_are_no_patterns_is_refused(wrong: object) -> None:
    with pytest.raises(UsageError, match=r"secrets takes several patterns|A pattern of secrets is a text"):
        custom.add(wrong)  # type: ignore[arg-type]
