"""The overview in one sentence, with what fails at the greatest cost: pure, but for the component that shows it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from actionledger.common.plurals import counted
from actionledger.ledger.queries import DidNothing, Filter, Funnel, Mark
from actionledger.ledger.queries.stages import DID_NOTHING, MEANT, audited
from actionledger.rates import Rate
from actionledger.replay.grouping.groups import FailureGroup
from actionledger.replay.grouping.report import FailureReport
from actionledger.replay.periods import PeriodChange
from actionledger.vocabulary import SENTENCES
from actionledger_dashboard.components import links
from actionledger_dashboard.components.answers import answer_of, points
from actionledger_dashboard.components.assets import mount_of
from actionledger_dashboard.components.failure_groups import group_href, place_of
from actionledger_dashboard.components.visible import cut_in_the_middle, pieces, visible
from actionledger_dashboard.components.wording import NOTHING_FAILED, interval, out_of, share

Words: TypeAlias = list[dict[str, Any]]
"""A sentence in pieces: each has its ``text``, and where it leads, or how it looks."""

_LONGEST = 24  # characters of a session's name

_mount = mount_of("headline")


def sentence_of(found: Funnel, change: PeriodChange | None, within: Filter) -> Words:
    """Return how much was read whole, and whether that is more than before.

    Args:
        found: what became of the page's responses.
        change: their latest period beside the one before it; None where there is none.
        within: the page's filter.
    """
    if not found.intent:
        return [_text(f"{counted(found.responses, 'response')}, none of which meant to act.")]
    if found.parse_success.refusal:
        return _without_a_rate(found)
    rate = found.parse_success
    number = {"kind": "number", "text": share(rate), "href": links.turns_href(within, audited(MEANT, found))}
    said = [number, _text(f"{margin(rate)} read whole")]
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
        return [_text("; there is no earlier day to set beside it.")]
    days = f"{change.days:,} days" if change.days > 1 else "day"
    if change.before.value is None or change.after.value is None:
        return [_text(f"; nothing in the {days} before can be set beside it.")]
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


def nothing_of(idle: DidNothing, within: Filter) -> Words:
    """Return how many responses did nothing, and how: each number with the way to its turns, or to its sessions.

    Args:
        idle: how many they are.
        within: the page's filter.
    """
    if not idle.rate.successes:
        return [_text("No response did nothing.")]
    words = [
        {
            "text": f"{counted(idle.rate.successes, 'response')} did nothing",
            "href": links.turns_href(within, DID_NOTHING),
        },
        _text(" in "),
        {
            "text": counted(idle.sessions, "session"),
            "href": links.sessions_href(replace(within, outcomes=DID_NOTHING.outcomes)),
        },
        _text(f", {share(idle.rate)} of all {idle.rate.count:,} ({interval(idle.rate)}): "),
    ]
    for place, (outcome, how) in enumerate(idle.parts):
        marked = links.turns_href(within, Mark(outcomes=(str(outcome),)))
        words += [_text(", " if place else ""), {"text": how, "href": marked}]
    return [*words, _text(".")]


def worst_of(report: FailureReport) -> Words:
    """Return which failure made sessions spend the most.

    Args:
        report: the groups, the costliest first.
    """
    if not report.groups:
        return [_text(NOTHING_FAILED)]
    key, group = report.groups[0].key, report.groups[0]
    return [
        _text("Costs most: "),
        {"kind": "code", "text": str(key.code)},
        _text(f" in {place_of(key)}. {SENTENCES[key.code]} {_cost(group)}"),
    ]


def _cost(group: FailureGroup) -> str:
    said = f"{counted(group.count, 'time')} in {counted(group.turns, 'turn')}."
    lost = f"; in {counted(group.lost, 'session')} none did" if group.lost else ""
    return f"{said} Sessions spent {counted(group.spent.turns, 'turn')} until an action got through{lost}."


def turns_of(report: FailureReport, names: Mapping[str, str], within: Filter) -> Words:
    """Return ways to the failing turns of what fails at the greatest cost: all of them, then some one by one.

    Args:
        report: the groups, the costliest first.
        names: what the sessions of its examples are called.
        within: the page's filter.
    """
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


def show_sentence(sentence: Words, nothing: Words) -> None:
    """Show the sentence of the page, and below it how many responses did nothing.

    Args:
        sentence: in pieces.
        nothing: the same.
    """
    _mount(key="sentence", data={"sentence": sentence, "nothing": nothing, "worst": [], "turns": []})


def show_worst(report: FailureReport, names: Mapping[str, str], within: Filter) -> None:
    """Show what fails at the greatest cost, below it its turns.

    Args:
        report: the groups, the costliest first.
        names: what the sessions of its examples are called.
        within: the page's filter.
    """
    turns = turns_of(report, names, within)
    _mount(key="worst", data={"sentence": [], "nothing": [], "worst": worst_of(report), "turns": turns})


def _text(text: str) -> dict[str, Any]:
    return {"text": text}
