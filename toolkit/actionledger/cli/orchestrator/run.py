"""``orchestrator run``: assign models to layers, send a directive, and print its progress."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Self

import typer

from actionledger.cli.exits import ExitCode
from actionledger.cli.options import (
    AutoOption,
    DryRunOption,
    JsonOption,
    LedgerOption,
    check_model,
    command_words,
    existing,
    ledger_of_agent,
    opened_model,
)
from actionledger.cli.orchestrator.tracker import FolderArgument, print_request
from actionledger.cli.run import DONE, turn_value, went_well
from actionledger.cli.tables import print_json, print_note, print_observation, print_text, shortened
from actionledger.core.errors import UnknownNameError, UsageError
from actionledger.core.values import Approval, Observation, Turn
from actionledger.core.vocabulary import Reason
from actionledger.ledger import Ledger, open_ledger
from actionledger.profiles.orchestrator.briefing import STANDARD_TERMS, CascadeEnding, Terms
from actionledger.profiles.orchestrator.cascade import Orchestration
from actionledger.profiles.orchestrator.layers import LAYERS, Layer, Price, in_order
from actionledger.profiles.orchestrator.state import FILE, CascadeState, LayerMessage
from actionledger.runtime.commands import has_repository
from actionledger.runtime.models import Model


def exit_code(ending: CascadeEnding, turns: Sequence[Turn], decided: Sequence[Observation]) -> int:
    """Return the exit code for a run of an orchestration."""
    if ending.status == "waiting":
        return ExitCode.WAITING
    done = all(each.status in DONE or each.reason is Reason.REJECTED for each in decided)
    return (
        ExitCode.DONE
        if ending.status == "finished" and done and all(map(went_well, turns))
        else ExitCode.FAULT
    )


class Teller:
    """Prints events as they happen; model text is shown only as text."""

    def __init__(self, folder: Path, ledger: Path, *, as_json: bool) -> None:
        self._ledger = ledger
        self._folder = folder
        self._as_json = as_json
        self._taken: list[tuple[LayerMessage, Turn]] = []
        self._decided: list[tuple[str, Observation]] = []

    def take(self, message: LayerMessage, turn: Turn) -> None:
        """Print a message and its actions' results."""
        self._taken.append((message, turn))
        if self._as_json:
            return
        took = f"{message.duration_ms / 1000:.1f} s"
        cost = "" if message.cost_usd is None else f", ${message.cost_usd:.4f}"
        head = f"{message.from_layer} -> {message.to}: {turn.result.outcome.said} ({took}{cost})"
        print_text(head, style="bold")
        print_text(message.content)
        print_text(turn.feedback, style="dim")

    def take_decided(self, layer: str, observations: Sequence[Observation]) -> None:
        """Print the results of a layer's actions that a person decided about."""
        self._decided += [(layer, observation) for observation in observations]
        if self._as_json:
            return
        print_text(f"{layer}: decided", style="bold")
        for observation in observations:
            print_observation(observation)

    def tell_stopped(self) -> None:
        """Print that it was stopped."""
        print_note(f"Stopped. What was said and done is saved. {self._go_on()}")

    def tell(self, orchestration: Orchestration, ending: CascadeEnding) -> int:
        """Print how it ended and the next steps; return the exit code."""
        if self._as_json:
            print_json(self._value(orchestration, ending))
        else:
            print_text(f"Ended ({ending.status}): {ending.reason}", style="bold")
            for request in orchestration.request_queue.requests(waiting=True):
                print_request(request)
                print_text(
                    f"  Next: {command_words('orchestrator answer', self._folder, request.number)} TEXT"
                )
            waiting = orchestration.waiting()
            for approval in waiting:
                self._print_approval(orchestration, approval)
            if orchestration.state.due is not None:
                print_text(self._go_on())
            elif waiting:
                print_text(f"Then: {command_words('approvals run', ledger=self._ledger)}")
        turns, decided = [turn for _, turn in self._taken], [each for _, each in self._decided]
        return exit_code(ending, turns, decided)

    def _print_approval(self, orchestration: Orchestration, approval: Approval) -> None:
        layer = orchestration.sessions.layer_of(approval.session_id)
        shown = shortened(approval.arguments)
        print_text(f"{approval.name} of {layer} waits for approval: {shown}")
        approve = command_words("approvals approve", approval.approval_id[:8], ledger=self._ledger)
        print_text(f"  Next: {approve} (or reject)")

    def _go_on(self) -> str:
        command = command_words("orchestrator run", self._folder, ledger=self._ledger)
        return f"To go on, with --model or --layer as before: {command}"

    def _value(self, orchestration: Orchestration, ending: CascadeEnding) -> dict[str, object]:
        state = orchestration.state
        return {
            "orchestration": state.id,
            "status": ending.status,
            "reason": ending.reason,
            "messages": [message.model_dump(mode="json") for message in state.messages],
            "turns": [{"layer": message.from_layer, **turn_value(turn)} for message, turn in self._taken],
            "decided": [{"layer": layer, **asdict(observation)} for layer, observation in self._decided],
            "requests": [asdict(request) for request in orchestration.request_queue.requests(waiting=True)],
            "approvals": [asdict(approval) for approval in orchestration.waiting()],
        }


@dataclass(frozen=True, slots=True)
class Cast:
    """The models of the layers, by name."""

    model: str | None  # the model of layers without their own; None for none
    models: Mapping[str, str]  # the layers' own models, by layer
    price: Price | None  # the price for layers without their own; None if unknown
    prices: Mapping[str, Price]  # the layers' own prices, by layer

    @classmethod
    def read(cls, model: str | None, layers: Sequence[str], prices: Sequence[str]) -> Self:
        """Return the assignment that the options give."""
        for text in layers:
            if "=" not in text:
                raise UsageError(f"--layer is {text!r}; write it as NAME=SPEC, such as 2ic=ollama:qwen3.")
        own = [text for text in prices if "=" in text]
        common = [text for text in prices if "=" not in text]
        if len(common) > 1:
            raise UsageError(f"--price is given twice for all layers: {', '.join(common)}; give it once.")
        return cls(
            model=model,
            models=_by_layer("--layer", layers),
            price=_price(common[0]) if common else None,
            prices={layer: _price(text) for layer, text in _by_layer("--price", own).items()},
        )

    @property
    def specs(self) -> tuple[str, ...]:
        """The models' names."""
        return tuple(filter(None, (self.model, *self.models.values())))

    def layers(self, taking_part: Sequence[str] | None, opened: Callable[[str], Model]) -> list[Layer]:
        """Return the layers with their models."""
        names = taking_part or in_order(LAYERS if self.model else tuple(self.models))
        for option, given in (("--layer", self.models), ("--price", self.prices)):
            if idle := [name for name in given if name not in names]:
                raise UsageError(
                    f"{option} names {idle[0]!r}, which takes no part; who does: {', '.join(names)}."
                )
        return [
            Layer(name, opened(self._model_of(name)), self.prices.get(name, self.price)) for name in names
        ]

    def _model_of(self, layer: str) -> str:
        spec = self.models.get(layer, self.model)
        if spec is None:
            raise UsageError(
                f"No model plays the layer {layer!r}; give --model SPEC, or --layer {layer}=SPEC."
            )
        return spec


def _by_layer(option: str, texts: Sequence[str]) -> dict[str, str]:
    """Parse options of the form ``NAME=VALUE`` for layers."""
    found: dict[str, str] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if name not in LAYERS:
            raise UnknownNameError("layer", name, LAYERS)
        if name in found:
            raise UsageError(f"{option} is given twice for the layer {name!r}; give it once.")
        found[name] = value
    return found


def _price(text: str) -> Price:
    prompt, _, completion = text.partition("/")
    try:
        return Price(float(prompt), float(completion))
    except ValueError:
        raise UsageError(
            f"--price is {text!r}; write it as PROMPT/COMPLETION in dollars for a million tokens, such as 3/15."
        ) from None


DirectiveArgument = Annotated[
    str | None, typer.Argument(help="Directive; default: continue the one in the folder")
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        "-m",
        help="Model for all layers: openai:NAME@BASE_URL, ollama:NAME, recorded:SESSION, scripted:FILE",
    ),
]
LayerOption = Annotated[
    list[str] | None,
    typer.Option("--layer", help="Model for one layer, NAME=SPEC; without --model only these take part"),
]
PriceOption = Annotated[
    list[str] | None,
    typer.Option("--price", help="Dollars for a million tokens: PROMPT/COMPLETION, or NAME=… for one layer"),
]
RepositoryOption = Annotated[
    Path | None,
    typer.Option("--repository", help="Git repository for branches; default: the folder itself"),
]
TurnsOption = Annotated[
    int, typer.Option("--max-turns", min=1, help="Maximum number of responses, earlier ones included")
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
    """Send a directive to the layers, or continue one; recorded."""
    with ExitStack() as stack:
        _check(folder, directive, repository, dry_run=dry_run)
        recorded_in = ledger_of_agent(ledger, folder)
        cast = Cast.read(model, layer or (), price or ())
        state = CascadeState.load(folder) if directive is None else None
        if directive is not None and not cast.specs:
            raise UsageError("No layer has a model; give --model SPEC, or --layer NAME=SPEC.")
        for spec in cast.specs:
            check_model(spec, recorded_in)
        # A continued orchestration is already recorded, so a missing ledger is a typing error.
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
    """Refuse contradictory options before anything is opened or created."""
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
            f"{str(repository)!r} is not a git repository's top folder; give one, or 'git init' it."
        )


def _opener(ledger: Ledger, stack: ExitStack) -> Callable[[str], Model]:
    """Return a function from a name to a model, which makes one model per name for any number of layers."""
    return cache(lambda spec: opened_model(spec, ledger, stack))


def _run(orchestration: Orchestration, teller: Teller) -> int:
    try:
        ending = orchestration.run()
    except KeyboardInterrupt:
        teller.tell_stopped()
        return ExitCode.STOPPED
    return teller.tell(orchestration, ending)
