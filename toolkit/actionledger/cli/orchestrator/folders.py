"""The folder of an orchestration, as commands are given it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from actionledger.cli.options import command_words
from actionledger.core.errors import SourceError
from actionledger.profiles.orchestrator.request_queue import FILE as STORE, OrchestratorStore
from actionledger.profiles.orchestrator.state import FILE as STATE

FolderArgument = Annotated[Path, typer.Argument(help="The orchestration's folder.")]


@contextmanager
def opened_store(folder: Path) -> Iterator[OrchestratorStore]:
    """Give what an orchestrator keeps in a folder, and let go of it afterwards.

    Args:
        folder: an orchestration's, or the workspace of a session of the profile ``orchestrator``.

    Raises:
        SourceError: there is neither.
    """
    if not any((folder / name).is_file() for name in (STATE, STORE)):
        begin = command_words("orchestrator run", folder)
        raise SourceError(
            f"There is no orchestration in {str(folder)!r}; '{begin} DIRECTIVE' begins one there."
        )
    store = OrchestratorStore(folder / STORE)
    try:
        yield store
    finally:
        store.close()
