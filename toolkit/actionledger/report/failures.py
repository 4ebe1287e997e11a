"""Groups of failures at a glance: their cost, their changes, and a shrunk text."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from actionledger.core.html import escaped, faithful, frame, heading
from actionledger.core.rates import shown_p
from actionledger.core.tables import Table, box, text_table
from actionledger.core.text import by_prices, counted, cut, visible

if TYPE_CHECKING:
    from actionledger.ledger.queries.failures import Spent
    from actionledger.replay.failure_changes import FailureChange, FailureChanges
    from actionledger.replay.failure_groups import FailureGroup, FailureKey, FailureReport
    from actionledger.replay.shrink import Shrunk

SHOWN = 20
"""Maximum number of groups shown."""

HEADS = (
    "where",
    "reason",
    "signature",
    "count",
    "turns",
    "sessions",
    "lost",
    "cost in turns",
    "tokens",
    "seconds",
    "$",
)
CHANGE_HEADS = ("change", "where", "reason", "signature", "turns", "of", "sessions", "p", "p (Holm)")
NOT_RECORDED = "not recorded"


def report_line(report: "FailureReport") -> str:
    return f"<FailureReport {_sentence(report)}>"


def report_text(report: "FailureReport") -> str:
    """Return a report as text: a sentence and the most expensive groups."""
    rows = [group_cells(group) for group in report.groups[:SHOWN]]
    return f"{_sentence(report)}{_prices(report)}\n{text_table(Table(HEADS, rows, len(report.groups)))}"


def report_html(report: "FailureReport") -> str:
    """Return a report as a display."""
    top = heading("FailureReport", escaped(_sentence(report) + _prices(report)))
    return _display(top, HEADS, [*map(group_cells, report.groups)])


def changes_line(changes: "FailureChanges") -> str:
    return f"<FailureChanges {_kinds(changes)}; {visible(changes.test)}>"


def changes_text(changes: "FailureChanges") -> str:
    rows = [change_cells(change) for change in changes.changes[:SHOWN]]
    return f"{_kinds(changes)}; {visible(changes.test)}\n{text_table(Table(CHANGE_HEADS, rows, len(changes.changes)))}"


def changes_html(changes: "FailureChanges") -> str:
    """Return changes as a display."""
    top = heading("FailureChanges", escaped(_kinds(changes)), escaped(changes.test))
    return _display(top, CHANGE_HEADS, [*map(change_cells, changes.changes)])


def _display(top: str, heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    more = counted(len(rows) - SHOWN, "more group") if len(rows) > SHOWN else ""
    mono = frozenset({heads.index("signature")})
    shown = box(heads, rows[:SHOWN], mono=mono) if rows else ""
    return frame(top, shown, f'<div class="al-foot">{escaped(more)}</div>' if more else "")


def group_cells(group: "FailureGroup") -> tuple[object, ...]:
    """Return a group's cells for ``HEADS``; a value recorded for only some turns says for how many."""
    spent = group.spent
    return (
        where(group.key),
        reason(group.key),
        group.key.signature,
        group.count,
        group.turns,
        group.sessions.successes,
        group.lost,
        spent.turns,
        _known(f"{spent.input_tokens + spent.output_tokens:,}", spent.counted, spent.turns),
        _known(f"{spent.seconds:,.1f}", spent.timed, spent.turns),
        cost_cell(spent),
    )


def change_cells(change: "FailureChange") -> tuple[object, ...]:
    """Return a change's cells for ``CHANGE_HEADS``."""
    return (
        change.said,
        where(change.key),
        reason(change.key),
        change.key.signature,
        f"{change.turns_before:,} → {change.turns_after:,}",
        f"{change.of_turns_before:,} → {change.of_turns_after:,}",
        f"{change.before.successes:,} → {change.after.successes:,}",
        shown_p(change.p_value),
        shown_p(change.p_holm),
    )


def where(key: "FailureKey") -> str:
    """Return the place of a group's failures."""
    return f"{key.stage} (recorded)" if str(key.origin) == "recorded" else str(key.stage)


def reason(key: "FailureKey") -> str:
    """Return the reason of a group's failures, with the action's name."""
    return f"{key.code} ({cut(visible(key.action), 60)})" if key.action else str(key.code)


def cost_cell(spent: "Spent") -> str:
    """Return the cost of turns; if not all of it is recorded, with the number of turns recorded, priced and unknown."""
    cost = f"{spent.cost_usd:,.2f}"
    if not spent.by_prices:
        return _known(cost, spent.priced, spent.turns)
    parts = {
        "recorded": spent.priced - spent.by_prices,
        "by prices": spent.by_prices,
        NOT_RECORDED: spent.turns - spent.priced,
    }
    return f"{cost} ({', '.join(f'{words} {count:,}' for words, count in parts.items() if count)})"


def _prices(report: "FailureReport") -> str:
    return (
        f"; costs {by_prices(report.price_sources)}, where none is recorded" if report.price_sources else ""
    )


def _known(value: str, counted_turns: int, turns: int) -> str:
    if not turns:
        return "–"
    if not counted_turns:
        return NOT_RECORDED
    return value if counted_turns == turns else f"{value} ({counted_turns:,} of {turns:,} turns)"


def _sentence(report: "FailureReport") -> str:
    return (
        f"{counted(len(report.groups), 'group')} of failures in {counted(report.turns, 'response')} that meant to act, "
        f"of {counted(report.sessions, 'session')}; {counted(report.spent.turns, 'turn')} spent until an action got through"
    )


def _kinds(changes: "FailureChanges") -> str:
    kinds = [str(change.kind) for change in changes.changes]
    words = (f"{kinds.count(kind):,} {kind}" for kind in dict.fromkeys(kinds))
    return ", ".join(words) or "no failure before or after"


def shrunk_line(found: "Shrunk") -> str:
    """Return the result as one line."""
    return f"<Shrunk {shrunk_sentence(found)}: {cut(visible(found.text), 80)}>"


def shrunk_sentence(found: "Shrunk") -> str:
    """Return how much smaller the text is."""
    end = "" if found.is_smallest else ", as far as it got"
    return f"{counted(len(found.original), 'character')} to {len(found.text):,} in {counted(found.tries, 'try', 'tries')}{end}"


def shrunk_html(found: "Shrunk") -> str:
    """Return the result as a display, with every character of the text as it is."""
    return frame(
        heading("Shrunk", escaped(shrunk_sentence(found))),
        f'<pre class="al-raw"><span>{faithful(found.text)}</span></pre>',
    )
