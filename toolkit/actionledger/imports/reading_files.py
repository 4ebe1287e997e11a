"""What a file gives, whatever its reader comes upon."""

from collections.abc import Iterator
from pathlib import Path

from actionledger.core.errors import ActionLedgerError, in_words
from actionledger.core.vocabulary import LeftOutReason
from actionledger.imports.sources.base import Item, LeftOut, ReadFile, Refusal
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.files import size_of


class _Told:
    """Tells how far a file is read, and keeps what whoever is told raises: that is no fault of the file."""

    def __init__(self, on_read: OnRead) -> None:
        self._on_read = on_read
        self.fault: Exception | None = None

    def __call__(self, count: int) -> None:
        try:
            self._on_read(count)
        except Exception as error:
            self.fault = error
            raise


def items_of(path: Path, form: str, read: ReadFile, on_read: OnRead) -> Iterator[Item]:
    """Yield what a file holds; what keeps it from being read further is a refusal, so that the other files are read.

    One in which a format finds nothing at all, as in a file of another format, is left out.
    """
    has_none = True
    told = _Told(on_read)
    try:
        for item in read(path, told):
            has_none = False
            yield item
    except Exception as error:  # noqa: BLE001 - whatever a format, or a library under it, comes upon: the other files go on
        if told.fault is not None:
            raise told.fault from None
        is_said = isinstance(error, ActionLedgerError)
        why = str(error) if is_said else f"The reader of {form} gives up here: {in_words(error)}."
        yield Refusal(shown(path), 0, why)
    else:
        if has_none and size_of(path) != 0:
            yield LeftOut(shown(path), LeftOutReason.EMPTY, "file")
