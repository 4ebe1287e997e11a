"""Agreement between a team's reviewers on which parses are right: the raw share, and agreement beyond chance."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from actionledger.core.rates import Rate, clustered
from actionledger.ledger import Ledger
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.reviews import judged
from actionledger.replay.statistics import (
    Coefficient,
    JudgedItem,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
)

TWO = 2


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Agreement between two reviewers on the parses that both judged.

    Args:
        one, other: the reviewers.
        rate: share of the parses that both judged with the same judgement.
        kappa: agreement beyond chance (Cohen's kappa).
        counts: number of parses per pair of judgements, in the order ``one``, ``other``.
    """

    one: str
    other: str
    rate: Rate
    kappa: Coefficient
    counts: dict[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class ReviewerAgreement:
    """Agreement between all reviewers.

    Args:
        by_reviewer: number of parses that each person judged.
        readings: number of parses judged by two or more people.
        rate: share of these on which all agree.
        coefficient: agreement beyond chance: Cohen's kappa for two people, else Krippendorff's alpha, which allows missing judgements.
        fleiss: Fleiss' kappa, if more than two people judged and every parse has equally many judgements; else None.
        pairs: each two people who judged a parse in common, those with the most in common first.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     for index in range(2):
        ...         _ = ledger.record_turn("s1", "Well.", profile="mint")
        ...         for name, verdict in (("ann", "wrong"), ("bob", ["wrong", "right"][index])):
        ...             _ = al.review(ledger, "s1", index, by=name, verdict=verdict)
        ...     found = al.reviewer_agreement(ledger)
        >>> found.coefficient.name, found.coefficient.value, str(found.rate)
        ("Cohen's kappa", 0.0, '50.0% too few sessions (1/2 in 1 session)')
    """

    by_reviewer: dict[str, int]
    readings: int
    rate: Rate
    coefficient: Coefficient
    fleiss: Coefficient | None
    pairs: tuple[PairAgreement, ...]


def reviewer_agreement(ledger: Ledger, within: Filter = EVERYTHING) -> ReviewerAgreement:
    """Return how far reviewers agree, over the parses that several of them judged.

    Args:
        ledger: the ledger with the judgements.
        within: filter for the parses; without a run, each turn's first parse.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     found = al.reviewer_agreement(ledger)
        >>> found.readings, found.coefficient.value
        (0, None)
    """
    things, by_reviewer = _things(ledger, within)
    several = [thing for thing in things if len(thing.judgements) >= TWO]
    names = sorted({name for thing in several for name in thing.judgements})
    is_even = len({len(thing.judgements) for thing in several}) == 1
    return ReviewerAgreement(
        by_reviewer=by_reviewer,
        readings=len(several),
        rate=_rate(several, (len(set(thing.judgements.values())) == 1 for thing in several)),
        coefficient=cohen_kappa(several, *names) if len(names) == TWO else krippendorff_alpha(several),
        fleiss=fleiss_kappa(several) if len(names) > TWO and is_even else None,
        pairs=tuple(
            sorted(
                (pair for two in combinations(names, TWO) if (pair := _pair(several, *two)).rate.count),
                key=lambda pair: (-pair.rate.count, pair.one, pair.other),
            )
        ),
    )


def _things(ledger: Ledger, within: Filter) -> tuple[list[JudgedItem], dict[str, int]]:
    """Return each parse with its judgements, and the number of parses that each person judged."""
    found: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    by_reviewer: Counter[str] = Counter()
    for each in judged(ledger, within):
        found[each.session_id, each.attempt_id][each.reviewer] = str(each.value)
        by_reviewer[each.reviewer] += 1
    return [JudgedItem(session, said) for (session, _), said in found.items()], dict(
        by_reviewer.most_common()
    )


def _pair(things: Sequence[JudgedItem], one: str, other: str) -> PairAgreement:
    both = [thing for thing in things if one in thing.judgements and other in thing.judgements]
    counts = Counter((thing.judgements[one], thing.judgements[other]) for thing in both)
    return PairAgreement(
        one=one,
        other=other,
        rate=_rate(both, (thing.judgements[one] == thing.judgements[other] for thing in both)),
        kappa=cohen_kappa(both, one, other),
        counts=dict(sorted(counts.items())),
    )


def _rate(things: Sequence[JudgedItem], agreed: Iterable[bool]) -> Rate:
    sizes: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    for thing, is_agreed in zip(things, agreed, strict=True):
        sizes[thing.session] += 1
        totals[thing.session] += is_agreed
    return clustered((totals[session], size) for session, size in sizes.items())
