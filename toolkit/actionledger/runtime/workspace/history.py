"""The history of a journal's effects: whose they are, what is in effect now, and what it takes to undo it. Pure."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.ids import new_id
from actionledger.runtime.workspace.nodes import Effect, effect_as_json, effect_from_json


@dataclass(frozen=True, slots=True)
class Unit:
    """The action whose changes are undone together.

    Args:
        turn: identifies the turn; empty where the change belongs to none.
        action: identifies the action, or the one try at it (its execution).
        session: identifies the session; empty if unknown.
    """

    turn: str
    action: str
    session: str = ""


# Handlers run in threads and need not know what they run for, so it goes with the thread.
_current: ContextVar[Unit | None] = ContextVar("actionledger_unit", default=None)


def current_unit() -> Unit:
    """Return what changes made here and now belong to; a unit of its own if unknown."""
    return _current.get() or Unit("", new_id())


@contextmanager
def belonging_to(*, turn: str, action: str, session: str = "") -> Iterator[Unit]:
    """Have every change that this thread makes to a workspace meanwhile belong to a turn and an action."""
    unit = Unit(turn, action, session)
    token = _current.set(unit)
    try:
        yield unit
    finally:
        _current.reset(token)


@dataclass(frozen=True, slots=True)
class Record:
    """One effect, written down before it is had.

    Args:
        number: its place in the journal, from 0.
        unit: what it belongs to.
        effect: what happens.
        at: when it was written down, UTC.
        undoes: the record that it takes back; None where it is a new one.
        temporary: the name that a new content goes by, beside its target, until it is whole.
    """

    number: int
    unit: Unit
    effect: Effect
    at: str
    undoes: int | None = None
    temporary: str = ""

    def as_json(self) -> JsonDict:
        """Return it as a JSON value."""
        return {**asdict(self), "effect": effect_as_json(self.effect)}

    @classmethod
    def from_json(cls, value: JsonMap) -> "Record":
        """Return the record that a JSON value stands for."""
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
    """A command that runs, or ran when its process was killed.

    Args:
        unit: what it belongs to.
        snapshot: the digest of what was there before.
    """

    unit: Unit
    snapshot: str


class History:
    """All that a journal says, line by line.

    A record and those that take it back, and take that back, are a chain: with an odd number of links its effect is there,
    with an even number it is not.
    """

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.pending: dict[int, Record] = {}
        """Records of which nobody said yet whether they were had."""
        self.watch: CommandWatch | None = None
        """The command whose effects were not yet looked for."""
        self._chains: dict[int, list[int]] = {}
        self._first: dict[int, int] = {}

    def take(self, line: JsonMap) -> None:
        """Take in one line of the journal."""
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
        """Whether an effect was had, taken back since or not."""
        return record.number in self._first

    def to_undo(self, is_wanted: Callable[[Record], bool]) -> list[Record]:
        """Return the records to take back so that nothing of some records is in effect, the latest first."""
        last = [
            chain[-1]
            for chain in self._chains.values()
            if (len(chain) % 2 == 1) != self._is_left_in_effect(chain, is_wanted)
        ]
        return [self.records[number] for number in sorted(last, reverse=True)]

    def links(self, record: Record) -> tuple[Record, int]:
        """Return the first record of the chain that one belongs to, and its own place in it, from 0."""
        first = self._first[record.number]
        return self.records[first], self._chains[first].index(record.number)

    def owner_of(self, record: Record) -> str:
        """Return the session that a record belongs to, or what it takes back; the turn or action if unknown."""
        while record.undoes is not None:
            record = self.records[record.undoes]
        unit = record.unit
        return unit.session or unit.turn or unit.action

    def turns(self) -> list[str]:
        """Return the turns that changed something, in the order of their first change."""
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
        """Whether a chain's first record would be in effect if the wanted records had never been."""
        left = [place for place, number in enumerate(chain) if not is_wanted(self.records[number])]
        return bool(left) and left[0] == 0 and left[-1] % 2 == 0
