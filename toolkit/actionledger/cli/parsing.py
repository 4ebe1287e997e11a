"""``parse``: one response, read and checked."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from actionledger import api
from actionledger.cli.arguments import response_in
from actionledger.cli.options import JsonOption
from actionledger.cli.tables import console, plain, print_json
from actionledger.core.values import ParseResult
from actionledger.report.explaining import explain


def parse(
    file: Annotated[
        Path | None, typer.Argument(help="The response; standard input if not given, or '-'.")
    ] = None,
    profile: Annotated[
        str | None, typer.Option("--profile", "-p", help="Read it under this profile.")
    ] = None,
    parser: Annotated[str | None, typer.Option("--parser", help="Read it with this named parser.")] = None,
    dialect: Annotated[
        list[str] | None,
        typer.Option(
            "--dialect", "-d", help="Look for this dialect; 'auto' for every one, as without options."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Read one response and show its blocks, repairs, actions and issues."""
    is_every = dialect == ["auto"] or (profile is None and parser is None and not dialect)
    dialects = "auto" if is_every else dialect or None
    result = api.parse(response_in(file), profile=profile, parser=parser, dialects=dialects)
    if as_json:
        print_json(_as_value(result))
    else:
        _print(result)


def _as_value(result: ParseResult) -> dict[str, object]:
    value = asdict(result)
    models = (call.action.model_dump(by_alias=True) if call.action else None for call in result.actions)
    value["actions"] = [
        shown._asdict() | {"action": model} for shown, model in zip(value["actions"], models, strict=True)
    ]
    return value


def _print(result: ParseResult) -> None:
    for line in explain(result).splitlines():
        style = "dim" if line.startswith("|") else "bold" if line.startswith("=") else ""
        console.print(plain(line), style=style)
