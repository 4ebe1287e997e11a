"""Which formats there are, and of which of them a file is."""

import gzip
import json
from pathlib import Path

import pytest

from actionledger.core.errors import SourceError, UnknownNameError
from actionledger.core.vocabulary import Capture
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
    """And with the nearest."""
    offered(source("codex"), source("atif"))
    assert source_named("codex").title == "Codex"
    with pytest.raises(UnknownNameError, match=r"Did you mean 'codex'.*atif, codex"):
        source_named("codx")


def test_two_formats_of_one_name_are_refused(offered):
    """Neither wins in silence."""
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
