"""Lakes for tests: whether there can be one here, and the file that says where it is."""

from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from actionledger.core.errors import LedgerError, MissingPackageError


@cache
def why_no_lake() -> str:
    """Return why there can't be a lake with this DuckDB; empty where there can be one."""
    from actionledger.ledger import open_ledger

    with TemporaryDirectory() as folder:
        try:
            with closing(
                open_ledger(write_place(Path(folder), "sqlite:catalog.sqlite", "data"), in_background=False)
            ):
                return ""
        except (LedgerError, MissingPackageError) as error:
            return str(error)


def write_place(folder: Path, metadata_path: str, data_path: str, host: str = "here") -> Path:
    """Write the file that says where a lake is."""
    folder.mkdir(exist_ok=True)
    path = folder / "team.toml"
    said = {"metadata_path": metadata_path, "data_path": data_path, "host": host}
    path.write_text("\n".join(["[ducklake]", *(f'{key} = "{value}"' for key, value in said.items())]))
    return path
