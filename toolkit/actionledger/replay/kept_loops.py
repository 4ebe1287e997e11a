"""The loops that were found, kept beside the ledger: a session is looked through again where anything of it, or the search, has changed.

It holds nothing that the records don't, and may go at any time. A ledger in a lake keeps none: another host could not take out of it what is forgotten.
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from actionledger._version import __version__
from actionledger.ledger import Ledger
from actionledger.ledger.queries.base import number
from actionledger.ledger.queries.followed import Followed
from actionledger.ledger.storage.files import TEMPORARY, LedgerFiles
from actionledger.ledger.storage.lake.place import is_place
from actionledger.replay.loop import Loop, takes_references
from actionledger.runtime.repetition.limits import Pattern

_PACKAGE = Path(__file__).parents[1]
_SEARCH = (
    "replay/loop_search.py",
    "replay/loop.py",
    "ledger/queries/courses.py",
    "ledger/queries/followed.py",
    *(f"runtime/repetition/{name}.py" for name in ("fingerprints", "forms", "guard", "limits")),
)
"""What says which loops are found."""


@cache
def _search_version() -> str:
    """Return what tells this search from another one; empty where the package has no sources to be compared."""
    digest = blake2b(__version__.encode(), digest_size=16)
    try:
        for name in _SEARCH:
            digest.update((_PACKAGE / name).read_bytes())
    except OSError:
        return ""
    return digest.hexdigest()


class KeptLoops:
    """What is kept of a ledger's loops.

    Args:
        ledger: the ledger.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._path = LedgerFiles.at(ledger.path).loops
        self._can_be = not (is_place(ledger.path) or ledger.without_text) and bool(_search_version())
        self._kept = self._read() if self._can_be else {}

    def found(self, sessions: Iterable[Followed]) -> dict[str, list[Loop]]:
        """Return the loops of those sessions that are as they were when they were looked through."""
        found: dict[str, list[Loop]] = {}
        for each in sessions:
            match self._kept.get(str(each.session_id)):
                case [stamp, [*loops]] if stamp is not None and stamp == _stamp(each):
                    with suppress(TypeError, ValueError):  # somebody has changed the file
                        found[str(each.session_id)] = [
                            Loop(str(each.session_id), first, last, Pattern(pattern), count, name, is_stop)
                            for first, last, pattern, count, name, is_stop in loops
                        ]
        return found

    def keep(self, sessions: Sequence[Followed], found: Mapping[str, Sequence[Loop]]) -> None:
        """Keep what was found in all sessions that there are; where that can't be written, nothing is kept."""
        held = {
            str(each.session_id): [_stamp(each), [_as_list(loop) for loop in found[str(each.session_id)]]]
            for each in sessions
        }
        if not self._can_be or held == self._kept or not self._path.parent.is_dir():
            return
        with suppress(OSError):
            self._write(json.dumps({"search": _search_version(), "sessions": held}).encode())
            if {each.forgotten for each in sessions} - {
                number(self._ledger, "SELECT count(*) FROM forgotten")
            }:
                self._path.unlink(
                    missing_ok=True
                )  # one of them is forgotten by now, and the file of before may be gone already

    def _read(self) -> dict[str, Any]:
        try:
            value = json.loads(self._path.read_bytes())
        except (OSError, ValueError):
            return {}
        match value:
            case {"search": search, "sessions": dict(sessions)} if search == _search_version():
                return sessions
        return {}

    def _write(self, content: bytes) -> None:
        beside = self._path.with_name(f"{TEMPORARY}loops-{os.getpid()}.json")
        descriptor = os.open(beside, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        beside.replace(self._path)


def _stamp(session: Followed) -> str | None:
    """Return what says whether a session would be looked through with the same result.

    What a profile's actions may refer to is part of that: it is another package's to say, which need not be here the next time.
    """
    referring = ",".join(filter(takes_references, session.profiles))
    return None if session.stamp is None else f"{session.stamp} {referring}"


def _as_list(loop: Loop) -> list[object]:
    return [loop.first_turn, loop.last_turn, loop.pattern, loop.count, loop.name, loop.is_stop]
