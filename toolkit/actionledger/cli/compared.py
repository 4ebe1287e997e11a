"""Two readings of the same turns, as commands print them."""

from collections.abc import Mapping
from typing import cast, get_args

from actionledger.cli.sheets import Sheet
from actionledger.cli.tables import console, plain, rate_value, shown_rate
from actionledger.core.errors import UnknownNameError
from actionledger.core.plurals import counted
from actionledger.core.rates import TOO_FEW, shown_p
from actionledger.ledger.queries.compare import QUIET, Bucket
from actionledger.replay.paired import PairedComparison
from actionledger.report.comparisons import in_words

SHOWN_TURNS = 5


def shown_buckets(bucket: str | None) -> tuple[Bucket, ...]:
    """Return whose turns are shown."""
    if bucket is None:
        return tuple(each for each in get_args(Bucket) if each not in QUIET)
    if bucket not in get_args(Bucket):
        raise UnknownNameError("bucket", bucket, get_args(Bucket))
    return (cast("Bucket", bucket),)


def print_comparison(compared: PairedComparison, names: Mapping[str, str] | None = None) -> None:
    """Print success before and after with the tests, and each bucket with examples."""
    called = names or {}
    for line in success_lines(compared):
        console.print(line)
    table = Sheet("what changed", "turns", "for example")
    for bucket, count in compared.counts.items():
        examples = ", ".join(
            f"{called.get(turn.session_id, turn.session_id)}#{turn.turn_index}"
            for turn in compared.turns[bucket][:SHOWN_TURNS]
        )
        is_quiet = bucket in QUIET
        table.add_row(in_words(bucket), f"{count:,}", plain("" if is_quiet else examples))
    console.print(table)


def comparison_value(compared: PairedComparison) -> dict[str, object]:
    """Return a comparison for JSON."""
    return {
        "intent": compared.intent,
        "before": rate_value(compared.before),
        "after": rate_value(compared.after),
        "counts": dict(compared.counts),
        "p_value": compared.p_value,
        "p_value_by_turn": compared.p_value_by_turn,
        "difference": compared.difference,
    }


def turns_value(compared: PairedComparison) -> dict[str, object]:
    """Return examples of the turns of which something has changed, by bucket, for JSON."""
    return {bucket: list(turns) for bucket, turns in compared.turns.items() if turns and bucket not in QUIET}


def success_lines(compared: PairedComparison) -> list[str]:
    """Return what became of success, in sentences: before and after, the difference, and what says that it is no chance."""
    if not compared.intent:
        return ["no turn that meant to act in both readings: there is no success to compare"]
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
    """Return the interval of a difference, for a line."""
    if interval is None:
        return TOO_FEW
    low, high = interval
    return f"[{low:+.1%}, {high:+.1%}] (95 %)"
