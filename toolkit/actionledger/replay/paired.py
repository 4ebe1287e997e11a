"""Two readings of the same turns with what says whether the difference is more than chance, as a whole and by group."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from actionledger.core.frames import Columns, Framed, compared
from actionledger.core.hooks import drawn
from actionledger.core.rates import Clustering
from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.compare import (
    ComparedGroup,
    Comparison,
    Grouping,
    compare_groups,
    compare_runs,
)
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.names import Called, one_run, run_or_first
from actionledger.replay.statistics import (
    holm,
    least_by_flipping,
    mcnemar,
    paired_difference,
    resampled_difference,
    session_test,
    shifted,
)


class _Paired(Protocol):
    @property
    def intent(self) -> int: ...
    @property
    def only_before(self) -> int: ...
    @property
    def only_after(self) -> int: ...
    @property
    def net(self) -> Clustering: ...
    @property
    def shifts(self) -> Mapping[int, int]: ...
    @property
    def cells(self) -> Mapping[tuple[int, int], int]: ...


class Tested:
    """The interval and tests of a difference in success, over the turns that meant to act in both readings."""

    __slots__ = ()

    @property
    def p_value(self: _Paired) -> float:
        """The p-value of the sign-flip test over sessions: how likely chance alone shifts the sessions so far."""
        return session_test(self.shifts)

    @property
    def p_value_by_turn(self: _Paired) -> float:
        """The p-value of the exact McNemar test, which takes the turns of a session for independent."""
        return mcnemar(self.only_before, self.only_after)

    @property
    def difference(self: _Paired) -> tuple[float, float] | None:
        """The 95 % interval of the change in success, -1 to 1, which says of 0 what the test says; None where too few sessions were compared."""
        return paired_difference(self.only_before, self.only_after, self.intent, self.net)

    @property
    def difference_by_turn(self: _Paired) -> tuple[float, float] | None:
        """The same, where each turn is taken for independent; None where none was compared."""
        return paired_difference(self.only_before, self.only_after, self.intent) if self.intent else None

    @property
    def resampled(self: _Paired) -> tuple[float, float] | None:
        """The 95 % interval of the same change by the bootstrap over sessions, from a fixed seed; None as above."""
        return resampled_difference(self.cells)

    @property
    def design_effect(self: _Paired) -> float:
        """By how much sessions widen the variance of the change, 1 or more; 1 where nothing was compared."""
        if not self.intent:
            return 1.0
        score, squares = self.only_after - self.only_before, self.only_after + self.only_before
        return self.net.design_effect(self.intent, score, squares, shifted(self.cells))


@dataclass(frozen=True, slots=True)
class PairedComparison(Comparison, Tested, Framed):
    r"""Two runs over the same turns, pair by pair, with the test of their difference.

    Example:
        >>> text = '```actions\n{"actions": [{"type": "list_tasks"},]}\n```'
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turn = runtime.handle(text)
        ...     run = al.reparse(ledger, parser="gembrain-standard").run_id
        ...     compared = al.compare(ledger, None, run)
        >>> compared.counts["lost"], compared.p_value, compared.difference
        (1, 1.0, None)
    """

    def _columns(self) -> Columns:
        return compared([("parse_success", self.before, self.after, self.difference, self.p_value)])

    def __str__(self) -> str:
        return drawn(self, "text")

    def _repr_html_(self) -> str:
        return drawn(self, "html")


@dataclass(frozen=True, slots=True)
class PairedGroup(ComparedGroup, Tested):
    r"""The turns of one group that two runs have both read, with the test of their difference.

    Args:
        adjusted: the p-value over sessions, with all groups taken into account (Holm).

    Example:
        >>> text = '```actions\n{"actions": [{"type": "list_tasks"},]}\n```'
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger, model="small") as runtime:
        ...         turn = runtime.handle(text)
        ...     run = al.reparse(ledger, parser="gembrain-standard").run_id
        ...     [group] = al.compare_by(ledger, None, run, "model")
        >>> group.label, group.counts["lost"], group.adjusted
        ('small', 1, 1.0)
    """

    adjusted: float


def compare_pairs(
    ledger: Queryable, before: str | None, after: str, within: Filter = EVERYTHING
) -> PairedComparison:
    """Return what changes between two runs, over the turns that both have read."""
    return with_test(compare_runs(ledger, before, after, within=within))


def with_test(found: Comparison) -> PairedComparison:
    """Return a comparison with the test of its difference."""
    return PairedComparison(
        found.counts,
        found.before,
        found.after,
        found.net,
        found.cells,
        found.unpaired_before,
        found.unpaired_after,
        found.turns,
    )


def compare_by(
    ledger: Queryable, before: Called | None, after: Called, by: Grouping, within: Filter = EVERYTHING
) -> tuple[PairedGroup, ...]:
    r"""Return what changes between two runs in each group of turns, what got worse first.

    Args:
        ledger: what to ask.
        before: the run to compare with, by its id or name; ``first`` or None for the first reading of every turn.
        after: the run that is compared, likewise.
        by: ``model``, ``profile``, ``task``, ``source`` or ``dialect``; a turn's dialect is the one that the first run has found
            it in, or else the second.
        within: which turns; its run says nothing here.

    Raises:
        UsageError: no run goes by a name, or turns are not told apart by ``by``.

    Example:
        >>> text = '```actions\n{"actions": [{"type": "list_tasks"},]}\n```'
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turn = runtime.handle(text)
        ...     run = al.reparse(ledger, parser="gembrain-standard").run_id
        ...     [group] = al.compare_by(ledger, None, run, "dialect")
        >>> group.label, str(group.before), str(group.after)
        ('actions', '100.0% too few sessions (1/1 in 1 session)', '0.0% too few sessions (0/1 in 1 session)')
    """
    runs = run_or_first(ledger, before), one_run(ledger, after)
    groups = compare_groups(ledger, *runs, by, within=within)
    shifts = [group.shifts for group in groups]
    adjusted = holm([session_test(each) for each in shifts], [least_by_flipping(each) for each in shifts])
    found = (
        PairedGroup(
            group.counts, group.before, group.after, group.net, group.cells, group.label, adjusted=p_value
        )
        for group, p_value in zip(groups, adjusted, strict=True)
    )
    return tuple(sorted(found, key=lambda group: (group.only_after - group.only_before, group.label)))
