"""Turns read by another version of this package: in an environment of its own, and recorded as that version's."""

import json
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

import actionledger as al
from actionledger.core.errors import SourceError, UnknownNameError, UsageError
from actionledger.core.vocabulary import LeftOutReason, Outcome, Reason
from actionledger.ledger import Ledger, open_ledger
from actionledger.reading.parsers import parser_named
from actionledger.replay import environments
from actionledger.replay.environments import environment_of
from actionledger.replay.versions import OtherParser, result_of

pytestmark = pytest.mark.soak  # starts clusters, or makes environments

PACKAGE = Path(al.__file__).parent
CHECKOUT = PACKAGE.parent.parent
OTHER = OtherParser("0123456789abcdef", "auto @ 0", "0", "{}")


@pytest.fixture(autouse=True, scope="module")
def _cache(tmp_path_factory: pytest.TempPathFactory):
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A copy of this package whose reader of ``actions`` blocks looks for another label."""
    folder = tmp_path / "broken"
    shutil.copytree(
        PACKAGE, folder / "toolkit" / "actionledger", ignore=shutil.ignore_patterns("__pycache__")
    )
    file = folder / "toolkit" / "actionledger" / "reading" / "dialects" / "json_fences.py"
    source = file.read_text()
    assert 'label = "actions"' in source
    file.write_text(source.replace('label = "actions"', 'label = "axtions"'))
    return folder


def rows(ledger: Ledger, run_id: str) -> list[tuple[object, ...]]:
    query = "SELECT name, status, reason, arguments::VARCHAR, dialect, span_start, span_end FROM actions WHERE run_id = ? ORDER BY ALL"
    return ledger.sql(query, [run_id]).fetchall()


def test_the_same_version_reads_the_same(filled, tmp_path):
    """A wheel of this very source: row by row what this process reads; the run says which content read."""
    wheel = tmp_path / "actionledger-9.9.9-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        for path in sorted(PACKAGE.rglob("*.py")):
            file.write(path, f"actionledger/{path.relative_to(PACKAGE)}")
        file.writestr("actionledger-9.9.9.dist-info/METADATA", "Metadata-Version: 2.1\nName: actionledger\n")
    with open_ledger(filled(3, 5)) as ledger:
        other = al.reparse(ledger, parser="assistant", against=str(wheel), workers=2)
        own = al.reparse(ledger, parser="assistant")
        assert rows(ledger, other.run_id) == rows(ledger, own.run_id) != []
        assert own.counts == other.counts
        found = ledger.sql(
            "SELECT name, configuration::VARCHAR, parser_id FROM parsers WHERE name LIKE '%@%'"
        ).fetchall()
        [(name, configuration, parser_id)] = found
    assert (
        name
        == other.parser_name
        == f"assistant @ {al.__version__} {json.loads(configuration)['content'][:8]}"
    )
    assert json.loads(configuration)["configuration"] == parser_named("assistant").configuration
    assert parser_id != parser_named("assistant").id
    assert (other.failed, other.left_out) == ({}, {})


def test_a_version_with_a_broken_dialect_loses_what_it_reads(filled, broken):
    """Its own code has read: the package of this process is whole."""
    with open_ledger(filled(3, 5)) as ledger:
        report = al.reparse(ledger, parser="assistant", against=str(broken))
        assert report.counts["lost"] + report.counts["no_longer_intent"] == 12
        assert al.reparse(ledger, parser="assistant").counts["same"] == 12


def test_a_commit_of_the_repository_reads(filled, monkeypatch):
    """By its name; the commit is what the run is known by."""
    commit = subprocess.run(
        ["git", "-C", CHECKOUT, "rev-parse", "HEAD"], capture_output=True, text=True, check=False
    )
    if commit.returncode:
        pytest.skip("No repository, or no git, is here: there is no commit to read with.")
    path = filled(3, 5)
    monkeypatch.chdir(CHECKOUT)
    with open_ledger(path) as ledger:
        report = al.reparse(ledger, parser="assistant", against="HEAD")
    assert report.parser_name.endswith(commit.stdout[:8])
    assert report.turns == 15


def test_an_environment_is_made_once(broken, monkeypatch):
    """By its content: what is changed is another one."""
    first = environment_of(str(broken))
    monkeypatch.setattr(environments, "_make", lambda *_: pytest.fail("made again"))
    assert environment_of(str(broken)) == first
    (broken / "toolkit" / "actionledger" / "new.py").write_text("")
    with pytest.raises(pytest.fail.Exception):
        environment_of(str(broken))


@pytest.mark.parametrize(
    ("against", "said"),
    [
        ("no-such-commit", "is not a wheel, a folder, or a commit"),
        ("--upload-pack=x", "is not a wheel, a folder, or a commit"),
        (".", "holds no source of actionledger"),
        ("empty.whl", "can't be read"),
    ],
)
def test_what_is_no_version_is_refused_and_nothing_recorded(filled, tmp_path, monkeypatch, against, said):
    path = filled(1, 1)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.whl").write_bytes(b"")
    with open_ledger(path) as ledger:
        with pytest.raises(UsageError, match=said):
            al.reparse(ledger, parser="assistant", against=against)
        assert ledger.sql("SELECT count(*) FROM runs WHERE run_kind = 'reparse'").fetchall() == [(0,)]


def test_a_parser_that_the_version_lacks_is_named(filled, broken):
    with open_ledger(filled(1, 1)) as ledger:
        with pytest.raises(UnknownNameError, match="Did you mean 'assistant'"):
            al.reparse(ledger, parser="assistent", against=str(broken))
        with pytest.raises(UsageError, match="Give the parser's name"):
            al.reparse(ledger, parser=parser_named("auto"), against=str(broken))


def test_a_path_out_of_the_environment_is_refused(tmp_path):
    """Whatever a wheel holds, it is written into its own environment alone."""
    wheel = tmp_path / "x.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("actionledger/__init__.py", "")
        file.writestr("../../outside.py", "")
    with pytest.raises(UsageError, match="leads out of its environment"):
        environment_of(str(wheel))


def test_what_a_version_does_not_say_is_not_made_up():
    """An old result without evidence, conversions and capture; a word that is unknown here is counted, the rest stays."""
    said = {
        "outcome": "clean",
        "actions": [
            {
                "name": "add",
                "arguments": {"a": 1},
                "status": "valid",
                "span": {"start": 0, "end": 3},
                "dialect": "old",
                "block": 0,
            }
        ],
        "blocks": [],
        "issues": [{"code": "a_word_of_old", "span": None}, {"code": "truncated", "detail": "", "more": 1}],
    }
    left_out: list[LeftOutReason] = []
    result = result_of(said, "add", OTHER, left_out)
    assert (result.outcome, result.catalogue, result.parser_name) == (Outcome.CLEAN, None, "auto @ 0")
    assert (result.actions[0].evidence, result.actions[0].call_id) == (None, None)
    assert [issue.code for issue in result.issues] == [Reason.TRUNCATED]
    assert left_out == [LeftOutReason.UNKNOWN_KIND]
    with pytest.raises(ValueError):
        result_of(said | {"outcome": "splendid"}, "add", OTHER, [])


def test_what_stands_nowhere_in_the_text_is_not_recorded():
    """Places that another version gives are held against the text: a block of it is left out, an action makes the reading none."""
    issue = {"code": "truncated", "span": {"start": 0, "end": 4}}
    left_out: list[LeftOutReason] = []
    assert result_of({"outcome": "failed", "issues": [issue]}, "add", OTHER, left_out).issues == ()
    assert left_out == [LeftOutReason.UNREADABLE]
    action = {
        "name": "add",
        "arguments": {},
        "status": "valid",
        "span": {"start": 2, "end": 9},
        "dialect": "old",
        "block": 0,
    }
    with pytest.raises(ValueError, match="place"):
        result_of({"outcome": "clean", "actions": [action]}, "add", OTHER, [])


OTHER_SOURCE = """
import sys
from collections import namedtuple
Result = namedtuple("Result", "outcome actions blocks issues narrative")
__version__ = "0"
def parser_names(): return ["assistant"]
def profile_names(): return []
def parse(text, parser):
    {}
    return Result(outcome, (), (), (), "")
"""


@pytest.mark.parametrize(
    ("body", "outcome", "failed"),
    [
        ("outcome = 'splendid'", None, 0),
        ("sys.exit(3)", "failed", 2),
        ("print('words', flush=True); outcome = 'clean' + sys.stdin.read()", "clean", 0),
    ],
)
def test_whatever_a_version_does_ends_in_a_reading_or_a_sentence(filled, tmp_path, body, outcome, failed):
    """It says what nobody knows, ends its process, or reads and prints where it is asked."""
    package = tmp_path / "other" / "actionledger"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(OTHER_SOURCE.format(body))
    against = str(package.parent)
    with open_ledger(filled(1, 2)) as ledger:
        if outcome is None:
            with pytest.raises(SourceError, match="can be taken: Left out 2: Something that could not be"):
                al.reparse(ledger, parser="assistant", against=against)
            return
        report = al.reparse(ledger, parser="assistant", against=against, seconds_a_text=60)
        query = "SELECT DISTINCT outcome FROM parse_attempts WHERE run_id = ?"
        assert ledger.sql(query, [report.run_id]).fetchall() == [(outcome,)]
        assert sum(report.failed.values()) == failed


def test_why_a_version_cannot_be_imported_is_said(tmp_path):
    """Where it needs no package, nothing is installed for it."""
    package = tmp_path / "other" / "actionledger"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('no good')")
    with pytest.raises(UsageError, match=r"can't be imported: [\s\S]*RuntimeError: no good"):
        environment_of(str(package.parent))
