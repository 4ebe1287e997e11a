"""``gate`` and ``bless``: stop a change that makes recorded turns worse."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, cast

import typer

from actionledger.cli.comparison import comparison_value
from actionledger.cli.exits import ExitCode
from actionledger.cli.filters import Chosen, filtered
from actionledger.cli.options import AgainstOption, LedgerOption, existing, ledger_to_read
from actionledger.cli.tables import fields_value, print_note, print_text
from actionledger.core.canonical import json_text
from actionledger.core.errors import UsageError
from actionledger.core.files import write_named
from actionledger.core.text import counted, printable_json
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.queries.compare import Bucket
from actionledger.replay.gate.baseline import beside, bless
from actionledger.replay.gate.judgement import gate, is_file
from actionledger.replay.gate.report import MIN_ACTING, GateReport

_OUT = "-"
_DIGITS = 18
_SHOWN = 80


@filtered(but=("run",))
def judge(
    baseline: Annotated[
        str,
        typer.Option(
            metavar="RUN|first|FILE",
            help="Baseline: run by id or name, 'first', or a file written by 'bless'",
        ),
    ],
    candidate: Annotated[
        str,
        typer.Option(metavar="PARSER|RUN", help="Parser to try, or a run that used it"),
    ],
    ledger: LedgerOption = None,
    *,
    within: Chosen,
    against: AgainstOption = None,
    max_lost: Annotated[
        int, typer.Option(min=0, help="Maximum number of turns that no longer parse completely")
    ] = 0,
    max_changed: Annotated[
        int | None,
        typer.Option(min=0, help="Maximum number of turns with other actions or arguments"),
    ] = None,
    most: Annotated[
        list[str] | None,
        typer.Option(
            "--max",
            metavar="BUCKET=N",
            help="Maximum number of turns in a bucket; default 0 for newly_rejected, no_longer_intent",
        ),
    ] = None,
    min_rate: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="Minimum of the lower end of the success interval, such as 0.99",
        ),
    ] = None,
    alpha: Annotated[
        float,
        typer.Option(min=0, max=1, help="Significance level: a loss counts if its p-value is below this"),
    ] = 0.05,
    min_acting: Annotated[
        int,
        typer.Option(min=1, help="Minimum number of turns that meant to act; with fewer, exit code 5"),
    ] = MIN_ACTING,
    allow_few: Annotated[
        bool,
        typer.Option(
            "--allow-few",
            help="Use the rate itself if there are too few sessions for an interval",
        ),
    ] = False,
    allow_missing: Annotated[
        bool,
        typer.Option("--allow-missing", help="Pass even if some turns could not be parsed again"),
    ] = False,
    texts: Annotated[
        Path | None,
        typer.Option(help="File or folder with a baseline's texts; default: the one next to it"),
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Number of processes")] = None,
    as_json: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE|-", help="Write JSON to this file; -: print it"),
    ] = None,
    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML to this file")
    ] = None,
    markdown: Annotated[
        str | None,
        typer.Option(
            "--markdown",
            metavar="FILE|-",
            help="Write Markdown for a pull request to this file; -: print it",
        ),
    ] = None,
) -> None:
    """Compare a parser with a baseline; exit code 4 if it is worse."""
    if as_json == markdown == _OUT:
        raise UsageError("Only one of --json and --markdown can be printed; give the other one a file.")
    limits = _limits(most or ())
    opened = _opened(ledger, baseline)
    try:
        report = gate(
            opened,
            baseline=baseline,
            candidate=candidate,
            against=against,
            within=within(opened),
            max_lost=max_lost,
            max_changed=max_changed,
            most=limits,
            min_rate=min_rate,
            alpha=alpha,
            min_acting=min_acting,
            allow_few=allow_few,
            allow_missing=allow_missing,
            texts=texts,
            workers=workers,
        )
    finally:
        if opened is not None:
            opened.close()
    _put(report, as_json, junit, markdown)
    if not report.passed:
        raise typer.Exit(ExitCode.EVIDENCE if report.lacks_evidence else ExitCode.GATE)


@filtered()
def bless_readings(
    to: Annotated[Path, typer.Option("--to", help="File to write, for the repository")],
    ledger: LedgerOption = None,
    *,
    within: Chosen,
    with_texts: Annotated[
        bool,
        typer.Option(
            "--with-texts", help="Write the texts next to it, secrets masked, for a gate without a ledger"
        ),
    ] = False,
) -> None:
    """Write the readings as a baseline file, which needs no ledger."""
    with open_ledger(existing(ledger), read_only=True) as opened:
        baseline = bless(opened, to, within=within(opened), with_texts=with_texts)
    counts = baseline.counts
    print_text(f"{to}: {counted(counts['turns'], 'turn')} of {counted(counts['sessions'], 'session')}")
    if with_texts:
        print_text(f"{beside(to)}: their texts")
    if baseline.without_text:
        print_note(
            f"left out: {counted(baseline.without_text, 'turn')} whose recording has kept the calls alone"
        )


def _opened(ledger: Path | None, baseline: str) -> Ledger | None:
    """Return the ledger if it exists or is required; with a baseline's file it may be missing, and then nothing is recorded."""
    if not is_file(baseline):
        return open_ledger(existing(ledger))
    if ledger is None and not ledger_to_read(None).exists():
        return None
    return open_ledger(existing(ledger), read_only=True)


def _limits(texts: Iterable[str]) -> dict[Bucket, int]:
    """Parse the buckets' limits given as options."""
    limits: dict[Bucket, int] = {}
    for text in texts:
        bucket, _, count = text.partition("=")
        if not count.isdecimal() or len(count) > _DIGITS:
            raise UsageError(
                f"--max {text[:_SHOWN]!r} is not a limit; write BUCKET=N, such as newly_rejected=3."
            )
        if bucket in limits:
            raise UsageError(f"--max says twice how many turns of {bucket!r} there may be; say it once.")
        limits[cast("Bucket", bucket)] = int(count)
    return limits


def _put(report: GateReport, as_json: str | None, junit: Path | None, markdown: str | None) -> None:
    value = printable_json(json_text(_as_value(report))) + "\n" if as_json else ""
    comment = report.markdown() if markdown else ""
    if _OUT not in {as_json, markdown}:
        print_text(str(report))
    for where, content in ((as_json, value), (markdown, comment)):
        if where == _OUT:
            typer.echo(content, nl=False)
        elif where:
            write_named(Path(where), content)
    if junit:
        write_named(junit, report.junit())


def _as_value(report: GateReport) -> dict[str, object]:
    return {
        **fields_value(report, "passed lacks_evidence baseline candidate run_id conditions"),
        "pairs": report.comparison.pairs,
        **comparison_value(report.comparison),
        **fields_value(report, "worse notes"),
    }
