"""Two sides beside each other, at a glance: each rate of both with its interval, the difference, and its test."""

from collections.abc import Iterable, Iterator
from typing import Any

from actionledger.core.formatting.html import escaped, frame, heading
from actionledger.core.formatting.tables import Table, box, text_table
from actionledger.core.plurals import counted
from actionledger.core.rates import TOO_FEW, Rate, shown_p
from actionledger.report.comparisons import in_words

_HEADS = ("measure", "before", "after", "difference", "p (Holm)")


def contrast_text(found: Any) -> str:
    """Return two sets of responses beside each other as text."""
    rows = list(_rows(found.measures))
    return "\n".join([text_table(Table(_HEADS, rows, len(rows))), *contrast_sentences(found)])


def contrast_html(found: Any) -> str:
    """Return two sets of responses beside each other as a display."""
    feet = "".join(f'<div class="al-foot">{escaped(each)}</div>' for each in contrast_sentences(found))
    sizes = f"{found.before.responses:,} and {counted(found.after.responses, 'response')}"
    return frame(heading("Contrast", escaped(sizes)), box(_HEADS, list(_rows(found.measures))), feet)


def paired_text(found: Any) -> str:
    """Return two runs over the same turns as text."""
    return (
        f"{counted(found.pairs, 'turn')} that both have read: {_buckets(found)}; over the {counted(found.intent, 'turn')} "
        f"that meant to act in both {found.before}, then {found.after}: {shown_ends(found.difference)}, {shown_p(found.p_value)}"
    )


def paired_html(found: Any) -> str:
    """Return two runs over the same turns as a display."""
    row = (
        "parse success",
        *map(str, (found.before, found.after)),
        shown_ends(found.difference),
        shown_p(found.p_value),
    )
    buckets = [(in_words(bucket), count) for bucket, count in found.counts.items()]
    return frame(
        heading("PairedComparison", escaped(counted(found.pairs, "turn"))),
        box((*_HEADS[:-1], "p"), [row]),
        box(("read", "turns"), buckets),
    )


def experiment_html(
    _found: Any, fact: str, heads: tuple[str, ...], rows: Iterable[tuple[object, ...]]
) -> str:
    """Return an experiment's variants as a display."""
    shown = [tuple(str(value) if isinstance(value, Rate) else value for value in row) for row in rows]
    return frame(heading("Experiment", escaped(fact)), box(heads, shown))


def _rows(measures: Iterable[Any]) -> Iterator[tuple[str, ...]]:
    for each in measures:
        p_value = "–" if each.p_value is None else shown_p(each.p_value)
        yield (
            each.name.replace("_", " "),
            str(each.before),
            str(each.after),
            shown_ends(each.difference),
            p_value,
        )


def contrast_sentences(found: Any) -> Iterator[str]:
    """Yield what there is to say beside the rates of two sets of responses: the tasks that both were given, and what is in no rate.

    Args:
        found: what ``compare`` gave.
    """
    tasks = found.tasks
    if tasks is None:
        yield "the two share no task"
    else:
        interval = (
            TOO_FEW.replace("sessions", "tasks") if tasks.difference is None else shown_ends(tasks.difference)
        )
        yield (
            f"over the {counted(tasks.tasks, 'task')} that both were given: parse success {tasks.mean:+.1%} ({interval}), "
            f"{shown_p(tasks.p_value)} by the sign-flip test over tasks; only before {tasks.only_before:,}, "
            f"only after {tasks.only_after:,}"
        )
    if any(found.not_auditable):
        before, after = found.not_auditable
        yield (
            f"not auditable, and in no parse rate: {before:,} before, {after:,} after; their recordings have kept the calls alone"
        )


def shown_ends(ends: tuple[float, float] | None) -> str:
    """Return the interval of a difference by its ends, for a line."""
    return TOO_FEW if ends is None else f"{ends[0]:+.1%} to {ends[1]:+.1%}"


def _buckets(found: Any) -> str:
    return ", ".join(f"{count:,} {in_words(bucket)}" for bucket, count in found.counts.items() if count)
