"""``orchestrator run``: a directive begins its way, or goes on.

Done is when all layers had their say and every action succeeded; that something failed, a limit was reached or a model gave no
response is a fault; what waits is an answer or a decision.
"""

from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Annotated

import typer

from actionledger.cli.exits import ExitCode
from actionledger.cli.ledgers import existing, ledger_of_agent
from actionledger.cli.options import (
    AutoOption,
    DryRunOption,
    JsonOption,
    LedgerOption,
    check_model,
    command_words,
    opened_model,
)
from actionledger.cli.orchestrator.casting import Cast
from actionledger.cli.orchestrator.folders import FolderArgument
from actionledger.cli.orchestrator.telling import Teller
from actionledger.core.errors import UsageError
from actionledger.ledger import Ledger, open_ledger
from actionledger.profiles.orchestrator.cascade import Orchestration
from actionledger.profiles.orchestrator.state import FILE, State
from actionledger.profiles.orchestrator.terms import STANDARD_TERMS, Terms
from actionledger.runtime.commands import has_repository
from actionledger.runtime.models import Model

DirectiveArgument = Annotated[
    str | None, typer.Argument(help="What is wanted; leave it out to go on with what is in the folder.")
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        "-m",
        help="Who plays every layer: openai:NAME@BASE_URL, ollama:NAME, recorded:SESSION or scripted:FILE.",
    ),
]
LayerOption = Annotated[
    list[str] | None,
    typer.Option("--layer", help="Who plays one layer, NAME=SPEC; without --model only these take part."),
]
PriceOption = Annotated[
    list[str] | None,
    typer.Option("--price", help="Dollars for a million tokens: PROMPT/COMPLETION, or NAME=… for one layer."),
]
RepositoryOption = Annotated[
    Path | None,
    typer.Option("--repository", help="The git repository for branches; the folder itself by default."),
]
TurnsOption = Annotated[
    int, typer.Option("--max-turns", min=1, help="How many responses there may be, earlier ones included.")
]


def run(
    folder: FolderArgument,
    directive: DirectiveArgument = None,
    *,
    model: ModelOption = None,
    layer: LayerOption = None,
    price: PriceOption = None,
    ledger: LedgerOption = None,
    repository: RepositoryOption = None,
    auto: AutoOption = False,
    dry_run: DryRunOption = False,
    max_turns: TurnsOption = STANDARD_TERMS.max_turns,
    as_json: JsonOption = False,
) -> None:
    """Send a directive down the layers, or go on with one; all of it is recorded, and saved after every step."""
    with ExitStack() as stack:
        _check(folder, directive, repository, dry_run=dry_run)
        recorded_in = ledger_of_agent(ledger, folder)
        cast = Cast.read(model, layer or (), price or ())
        state = State.load(folder) if directive is None else None
        if directive is not None and not cast.specs:
            raise UsageError("No layer has a model; give --model SPEC, or --layer NAME=SPEC.")
        for spec in cast.specs:
            check_model(spec, recorded_in)
        # What goes on is recorded already: a ledger that isn't there is a slip of the pen.
        opened = stack.enter_context(open_ledger(recorded_in if directive else existing(recorded_in)))
        layers = cast.layers(state.layers if state else None, _opener(opened, stack))
        teller = Teller(folder, recorded_in, as_json=as_json)
        terms = Terms(auto=auto, max_turns=max_turns, on_message=teller.take, on_decided=teller.take_decided)
        if directive is None:
            orchestration = Orchestration.load(folder, layers, ledger=opened, terms=terms)
        else:
            orchestration = Orchestration.start(
                directive,
                layers,
                ledger=opened,
                folder=folder,
                repository=repository,
                dry_run=dry_run,
                terms=terms,
            )
        code = _run(stack.enter_context(orchestration), teller)
    raise typer.Exit(code)


def _check(folder: Path, directive: str | None, repository: Path | None, *, dry_run: bool) -> None:
    """Refuse what contradicts itself before anything is opened or made."""
    if directive is None and (repository or dry_run):
        raise UsageError(
            "--repository and --dry-run are given with the directive, and hold to the end; leave them out to go on."
        )
    if directive is not None and (folder / FILE).exists():
        raise UsageError(
            f"There is an orchestration in {str(folder)!r} already; leave the directive out to go on with it, "
            f"or take another folder: '{command_words('orchestrator plan', folder)}' shows how far it is."
        )
    if repository and not has_repository(repository):
        raise UsageError(
            f"{str(repository)!r} is no git repository's top folder; give one, or 'git init' it."
        )


def _opener(ledger: Ledger, stack: ExitStack) -> Callable[[str], Model]:
    """Return what gives the model that a text names: one model for one text, however many layers it plays."""
    return cache(lambda spec: opened_model(spec, ledger, stack))


def _run(orchestration: Orchestration, teller: Teller) -> int:
    try:
        ending = orchestration.run()
    except KeyboardInterrupt:
        teller.tell_stopped()
        return ExitCode.STOPPED
    return teller.tell(orchestration, ending)
