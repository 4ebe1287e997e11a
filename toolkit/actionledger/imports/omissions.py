"""How much of each file was left out, told to a ledger as what is more or fewer than it knew: whatever grows counts as it stands."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from actionledger.ledger.queries.recorded import NOT_TOLD, LeftOutKey, ToldLeftOut
from actionledger.ledger.storage.encoding import as_recorded

WITHIN_TURN = "within a turn"
"""What results are called that stand in the turn of the calls, and belong to none of them: they are counted with their turn, once."""


def changes(
    counted: Mapping[LeftOutKey, int],
    whole: Collection[str],
    before: Callable[[Sequence[str]], Mapping[LeftOutKey, ToldLeftOut]],
) -> Iterator[tuple[LeftOutKey, int, int]]:
    """Yield what was left out of files beyond what a ledger knows: add it to that, and each file counts as it stands.

    Args:
        counted: what was left out, by file, reason and what it is.
        whole: the files that were read to their end; of any other one nothing is taken back.
        before: returns what the ledger knows of some files.

    Yields:
        The file, the reason and what it is; how much more there is of it, less than nothing where there is less; and how many times
        it was told of before.
    """
    now: Counter[LeftOutKey] = Counter()
    for (path, reason, detail), count in counted.items():
        now[as_recorded(path), reason, as_recorded(detail)] += count
    read = {as_recorded(path) for path in whole}
    known = before(sorted({path for path, _, _ in now} | read))
    for key in dict.fromkeys((*now, *known)):
        told = known.get(key, NOT_TOLD)
        more = now[key] if key[2] == WITHIN_TURN else now[key] - told.amount
        if more > 0 or (more < 0 and key[0] in read):
            yield key, more, told.times
