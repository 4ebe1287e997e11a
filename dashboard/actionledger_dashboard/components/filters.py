"""The row of filters that the pages share: what is picked stands in the URL and is taken along from page to page."""

from datetime import date, datetime, time, timedelta

import streamlit as st

from actionledger.ledger import queries
from actionledger.ledger.queries import Filter, Run
from actionledger_dashboard.components.linked import Linked
from actionledger_dashboard.components.links import FILTERS, filter_parameters, query_of
from actionledger_dashboard.components.navigation import keep_filters
from actionledger_dashboard.data import ask


def pick(linked: Linked) -> Filter:
    """Show the filters and return what is picked; a page whose link names what is not there ends here.

    Args:
        linked: the widgets of the page that shows them.
    """
    known = ask(queries.dimensions)
    runs = {"": "First readings"} | {run.run_id: _run_label(run) for run in ask(queries.runs)}
    columns = iter(st.columns(len(FILTERS), gap="small"))
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
        since=_midnight(first) if first else None,
        until=_midnight(last + timedelta(days=1)) if last else None,
    )
    keep_filters(query_of(filter_parameters(within)))
    return within


def _run_label(run: Run) -> str:
    return f"{run.name or run.kind} · {run.run_id[-6:]}"


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time())
