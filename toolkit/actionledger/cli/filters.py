"""Options that select recorded turns, and the filter made from them; unknown names are refused."""

import inspect
from collections.abc import Callable
from datetime import datetime
from functools import partial, wraps
from typing import Annotated, Any, TypeAlias, TypeVar

import typer

from actionledger.core.errors import UsageError
from actionledger.ledger import Ledger
from actionledger.ledger.queries.fields import FIELDS, Field, Kind
from actionledger.ledger.queries.filters import Filter, set_fields
from actionledger.ledger.queries.labels import ScoreBound
from actionledger.ledger.queries.names import FIRST, one_run

SHOWN = 12
"""Maximum number of known names listed."""


def refuse_strangers(ledger: Ledger, within: Filter) -> None:
    """Refuse a name that is not recorded; next to a known one it would silently select nothing.

    A blank ledger has no names and refuses none: the command itself reports that nothing is recorded.
    """
    asked = [(field, names) for field, names in set_fields(within) if field.is_recorded]
    if not asked:
        return
    from actionledger.ledger.queries.choices import dimensions  # noqa: PLC0415 - slow to load, and seldom needed

    known = dimensions(ledger)
    if not known.sources:
        return
    for field, names in asked:
        there: tuple[str, ...] = getattr(known, field.name)
        for name in names:
            if name not in there:
                raise UsageError(_unknown_name(field.noun, name, there))


def _unknown_name(kind: str, name: str, there: tuple[str, ...]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - the same

    near = get_close_matches(name, there, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    listed = ", ".join(map(repr, there[:SHOWN]))
    rest = f" and {len(there) - SHOWN:,} more" if len(there) > SHOWN else ""
    return f"There is no {kind} {name!r} in the ledger.{hint} It has {listed or 'none'}{rest}."


Chosen: TypeAlias = Callable[[Ledger | None], Filter]
"""Makes the filter of a command's options from its ledger, or from None if there is no ledger and no option names a run."""

Command = TypeVar("Command", bound=Callable[..., Any])


def day_of(text: str) -> datetime:
    """Parse a day or time, or raise an error with the allowed forms."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is not a date. Write a day, 2026-09-07, or a time, 2026-09-07T13:30."
        ) from None


def _option(field: Field) -> Any:
    """Return the option for a filter field, for a command's parameter."""
    kinds: dict[Kind, Any] = {
        "switch": bool | None,
        "many": list[str] | None,
        "score": list[str] | None,
        "number": float | None,
    }
    names = (field.flag, field.letter) if field.letter else (field.flag,)
    told: dict[str, Any] = {"help": field.help, "rich_help_panel": "Filters"}
    if field.kind == "day":
        return Annotated[datetime | None, typer.Option(*names, parser=day_of, metavar="DAY", **told)]
    metavar = None if field.kind == "switch" else "NUMBER" if field.kind == "number" else "TEXT"
    return Annotated[kinds.get(field.kind, str | None), typer.Option(*names, metavar=metavar, **told)]


GIVEN: dict[str, Any] = {field.option: _option(field) for field in FIELDS if not field.is_found}
"""The options on properties known before parsing, by parameter name."""

FOUND: dict[str, Any] = {field.option: _option(field) for field in FIELDS if field.is_found}
"""The options on results, which can't be combined with rates, by parameter name."""

RunOption = Annotated[str | None, typer.Option(help="Run whose readings count; default: the first readings")]


def options_of(within: Filter) -> list[str]:
    """Return the options that give a filter."""
    words = []
    for field, value in set_fields(within):
        if field.kind == "switch":
            words.append(field.flag)
            continue
        for each in value if field.kind in {"many", "score"} else [value]:
            words += [field.flag, each.isoformat() if isinstance(each, datetime) else str(each)]
    return words


def filtered(
    *, lists: bool = False, but: tuple[str, ...] = (), takes_any: bool = False
) -> Callable[[Command], Command]:
    """Return a decorator that replaces a command's parameter ``within`` with a filter's options."""
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


def filter_from(ledger: Ledger | None, *, takes_any: bool = False, **options: Any) -> Filter:
    """Return the filter given by options."""
    given = {
        field.name: _value(field, ledger, options[field.option])
        for field in FIELDS
        if options.get(field.option)
    }
    within = Filter(**given)
    if ledger is not None and not takes_any:
        refuse_strangers(ledger, within)
    return within


def _value(field: Field, ledger: Ledger | None, given: Any) -> Any:
    if field.name == "run_id":
        if ledger is None:
            raise UsageError(f"The run {given!r} can't be told without a ledger.")
        return None if given == FIRST else one_run(ledger, given)
    if field.kind == "score":
        return tuple(map(ScoreBound.parse, given))
    return tuple(given) if field.kind == "many" else given
