"""Numbers in a row with their intervals: the funnel and the usage of responses, each with links to its turns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from actionledger.core.rates import Rate, shown_share
from actionledger.core.text import by_prices, counted
from actionledger.core.vocabulary import ExecutionStatus, Origin
from actionledger.ledger import queries
from actionledger.ledger.queries import Filter, Funnel, Mark, Pace, UsageSums
from actionledger.ledger.queries.stages import (
    MEANT,
    NOT_MEANT,
    REFUSED,
    UNREAD,
    WITH_ACTIONS,
    Step,
    audited,
    stages_of,
)
from actionledger.report.drawing import beginning, interval
from actionledger_dashboard.components.controls import mount_of
from actionledger_dashboard.components.links import turns_href
from actionledger_dashboard.components.wording import (
    NOT_RECORDED,
    basis,
    dollars,
    kept,
    milliseconds,
    pieces,
    sessions,
    token_count,
)
from actionledger_dashboard.data import ask


def drawn_rate(rate: Rate) -> dict[str, Any]:
    """Return a rate as the values that ``whisker.js`` draws."""
    low, high = rate.interval or (None, None)
    return {
        "value": rate.value,
        "low": low,
        "high": high,
        "shown": rate.shown_value,
        "interval": interval(rate),
    }


_mount_strip = mount_of("strip", "whisker")


@dataclass(frozen=True, slots=True)
class Stat:
    """One number of a strip."""

    label: str  # its name
    number: str  # the number, formatted
    below: Sequence[str] = ()  # its interval and basis, line by line
    meaning: str = ""  # its tooltip
    rate: Rate | None = None  # the rate to draw as a dot and whisker; None for no rate
    href: str = ""  # the link to the turns that it counts; empty for none
    missed: str = ""  # the number that fell short, formatted; empty for none
    missed_href: str = ""  # the link to the turns that fell short


def stat_of(
    label: str,
    rate: Rate,
    meaning: str,
    *,
    below: Sequence[str] = (),
    without: str = "nothing counted",
    href: str = "",
    missed: str = "",
    missed_href: str = "",
) -> Stat:
    """Return a rate as a number of a strip; if nothing was counted, a word instead and the reason."""
    short = rate.count - rate.successes
    if not rate.count:
        why = "the recordings have no text of the calls" if rate.refusal else without
        return Stat(label, rate.shown_value, [why, *below], meaning)
    return Stat(
        label,
        rate.shown_value,
        [interval(rate), basis(rate), *below],
        f"{meaning} Below: the 95 % interval, which takes a session for one cluster, and out of how many.",
        rate,
        href,
        f"{short:,} {missed}" if missed and short else "",
        missed_href,
    )


def show_strip(key: str, label: str, stats: Sequence[Stat]) -> None:
    """Show numbers in a row, with their whiskers on one scale."""
    begin = beginning(stat.rate for stat in stats if stat.rate is not None)
    _mount_strip(key=key, data={"label": label, "begin": begin, "stats": [_drawn(stat) for stat in stats]})


def _drawn(stat: Stat) -> dict[str, Any]:
    return {
        "label": pieces(stat.label),
        "number": stat.number,
        "is_word": not any(character.isdigit() for character in stat.number),
        "below": [pieces(line) for line in stat.below],
        "meaning": stat.meaning,
        "rate": drawn_rate(stat.rate) if stat.rate is not None else None,
        "href": stat.href,
        "missed": {"text": stat.missed, "href": stat.missed_href} if stat.missed else None,
    }


CAPTURES = (
    "Last, how much was kept of the responses that meant to act: their text, their calls' arguments as they were written, "
    "or the calls alone, which are in no rate of reading."
)
"""Explains capture levels in tooltips."""

_TRIED = tuple(str(status) for status in ExecutionStatus if status.was_attempted)
_MISSED = tuple(
    str(status)
    for status in ExecutionStatus
    if status.was_attempted and status is not ExecutionStatus.SUCCEEDED
)


def funnel_stats(found: Funnel, within: Filter) -> list[Stat]:
    """Return a funnel's counts and rates with links to their turns, without rates of nothing."""
    stats = [
        Stat(
            "Responses",
            f"{found.responses:,}",
            [f"in {counted(sessions(found.meant) or 0, 'session')}"],
            "Responses within the filters that were read, or tried to.",
            href=turns_href(within, Mark()),
        ),
        stat_of(
            "Meant to act",
            found.meant,
            "Responses without those that meant no action, abstained or were empty. Some of those hold illustrations: actions that "
            f"are shown, quoted or mentioned ({found.illustrations:,} in all responses, in no rate).",
            below=[f"{found.only_shown:,} more only show actions"] if found.only_shown else [],
            href=turns_href(within, MEANT),
            missed="did not",
            missed_href=turns_href(within, NOT_MEANT),
        ),
        *_reading_stats(found, within),
        stat_of(
            "Valid actions",
            found.validation,
            "Accepted, of the actions that were meant and had a catalogue.",
            href=turns_href(within, WITH_ACTIONS),
            missed="refused",
            missed_href=turns_href(within, REFUSED),
        ),
        *_execution_stats(found, within),
    ]
    return [stat for stat in stats if stat.number != "–"]


def _reading_stats(found: Funnel, within: Filter) -> list[Stat]:
    levels = kept(found.captures)
    captured = [levels] if levels else []
    read = "of the responses that meant to act"
    counted_from = turns_href(within, audited(MEANT, found))
    return [
        stat_of(
            "Parse success",
            found.parse_success,
            f"Parsed, with repairs or without, {read}. {found.by_evidence:,} of them stand on evidence alone, without a format's "
            f"marks; beside them {found.in_sentences:,} calls in sentences are neither read nor lost. {CAPTURES}",
            below=captured,
            href=counted_from,
            missed="not parsed",
            missed_href=turns_href(within, UNREAD),
        ),
        stat_of(
            "Strict success",
            found.strict_success,
            f"Parsed without any repair, {read}. {CAPTURES}",
            below=captured,
            href=counted_from,
            missed="repaired or not read",
            missed_href=turns_href(within, Mark(outcomes=("repaired", "partial", "failed"))),
        ),
    ]


def _execution_stats(found: Funnel, within: Filter) -> Iterator[Stat]:
    """Yield the results of executions; no rate mixes actionledger's with recorded agents'."""
    yield stat_of(
        "Executed by actionledger" if found.recorded else "Executions succeeded",
        found.execution,
        "Of those that were tried here; each try at an action counts.",
        without="none recorded",
        href=turns_href(within, Mark(executions=_TRIED, origin=Origin.RUNTIME)),
        missed="did not succeed",
        missed_href=turns_href(within, Mark(executions=_MISSED, origin=Origin.RUNTIME)),
    )
    if found.recorded:
        yield stat_of(
            "Executed by the recorded agent",
            found.recorded_execution,
            "Of those that another runtime has tried, as its recording says; each try counts.",
            without="none was tried",
            href=turns_href(within, Mark(executions=_TRIED, origin=Origin.RECORDED)),
            missed="did not succeed",
            missed_href=turns_href(within, Mark(executions=_MISSED, origin=Origin.RECORDED)),
        )


def taken_stats(used: UsageSums, paces: list[Pace], within: Filter) -> list[Stat]:
    """Return the responses' latency, tokens and cost, and the share of timeouts; measures that were not recorded are omitted."""
    found = []
    if used.timed:
        slowest = f"95 % within {milliseconds(used.slow_ms)}"
        meaning = "How long a model took for a response: the median, and what all but the slowest twentieth took at most."
        found.append(
            Stat("Latency", milliseconds(used.latency_ms), [slowest, _of(used.timed, used)], meaning)
        )
    if used.counted:
        cached = [f"{used.cached_tokens:,} of them cached"] if used.cached_tokens else []
        thought = [f"{used.reasoning_tokens:,} of them reasoning"] if used.reasoning_tokens else []
        recorded = _of(used.counted, used)
        found += [
            Stat(
                "Input tokens", token_count(used.input_tokens), [*cached, recorded], "What models were shown."
            ),
            Stat(
                "Output tokens", token_count(used.output_tokens), [*thought, recorded], "What models wrote."
            ),
        ]
    if used.priced:
        by_file = (
            [f"{dollars(used.by_prices_usd)} {by_prices(ask(queries.price_sources))}"]
            if used.by_prices
            else []
        )
        meaning = "The sum, where it is recorded, or a price file or a price list says it."
        found.append(Stat("Cost", dollars(used.cost_usd), [*by_file, _of(used.priced, used)], meaning))
    return [*found, *(_pace_stat(each, within) for each in paces)]


def not_recorded(used: UsageSums) -> str:
    """Return the names of the measures that no response has recorded, in words; empty if each has some."""
    known = {"latency": used.timed, "tokens": used.counted, "cost": used.priced}
    missing = [name for name, count in known.items() if not count]
    return f"{', '.join(missing).capitalize()}: {NOT_RECORDED}." if missing else ""


def _of(recorded: int, used: UsageSums) -> str:
    return f"recorded of {recorded:,} of {used.turns:,}"


def _pace_stat(found: Pace, within: Filter) -> Stat:
    is_ours = found.origin is Origin.RUNTIME
    who = "actionledger" if is_ours else "the recorded agent"
    tried = found.timeouts.count
    of = f", recorded of {found.timed:,} of {tried:,}" if found.timed < tried else ""
    took = f"median {milliseconds(found.median_ms)}, 95 % within {milliseconds(found.p95_ms)}{of}"
    late = Mark(executions=(str(ExecutionStatus.TIMED_OUT),), origin=found.origin)
    return stat_of(
        "Timeouts" if is_ours else "Timeouts (recorded agent)",
        found.timeouts,
        f"Executions by {who} that timed out, of all that were attempted; and how long they took.",
        below=[took if found.timed else f"time {NOT_RECORDED}"],
        href=turns_href(
            within, late if found.timeouts.successes else Mark(executions=_TRIED, origin=found.origin)
        ),
    )


_mount_steps = mount_of("steps")


def show_steps(found: Funnel, within: Filter) -> None:
    """Show the funnel's steps, each number with a link to its turns."""
    stages = [
        {"label": stage.label, "steps": [_drawn_steps(step, within) for step in stage.steps]}
        for stage in stages_of(found)
    ]
    _mount_steps(key="steps", data={"stages": stages})


def _drawn_steps(step: Step, within: Filter) -> dict[str, Any]:
    def href(mark: Mark | None) -> str:
        return "" if mark is None else turns_href(within, mark)

    return {
        "label": step.label,
        "count": step.count,
        "whole": step.count + step.lost,
        "shown": f"{step.count:,}",
        "share": shown_share(step.count / step.of) if step.lost else "",
        "href": href(step.opens) if step.count else "",
        "lost": f"{step.lost:,} {step.missing}" if step.lost else "",
        "lost_href": href(step.lost_opens),
    }
