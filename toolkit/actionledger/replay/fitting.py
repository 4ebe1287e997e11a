"""Which turns a parser was never meant for: what it makes of them says nothing about it."""

from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.rereading import responses_by_profile
from actionledger.profiles import PROFILES
from actionledger.reading.baselines import baseline_dialect
from actionledger.reading.parsers import AnyParser, BaselineParser


def unfit_turns(ledger: Queryable, parser: AnyParser, within: Filter = EVERYTHING) -> dict[str, int]:
    """Return how many turns a filter picks of each profile whose formats a parser doesn't read.

    A parser is for a profile if they share a dialect. Of a profile that this process doesn't know, nothing is said.

    Args:
        ledger: what to ask.
        parser: what is to read the turns.
        within: which turns.
    """
    reads = _dialects(parser)
    return {
        name: turns
        for name, turns in responses_by_profile(ledger, within).items()
        if (profile := PROFILES.get(name)) and reads.isdisjoint(_dialects(profile.parser))
    }


def _dialects(parser: AnyParser) -> frozenset[str]:
    if isinstance(parser, BaselineParser):
        return frozenset({baseline_dialect(parser.rules)})
    return frozenset(dialect.name for dialect in parser.dialects)
