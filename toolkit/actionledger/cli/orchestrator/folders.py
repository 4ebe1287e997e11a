"""The folder of an orchestration, as commands are given it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from actionledger.cli.options import command_words
from actionledger.core.errors import SourceError
from actionledger.profiles.orchestrator.state import FILE as STATE
from actionledger.profiles.orchestrator.store import FILE as STORE, Store

FolderArgument = Annotated[Path, typer.Argument(help="The orchestration's folder.")]


@contextmanager
def opened_store(folder: Path) -> Iterator[Store]:
    """Give what an orchestrator keeps in a folder, and let go of it afterwards."""
    if not any((folder / name).is_file() for name in (STATE, STORE)):
        begin = command_words("orchestrator run", folder)
        raise SourceError(
            f"There is no orchestration in {str(folder)!r}; '{begin} DIRECTIVE' begins one there."
        )
    store = Store(folder / STORE)
    try:
        yield store
    finally:
        store.close()
