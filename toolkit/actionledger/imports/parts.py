"""What an import is cut into, so that several processes can read it: files by the group, and large ones by their sessions."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from zlib import crc32

from actionledger.core.compressed import SUFFIXES
from actionledger.core.text import utf8_with_halves
from actionledger.core.values.recordings import RecordedSession
from actionledger.imports.recognising import ToRead
from actionledger.imports.sources.base import Item
from actionledger.imports.sources.files import size_of

GROUP_BYTES = 4 * 2**20
"""So much is read as one part, in bytes of what is unpacked: a second or so."""

GROUP_FILES = 256
"""So many files are one part at most."""

SHARED_BYTES = 8 * GROUP_BYTES
"""A file of so many bytes, unpacked, is shared out by its sessions, where its format says that these stand alone."""

WORTH_BYTES = 4 * GROUP_BYTES
"""What is less in all, in bytes of what is unpacked, is read by one process: starting another one takes half a second of it."""

_UNPACKED = 5
"""How much larger what is compressed is taken to be."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some files, or some sessions of one file, that one process reads.

    Args:
        number: which part it is; the shares of a file have the same one.
        files: the places of the files among those that are to be read.
        share: which of the sessions, from 0.
        shares: among how many processes they are shared out.
        size: about how many bytes its files hold.
    """

    number: int
    files: tuple[int, ...]
    share: int = 0
    shares: int = 1
    size: int = 0

    @property
    def is_small(self) -> bool:
        """Whether it is read in a second or so."""
        return self.size <= GROUP_BYTES

    def has(self, item: Item) -> bool:
        """Return whether something in its file is its own; what is of no session is the first share's."""
        if self.shares == 1:
            return True
        if not isinstance(item, RecordedSession):
            return self.share == 0
        return crc32(utf8_with_halves(item.external_id)) % self.shares == self.share


def unpacked_size(file: ToRead) -> int | None:
    """Return about how many bytes a file holds; None if unknown."""
    size = size_of(file.path)
    return size if size is None or file.path.suffix not in SUFFIXES else size * _UNPACKED


def parts_of(files: Iterable[ToRead], count: int) -> Iterator[list[Part]]:
    """Yield the parts of what is to be read, in order; of several together it makes no difference which is taken in first."""
    number, group, size = 0, list[int](), 0
    for place, file in enumerate(files):
        more = unpacked_size(file) or 0
        is_shared = file.format.stands_alone and more >= SHARED_BYTES
        if group and (is_shared or size + more > GROUP_BYTES or len(group) == GROUP_FILES):
            yield [Part(number, tuple(group), size=size)]
            number, group, size = number + 1, [], 0
        if is_shared:
            yield [Part(number, (place,), share, count, more) for share in range(count)]
            number += 1
        else:
            group.append(place)
            size += more
    if group:
        yield [Part(number, tuple(group), size=size)]
