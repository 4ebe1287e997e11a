"""The overview: did it work, what went wrong, what did it cost. Three answers on one screen, and one closer look at a time below."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from actionledger.core.ids import now
from actionledger.core.rates import TOO_FEW
from actionledger.core.text import counted
from actionledger.core.vocabulary import Outcome, RunKind
from actionledger.ledger import queries
from actionledger.ledger.queries import EVERYTHING, Filter, Funnel, Mark, Uncounted
from actionledger.ledger.queries.skipped import LEAD
from actionledger.ledger.queries.stages import MEANT, UNAUDITED, WHOLE, audited
from actionledger.ledger.queries.usage import Kept
from actionledger.replay.changes import change_since_before
from actionledger.replay.failures import failures
from actionledger_dashboard.components import filters, links, notices
from actionledger_dashboard.components.controls import heading, line, show_anchors
from actionledger_dashboard.components.failures import show_reasons
from actionledger_dashboard.components.links import filter_parameters
from actionledger_dashboard.components.questions import (
    Periods,
    did_it_work,
    is_raw,
    show_question,
    what_it_cost,
    what_went_wrong,
)
from actionledger_dashboard.components.rates import NOTHING_TO_RATE, Group, show_rates, show_trend
from actionledger_dashboard.components.sides import FIRST
from actionledger_dashboard.components.standings import TABLE
from actionledger_dashboard.components.stats import (
    funnel_stats,
    not_recorded,
    show_steps,
    show_strip,
    taken_stats,
)
from actionledger_dashboard.components.widgets import Linked
from actionledger_dashboard.components.wording import ago, dollars, kept, milliseconds, out_of, visible
from actionledger_dashboard.data import ask, ledger_path

GROUPS = 30  # groups shown at most
DIMENSIONS: dict[str, Kept] = {
    "by model": "model",
    "by profile": "profile",
    "by task": "task",
    "by source": "source",
}


def show() -> None:
    """Show the page."""
    if ask(queries.dimensions).is_empty:
        notices.empty_ledger()
        show_uncounted(Filter())
        return
    linked = Linked("overview")
    with st.container(key="overview_filters"):
        within = filters.pick(linked)
    show_ledger()
    found = ask(queries.funnel, within)
    show_unread(within)
    if not found.responses:
        if found.not_recorded:  # their usage is known all the same
            show_taken(linked, found, within)
        else:
            notices.nothing_found()
        show_uncounted(within, found)
        return
    wrong = show_answers(found, within)
    looks = looks_at(found)
    look = linked.switch("Closer look", "show", list(looks))
    closer = st.container()
    show_comparisons(within)
    show_uncounted(within, found)
    # Last, since it takes longest: every failure is grouped. Loops take longer still, and are found only on request.
    with wrong:
        show_question("wrong", what_went_wrong(ask(failures, within, with_loops=False), within))
    with closer:
        looks[look](linked, found, within)


def show_ledger() -> None:
    """Show the ledger's name, the period of its responses, and the age of the newest one."""
    known = ask(queries.dimensions)
    said = [ledger_path().name]
    if known.first is not None and known.last is not None:
        said.append(" – ".join(dict.fromkeys(f"{day:%Y-%m-%d}" for day in (known.first, known.last))))
        said.append(f"newest response {known.last:%Y-%m-%d %H:%M} UTC, {ago(now() - known.last)}")
    st.text(visible(" · ".join(said)))


def show_answers(found: Funnel, within: Filter) -> DeltaGenerator:
    """Show the first and third answer, and return the place of the second, which takes longest."""
    with st.container(key="answers"):
        worked, wrong, cost = st.columns([5, 6, 5], gap="small")
    with worked:
        answer = did_it_work(
            found,
            ask(change_since_before, within),
            ask(queries.unacted, within),
            ask(queries.session_outcomes, within),
            within,
        )
        show_question("worked", answer)
    with cost:
        show_question("cost", what_it_cost(ask(queries.usage, within), periods_of(within), within))
    place = wrong.empty()
    place.caption("What went wrong? Grouping failures …")
    return place


COURSE, RATES = "over time", "parse rates"

Look = Callable[[Linked, Funnel, Filter], None]
"""Shows a part of the page, one at a time."""


def looks_at(found: Funnel) -> dict[str, Look]:
    """Return the closer looks; parse rates are one only if any response was recorded as raw text."""
    # Over time, if anything has a time; a saved link may request it all the same.
    is_dated = ask(queries.dimensions).first is not None or st.query_params.get("show") == COURSE
    looks: dict[str, Look] = {COURSE: show_course} if is_dated else {}
    looks |= {"failures": show_failures, "funnel": show_funnel}
    if found.parse_success.count or st.query_params.get("show") == RATES:
        looks[RATES] = show_groups
    looks["usage"] = show_taken
    # A link with a parameter of one look shows that look, even without naming it.
    asked = {"group": "failures", "reasons": "failures", "by": RATES}
    first = next(
        (look for name, look in asked.items() if name in st.query_params and look in looks), next(iter(looks))
    )
    return {first: looks[first], **looks}


def periods_of(within: Filter) -> Periods | None:
    """Return the usage of two periods, and the later one: the filter's, or the last week of the ledger; None if nothing is older."""
    known = ask(queries.dimensions)
    if known.first is None or known.last is None:
        return None
    until = within.until or filters.midnight(known.last.date() + timedelta(days=1))
    since = within.since or until - timedelta(days=7)
    if known.first >= since:
        return None
    before = replace(within, since=since - (until - since), until=since)
    after = replace(within, since=since, until=until)
    return ask(queries.usage, before), ask(queries.usage, after), after


def show_course(linked: Linked, found: Funnel, within: Filter) -> None:
    """Show the success rate over time."""
    is_elsewhere = not is_raw(found) and bool(found.recorded_execution.count)
    show_trend(linked, within, is_elsewhere=is_elsewhere)


def show_failures(linked: Linked, _: Funnel, within: Filter) -> None:
    """Show the reasons of failures."""
    show_reasons(linked, ask(failures, within, with_loops=False), within)


def show_comparisons(within: Filter) -> None:
    """Show links to comparisons of runs, models or periods, under the page's filters."""
    rereadings = [run for run in ask(queries.runs) if run.kind is RunKind.REPARSE and run.attempts]
    shared = filter_parameters(replace(within, run_id=None))
    anchors = []
    if rereadings:
        newest = next((run for run in rereadings if run.run_id == within.run_id), rereadings[-1])
        pair: links.Parameters = {"by": "runs", "before_run": FIRST, "after_run": newest.run_id}
        anchors.append((f"{newest.name or 'the last re-reading'} with the first readings", pair))
    known = ask(queries.dimensions)
    several = {"models": known.models, "sources": known.sources, "profiles": known.profiles}
    anchors += [(kind, {"as": TABLE, "of": kind}) for kind, values in several.items() if len(values) > 1]
    if known.first and known.last and known.first.date() < known.last.date():
        anchors.append(("periods", {"by": "periods"}))
    targets = [(text, links.compare_href(parameters | shared)) for text, parameters in anchors]
    if targets:
        show_anchors("comparisons", targets, "Is it better? Compare")


def show_unread(within: Filter) -> None:
    """Warn about responses that were recorded but never parsed."""
    if unread := ask(queries.unread, within):
        st.warning(
            f"Recorded and never read, since their run was cut off: {counted(unread, 'response')}, in no rate."
        )


def show_uncounted(within: Filter, found: Funnel | None = None) -> None:
    """Show links to whatever no number counts, if there is any."""
    parts = ask(
        queries.uncounted,
        never_read=ask(queries.unread, within),
        not_recorded=found.not_recorded if found else 0,
        not_auditable=found.not_auditable if found else 0,
        is_narrowed=within != EVERYTHING,
    )
    if parts:
        show_anchors("uncounted", [(part.words, _listed(part, within)) for part in parts], LEAD)


def _listed(part: Uncounted, within: Filter) -> str:
    """Return the link to the list of something uncounted: a page, or an SQL statement if it has no page."""
    pages = {
        "not_recorded": links.turns_href(within, Mark(outcomes=(str(Outcome.NOT_RECORDED),))),
        "not_auditable": links.turns_href(within, UNAUDITED),
        "left_out": links.left_out_href(links.BY_REASON),
        "refused": links.left_out_href(links.NOT_READ),
    }
    return pages.get(part.kind, links.sql_href(part.listing))


def show_funnel(_: Linked, found: Funnel, within: Filter) -> None:
    """Show the funnel of responses and actions."""
    heading(
        "Funnel",
        "A count opens its turns, and so does what was lost on the way to it, where a filter picks just those.",
    )
    show_strip("rates", "Rates", funnel_stats(found, within))
    show_steps(found, within)
    if found.not_auditable:
        st.caption(
            f"{counted(found.not_auditable, 'response')} without raw text, so parsing can't be checked: in no parse rate."
        )
    if found.taken_back.count:
        st.caption(f"Actions done and undone since: {out_of(found.taken_back)}.")


def show_groups(linked: Linked, _: Funnel, within: Filter) -> None:
    """Show parse success for each value of a dimension, with the dialects of its responses and their usage."""
    with line():
        heading(
            "Parse rates",
            "Parse success with its 95 % interval, out of all that meant to act; beside it, how much of that was read in which "
            "dialect, so that the shares of a row add up to its parse success. Each number opens its turns.",
        )
        by = linked.switch("By", "by", list(DIMENSIONS))
    dimension = DIMENSIONS[by]
    found = [(label, part) for label, part in ask(queries.funnel_by, dimension, within) if part.intent]
    if not found:
        st.info(NOTHING_TO_RATE)
        return
    whole = len(found)
    found = [pair for pair in found if pair[1].parse_success.count] or found
    if len(found) < whole:
        st.caption(
            f"{whole - len(found):,} of {whole:,} have parsed calls only, so parsing can't be checked."
        )
    # Models are not ranked: their rate depends on the parser, whose format their prompts need not have requested.
    most = found[:GROUPS] if dimension == "model" else sorted(found[:GROUPS], key=_by_rate)
    if len(most) < len(found):
        st.caption(f"The {GROUPS} with the most responses, of {len(found):,}.")
    used = ask(queries.usage_by, dimension, within)
    verdicts = {each.label: each for each in ask(queries.recorded_verdicts, dimension, within)}
    groups = [
        _group(label, part, used.get(label), verdicts.get(label), narrowed(within, dimension, label))
        for label, part in most
    ]

    def href_of(label: str, dialect: str) -> str:
        return links.turns_href(narrowed(within, dimension, label), replace(WHOLE, dialects=(dialect,)))

    show_rates("groups", dimension, groups, ask(queries.dialects_by, dimension, within), href_of)
    if without := [group for group in groups if group.rate.count and group.rate.interval is None]:
        st.caption(f"Without an interval, since they have {TOO_FEW}: {len(without):,} of {len(groups):,}.")


def _by_rate(pair: tuple[str, Funnel]) -> tuple[float, str]:
    label, found = pair
    value = found.parse_success.value
    return (1.0 if value is None else -value, label)


def _group(
    label: str,
    found: Funnel,
    used: queries.UsageSums | None,
    verdicts: queries.RecordedVerdicts | None,
    within: Filter,
) -> Group:
    took = {
        "its harness took": verdicts.took.shown_value if verdicts and verdicts.took.count else "",
        "succeeded, as recorded": verdicts.succeeded.shown_value
        if verdicts and verdicts.succeeded.count
        else "",
        "output tokens each": f"{used.output_tokens / used.counted:,.0f}"
        if used and used.output_tokens is not None
        else "",
        "latency": milliseconds(used.latency_ms) if used and used.timed else "",
        "cost": dollars(used.cost_usd) if used and used.priced else "",
    }
    mark = audited(MEANT, found) if found.parse_success.count else MEANT
    return Group(label, found.parse_success, kept(found.captures), links.turns_href(within, mark), took)


def show_taken(_: Linked, __: Funnel, within: Filter) -> None:
    """Show the usage of responses, as far as it is recorded."""
    st.subheader("Usage and cost", anchor=False)
    used = ask(queries.usage, within)
    if stats := taken_stats(used, ask(queries.pace, within), within):
        show_strip("taken", "Usage", stats)
    if missing := not_recorded(used):
        st.caption(missing)


def narrowed(within: Filter, dimension: Kept, label: str) -> Filter:
    """Return a filter narrowed to one value of a dimension."""
    only: dict[str, Any] = {f"{dimension}s": (label,)}
    return replace(within, **only)


show()
