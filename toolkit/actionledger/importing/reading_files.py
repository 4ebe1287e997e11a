"""What a file gives, whatever its reader comes upon."""

from collections.abc import Iterator
from pathlib import Path

from actionledger.errors import ActionLedgerError
from actionledger.sources.base import FAULTS_OF_FORMATS, Item, LeftOut, ReadFile, Refusal
from actionledger.sources.containers import OnRead, shown
from actionledger.sources.files import size_of
from actionledger.vocabulary import LeftOutReason


def items_of(path: Path, form: str, read: ReadFile, on_read: OnRead) -> Iterator[Item]:
    """Yield what a file holds; what keeps it from being read further is a refusal, so that the other files are read.

    One in which a format finds nothing at all, as in a file of another format, is left out.

    Args:
        path: the file.
        form: its format's name.
        read: reads it.
        on_read: is told how far it is read.
    """
    has_none = True
    try:
        for item in read(path, on_read):
            has_none = False
            yield item
    except ActionLedgerError as error:
        yield Refusal(shown(path), 0, str(error))
    except FAULTS_OF_FORMATS as error:
        why = f"{type(error).__name__}: {error}"[:200]
        yield Refusal(shown(path), 0, f"The reader of {form} gives up here: {why}.")
    else:
        if has_none and size_of(path) != 0:
            yield LeftOut(shown(path), LeftOutReason.EMPTY, "file")
