"""Two published copies take turns: what is written to the one that nobody has open, and to no other."""

import mmap
import os
import subprocess
import sys
from contextlib import ExitStack, closing
from pathlib import Path

import duckdb
import pytest

from actionledger.ledger import Ledger
from actionledger.ledger.storage import ingest, publishing, spare
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.publishing import due_in, publish, publishing_interval
from actionledger.ledger.storage.spare import StoppedError

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux says whether a file is open elsewhere"
)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a ledger of more than 8 MB."""
    monkeypatch.setattr(spare, "SPARED_BYTES", 0)


@pytest.fixture
def files(ledger: Ledger) -> LedgerFiles:
    return LedgerFiles.at(ledger.path)


def publish_one(ledger: Ledger, make) -> int:
    """Publish one more event; return which file it is."""
    ledger.record(make.note("x" * 1000))
    assert ledger.ingest().published
    return ledger.path.stat().st_ino


def test_two_copies_take_turns(ledger, files, make) -> None:
    """Each is the same as the working file, byte for byte, when it is published, and was so at that time."""
    first, second = publish_one(ledger, make), publish_one(ledger, make)
    for expected in (first, second, first, second):
        before = ledger.path.stat().st_mtime_ns
        assert publish_one(ledger, make) == expected
        assert ledger.path.read_bytes() == files.store.read_bytes()
        assert ledger.path.stat().st_mtime_ns > before
        assert ledger.path.stat().st_nlink == 1
    assert len({first, second}) == 2


def test_only_what_differs_is_written(ledger, files, make, monkeypatch) -> None:
    """An event more in a ledger of some megabytes."""
    for _ in range(40):
        ledger.record(make.note(os.urandom(50_000).hex()))
    publish_one(ledger, make)
    publish_one(ledger, make)
    written, usual = [], os.pwrite

    def counting(descriptor: int, data: bytes, at: int) -> int:
        written.append(len(data))
        return usual(descriptor, data, at)

    monkeypatch.setattr(os, "pwrite", counting)
    publish_one(ledger, make)
    assert 0 < sum(written) < files.store.stat().st_size


@pytest.mark.parametrize("how", ["opened", "mapped", "in DuckDB", "by another process", "linked"])
def test_a_copy_that_somebody_holds_never_changes(ledger, files, tmp_path, make, how) -> None:
    """Whoever reads it sees what it was when they opened it, however often something is published since; so does whoever has linked it."""
    first = publish_one(ledger, make)
    content, path = ledger.path.read_bytes(), ledger.path
    with ExitStack() as held:
        if how in {"opened", "mapped"}:
            file = held.enter_context(path.open("rb"))
        if how == "mapped":
            mapped = held.enter_context(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ))
            file.close()
        if how == "in DuckDB":
            plain = held.enter_context(duckdb.connect())
            plain.execute(f"ATTACH '{path}' AS it (READ_ONLY)")
        if how == "by another process":
            other = held.enter_context(
                subprocess.Popen(
                    ["/bin/sh", "-c", "exec 3<$0; echo; read x; cat <&3", path],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                )
            )
            other.stdout.readline()
        if how == "linked":
            os.link(path, tmp_path / "backup.duckdb")
        assert first not in {publish_one(ledger, make) for _ in range(4)}
        match how:
            case "opened":
                assert file.read() == content
            case "mapped":
                assert mapped[:] == content
            case "in DuckDB":
                assert plain.execute("SELECT count(*) FROM it.events").fetchall() == [(1,)]
            case "by another process":
                assert other.communicate(b"\n")[0] == content
            case _:
                assert (tmp_path / "backup.duckdb").read_bytes() == content
    assert path.read_bytes() == files.store.read_bytes()


def test_two_copies_take_turns_where_the_published_one_is_for_reading_only(
    ledger, files, make, monkeypatch
) -> None:
    """As somebody makes it who wants it kept from notebooks; it stays so, and costs no whole copies."""
    usual = os.open

    def refusing(path: Path, flags: int, *more: object, **named: object) -> int:
        if flags & os.O_RDWR and Path(path).exists() and not Path(path).stat().st_mode & 0o200:
            raise PermissionError(13, "Permission denied", path)  # what anybody gets but a superuser
        return usual(path, flags, *more, **named)

    monkeypatch.setattr(os, "open", refusing)
    publish_one(ledger, make)
    ledger.path.chmod(0o444)
    copies = [publish_one(ledger, make) for _ in range(5)]
    assert spare.is_free(files)
    assert copies[0] == copies[2] == copies[4] != copies[1] == copies[3]
    assert ledger.path.stat().st_mode & 0o777 == 0o444
    assert ledger.path.read_bytes() == files.store.read_bytes()


def test_a_copy_whose_writer_was_killed_is_not_trusted(ledger, files, make) -> None:
    """Half brought up to date, it lies where leftovers do; killed between the two names of one file, it is the published one."""
    publish_one(ledger, make)
    publish_one(ledger, make)
    files.spare.rename(files.folder / "tmp-published.duckdb")
    publish_one(ledger, make)
    content = ledger.path.read_bytes()
    files.spare.unlink()
    os.link(ledger.path, files.spare)
    with ledger.path.open("rb") as published:
        publish_one(ledger, make)
        assert published.read() == content
    assert ledger.path.read_bytes() == files.store.read_bytes()


@pytest.mark.parametrize("left", ["whole", "half", "nothing", "spoiled"])
def test_a_copy_whose_writer_was_killed_is_gone_on_with(ledger, files, make, monkeypatch, left) -> None:
    """Else each that is killed begins a whole copy anew, and a ledger of a gigabyte is due a minute later, not in 25 seconds."""
    ledger.record(make.note(os.urandom(1_000_000).hex()))
    publish_one(ledger, make)
    publish_one(ledger, make)
    files.spare.rename(files.being_published)
    size = files.being_published.stat().st_size
    with files.being_published.open("r+b") as copy:
        if left in {"half", "nothing"}:
            copy.truncate(size // 2 if left == "half" else 0)
        if left == "spoiled":
            copy.seek(size // 3)
            copy.write(os.urandom(10_000))
    monkeypatch.setattr(spare, "copy_whole", lambda *_: pytest.fail("it begins anew"))
    monkeypatch.setattr(publishing, "MIDDLING_BYTES", 0)
    due: list[bool] = []
    usual = publishing.publish

    def publish_due(of: LedgerFiles, *arguments: object) -> None:
        due.append(spare.is_free(of))
        usual(of, *arguments)

    monkeypatch.setattr(ingest, "publish", publish_due)
    publish_one(ledger, make)
    assert due == [True]
    assert ledger.path.read_bytes() == files.store.read_bytes()
    assert not files.being_published.exists()


def test_bringing_up_to_date_can_be_stopped(ledger, files, make) -> None:
    """The published copy stays as it is, and the next one is whole."""
    publish_one(ledger, make)
    publish_one(ledger, make)
    content = ledger.path.read_bytes()
    with pytest.raises(StoppedError):
        publish(files, lambda: True)
    assert ledger.path.read_bytes() == content
    publish_one(ledger, make)
    assert ledger.path.read_bytes() == files.store.read_bytes()


def test_a_whole_copy_that_was_stopped_is_gone_on_with(ledger, files, make, monkeypatch) -> None:
    """Else one that takes longer than a program goes without a fork, which stops it, would be begun again and again."""
    monkeypatch.setattr(spare, "_STOP_BYTES", 500_000)
    monkeypatch.setattr(spare, "_copied_by_kernel", lambda *_: 0)
    ledger.record(make.note(os.urandom(1_000_000).hex()))
    publish_one(ledger, make)
    files.spare.unlink(missing_ok=True)
    publish(files)
    files.spare.unlink()
    content, size = ledger.path.read_bytes(), files.store.stat().st_size
    answers = iter([False] * 4)
    with pytest.raises(StoppedError):
        publish(files, lambda: next(answers, True))
    assert ledger.path.read_bytes() == content
    written, usual = [], os.pwrite

    def counting(descriptor: int, data: bytes, at: int) -> int:
        written.append(len(data))
        return usual(descriptor, data, at)

    monkeypatch.setattr(os, "pwrite", counting)
    publish(files)
    assert ledger.path.read_bytes() == files.store.read_bytes()
    assert 0 < sum(written) <= size - 4 * 500_000 + 2 * spare.PIECE_BYTES


def test_what_was_deleted_is_gone_from_both(ledger, files, make) -> None:
    """A file that has become smaller is cut in the copy, too."""
    for _ in range(20):
        ledger.record(make.note(os.urandom(50_000).hex()))
    publish_one(ledger, make)
    publish_one(ledger, make)
    with closing(duckdb.connect(str(files.store))) as store:
        store.execute("DELETE FROM events; CHECKPOINT")
        store.execute("CHECKPOINT")
    publish(files)
    assert files.store.stat().st_size == ledger.path.stat().st_size
    assert ledger.path.read_bytes() == files.store.read_bytes()


def test_a_large_ledger_is_published_as_often_as_a_middling_one(files, monkeypatch) -> None:
    """Unless its spare copy is held: then as often as a whole copy may be made; one of any size where it is known what differs."""
    assert publishing_interval(10 * 10**9, has_spare=True) < 30
    assert publishing_interval(100 * 10**9, has_spare=True) > 200
    assert publishing_interval(100 * 10**9, has_spare=True, is_known=True) == 25
    assert publishing_interval(10 * 10**9) > 400
    monkeypatch.setattr(publishing, "MIDDLING_BYTES", 0)
    monkeypatch.setattr(
        publishing, "publishing_interval", lambda _, *, has_spare, is_known: 25.0 if has_spare else 500.0
    )
    assert due_in(files) > 400
    files.spare.write_bytes(b"x")
    assert due_in(files) <= 25
    with files.spare.open("rb"):
        assert due_in(files) > 400


@pytest.mark.parametrize("number", [38, 95])
def test_where_the_kernel_does_not_copy_we_do(ledger, files, make, monkeypatch, number) -> None:
    """As between two file systems, and on macOS."""

    def refuse(*_: object) -> int:
        raise OSError(number, "no")

    monkeypatch.setattr(os, "copy_file_range", refuse)
    monkeypatch.setattr(spare, "_STOP_BYTES", 100_000)
    publish_one(ledger, make)
    assert ledger.path.read_bytes() == files.store.read_bytes()


def test_a_disk_that_gives_less_than_was_asked_for_is_asked_for_the_rest(
    ledger, files, make, monkeypatch
) -> None:
    """As one does that fails within what is read, and some file systems do: what was not read is no part that is the same."""
    usual = os.preadv

    def shorter(descriptor: int, buffers: list[memoryview], at: int) -> int:
        return usual(descriptor, [memoryview(buffers[0])[:1000]], at)

    publish_one(ledger, make)
    publish_one(ledger, make)
    ledger.record(make.note(os.urandom(400_000).hex()))
    monkeypatch.setattr(os, "preadv", shorter)
    assert ledger.ingest().published
    assert ledger.path.read_bytes() == files.store.read_bytes()


def test_a_working_file_that_is_cut_while_it_is_copied_is_no_reason_to_go_on_for_ever(
    files, monkeypatch
) -> None:
    """Nothing is published of it."""
    content = files.published.read_bytes()

    def cut(*_: object) -> int:
        os.truncate(files.store, 0)
        return 0

    monkeypatch.setattr(spare, "_copied_by_kernel", cut)
    with pytest.raises(OSError, match="was cut while it was copied"):
        publish(files)
    assert files.published.read_bytes() == content
    files.store.unlink()


def test_a_disk_that_cannot_be_read_is_no_reason_to_go_on(ledger, make, monkeypatch) -> None:
    """Only what says that there is no such way is passed over."""

    def fail(*_: object) -> int:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "copy_file_range", fail)
    ledger.record(make.note())
    with pytest.raises(Exception, match="Input/output error"):
        ledger.ingest()
    monkeypatch.undo()
