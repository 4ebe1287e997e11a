"""A ledger and a workspace lie apart, by whatever names they go."""

from pathlib import Path

import pytest

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.runtime.session.folder import lies_in, refuse_reachable


@pytest.fixture
def places(tmp_path: Path) -> Path:
    (tmp_path / "work" / "inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "work")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "work" / "out").symlink_to(tmp_path / "elsewhere")
    return tmp_path


@pytest.mark.parametrize(
    ("ledger", "workspace"),
    [
        ("work/l.duckdb", "work"),
        ("work/inner/l.duckdb", "work"),
        ("link/l.duckdb", "work"),
        ("work/l.duckdb", "link"),
        ("elsewhere/../work/l.duckdb", "work"),
        ("work/new/l.duckdb", "work"),
        ("l.duckdb", "l.duckdb.d/segments"),
        ("l.duckdb", "."),
    ],
)
def test_one_in_the_other_is_refused(places, ledger, workspace):
    """However it is written, and before anything is made."""
    with pytest.raises(UsageError, match="lies in"):
        refuse_reachable(places / ledger, places / workspace)
    assert not (places / "l.duckdb.d").exists()


@pytest.mark.parametrize(
    ("ledger", "workspace"),
    [
        ("l.duckdb", "work"),
        ("work2/l.duckdb", "work"),
        ("work/out/l.duckdb", "work"),
        ("work.duckdb", "work"),
    ],
)
def test_beside_each_other_is_fine(places, ledger, workspace):
    """Also where a link in the workspace leads out of it: what is confined doesn't follow."""
    refuse_reachable(places / ledger, places / workspace)


def test_the_same_folder_by_another_name_is_the_same(places, monkeypatch):
    """As with two mounts, or capitals where the file system has none: what the system says of the folder decides."""
    stat = Path.stat

    def mounted(path: Path, **given: bool):
        return stat(places / "work" if path == places / "elsewhere" else path, **given)

    assert not lies_in(places / "elsewhere" / "l.duckdb", places / "work")
    monkeypatch.setattr(Path, "stat", mounted)
    assert lies_in(places / "elsewhere" / "l.duckdb", places / "work")


def test_a_session_in_a_ledgers_folder_is_refused(tmp_path):
    """By the runtime, whoever opened the ledger."""
    with (
        al.open_ledger(tmp_path / "l.duckdb") as ledger,
        pytest.raises(UsageError, match="belongs to the ledger alone"),
    ):
        al.Runtime("coder", ledger=ledger, workspace=tmp_path / "l.duckdb.d" / "work")
