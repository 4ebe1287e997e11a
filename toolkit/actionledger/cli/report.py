"""``report``: a ledger's rates, failures and usage."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

from actionledger.cli.filters import Chosen, filtered, options_of
from actionledger.cli.options import JsonOption, LedgerOption, command_words, existing
from actionledger.cli.summary import (
    changes_table,
    cost_lines,
    dialects_table,
    failures_table,
    funnel_table,
    funnels_table,
    left_as_text_line,
    left_out_table,
    targets_table,
    unacted_lines,
    usage_line,
    verdicts_table,
)
from actionledger.cli.tables import console, fields_value, plain, print_json, rate_value
from actionledger.imports.newer_versions import newer_recordings, unknown_wordings
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.queries.agreement import Timings, recorded_verdicts, timings
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.funnel import Dimension, Funnel, funnel, funnel_and_splits, funnel_by, unread
from actionledger.ledger.queries.names import session_names
from actionledger.ledger.queries.reasons import Failure, answered, answered_words, reasons
from actionledger.ledger.queries.sessions import session_outcomes
from actionledger.ledger.queries.skipped import LEAD, Uncounted, count_refused, left_out, uncounted
from actionledger.ledger.queries.stages import UNACTED, UNAUDITED, dialects
from actionledger.ledger.queries.unacted import LEFT, Unacted, left_as_text, unacted
from actionledger.ledger.queries.usage import billed_beside, price_sources, unpriced, usage
from actionledger.replay.changes import Change, changes
from actionledger.replay.fit import other_format

TOP_REASONS = 10
NO_RANKING = (
    "A parse rate is of the parser, too: it ranks models only where each was asked for what the parser reads."
)
SPLIT_BY: tuple[Dimension, ...] = ("profile", "model")


@filtered()
def report(ledger: LedgerOption = None, *, within: Chosen, as_json: JsonOption = False) -> None:
    """Print parse and execution rates, failures and usage."""
    with open_ledger(existing(ledger), read_only=True) as opened:
        chosen = within(opened)
        if as_json:
            print_json(_as_value(opened, chosen))
        else:
            print_report(opened, chosen)


def print_report(ledger: Ledger, within: Filter) -> None:
    """Print the funnel, the plan's targets, the dialects, the rates by profile and model, and the top failures."""
    whole, splits = funnel_and_splits(ledger, SPLIT_BY, within)
    if not whole.responses and not whole.not_recorded:
        if within == EVERYTHING:
            console.print(
                "The ledger has no responses yet; 'actionledger import --help' shows how to import some."
            )
        else:
            said = f"No response fits {within.words}; without these options it says what the ledger holds."
            console.print(plain(said))
        _print_uncounted(ledger, within, whole)
        return
    _print_unacted(ledger, within)
    if said := other_format(ledger, within):
        console.print(plain(said))
    console.print(funnel_table(whole))
    _print_calls_in_text(ledger, within)
    if whole.execution.count:
        console.print(targets_table(whole, timings(ledger, within)))
    if read_in := dialects(ledger, within):
        console.print(dialects_table(read_in))
    for dimension in SPLIT_BY:
        if any(label != "none" for label, _ in splits[dimension]):
            console.print(funnels_table(f"By {dimension}", splits[dimension]))
    if verdicts := recorded_verdicts(ledger, "model", within):
        parsed = {label: part.parse_success for label, part in splits["model"]}
        console.print(verdicts_table(verdicts, parsed))
        console.print(NO_RANKING)
    if failures := reasons(ledger, within, limit=TOP_REASONS):
        names = session_names(ledger, {failure.session_id for failure in failures})
        console.print(failures_table(failures, names))
    if said := answered_words(answered(ledger, within)):
        console.print(plain(said))
    if found := changes(ledger, within):
        console.print(changes_table(found))
    if line := usage_line(usage(ledger, within), price_sources(ledger)):
        console.print()
        console.print(plain(line))
    for line in cost_lines(billed_beside(ledger, within), unpriced(ledger, within)):
        console.print(plain(line))
    if omitted := left_out(ledger, limit=TOP_REASONS):
        console.print(left_out_table(omitted))
    for newer_or_unknown in (unknown_wordings(ledger), newer_recordings(ledger)):
        if newer_or_unknown:
            console.print()
            console.print(
                plain(f"In the whole ledger, {'; '.join(each.words for each in newer_or_unknown)}.")
            )
    _print_uncounted(ledger, within, whole)


def _print_unacted(ledger: Ledger, within: Filter) -> None:
    """Print how many responses stopped without acting or were unparseable, the command that lists them, and the session outcomes."""
    found = unacted(ledger, within)
    for line in unacted_lines(found, session_outcomes(ledger, within)):
        console.print(plain(line))
    if found.rate.successes:
        narrowed = replace(within, endings=UNACTED.endings)
        console.print(plain(f"Which: {command_words('show', *options_of(narrowed), ledger=ledger.path)}"))
    console.print()


def _print_calls_in_text(ledger: Ledger, within: Filter) -> None:
    """Print the number of responses with a call left as text, their usage, and the command that lists them; nothing if there are none."""
    if line := left_as_text_line(left_as_text(ledger, within)):
        console.print(plain(line))
        options = [word for reason in LEFT for word in ("--reason", reason)]
        listing = command_words("show", *options_of(within), *options, ledger=ledger.path)
        console.print(plain(f"Which: {listing}"))


def _print_uncounted(ledger: Ledger, within: Filter, whole: Funnel) -> None:
    """Print what is in no rate, each with the command that lists it."""
    parts = _uncounted(ledger, within, whole)
    if not parts:
        return
    console.print()
    console.print(plain(f"{LEAD}: {'; '.join(part.words for part in parts)}."))
    for part in parts:
        console.print(plain(f"  {part.kind.replace('_', ' ')}: {_listing(ledger, within, part)}"))


def _listing(ledger: Ledger, within: Filter, part: Uncounted) -> str:
    """Return the command that lists uncounted items."""
    if part.kind == "not_auditable":
        narrowed = replace(within, captures=UNAUDITED.captures, outcomes=UNAUDITED.outcomes)
        return command_words("show", *options_of(narrowed), ledger=ledger.path)
    return f'{command_words("sql", ledger=ledger.path)} "{part.listing}"'


def _uncounted(ledger: Ledger, within: Filter, whole: Funnel) -> list[Uncounted]:
    return uncounted(
        ledger,
        never_read=unread(ledger, within),
        not_recorded=whole.not_recorded,
        not_auditable=whole.not_auditable,
        is_narrowed=within != EVERYTHING,
    )


def _as_value(ledger: Ledger, within: Filter) -> dict[str, object]:
    return {name: part(ledger, within) for name, part in NUMBERS.items()}


_FUNNEL = (
    "responses intent outcomes only_shown illustrations need_approval by_evidence in_sentences parse_success strict_success "
    "validation execution taken_back not_auditable not_recorded recorded recorded_execution"
)
"""The numbers of a funnel."""


def _of_each(dimension: Dimension) -> Callable[[Ledger, Filter], object]:
    """Return a function for the numbers of each value of a dimension."""
    return lambda ledger, within: {
        label: fields_value(part, _FUNNEL) for label, part in funnel_by(ledger, dimension, within)
    }


NUMBERS: dict[str, Callable[[Ledger, Filter], object]] = {
    "funnel": lambda ledger, within: fields_value(funnel(ledger, within), _FUNNEL),
    "unacted": lambda ledger, within: _unacted(unacted(ledger, within)),
    "session_outcomes": lambda ledger, within: dict(session_outcomes(ledger, within)),
    "left_as_text": lambda ledger, within: asdict(left_as_text(ledger, within)),
    "timings": lambda ledger, within: _timings(timings(ledger, within)),
    **{f"by_{dimension}": _of_each(dimension) for dimension in SPLIT_BY},
    "recorded_verdicts": lambda ledger, within: {
        each.label: fields_value(each, "succeeded took")
        for each in recorded_verdicts(ledger, "model", within)
    },
    "read_in": lambda ledger, within: {
        part.dialect: rate_value(part.share) for part in dialects(ledger, within)
    },
    "no_result": answered,
    "reasons": lambda ledger, within: _reasons(ledger, reasons(ledger, within)),
    "changes": lambda ledger, within: [_change(each) for each in changes(ledger, within)],
    "usage": lambda ledger, within: asdict(usage(ledger, within)),
    "price_sources": lambda ledger, _: price_sources(ledger),
    "billed_beside": lambda ledger, within: [asdict(each) for each in billed_beside(ledger, within)],
    "unpriced": lambda ledger, within: [asdict(each) for each in unpriced(ledger, within)],
    "left_out": lambda ledger, _: [asdict(part) for part in left_out(ledger)],
    "unknown_wordings": lambda ledger, _: [asdict(each) for each in unknown_wordings(ledger)],
    "newer_than_tested": lambda ledger, _: [asdict(each) for each in newer_recordings(ledger)],
    "refused": lambda ledger, _: count_refused(ledger),
    "not_in_the_numbers": lambda ledger, within: {
        part.kind: part.count for part in _uncounted(ledger, within, funnel(ledger, within))
    },
}
"""The content of ``report --json`` by name; if one number is wanted, only its part is queried."""


def _reasons(ledger: Ledger, failures: Sequence[Failure]) -> list[dict[str, object]]:
    names = session_names(ledger, {failure.session_id for failure in failures})
    return [
        asdict(failure) | {"session": names[failure.session_id], "turns": rate_value(failure.turns)}
        for failure in failures
    ]


def _change(change: Change) -> dict[str, object]:
    return asdict(change) | {"before": rate_value(change.before), "after": rate_value(change.after)}


def _unacted(found: Unacted) -> dict[str, object]:
    return {"responses": rate_value(found.rate), **fields_value(found, "sessions endings stops")}


def _timings(found: Timings) -> dict[str, object]:
    return {
        "without_code": fields_value(found, "count mean_ms p95_ms"),
        **fields_value(found, "code_timeouts code_limits"),
    }
