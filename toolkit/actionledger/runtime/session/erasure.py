"""Erase sessions from a ledger: their records and the files kept next to the ledger."""

import getpass
import json
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from re import escape, search

from actionledger.core.errors import LedgerError, UsageError
from actionledger.core.processes import FileLock
from actionledger.ledger import Ledger
from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.lineage import Forgettable, family
from actionledger.ledger.queries.names import Called, one_session
from actionledger.ledger.saved import Saved
from actionledger.ledger.storage.files import LedgerFiles, forgetting_sentence, remove_folder
from actionledger.ledger.storage.local import store_at
from actionledger.ledger.storage.placement import forget_places
from actionledger.ledger.storage.spool import erase_spooled
from actionledger.ledger.upkeep.forgetting.intent import Intent, intent_of, is_any_open, open_sessions
from actionledger.ledger.upkeep.forgetting.records import ForgetReport
from actionledger.runtime.session.states.lines import forget_states
from actionledger.runtime.workspace.retention import forget_effects, journals_with, refuse_used

_PATIENCE_SECONDS = 60.0
_LATELY_SECONDS = 1.0
"""How far a file system's clock may lag, at most, in seconds."""

_SAVED = ("queries", "views")
_TEMPORARY_WORKSPACE = "actionledger-"


def to_forget(ledger: Queryable, session_ids: Collection[str]) -> list[Forgettable]:
    """Return the sessions to erase: the given ones and their children, which share their prompts and histories."""
    return family(ledger, session_ids)


def sessions_being_erased(ledger: Path) -> frozenset[str]:
    """Return the ids and own names of sessions whose erasure has begun; their records may be gone already."""
    intent = intent_of(LedgerFiles.at(ledger))
    return frozenset() if intent is None else frozenset([*intent.sessions, *intent.names])


def named(ledger: Ledger, called: Iterable[Called], gone: Collection[str]) -> list[str]:
    """Return the ids of the sessions with an id, name or title, without those that ``gone`` was to erase before that erasure was resumed."""
    found = []
    for each in called:
        try:
            found.append(one_session(ledger, each))
        except UsageError:
            name = str(each)
            if not name or not any(name == one or one.startswith(name.lower()) for one in gone):
                raise
    return found


def forget(ledger: Ledger, session_ids: Collection[str], *, by: str = "", why: str = "") -> ForgetReport:
    """Erase all records of sessions and of their children from every file of a ledger, and report them; ``why`` is the rule that requires it."""
    files = LedgerFiles.at(ledger.path)
    with _alone(files):
        begun = _go_on(ledger, files)
        found = to_forget(ledger, session_ids)
        if not found:
            return ForgetReport((), {}, was_begun=begun is not None)
        turns = [turn for each in found for turn in each.turns]
        intent = Intent.of(
            [each.session_id for each in found],
            turns,
            [each.name for each in found if each.name],
            forgotten_by=by or getpass.getuser(),
            why=why,
        )
        with forgetting_sentence(files):
            intent.save(
                files
            )  # before looking for locks: a process that opens a session locks it first, then checks this file
        try:
            _refuse_open(files, intent.sessions)
            refuse_used(journals_with(files.effects, {*intent.sessions, *turns}))
        except BaseException:
            files.forgetting.unlink(missing_ok=True)
            raise
        return _carry_out(ledger, files, intent)


def go_on_forgetting(ledger: Ledger) -> ForgetReport | None:
    """Resume an unfinished erasure; return None if there is none."""
    files = LedgerFiles.at(ledger.path)
    if not files.forgetting.exists():
        return None
    with _alone(files):
        return _go_on(ledger, files)


@contextmanager
def _alone(files: LedgerFiles) -> Iterator[None]:
    """Hold the lock on the erasure's intent file, of which a ledger has only one."""
    lock = FileLock(files.forgetting_lock)
    if not lock.acquire(_PATIENCE_SECONDS):
        raise LedgerError(
            f"Another process has been forgetting sessions of {files.published} for a minute: forget again when it is done."
        )
    try:
        yield
    finally:
        lock.release()


def _go_on(ledger: Ledger, files: LedgerFiles) -> ForgetReport | None:
    intent = intent_of(files)
    if intent is None:
        return None
    _refuse_open(files, intent.sessions)
    return _carry_out(ledger, files, intent, was_begun=True)


def _carry_out(
    ledger: Ledger, files: LedgerFiles, intent: Intent, *, was_begun: bool = False
) -> ForgetReport:
    ledger.flush()
    if not intent.is_beside_done:
        with forgetting_sentence(files):
            intent = intent.with_counts(_forget_beside(ledger, files, intent))
            intent.save(files)
    with closing(store_at(files.published, read_only=False)) as store:
        is_done = store.forget(patience=_PATIENCE_SECONDS)
    if not is_done:
        raise LedgerError(
            f"Another process has been taking events into {files.published} for a minute: forget again, and it is gone on with."
        )
    asked = "SELECT counts::VARCHAR FROM forgotten WHERE list_contains($sessions, session_id::VARCHAR) AND forgotten_at = $at"
    counts: dict[str, int] = {}
    for (text,) in ledger.sql(asked, {"sessions": intent.sessions, "at": intent.at}).fetchall():
        for name, count in json.loads(text).items():
            counts[name] = counts.get(name, 0) + count
    return ForgetReport(tuple(intent.sessions), dict(sorted(counts.items())), was_begun)


def _forget_beside(ledger: Ledger, files: LedgerFiles, intent: Intent) -> dict[str, dict[str, int]]:
    """Remove the files kept next to the records; return how much was removed of each session."""
    counts: dict[str, dict[str, int]] = {session_id: {} for session_id in intent.sessions}
    names = {*intent.sessions, *intent.turns}
    effects = forget_effects(journals_with(files.effects, names), names)
    since = (
        time.time() - _LATELY_SECONDS
    )  # before the check for open sessions: a process that starts later keeps what is younger
    left_before = None if is_any_open(files) else since
    states = forget_states(files.manifests, intent.sessions, left_before=left_before)
    for what, found in (("effects", effects), ("workspace_states", states)):
        for session_id, count in found.items():
            if session_id in counts:
                counts[session_id][what] = count
    erase_spooled(files.held, intent.sessions)
    forget_places(files.places, intent.sessions)
    # Remove temporary workspaces that were kept for sessions with pending actions.
    asked = "SELECT metadata->>'workspace' FROM session_starts WHERE list_contains($ids, session_id::VARCHAR) AND (metadata->>'temporary') = 'true'"
    here = Path(tempfile.gettempdir()).resolve()
    for (place,) in ledger.sql(asked, {"ids": list(intent.sessions)}).fetchall():
        path = Path(place or "/")
        if path.parent == here and path.name.startswith(_TEMPORARY_WORKSPACE) and not path.is_symlink():
            remove_folder(path)
    _forget_saved(files, [*names, *intent.names])
    # It holds hashes of files' beginnings and ends; without it the files are read again.
    files.taken_files.unlink(missing_ok=True)
    return counts


def _forget_saved(files: LedgerFiles, names: Iterable[str]) -> None:
    """Remove items that users saved under a name that names one of the sessions."""
    patterns = [rf"(?<![\w-]){escape(json.dumps(name)[1:-1])}(?![\w-])" for name in names if name]
    for kind in _SAVED:
        saved = Saved(files.published, kind)
        for name, value in saved.entries().items():
            text = json.dumps([name, value])
            if any(search(pattern, text) for pattern in patterns):
                saved.remove(name)


def _refuse_open(files: LedgerFiles, session_ids: list[str]) -> None:
    """Raise if a live process has one of the sessions open."""
    held = open_sessions(files, session_ids)
    if held:
        more = f" (and {len(held) - 1:,} more)" if len(held) > 1 else ""
        raise LedgerError(
            f"The session {held[0]}{more} is open in a live process ('actionledger doctor' says which): close it there, then forget it."
        )
