"""``replay``: recorded turns under another parser."""

from collections.abc import Mapping
from typing import Annotated

import typer
from rich.console import Console

from actionledger.cli.ledgers import existing
from actionledger.cli.options import JsonOption, LedgerOption
from actionledger.cli.sheets import Sheet
from actionledger.cli.tables import console, plain, print_json, rate_value, shown_rate
from actionledger.display.comparisons import in_words
from actionledger.ledger import open_ledger
from actionledger.ledger.queries.filters import Filter
from actionledger.parsing.parsers import parser_named
from actionledger.plurals import counted
from actionledger.rates import TOO_FEW, shown_p
from actionledger.replay.fitting import unfit_turns
from actionledger.replay.reparse import ReparseReport, reparse

SHOWN_TURNS = 5


def replay(
    parser: Annotated[str, typer.Option("--parser", help="The parser that reads the turns again.")],
    ledger: LedgerOption = None,
    run: Annotated[
        str | None, typer.Option(help="Compare with this run, not with the first readings.")
    ] = None,
    profile: Annotated[list[str] | None, typer.Option("--profile", "-p", help="Only this profile.")] = None,
    *,
    model: Annotated[list[str] | None, typer.Option("--model", "-m", help="Only this model.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Read recorded turns again with another parser, and say what changed."""
    within = Filter(run_id=run, profiles=tuple(profile or ()), models=tuple(model or ()))
    chosen = parser_named(parser)
    with open_ledger(existing(ledger)) as opened:
        _warn(chosen.name, unfit_turns(opened, chosen, within))
        report = reparse(opened, parser=chosen, within=within)
    if as_json:
        print_json(_as_value(report))
    else:
        _print(report)


def _warn(parser: str, unfit: Mapping[str, int]) -> None:
    """Say on the standard error which turns a parser is not for."""
    if unfit:
        of_profiles = ", ".join(f"{profile} ({turns:,})" for profile, turns in unfit.items())
        sentence = (
            f"actionledger: {sum(unfit.values()):,} of the turns are of profiles whose formats {parser} doesn't read: "
            f"{of_profiles}. What it makes of them says nothing; --profile picks others."
        )
        Console(stderr=True).print(plain(sentence), style="yellow", soft_wrap=True)


def _print(report: ReparseReport) -> None:
    compared = report.comparison
    console.print(
        f"{counted(report.turns, 'turn')} read again by {report.parser_name} in {report.seconds:.1f} s; run {report.run_id}"
    )
    if compared.intent:
        _print_success(report)
    else:
        console.print("no turn that both readings take for intent: there is no success to compare")
    table = Sheet("what changed", "turns", "for example")
    for bucket, count in compared.counts.items():
        examples = ", ".join(
            f"{turn.session_id}#{turn.turn_index}" for turn in compared.turns[bucket][:SHOWN_TURNS]
        )
        is_quiet = bucket in {"same", "no_intent"}
        table.add_row(in_words(bucket), f"{count:,}", plain("" if is_quiet else examples))
    console.print(table)


def _print_success(report: ReparseReport) -> None:
    compared = report.comparison
    console.print(
        f"over the {counted(compared.intent, 'turn')} that both readings take for intent, "
        f"in {counted(compared.net.sessions, 'session')}:"
    )
    console.print(f"success before {shown_rate(compared.before)}, after {shown_rate(compared.after)}")
    console.print(
        f"difference {_difference(report)}, {shown_p(report.p_value)} by the sign-flip test over sessions"
    )
    console.print(
        f"{shown_p(report.p_value_by_turn)} by the exact McNemar test, which takes turns for independent"
    )


def _difference(report: ReparseReport) -> str:
    if report.difference is None:
        return TOO_FEW
    low, high = report.difference
    return f"[{low:+.1%}, {high:+.1%}] (95 %)"


def _as_value(report: ReparseReport) -> dict[str, object]:
    return {
        "run_id": report.run_id,
        "parser": report.parser_name,
        "turns": report.turns,
        "unfit": dict(report.unfit),
        "intent": report.comparison.intent,
        "before": rate_value(report.comparison.before),
        "after": rate_value(report.comparison.after),
        "counts": report.counts,
        "p_value": report.p_value,
        "p_value_by_turn": report.p_value_by_turn,
        "difference": report.difference,
        "seconds": report.seconds,
    }
