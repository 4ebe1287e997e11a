"""Search recorded sessions for loops as the guard of live ones does; turns without execution results can't be searched."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from actionledger._version import __version__
from actionledger.core.errors import require_kind
from actionledger.core.rates import Rate
from actionledger.core.text import counted
from actionledger.ledger import Ledger
from actionledger.ledger.queries.base import number, refuse_no_ledger
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.followed import Followed, followed
from actionledger.ledger.storage.files import TEMPORARY, LedgerFiles
from actionledger.ledger.storage.lake.place import is_place
from actionledger.replay.loop import Loop, takes_references
from actionledger.runtime.repetition.limits import STANDARD_REPETITION, Pattern, RepetitionLimits


@dataclass(frozen=True, slots=True)
class LoopReport:
    r"""The loops in recorded sessions.

    Args:
        loops: the loops by session and turn, including those that only cause a warning.
        sessions: number of sessions that could be searched.
        not_recorded: number of sessions that could not, because the results of at least one turn are not recorded.

    Example:
        >>> text = al.render([("list_tasks", {})], "actions")
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turns = [runtime.handle(text) for _ in range(4)]
        ...     report = al.loops(ledger)
        >>> report.sessions, report.not_recorded, report.rate.successes
        (1, 0, 1)
    """

    loops: tuple[Loop, ...]
    sessions: int
    not_recorded: int

    @property
    def rate(self) -> Rate:
        """The share of searched sessions with a loop that stops a live session."""
        return Rate(len({loop.session_id for loop in self.loops if loop.is_stop}), self.sessions)

    @property
    def told(self) -> Rate:
        """The share of searched sessions with a loop that at least warns a live session."""
        return Rate(len({loop.session_id for loop in self.loops}), self.sessions)

    def __repr__(self) -> str:
        return (
            f"<LoopReport {counted(len(self.loops), 'loop')} in {self.told.successes:,} of {counted(self.sessions, 'session')}; "
            f"{self.not_recorded:,} not recorded>"
        )


def loops(
    ledger: Ledger,
    within: Filter = EVERYTHING,
    limits: RepetitionLimits = STANDARD_REPETITION,
    *,
    keep: bool | None = None,
) -> LoopReport:
    r"""Search recorded sessions for loops, by the rules of the guard of live ones.

    Args:
        ledger: the ledger with the sessions.
        within: filter for the turns.
        limits: the limits that define repetition.
        keep: whether to cache the loops of all sessions in the ledger's folder, so that only changed sessions are searched next
            time. None caches if the ledger is open for writing.

    Returns:
        The loops, the number of sessions searched, and the number that could not be.

    Example:
        >>> text = al.render([("list_tasks", {})], "actions")
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turn = runtime.handle(text)
        ...     report = al.loops(ledger)
        >>> report.loops, report.sessions
        ((), 1)
    """
    refuse_no_ledger(ledger)
    require_kind(limits, RepetitionLimits, "What counts as repetition is said by RepetitionLimits")
    kept = KeptLoops(ledger) if limits == STANDARD_REPETITION else None
    there = followed(ledger, within)
    whole = [each for each in there if each.session_id is not None]
    found = {} if kept is None else kept.found(whole)
    changed = [each for each in whole if each.session_id not in found]
    if changed:
        from actionledger.replay.loop_search import search  # noqa: PLC0415 - all patterns, and seldom anything is new

        found |= search(ledger, [str(each.session_id) for each in changed], within, limits)
    if kept is not None and within == EVERYTHING and (not ledger.read_only if keep is None else keep):
        kept.keep(whole, found)
    return LoopReport(
        tuple(loop for each in whole for loop in found[str(each.session_id)]),
        len(whole),
        sum(each.sessions for each in there) - len(whole),
    )


_PACKAGE = Path(__file__).parents[1]
_SEARCH = (
    "replay/loop_search.py",
    "replay/loop.py",
    "ledger/queries/courses.py",
    "ledger/queries/followed.py",
    *(f"runtime/repetition/{name}.py" for name in ("fingerprints", "forms", "guard", "limits")),
)
"""The modules that determine which loops are found."""


@cache
def _search_version() -> str:
    """Return a hash that identifies this version of the search; empty if the package has no sources to compare."""
    digest = blake2b(__version__.encode(), digest_size=16)
    try:
        for name in _SEARCH:
            digest.update((_PACKAGE / name).read_bytes())
    except OSError:
        return ""
    return digest.hexdigest()


class KeptLoops:
    """A cache of loops next to the ledger: a session is searched again only if its records or the search have changed.

    The cache holds nothing beyond the records and may be deleted at any time. A ledger in a lake has none, because another host could
    not remove erased sessions from it.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._path = LedgerFiles.at(ledger.path).loops
        self._can_be = not (is_place(ledger.path) or ledger.without_text) and bool(_search_version())
        self._kept = self._read() if self._can_be else {}

    def found(self, sessions: Iterable[Followed]) -> dict[str, list[Loop]]:
        """Return the loops of the sessions that are unchanged since they were searched."""
        found: dict[str, list[Loop]] = {}
        for each in sessions:
            match self._kept.get(str(each.session_id)):
                case [stamp, [*loops]] if stamp is not None and stamp == _stamp(each):
                    with suppress(TypeError, ValueError):  # the file was edited
                        found[str(each.session_id)] = [
                            Loop(str(each.session_id), first, last, Pattern(pattern), count, name, is_stop)
                            for first, last, pattern, count, name, is_stop in loops
                        ]
        return found

    def keep(self, sessions: Sequence[Followed], found: Mapping[str, Sequence[Loop]]) -> None:
        """Write the loops of all sessions; if the file can't be written, nothing is kept."""
        held = {
            str(each.session_id): [_stamp(each), [_as_list(loop) for loop in found[str(each.session_id)]]]
            for each in sessions
        }
        if not self._can_be or held == self._kept or not self._path.parent.is_dir():
            return
        with suppress(OSError):
            self._write(json.dumps({"search": _search_version(), "sessions": held}).encode())
            # A session may have been erased meanwhile, and the erasure may have removed the file before this write.
            erasures = number(self._ledger, "SELECT count(*) FROM forgotten")
            if any(each.forgotten != erasures for each in sessions):
                self._path.unlink(missing_ok=True)

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
    """Return a stamp of all that a session's search depends on.

    It includes whether the profile's actions may refer to each other, because that may depend on another package, which may be missing next time.
    """
    referring = ",".join(filter(takes_references, session.profiles))
    return None if session.stamp is None else f"{session.stamp} {referring}"


def _as_list(loop: Loop) -> list[object]:
    return [loop.first_turn, loop.last_turn, loop.pattern, loop.count, loop.name, loop.is_stop]
