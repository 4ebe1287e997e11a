"""The tables of a comparison: buckets, groups, the turns of a bucket, and the measures of unpaired turns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from actionledger.core.rates import shown_p
from actionledger.core.text import NO_NAME
from actionledger.core.vocabulary import ExecutionStatus, Origin, Outcome
from actionledger.ledger.queries import Bucket, ComparedTurn, Grouping, Mark
from actionledger.replay.contrasts import MEASURES, Measure
from actionledger.replay.paired import PairedComparison, compare_by
from actionledger.report.comparisons import in_words
from actionledger_dashboard.components import links, tables
from actionledger_dashboard.components.answers import in_points
from actionledger_dashboard.components.controls import heading, line
from actionledger_dashboard.components.sides import Sides
from actionledger_dashboard.components.tables import Column
from actionledger_dashboard.components.widgets import Linked
from actionledger_dashboard.components.wording import out_of
from actionledger_dashboard.data import ask
from actionledger_dashboard.viewer import looks

GROUPINGS: Mapping[str, Grouping] = {
    "by model": "model",
    "by dialect": "dialect",
    "by profile": "profile",
    "by task": "task",
    "by source": "source",
}
GROUPS = 12  # more by scrolling
TURNS = 12

LOOKS: Mapping[str, str] = {
    "recovered": "good",
    "lost": "bad",
    "newly_rejected": "bad",
    "newly_accepted": "good",
    "changed_actions": "mended",
    "changed_arguments": "mended",
}
WORST_FIRST: tuple[Bucket, ...] = (
    "lost",
    "newly_rejected",
    "changed_actions",
    "changed_arguments",
    "recovered",
    "newly_accepted",
    "no_longer_intent",
    "newly_intent",
    "same",
    "no_intent",
)
MEANINGS: Mapping[Bucket, str] = {
    "lost": "Parsed before, no longer.",
    "newly_rejected": "An action that could run is refused now.",
    "changed_actions": "Other actions, or another order of them.",
    "changed_arguments": "The same actions with other arguments.",
    "recovered": "Parsed now, not before.",
    "newly_accepted": "An action that was refused can run now.",
    "no_longer_intent": "An attempt to act by the reading before alone: neither won nor lost.",
    "newly_intent": "An attempt to act by the reading after alone: neither won nor lost.",
    "same": "As before.",
    "no_intent": "No attempt to act by either reading.",
}

NAMES: Mapping[str, str] = {
    "parse_success": "Parse success",
    "strict_success": "Strict success",
    "validation": "Valid actions",
    "execution": "Executions succeeded",
    "recorded_execution": "Tool calls succeeded",
    "recorded_success": "Recorded successes",
    "harness_took": "Their harness took",
}
"""The label of each measure of ``MEASURES``."""

_MISSED = tuple(
    status for status in ExecutionStatus if status.was_attempted and status is not ExecutionStatus.SUCCEEDED
)
MARKS: Mapping[str, Mark] = {
    "parse_success": Mark(stage="reading"),
    "strict_success": Mark(
        outcomes=tuple(str(each) for each in Outcome if each.has_intent and each is not Outcome.CLEAN)
    ),
    "validation": Mark(stage="checking"),
    "execution": Mark(executions=_MISSED, origin=Origin.RUNTIME),
    "recorded_execution": Mark(executions=_MISSED, origin=Origin.RECORDED),
}
"""Marks the turns that fail each measure. Measures that recordings state themselves belong to sessions, and have none."""


OF_DIALECT = "of_dialect"
"""The query parameter of the dialect whose turns are listed. It narrows no rate, since a dialect is a result of parsing."""


@dataclass(frozen=True, slots=True)
class Listed:
    """The compared turns to list."""

    bucket: Bucket  # the turns of this bucket
    dialect: str | None = None  # only those of this dialect; None for all

    @property
    def parameters(self) -> dict[str, str]:
        """The query parameters for this list."""
        return {"bucket": self.bucket} | ({OF_DIALECT: self.dialect} if self.dialect else {})


def look_of(bucket: str) -> str:
    """Return a bucket's look: good, mended, bad or idle."""
    return LOOKS.get(bucket, "idle")


def show_buckets(found: PairedComparison, sides: Sides) -> None:
    """Show each bucket's number of turns, worst first; a row links to its turns."""
    shown = [bucket for bucket in WORST_FIRST if found.counts[bucket]]
    widest = max((found.counts[bucket] for bucket in shown), default=1) / max(found.pairs, 1)
    columns = [
        Column(
            "Read again",
            [in_words(each) for each in shown],
            "verdict",
            looks=[look_of(each) for each in shown],
        ),
        Column("Turns", [found.counts[each] for each in shown], "number"),
        Column("Of all pairs", [found.counts[each] / found.pairs for each in shown], "share", widest=widest),
        Column("What it means", [MEANINGS[each] for each in shown], "long"),
    ]
    tables.show_table("buckets", "what changed", columns, [sides.href(bucket=each) for each in shown])


def show_groups(linked: Linked, sides: Sides) -> None:
    """Show the comparison by group, worst change first; a row narrows the comparison to it, or lists a dialect's turns."""
    after = sides.after.within.run_id
    if after is None:
        return
    with line():
        heading(
            "Where it changed",
            "The worst changes first. p: sign-flip over sessions, corrected for all groups (Holm).",
        )
        by = GROUPINGS[linked.switch("By", "group", list(GROUPINGS))]
    groups = ask(compare_by, sides.before.within.run_id, after, by, within=sides.within)
    columns = [
        Column(by.capitalize(), [group.label or NO_NAME for group in groups]),
        Column(
            "Turns", [group.intent for group in groups], "number", "Turns that meant to act in both readings."
        ),
        Column("Lost", [group.only_before for group in groups], "number"),
        Column("Newly rejected", [group.counts["newly_rejected"] for group in groups], "number"),
        Column("Recovered", [group.only_after for group in groups], "number"),
        Column("Before", [group.before.value for group in groups], "share", "Parsed."),
        Column("After", [group.after.value for group in groups], "share", "Parsed."),
        Column("Difference, 95 %", [in_points(group.difference) for group in groups]),
        Column("p (Holm)", [shown_p(group.adjusted) for group in groups]),
    ]
    only = [{OF_DIALECT if by == "dialect" else by: group.label} for group in groups]
    hrefs = [links.compare_href(sides.parameters | {"group": f"by {by}"} | each) for each in only]
    tables.show_table("groups", f"by {by}", columns, hrefs, seen=GROUPS)


def show_turns(found: Sequence[ComparedTurn], sides: Sides, listed: Listed) -> None:
    """Show the listed turns; a row opens both readings."""
    columns = [
        *tables.turn_columns([(turn.session_id, turn.turn_index) for turn in found]),
        Column("Model", [turn.model for turn in found]),
        Column(
            "Before",
            [turn.before.said for turn in found],
            "verdict",
            looks=[looks.look_of(turn.before) for turn in found],
        ),
        Column(
            "After",
            [turn.after.said for turn in found],
            "verdict",
            looks=[looks.look_of(turn.after) for turn in found],
        ),
        Column("", ["" for _ in found], "long"),
    ]
    hrefs = [turn_href(sides, listed, turn) for turn in found]
    asked = "".join(st.query_params.get(name, "") for name in ("bucket", OF_DIALECT))
    tables.show_table("turns", f"turns: {in_words(listed.bucket)}", columns, hrefs, seen=TURNS, reveal=asked)


def turn_href(sides: Sides, listed: Listed, turn: ComparedTurn) -> str:
    """Return the link to both readings of a turn."""
    return sides.href(**listed.parameters, session=turn.session_id, turn=str(turn.turn_index))


def show_measures(measures: Sequence[Measure], sides: Sides) -> None:
    """Show the rates of two sides that share no turns; a row links to the turns that fail it, or to the sessions."""
    columns = [
        Column("Measure", [NAMES[each.name] for each in measures]),
        Column("Before", [each.before.shown_value for each in measures]),
        Column("n, and 95 % interval", [out_of(each.before) for each in measures]),
        Column("After", [each.after.shown_value for each in measures]),
        Column("n, and 95 % interval", [out_of(each.after) for each in measures]),
        Column("Difference, 95 %", [in_points(each.difference) for each in measures]),
        Column(
            "p (Holm)",
            ["–" if each.p_value is None else shown_p(each.p_value) for each in measures],
            meaning="From the permutation test of sessions, corrected for all these measures.",
        ),
        Column("What it is", [MEASURES[each.name] for each in measures], "long"),
    ]
    after = sides.after.within
    hrefs = [
        links.turns_href(after, MARKS[each.name]) if each.name in MARKS else links.sessions_href(after)
        for each in measures
    ]
    tables.show_table("measures", "measures of both sides", columns, hrefs)
