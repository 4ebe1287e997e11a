"""The turns that count against a candidate, for whoever has to look at them."""

from collections.abc import Callable, Mapping, Sequence

from actionledger.ledger.queries.compare import ComparedTurn, Comparison
from actionledger.replay.gating.conditions import CHANGED, Condition
from actionledger.replay.gating.report import WorseTurn

MOST_TURNS = 100
"""How many turns of a condition a report names at most."""


def counted_turns(comparison: Comparison, found: Sequence[Condition]) -> list[tuple[str, ComparedTurn]]:
    """Return the turns that conditions count, each with the condition's name."""
    return [
        (condition.name, turn)
        for condition in found
        for bucket in (CHANGED if condition.name == "changed" else (condition.name,))
        for turn in comparison.turns.get(bucket, ())[:MOST_TURNS]  # type: ignore[call-overload]
    ]


def worse_turns(
    turns: Sequence[tuple[str, ComparedTurn]],
    names: Mapping[str, str],
    detail: Callable[[ComparedTurn], str],
) -> tuple[WorseTurn, ...]:
    return tuple(
        WorseTurn(
            condition,
            turn.bucket,
            names.get(turn.session_id, turn.session_id),
            turn.turn_index,
            turn.model,
            turn.before,
            turn.after,
            detail(turn),
        )
        for condition, turn in turns
    )
