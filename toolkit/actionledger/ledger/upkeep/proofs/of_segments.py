"""Whether what was flushed on this host is still in its segments, as far as it was taken in."""

from collections.abc import Mapping
from pathlib import Path

from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.segments import has_live_writer, segment_sizes
from actionledger.ledger.upkeep.proofs.report import Fault


def faults_of_segments(files: LedgerFiles, offsets: Mapping[str, int]) -> list[Fault]:
    """Return which segments were cut."""
    faults = []
    for name, size in segment_sizes(files.segments).items():
        taken = offsets.get(name, 0)
        if size < taken:
            sentence = f"The segment {name} has {size:,} bytes, and {taken:,} were taken in: it was cut, and what was behind them may be lost."
            faults.append(Fault(sentence, f"segments/{name}", key=str(size)))
        elif not _ends_whole(files.segments / name, size) and not has_live_writer(files.segments):
            sentence = f"The segment {name} ends within a line, at byte {size:,}: it was cut, or its writer died as it wrote what nobody was promised."
            faults.append(Fault(sentence, f"segments/{name}", key=str(size)))
    return faults


def _ends_whole(path: Path, size: int) -> bool:
    if not size:
        return True
    with path.open("rb") as file:
        file.seek(size - 1)
        return file.read(1) == b"\n"
