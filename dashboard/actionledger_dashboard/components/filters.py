"""The row of filters that the pages share: what is picked stands in the URL and is taken along from page to page."""

from datetime import date, datetime, time, timedelta

import streamlit as st

from actionledger.ledger import queries
from actionledger.ledger.queries import Filter, Run
from actionledger_dashboard.components.linked import Linked
from actionledger_dashboard.components.links import FILTERS, filter_parameters, query_of
from actionledger_dashboard.components.navigation import keep_filters
from actionledger_dashboard.data import ask

FIRST_READINGS = "First readings"
"""What the first reading of every response is called."""


def pick(linked: Linked, *, of_runs: bool = True) -> Filter:
    """Show the filters and return what is picked; a page whose link names what is not there ends here.

    Args:
        linked: the widgets of the page that shows them.
        of_runs: whether a run is picked here, too.
    """
    known = ask(queries.dimensions)
    columns = iter(st.columns(len(FILTERS) - (not of_runs), gap="small"))
    run_id = ""
    if of_runs:
        runs = {"": FIRST_READINGS} | {run.run_id: run_label(run) for run in ask(queries.runs)}
        with next(columns):
            run_id = linked.one("Run", "run", runs)
    with next(columns):
        profiles = linked.many("Profile", "profile", known.profiles)
    with next(columns):
        models = linked.many("Model", "model", known.models)
    with next(columns):
        tasks = linked.many("Task", "task", known.tasks)
    with next(columns):
        sources = linked.many("Source", "source", known.sources)
    with next(columns):
        first = linked.day("From (UTC)", "since")
    with next(columns):
        last = linked.day("To (UTC)", "until")
    linked.stop_at_unknown()
    within = Filter(
        run_id=run_id or None,
        profiles=profiles,
        models=models,
        tasks=tasks,
        sources=sources,
        since=midnight(first) if first else None,
        until=midnight(last + timedelta(days=1)) if last else None,
    )
    keep_filters(query_of(filter_parameters(within)))
    return within


def run_label(run: Run) -> str:
    """Return what a run is called in a list of runs."""
    return f"{run.name or run.kind} · {run.run_id[-6:]}"


def midnight(day: date) -> datetime:
    """Return when a day begins, UTC without a zone."""
    return datetime.combine(day, time())
