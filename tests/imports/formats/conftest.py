"""What tests of formats share: where the recordings of others are, and what a source gives, counted."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from actionledger.core.recordings import RecordedSession
from actionledger.imports.sources.base import Item, LeftOut, Refusal, Source
from actionledger.imports.sources.registry import recognised, sample_of, source_named

CORPORA = Path(__file__).parents[4] / "shared" / "corpora"


@pytest.fixture(scope="session")
def corpus() -> Callable[[str], list[Path]]:
    """Returns the files that a pattern names in the recordings of others; the test is skipped where they are not."""

    def files(pattern: str) -> list[Path]:
        found = sorted(CORPORA.glob(pattern))
        if not found:
            pytest.skip(
                f"The recordings are not here: expected in shared/corpora/{pattern} beside the checkout."
            )
        return found

    return files


@pytest.fixture
def read_lines(tmp_path: Path) -> Callable[..., list[Item]]:
    """Returns what a source reads of values, one a line, that are recognised as its own."""

    def read_all(source: Source, *values: object) -> list[Item]:
        path = tmp_path / "recording.jsonl"
        path.write_text("".join(json.dumps(each) + "\n" for each in values))
        assert recognised(sample_of(path))[0].source is source
        return list(source.read(path, None))

    return read_all


@pytest.fixture(scope="session")
def counted() -> Callable[..., Counter[str]]:
    """Returns what a format gives of files: sessions, turns, calls, results, tokens out, and what was left out by reason."""

    def count(name: str, *paths: Path) -> Counter[str]:
        found, sessions = Counter[str](), set[str]()
        for item in (each for path in paths for each in source_named(name).read(path, None)):
            if isinstance(item, Refusal):
                found["refused"] += 1
            elif isinstance(item, LeftOut):
                found[str(item.reason)] += item.count
            else:
                sessions.add(item.external_id)
                found.update(of_piece(item))
        return found | Counter(sessions=len(sessions))

    def of_piece(piece: RecordedSession) -> Counter[str]:
        results = [*piece.results, *(each for turn in piece.turns for each in turn.results)]
        return Counter(
            turns=len(piece.turns),
            calls=sum(len(turn.calls) for turn in piece.turns),
            results=len(results),
            errors=sum(each.is_error is True for each in results),
            tokens=sum(turn.usage.output_tokens or 0 for turn in piece.turns),
        )

    return count
