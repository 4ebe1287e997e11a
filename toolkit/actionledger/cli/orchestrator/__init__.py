"""``orchestrator``: send a directive through the layers, and answer their requests in between."""

import typer

from actionledger.cli.orchestrator import tracker
from actionledger.cli.orchestrator.run import run

app = typer.Typer(
    help="Send a directive to layers of models, and follow their work.",
    no_args_is_help=True,
)
app.command("run")(run)
app.command("requests")(tracker.requests)
app.command("answer")(tracker.answer)
app.command("plan")(tracker.plan)
app.command("issues")(tracker.issues)
app.command("close")(tracker.close)
app.command("jobs")(tracker.jobs)
app.command("export")(tracker.export)

__all__ = ["app"]
