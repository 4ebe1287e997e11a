"""``prompt``, ``schema`` and ``actions``: what a profile's model is told, for the model, for machines and for people."""

import json
from dataclasses import asdict
from typing import Annotated

import typer

from actionledger import api
from actionledger.actions.schemas import ActionDescription, FieldDescription
from actionledger.cli.options import JsonOption
from actionledger.cli.sheets import Sheet
from actionledger.cli.tables import console, plain, print_json
from actionledger.core.errors import UnknownNameError
from actionledger.profiles import profile_named

ProfileArgument = Annotated[str, typer.Argument(help="The profile's name.")]


def prompt(
    profile: ProfileArgument,
    dialect: Annotated[
        str | None,
        typer.Option(
            "--dialect", "-d", help="Have actions written in this dialect, not the profile's first one."
        ),
    ] = None,
    short: Annotated[
        bool, typer.Option("--short", help="A line for each action, one example for all.")
    ] = False,
) -> None:
    """Print the instructions for a profile's model: how actions are written, and which there are."""
    typer.echo(api.prompt(profile, dialect, short=short), nl=False)


def schema(
    profile: ProfileArgument,
    action: Annotated[str | None, typer.Argument(help="One action; all of them if not given.")] = None,
    as_tools: Annotated[
        bool, typer.Option("--tools", help="As the list of tools that OpenAI's chat interface takes.")
    ] = False,
) -> None:
    """Print the JSON Schema of a profile's actions, or of one action's arguments."""
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
        _add_action(table, action)
    console.print(table)


def _print(schema: object) -> None:
    typer.echo(json.dumps(schema, indent=2, ensure_ascii=False))


def _add_action(table: Sheet, action: ActionDescription) -> None:
    table.add_row(plain(action.name), "", "", "", plain(" ".join(action.description.split())), style="bold")
    for field in action.fields:
        _add_field(table, field, field.name)
        for inner in field.fields:
            _add_field(table, inner, f"{field.name}.{inner.name}")


def _add_field(table: Sheet, field: FieldDescription, path: str) -> None:
    table.add_row("", *map(plain, (path, field.type, field.need, field.description)))
