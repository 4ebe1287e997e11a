"""Options that say which of the recorded turns a command is about, and the filter that they make."""

from datetime import datetime
from typing import Annotated

import typer

from actionledger.ledger import Ledger
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.naming import one_run

RunOption = Annotated[str | None, typer.Option(help="This run's readings, not the first ones.")]
ProfilesOption = Annotated[list[str] | None, typer.Option("--profile", "-p", help="Only this profile.")]
ModelsOption = Annotated[list[str] | None, typer.Option("--model", "-m", help="Only this model.")]
SourcesOption = Annotated[list[str] | None, typer.Option("--source", help="Only sessions of this source.")]
SinceOption = Annotated[
    datetime | None, typer.Option(help="From this time on, UTC: 2026-03-01 or 2026-03-01T12:00:00.")
]
UntilOption = Annotated[datetime | None, typer.Option(help="Before this time, UTC.")]


def filter_from(
    ledger: Ledger,
    *,
    run: str | None = None,
    profiles: list[str] | None = None,
    models: list[str] | None = None,
    sources: list[str] | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Filter:
    """Return the filter that these options make.

    Args:
        ledger: where the run is looked for.
        run: a run's id, or enough of its beginning; None for the first readings.
        profiles: the profiles; every one where there are none, and so for the others.
        models: the models.
        sources: the sources.
        since: from when on, UTC.
        until: before when, UTC.

    Raises:
        UsageError: no id begins so, or several do.
    """
    return Filter(
        run_id=None if run is None else one_run(ledger, run),
        profiles=tuple(profiles or ()),
        models=tuple(models or ()),
        sources=tuple(sources or ()),
        since=since,
        until=until,
    )
