"""What ingester and readers see of segments."""

import fcntl

import pytest

from actionledger.ledger.storage import segments
from actionledger.ledger.storage.segments import Line, batches, remove_finished, segment_sizes


@pytest.fixture
def growing(tmp_path):
    """A segment whose writer is alive, with half a line at its end."""
    with (tmp_path / "b.jsonl").open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(b"1\n22\nhal")
        file.flush()
        yield file


def read(folder, offsets=None, *, finish=True) -> list[Line]:
    return [line for batch in batches(folder, offsets or {}, finish=finish) for line in batch]


def test_a_growing_segment_gives_whole_lines(growing, tmp_path) -> None:
    """Half a line is left for later while its writer lives."""
    assert read(tmp_path) == [Line("b.jsonl", 0, b"1\n"), Line("b.jsonl", 2, b"22\n")]
    growing.write(b"f\n")
    growing.flush()
    assert read(tmp_path, {"b.jsonl": 5}) == [Line("b.jsonl", 5, b"half\n")]
    assert read(tmp_path, {"b.jsonl": 10}) == []


def test_a_dead_writers_last_line_is_cut_off(growing, tmp_path) -> None:
    """Once the lock is free, half a line is handed out as such to the ingester, and never to a reader."""
    growing.close()
    assert read(tmp_path)[-1] == Line("b.jsonl", 5, b"hal", is_cut_off=True)
    assert len(read(tmp_path, finish=False)) == 2


def test_batches_are_bounded(tmp_path, monkeypatch) -> None:
    """A batch ends with the line that reaches the limit, across segments, the oldest first; each may be twice the one before."""
    monkeypatch.setattr(segments, "BATCH_BYTES", 4)
    monkeypatch.setattr(segments, "LARGEST_BATCH_BYTES", 6)
    (tmp_path / "b.jsonl").write_bytes(b"4\n5\n6\n7\n8\n9\n")
    (tmp_path / "a.jsonl").write_bytes(b"1\n2\n3\n")
    (tmp_path / "c.txt").write_bytes(b"6\n")
    found = list(batches(tmp_path, {}, finish=True))
    assert [[line.data for line in batch] for batch in found] == [
        [b"1\n", b"2\n"],
        [b"3\n", b"4\n", b"5\n"],
        [b"6\n", b"7\n", b"8\n"],
        [b"9\n"],
    ]


def test_a_line_without_an_end_is_taken_in_pieces(tmp_path, monkeypatch) -> None:
    """A damaged file can't make a line longer than the limit."""
    monkeypatch.setattr(segments, "LINE_LIMIT", 4)
    (tmp_path / "a.jsonl").write_bytes(b"\x00" * 6 + b"\n")
    assert [line.data for line in read(tmp_path)] == [b"\x00" * 4, b"\x00\x00\n"]


def test_a_finished_segment_is_removed_when_all_of_it_is_published(growing, tmp_path) -> None:
    """A segment stays while it may grow or holds more than the published copy."""
    for name in ("a.jsonl", "c.jsonl", "d.jsonl"):
        (tmp_path / name).write_bytes(b"1\n22\nhal")
    (tmp_path / "e.jsonl").touch()
    remove_finished(tmp_path, {"a.jsonl": 8, "b.jsonl": 8, "c.jsonl": 5})
    assert list(segment_sizes(tmp_path)) == ["b.jsonl", "c.jsonl", "d.jsonl"]
