"""The overview in one sentence, with what fails at the greatest cost: pure, but for the component that shows it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from actionledger.core.rates import Rate
from actionledger.core.text import counted
from actionledger.core.vocabulary import SENTENCES, Ending, SessionOutcome
from actionledger.ledger.queries import Filter, Funnel, Mark, Unacted, UsageSums
from actionledger.ledger.queries.stages import MEANT, UNACTED, audited
from actionledger.replay.changes import PeriodChange
from actionledger.replay.failure_groups import FailureGroup, FailureReport
from actionledger_dashboard.components import links
from actionledger_dashboard.components.answers import answer_of, points
from actionledger_dashboard.components.controls import mount_of
from actionledger_dashboard.components.failures import group_href, place_of
from actionledger_dashboard.components.wording import (
    NOTHING_FAILED,
    cut_in_the_middle,
    dollars,
    interval,
    out_of,
    pieces,
    share,
    visible,
)

Words: TypeAlias = list[dict[str, Any]]
"""A sentence in pieces: each has its ``text``, and where it leads, or how it looks."""

_LONGEST = 24  # characters of a session's name

_mount = mount_of("headline")


def sentence_of(found: Funnel, change: PeriodChange | None, within: Filter) -> Words:
    """Return how much was read whole, and whether that is more than before."""
    if not found.intent:
        return [_text(f"{counted(found.responses, 'response')}, none of which meant to act.")]
    if found.parse_success.refusal:
        return _without_a_rate(found)
    rate = found.parse_success
    number = {"kind": "number", "text": share(rate), "href": links.turns_href(within, audited(MEANT, found))}
    said = [number, _text(f"{margin(rate)} parsed completely")]
    if found.not_auditable:
        said.append(_text(f" ({found.not_auditable:,} more are not auditable)"))
    return said + _since(change)


def margin(rate: Rate) -> str:
    """Return how far a share may be off: by so many points, the farther end of its interval; or the interval, where so far off is no share."""
    if rate.interval is None or rate.value is None:
        return ""
    low, high = rate.interval
    farther = max(rate.value - low, high - rate.value)
    return f" ± {100 * farther:.1f}" if farther <= rate.value <= 1 - farther else f" ({interval(rate)})"


def _without_a_rate(found: Funnel) -> Words:
    """Return the word that stands where the rate would, and what can be said instead."""
    said: Words = [
        {"kind": "number", "text": found.parse_success.refusal},
        _text(
            ": the recordings have the calls and not how they were written, so that nothing says how they parse."
        ),
    ]
    if found.recorded_execution.count:
        tried = found.recorded_execution
        said.append(_text(f" Of what was tried elsewhere, {share(tried)} succeeded: {out_of(tried)}."))
    return said


def _since(change: PeriodChange | None) -> Words:
    """Return what the sentence says of the period before."""
    if change is None:
        return [_text("; no earlier day to compare with.")]
    days = f"{change.days:,} days" if change.days > 1 else "day"
    if change.before.value is None or change.after.value is None:
        return [_text(f"; no data in the previous {days} to compare with.")]
    answer = answer_of(change.before, change.after, change.difference, change.p_value)
    step = f"{points(change.after.value - change.before.value)} points on the {days} before"
    said = ", " if change.is_whole else f"; {share(change.after)} in the last {days}, "
    verdict = "too few sessions to tell" if change.p_value is None else answer.verdict
    return [
        _text(said),
        {"text": step, "href": _comparison(change)},
        {"kind": "chip", "text": verdict, "look": answer.look},
    ]


def _comparison(change: PeriodChange) -> str:
    """Return the address of the same comparison with all that it rests on."""
    named: links.Parameters = {"by": "periods"}
    for name, side in (("before", change.earlier), ("after", change.later)):
        days = links.filter_parameters(side)
        named |= {f"{name}_since": days["since"], f"{name}_until": days["until"]}
    shared = links.filter_parameters(change.later)
    return links.compare_href(named | {name: shared[name] for name in shared.keys() - {"since", "until"}})


def unacted_of(found: Unacted, within: Filter) -> Words:
    """Return how many responses stopped without acting or could not be parsed: each number with the way to its turns, or to its sessions."""
    answers = _ended(found, Ending.FINAL_ANSWER, within, "final answer")
    if not found.rate.successes:
        said = "No response stopped without acting, and each call could be parsed"
        return [_text(f"{said}; " if answers else f"{said}."), *answers]
    stopped = _ended(found, Ending.STOPPED, within, "response", " stopped without acting")
    words = [*stopped, *_why(found)]
    if unread := _ended(found, Ending.UNPARSEABLE, within, "response", " could not be parsed"):
        words += [_text(" and "), *unread] if stopped else unread
    words += [
        _text(" in "),
        {
            "text": counted(found.sessions, "session"),
            "href": links.sessions_href(replace(within, endings=UNACTED.endings)),
        },
        _text(f", {share(found.rate)} of all {found.rate.count:,} ({interval(found.rate)})"),
    ]
    return [*words, *([_text("; ")] if answers else []), *(answers or [_text(".")])]


def outcomes_of(sessions: Mapping[SessionOutcome, int]) -> Words:
    """Return how the sessions came out."""
    said = ", ".join(f"{count:,} {outcome.words}" for outcome, count in sessions.items())
    return [_text(f"Sessions: {said}.")] if said else []


def cost_of(whole: UsageSums, periods: tuple[UsageSums, UsageSums, int] | None, within: Filter) -> Words:
    """Return what responses cost in all, and lately beside before; nothing where no cost is known.

    Args:
        whole: what all of them took.
        periods: what those of the period before took, those of the last one, and how many days each of them has; None where there are not two.
        within: which responses.
    """
    if not whole.priced:
        return []
    said = [
        _text("Cost: "),
        {"kind": "number", "text": dollars(whole.cost_usd), "href": links.usage_href(within)},
    ]
    if periods is not None:
        before, after, days = periods
        last = f"{days:,} days" if days > 1 else "day"
        said.append(
            _text(
                f"; {dollars(after.cost_usd)} in the last {last}, {dollars(before.cost_usd)} in the {last} before"
            )
        )
    return [*said, _text(".")]


def _ended(found: Unacted, ending: Ending, within: Filter, what: str, behind: str = ".") -> Words:
    """Return how many responses ended so, with the way to them, and what stands behind; nothing where none did."""
    if not (count := found.count(ending)):
        return []
    href = links.turns_href(within, Mark(endings=(str(ending),)))
    return [{"kind": "number", "text": counted(count, what), "href": href}, _text(behind)]


def _why(found: Unacted) -> Words:
    why = ", ".join(f"{count:,} {stop.words}" for stop, count in found.stops.items())
    return [_text(f" ({why})")] if why else []


def worst_of(report: FailureReport) -> Words:
    """Return which failure made sessions spend the most."""
    if not report.groups:
        return [_text(NOTHING_FAILED)]
    key, group = report.groups[0].key, report.groups[0]
    return [
        _text("Most expensive failure: "),
        {"kind": "code", "text": str(key.code)},
        _text(f" in {place_of(key)}. {SENTENCES[key.code]} {_cost(group)}"),
    ]


def _cost(group: FailureGroup) -> str:
    said = f"{counted(group.count, 'time')} in {counted(group.turns, 'turn')}."
    lost = f"; {counted(group.lost, 'session')} never recovered" if group.lost else ""
    return f"{said} Recovery took {counted(group.spent.turns, 'turn')}{lost}."


def turns_of(report: FailureReport, names: Mapping[str, str], within: Filter) -> Words:
    """Return ways to the failing turns of what fails at the greatest cost: all of them, then some one by one."""
    if not report.groups:
        return []
    group = report.groups[0]
    whole = {"text": f"its {counted(group.turns, 'turn')}", "href": group_href(group)}
    single = [
        {
            "text": pieces(
                f"{cut_in_the_middle(names.get(each.session_id, each.session_id), _LONGEST)} · turn {each.turn_index}"
            ),
            "whole": visible(names.get(each.session_id, each.session_id)),
            "href": links.replay_href(each.session_id, each.turn_index, within.run_id),
        }
        for each in group.examples
    ]
    return [whole, *single]


def show_sentence(unacted: Words, read: Words, sessions: Words, cost: Words) -> None:
    """Show the sentence of the page, how many responses did not act that should have, and below it how much was parsed and what it cost."""
    shown = {"unacted": unacted, "read": read, "sessions": sessions, "cost": cost}
    _mount(key="sentence", data=shown | {"worst": [], "turns": []})


def show_worst(report: FailureReport, names: Mapping[str, str], within: Filter) -> None:
    """Show what fails at the greatest cost, below it its turns."""
    turns = turns_of(report, names, within)
    _mount(
        key="worst",
        data={
            "unacted": [],
            "read": [],
            "sessions": [],
            "cost": [],
            "worst": worst_of(report),
            "turns": turns,
        },
    )


def _text(text: str) -> dict[str, Any]:
    return {"text": text}
