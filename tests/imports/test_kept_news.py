"""What others have taken in comes back in order, from memory or from disk, also from one that is full."""

import pytest

from actionledger.imports import handovers as kept_news
from actionledger.imports.handovers import SpooledUpdates, packed
from actionledger.ledger.queries.packed import KnownTurn
from actionledger.ledger.queries.recorded import Added


def news(number: int, size: int = 1) -> tuple[Added, frozenset[str]]:
    turns = {f"{number}-{place}": KnownTurn("d", place, 1, None, has_cost=True) for place in range(size)}
    return Added({str(number)}, turns, {"before": "after"}), frozenset({f"s{number}"})


def filled(count: int) -> tuple[SpooledUpdates, list[tuple[Added, frozenset[str]]]]:
    kept, expected = SpooledUpdates(), [news(number, 50) for number in range(count)]
    for each in expected:
        kept.add(packed(*each))
    return kept, expected


@pytest.mark.parametrize("in_memory", [0, 5000, 10**6])
@pytest.mark.parametrize("count", [0, 1, 7])
def test_all_comes_back_once_and_in_order(monkeypatch, in_memory, count) -> None:
    monkeypatch.setattr(kept_news, "_IN_MEMORY_BYTES", in_memory)
    kept, expected = filled(count)
    assert list(kept.take()) == expected
    assert list(kept.take()) == []
    kept.add(packed(*news(9)))
    assert list(kept.take()) == [news(9)]


def test_of_much_little_is_in_memory(monkeypatch) -> None:
    monkeypatch.setattr(kept_news, "_IN_MEMORY_BYTES", 3000)
    kept, _ = filled(20)
    assert sum(map(len, kept._in_memory)) <= 3000
    assert kept._in_file > 3000


def test_a_disk_that_is_full_loses_nothing(monkeypatch) -> None:
    """Also where it becomes so in the middle of something, and has room again later."""
    monkeypatch.setattr(kept_news, "_IN_MEMORY_BYTES", 0)
    writes = 0

    class Full:
        """A file that takes a piece, of the next one a half, and then no more of it."""

        def __init__(self, file) -> None:
            self.file = file

        def write(self, data) -> int:
            nonlocal writes
            writes += 1
            if writes % 3 == 1:
                return self.file.write(data)
            if writes % 3 == 2:
                return self.file.write(data[: len(data) // 2])
            raise OSError(28, "No space left on device")

        def __getattr__(self, name: str):
            return getattr(self.file, name)

    real = kept_news.TemporaryFile
    monkeypatch.setattr(kept_news, "TemporaryFile", lambda **given: Full(real(**given)))
    kept, expected = filled(6)
    assert kept._in_memory
    assert list(kept.take()) == expected


def test_the_file_has_no_name(monkeypatch, tmp_path) -> None:
    """Whoever is killed leaves nothing."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr(kept_news, "_IN_MEMORY_BYTES", 0)
    kept, expected = filled(3)
    assert not [*tmp_path.iterdir()]
    assert list(kept.take()) == expected
