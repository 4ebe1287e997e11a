"""The overview's three questions with their answers: did it work, what went wrong, what did it cost. Pure, except for ``show_question``."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any, Final, TypeAlias

from actionledger.core.rates import Rate, shown_share
from actionledger.core.text import counted
from actionledger.core.vocabulary import Capture, Ending, SessionOutcome
from actionledger.ledger.queries import Filter, Funnel, Mark, Unacted, UsageSums
from actionledger.ledger.queries.stages import MEANT, TRIED_ELSEWHERE, UNACTED, audited
from actionledger.replay.changes import PeriodChange
from actionledger.replay.failure_groups import FailureGroup, FailureKey, FailureReport
from actionledger.report.drawing import interval
from actionledger_dashboard.components import links
from actionledger_dashboard.components.answers import answer_of, points
from actionledger_dashboard.components.controls import mount_of
from actionledger_dashboard.components.failures import group_href, place_of
from actionledger_dashboard.components.wording import (
    NOT_RECORDED,
    NOTHING_FAILED,
    compact,
    dollars,
    pieces,
    tokens_of,
)
from actionledger_dashboard.viewer.looks import SESSION_LOOKS, Values

Words: TypeAlias = list[dict[str, Any]]
"""A sentence in pieces; each has its ``text`` and may have a link or a look."""

WORST: Final = 8
"""The number of failure groups with a line each."""

_mount = mount_of("question")


def show_question(key: str, answer: Values) -> None:
    """Show a question with its answer."""
    _mount(key=key, data=answer)


def _answer(question: str, lead: Words, **more: Any) -> Values:
    nothing: dict[str, Any] = {"notes": [], "label": question, "heads": [], "rows": [], "below": []}
    return {"question": question, "lead": lead, **(nothing | more)}


def did_it_work(
    found: Funnel,
    change: PeriodChange | None,
    unacted: Unacted,
    sessions: Mapping[SessionOutcome, int],
    within: Filter,
) -> Values:
    """Return the sessions' outcomes; the parse rate comes first if most responses with a call were recorded as raw text."""
    finished = finished_of(sessions, within)
    parsed = [] if found.parse_success.refusal or not found.intent else parsed_of(found, change, within)
    leads = parsed if is_raw(found) and parsed else finished
    notes = [
        part
        for part in (
            finished if leads is parsed else [],
            unacted_of(unacted, within),
            executed_of(found, within),
        )
        if part
    ]
    whole = sum(sessions.values())
    rows = [
        {
            "name": outcome.words,
            "href": links.sessions_href(replace(within, session_outcomes=(str(outcome),))),
            "share": count / whole,
            "look": SESSION_LOOKS[outcome],
            "cells": [f"{count:,}", shown_share(count / whole)],
        }
        for outcome, count in sessions.items()
    ]
    return _answer(
        "Did it work?",
        leads,
        notes=notes,
        label="sessions by how they came out",
        rows=rows if len(rows) > 1 else [],
    )


def is_raw(found: Funnel) -> bool:
    """Return whether most responses with a call were recorded as raw text, so that parsing can fail."""
    return 2 * found.captures.get(Capture.TEXT, 0) > found.intent


def finished_of(sessions: Mapping[SessionOutcome, int], within: Filter) -> Words:
    """Return how many of the listed sessions finished."""
    rate = Rate(sessions.get(SessionOutcome.FINISHED, 0), sum(sessions.values()))
    if not rate.count:
        return []
    href = links.sessions_href(replace(within, session_outcomes=(str(SessionOutcome.FINISHED),)))
    number = {"kind": "number", "text": rate.shown_value} | ({"href": href} if rate.successes else {})
    return [number, _text(f"of {counted(rate.count, 'session')} finished ({interval(rate)})")]


def parsed_of(found: Funnel, change: PeriodChange | None, within: Filter) -> Words:
    """Return the parse rate, and its change from the period before."""
    rate = found.parse_success
    number = {
        "kind": "number",
        "text": rate.shown_value,
        "href": links.turns_href(within, audited(MEANT, found)),
    }
    said = f"of {counted(rate.count, 'response')} that meant to act parsed ({interval(rate)})"
    return [number, _text(said), *_since(change)]


def _since(change: PeriodChange | None) -> Words:
    """Return the comparison with the period before; empty if there is none or it has no rate."""
    if change is None or change.before.value is None or change.after.value is None:
        return []
    answer = answer_of(change.before, change.after, change.difference, change.p_value)
    days = f"{change.days:,} days" if change.days > 1 else "day"
    now = "" if change.is_whole else f"; {change.after.shown_value} {days_in_words(change.later)}"
    step = f"{points(change.after.value - change.before.value)} points on the {days} before"
    verdict = "too few sessions to tell" if change.p_value is None else answer.verdict
    return [
        _text(f"{now}, "),
        {"text": step, "href": _comparison(change)},
        {"kind": "chip", "text": verdict, "look": answer.look},
    ]


def _comparison(change: PeriodChange) -> str:
    """Return the link to the same comparison with all its facts."""
    named: links.Parameters = {"by": "periods"}
    for name, side in (("before", change.earlier), ("after", change.later)):
        days = links.filter_parameters(side)
        named |= {f"{name}_since": days["since"], f"{name}_until": days["until"]}
    shared = links.filter_parameters(change.later)
    return links.compare_href(named | {name: shared[name] for name in shared.keys() - {"since", "until"}})


def unacted_of(found: Unacted, within: Filter) -> Words:
    """Return how many responses stopped without acting or could not be parsed, with links to their turns, and in how many sessions."""
    if not found.rate.successes:
        return []
    stopped = _ended(found, Ending.STOPPED, within)
    unread = _ended(found, Ending.UNPARSEABLE, within, is_first=not stopped)
    href = links.sessions_href(replace(within, endings=UNACTED.endings))
    return [
        *stopped,
        *_why(found),
        *([_text(" · ")] if stopped and unread else []),
        *unread,
        _text(" in "),
        {"text": counted(found.sessions, "session"), "href": href},
        _text(f": {found.rate.shown_value} of {found.rate.count:,} ({interval(found.rate)})"),
    ]


def _ended(found: Unacted, ending: Ending, within: Filter, *, is_first: bool = True) -> Words:
    count = found.count(ending)
    said = counted(count, "response") if is_first else f"{count:,}"
    href = links.turns_href(within, Mark(endings=(str(ending),)))
    return [{"text": f"{said} {ending.said}", "href": href}] if count else []


def _why(found: Unacted) -> Words:
    why = ", ".join(f"{count:,} {stop.words}" for stop, count in found.stops.items())
    return [_text(f" ({why})")] if why else []


def executed_of(found: Funnel, within: Filter) -> Words:
    """Return how many tool calls succeeded: those of the recorded agent, and those that actionledger executed, if any."""
    said: Words = []
    for words, rate, mark in (
        ("tool calls succeeded", found.recorded_execution, TRIED_ELSEWHERE),
        ("executions by actionledger succeeded", found.execution, None),
    ):
        if rate.count:
            number = {"text": f"{rate.shown_value} of {rate.count:,} {words}"}
            href = {} if mark is None else {"href": links.turns_href(within, mark)}
            said += [*([_text(" · ")] if said else []), number | href, _text(f" ({interval(rate)})")]
    return said


def what_went_wrong(report: FailureReport, within: Filter) -> Values:
    """Return the failure groups, a line each; the group that sessions spent the most turns on is first."""
    question = "What went wrong?"
    if not report.groups:
        return _answer(question, [], notes=[[_text(NOTHING_FAILED)]])
    shown = report.groups[:WORST]
    has_cost = any(group.spent.priced for group in shown)
    has_lost = any(group.lost for group in shown)
    groups = {"text": counted(len(report.groups), "group"), "href": f"./?{_failures(within)}"}
    count, turns = counted(report.spent.turns, "turn").split()
    number = {"kind": "number", "text": count}
    return _answer(
        question,
        [number, _text(f"{turns} spent on failures, in "), groups],
        label="failures, worst first",
        heads=[
            "worst first",
            "turns",
            *(["sessions lost"] if has_lost else []),
            *(["cost"] if has_cost else []),
        ],
        rows=[_line(group, has_lost=has_lost, has_cost=has_cost) for group in shown],
    )


def _failures(within: Filter) -> str:
    return links.query_of(links.filter_parameters(within) | {"show": "failures"})


def _line(group: FailureGroup, *, has_lost: bool, has_cost: bool) -> Values:
    lost = [f"{group.lost:,}" if group.lost else ""] if has_lost else []
    cost = [dollars(group.spent.cost_usd) if group.spent.priced else ""] if has_cost else []
    return {
        "name": pieces(str(group.key.code).replace("_", " ")),
        "beside": pieces(where_and_what(group.key)),
        "href": group_href(group),
        "cells": [f"{group.spent.turns:,}", *lost, *cost],
    }


def where_and_what(key: FailureKey) -> str:
    """Return what failed (an action, its arguments, or parsing), and the common part of its messages."""
    return " · ".join(filter(None, (place_of(key), key.signature)))


Periods: TypeAlias = tuple[UsageSums, UsageSums, Filter]
"""The usage of the responses of the period before and of a period, and the filter of the latter."""


def days_in_words(within: Filter) -> str:
    """Return the days of a filter with a begin and an end: the last days of a ledger need not be the last days."""
    first, last = _first_and_last(within)
    return f"on {first}" if first == last else f"from {first} to {last}"


def _first_and_last(within: Filter) -> tuple[date, date]:
    assert within.since is not None
    assert within.until is not None
    return within.since.date(), (within.until - timedelta.resolution).date()


def what_it_cost(whole: UsageSums, periods: Periods | None, within: Filter) -> Values:
    """Return the usage of all responses, and of a recent period and the one before, as far as recorded."""
    question = "What did it cost?"
    if not (whole.priced or whole.counted):
        return _answer(question, [], notes=[[_text("Tokens and cost are not recorded.")]])
    shown, heads, spoken, length = [whole], [], "in all", ""
    if periods is not None and any(each.counted or each.priced for each in periods[:2]):
        before, after, when = periods
        first, last = _first_and_last(when)
        days = (last - first).days + 1
        length = f"{days:,} days" if days > 1 else "day"
        named = f"{first:%m-%d} – {last:%m-%d}" if days > 1 else f"{last:%m-%d}"
        shown = [after, *([before] if before.turns else []), whole]
        heads = ["", named, *([f"{length} before"] if before.turns else []), "in all"]
        spoken = days_in_words(when)
    main = shown[0]
    number, what = tokens_of(main.input_tokens, main.output_tokens)
    if main.priced:
        number, what = dollars(main.cost_usd), ""
    lead = [
        {"kind": "number", "text": number, "href": links.usage_href(within)},
        _text(f"{what} {_beside(shown, spoken, length)}".lstrip()),
    ]
    rows = [
        {"name": name, "href": "", "cells": [value(each) for each in shown]}
        for name, value, is_there in _TAKEN
        if is_there(whole)
    ]
    return _answer(
        question,
        lead,
        label="tokens and cost",
        heads=heads,
        rows=rows,
        below=[
            [_text(_known(whole)), {"text": "usage by day, project, model", "href": links.usage_href(within)}]
        ],
    )


def _count(sum_of: int | None) -> str:
    return NOT_RECORDED if sum_of is None else compact(sum_of)


_TAKEN: Final[Sequence[tuple[str, Any, Any]]] = (
    ("Responses", lambda each: f"{each.turns:,}", lambda _: True),
    ("Cost", lambda each: dollars(each.cost_usd) if each.priced else "–", lambda each: each.priced),
    ("Input tokens", lambda each: _count(each.input_tokens), lambda each: each.counted),
    ("of them cached", lambda each: compact(each.cached_tokens), lambda each: each.cached_tokens),
    ("Output tokens", lambda each: _count(each.output_tokens), lambda each: each.counted),
    ("of them reasoning", lambda each: compact(each.reasoning_tokens), lambda each: each.reasoning_tokens),
)
"""The rows of usage: a name, its value, and whether it has any."""


def _beside(shown: Sequence[UsageSums], when: str, length: str) -> str:
    """Return the text next to the number: its period, and the change from the period before."""
    if len(shown) == 2:
        return f"{when}, nothing in the {length} before"
    if len(shown) < 2:
        return when
    after, before, _ = shown
    if before.cost_usd and after.priced:
        change = f"{after.cost_usd / before.cost_usd - 1:+.0%}".replace("-", "−")
        return f"{when}, {change} on the {length} before"
    return when


def _known(whole: UsageSums) -> str:
    """Return for how many responses the cost is known, if not for all."""
    if whole.priced and whole.priced < whole.turns:
        return f"Cost known for {whole.priced:,} of {counted(whole.turns, 'response')} · "
    return ""


def _text(text: str) -> dict[str, Any]:
    return {"text": text}
