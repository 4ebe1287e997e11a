"""Whether a block that a dialect has read while a response comes in may still be judged by what stands around it."""

from actionledger.core.values import Span
from actionledger.reading.dialects.base import Dialect, Found
from actionledger.reading.evidence.echoes import DOCUMENTED, MARKLESS, READ, is_judged
from actionledger.reading.evidence.places import may_quote
from actionledger.reading.evidence.rests import mentions_and_rests
from actionledger.reading.evidence.surroundings import has_placeholder, is_open_to_prose
from actionledger.reading.evidence.turns import invented_from
from actionledger.reading.evidence.weighing import is_open
from actionledger.reading.prose import is_known_behind, verdict_of_marked


def may_change(
    text: str, gap: Span, placed: tuple[Dialect, Found], names: frozenset[str] | None, *, is_first: bool
) -> bool:
    """Return whether what follows may make something else of a block, or put another one before it."""
    dialect, found = placed
    if names:
        reach = gap.end if found.status in READ and not is_open(dialect, found, names) else found.span.end
        if mentions_and_rests(text, gap.start, reach, names) or (reach > gap.end and found.status in READ):
            return True
    if not is_judged(dialect, found):
        return False
    return may_quote(text, *gap) or (not is_first and invented_from(text[: gap.end], gap.start) is not None)


def waits_for_prose(text: str, gap: Span, placed: tuple[Dialect, Found]) -> bool:
    """Return whether the prose around a block makes something else of it, or may do so with more text behind it."""
    dialect, found = placed
    return is_open_to_prose(dialect, found) and (
        dialect.name in MARKLESS
        or not is_known_behind(text, found.span.end)
        or has_placeholder(found)
        or verdict_of_marked(text, found.span, gap.start, is_own=dialect.name in DOCUMENTED) is not None
    )
