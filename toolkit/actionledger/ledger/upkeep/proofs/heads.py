"""Heads that were kept elsewhere: as people write them, and whether their chain still has them."""

import re
from collections.abc import Iterable, Iterator, Mapping

from actionledger.core.errors import UsageError
from actionledger.ledger.storage.chain import Head
from actionledger.ledger.upkeep.proofs.report import Fault

_HEAD = re.compile(r"(\d{1,18}):([0-9a-f]{64})")


def heads_in(text: str) -> tuple[Head, ...]:
    """Return the heads that a text names, one of each chain."""
    found = [_HEAD.fullmatch(word) for word in text.split()]
    heads = tuple(Head(int(each[1]), each[2]) for each in found if each is not None)
    if len(heads) < len(found):
        raise UsageError(
            f"{text!r} is no head of a ledger; give one as 'actionledger verify --head' prints it: a number, a colon and 64 digits, and as many of "
            "them as it prints."
        )
    return heads


def faults_since(kept: Iterable[Head], heads: Mapping[int, str]) -> Iterator[Fault]:
    """Yield where a chain has no longer what it had when a head of it was kept."""
    for head in kept:
        if heads.get(head.link) == head.value:
            continue
        if head.link not in heads:
            ends = f"ends at link {max(heads)}" if heads else "is gone"
            sentence = f"The head that was kept is of link {head.link}, and its chain {ends}: an older state stands in the ledger's place."
        else:
            sentence = f"The head that was kept is another one than that of link {head.link}: what was taken in up to there was made anew."
        yield Fault(sentence, "links", head.link)
