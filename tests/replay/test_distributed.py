"""Turns read on a local cluster of two actors: what this process reads, whatever becomes of an actor."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import actionledger as al
from actionledger.core.errors import MissingPackageError, missing
from actionledger.core.recording import RunKey
from actionledger.core.vocabulary import RunKind
from actionledger.ledger import open_ledger
from actionledger.ledger.queries import rereading
from actionledger.reading.parsers import parser_named
from actionledger.replay import placement
from actionledger.replay.placement import placed
from actionledger.replay.processes import Processes

pytestmark = pytest.mark.soak  # starts clusters, or makes environments

READINGS = """
SELECT session_id, turn_index, parser_name, catalogue, outcome, reason, dialect, block_count, action_count, valid_count
FROM parse_attempts WHERE run_id = ? ORDER BY session_id, turn_index"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """A local cluster with two cores."""
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'actionledger[lake]'.")
    ray.init(num_cpus=2, include_dashboard=False, logging_level="warning")
    yield
    ray.shutdown()


@pytest.mark.usefixtures("cluster")
def test_a_cluster_reads_what_this_process_reads(filled, monkeypatch):
    """Row by row and in order, from the ledger and from the same texts as Parquet."""
    monkeypatch.setattr(rereading, "_BATCH_TURNS", 7)
    path: Path = filled()
    with open_ledger(path) as ledger:
        file = path.with_name("turns.parquet")
        ledger.snapshot().execute(f"COPY (SELECT * FROM turns) TO '{file}'")
        own = al.reparse(ledger, parser="assistant", workers=1)
        for source in (None, str(file)):
            theirs = al.reparse(ledger, parser="assistant", workers=2, place="ray", texts=source)
            rows = [ledger.sql(READINGS, [report.run_id]).fetchall() for report in (own, theirs)]
            assert len(rows[0]) == 120
            assert rows[0] == rows[1]
            assert own.comparison == theirs.comparison


@pytest.mark.usefixtures("cluster")
def test_what_an_actor_dies_of_is_read_elsewhere(filled):
    """A limit that nothing meets ends every actor; processes of this machine then find that no text is to blame."""
    with open_ledger(filled(2, 5)) as ledger:
        original = placement._setup
        with pytest.MonkeyPatch.context() as monkeypatch:
            calls: list[int] = []

            def short(parser, run, seconds):
                calls.append(1)
                return original(parser, run, 0.01 if len(calls) == 1 else seconds)

            monkeypatch.setattr(placement, "_setup", short)
            elsewhere: list[Processes] = []
            read = Processes.run
            monkeypatch.setattr(
                Processes, "run", lambda self, batches: elsewhere.append(self) or read(self, batches)
            )
            report = al.reparse(ledger, parser="auto", workers=2, place="ray")
        assert (report.turns, report.failed) == (10, {})
        assert elsewhere


@pytest.mark.skipif(missing("x", "lake", "ray") is None, reason="Ray is installed here.")
def test_without_ray_the_extra_is_named():
    run = RunKey(run_id="00000000-0000-4000-8000-000000000009", kind=RunKind.REPARSE)
    with pytest.raises(
        MissingPackageError, match=r"needs ray, not installed here: pip install 'actionledger\[lake\]'"
    ):
        placed(parser_named("auto"), workers=2, seconds=1, place="ray")(run, 10)
