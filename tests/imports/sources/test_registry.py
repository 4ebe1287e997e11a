"""Which formats there are, of which of them a file is, and the source that docs/sources.md shows."""

import gzip
import json
import re
from pathlib import Path

import pytest

import actionledger as al
from actionledger.core.errors import SourceError, UnknownNameError
from actionledger.core.vocabulary import Capture
from actionledger.imports import import_sessions
from actionledger.imports.sources import registry
from actionledger.imports.sources.base import Recorded, Sample, Source
from actionledger.imports.sources.registry import recognised, sample_of, source_named, sources, surest_of


def read_nothing(_path: Path, _on_read: object = None) -> Recorded:
    yield from ()


def source(name: str, sureness: float = 0.0) -> Source:
    return Source(name, name.title(), Capture.CALLS, read_nothing, lambda _sample: sureness)


@pytest.fixture
def offered(monkeypatch):
    """Puts formats in the place of those that there are."""

    def offer(*given: Source) -> None:
        monkeypatch.setattr(registry, "_own_names", lambda: ())
        monkeypatch.setattr(registry, "_offered", lambda: given)
        sources.cache_clear()

    yield offer
    monkeypatch.undo()
    sources.cache_clear()


def test_every_format_has_its_name():
    """The table is what the folder holds, and each is a source."""
    assert all(name == each.name for name, each in sources().items())
    assert list(sources()) == sorted(sources())


def test_an_unknown_format_is_answered_with_the_known_ones(offered):
    offered(source("codex"), source("atif"))
    assert source_named("codex").title == "Codex"
    with pytest.raises(UnknownNameError, match=r"Did you mean 'codex'.*atif, codex"):
        source_named("codx")


def test_two_formats_of_one_name_are_refused(offered):
    offered(source("codex"), source("codex"))
    with pytest.raises(SourceError, match="Two formats are named 'codex'"):
        sources()


def test_the_surest_format_comes_first(offered):
    """What doesn't know a sample is left out."""
    offered(source("maybe", 0.4), source("no"), source("surely", 1.0))
    found = recognised(Sample(Path("x"), b""))
    assert [(each.source.name, each.sureness) for each in found] == [("surely", 1.0), ("maybe", 0.4)]


def test_the_surest_is_the_first_of_those_that_are_recognised(offered):
    """However many there are, and none where none is."""
    sample = Sample(Path("x"), b"")
    for given in ([], [0.0], [0.2, 0.7, 0.7, 0.1], [0.5, 1.0, 1.0]):
        offered(*(source(name, sureness) for name, sureness in zip("abcd", given, strict=False)))
        assert surest_of(sample) == next(iter(recognised(sample)), None)


def test_no_format_is_loaded_behind_one_that_is_certain(offered, monkeypatch):
    """Forty modules would be loaded for a small file."""
    offered(source("b", 1.0), Source("c", "C", Capture.CALLS, read_nothing, lambda _sample: 1 / 0))
    monkeypatch.setattr(registry, "_own_names", lambda: ("a", "d"))
    monkeypatch.setattr(registry, "_own", {"a": source("a", 0.6)}.__getitem__)
    assert surest_of(Sample(Path("x"), b"")).source.name == "b"


def test_the_formats_of_one_name_are_refused_for_a_file_too(offered):
    """Neither wins in silence."""
    offered(source("codex"), source("codex"))
    with pytest.raises(SourceError, match="Two formats are named 'codex'"):
        surest_of(Sample(Path("x"), b""))


def test_a_format_that_fails_to_look_at_a_file_is_named(offered):
    """It is anybody's code: nobody is to look for its fault in the file, or in the other formats."""
    broken = Source("mine", "Mine", Capture.CALLS, read_nothing, lambda sample: sample.values[0]["chat"])
    offered(source("surely", 1.0), broken)
    with pytest.raises(SourceError, match=r"The format 'mine' fails.*IndexError.*Name the file's format"):
        recognised(Sample(Path("x"), b""))


@pytest.mark.parametrize(
    ("data", "values"),
    [
        (b'{"a": 1}\n{"b": 2}\n', [{"a": 1}, {"b": 2}]),
        (b'\xef\xbb\xbf{"a": 1}{"b": 2}', [{"a": 1}, {"b": 2}]),
        (b'{\n "a": [1]\n}\n', [{"a": [1]}]),
        (b'{"a": 1}\n{"b": ', [{"a": 1}]),
        (b'{\n "a": [1, {"b": "x', [{"a": [1, {}]}]),
        (b'[{"a": 1}, {"b": ', [[{"a": 1}, {}]]),
        (b'the end of a line"}\n{"a": 1}\noops\n{"b": 2}\n', [{"a": 1}, {"b": 2}]),
        (b"session,text\n1,2\n", []),
        (b"# aider chat started at", []),
        (b"", []),
        (gzip.compress(b'{"a": 1}\n', mtime=0), [{"a": 1}]),
    ],
)
def test_a_sample_is_the_beginning_of_a_file(tmp_path, data, values):
    """Its values are those that stand there whole, be they lines or one document."""
    path = tmp_path / "x"
    path.write_bytes(data)
    assert list(sample_of(path).values) == values


def test_a_sample_of_which_nobody_asks_the_values_has_none(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b'{"a": 1}\n')
    assert sample_of(path, has_values=False) == registry.Sample(path, b'{"a": 1}\n', ())


def test_a_sample_is_bounded(tmp_path):
    """A file of any size is recognised by its head."""
    path = tmp_path / "x.jsonl"
    path.write_text((json.dumps({"a": "x" * 1000}) + "\n") * 1000)
    sample = sample_of(path)
    assert len(sample.head) == registry.SAMPLE_BYTES
    assert len(sample.values) == 40


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
