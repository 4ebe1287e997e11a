"""Where the recordings of others are, if they are anywhere."""

from pathlib import Path

import pytest
from corpus_files import CORPORA


@pytest.fixture(scope="session")
def mint() -> Path:
    """The folder of MINT's recordings; tests are skipped where it isn't."""
    folder = CORPORA / "mint"
    if not folder.is_dir():
        pytest.skip("MINT's recordings are not here: expected in shared/corpora/mint beside the checkout.")
    return folder
