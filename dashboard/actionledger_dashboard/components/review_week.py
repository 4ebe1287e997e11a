"""The page for a team's weekly review: what got worse, what was decided, and how far reviewers agree."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

import streamlit as st

from actionledger.core.errors import UsageError
from actionledger.core.rates import Rate, shown_p
from actionledger.core.text import counted
from actionledger.core.vocabulary import ReviewAspect
from actionledger.ledger import queries
from actionledger.ledger.queries import EVERYTHING, Filter
from actionledger.ledger.queries.reviews import Review, reviews
from actionledger.replay.changes import latest_two
from actionledger.replay.comparison import compare
from actionledger.replay.contrasts import Contrast
from actionledger.replay.failure_changes import FailureChange, failure_changes
from actionledger.replay.failure_groups import FailureGroup, FailureKey
from actionledger.replay.failures import failures
from actionledger.replay.reviewer_agreement import ReviewerAgreement, reviewer_agreement
from actionledger.replay.statistics import Coefficient
from actionledger_dashboard.components import links, notices, tables
from actionledger_dashboard.components.answers import show_contrast
from actionledger_dashboard.components.controls import line
from actionledger_dashboard.components.filters import midnight
from actionledger_dashboard.components.questions import where_and_what
from actionledger_dashboard.components.tables import Column
from actionledger_dashboard.components.wording import NOTHING_FAILED, out_of, visible
from actionledger_dashboard.data import ask

WEEK = "this week"
"""The page's name among the pages of reviews."""

_WORSE = {"new", "grown"}
_SEEN = 12


@dataclass(frozen=True, slots=True)
class Weeks:
    """The reviewed week, and the week before."""

    # before, after: their responses
    before: Filter
    after: Filter
    since: datetime  # the start of the reviewed week, UTC without a zone
    words: str  # the days of each, in words


def show_week() -> None:
    """Show the page."""
    weeks = weeks_of()
    if weeks is None:
        show_first_week(EVERYTHING, "There is no day before to compare with.")
    elif ask(queries.funnel, weeks.before).intent:
        st.caption(weeks.words)
        show_worse(weeks)
        show_groups(weeks)
    else:
        st.caption(weeks.words)
        show_first_week(weeks.after, "The days before have no tool calls, so there is nothing to compare.")
    show_decided(weeks)
    show_open()


def weeks_of() -> Weeks | None:
    """Return the ledger's last week and the week before; None if it does not span two days."""
    known = ask(queries.dimensions)
    if known.first is None or known.last is None or known.first.date() == known.last.date():
        return None
    first, last, begin, end = latest_two(known.first.date(), known.last.date())
    starts, middle, stop = midnight(first), midnight(begin), midnight(end + timedelta(days=1))
    return Weeks(
        before=Filter(since=starts, until=midnight(last + timedelta(days=1))),
        after=Filter(since=middle, until=stop),
        since=middle,
        words=f"{begin} – {end}, beside {first} – {last}; both with their first and last day (UTC).",
    )


def show_first_week(within: Filter, why: str) -> None:
    """Show the failures of days without earlier ones, worst first, and their sessions' outcomes; a row links to a turn to review."""
    sessions = ask(queries.session_outcomes, within)
    came_out = ", ".join(f"{count:,} {outcome.words}" for outcome, count in sessions.items())
    st.subheader("What failed", anchor=False)
    st.text(f"{why} {counted(sum(sessions.values()), 'session')}: {came_out}.")
    groups = ask(failures, within, with_loops=False).groups
    if not groups:
        st.info(NOTHING_FAILED)
        return
    lost = [group.lost or None for group in groups]
    columns = [
        *_failure([group.key for group in groups]),
        Column("Turns", [group.turns for group in groups], "number"),
        Column("Turns spent", [group.spent.turns for group in groups], "number"),
        *([Column("Sessions lost", lost, "number")] if any(lost) else []),
        Column("Sessions", [out_of(group.sessions) for group in groups]),
    ]
    hrefs = [links.review_href(*group.examples[0][:2], by=WEEK) for group in groups]
    tables.show_table("review.first", "what failed, worst first", columns, hrefs, seen=_SEEN)


def show_worse(weeks: Weeks) -> None:
    """Show whether parse success is worse than the week before, with each step that leads to it."""
    st.subheader("What got worse", anchor=False)
    try:
        found = ask(compare, weeks.before, weeks.after)
    except UsageError as error:
        notices.not_comparable(error)
        return
    if isinstance(found, Contrast):
        show_contrast(found)


def show_groups(weeks: Weeks) -> None:
    """Show the failure groups that are new or have grown; a row links to an example to review."""
    st.subheader(
        "What is new",
        help="Groups of failures that were not there the week before, or in a smaller share of its turns. p is adjusted for all groups together.",
        anchor=False,
    )
    try:
        found = ask(failure_changes, weeks.before, weeks.after)
        report = ask(failures, weeks.after)
    except UsageError as error:
        notices.not_comparable(error)
        return
    worse = [change for change in found.changes if change.kind in _WORSE]
    if found.changes:
        with line():
            st.caption(_counted(found.changes), width="content")
            tables.offer_download(
                "failures-of-the-week", len(found.changes), partial(as_rows, found.changes, report.groups)
            )
    if not worse:
        st.info("No group of failures is new or has grown.")
        return
    groups = {group.key: group for group in report.groups}
    columns = [
        *_failure([change.key for change in worse]),
        Column(
            "What became of it",
            [change.said for change in worse],
            "verdict",
            looks=["bad" if change.kind == "new" or change.is_sure else "idle" for change in worse],
        ),
        Column("Turns before", [_turns(change.turns_before, change.of_turns_before) for change in worse]),
        Column("Turns now", [_turns(change.turns_after, change.of_turns_after) for change in worse]),
        Column("Sessions now", [change.after.successes for change in worse], "number"),
        Column("p, adjusted", [shown_p(change.p_holm) for change in worse]),
    ]
    hrefs = [_example(groups.get(change.key), weeks) for change in worse]
    tables.show_table("review.new", "failures that are new or have grown", columns, hrefs, seen=_SEEN)


def _counted(changes: Sequence[FailureChange]) -> str:
    """Return the number of failure groups for each kind of change, the worse kinds first."""
    kinds = Counter(change.kind for change in changes)
    ordered = sorted(kinds, key=lambda kind: (kind not in _WORSE, -kinds[kind], kind))
    return f"{counted(len(changes), 'group')} of failures: {', '.join(f'{kinds[kind]:,} {kind}' for kind in ordered)}."


def as_rows(
    changes: Sequence[FailureChange], groups: Sequence[FailureGroup]
) -> Iterator[Mapping[str, object]]:
    """Yield each group's change as a row of a file, with an example turn of this week."""
    examples = {group.key: group.examples[0] for group in groups if group.examples}
    for change in changes:
        example = examples.get(change.key)
        yield {
            "became": change.kind,
            **{name: "" if part is None else str(part) for name, part in change.key._asdict().items()},
            "turns_before": change.turns_before,
            "turns_now": change.turns_after,
            "of_turns_before": change.of_turns_before,
            "of_turns_now": change.of_turns_after,
            "sessions_before": change.before.successes,
            "of_sessions_before": change.before.count,
            "sessions_now": change.after.successes,
            "of_sessions_now": change.after.count,
            "p": change.p_value,
            "p_adjusted": change.p_holm,
            "example_session": example.session_id if example else "",
            "example_turn": example.turn_index if example else "",
        }


def _failure(keys: Sequence[FailureKey]) -> list[Column]:
    what = [where_and_what(key) for key in keys]
    return [
        Column("Failure", [str(key.code).replace("_", " ") for key in keys]),
        Column("Where", what, "title"),
    ]


def _turns(with_it: int, of: int) -> str:
    return out_of(Rate(with_it, of))


def _example(group: FailureGroup | None, weeks: Weeks) -> str:
    """Return the link to review one of a group's turns, or to the week's sessions if the group has none."""
    if group is None or not group.examples:
        return links.sessions_href(weeks.after)
    example = group.examples[0]
    return links.review_href(example.session_id, example.turn_index, by=WEEK)


def show_decided(weeks: Weeks | None) -> None:
    """Show the decisions of last time, and their state now."""
    st.subheader("What was decided last time", anchor=False)
    since = weeks.since - timedelta(days=7) if weeks else None
    found = ask(reviews, aspects=[ReviewAspect.DECISION], since=since)
    if not found:
        st.info("No decisions yet. A turn's page has a field for one.")
        return
    _show("review.decided", "what was decided", found)


def show_open() -> None:
    """Show the open assignments."""
    st.subheader("What is assigned and open", anchor=False)
    found = ask(reviews, only_open=True)
    if not found:
        st.info("No open assignments. A turn's page has a field for one.")
        return
    _show("review.open", "what is open", found)


def _show(key: str, label: str, found: Sequence[Review]) -> None:
    columns = [
        *tables.turn_columns([(each.session_id, each.turn_index) for each in found]),
        Column("What", [str(each.aspect) for each in found]),
        Column("Says", [each.value for each in found], "long"),
        Column("By", [each.reviewer for each in found]),
        Column("Said (UTC)", [f"{each.changed_at:%Y-%m-%d %H:%M}" for each in found]),
        Column("State", ["open" if each.is_open else str(each.step) for each in found]),
    ]
    hrefs = [links.review_href(each.session_id, each.turn_index, by=WEEK) for each in found]
    tables.show_table(key, label, columns, hrefs, seen=_SEEN)


def show_agreement(within: Filter) -> None:
    """Show how far reviewers agree."""
    found = ask(reviewer_agreement, within)
    st.subheader(
        "Do we agree?",
        help="On whether what was read is right, of readings that two people or more have judged. Kappa and alpha are what is "
        "left of that beyond chance; their intervals take a session for one cluster.",
        anchor=False,
    )
    judged = ", ".join(f"{visible(name)} {count:,}" for name, count in found.by_reviewer.items())
    st.text(f"Judged so far: {judged or 'nothing'}.")
    if not found.readings:
        st.info(
            "No reading has been judged by two people yet: 'turns' has a queue of those judged by others, not by you."
        )
        return
    st.text(
        f"All agree on {found.rate.shown_value} of the readings that two or more have judged: {out_of(found.rate)}."
    )
    _show_coefficients(found)
    _show_pairs(found)


def _show_coefficients(found: ReviewerAgreement) -> None:
    coefficients = [each for each in (found.coefficient, found.fleiss) if each is not None]
    columns = [
        Column("Beyond chance", [each.name for each in coefficients]),
        Column("Value", [_value(each) for each in coefficients]),
        Column("95 % interval", [each.shown_interval or "–" for each in coefficients]),
        Column("What it means", [_meaning(each) for each in coefficients], "long"),
    ]
    tables.show_table("review.coefficients", "agreement beyond chance", columns, None)


def _show_pairs(found: ReviewerAgreement) -> None:
    columns = [
        Column("One", [pair.one for pair in found.pairs]),
        Column("Other", [pair.other for pair in found.pairs]),
        Column("The same", [pair.rate.shown_value for pair in found.pairs]),
        Column("n, and 95 % interval", [out_of(pair.rate) for pair in found.pairs]),
        Column("Cohen's kappa", [str(pair.kappa) for pair in found.pairs]),
        Column(
            "Where they differ",
            [
                ", ".join(
                    f"{one} / {other} {count:,}"
                    for (one, other), count in pair.counts.items()
                    if one != other
                )
                or "nowhere"
                for pair in found.pairs
            ],
            "long",
        ),
    ]
    tables.show_table("review.pairs", "agreement of each two people", columns, None)


def _value(found: Coefficient) -> str:
    return "inconclusive" if found.value is None else f"{found.value:.2f}"


def _meaning(found: Coefficient) -> str:
    if found.value is None:
        return "Everybody judged everything alike: chance would have it so, too."
    return "1 is full agreement, 0 what chance would have, below 0 less than that."
