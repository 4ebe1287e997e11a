"""Comparisons of two runs, two sides, or one turn parsed twice: as HTML for a notebook, as lines for a terminal."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from actionledger.core.canonical import json_text
from actionledger.core.html import chip, escaped, frame, heading
from actionledger.core.rates import TOO_FEW, Rate, shown_p
from actionledger.core.tables import Markup, Table, box, text_table
from actionledger.core.text import counted, cut, visible

if TYPE_CHECKING:
    from actionledger.ledger.queries.compare import Bucket, ComparedTurn
    from actionledger.ledger.queries.differences import (
        ActionDifference,
        FieldDifference,
        ReadAction,
        TurnDifference,
    )
    from actionledger.replay.contrasts import Contrast, Measure
    from actionledger.replay.paired import PairedComparison
    from actionledger.replay.reparse import ReparseReport

_WORDS = {
    "newly_rejected": "newly rejected",
    "newly_accepted": "newly accepted",
    "changed_actions": "other actions",
    "changed_arguments": "other arguments",
    "newly_intent": "meant to act only after",
    "no_longer_intent": "meant to act only before",
    "no_intent": "meant to act in neither",
}
_TONES = {
    "recovered": "good",
    "lost": "bad",
    "newly_rejected": "bad",
    "newly_accepted": "good",
    "changed_actions": "fair",
    "changed_arguments": "fair",
}
_EXAMPLES = 20


def in_words(bucket: str) -> str:
    """Return a bucket's display name if its own name says too little."""
    return _WORDS.get(bucket, bucket)


def report_line(report: "ReparseReport") -> str:
    return f"<ReparseReport {report_text(report)}>"


def report_text(report: "ReparseReport") -> str:
    """Return a report as a sentence: the turns, the changes, and whether they are more than chance."""
    counts = ", ".join(f"{count:,} {in_words(bucket)}" for bucket, count in report.counts.items() if count)
    return (
        f"{counted(report.turns, 'turn')} read again by {visible(cut(report.parser_name, 60))}: {counts}; "
        f"{_change(report)}"
    )


def report_html(report: "ReparseReport") -> str:
    """Return a report as a display: the number of turns changed in each direction, with examples."""
    top = heading(
        "ReparseReport",
        f"read again by <b>{escaped(report.parser_name)}</b>",
        escaped(counted(report.turns, "turn")),
        escaped(_change(report)),
        f"run {escaped(report.run_id)}",
    )
    counts = [
        (Markup(chip(in_words(bucket), _TONES.get(bucket, ""))), count)
        for bucket, count in report.counts.items()
    ]
    return frame(top, box(("read", "turns"), counts), _examples(report.comparison.turns))


def _change(report: "ReparseReport") -> str:
    compared = report.comparison
    if not compared.intent:
        return "no turn that meant to act in both readings"
    of = f"over the {counted(compared.intent, 'turn')} that meant to act in both"
    if report.difference is None:
        return f"{of}: {TOO_FEW} to tell a change from chance"
    low, high = report.difference
    return f"success {low:+.1%} to {high:+.1%} (95 %), {shown_p(report.p_value)}, {of}"


def _examples(turns: "Mapping[Bucket, Sequence[ComparedTurn]]") -> str:
    rows = [
        (
            Markup(chip(in_words(bucket), _TONES.get(bucket, ""))),
            turn.session_id,
            turn.turn_index,
            turn.before,
            turn.after,
        )
        for bucket in turns
        if bucket not in {"same", "no_intent"}
        for turn in turns[bucket][:_EXAMPLES]
    ]
    if not rows:
        return ""
    return box(("read otherwise", "session", "turn", "before", "after"), rows, mono=frozenset({1}))


_HEADS = ("measure", "before", "after", "difference", "p (Holm)")


def contrast_text(found: "Contrast") -> str:
    """Return two compared sets of responses as text."""
    rows = list(_rows(found.measures))
    return "\n".join([text_table(Table(_HEADS, rows, len(rows))), *contrast_sentences(found)])


def contrast_html(found: "Contrast") -> str:
    """Return two compared sets of responses as a display."""
    feet = "".join(f'<div class="al-foot">{escaped(each)}</div>' for each in contrast_sentences(found))
    sizes = f"{found.before.responses:,} and {counted(found.after.responses, 'response')}"
    return frame(heading("Contrast", escaped(sizes)), box(_HEADS, list(_rows(found.measures))), feet)


def paired_text(found: "PairedComparison") -> str:
    """Return two runs over the same turns as text."""
    return (
        f"{counted(found.pairs, 'turn')} that both have read: {_buckets(found)}; over the {counted(found.intent, 'turn')} "
        f"that meant to act in both {found.before}, then {found.after}: {shown_ends(found.difference)}, {shown_p(found.p_value)}"
    )


def paired_html(found: "PairedComparison") -> str:
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
    _found: object, fact: str, heads: tuple[str, ...], rows: Iterable[tuple[object, ...]]
) -> str:
    """Return an experiment's variants as a display."""
    shown = [tuple(str(value) if isinstance(value, Rate) else value for value in row) for row in rows]
    return frame(heading("Experiment", escaped(fact)), box(heads, shown))


def _rows(measures: "Iterable[Measure]") -> Iterator[tuple[str, ...]]:
    for each in measures:
        p_value = "–" if each.p_value is None else shown_p(each.p_value)
        yield (
            each.name.replace("_", " "),
            str(each.before),
            str(each.after),
            shown_ends(each.difference),
            p_value,
        )


def contrast_sentences(found: "Contrast") -> Iterator[str]:
    """Yield remarks on two compared sets of responses: their shared tasks, and responses that are in no rate."""
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
    """Return a difference's interval as one line."""
    return TOO_FEW if ends is None else f"{ends[0]:+.1%} to {ends[1]:+.1%}"


def _buckets(found: "PairedComparison") -> str:
    return ", ".join(f"{count:,} {in_words(bucket)}" for bucket, count in found.counts.items() if count)


_LONGEST = 200
_CHANGE_TONES = {"added": "good", "removed": "bad", "changed": "fair", "rejected": "bad", "accepted": "good"}
_MOST = 100
"""Maximum number of actions shown per turn."""


def difference_text(difference: "TurnDifference") -> str:
    """Return the differences between two parses of a turn, as lines."""
    return "\n".join(_lines(difference))


def difference_html(difference: "TurnDifference") -> str:
    """Return the differences between two parses of a turn, as a display."""
    top = heading(
        "Difference",
        f"turn <b>{escaped(difference.session_id)}#{difference.turn_index}</b>",
        escaped(_outcome(difference.before.said, difference.reason_before)),
        escaped(f"→ {_outcome(difference.after.said, difference.reason_after)}"),
    )
    rows = [row for pair in difference.actions[:_MOST] for row in _change_rows(pair)]
    if not rows:
        return frame(top, '<div class="al-foot">no action in either reading</div>')
    columns = ("action", "name", "field", "before", "after")
    rest = f'<div class="al-foot">{escaped(_more(difference))}</div>' if _more(difference) else ""
    return frame(top, box(columns, rows, mono=frozenset({2, 3, 4})), rest)


def _lines(difference: "TurnDifference") -> Iterator[str]:
    before, after = (
        _outcome(difference.before.said, difference.reason_before),
        _outcome(difference.after.said, difference.reason_after),
    )
    yield f"{difference.session_id}#{difference.turn_index}: {before} → {after}"
    for pair in difference.actions[:_MOST]:
        sides = [side for side in (pair.before, pair.after) if side is not None]
        checked = f", {_checked(*sides)}" if len(sides) > 1 and pair.kind != "same" else ""
        yield f"  {pair.kind} {_shown(pair.name)}{checked}"
        if len(sides) == 1:
            yield f"    {_shown(json_text(sides[0].arguments))}"
        for field in pair.fields:
            yield f"    {_kind(field)} {_path(field)}: {_sides(field)}"
    if more := _more(difference):
        yield f"  {more}"


def _change_rows(pair: "ActionDifference") -> Iterator[tuple[object, ...]]:
    kind = Markup(chip(pair.kind, _CHANGE_TONES.get(pair.kind, "")))
    before = "" if pair.before is None else _outcome(pair.before.status, pair.before.reason)
    after = "" if pair.after is None else _outcome(pair.after.status, pair.after.reason)
    yield kind, _shown(pair.name), "", before, after
    if pair.kind in {"added", "removed"}:
        sides = [_shown(json_text(side.arguments)) if side else "" for side in (pair.before, pair.after)]
        yield "", "", "all", *sides
    for field in pair.fields:
        yield "", "", f"{_path(field)} ({_kind(field)})", *_values(field)


def _checked(before: "ReadAction", after: "ReadAction") -> str:
    return f"{_outcome(before.status, before.reason)} → {_outcome(after.status, after.reason)}"


def _outcome(outcome: str, reason: str | None) -> str:
    return f"{outcome} ({reason})" if reason else str(outcome)


def _sides(field: "FieldDifference") -> str:
    before, after = _values(field)
    if field.kind == "added":
        return after
    return before if field.kind == "removed" else f"{before} → {after}"


def _values(field: "FieldDifference") -> tuple[str, str]:
    before = "" if field.kind == "added" else _shown(json_text(field.before))
    return before, "" if field.kind == "removed" else _shown(json_text(field.after))


def _kind(field: "FieldDifference") -> str:
    return str(field.kind).replace("_", " ")


def _path(field: "FieldDifference") -> str:
    return _shown(".".join(map(str, field.path)) or "(all)")


def _shown(text: str) -> str:
    return visible(cut(text, _LONGEST))


def _more(difference: "TurnDifference") -> str:
    rest = len(difference.actions) - _MOST
    return f"… and {rest:,} more actions" if rest > 0 else ""
