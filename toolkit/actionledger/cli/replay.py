"""``replay``, ``recheck`` and ``agreement``: compare recorded turns with another parser, schema, policy or rate limit, or another runtime."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from actionledger.cli.comparison import (
    SHOWN_TURNS,
    comparison_value,
    names_of_examples,
    print_comparison,
    shown_buckets,
    turns_value,
)
from actionledger.cli.exits import ExitCode
from actionledger.cli.filters import Chosen, filtered
from actionledger.cli.options import AgainstOption, JsonOption, LedgerOption, existing, tools_in
from actionledger.cli.tables import (
    Sheet,
    console,
    fields_value,
    plain,
    print_json,
    print_note,
    print_text,
    shown_rate,
)
from actionledger.core.errors import UsageError
from actionledger.core.text import counted
from actionledger.core.vocabulary import LEFT_OUT, SENTENCES
from actionledger.ledger import open_ledger
from actionledger.ledger.queries.agreement import Agreement, agreement
from actionledger.ledger.queries.compare import Bucket
from actionledger.ledger.queries.differences import TurnDifference
from actionledger.ledger.queries.names import session_names
from actionledger.reading.parsers import parser_named
from actionledger.replay.fit import unfit_turns, unknown_profiles
from actionledger.replay.processes import PAYS_FROM
from actionledger.replay.recheck import RecheckReport, recheck
from actionledger.replay.reparse import ReparseReport, reparse
from actionledger.replay.reparse_run import ReparseStopped
from actionledger.report.progress import progress
from actionledger.runtime.execution.limits import Limits, RateLimit

SHOWABLE = 200


@filtered()
def replay(
    parser: Annotated[str, typer.Option("--parser", help="Parser to use")],
    ledger: LedgerOption = None,
    *,
    within: Chosen,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help=f"Number of processes; default: all cores from {PAYS_FROM:,} turns on"),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Continue the same replay where it stopped"),
    ] = False,
    against: AgainstOption = None,
    texts: Annotated[
        str | None,
        typer.Option(metavar="PARQUET", help="Files with the texts, as 'export rows turns' writes them"),
    ] = None,
    ray: Annotated[
        bool, typer.Option("--ray", help="Parse on the Ray cluster (needs the extra lake)")
    ] = False,
    show: Annotated[
        int, typer.Option(min=0, max=SHOWABLE, help="Number of turns to show field by field")
    ] = 0,
    bucket: Annotated[
        str | None, typer.Option(help="Show only turns of this bucket, such as lost or newly_rejected")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Parse recorded turns with another parser, and compare."""
    shown = shown_buckets(bucket)
    with open_ledger(existing(ledger)) as opened:
        chosen = within(opened)
        if against is None:
            _warn(parser, unfit_turns(opened, parser_named(parser), chosen))
            _warn_of_unknown(unknown_profiles(opened, chosen))
        try:
            with progress("reading turns again") as tell:
                report = reparse(
                    opened,
                    parser=parser,
                    within=chosen,
                    workers=workers,
                    resume=resume,
                    against=against,
                    texts=texts,
                    place="ray" if ray else "processes",
                    on_progress=tell,
                )
        except ReparseStopped as stopped:
            _say_stopped(stopped)
            raise typer.Exit(ExitCode.STOPPED) from None
        differences = _differences(report, shown, show or (SHOWN_TURNS if bucket else 0))
        names = names_of_examples(opened, report.comparison)
    if as_json:
        print_json(
            _as_value(report) | {"examples": turns_value(report.comparison), "differences": differences}
        )
    else:
        _print(report, differences, names)


def _say_stopped(stopped: ReparseStopped) -> None:
    console.print(
        f"Stopped. {stopped.turns:,} of {counted(stopped.total, 'turn')} are read and kept (run {stopped.run_id}); "
        "the same command with --resume goes on."
    )


def _differences(report: ReparseReport, buckets: Iterable[Bucket], most: int) -> list[TurnDifference]:
    turns = [turn for bucket in buckets for turn in report.comparison.turns[bucket]]
    return [report.difference_of(turn) for turn in turns[:most]]


def _warn(parser: str, unfit: Mapping[str, int]) -> None:
    """Warn on standard error about turns that the parser doesn't support."""
    if unfit:
        of_profiles = ", ".join(f"{profile} ({turns:,})" for profile, turns in unfit.items())
        sentence = (
            f"actionledger: {sum(unfit.values()):,} of the turns are of profiles whose formats {parser} doesn't read: "
            f"{of_profiles}. What it makes of them says nothing; --profile picks others."
        )
        Console(stderr=True).print(plain(sentence), style="yellow", soft_wrap=True)


def _warn_of_unknown(unknown: Mapping[str, int]) -> None:
    """Warn about profiles without a catalogue here; the output shows this in each action's status."""
    for profile, turns in unknown.items():
        print_note(
            f"{counted(turns, 'turn')} of the profile {profile!r}, which is not known here: without offered tools their calls are "
            "not checked this time. An entry point makes a profile known (docs/actions.md).",
            style="yellow",
        )


def _print(report: ReparseReport, differences: list[TurnDifference], names: Mapping[str, str]) -> None:
    compared = report.comparison
    resumed = f", {report.resumed:,} of them before it was resumed" if report.resumed else ""
    console.print(
        plain(
            f"{counted(report.turns, 'turn')} read again by {report.parser_name} in {report.seconds:.1f} s{resumed}; "
            f"run {report.run_id}"
        )
    )
    for reason, count in report.failed.items():
        print_note(f"{counted(count, 'text')} recorded as failed: {SENTENCES[reason]}", style="yellow")
    for left_out, count in report.left_out.items():
        print_note(f"skipped {count:,}: {LEFT_OUT[left_out]}")
    if report.comparison.unpaired_before and report.before_run_id is not None:
        print_note(
            f"{counted(report.comparison.unpaired_before, 'turn')} of run {report.before_run_id} not read again."
        )
    print_comparison(compared, names)
    for difference in differences:
        print_text(str(difference))


def _as_value(report: ReparseReport) -> dict[str, object]:
    return {
        "run_id": report.run_id,
        "parser": report.parser_name,
        **fields_value(report, "turns unfit"),
        **comparison_value(report.comparison),
        **fields_value(report, "seconds resumed failed left_out"),
    }


SHOWN = 20


@filtered()
def show_agreement(ledger: LedgerOption = None, *, within: Chosen, as_json: JsonOption = False) -> None:
    """List calls that the recorded agent judged differently."""
    with open_ledger(existing(ledger), read_only=True) as opened:
        found = agreement(opened, within(opened))
        names = session_names(opened, {each.session_id for each in found.differing})
    if as_json:
        print_json(_agreement_value(found))
    else:
        _print_agreement(found, names)


def _print_agreement(found: Agreement, names: Mapping[str, str]) -> None:
    if not found.rate.count:
        console.print("no session has results recorded by another agent, so there is nothing to compare")
        return
    table = Sheet("here", "there", "calls")
    for (here, there), count in found.counts.items():
        table.add_row(here.replace("_", " "), there.replace("_", " "), f"{count:,}")
    console.print(table)
    by_source = Sheet("source", "calls", "agree")
    for name, rate in found.by_source.items():
        by_source.add_row(plain(name), f"{rate.count:,}", shown_rate(rate))
    console.print(by_source)
    console.print(f"agree {shown_rate(found.rate)} ({found.rate.successes:,} of {found.rate.count:,} calls)")
    for each in found.differing[:SHOWN]:
        why = f" ({each.reason})" if each.reason else ""
        line = f"  {names[each.session_id]}#{each.turn_index} {each.name}: {each.here} here, {each.there} there{why}"
        console.print(plain(line))


def _agreement_value(found: Agreement) -> dict[str, object]:
    counts = [{"here": here, "there": there, "calls": count} for (here, there), count in found.counts.items()]
    return {"counts": counts, **fields_value(found, "rate by_source differing")}


SHOWN_CALLS = 10


@filtered(lists=True)
def recheck_calls(
    ledger: LedgerOption = None,
    tools: Annotated[
        Path | None, typer.Option("--tools", help="JSON file of tools to check the calls against")
    ] = None,
    under: Annotated[
        str | None, typer.Option("--under", help="Profile whose actions, policy and rate limits to use")
    ] = None,
    policy: Annotated[Path | None, typer.Option("--policy", help="Policy file")] = None,
    rate: Annotated[
        list[str] | None,
        typer.Option("--rate", help="Rate limit, NAME=COUNT/SECONDS; NAME is a glob over actions"),
    ] = None,
    *,
    within: Chosen,
    as_json: JsonOption = False,
) -> None:
    """Check recorded calls against another schema, policy or rate."""
    offered = None if tools is None else tools_in(tools)
    limits = Limits(rates=tuple(map(_rate_in, rate))) if rate else None
    with open_ledger(existing(ledger), read_only=True) as opened:
        report = recheck(
            opened, profile=under, tools=offered, policy=policy, limits=limits, within=within(opened)
        )
        names = session_names(opened, {call.session_id for call in report.examples})
    if as_json:
        print_json(_recheck_value(report))
    else:
        _print_recheck(report, names)


def _rate_in(text: str) -> tuple[str, RateLimit]:
    """Parse a rate limit given as an option."""
    name, _, rate = text.rpartition("=")
    count, _, seconds = rate.partition("/")
    try:
        return name or "*", RateLimit(int(count), float(seconds))
    except ValueError as error:
        raise UsageError(
            f"--rate {text!r} is none; write NAME=COUNT/SECONDS, such as 'send_*=5/60'."
        ) from error


def _print_recheck(report: RecheckReport, names: dict[str, str]) -> None:
    table = Sheet("action", "calls", "newly refused", "held", "over rate", "stopped")
    for each in report.by_name:
        numbers = (each.calls, each.refused, each.held, each.over_rate, each.stopped)
        table.add_row(plain(each.name or "(no name)"), *(f"{number:,}" for number in numbers))
    console.print(table)
    changes = ", ".join(f"{count:,} {change.replace('_', ' ')}" for change, count in report.changes.items())
    console.print(f"{counted(report.calls, 'call')}: {changes}")
    if report.converted:
        console.print(
            f"of them valid as written, and now only with converted arguments: {report.converted:,}"
        )
    if report.reasons:
        console.print(
            "newly refused: " + ", ".join(f"{code} {count:,}" for code, count in report.reasons.items())
        )
    if report.verdicts:
        console.print(
            "policy: " + ", ".join(f"{verdict} {count:,}" for verdict, count in report.verdicts.items())
        )
    if report.undated:
        console.print(f"rate not known, since no time is recorded: {counted(report.undated, 'call')}")
    console.print(
        f"would not have run by themselves {shown_rate(report.stopped)} ({report.stopped.successes:,}); "
        f"of these had succeeded: {report.done:,}"
    )
    for call in [call for call in report.examples if call.is_stopped or call.change == "newly_accepted"][
        :SHOWN_CALLS
    ]:
        why = call.reason or (call.verdict if call.verdict and not call.is_over_rate else "over rate")
        console.print(
            plain(f"  {names[call.session_id]}#{call.turn_index} {call.name}: {why} {call.why}".rstrip())
        )


def _recheck_value(report: RecheckReport) -> dict[str, object]:
    names = "calls changes converted reasons verdicts over_rate undated stopped done by_name examples"
    return fields_value(report, names)
