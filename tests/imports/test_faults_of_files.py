"""One bad file costs no other: whatever a format or a library under it raises, at whichever stage, that file is refused by name."""

import builtins
import io
import json
import lzma
import os
import sqlite3
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pytest

from actionledger.core.recordings import RecordedSession, RecordedTurn
from actionledger.imports import importers, recognition
from actionledger.imports.live.watcher import Watcher
from actionledger.imports.paths import import_path
from actionledger.imports.report import ImportReport
from actionledger.imports.sources import registry
from actionledger.imports.sources.base import Item, Sample, Source
from actionledger.imports.sources.registry import sources
from actionledger.ledger import open_ledger

WHY = "on purpose"


def _kinds(kind: type[Exception]) -> Iterator[type[Exception]]:
    yield kind
    for each in kind.__subclasses__():
        if each.__module__ == "builtins":
            yield from _kinds(each)


def _one(kind: type[Exception]) -> Exception:
    if issubclass(kind, UnicodeDecodeError):
        return kind("utf-8", b"x", 0, 1, WHY)
    if issubclass(kind, UnicodeEncodeError):
        return kind("utf-8", "x", 0, 1, WHY)
    if issubclass(kind, UnicodeTranslateError):
        return kind("x", 0, 1, WHY)
    if issubclass(kind, ExceptionGroup):
        return kind(WHY, [ValueError(WHY)])
    return kind(5, WHY) if issubclass(kind, OSError) else kind(WHY)


class SilentError(Exception):
    """An error that can't even say what it is."""

    def __str__(self) -> str:
        raise ValueError(WHY)


FAULTS = {
    kind.__name__: partial(_one, kind)
    for kind in (
        *dict.fromkeys(_kinds(Exception)),
        *(zlib.error, lzma.LZMAError, zipfile.BadZipFile, struct.error, io.UnsupportedOperation, SilentError),
        *(duckdb.Error, duckdb.OutOfMemoryException, sqlite3.DatabaseError, json.JSONDecodeError),
    )
    if kind is not json.JSONDecodeError
}
"""Every kind of exception that there is, and those of the libraries that files are read with."""

STAGES = ("recognised", "opened", "first", "middle", "end", "values")


def test_every_builtin_exception_is_among_them():
    """A kind that Python adds is tried as well."""
    builtin = {
        name
        for name, each in vars(builtins).items()
        if isinstance(each, type) and issubclass(each, Exception)
    }
    same = {"EnvironmentError", "IOError", "WindowsError", "StopAsyncIteration"}
    assert builtin - same - set(FAULTS) == set()


def _session(path: Path, text: Any = "Hello.") -> RecordedSession:
    return RecordedSession(path.stem, None, "", "", (RecordedTurn(0, text),))


def _faulty(source: Source) -> Source:
    """Return a format that raises at the stage, and of the kind, that a file's name says."""

    def fault_at(path: Path, stage: str) -> Exception | None:
        at, _, kind = path.stem.partition("-")
        return FAULTS[kind]() if at == stage else None

    def raised(path: Path, stage: str) -> None:
        if fault := fault_at(path, stage):
            raise fault

    def recognise(sample: Sample) -> float:
        raised(sample.path, "recognised")
        return 1.0

    def read(path: Path, _on_read: Callable[[int], None] | None) -> Iterator[Item]:
        raised(path, "opened")
        return items(path)

    def items(path: Path) -> Iterator[Item]:
        raised(path, "first")
        yield _session(path, 5j if fault_at(path, "values") else "Hello.")
        raised(path, "middle")
        yield _session(path.with_stem(f"{path.stem} again"))
        raised(path, "end")

    return replace(source, recognise=recognise, read=read, patterns=("*.jsonl",))


def _only(monkeypatch: pytest.MonkeyPatch, source: Source) -> None:
    for module in (registry, recognition):
        monkeypatch.setattr(module, "sources", lambda: {source.name: source})
    monkeypatch.setattr(registry, "_by_name", lambda: iter([source]))
    monkeypatch.setattr(registry, "_own", lambda _name: source)


@pytest.mark.parametrize("name", sorted(sources()))
def test_any_fault_at_any_stage_refuses_that_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
):
    """Each is refused by its name and with the reason, and what it gave before is taken in, as are all others."""
    _only(monkeypatch, _faulty(sources()[name]))
    folder = tmp_path / "recordings"
    folder.mkdir()
    bad = [f"{stage}-{kind}" for stage in STAGES for kind in FAULTS]
    for stem in ("a good one", *bad, "zz good as well"):
        (folder / f"{stem}.jsonl").write_text("{}\n")
    report = import_path(folder, tmp_path / "t.duckdb")
    refused: dict[str, list[str]] = {}
    for each in report.refusals:
        refused.setdefault(Path(each.file).stem, []).append(each.reason)
    assert set(refused) == set(bad)
    for stem, reasons in refused.items():
        _, _, kind = stem.partition("-")
        assert len(reasons) == 1, stem
        assert stem.startswith("values") or WHY in reasons[0] or kind in reasons[0], (stem, reasons)
    given = {"recognised": 0, "opened": 0, "first": 0, "middle": 1, "end": 2, "values": 1}
    assert report.turns == 4 + len(FAULTS) * sum(given.values())


def test_who_is_told_how_far_it_is_may_end_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What the caller's own function raises is no fault of the file that is being read."""
    (tmp_path / "log.jsonl").write_text('{"session": "s", "text": "Hello."}\n')

    class EnoughError(Exception):
        pass

    def told(_progress: object) -> None:
        raise EnoughError

    with pytest.raises(EnoughError):
        import_path(tmp_path / "log.jsonl", tmp_path / "t.duckdb", on_progress=told)


def _zip_with_wrong_checksum(path: Path, line: str, compression: int) -> None:
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("broken.jsonl", line)
        archive.writestr("whole.jsonl", line.replace('"s"', f'"{path.stem}"'))
    data = bytearray(path.read_bytes())
    place = data.find(b"broken.jsonl", data.find(b"PK\x01\x02")) - 30
    data[place] ^= 255
    path.write_bytes(data)


def _folder(tmp_path: Path) -> Path:
    """Return a folder of good recordings, among them such as libraries choke on."""
    folder = tmp_path / "recordings"
    folder.mkdir()
    line = '{"session": "s", "text": "Hello."}\n'
    digits = "1" * (sys.get_int_max_str_digits() + 1)
    (folder / "a.jsonl").write_text(line.replace('"s"', '"a"'))
    (folder / "long.jsonl").write_text(
        f'{{"session": "x", "text": "a", "n": {digits}}}\n{line.replace("s", "b", 1)}'
    )
    (folder / "long.json").write_text(f'{{"messages": [], "n": {digits}}}')
    (folder / "deep.jsonl").write_text("[" * 100_000 + "\n")
    (folder / "bytes.jsonl").write_bytes(b'{"session": "\xff", "text": "x"}\n')
    _zip_with_wrong_checksum(folder / "stored.zip", line, zipfile.ZIP_STORED)
    _zip_with_wrong_checksum(folder / "packed.zip", line, zipfile.ZIP_DEFLATED)
    (folder / "z.jsonl").write_text(line.replace('"s"', '"z"'))
    return folder


def _settle(folder: Path) -> None:
    """Have nobody be in the middle of writing a file."""
    for each in folder.iterdir():
        os.utime(each, (1e9, 1e9))


def _check(report: ImportReport) -> None:
    assert report.turns == 4
    refused = {(Path(each.file).parent.name, Path(each.file).name) for each in report.refusals}
    assert {
        ("stored.zip", "broken.jsonl"),
        ("packed.zip", "broken.jsonl"),
        ("recordings", "long.jsonl"),
    } <= refused
    assert all(each.reason for each in report.refusals)


def test_a_folder_with_files_that_libraries_choke_on(tmp_path: Path):
    """A number that Python refuses, a wrong checksum, a depth: each of those files is refused, and the others are taken in."""
    _check(import_path(_folder(tmp_path), tmp_path / "t.duckdb"))


def test_names_that_are_no_utf_8(tmp_path: Path):
    """Files and folders may be called by any bytes: each is told apart, remembered, and named so that it can be written down."""
    folder = tmp_path / "recordings"
    folder.mkdir()
    line = '{"session": "s", "text": "Hello."}\n'
    try:
        for name in (b"a\xff.jsonl", b"a\xfe.jsonl", b"b.\xfd", b"in\xff"):
            path = folder / os.fsdecode(name)
            path.mkdir() if name.startswith(b"in") else path.write_text(line)
    except OSError:
        pytest.skip("this file system takes names in UTF-8 alone")
    below = folder / os.fsdecode(b"in\xff")
    (below / "c.jsonl").write_text(line)
    (below / "long.jsonl").write_text(f'{{"n": {"1" * 4301}}}\n{line}')
    report = import_path(folder, tmp_path / "t.duckdb")
    assert (report.turns, len(report.refusals)) == (4, 1)
    assert r"in\udcff" in report.refusals[0].file
    assert import_path(folder, tmp_path / "t.duckdb").unchanged == 3
    with open_ledger(tmp_path / "t.duckdb", read_only=True) as ledger:
        named = ledger.sql("SELECT DISTINCT source FROM sessions ORDER BY ALL").fetchall()
    assert [source for (source,) in named] == [r"a\udcfe", r"a\udcff", r"in\udcff/c", r"in\udcff/long"]


def test_a_watched_folder_goes_on_behind_a_bad_file(tmp_path: Path, ledger):
    """Watching says what it can't read, also where that comes alone, and takes in the rest."""
    folder = _folder(tmp_path)
    watcher = Watcher(folder, ledger)
    _settle(folder)
    _check(watcher.take())
    _zip_with_wrong_checksum(folder / "late.zip", '{"session": "s", "text": "Hello."}\n', zipfile.ZIP_STORED)
    _settle(folder)
    late = watcher.take()
    assert [Path(each.file).name for each in late.refusals] == ["broken.jsonl"]
    assert late.turns == 1


def test_what_the_ledger_raises_is_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A disk that is full is no fault of the file that is being taken in."""
    (tmp_path / "log.jsonl").write_text('{"session": "s", "text": "Hello."}\n')

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(importers.Importer, "take", full)
    with pytest.raises(OSError, match="No space"):
        import_path(tmp_path / "log.jsonl", tmp_path / "t.duckdb")
