"""The history of a journal's effects: their owners, which are in effect, and how to undo them. Pure."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.ids import new_id
from actionledger.runtime.workspace.nodes import Effect, effect_as_json, effect_from_json


@dataclass(frozen=True, slots=True)
class Unit:
    """The action whose changes are undone together."""

    turn: str  # the turn's id; empty if the change belongs to none
    action: str  # the id of the action, or of one try at it (its execution)
    session: str = ""  # the session's id; empty if unknown


# Stored per thread, because handlers run in threads and need not know their action.
_current: ContextVar[Unit | None] = ContextVar("actionledger_unit", default=None)


def current_unit() -> Unit:
    """Return the unit of changes in this context; a unit of its own if unknown."""
    return _current.get() or Unit("", new_id())


@contextmanager
def belonging_to(*, turn: str, action: str, session: str = "") -> Iterator[Unit]:
    """Let all workspace changes of this thread belong to a turn and an action, within the block."""
    unit = Unit(turn, action, session)
    token = _current.set(unit)
    try:
        yield unit
    finally:
        _current.reset(token)


@dataclass(frozen=True, slots=True)
class Record:
    """An effect, recorded before it is applied."""

    number: int  # its index in the journal, from 0
    unit: Unit  # the unit that it belongs to
    effect: Effect
    at: str  # when it was recorded, UTC
    undoes: int | None = None  # the record that it reverts; None if it reverts none
    temporary: str = ""  # the temporary name of new content, next to its target, until it is complete

    def as_json(self) -> JsonDict:
        """Return it as a JSON value."""
        return {**asdict(self), "effect": effect_as_json(self.effect)}

    @classmethod
    def from_json(cls, value: JsonMap) -> "Record":
        return cls(
            int(value["number"]),
            Unit(**value["unit"]),
            effect_from_json(value["effect"]),
            value["at"],
            value["undoes"],
            value["temporary"],
        )


@dataclass(frozen=True, slots=True)
class CommandWatch:
    """A command that is running, or was when its process was killed."""

    unit: Unit  # the unit that it belongs to
    snapshot: str  # the digest of the snapshot before it


class History:
    """The content of a journal, line by line.

    A record, the one that reverts it, the one that reverts that, and so on form a chain. With an odd number of links the
    effect is present, with an even number it is not.
    """

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.pending: dict[int, Record] = {}
        """Records not yet known to be applied or dropped."""
        self.watch: CommandWatch | None = None
        """The command whose effects are not yet recorded."""
        self._chains: dict[int, list[int]] = {}
        self._first: dict[int, int] = {}

    def take(self, line: JsonMap) -> None:
        """Add a line of the journal."""
        match line["line"]:
            case "intended":
                record = self._added(line["record"])
                self.pending[record.number] = record
            case "settled":
                for number in line["had"]:
                    self._done(self.pending.pop(number))
                for number in line["dropped"]:
                    del self.pending[number]
            case "watching":
                self.watch = CommandWatch(Unit(**line["unit"]), line["snapshot"])
            case "watched":
                for value in line["records"]:
                    self._done(self._added(value))
                self.watch = None
            case unknown:
                raise ValueError(f"there is no line {unknown!r}")

    def was_done(self, record: Record) -> bool:
        """Whether an effect was applied, even if it was reverted since."""
        return record.number in self._first

    def to_undo(self, is_wanted: Callable[[Record], bool]) -> list[Record]:
        """Return the records to revert, latest first, so that none of the wanted records is in effect."""
        last = [
            chain[-1]
            for chain in self._chains.values()
            if (len(chain) % 2 == 1) != self._is_left_in_effect(chain, is_wanted)
        ]
        return [self.records[number] for number in sorted(last, reverse=True)]

    def links(self, record: Record) -> tuple[Record, int]:
        """Return the first record of a record's chain, and the record's index in it."""
        first = self._first[record.number]
        return self.records[first], self._chains[first].index(record.number)

    def owner_of(self, record: Record) -> str:
        """Return the session of a record, or of the record that it reverts; its turn or action if unknown."""
        while record.undoes is not None:
            record = self.records[record.undoes]
        unit = record.unit
        return unit.session or unit.turn or unit.action

    def turns(self) -> list[str]:
        """Return the turns with changes, in the order of their first change."""
        turns = (self.records[number].unit.turn for number in sorted(self._first))
        return list(dict.fromkeys(turn for turn in turns if turn))

    def _added(self, value: JsonMap) -> Record:
        record = Record.from_json(value)
        if record.number != len(self.records):
            raise ValueError(f"record {record.number} stands at place {len(self.records)}")
        self.records.append(record)
        return record

    def _done(self, record: Record) -> None:
        first = record.number if record.undoes is None else self._first[record.undoes]
        self._first[record.number] = first
        self._chains.setdefault(first, []).append(record.number)

    def _is_left_in_effect(self, chain: list[int], is_wanted: Callable[[Record], bool]) -> bool:
        """Whether a chain's first record would be in effect without the wanted records."""
        left = [place for place, number in enumerate(chain) if not is_wanted(self.records[number])]
        return bool(left) and left[0] == 0 and left[-1] % 2 == 0
