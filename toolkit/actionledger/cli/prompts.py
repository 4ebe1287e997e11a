"""``parse``, ``prompt``, ``schema`` and ``actions``: parse a response, and print a profile's instructions and actions."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from actionledger import api
from actionledger.actions.schemas import FieldDescription
from actionledger.cli.commands import response_in
from actionledger.cli.options import JsonOption
from actionledger.cli.tables import Sheet, console, plain, print_json
from actionledger.core.errors import UnknownNameError
from actionledger.core.values import ParseResult
from actionledger.profiles import profile_named
from actionledger.report.explanation import explain


def parse(
    file: Annotated[
        Path | None, typer.Argument(help="File with the response; default or '-': standard input")
    ] = None,
    profile: Annotated[str | None, typer.Option("--profile", "-p", help="Profile to parse under")] = None,
    parser: Annotated[str | None, typer.Option("--parser", help="Named parser to use")] = None,
    dialect: Annotated[
        list[str] | None,
        typer.Option("--dialect", "-d", help="Dialect to parse; 'auto' (default): all of them"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Parse one response and show its actions, repairs and issues."""
    is_every = dialect == ["auto"] or (profile is None and parser is None and not dialect)
    dialects = "auto" if is_every else dialect or None
    result = api.parse(response_in(file), profile=profile, parser=parser, dialects=dialects)
    if as_json:
        print_json(_as_value(result))
    else:
        for line in explain(result).splitlines():
            style = "dim" if line.startswith("|") else "bold" if line.startswith("=") else ""
            console.print(plain(line), style=style)


def _as_value(result: ParseResult) -> dict[str, object]:
    value = asdict(result)
    models = (call.action.model_dump(by_alias=True) if call.action else None for call in result.actions)
    value["actions"] = [
        shown._asdict() | {"action": model} for shown, model in zip(value["actions"], models, strict=True)
    ]
    return value


ProfileArgument = Annotated[str, typer.Argument(help="Profile")]


def prompt(
    profile: ProfileArgument,
    dialect: Annotated[
        str | None,
        typer.Option("--dialect", "-d", help="Dialect of the examples; default: the profile's first one"),
    ] = None,
    short: Annotated[
        bool, typer.Option("--short", help="Short form: one line for each action, one example for all")
    ] = False,
) -> None:
    """Print the instructions for a profile's model."""
    typer.echo(api.prompt(profile, dialect, short=short), nl=False)


def schema(
    profile: ProfileArgument,
    action: Annotated[str | None, typer.Argument(help="Action; default: all")] = None,
    as_tools: Annotated[
        bool, typer.Option("--tools", help="Print a list of tools in the form of OpenAI's chat API")
    ] = False,
) -> None:
    """Print the JSON Schema of a profile's actions."""
    catalogue = profile_named(profile).catalogue
    if action is not None and action not in catalogue.names:
        raise UnknownNameError(f"action of {profile}", action, catalogue.names)
    if as_tools:
        _print([tool for tool in catalogue.tools() if action in {None, tool["function"]["name"]}])
    elif action is not None:
        _print(catalogue.argument_schema(action))
    else:
        _print(catalogue.json_schema())


def actions(profile: ProfileArgument, as_json: JsonOption = False) -> None:
    """List a profile's actions with their fields."""
    described = profile_named(profile).catalogue.describe()
    if as_json:
        print_json([asdict(action) for action in described])
        return
    table = Sheet("action", "field", "takes", "", "what it means")
    for action in described:
        table.add_row(
            plain(action.name), "", "", "", plain(" ".join(action.description.split())), style="bold"
        )
        for field in action.fields:
            _add_field(table, field, field.name)
            for inner in field.fields:
                _add_field(table, inner, f"{field.name}.{inner.name}")
    console.print(table)


def _print(schema: object) -> None:
    typer.echo(json.dumps(schema, indent=2, ensure_ascii=False))


def _add_field(table: Sheet, field: FieldDescription, path: str) -> None:
    table.add_row("", *map(plain, (path, field.type, field.need, field.description)))
