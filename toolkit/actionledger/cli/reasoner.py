"""``reasoner``: something happens to a persona; what it does about it, and how it stands with it then."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from actionledger.cli.exits import ExitCode
from actionledger.cli.options import (
    JsonOption,
    LedgerOption,
    check_model,
    existing,
    ledger_of_agent,
    opened_model,
)
from actionledger.cli.tables import print_json, print_text
from actionledger.core.errors import UsageError
from actionledger.ledger import open_ledger
from actionledger.profiles.reasoner import (
    ActionSystemEvent,
    AgentEvent,
    AgentText,
    Persona,
    PersonaStore,
    Reasoner,
    ToolFinished,
    Trigger,
    TriggerType,
    load_chains,
    suggestions,
)
from actionledger.profiles.reasoner.sequence import PLANNING_FAILED
from actionledger.profiles.reasoner.store import STORE_FILE

WorkspaceArgument = Annotated[Path, typer.Argument(help="The folder that the persona is kept in.")]

app = typer.Typer(
    help="A persona that plans what to do about what happens, and does it.", no_args_is_help=True
)


@app.command("process")
def process(
    text: Annotated[str, typer.Argument(help="What happened; without it, each line that is typed.")] = "",
    *,
    model: Annotated[
        str, typer.Option("--model", "-m", help="openai:NAME@BASE_URL, ollama:NAME or scripted:FILE.")
    ],
    workspace: Annotated[
        Path | None,
        typer.Option("--workspace", "-w", help="Where the persona is kept; a temporary folder by default."),
    ] = None,
    ledger: LedgerOption = None,
    trigger: Annotated[
        TriggerType, typer.Option("--trigger", help="What kind of thing happened.")
    ] = TriggerType.USER_INPUT,
    source: Annotated[str, typer.Option("--source", help="Which tool or timer it comes from.")] = "",
    name: Annotated[str, typer.Option("--name", help="Who a new persona is.")] = Persona().name,
    chains: Annotated[
        Path | None, typer.Option("--chains", help="A TOML file of sequences that it may take up.")
    ] = None,
    chain: Annotated[str, typer.Option("--chain", help="Carry out this one, without planning.")] = "",
    silent: Annotated[bool, typer.Option("--silent", help="It may think and change, but not speak.")] = False,
    max_sequences: Annotated[
        int, typer.Option("--max-sequences", min=1, help="How many sequences may follow from one trigger.")
    ] = 4,
    as_json: Annotated[bool, typer.Option("--json", help="Print each event as a line of JSON.")] = False,
) -> None:
    """Plan and carry out what follows from something that happened; all of it is recorded."""
    recorded_in = ledger_of_agent(ledger, workspace)
    check_model(model, recorded_in)
    known_chains = load_chains(chains) if chains else {}
    with ExitStack() as stack:
        opened = stack.enter_context(open_ledger(recorded_in))
        planner = opened_model(model, opened, stack)
        reasoner = stack.enter_context(
            Reasoner(
                planner,
                ledger=opened,
                workspace=workspace,
                persona=Persona(name=name),
                speaks=not silent,
                chains=known_chains,
                max_sequences=max_sequences,
                task=text[:200],
            )
        )
        has_failed = False
        try:
            for happened in [text] if text else _lines():
                what = Trigger(happened, trigger, source)
                events = reasoner.run_chain(chain, what) if chain else reasoner.process(what)
                has_failed |= _tell(events, as_json=as_json)
        except KeyboardInterrupt:
            reasoner.close(success=False, reason="stopped")
            raise typer.Exit(ExitCode.STOPPED) from None
        if has_failed:
            reasoner.close(success=False, reason=PLANNING_FAILED)
            raise typer.Exit(ExitCode.FAULT)


@app.command("persona")
def persona(
    workspace: WorkspaceArgument,
    *,
    history: Annotated[bool, typer.Option("--history", help="Every step, and not only the last.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show how a persona stands, and by which steps it came to that."""
    store = _store(workspace)
    try:
        steps = store.history() if history else [store.step]
    finally:
        store.close()
    if as_json:
        print_json([asdict(step) for step in steps])
        return
    for step in steps:
        print_text(f"Step {step.step} ({step.action}, {step.made_at}): {step.persona.name}")
        print_text(step.persona.described())


@app.command("restore")
def restore(
    workspace: WorkspaceArgument, step: Annotated[int, typer.Argument(help="The step to go back to.")]
) -> None:
    """Go back to an earlier state of a persona; nothing is lost by that."""
    store = _store(workspace)
    try:
        made = store.restore(step)
    finally:
        store.close()
    print_text(f"Step {made.step} is like step {step}.")


@app.command("suggestions")
def learned(ledger: LedgerOption = None, *, as_json: JsonOption = False) -> None:
    """Say which actions failed right behind which in recorded sessions, as the planner is told."""
    with open_ledger(existing(ledger), read_only=True) as opened:
        found = suggestions(opened)
    if as_json:
        print_json([asdict(each) | {"interval": each.failures.interval} for each in found])
    elif found:
        for each in found:
            print_text(str(each))
    else:
        print_text("The recorded sessions suggest nothing.")


def _lines() -> Iterator[str]:
    """Yield what is typed, line by line, until there is no more of it."""
    for line in sys.stdin:
        if line.strip():
            yield line.strip()


def _tell(events: Iterable[AgentEvent], *, as_json: bool) -> bool:
    """Show what happens, as it happens; return whether the planner gave up."""
    has_failed = False
    for event in events:
        has_failed |= isinstance(event, ActionSystemEvent) and event.event_type == PLANNING_FAILED
        if as_json:
            print_json({"event": type(event).__name__, **asdict(event)})
            continue
        match event:
            case AgentText(content=content, is_thought=True):
                print_text(f"(thinks) {content}", style="dim")
            case AgentText(content=content):
                print_text(content)
            case ToolFinished(result=result, status=status):
                print_text(f"[{status}] {result}", style="dim")
            case ActionSystemEvent(event_type=kind, message=message):
                print_text(f"[{kind}] {message}", style="yellow")
    return has_failed


def _store(workspace: Path) -> PersonaStore:
    path = workspace / STORE_FILE
    if not path.is_file():
        raise UsageError(
            f"No persona is kept in {str(workspace)!r}; 'actionledger reasoner process --workspace' makes one."
        )
    return PersonaStore(path)
