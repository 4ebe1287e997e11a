"""What a filter's options name and the ledger does not have: refused by its name, as a link to the dashboard's is."""

from difflib import get_close_matches

from actionledger.core.errors import UsageError
from actionledger.ledger import Ledger
from actionledger.ledger.queries import dimensions
from actionledger.ledger.queries.filters import Filter

SHOWN = 12
"""How many of what there is are named."""


def refuse_strangers(ledger: Ledger, within: Filter) -> None:
    """Refuse a name that nothing recorded goes by: beside another one it would pick nothing without a word.

    A blank ledger has none, and refuses none: that nothing is recorded is said by whoever looks.
    """
    asked = {
        "profile": (within.profiles, "profiles"),
        "model": (within.models, "models"),
        "task": (within.tasks, "tasks"),
        "source": (within.sources, "sources"),
        "label": (within.labels, "labels"),
        "dialect": (within.dialects, "dialects"),
        "turn label": (within.turn_labels, "turn_labels"),
    }
    if not any(names for names, _ in asked.values()):
        return
    known = dimensions(ledger)
    if not known.sources:
        return
    for kind, (names, field) in asked.items():
        there: tuple[str, ...] = getattr(known, field)
        for name in names:
            if name not in there:
                raise UsageError(_said(kind, name, there))


def _said(kind: str, name: str, there: tuple[str, ...]) -> str:
    near = get_close_matches(name, there, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    listed = ", ".join(map(repr, there[:SHOWN]))
    rest = f" and {len(there) - SHOWN:,} more" if len(there) > SHOWN else ""
    return f"There is no {kind} {name!r} in the ledger.{hint} It has {listed or 'none'}{rest}."
