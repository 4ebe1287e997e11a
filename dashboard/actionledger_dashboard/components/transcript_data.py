"""What the transcript draws, as plain values: spans, looks and texts. Pure, so that it can be tested without a browser.

Every text that others wrote is given as ``visible.pieces`` makes it, so that nothing in it goes unseen.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from actionledger.events import ActionRecord
from actionledger.ledger.queries import ActionReversal, Execution, Response, TurnDetail, TurnRow
from actionledger.values import Block, Issue, Span
from actionledger.vocabulary import (
    SENTENCES,
    ActionStatus,
    BlockStatus,
    CostOrigin,
    ExecutionStatus,
    Origin,
    Outcome,
    Reason,
    RunKind,
)
from actionledger_dashboard.components.visible import pieces, tokens
from actionledger_dashboard.components.wording import dollars

Values: TypeAlias = dict[str, Any]
"""Values by name, to be sent as JSON."""

LISTED = 200
"""How many turns the list shows at once."""

ERRORS_EACH_WAY = 100
"""How many turns with an error, before and after the one that is shown, can be stepped to without asking again."""

VALUE_CHARACTERS = 20_000
"""How much of one action's arguments or result is shown."""

_LOOKS: dict[str, str] = {
    Outcome.CLEAN: "good",
    Outcome.REPAIRED: "mended",
    Outcome.PARTIAL: "bad",
    Outcome.FAILED: "bad",
    BlockStatus.STRICT: "good",
    BlockStatus.MALFORMED: "bad",
    ActionStatus.VALID: "good",
    ActionStatus.COERCED: "mended",
    ActionStatus.INVALID: "bad",
    ActionStatus.UNKNOWN: "bad",
    ExecutionStatus.SUCCEEDED: "good",
    ExecutionStatus.TIMED_OUT: "bad",
    ExecutionStatus.INTERRUPTED: "bad",
}
_NEUTRAL = "idle"
_WORST_FIRST = ("bad", "mended", "good", _NEUTRAL)


def turn_data(detail: TurnDetail) -> Values:
    """Return what is drawn of one turn: its text, its marks, and a lane of cards for each thing that came of it."""
    return reading_data(detail) | {"lanes": [*_read_lanes(detail), *_run_lanes(detail)]}


def reading_data(detail: TurnDetail) -> Values:
    """Return what is drawn of one reading of a turn: its text, its marks, and what was read; not what was done."""
    return {
        "text": detail.response.text,
        "tokens": tokens(detail.response.text),
        "whenEmpty": "The response is empty.",
        "verdict": _verdict(detail),
        "look": _look(detail.attempt.outcome) if detail.attempt else _NEUTRAL,
        "about": pieces(_about(detail)),
        "marks": list(_marks(detail)),
        "lanes": list(_read_lanes(detail)),
    }


def list_data(index: int, turns: Sequence[TurnRow]) -> Values:
    """Return what is drawn of the list of turns.

    Args:
        index: the turn that is shown.
        turns: all turns of the session, in order.
    """
    place = sum(turn.index < index for turn in turns)
    first = max(0, min(place - LISTED // 2, len(turns) - LISTED))
    listed = turns[first : first + LISTED]
    errors = [turn.index for turn in turns if turn.has_error]
    return {
        "index": index,
        "last": turns[-1].index,
        "errors": [
            *[error for error in errors if error < index][-ERRORS_EACH_WAY:],
            *[error for error in errors if error > index][:ERRORS_EACH_WAY],
        ],
        "turns": [_listed(turn) for turn in listed],
        "before": first,
        "after": len(turns) - first - len(listed),
    }


def _listed(turn: TurnRow) -> Values:
    parts = [f"{turn.characters:,} characters", f"{turn.valid} of {turn.actions} actions valid"]
    if turn.reason is not None:
        parts.append(SENTENCES[turn.reason])
    if turn.executions:
        parts.append(f"{turn.failed} of {turn.executions} executions failed")
    words = [_words(turn.outcome) if turn.outcome else "not read"]
    if turn.valid < turn.actions:
        words.append("not valid")
    elif turn.failed:
        words.append("not done")
    look = "bad" if turn.has_error else _look(turn.outcome or "")
    return {"index": turn.index, "outcome": ", ".join(words), "look": look, "title": " · ".join(parts)}


def _verdict(detail: TurnDetail) -> str:
    if detail.attempt is None:
        return "not read by this run" if detail.readers else "recorded, but never read"
    return _words(detail.attempt.outcome)


def _about(detail: TurnDetail) -> str:
    if detail.attempt is None:
        return ""
    attempt = detail.attempt
    response = detail.response
    is_audited = response.capture.is_auditable
    parts = [
        _because(attempt.reason),
        f"capture {response.capture}" + ("" if is_audited else ", how it was written can't be audited"),
        f"parser {attempt.parser}",
        f"dialect {attempt.dialect or 'none'}",
        f"read in {attempt.duration_us / 1000:.1f} ms",
        *_spent(response),
    ]
    if not detail.response.text_is_exact:
        parts.append("a secret or a broken character was replaced before it was recorded")
    return " · ".join(part for part in parts if part)


def _spent(response: Response) -> Iterator[str]:
    """Yield what the response took, as far as that is recorded."""
    cached = f" ({response.cached_tokens:,} from a cache)" if response.cached_tokens else ""
    if response.input_tokens is not None:
        yield f"{response.input_tokens:,} tokens in{cached}"
    if response.output_tokens is not None:
        yield f"{response.output_tokens:,} tokens out"
    if response.cost_usd is not None:
        by = " by a price file" if response.cost_origin is CostOrigin.PRICES else ""
        yield dollars(response.cost_usd) + by
    if response.latency_ms is not None:
        yield f"answered in {response.latency_ms / 1000:,.1f} s"


def _marks(detail: TurnDetail) -> Iterator[Values]:
    """Yield a mark for each block, and for each issue that stands outside of every block, in text order."""
    spans = [block.span for block in detail.blocks]
    found = [_block_mark(block, detail) for block in detail.blocks]
    found += [
        _issue_mark(issue, issue.span)
        for issue in detail.issues
        if issue.span is not None and not any(_overlap(issue.span, span) for span in spans)
    ]
    end = 0
    for mark in sorted(found, key=lambda mark: (mark["start"], mark["end"])):
        if mark["start"] >= end:
            yield mark
            end = mark["end"]


def _block_mark(block: Block, detail: TurnDetail) -> Values:
    within = [action for action in detail.actions if action.block == block.index]
    looks = {_look(block.status), *(_look(action.status) for action in within)}
    title = [block.dialect, _words(block.status), _because(block.reason), _place(block.span)]
    title += [f"{action.name}: {_words(action.status)}" for action in within]
    return {
        "start": block.span.start,
        "end": block.span.end,
        "block": str(block.index),
        "look": next(look for look in _WORST_FIRST if look in looks),
        "why": pieces(" · ".join(part for part in title if part)),
        "spots": list(_spots(block, detail.issues)),
    }


def _spots(block: Block, issues: Sequence[Issue]) -> Iterator[Values]:
    """Yield the places within a block that were repaired or are wrong, in text order, each once."""
    found = [
        (
            repair.span,
            "mended",
            f"{_words(repair.kind)}: {_quoted(repair.before)} read as {_quoted(repair.after)}",
        )
        for repair in block.repairs
    ]
    found += [
        (issue.span, "mended" if issue.code.is_note else "wrong", f"{_words(issue.code)}: {issue.message}")
        for issue in issues
        if issue.span is not None and issue.span != block.span
    ]
    at = block.span.start
    for span, look, title in sorted(found):
        if at <= span.start and span.end <= block.span.end:
            at = span.end
            yield {"start": span.start, "end": span.end, "look": look, "why": pieces(title)}


def _issue_mark(issue: Issue, span: Span) -> Values:
    why = pieces(f"{_words(issue.code)} · {issue.message} · {_place(span)}")
    return {
        "start": span.start,
        "end": span.end,
        "block": "",
        "look": _of_issue(issue),
        "why": why,
        "spots": [],
    }


def _read_lanes(detail: TurnDetail) -> Iterator[Values]:
    """Yield what was repaired and what is wrong, where there is any; then what was read."""
    if any(block.repairs for block in detail.blocks):
        yield {"title": "Repairs", "whenEmpty": "", "cards": list(_repair_cards(detail.blocks))}
    if detail.issues:
        cards = [_issue_card(issue, detail.blocks) for issue in detail.issues]
        yield {"title": "Issues", "whenEmpty": "", "cards": cards}
    actions = [_action_card(action, detail) for action in detail.actions]
    yield {"title": "Actions", "whenEmpty": "No action was read.", "cards": actions}


def _run_lanes(detail: TurnDetail) -> Iterator[Values]:
    """Yield what was done, by others and here."""
    other = detail.attempt is not None and any(
        execution.attempt_id != detail.attempt.attempt_id for execution in detail.executions
    )
    whose = {
        origin: [_execution_card(each, detail) for each in detail.executions if each.origin is origin]
        for origin in Origin
    }
    if theirs := whose[Origin.RECORDED]:
        yield {"title": "What came of them elsewhere, as recorded", "whenEmpty": "", "cards": theirs}
    ours = whose[Origin.RUNTIME] + [_reversal_card(reversal, detail) for reversal in detail.reversals]
    if theirs and not ours:
        return
    title = "Executions here" if theirs else "Executions"
    title += ", as recorded under the first reading" if other else ""
    yield {"title": title, "whenEmpty": _when_not_executed(detail), "cards": ours}


def _when_not_executed(detail: TurnDetail) -> str:
    """Return what there is to say of a turn of which no execution is recorded."""
    if was_recorded_elsewhere(detail):
        return "Not recorded: this turn was taken in from a recording, and was not run here."
    return "Nothing was executed."


def was_recorded_elsewhere(detail: TurnDetail) -> bool:
    """Return whether another runtime ran the turn, so that what it did and said need not be known.

    An import that runs what it reads tells the model at a time of its own; what a recording says was told has none.
    """
    was_run_here = any(each.origin is Origin.RUNTIME for each in detail.executions) or any(
        told.at is not None for told in detail.response.told
    )
    return not was_run_here and any(reader.kind is RunKind.IMPORT for reader in detail.readers)


def _repair_cards(blocks: Sequence[Block]) -> Iterator[Values]:
    for block in blocks:
        for repair in block.repairs:
            line = f"{_quoted(repair.before)} read as {_quoted(repair.after)}"
            yield _card(
                _words(repair.kind), "repaired", "mended", _place(repair.span), [line], block=block.index
            )


def _of_issue(issue: Issue) -> str:
    return "mended" if issue.code.is_note else "bad"


def _issue_card(issue: Issue, blocks: Sequence[Block]) -> Values:
    around = (block.index for block in blocks if issue.span is not None and _overlap(block.span, issue.span))
    where = _place(issue.span) if issue.span is not None else ""
    return _card(
        _words(issue.code), "issue", _of_issue(issue), where, [issue.message], block=next(around, None)
    )


def _action_card(action: ActionRecord, detail: TurnDetail) -> Values:
    lines = [error.message for error in action.errors]
    if not lines and action.reason is not None:
        lines = [SENTENCES[action.reason]]
    lines += [f"{path}: {before} converted → {after}" for path, before, after in action.conversions]
    lines += [
        f"{_words(reversal.kind)} {_when(reversal)}"
        for reversal in detail.reversals
        if _is_shown(reversal, detail) and reversal.action_index == action.index
    ]
    value = _pretty(action.arguments)
    status = _words(action.status)
    return _card(
        action.name, status, _look(action.status), _place(action.span), lines, value=value, block=action.block
    )


def _execution_card(execution: Execution, detail: TurnDetail) -> Values:
    return _card(
        execution.name,
        _words(execution.status),
        _look(execution.status),
        " · ".join(_how_it_ran(execution)),
        [line for line in (_because(execution.reason), *_told_by(execution), execution.message) if line],
        value=_result(execution),
        block=_block_of(execution, detail),
    )


def _result(execution: Execution) -> str:
    """Return what came back, once: what a recording has as its error is its result, too."""
    if execution.result in {"", "null"}:
        return ""
    with suppress(ValueError):
        if json.loads(execution.result) == execution.message:
            return ""
    return _pretty(execution.result)


def _how_it_ran(execution: Execution) -> Iterator[str]:
    """Yield which try it was, where there can be several, how it ended, and how long it took."""
    is_theirs = execution.origin is Origin.RECORDED
    yield "recorded" if is_theirs else f"try {execution.try_number}"
    if execution.exit_status is not None:
        yield f"exit {execution.exit_status}"
    if execution.duration_ms is not None:
        yield f"{execution.duration_ms:,.1f} ms"
    elif is_theirs:
        yield "time not recorded"


def _told_by(execution: Execution) -> Iterator[str]:
    if execution.is_inferred:
        yield "Inferred: only the words of the result tell this."


def _reversal_card(reversal: ActionReversal, detail: TurnDetail) -> Values:
    more = reversal.path_count - len(reversal.paths)
    lines = [*reversal.paths, *([f"and {more:,} more"] if more else [])]
    block = _block_of(reversal, detail)
    return _card(reversal.name, _words(reversal.kind), _NEUTRAL, _when(reversal), lines, block=block)


def _when(reversal: ActionReversal) -> str:
    return f"{reversal.reversed_at:%Y-%m-%d %H:%M:%S} UTC"


def _is_shown(record: Execution | ActionReversal, detail: TurnDetail) -> bool:
    """Return whether a record is of an action of the reading that is shown, and not of another one's."""
    return detail.attempt is not None and record.attempt_id == detail.attempt.attempt_id


def _block_of(record: Execution | ActionReversal, detail: TurnDetail) -> int | None:
    """Return the block that a record's action stands in; None where another reading's is recorded."""
    if not _is_shown(record, detail):
        return None
    return next((action.block for action in detail.actions if action.index == record.action_index), None)


def _card(
    name: str,
    status: str,
    look: str,
    where: str,
    lines: Sequence[str],
    *,
    value: str = "",
    block: int | None,
) -> Values:
    tied = None if block is None else str(block)
    return {
        "name": pieces(name),
        "status": status,
        "look": look,
        "where": where,
        "lines": [pieces(line) for line in lines],
        "value": pieces(value),
        "block": tied,
    }


def _pretty(text: str) -> str:
    """Return JSON text with a line a value, and say it where it is too long to show whole."""
    with suppress(ValueError):
        text = json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    if len(text) <= VALUE_CHARACTERS:
        return text
    return f"{text[:VALUE_CHARACTERS]}\n… and {len(text) - VALUE_CHARACTERS:,} more characters"


def _because(reason: Reason | None) -> str:
    return "" if reason is None else f"{_words(reason)}: {SENTENCES[reason]}"


def outcome_look(outcome: Outcome) -> str:
    """Return which verdict an outcome is: good, mended, bad or idle."""
    return _look(outcome)


def _look(status: str) -> str:
    return _LOOKS.get(status, _NEUTRAL)


def _words(code: str) -> str:
    return code.replace("_", " ")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False) if text else "nothing"


def _place(span: Span) -> str:
    return f"[{span.start:,}, {span.end:,})"


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
