"""Compare two runs over the same turns, as a whole and by group, and test whether the difference is more than chance."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from actionledger.core.frames import Columns, Framed, compared
from actionledger.core.hooks import Shown
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
    """The interval and tests of a difference in success, over the turns that meant to act in both runs."""

    __slots__ = ()

    @property
    def p_value(self: _Paired) -> float:
        """The p-value of the sign-flip test over sessions: the probability of a shift this large by chance."""
        return session_test(self.shifts)

    @property
    def p_value_by_turn(self: _Paired) -> float:
        """The p-value of the exact McNemar test, which treats a session's turns as independent."""
        return mcnemar(self.only_before, self.only_after)

    @property
    def difference(self: _Paired) -> tuple[float, float] | None:
        """The 95 % interval of the change in success, -1 to 1, consistent with the test about 0; None with too few sessions."""
        return paired_difference(self.only_before, self.only_after, self.intent, self.net)

    @property
    def difference_by_turn(self: _Paired) -> tuple[float, float] | None:
        """The same interval with each turn treated as independent; None without turns."""
        return paired_difference(self.only_before, self.only_after, self.intent) if self.intent else None

    @property
    def resampled(self: _Paired) -> tuple[float, float] | None:
        """The 95 % interval of the same change by the bootstrap over sessions, from a fixed seed; None with too few sessions."""
        return resampled_difference(self.cells)

    @property
    def design_effect(self: _Paired) -> float:
        """The factor by which clustering in sessions widens the change's variance, 1 or more; 1 without comparisons."""
        if not self.intent:
            return 1.0
        score, squares = self.only_after - self.only_before, self.only_after + self.only_before
        return self.net.design_effect(self.intent, score, squares, shifted(self.cells))


@dataclass(frozen=True, slots=True)
class PairedComparison(Comparison, Tested, Framed, Shown):
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


@dataclass(frozen=True, slots=True)
class PairedGroup(ComparedGroup, Tested):
    r"""One group of turns that both runs parsed, with the test of their difference.

    Args:
        adjusted: the p-value over sessions, adjusted for all groups (Holm).

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
    """Return the changes between two runs, over the turns that both parsed."""
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
    r"""Compare two runs in each group of turns; groups that got worse come first.

    Args:
        ledger: the ledger to query.
        before: the run to compare with, by its id or name; ``first`` or None for each turn's first parse.
        after: the compared run, likewise.
        by: ``model``, ``profile``, ``task``, ``source`` or ``dialect``; a turn's dialect is the one found by the first run, else by the second.
        within: filter for the turns; its run is ignored.

    Raises:
        UsageError: no run has that name, or ``by`` is not a known grouping.

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
