"""Having effects on the disk: each written down first, all of an operation or none, whatever comes between.

A process that dies in the middle leaves records of which nobody says whether they were had. Whoever takes the lock next
finds that out by looking, and the journal is whole again.
"""

from collections.abc import Sequence
from itertools import takewhile

from actionledger.core.errors import ActionError
from actionledger.runtime.workspace.disk import DiskTree
from actionledger.runtime.workspace.folders import NEW_FOLDER_MODE
from actionledger.runtime.workspace.history import Record
from actionledger.runtime.workspace.journal import Journal
from actionledger.runtime.workspace.nodes import Change, Effect, Gap, Kind, Move, Node, Step, inverse
from actionledger.runtime.workspace.paths import Parts, plain_parts
from actionledger.runtime.workspace.tree import loaded_or_none
from actionledger.runtime.workspace.units import Unit


def carry_out(
    tree: DiskTree, journal: Journal, unit: Unit, steps: Sequence[Step], undoes: Sequence[int] = ()
) -> None:
    """Have effects one after the other; where one fails, take those before it back."""
    records = journal.intend(unit, steps, undoes)
    try:
        _have(tree, journal, records, steps)
    except BaseException as error:
        had = [pair for pair in zip(records, steps, strict=True) if journal.history.was_done(pair[0])]
        left = _take_back(tree, journal, unit, had) if had else ""
        if left and isinstance(error, ActionError):
            raise ActionError(error.reason, f"{error} {left}") from error
        raise


def settle(tree: DiskTree, journal: Journal) -> None:
    """Find out of every record that nobody said it of whether its effect was had, and clean up behind it.

    Effects are had in order, so behind one that was not had none was. Where it can't be told, because somebody else has
    changed the path since, it counts as had: undoing it is then refused, and says what is there.
    """
    records = list(journal.history.pending.values())
    for record in records:
        if record.temporary:
            tree.remove_temporary(record.effect.path, record.temporary)
    had = list(takewhile(lambda record: _was_had(tree, record.effect), records))
    if records:
        journal.settled(had, records[len(had) :])


def _have(tree: DiskTree, journal: Journal, records: Sequence[Record], steps: Sequence[Step]) -> None:
    try:
        for record, step in zip(records, steps, strict=True):
            tree.apply(step, record.temporary)
            journal.done(record)
    except ActionError:
        # An effect that is refused was not had, whatever somebody else has put in its place.
        journal.settled([], list(journal.history.pending.values()))
        raise
    except BaseException:
        settle(tree, journal)
        raise


def _take_back(tree: DiskTree, journal: Journal, unit: Unit, had: Sequence[tuple[Record, Step]]) -> str:
    """Take back what was done before an effect failed; return a sentence if that can't be done, else nothing."""
    steps = [inverse(step) for _, step in reversed(had)]
    try:
        records = journal.intend(unit, steps, [record.number for record, _ in reversed(had)])
        _have(tree, journal, records, steps)
    except ActionError as error:
        return f"What was done before could not be taken back: {error}"
    return ""


def _was_had(tree: DiskTree, effect: Effect) -> bool:
    """Whether an effect was had, or what is there doesn't tell."""
    assert not isinstance(effect, Gap), "what could not be watched is written down as it is, not intended"
    parts = plain_parts(effect.path)
    if isinstance(effect, Move):
        return _kind_at(tree, parts) is None and _kind_at(tree, plain_parts(effect.target)) is effect.kind
    found = loaded_or_none(tree, parts)
    now = found.node if found else None
    if _is_half_made(effect, now):
        tree.apply(Step(Change(effect.path, now, effect.after)), "")
        return True
    return now != effect.before


def _kind_at(tree: DiskTree, parts: Parts) -> Kind | None:
    try:
        entry = tree.look(parts)
    except ActionError:
        return None
    return entry.kind if entry else None


def _is_half_made(change: Change, now: Node | None) -> bool:
    """Whether a folder was made, and not yet given its permissions."""
    is_made = change.before is None and change.after is not None and change.after.kind is Kind.FOLDER
    is_there = now is not None and now.kind is Kind.FOLDER and now.mode & 0o777 == NEW_FOLDER_MODE
    return is_made and is_there and now != change.after
