"""What a file of a corpus holds, as its source reads it and as an import takes it in."""

from pathlib import Path
from typing import NamedTuple

import pytest

from actionledger.core.recordings import RecordedSession
from actionledger.imports import ImportReport, import_sessions
from actionledger.imports.sources.base import Source
from actionledger.imports.sources.registry import recognised, sample_of
from actionledger.ledger import open_ledger

CORPORA = Path(__file__).parents[3] / "shared" / "corpora"
"""Where the recordings of others are, if they are anywhere."""


class Held(NamedTuple):
    """How much a file holds."""

    sessions: int
    turns: int
    calls: int
    results: int
    input_tokens: int
    output_tokens: int


def corpus_file(name: str) -> Path:
    """Return a file or folder of the corpora; the test is skipped where it isn't there."""
    path = CORPORA / name
    if not path.exists():
        pytest.skip(
            f"What others have recorded is not here: expected in shared/corpora/{name} beside the checkout."
        )
    return path


def held_by(sessions: list[RecordedSession]) -> Held:
    """Return how much sessions hold."""
    turns = [turn for each in sessions for turn in each.turns]
    return Held(
        len(sessions),
        len(turns),
        sum(len(turn.calls) for turn in turns),
        sum(len(turn.results) for turn in turns),
        sum(turn.usage.input_tokens or 0 for turn in turns),
        sum(turn.usage.output_tokens or 0 for turn in turns),
    )


def sessions_in(path: Path, source: Source) -> list[RecordedSession]:
    """Return the sessions that a source reads in a file."""
    return [each for each in source.read(path, None) if isinstance(each, RecordedSession)]


def imported(path: Path, source: Source, folder: Path) -> ImportReport:
    """Return what an import takes in of a file, which is known as the source's and of which a second import adds nothing."""
    assert recognised(sample_of(path))[0].source is source
    with open_ledger(folder / "ledger.duckdb") as ledger:
        report, again = (
            import_sessions(ledger, source.read(path, None), source=source.name, origin=path)
            for _ in range(2)
        )
    assert (again.sessions, again.turns, again.calls, again.results) == (0, 0, 0, 0)
    return report
