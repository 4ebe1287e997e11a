"""What is known of a turn that goes on: what was read, what came of it, what was decided. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from actionledger.core.recording import TurnKey
from actionledger.core.values import Approval, Observation


@dataclass(frozen=True, slots=True)
class TurnState:
    """A turn as far as it got.

    Args:
        turn: its key.
        text: the response.
        parser_id: the hash of the parser that read it.
        is_cut: whether the model was stopped before it was done.
        is_exact: whether nothing in the text was masked for the record.
        is_live: whether it comes from the memory of the session itself rather than from a record.
        is_finished: whether its end was recorded.
        observations: what came of the last try at each action, by its place; ``interrupted`` for one without an end.
        tries: how many tries there were, by the action's place.
        unfinished: the places of actions whose last try has no end in the record.
        approvals: what was asked and decided about, by the action's place; decisions that don't count are not in it.
        doubts: why a decision that is recorded doesn't count, by the action's place.
    """

    turn: TurnKey
    text: str
    parser_id: str
    is_cut: bool = False
    is_exact: bool = True
    is_live: bool = True
    is_finished: bool = False
    observations: Mapping[int, Observation] = field(default_factory=dict)
    tries: Mapping[int, int] = field(default_factory=dict)
    unfinished: frozenset[int] = frozenset()
    approvals: Mapping[int, Approval] = field(default_factory=dict)
    doubts: Mapping[int, str] = field(default_factory=dict)
