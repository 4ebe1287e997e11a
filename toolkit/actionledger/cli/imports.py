"""``import`` and ``ingest``: import recorded sessions into a ledger, and report on the import."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from actionledger.cli.exits import ExitCode
from actionledger.cli.options import DEFAULT_LEDGER, LedgerOption, command_words, existing, tools_in
from actionledger.cli.summary import how_to_price
from actionledger.cli.tables import console, plain, print_note
from actionledger.core.errors import SourceError, UsageError
from actionledger.core.text import counted
from actionledger.core.vocabulary import LEFT_OUT, LeftOutReason
from actionledger.imports.paths import import_path
from actionledger.imports.report import ImportReport
from actionledger.imports.sources.base import Refusal
from actionledger.report.progress import progress

_Paths: TypeAlias = Annotated[
    list[Path],
    typer.Argument(
        metavar="PATH",
        help="Files (also .gz, .zst, .bz2, .xz, .zip), folders, globs, or - for standard input",
    ),
]
_Format: TypeAlias = Annotated[
    str, typer.Option("--format", "-f", help="Format of the files; default: detect it")
]
_Profile: TypeAlias = Annotated[
    str | None, typer.Option("--profile", "-p", help="Profile for sessions that name none")
]
_Dialects: TypeAlias = Annotated[
    list[str] | None, typer.Option("--dialect", "-d", help="Dialect to parse in raw text")
]
_Parser: TypeAlias = Annotated[str | None, typer.Option("--parser", help="Named parser for raw text")]
_Tools: TypeAlias = Annotated[
    Path | None, typer.Option("--tools", help="JSON file with the offered tools, in the form of OpenAI's API")
]
_Columns: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="FIELD=COLUMN,...",
        help="Columns of your own files: session=conversation_id,text=response",
    ),
]
_Source: TypeAlias = Annotated[
    str,
    typer.Option("--source", help="Source to record; sessions with equal source and name are one session"),
]
_Prices: TypeAlias = Annotated[
    Path | None,
    typer.Option("--prices", help="TOML or JSON file of model prices, for responses without a cost"),
]
_Workers: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--workers", metavar="N", help="Number of processes; default: one a processor, one for small input"
    ),
]
_AgainForgotten: TypeAlias = Annotated[
    bool, typer.Option("--again-forgotten", help="Import sessions again that were forgotten")
]


def import_recordings(
    paths: _Paths,
    ledger: LedgerOption = None,
    form: _Format = "",
    profile: _Profile = None,
    *,
    dialect: _Dialects = None,
    parser: _Parser = None,
    tools: _Tools = None,
    columns: _Columns = None,
    source: _Source = "",
    prices: _Prices = None,
    workers: _Workers = None,
    again_forgotten: _AgainForgotten = False,
) -> None:
    """Import recorded sessions; detects formats, skips known turns."""
    mapping = _mapping(columns or [])
    offered = None if tools is None else tools_in(tools)
    chosen = ledger or DEFAULT_LEDGER
    try:
        with progress() as tell:
            report = import_path(
                paths,
                chosen,
                format=form,
                source=source,
                columns=mapping,
                profile=profile,
                dialects=dialect or (),
                parser=parser,
                tools=offered,
                on_progress=tell,
                prices=prices,
                workers=workers,
                again_forgotten=again_forgotten,
            )
    except KeyboardInterrupt as stopped:
        if (so_far := getattr(stopped, "report", None)) is None:
            raise
        print_report(so_far, chosen, is_stopped=True, form=form)
        raise typer.Exit(ExitCode.STOPPED) from None
    except SourceError as error:
        raise _with_hint(error, paths) from error
    print_report(report, chosen, form=form)
    if report.refusals or report.differing or (form and is_of_another_format(report)):
        raise typer.Exit(ExitCode.FAULT)


def ingest(ledger: LedgerOption = None) -> None:
    """Load flushed records into the database and publish it."""
    from actionledger.ledger import open_ledger  # noqa: PLC0415 - slow to load, and an import may find nothing to do

    with open_ledger(existing(ledger)) as opened:
        report = opened.ingest()
    if report.shipped:
        from actionledger.ledger.upkeep.health.report import size_words  # noqa: PLC0415 - slow to load, and the same

    if report.shipped and report.was_busy:
        console.print(f"{size_words(report.shipped)} shipped; the lake's committer has not loaded them yet.")
    elif report.shipped:
        console.print(f"{size_words(report.shipped)} shipped; the lake's committer loads it.")
    elif report.was_busy:
        console.print("Another process is loading records right now; nothing was left to do.")
    else:
        console.print(
            f"{counted(report.events, 'event')} loaded, {report.duplicates:,} known already, "
            f"{counted(report.quarantined, 'line')} that can't be read put into the table quarantine"
            + (f", {report.forgotten:,} of forgotten sessions passed over." if report.forgotten else ".")
        )


def _mapping(given: list[str]) -> dict[str, str]:
    """Return the column for each field."""
    found: dict[str, str] = {}
    for pair in (pair for each in given for pair in each.split(",")):
        name, is_pair, column = (part.strip() for part in pair.partition("="))
        if not (name and is_pair and column):
            raise UsageError(
                f"--map {pair!r} names no column; write it as FIELD=COLUMN, such as text=response."
            )
        if name in found:
            raise UsageError(f"--map names {name!r} twice: {found[name]!r} and {column!r}.")
        found[name] = column
    return found


def _with_hint(error: SourceError, paths: list[Path]) -> SourceError:
    """Return an error that explains how to name a format, if one was given as a path."""
    from actionledger.imports.sources.registry import sources  # noqa: PLC0415 - only on an error

    named = [str(path) for path in paths if str(path) in sources() and not path.exists()]
    return SourceError(f"{error} A format is named by --format {named[0]}.") if named else error


SHOWN_REFUSALS = 20
_SHOWN_DIALECTS = 3
_SHOWN_KINDS = 8
_SURE = 1.0

_LEFT_OUT_QUERY = "FROM left_out SELECT path, reason, detail, sum(count) AS count GROUP BY ALL HAVING sum(count) <> 0 ORDER BY count DESC"


def print_report(report: ImportReport, ledger: Path, *, is_stopped: bool = False, form: str = "") -> None:
    """Print an import's result."""
    if seen := _seen(report, form):
        print_note(seen)
    if is_stopped:
        console.print("Stopped. Everything imported so far is kept; the same command imports the rest.")
    console.print(f"{taken(report)}; {_refused(report)} refused.")
    if not report.is_settled:
        print_note(
            "These counts are what this import saw as new; other hosts may have imported some of it first."
        )
    print_refusals(report, ledger)
    print_left_out(report)
    print_unknown(report)
    for name, count in report.mistaken.items():
        what = f"{counted(count, 'file')} {'is' if count == 1 else 'are'} surely of {name}"
        print_note(
            f"{what}, and not of {form or 'the format that was named'}: leave --format away.", style="yellow"
        )
    if form and is_of_another_format(report):
        print_note(
            f"Nothing there is what {form} has: without --format it is found out what it is.", style="yellow"
        )
    print_priced(report)
    if report.left_out:
        print_note(f"Each by file: {command_words('sql', _LEFT_OUT_QUERY, ledger=ledger)}")
    if proposal := _proposal(report):
        print_note(proposal)
    console.print(plain(f"Next: actionledger report --ledger {ledger}"))


def is_of_another_format(report: ImportReport) -> bool:
    """Return whether files contain nothing that their format's reader knows."""
    some = report.sessions or report.turns or report.known or report.refusals or report.unchanged
    return not some and LeftOutReason.UNKNOWN_KIND in report.left_out_by_reason


def print_left_out(report: ImportReport) -> None:
    """Print the number of skipped items by reason."""
    for reason, count in report.left_out_by_reason.items():
        print_note(f"skipped {count:,}: {LEFT_OUT[reason]}")


def print_unknown(report: ImportReport) -> None:
    """Print unknown kinds of entries with sample keys, and recordings by versions newer than those tested."""
    from actionledger.imports.newer_versions import newer  # noqa: PLC0415 - slow to load, and an import may find nothing to do

    kinds: Counter[str] = Counter()
    for (_, reason, detail), count in report.left_out.items():
        if reason is LeftOutReason.UNKNOWN_KIND and detail:
            kinds[detail] += count
    if kinds:
        most = "; ".join(f"{count:,} × {kind}" for kind, count in kinds.most_common(_SHOWN_KINDS))
        more = f"; and {counted(len(kinds) - _SHOWN_KINDS, 'more kind')}" if len(kinds) > _SHOWN_KINDS else ""
        print_note(f"unknown kinds: {most}{more}")
    for each in newer(report.versions):
        print_note(f"{each.words}.", style="yellow")


def print_priced(report: ImportReport) -> None:
    """Print the number of turns priced by each price list, and the models without a price."""
    if report.priced:
        print_note(
            f"{counted(report.priced, 'turn')} cost what the price file says (cost_origin = 'prices')."
        )
    if report.listed:
        print_note(
            f"{counted(report.listed, 'turn')} cost what their providers' price lists say (cost_origin = 'list_prices')."
        )
    if report.unfilled:
        what = counted(report.unfilled, "turn was", "turns were")
        print_note(
            f"{what} recorded earlier without a cost and keep none, although there is a price now: an import doesn't change what is recorded. Import "
            "into a new ledger to have them priced.",
            style="yellow",
        )
    for model, count in report.unpriced.most_common(SHOWN_REFUSALS):
        print_note(
            f"no price for {model or 'a model without a name'!r}: {counted(count, 'turn')}", style="yellow"
        )
    if (more := len(report.unpriced) - SHOWN_REFUSALS) > 0:
        print_note(f"and for {counted(more, 'more model')}", style="yellow")
    if report.unpriced:
        print_note(how_to_price(), style="yellow")


def taken(report: ImportReport) -> str:
    """Return the counts of imported and already known items, as a clause."""
    there = f"{counted(report.known - report.repeated, 'turn was', 'turns were')} already recorded"
    if report.repeated:
        there += f"; {counted(report.repeated, 'turn repeats one', 'turns repeat some')} of the same import, as forks do, and none is kept twice"
    other = counted(len(report.differing), "turn has", "turns have")
    differing = (
        f"; {other} other content under the same id, and what was recorded first is kept"
        if report.differing
        else ""
    )
    calls = (
        f", {counted(report.calls, 'call')} and {counted(report.results, 'result')}" if report.results else ""
    )
    turns = counted(report.turns, "new turn")
    revised = f" ({report.revised:,} of them replace a partial version)" if report.revised else ""
    merged = (
        f"; {counted(report.merged, 'turn that was recorded twice now counts', 'turns that were recorded twice now count')} once"
        if report.merged
        else ""
    )
    unchanged = f"; {counted(report.unchanged, 'unchanged file')} skipped" if report.unchanged else ""
    return f"{counted(report.sessions, 'session')} with {turns}{revised}{calls} imported; {there}{differing}{merged}{unchanged}"


def _refused(report: ImportReport) -> str:
    """Return the number of refused items: lines, or without lines, files or their turns."""
    if all(refusal.line for refusal in report.refusals):
        return counted(len(report.refusals), "line")
    return counted(len(report.refusals), "line, file or turn", "lines, files or turns")


def print_refusals(report: ImportReport, ledger: Path) -> None:
    """Print the refused items with their reasons, and the place where the others are kept."""
    parts = (("refused", "line_refused", report.refusals), ("differs", "turn_differs", report.differing))
    for what, code, refusals in parts:
        told = _grouped(refusals)
        for first, count in told[:SHOWN_REFUSALS]:
            times = f" {count:,} times, the first of" if count > 1 else ""
            print_note(f"{what}{times} {first}", style="yellow")
        if rest := sum(count for _, count in told[SHOWN_REFUSALS:]):
            print_note(
                f"… and {rest:,} more: actionledger sql -l {ledger} \"FROM events WHERE code = '{code}'\""
            )


def _grouped(refusals: Sequence[Refusal]) -> list[tuple[Refusal, int]]:
    """Return refusals with counts; files refused for the same reason, such as a missing package, are merged."""
    first: dict[object, Refusal] = {}
    counts = Counter[object]()
    for number, each in enumerate(refusals):
        key = number if each.line else each.reason
        first.setdefault(key, each)
        counts[key] += 1
    return [(each, counts[key]) for key, each in first.items()]


def _seen(report: ImportReport, form: str) -> str:
    """Return the detected formats with their certainty, or that the format was given."""
    if not report.files:
        return ""
    from actionledger.imports.sources.registry import source_named  # noqa: PLC0415 - slow to load, and an import may find nothing to do

    parts = []
    for name, count in report.files.most_common():
        sureness = report.sureness[name]
        sure = "sure" if sureness >= _SURE else f"{sureness:.0%} sure; --format NAME overrules"
        sure = "as --format says" if form else sure
        parts.append(f"{counted(count, 'file')} of {source_named(name).title} ({name}, {sure})")
    return f"Seen: {'; '.join(parts)}."


def _proposal(report: ImportReport) -> str:
    """Return the dialects that raw text seems to use, if no parser is known for it."""
    if not report.searched:
        return ""
    most = report.found.most_common(_SHOWN_DIALECTS)
    if not most:
        return f"No call was found in {counted(report.searched, 'turn')} of raw text, in any known format."
    looks = ", ".join(f"{counted(count, 'turn looks', 'turns look')} like {name}" for name, count in most)
    return (
        f"Of {counted(report.searched, 'turn')} of raw text, {looks}. No format was given, so every one was tried; "
        f"--dialect {most[0][0]} tries only that one."
    )
