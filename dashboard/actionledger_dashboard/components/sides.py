"""The two sides of a comparison: picked by widgets, kept in the URL, and returned as links."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, Literal, TypeAlias

import streamlit as st

from actionledger.core.text import NO_NAME, counted
from actionledger.core.vocabulary import RunKind
from actionledger.ledger import queries
from actionledger.ledger.queries import Dimension, Filter, Run
from actionledger.ledger.queries.recent import last_at
from actionledger.replay.changes import latest_two
from actionledger_dashboard.components import filters, links, notices
from actionledger_dashboard.components.links import Parameters, filter_parameters
from actionledger_dashboard.components.widgets import Linked
from actionledger_dashboard.data import ask

Kind: TypeAlias = Literal["runs", "models", "sources", "profiles", "periods"]
"""The kinds of sides."""

DIMENSIONS: dict[Kind, Dimension] = {"models": "model", "sources": "source", "profiles": "profile"}
FIRST = "first"
"""The URL's value for the first readings."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison."""

    label: str  # its name; untrusted text
    within: Filter  # its responses


@dataclass(frozen=True, slots=True)
class Sides:
    """Two sides to compare."""

    kind: Kind  # their kind
    # before, after: the sides
    before: Side
    after: Side
    within: Filter  # the filter on both
    parameters: Parameters  # the query parameters for all this

    def href(self, **more: str) -> str:
        """Return the link to this comparison, with more parameters."""
        return links.compare_href(self.parameters | more)


def pick_sides(linked: Linked) -> Sides | None:
    """Show the widgets that pick two sides, and return the sides; if there are no two, say so and return None."""
    runs = ask(queries.runs)
    top = st.container()
    with top:
        kind = _pick_kind(linked, runs)
    within = filters.pick(linked, of_runs=kind != "runs")
    with top:
        if kind == "runs":
            return _runs(linked, runs, within)
        if kind == "periods":
            return _periods(linked, within)
        return _values(linked, kind, within)


def _pick_kind(linked: Linked, runs: list[Run]) -> Kind:
    """Let the user pick the kind; the first choice is the one that this ledger can answer best."""
    known = ask(queries.dimensions)
    several = {"models": known.models, "sources": known.sources, "profiles": known.profiles}
    kinds: list[Kind] = ["runs"] if _rereadings(runs) else []
    kinds += [kind for kind in DIMENSIONS if len(several[kind]) > 1]
    kinds += [kind for kind in ("runs", "periods", *DIMENSIONS) if kind not in kinds]
    picked = linked.switch("Compare", "by", kinds)
    return next(kind for kind in kinds if kind == picked)


def _runs(linked: Linked, runs: list[Run], within: Filter) -> Sides | None:
    rereadings = _rereadings(runs)
    if not rereadings:
        notices.read_once()
    read = [run for run in reversed(runs) if run.attempts]
    if not rereadings and len(read) < 2:
        return None
    order = rereadings + [run for run in read if run not in rereadings]
    labels = {run.run_id: filters.run_label(run) for run in order}
    first = {FIRST: filters.FIRST_READINGS}
    befores = (
        first | labels if rereadings else {run.run_id: labels[run.run_id] for run in order[1:] + order[:1]}
    )
    before, after = _pick_two(linked, "run", befores, labels)
    all_labels = first | labels

    def side(key: str) -> tuple[str, Side]:
        return key, Side(all_labels[key], replace(within, run_id=None if key == FIRST else key))

    return _sides("runs", side(before), side(after), within)


def _rereadings(runs: list[Run]) -> list[Run]:
    """Return the runs that parsed recorded turns again, newest first."""
    return [run for run in reversed(runs) if run.kind is RunKind.REPARSE and run.attempts]


def _values(linked: Linked, kind: Kind, within: Filter) -> Sides | None:
    """Let the user pick two values of a dimension; those with the most responses are first."""
    dimension = DIMENSIONS[kind]
    found = ask(queries.funnel_by, dimension, within)
    if len(found) < 2:
        notices.one_side(dimension, is_narrowed=within != Filter())
        return None
    labels = {
        label: f"{label or NO_NAME} · {counted(funnel.responses, 'response')}" for label, funnel in found
    }
    first, second, *others = labels
    afters = {label: labels[label] for label in (second, first, *others)}
    before, after = _pick_two(linked, dimension, labels, afters)

    def side(key: str) -> tuple[str, Side]:
        only: dict[str, Any] = {f"{dimension}s": (key,)}
        return key, Side(key or NO_NAME, replace(within, **only))

    return _sides(kind, side(before), side(after), within)


def _pick_two(
    linked: Linked, name: str, befores: Mapping[str, str], afters: Mapping[str, str]
) -> tuple[str, str]:
    left, right = st.columns(2, gap="small")
    with left:
        before = linked.one("Before", f"before_{name}", befores)
    with right:
        after = linked.one("After", f"after_{name}", afters)
    linked.stop_at_unknown()
    return before, after


def _sides(kind: Kind, before: tuple[str, Side], after: tuple[str, Side], within: Filter) -> Sides:
    """Return two sides, each with its value in a URL."""
    name = "run" if kind == "runs" else DIMENSIONS[kind]
    named: Parameters = {"by": kind, f"before_{name}": before[0], f"after_{name}": after[0]}
    return Sides(kind, before[1], after[1], within, named | filter_parameters(within))


def _periods(linked: Linked, within: Filter) -> Sides | None:
    """Let the user pick two periods. The default is the ledger's last week and the last week before it that has any response."""
    known = ask(queries.dimensions)
    if known.first is None or known.last is None or known.first.date() == known.last.date():
        notices.one_day(is_dated=known.first is not None)
        return None
    columns = st.columns(4, gap="small")
    names = ("before_since", "before_until", "after_since", "after_until")
    labels = ("Before: from (UTC)", "Before: to (UTC)", "After: from (UTC)", "After: to (UTC)")
    picked: list[date | None] = []
    for column, name, label in zip(columns, names, labels, strict=True):
        with column:
            picked.append(linked.day(label, name))
    linked.stop_at_unknown()
    usual = _usual(within, known.first.date(), known.last.date())
    days = [there or default for there, default in zip(picked, usual, strict=True)]
    before, after = (_period(within, *days[at : at + 2]) for at in (0, 2))
    named: Parameters = {name: day.isoformat() for name, day in zip(names, days, strict=True)}
    named["by"] = "periods"
    narrowed = replace(within, since=None, until=None)
    st.caption(f"Before: {before.label}. After: {after.label}. Both with their first and last day.")
    return Sides("periods", before, after, narrowed, named | filter_parameters(narrowed))


def _usual(within: Filter, first: date, last: date) -> tuple[date, date, date, date]:
    """Return the days to compare if none are picked."""
    since, until, begin, end = latest_two(first, last)
    before = ask(last_at, replace(within, since=None, until=filters.midnight(begin)))
    gap = until - before.date() if before and before.date() < since else timedelta()
    return since - gap, until - gap, begin, end


def _period(within: Filter, first: date, last: date) -> Side:
    until = filters.midnight(last + timedelta(days=1))
    return Side(f"{first} – {last}", replace(within, since=filters.midnight(first), until=until))
