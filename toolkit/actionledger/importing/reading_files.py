"""What a file gives, whatever its reader comes upon."""

from collections.abc import Iterator
from pathlib import Path

from actionledger.errors import ActionLedgerError
from actionledger.sources.base import FAULTS_OF_FORMATS, Item, ReadFile, Refusal
from actionledger.sources.containers import OnRead, shown


def items_of(path: Path, form: str, read: ReadFile, on_read: OnRead) -> Iterator[Item]:
    """Yield what a file holds; what keeps it from being read further is a refusal, so that the other files are read.

    Args:
        path: the file.
        form: its format's name.
        read: reads it.
        on_read: is told how far it is read.
    """
    try:
        yield from read(path, on_read)
    except ActionLedgerError as error:
        yield Refusal(shown(path), 0, str(error))
    except FAULTS_OF_FORMATS as error:
        why = f"{type(error).__name__}: {error}"[:200]
        yield Refusal(shown(path), 0, f"The reader of {form} gives up here: {why}.")
