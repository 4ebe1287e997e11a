"""The parts of a report: funnel and failures as tables, outcomes and cost as sentences."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from rich.text import Text

from actionledger.cli.tables import Sheet, cut, plain, shown_rate
from actionledger.core.errors import is_there
from actionledger.core.rates import NOT_AUDITABLE, Rate, shown_p
from actionledger.core.text import NO_NAME, by_prices, counted, in_and_out
from actionledger.core.vocabulary import (
    LEFT_OUT,
    SENTENCES,
    Ending,
    ExecutionStatus,
    Origin,
    Outcome,
    SessionOutcome,
)

if TYPE_CHECKING:  # slow to load, and not needed to print sentences
    from actionledger.ledger.queries.agreement import RecordedVerdicts, Timings
    from actionledger.ledger.queries.funnel import Funnel
    from actionledger.ledger.queries.reasons import Failure
    from actionledger.ledger.queries.skipped import Omission
    from actionledger.ledger.queries.stages import ReadIn
    from actionledger.ledger.queries.unacted import LeftAsText, Unacted
    from actionledger.ledger.queries.usage import BilledBeside, Unpriced, UsageSums
    from actionledger.replay.changes import Change

_SHOWN_MODELS = 5
"""Maximum number of models named; the others are counted."""


def how_to_price() -> str:
    """Return a sentence on how to give models a price."""
    if is_there("genai_prices"):
        return "No price list has them; 'import --prices FILE' takes yours."
    return (
        "pip install 'actionledger[prices]' brings providers' dated price lists, 'import --prices FILE' takes yours; "
        "import the recordings again into a new ledger then: what is recorded keeps its cost."
    )


def unacted_lines(found: "Unacted", sessions: "Mapping[SessionOutcome, int]") -> list[str]:
    """Return how responses without a tool call ended, and the session outcomes, as sentences."""
    lines = [_unacted_line(found)]
    others = [
        (Ending.FINAL_ANSWER, "ended with a final answer"),
        (Ending.WENT_ON, "went on with another response"),
        (Ending.NOT_KNOWN, "ended in a way that is not known"),
    ]
    if said := [f"{found.count(ending):,} {words}" for ending, words in others if found.count(ending)]:
        lines.append(f"Other responses without a tool call: {', '.join(said)}.")
    if sessions:
        lines.append(f"Sessions: {', '.join(f'{n:,} {each.words}' for each, n in sessions.items())}.")
    return lines


def _unacted_line(found: "Unacted") -> str:
    if not found.rate.successes:
        return "No response stopped without acting, and each call could be parsed."
    stopped, unparseable = found.count(Ending.STOPPED), found.count(Ending.UNPARSEABLE)
    why = ", ".join(f"{count:,} {stop.words}" for stop, count in found.stops.items())
    parts = [f"{counted(stopped, 'response')} {Ending.STOPPED.said} ({why})"] if stopped else []
    if unparseable:
        many = f"{unparseable:,}" if stopped else counted(unparseable, "response")
        parts.append(f"{many} {Ending.UNPARSEABLE.said}")
    interval = found.rate.shown_interval
    certainty = interval if interval.startswith("[") else f"({interval})"
    where = f"in {counted(found.sessions, 'session')}, {found.rate.shown_value} of all {found.rate.count:,} {certainty}"
    return f"{' and '.join(parts)}, {where}."


def tokens_of(sum_of: int | None, kind: str) -> str:
    """Return a sum of tokens in words."""
    return f"{kind} tokens not recorded" if sum_of is None else f"{sum_of:,} {kind} tokens"


def usage_line(found: "UsageSums", sources: "Sequence[str]" = ()) -> str:
    """Return the responses' usage as a sentence; empty if none is recorded."""
    parts = []
    if found.counted:
        cached = f" ({found.cached_tokens:,} cached)" if found.cached_tokens else ""
        thought = f" ({found.reasoning_tokens:,} reasoning)" if found.reasoning_tokens else ""
        between = ", " if None in {found.input_tokens, found.output_tokens} else " and "
        parts.append(
            f"{tokens_of(found.input_tokens, 'input')}{cached}{between}{tokens_of(found.output_tokens, 'output')}{thought} "
            f"({found.counted:,} of {counted(found.turns, 'response')})"
        )
    if found.priced:
        parts.append(
            f"${found.cost_usd:,.2f}{_origin_of_costs(found, sources)} ({found.priced:,} of {counted(found.turns, 'response')})"
        )
    if found.latency_ms is not None:
        parts.append(f"{found.latency_ms / 1000:,.1f} s in the median ({found.timed:,} timed)")
    return f"Used {'; '.join(parts)}." if parts else ""


def cost_lines(billed: "Sequence[BilledBeside]", unpriced: "Sequence[Unpriced]") -> list[str]:
    """Return amounts billed apart from messages, and the models without a known cost, as sentences."""
    lines = []
    if billed:
        parts = (
            f"{each.kind}{f' of {each.model}' if each.model else ''} {counted(each.times, 'time')}"
            + (f" ({each.requests:,} requests)" if each.requests else "")
            + (
                f" ({in_and_out(each.input_tokens, each.output_tokens)})"
                if each.input_tokens or each.output_tokens
                else ""
            )
            for each in billed
        )
        lines.append(f"Billed in addition to the messages, included in these tokens: {'; '.join(parts)}.")
    if unpriced:
        shown = ", ".join(
            f"{counted(each.turns, 'response')} of {each.model or NO_NAME}"
            for each in unpriced[:_SHOWN_MODELS]
        )
        hidden = len(unpriced) - _SHOWN_MODELS
        more = f" and {counted(hidden, 'more model')}" if hidden > 0 else ""
        lines.append(f"No cost is known for {shown}{more}. {how_to_price()}")
    return lines


def left_as_text_line(found: "LeftAsText") -> str:
    """Return the number of responses with a call left as text, and their usage, as a sentence; empty if there are none."""
    if not found.responses:
        return ""
    where = f"{counted(found.responses, 'response')} in {counted(found.sessions, 'session')}"
    took = ", tokens not recorded"
    if found.counted:
        took = f", which took {in_and_out(found.input_tokens, found.output_tokens)}"
        took += f" ({found.counted:,} counted)" if found.counted < found.responses else ""
    return f"A tool call left as text, which nothing ran: {where}{took}."


def _origin_of_costs(found: "UsageSums", sources: "Sequence[str]") -> str:
    """Return whether costs are recorded, computed from prices, or how much of them is."""
    by_file = by_prices(sources)
    if found.by_prices in {0, found.priced}:
        return f" {by_file}" if found.by_prices else " as recorded"
    return f", ${found.by_prices_usd:,.2f} of it {by_file} for {counted(found.by_prices, 'response')}"


def changes_table(found: "Sequence[Change]") -> Sheet:
    """Return a table of the changes in parse success over time, and what was new then."""
    table = Sheet(
        "from", "parsed before", "after", "by chance", "new then", title="Where parse success changed"
    )
    for change in found:
        new = ", ".join(f"{each.what} {each.label}" for each in change.new)
        rates = shown_rate(change.before), shown_rate(change.after)
        table.add_row(
            f"{change.start:%Y-%m-%d}", *rates, shown_p(change.p_value), plain(new or "nothing known")
        )
    return table


def funnel_table(whole: "Funnel") -> Sheet:
    """Return the funnel as a table."""
    table = Sheet("step", "count", "share of", "rate with 95 % interval", title="Funnel")
    skipped = whole.tries.get(ExecutionStatus.SKIPPED, 0)
    steps: tuple[_Step, ...] = (
        ("responses", whole.responses, "", None),
        ("intent: meant to act", whole.intent, "responses", whole.meant),
        *_parsed_steps(whole),
        ("also: calls only shown, not meant", whole.only_shown, "", None),
        *_not_recorded_steps(whole),
        ("actions parsed", whole.decoded, "", None),
        ("  of these valid", whole.validation.successes, "checked actions", whole.validation),
        ("  of these need approval (cut off, or only thought of)", whole.need_approval, "", None),
        ("  of these not run (no handler, or skipped)", skipped, "", None),
        ("also: illustrations, shown and not meant", whole.illustrations, "", None),
        ("executions tried", whole.execution.count, "", None),
        ("  of these succeeded", whole.execution.successes, "tried", whole.execution),
        ("actions undone since", whole.taken_back.successes, "actions that succeeded", whole.taken_back),
        *_recorded_steps(whole),
    )
    for name, count, of, rate in steps:
        share = "" if rate is None else shown_rate(rate)
        if count or share not in {"", "–"}:  # a count, or a share of a total that is not 0
            table.add_row(name, f"{count:,}", of, share)
    return table


_Step: TypeAlias = tuple[str, int, str, Rate | None]
"""A step's name, its count, the name of its total, and its share."""


def _parsed_steps(whole: "Funnel") -> list[_Step]:
    """Return the number of parsed responses; those that can't be audited are shown next to them and are in no rate."""
    of = "intent that can be audited" if whole.not_auditable else "intent"
    strict = whole.strict_success
    steps: list[_Step] = [
        ("parsed whole", whole.parsed, of, whole.parse_success),
        ("  of these without a repair", strict.successes, of, strict),
        ("  of these by evidence alone, without a format's marks", whole.by_evidence, "", None),
        ("also: parsed in part", whole.outcomes.get(Outcome.PARTIAL, 0), "", None),
        ("also: nothing parsed", whole.outcomes.get(Outcome.FAILED, 0), "", None),
        ("also: calls in a sentence, neither parsed nor lost", whole.in_sentences, "", None),
    ]
    if whole.not_auditable:
        steps.append((f"also: {NOT_AUDITABLE}, recorded as parsed calls", whole.not_auditable, "", None))
    return steps


def _not_recorded_steps(whole: "Funnel") -> list[_Step]:
    """Return the number of responses with only tokens and times recorded; nothing if there are none."""
    if not whole.not_recorded:
        return []
    return [("also: content not recorded, only tokens and times", whole.not_recorded, "", None)]


def _recorded_steps(whole: "Funnel") -> list[_Step]:
    """Return the results of calls executed by other runtimes; nothing if none are recorded."""
    if not whole.recorded:
        return []
    denied = whole.recorded.get(ExecutionStatus.DENIED, 0)
    rate = whole.recorded_execution
    return [
        ("executed by the recorded agent: tried", rate.count, "", None),
        ("  of these succeeded", rate.successes, "tried there", rate),
        ("  also: denied by a person or a policy", denied, "", None),
    ]


def left_out_table(found: "Iterable[Omission]") -> Sheet:
    """Return a table of what was skipped on import."""
    table = Sheet("count", "reason", "what", "what it means", title="Left out of the recordings")
    for part in found:
        table.add_row(f"{part.count:,}", str(part.reason), plain(part.detail or "–"), LEFT_OUT[part.reason])
    return table


def targets_table(whole: "Funnel", timed: "Timings") -> Sheet:
    """Return the targets of the assistant's plan next to the measured values; targets that records can't show say so."""
    table = Sheet("what", "target", "measured", "of", title="Targets")
    mean = "–" if timed.mean_ms is None else f"{timed.mean_ms:.1f} ms (95 % within {timed.p95_ms:.1f} ms)"
    late = timed.code_timeouts
    rows = (
        (
            "parse success",
            "> 99 %",
            shown_rate(whole.parse_success),
            counted(whole.parse_success.count, "response"),
        ),
        ("execution success", "> 95 %", shown_rate(whole.execution), f"{whole.execution.count:,} tried"),
        ("average latency without code", "< 100 ms", mean, counted(timed.count, "execution")),
        (
            "code that timed out",
            "< 1 %",
            shown_rate(late),
            counted(late.count, "run of code", "runs of code"),
        ),
        ("security incidents", "0", "not measured: what got out would leave no record", ""),
    )
    for row in rows:
        table.add_row(*row)
    return table


def funnels_table(title: str, funnels: "Iterable[tuple[str, Funnel]]") -> Sheet:
    """Return one line per label, with counts and rates."""
    table = Sheet("", "responses", "intent", "parsed", "strict", "valid actions", "executed", title=title)
    for label, funnel in funnels:
        table.add_row(
            plain(label or NO_NAME),
            f"{funnel.responses:,}",
            f"{funnel.intent:,}",
            shown_rate(funnel.parse_success),
            shown_rate(funnel.strict_success),
            shown_rate(funnel.validation),
            shown_rate(funnel.execution),
        )
    return table


def verdicts_table(found: "Iterable[RecordedVerdicts]", parsed: Mapping[str, Rate]) -> Sheet:
    """Return the recordings' own verdicts on sessions next to the parse rates, one line per label."""
    heads = ("", "sessions", "succeeded, as recorded", "their harness took an action", "parsed here")
    table = Sheet(*heads, title="By model, as the recordings say")
    for each in found:
        table.add_row(
            plain(each.label or NO_NAME),
            f"{each.succeeded.count:,}",
            shown_rate(each.succeeded),
            shown_rate(each.took),
            shown_rate(parsed.get(each.label, Rate(0, 0))),
        )
    return table


def dialects_table(found: "Iterable[ReadIn]") -> Sheet:
    """Return the dialects in which responses were parsed, as shares of those that meant to act."""
    table = Sheet("dialect", "responses", "of all that meant to act", title="Parsed in which dialect")
    for part in found:
        table.add_row(plain(part.dialect), f"{part.share.successes:,}", shown_rate(part.share))
    return table


def failures_table(failures: "Sequence[Failure]", names: Mapping[str, str]) -> Sheet:
    """Return the top failures, each with an example."""
    table = Sheet("where", "reason", "count", "turns", "what it means, and an example", title="Failures")
    for failure in failures:
        reason = f"{failure.code} ({failure.action})" if failure.action else str(failure.code)
        text = Text(SENTENCES[failure.code] + "\n")
        text.append_text(plain(f"{names[failure.session_id]}#{failure.turn_index}"))
        if failure.detail:
            text.append(": ")
            text.append(plain(cut(failure.detail)))
        where = f"{failure.stage} (recorded)" if failure.origin is Origin.RECORDED else failure.stage
        table.add_row(where, plain(reason), f"{failure.count:,}", f"{failure.turns.successes:,}", text)
    return table
