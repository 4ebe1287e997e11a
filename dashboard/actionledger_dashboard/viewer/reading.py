"""The data of one reading of a turn: the text with its marks, its parse attempts, repairs, issues and actions."""

from collections.abc import Iterator, Mapping, Sequence

from actionledger.core.events import ActionRecord
from actionledger.core.text import counted
from actionledger.core.values import Block, FieldError, Issue, Span
from actionledger.core.vocabulary import SENTENCES
from actionledger.ledger.queries import Reader, Response, TurnDetail
from actionledger.report.exports.parts import spent
from actionledger_dashboard.components.wording import pieces, tokens, visible
from actionledger_dashboard.viewer.looks import (
    NEUTRAL,
    Values,
    because,
    card,
    lane,
    look_of,
    overlap,
    place,
    pretty,
    words,
)
from actionledger_dashboard.viewer.marks import (
    calls_of,
    differences,
    first_of_interest,
    gaps,
    marks_of,
    occurrences,
    part_of,
    within,
)
from actionledger_dashboard.viewer.results import is_of_reading, reversed_at

TOKENS = 10_000
"""The number of invisible characters of one response that are drawn as tokens; a browser can't draw a million."""


_NO_CHILDREN: Mapping[int, Sequence[Values]] = {}


def reading_data(
    detail: TurnDetail,
    children: Mapping[int, Sequence[Values]] = _NO_CHILDREN,
    *,
    at: Span | None = None,
    sought: str = "",
    is_whole: bool = False,
) -> Values:
    """Return the data of one reading of a turn: its text, its marks, and its parsed actions, without executions."""
    return _text_data(detail, at, sought, is_whole=is_whole) | {
        "whenEmpty": _when_empty(detail.response),
        "verdict": _verdict(detail),
        "look": look_of(detail.attempt.outcome) if detail.attempt else NEUTRAL,
        "lanes": list(read_lanes(detail, children)),
    }


def _text_data(detail: TurnDetail, at: Span | None, sought: str, *, is_whole: bool) -> Values:
    """Return the response or a part of it, with its marks; all positions are those in the whole response."""
    text, marks = detail.response.text, marks_of(detail)
    found = occurrences(sought, text)
    part = Span(0, len(text)) if is_whole else part_of(len(text), first_of_interest(at, found, marks))
    before, behind = gaps(part, len(text))
    return {
        "text": text[part.start : part.end],
        "about": pieces(_about(detail, part)),
        "from": part.start,
        "length": len(text),
        "tokens": [*before, *_tokens(text, part), *behind],
        "marks": list(within(part, marks)),
        "calls": list(within(part, calls_of(detail))),
        "found": [(start, end) for start, end in found if part.start <= start and end <= part.end],
    }


def reader_label(reader: Reader) -> str:
    """Return a reading's label in a list of readings."""
    name = "First reading" if reader.kind.is_first_reading else reader.name or "re-reading"
    return f"{name} · {reader.parser} · {reader.outcome.said}"


def attempt_lane(detail: TurnDetail) -> Values:
    """Return a card for each parse attempt at the turn, the shown one first."""
    shown = detail.attempt.run_id if detail.attempt else None
    ordered = sorted(detail.readers, key=lambda reader: reader.run_id != shown)
    cards = [_attempt_card(reader, detail, is_shown=reader.run_id == shown) for reader in ordered]
    return lane("Parse attempts", cards, "Nothing has read this response.")


def _attempt_card(reader: Reader, detail: TurnDetail, *, is_shown: bool) -> Values:
    run = reader.name or ("first reading" if reader.kind.is_first_reading else "re-reading")
    parts = [f"{run} ({words(reader.kind)})"]
    if is_shown and detail.attempt is not None:
        attempt = detail.attempt
        parts.append(f"dialect {attempt.dialect or 'none'}, catalogue {attempt.catalogue or 'none'}")
        parts += [took] if (took := _took(detail)) else []
    where = "shown here" if is_shown else "another reading"
    return card(reader.parser, reader.outcome.said, look_of(reader.outcome), where, [" · ".join(parts)])


def _when_empty(response: Response) -> str:
    if response.capture.is_auditable:
        return "The response is empty."
    return "Tool calls only, no text."


def _verdict(detail: TurnDetail) -> str:
    if detail.attempt is None:
        return "not read by this run" if detail.readers else "recorded, but never read"
    return detail.attempt.outcome.said


def _about(detail: TurnDetail, part: Span) -> str:
    attempt, response = detail.attempt, detail.response
    is_cut = part.end - part.start < len(response.text)
    cut = f"{part.end - part.start:,} of {len(response.text):,} characters shown" if is_cut else ""
    model = f"model {response.model}" if response.model else ""
    if attempt is None:
        return " · ".join(filter(None, (cut, model, *map(visible, spent(response)))))
    is_audited = response.capture.is_auditable
    parts = [
        cut,
        because(attempt.reason),
        model,
        response.capture.said + ("" if is_audited else ", so parsing can't be checked"),
        f"parser {attempt.parser}",
        f"dialect {attempt.dialect or 'none'}",
        *([f"read in {took}"] if (took := _took(detail)) else []),
        *map(visible, (*spent(response), *(each.message.rstrip(".") for each in detail.notes))),
    ]
    if not detail.response.text_is_exact:
        parts.append("a secret or a broken character was replaced before it was recorded")
    return " · ".join(part for part in parts if part)


def _took(detail: TurnDetail) -> str:
    """Return the parse time; empty if the recording has calls only, since nothing was parsed."""
    if detail.attempt is None or not detail.attempt.duration_us or not detail.response.capture.is_auditable:
        return ""
    milliseconds = detail.attempt.duration_us / 1000
    return f"{milliseconds:.1f} ms" if milliseconds >= 0.1 else "less than 0.1 ms"


def _tokens(text: str, part: Span) -> list[dict[str, str | int]]:
    """Return the invisible characters of a part; if there are too many, the rest of the part becomes one token, so that none is missed."""
    found = [
        each | {"at": int(each["at"]) + part.start, "end": int(each["end"]) + part.start}
        for each in tokens(text[part.start : part.end])
    ]
    if len(found) <= TOKENS:
        return found
    at, more = int(found[TOKENS]["at"]), len(found) - TOKENS
    said = f"{part.end - at:,} characters"
    name = (
        f"{said} are not drawn: {counted(more, 'more place')} in them can't be seen or turn the text around"
    )
    return [
        *found[:TOKENS],
        {"at": at, "end": part.end, "text": text[at : part.end], "code": said, "name": name, "rest": 1},
    ]


def read_lanes(
    detail: TurnDetail, children: Mapping[int, Sequence[Values]] = _NO_CHILDREN
) -> Iterator[Values]:
    """Yield the repairs and the issues, if there are any; then the actions."""
    text = detail.response.text
    if repairs := [made for block in detail.blocks for made in _repair_cards(text, block)]:
        yield lane("Repairs", repairs)
    if detail.issues:
        yield lane("Issues", [_issue_card(issue, detail.blocks) for issue in detail.issues])
    actions = [
        action_card(action, detail) | {"started": list(children.get(action.index, ()))}
        for action in detail.actions
    ]
    yield lane("Actions", actions, "No action was read.")


def _repair_cards(text: str, block: Block) -> Iterator[Values]:
    for difference in differences(text, block):
        made = card(difference["kinds"], "repaired", "mended", difference["where"], block=block.index)
        yield made | {"difference": difference}


def _issue_card(issue: Issue, blocks: Sequence[Block]) -> Values:
    around = (block.index for block in blocks if issue.span is not None and overlap(block.span, issue.span))
    where = place(issue.span) if issue.span is not None else ""
    look = "mended" if issue.code.is_note else "bad"
    return card(str(issue.code), "issue", look, where, [issue.message], block=next(around, None))


def action_card(action: ActionRecord, detail: TurnDetail) -> Values:
    lines = [SENTENCES[action.reason]] if action.reason is not None and not action.errors else []
    lines += [f"Evidence that it was meant, or not: {words(action.evidence)}."] if action.evidence else []
    lines += [
        f"{words(reversal.kind)} {reversed_at(reversal)}"
        for reversal in detail.reversals
        if is_of_reading(reversal, detail) and reversal.action_index == action.index
    ]
    made = card(
        action.name,
        action.status.said,
        look_of(action.status),
        place(action.span) if action.span.end > action.span.start else "",
        lines,
        value=pretty(action.arguments),
        block=action.block,
        call=action.index,
    )
    fields = [_error_row(error) for error in action.errors]
    fields += [
        {
            "path": pieces(one.path or "(all)"),
            "said": "converted",
            "read": pieces(one.after),
            "value": pieces(one.before),
        }
        for one in action.conversions
    ]
    return made | {"fields": fields}


def _error_row(error: FieldError) -> Values:
    return {
        "path": pieces(error.path or "(all)"),
        "said": SENTENCES[error.code],
        "expected": pieces(error.expected),
        "value": pieces(error.value),
    }
