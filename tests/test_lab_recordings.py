"""What agents wrote in the lab, imported and held against what its server sent: nothing is wrong that they have written down."""

from pathlib import Path

import pytest

from actionledger import import_path
from lab.compare import differences
from lab.judging import judged, ours_in
from lab.rows import turns_of
from lab.truth import read

RECORDINGS = Path(__file__).parent / "lab" / "recordings"
KEPT = sorted(path.parent for path in RECORDINGS.glob("*/*/truth.json"))


@pytest.mark.parametrize("folder", KEPT, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_what_an_agent_wrote_is_in_the_ledger_as_it_was(folder, tmp_path):
    (written,) = folder.glob("*.jsonl")
    import_path(written, tmp_path / "a.duckdb", workers=1)
    found = differences(read(folder / "truth.json"), turns_of(tmp_path / "a.duckdb"))
    cell = judged(folder.parent.name, folder.name.replace("_", " "), "file", found, ours=ours_in(written))
    assert cell.wrong == ()
