"""``compare``: compare two sides of a ledger, turn by turn if they can be paired; with the output shared by commands."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, cast, get_args

import typer

from actionledger.cli.filters import Chosen, filtered
from actionledger.cli.options import JsonOption, LedgerOption, existing
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
from actionledger.core.errors import UnknownNameError, UsageError
from actionledger.core.rates import TOO_FEW, shown_p
from actionledger.core.text import counted
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.queries.compare import QUIET, Bucket
from actionledger.ledger.queries.differences import TurnDifference, compare_turn
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.names import FIRST, session_names
from actionledger.replay.comparison import compare, difference_of, side_of
from actionledger.replay.contrasts import MEASURES, Contrast
from actionledger.replay.paired import PairedComparison
from actionledger.report.comparisons import contrast_sentences, in_words
from actionledger.report.markdown import comparison_markdown, contrast_markdown

SHOWN_TURNS = 5


def shown_buckets(bucket: str | None) -> tuple[Bucket, ...]:
    """Return the buckets whose turns are shown."""
    if bucket is None:
        return tuple(each for each in get_args(Bucket) if each not in QUIET)
    if bucket not in get_args(Bucket):
        raise UnknownNameError("bucket", bucket, get_args(Bucket))
    return (cast("Bucket", bucket),)


def names_of_examples(ledger: Ledger, compared: PairedComparison) -> dict[str, str]:
    """Return the names of the sessions in a comparison's examples."""
    shown = {turn.session_id for turns in compared.turns.values() for turn in turns[:SHOWN_TURNS]}
    return session_names(ledger, shown)


def print_comparison(compared: PairedComparison, names: Mapping[str, str]) -> None:
    """Print success on both sides with the tests, and each bucket with examples."""
    for line in success_lines(compared):
        console.print(line)
    table = Sheet("what changed", "turns", "for example")
    for bucket, count in compared.counts.items():
        examples = ", ".join(
            f"{names[turn.session_id]}#{turn.turn_index}" for turn in compared.turns[bucket][:SHOWN_TURNS]
        )
        is_quiet = bucket in QUIET
        table.add_row(in_words(bucket), f"{count:,}", plain("" if is_quiet else examples))
    console.print(table)


def comparison_value(compared: PairedComparison) -> dict[str, object]:
    """Return a comparison for JSON."""
    return fields_value(compared, "intent before after counts p_value p_value_by_turn difference")


def turns_value(compared: PairedComparison) -> dict[str, object]:
    """Return examples of changed turns by bucket, for JSON."""
    return {bucket: list(turns) for bucket, turns in compared.turns.items() if turns and bucket not in QUIET}


def success_lines(compared: PairedComparison) -> list[str]:
    """Return the change in success as sentences: both rates, the difference, and the tests."""
    if not compared.intent:
        return ["no turn meant to act in both readings, so there is no parse rate to compare"]
    by_session, by_turn = shown_p(compared.p_value), shown_p(compared.p_value_by_turn)
    difference = shown_difference(compared.difference)
    sessions = counted(compared.net.sessions, "session")
    wider = f"sessions widen the variance {compared.design_effect:.1f} times"
    return [
        f"over the {counted(compared.intent, 'turn')} that meant to act in both readings, in {sessions}:",
        f"success before {shown_rate(compared.before)}, after {shown_rate(compared.after)}",
        f"difference {difference}, {by_session} by the sign-flip test over sessions",
        f"{by_turn} by the exact McNemar test, which takes turns for independent; {wider}",
    ]


def shown_difference(interval: tuple[float, float] | None) -> str:
    """Return a difference's interval as one line."""
    if interval is None:
        return TOO_FEW
    low, high = interval
    return f"[{low:+.1%}, {high:+.1%}] (95 %)"


SHOWABLE = 200


@filtered(but=("run",))
def compare_sides(
    before: Annotated[
        str,
        typer.Argument(
            help="Run by id or name, 'first', or a filter such as 'model=small&until=2026-03-01'",
        ),
    ],
    after: Annotated[str, typer.Argument(help="The other side")],
    ledger: LedgerOption = None,
    *,
    within: Chosen,
    show: Annotated[
        int, typer.Option(min=0, max=SHOWABLE, help="Number of turns to show field by field")
    ] = 0,
    bucket: Annotated[
        str | None, typer.Option(help="Show only turns of this bucket, such as lost or newly_rejected")
    ] = None,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print Markdown for a pull request")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Compare two runs, models, sources or periods."""
    if after == FIRST:
        raise UsageError(
            "The first readings are what later ones are compared with: name 'first' before the run."
        )
    if as_markdown and as_json:
        raise UsageError("Give either --json or --markdown.")
    buckets = shown_buckets(bucket)
    with open_ledger(existing(ledger), read_only=True) as opened:
        common = within(opened)
        first, second = (side_of(opened, side, common) for side in (before, after))
        found = compare(opened, first, second)
        if isinstance(found, Contrast):
            _put_contrast(found, _why(first, second), as_json=as_json, as_markdown=as_markdown)
            return
        differences = _differences(
            opened, found, (first, second), buckets, show or (SHOWN_TURNS if bucket else 0)
        )
        names = names_of_examples(opened, found)
    _put_comparison(found, differences, names, as_json=as_json, as_markdown=as_markdown)


def _why(first: Filter, second: Filter) -> str:
    """Return why turns can't be paired, as a sentence."""
    if by := difference_of(first, second):
        return f"No turn pairs: the sides are different responses, by {' and '.join(by)}. They are compared as sets."
    return "No turn pairs: the runs have read none of the same turns. They are compared as sets."


def _differences(
    ledger: Ledger,
    found: PairedComparison,
    sides: tuple[Filter, Filter],
    buckets: tuple[Bucket, ...],
    most: int,
) -> list[TurnDifference]:
    before, after = (side.run_id for side in sides)
    assert after is not None
    turns = [turn for bucket in buckets for turn in found.turns[bucket]]
    return [compare_turn(ledger, before, after, turn.turn_id) for turn in turns[:most]]


def _put_comparison(
    found: PairedComparison,
    differences: list[TurnDifference],
    names: Mapping[str, str],
    *,
    as_json: bool,
    as_markdown: bool,
) -> None:
    unpaired = {"unpaired_before": found.unpaired_before, "unpaired_after": found.unpaired_after}
    if as_json:
        value = {"kind": "comparison", "pairs": found.pairs, **unpaired, **comparison_value(found)}
        print_json(value | {"examples": turns_value(found), "differences": differences})
        return
    if as_markdown:
        typer.echo(comparison_markdown(found, success_lines(found), differences), nl=False)
        return
    console.print(f"{counted(found.pairs, 'turn')} that both have read")
    for side, count in zip(("first", "second"), unpaired.values(), strict=True):
        if count:
            print_note(
                f"{counted(count, 'turn')} of the {side} side not read by the other: in no number here."
            )
    print_comparison(found, names)
    for difference in differences:
        print_text(str(difference))


def _put_contrast(found: Contrast, why: str, *, as_json: bool, as_markdown: bool) -> None:
    if as_json:
        print_json(_contrast_value(found, why))
        return
    if as_markdown:
        typer.echo(contrast_markdown(found, why, MEASURES), nl=False)
        return
    console.print(why)
    table = Sheet("measure", "before", "after", "difference", "p, by Holm", "what it is")
    for measure in found.measures:
        p_value = "–" if measure.p_value is None else shown_p(measure.p_value)
        table.add_row(
            measure.name.replace("_", " "),
            f"{shown_rate(measure.before)} of {measure.before.count:,}",
            f"{shown_rate(measure.after)} of {measure.after.count:,}",
            shown_difference(measure.difference),
            p_value,
            MEASURES[measure.name],
        )
    console.print(table)
    for line in contrast_sentences(found):
        console.print(line)


def _contrast_value(found: Contrast, why: str) -> dict[str, object]:
    return {
        "kind": "contrast",
        "why": why,
        "measures": [
            fields_value(measure, "name before after difference p_value") for measure in found.measures
        ],
        "tasks": None if found.tasks is None else asdict(found.tasks),
        "not_auditable": {"before": found.not_auditable[0], "after": found.not_auditable[1]},
    }
