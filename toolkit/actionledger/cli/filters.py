"""Options that say which of the recorded turns a command is about, and the filter that they make; unknown names are refused."""

import inspect
from collections.abc import Callable
from datetime import datetime
from difflib import get_close_matches
from functools import partial, wraps
from typing import Annotated, Any, TypeAlias, TypeVar

import typer

from actionledger.core.errors import UsageError
from actionledger.core.vocabulary import Capture, Ending, ExecutionStatus, Judgement, Origin, Outcome
from actionledger.ledger import Ledger
from actionledger.ledger.queries import dimensions
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.names import FIRST, one_run
from actionledger.ledger.queries.scores import ScoreBound

SHOWN = 12
"""How many of what there is are named."""


def refuse_strangers(ledger: Ledger, within: Filter) -> None:
    """Refuse a name that nothing recorded goes by: beside another one it would pick nothing without a word.

    A blank ledger has none, and refuses none: that nothing is recorded is said by whoever looks.
    """
    asked = {
        "profile": (within.profiles, "profiles"),
        "model": (within.models, "models"),
        "task": (within.tasks, "tasks"),
        "source": (within.sources, "sources"),
        "label": (within.labels, "labels"),
        "dialect": (within.dialects, "dialects"),
        "turn label": (within.turn_labels, "turn_labels"),
    }
    if not any(names for names, _ in asked.values()):
        return
    known = dimensions(ledger)
    if not known.sources:
        return
    for kind, (names, field) in asked.items():
        there: tuple[str, ...] = getattr(known, field)
        for name in names:
            if name not in there:
                raise UsageError(_said(kind, name, there))


def _said(kind: str, name: str, there: tuple[str, ...]) -> str:
    near = get_close_matches(name, there, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    listed = ", ".join(map(repr, there[:SHOWN]))
    rest = f" and {len(there) - SHOWN:,} more" if len(there) > SHOWN else ""
    return f"There is no {kind} {name!r} in the ledger.{hint} It has {listed or 'none'}{rest}."


Chosen: TypeAlias = Callable[[Ledger | None], Filter]
"""What makes the filter of a command's options, given the ledger that it is about, or None where there is none and none names a run."""

Command = TypeVar("Command", bound=Callable[..., Any])

Several: TypeAlias = list[str] | None

RunOption = Annotated[str | None, typer.Option(help="This run's readings, not the first ones.")]
ProfilesOption = Annotated[Several, typer.Option("--profile", "-p", help="Only this profile.")]
ModelsOption = Annotated[Several, typer.Option("--model", "-m", help="Only this model.")]

GIVEN: dict[str, Any] = {
    "run": RunOption,
    "profile": ProfilesOption,
    "model": ModelsOption,
    "task": Annotated[Several, typer.Option("--task", help="Only this task.")],
    "source": Annotated[Several, typer.Option("--source", help="Only sessions of this source.")],
    "capture": Annotated[
        Several, typer.Option("--capture", help=f"Only where so much was kept: {', '.join(Capture)}.")
    ],
    "label": Annotated[
        Several, typer.Option("--label", help="Only sessions that their source filed under this.")
    ],
    "score": Annotated[
        Several, typer.Option("--score", help="Only sessions scored so, such as 'reward>=0.5'.")
    ],
    "since": Annotated[
        datetime | None, typer.Option(help="From this time on, UTC: 2026-03-01 or 2026-03-01T12:00:00.")
    ],
    "until": Annotated[datetime | None, typer.Option(help="Before this time, UTC.")],
}
"""The options about what was known before a response was read, by the names of their parameters."""

FOUND: dict[str, Any] = {
    "outcome": Annotated[
        Several, typer.Option("--outcome", help=f"Only what reading came to: {', '.join(Outcome)}.")
    ],
    "ending": Annotated[
        Several, typer.Option("--ending", help=f"Only without a tool call, ended so: {', '.join(Ending)}.")
    ],
    "dialect": Annotated[
        Several, typer.Option("--dialect", help="Only what was found in this dialect, or in none.")
    ],
    "failing": Annotated[
        bool | None,
        typer.Option("--failing", help="Only where something failed: in reading, checking or acting."),
    ],
    "stage": Annotated[
        str | None, typer.Option(help="Only where something failed in reading, checking or acting.")
    ],
    "reason": Annotated[Several, typer.Option("--reason", help="Only where this is why something failed.")],
    "action": Annotated[
        str | None, typer.Option(help="Only with this action; with --stage or --reason, where it failed.")
    ],
    "execution": Annotated[
        Several, typer.Option("--execution", help=f"Only where a try came to: {', '.join(ExecutionStatus)}.")
    ],
    "origin": Annotated[str | None, typer.Option(help=f"Only what was run by: {', '.join(Origin)}.")],
    "verdict": Annotated[
        Several,
        typer.Option("--verdict", help=f"Only what somebody has judged to be: {', '.join(Judgement)}."),
    ],
    "turn_label": Annotated[
        Several, typer.Option("--turn-label", help="Only turns that somebody has labelled so.")
    ],
    "text": Annotated[
        str | None,
        typer.Option(help="Only where a response, arguments, results or the session's name hold this text."),
    ],
}
"""The options about what came of responses, within which no rate is made."""


def options_of(within: Filter) -> list[str]:
    """Return what was known before responses were read, and what reading came to, as the options that ask for it."""
    several = {
        "--profile": within.profiles,
        "--model": within.models,
        "--task": within.tasks,
        "--source": within.sources,
        "--capture": within.captures,
        "--label": within.labels,
        "--score": within.scores,
        "--outcome": within.outcomes,
        "--ending": within.endings,
    }
    single = {"--run": within.run_id, "--since": within.since, "--until": within.until}
    words = [part for name, values in several.items() for value in values for part in (name, str(value))]
    for name, value in single.items():
        if value is not None:
            words += [name, value.isoformat() if isinstance(value, datetime) else value]
    return words


def filtered(
    *, lists: bool = False, but: tuple[str, ...] = (), takes_any: bool = False
) -> Callable[[Command], Command]:
    """Return what gives a command the options of a filter, in the place of its parameter ``within``."""
    options = {name: kind for name, kind in (GIVEN | FOUND if lists else GIVEN).items() if name not in but}

    def give(command: Command) -> Command:
        @wraps(command)
        def run(**given: Any) -> Any:
            asked = {name: given.pop(name) for name in options}
            return command(**given, within=partial(filter_from, takes_any=takes_any, **asked))

        signature = inspect.signature(command, eval_str=True)
        own = [each for each in signature.parameters.values() if each.name != "within"]
        keyword = inspect.Parameter.KEYWORD_ONLY
        added = [
            inspect.Parameter(name, keyword, default=None, annotation=kind) for name, kind in options.items()
        ]
        parameters = [each.replace(kind=keyword) for each in own] + added
        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in parameters}
        return run  # type: ignore[return-value]

    return give


def filter_from(
    ledger: Ledger | None,
    *,
    run: str | None = None,
    profile: Several = None,
    model: Several = None,
    task: Several = None,
    source: Several = None,
    capture: Several = None,
    label: Several = None,
    score: Several = None,
    since: datetime | None = None,
    until: datetime | None = None,
    takes_any: bool = False,
    **found: Any,
) -> Filter:
    """Return the filter that options make."""
    if run is not None and ledger is None:
        raise UsageError(f"The run {run!r} can't be told without a ledger.")
    within = Filter(
        run_id=None if run in {None, FIRST} or ledger is None else one_run(ledger, run or ""),
        profiles=tuple(profile or ()),
        models=tuple(model or ()),
        tasks=tuple(task or ()),
        sources=tuple(source or ()),
        captures=tuple(capture or ()),
        labels=tuple(label or ()),
        scores=tuple(map(ScoreBound.parse, score or ())),
        since=since,
        until=until,
        **_found(**found),
    )
    if ledger is not None and not takes_any:
        refuse_strangers(ledger, within)
    return within


def _found(
    *,
    outcome: Several = None,
    ending: Several = None,
    dialect: Several = None,
    failing: bool | None = None,
    stage: str | None = None,
    reason: Several = None,
    action: str | None = None,
    execution: Several = None,
    origin: str | None = None,
    verdict: Several = None,
    turn_label: Several = None,
    text: str | None = None,
) -> dict[str, Any]:
    """Return what options say of what came of responses, by the names of a filter's fields."""
    if origin is not None and origin not in list(Origin):
        raise UsageError(f"{origin!r} is no origin; choose from {', '.join(Origin)}.")
    return {
        "outcomes": tuple(outcome or ()),
        "endings": tuple(ending or ()),
        "dialects": tuple(dialect or ()),
        "is_failing": bool(failing),
        "stage": stage,
        "reasons": tuple(reason or ()),
        "action": action,
        "executions": tuple(execution or ()),
        "origin": Origin(origin) if origin else None,
        "verdicts": tuple(verdict or ()),
        "turn_labels": tuple(turn_label or ()),
        "text": text or "",
    }
