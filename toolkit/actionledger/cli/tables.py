"""What is printed: numbers as tables, a model's text as text. Markup in it is never read as markup."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import typer
from rich.console import Console, ConsoleDimensions
from rich.text import Text

from actionledger.cli.sheets import UNBOUNDED, Sheet, visible_text
from actionledger.core.plurals import counted
from actionledger.core.rates import NOT_AUDITABLE, Rate, shown_p
from actionledger.core.text import NO_NAME, printable_json
from actionledger.core.vocabulary import LEFT_OUT, SENTENCES, ExecutionStatus, Origin

if TYPE_CHECKING:  # slow to load, and what prints a sentence needs none of them
    from actionledger.core.values import Observation
    from actionledger.ledger.queries.dialects import ReadIn
    from actionledger.ledger.queries.funnel import Funnel
    from actionledger.ledger.queries.left_out import Omission
    from actionledger.ledger.queries.reasons import Failure
    from actionledger.ledger.queries.targets import Timings
    from actionledger.ledger.queries.verdicts import RecordedVerdicts
    from actionledger.replay.changes import Change

SHOWN_CHARACTERS = 160
"""How much of a long text a terminal is shown in a table."""


class PlainConsole(Console):
    """A console without a width where no terminal is; lines longer than the terminal are the terminal's to wrap."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print; see ``Console.print``."""
        super().print(*objects, **({"soft_wrap": True} | options))

    @property
    def size(self) -> ConsoleDimensions:
        """What there is room for."""
        size = super().size
        return size if self.file.isatty() else ConsoleDimensions(UNBOUNDED, size.height)

    @size.setter
    def size(self, new_size: tuple[int, int]) -> None:
        self._width, self._height = new_size


console = PlainConsole(highlight=False)
"""Where results are written."""

beside = PlainConsole(highlight=False, stderr=True)
"""Where progress, errors and what to do next are written."""


def plain(text: object) -> Text:
    """Return a text that the terminal shows as it is, control characters made visible."""
    return visible_text(text)


def print_error(sentence: str) -> None:
    """Print why something can't be done, as one line."""
    beside.print(plain(f"actionledger: {' '.join(sentence.splitlines())}"), style="red")


def print_json(value: object) -> None:
    """Print a value as a line of JSON text in which nothing steers a terminal: what can't be seen is written as JSON's escapes."""
    from actionledger.core.canonical import json_text  # noqa: PLC0415 - slow to load, and most commands print none

    typer.echo(printable_json(json_text(value)))


def print_note(sentence: str, *, style: str = "") -> None:
    """Print a sentence that is no result, such as what to do next."""
    beside.print(plain(sentence), style=style)


def shortened(text: str) -> str:
    """Return a text, in a terminal at most ``SHOWN_CHARACTERS`` of it."""
    is_short = len(text) <= SHOWN_CHARACTERS or not console.file.isatty()
    return text if is_short else f"{text[:SHOWN_CHARACTERS]}…"


def print_text(text: str, *, style: str = "") -> None:
    """Print a text as it is, its line breaks as such."""
    for line in text.splitlines():
        console.print(plain(line), style=style)


def print_observation(observation: "Observation") -> None:
    """Print what came of an action, as one line."""
    from actionledger.core.canonical import json_text  # noqa: PLC0415 - the same

    what = observation.message or json_text(observation.result)
    status = observation.status.value.replace("_", " ")
    console.print(plain(f"{observation.name} {status}: {what}"))


def shown_rate(rate: Rate) -> str:
    """Return a rate with its interval, for a cell."""
    return f"{rate.shown_value}  {rate.shown_interval}".rstrip()


def rate_value(rate: Rate) -> dict[str, object]:
    """Return a rate with its interval and what that rests on, for JSON."""
    low, high = rate.interval or (None, None)
    plain_low, plain_high = rate.plain_interval or (None, None)
    return {
        "successes": rate.successes,
        "count": rate.count,
        "rate": rate.value,
        **({"refusal": rate.refusal} if rate.refusal else {}),
        "low": low,
        "high": high,
        "plain_low": plain_low,
        "plain_high": plain_high,
        "sessions": rate.clustering.sessions if rate.clustering else None,
        "design_effect": rate.design_effect,
    }


def changes_table(found: "Sequence[Change]") -> Sheet:
    """Return where parse success changed over time, and what was new then."""
    table = Sheet(
        "from", "read whole before", "after", "by chance", "new then", title="Where parse success changed"
    )
    for change in found:
        new = ", ".join(f"{each.what} {each.label}" for each in change.new)
        rates = shown_rate(change.before), shown_rate(change.after)
        table.add_row(
            f"{change.start:%Y-%m-%d}", *rates, shown_p(change.p_value), plain(new or "nothing known")
        )
    return table


def funnel_table(whole: "Funnel") -> Sheet:
    """Return how far the responses got, step by step."""
    table = Sheet("step", "count", "share of", "rate with 95 % interval", title="How far they got")
    skipped = whole.tries.get(ExecutionStatus.SKIPPED, 0)
    steps: tuple[_Step, ...] = (
        ("responses", whole.responses, "", None),
        ("intent: meant to act", whole.intent, "responses", whole.meant),
        *_parsed_steps(whole),
        ("beside these: only shown, nothing meant", whole.only_shown, "", None),
        *_not_recorded_steps(whole),
        ("actions read", whole.decoded, "", None),
        ("  of these valid", whole.validation.successes, "actions with a catalogue", whole.validation),
        ("  of these need approval (cut off, or only thought of)", whole.need_approval, "", None),
        ("  of these not run (no handler, or skipped)", skipped, "", None),
        ("beside these: illustrations, shown and not meant", whole.illustrations, "", None),
        ("executions tried", whole.execution.count, "", None),
        ("  of these succeeded", whole.execution.successes, "tried", whole.execution),
        ("actions undone since", whole.taken_back.successes, "actions that succeeded", whole.taken_back),
        *_recorded_steps(whole),
    )
    for name, count, of, rate in steps:
        table.add_row(name, f"{count:,}", of, "" if rate is None else shown_rate(rate))
    return table


_Step: TypeAlias = tuple[str, int, str, Rate | None]
"""A step's name, its count, what it is a share of, and the share."""


def _parsed_steps(whole: "Funnel") -> list[_Step]:
    """Return how many responses were read whole; those that can't be audited stand beside them and in no rate."""
    of = "intent that can be audited" if whole.not_auditable else "intent"
    strict = whole.strict_success
    steps: list[_Step] = [
        ("parsed whole", whole.parsed, of, whole.parse_success),
        ("  of these without a repair", strict.successes, of, strict),
        ("  of these by evidence alone, without a format's marks", whole.by_evidence, "", None),
        ("beside these: calls in a sentence, neither read nor lost", whole.in_sentences, "", None),
    ]
    if whole.not_auditable:
        steps.append(
            (f"beside these: {NOT_AUDITABLE}, recorded as parsed calls", whole.not_auditable, "", None)
        )
    return steps


def _not_recorded_steps(whole: "Funnel") -> list[_Step]:
    """Return of how many responses nothing but tokens and times is known; nothing where there is no such."""
    if not whole.not_recorded:
        return []
    return [
        ("beside these: what was said is not recorded, only tokens and times", whole.not_recorded, "", None)
    ]


def _recorded_steps(whole: "Funnel") -> list[_Step]:
    """Return what came of the calls that other runtimes have run; nothing where none is recorded."""
    if not whole.recorded:
        return []
    denied = whole.recorded.get(ExecutionStatus.DENIED, 0)
    rate = whole.recorded_execution
    return [
        ("recorded of other runtimes: executions tried", rate.count, "", None),
        ("  of these succeeded", rate.successes, "tried there", rate),
        ("  beside these: refused by a person or a policy", denied, "", None),
    ]


def left_out_table(found: "Iterable[Omission]") -> Sheet:
    """Return what recordings hold that is no part of a session."""
    table = Sheet("count", "reason", "what", "what it means", title="Left out of the recordings")
    for part in found:
        table.add_row(f"{part.count:,}", str(part.reason), plain(part.detail or "–"), LEFT_OUT[part.reason])
    return table


def targets_table(whole: "Funnel", timed: "Timings") -> Sheet:
    """Return the targets of the assistant's plan beside what was measured; what records can't show says so."""
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
    """Return one line a label with its counts and rates."""
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
    """Return what recordings say of their sessions, beside what was parsed here, one line a label."""
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
    """Return in which dialects the responses were read, as shares of all that meant to act."""
    table = Sheet("dialect", "responses", "of all that meant to act", title="Read in which dialect")
    for part in found:
        table.add_row(plain(part.dialect), f"{part.share.successes:,}", shown_rate(part.share))
    return table


def failures_table(failures: "Sequence[Failure]", names: Mapping[str, str]) -> Sheet:
    """Return the top reasons of failure, each with an example."""
    table = Sheet("where", "reason", "count", "turns", "what it means, and an example", title="Why they fail")
    for failure in failures:
        reason = f"{failure.code} ({failure.action})" if failure.action else str(failure.code)
        text = Text(SENTENCES[failure.code] + "\n")
        text.append_text(plain(f"{names[failure.session_id]}#{failure.turn_index}"))
        if failure.detail:
            text.append(": ")
            text.append(plain(shortened(failure.detail)))
        where = f"{failure.stage} (recorded)" if failure.origin is Origin.RECORDED else failure.stage
        table.add_row(where, plain(reason), f"{failure.count:,}", f"{failure.turns.successes:,}", text)
    return table
