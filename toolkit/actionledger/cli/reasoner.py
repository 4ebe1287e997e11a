"""``reasoner``: send events to a persona, and show its actions and state."""

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

WorkspaceArgument = Annotated[Path, typer.Argument(help="Persona's folder")]

app = typer.Typer(help="Run a persona that plans and acts on events.", no_args_is_help=True)


@app.command("process")
def process(
    text: Annotated[str, typer.Argument(help="Event; default: each line that you type")] = "",
    *,
    model: Annotated[
        str, typer.Option("--model", "-m", help="openai:NAME@BASE_URL, ollama:NAME or scripted:FILE")
    ],
    workspace: Annotated[
        Path | None,
        typer.Option("--workspace", "-w", help="Persona's folder; default: a temporary one"),
    ] = None,
    ledger: LedgerOption = None,
    trigger: Annotated[TriggerType, typer.Option("--trigger", help="Kind of event")] = TriggerType.USER_INPUT,
    source: Annotated[str, typer.Option("--source", help="Tool or timer that the event comes from")] = "",
    name: Annotated[str, typer.Option("--name", help="Name of a new persona")] = Persona().name,
    chains: Annotated[
        Path | None, typer.Option("--chains", help="TOML file of action sequences that it may use")
    ] = None,
    chain: Annotated[str, typer.Option("--chain", help="Run this sequence without planning")] = "",
    silent: Annotated[bool, typer.Option("--silent", help="Don't let it speak")] = False,
    max_sequences: Annotated[
        int, typer.Option("--max-sequences", min=1, help="Maximum number of sequences for one event")
    ] = 4,
    as_json: Annotated[bool, typer.Option("--json", help="Print each event as a line of JSON")] = False,
) -> None:
    """Plan and act on an event, and record it."""
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
    history: Annotated[
        bool, typer.Option("--history", help="Show every step, not only the last ones")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show a persona's state and the steps that led to it."""
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
    workspace: WorkspaceArgument, step: Annotated[int, typer.Argument(help="Step to restore")]
) -> None:
    """Restore an earlier state of a persona; later ones are kept."""
    store = _store(workspace)
    try:
        made = store.restore(step)
    finally:
        store.close()
    print_text(f"Step {made.step} is like step {step}.")


@app.command("suggestions")
def learned(ledger: LedgerOption = None, *, as_json: JsonOption = False) -> None:
    """Print which actions often fail right after which others."""
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
    """Yield typed lines until the input ends."""
    for line in sys.stdin:
        if line.strip():
            yield line.strip()


def _tell(events: Iterable[AgentEvent], *, as_json: bool) -> bool:
    """Print events as they happen; return whether the planner gave up."""
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
