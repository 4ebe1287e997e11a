"""Check whether a rule's number is beyond its bound."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from actionledger.cli.alerts.numbers import (
    MINUTES,
    NEW_GROUPS,
    NOT_RECORDED,
    entry_id,
    in_words,
    is_rate,
    minutes_since_last_record,
    new_failure_groups,
    number_at,
)
from actionledger.cli.alerts.rules import AlertRule
from actionledger.cli.filters import filter_from
from actionledger.core.canonical import json_text
from actionledger.core.errors import UsageError
from actionledger.core.ids import now
from actionledger.ledger import Ledger


@dataclass(frozen=True, slots=True)
class Checked:
    """A rule's result."""

    rule: AlertRule
    # the number's value, for a list the number of entries; None if nothing is recorded for it
    value: float | None
    found: str  # the value in words
    fires: bool  # whether it is beyond the bound
    entries: frozenset[str] = frozenset()  # for a list, an opaque id of each entry

    @property
    def words(self) -> str:
        """The result as a sentence without model text."""
        return f"{self.rule.name}: {self.rule.number} is {self.found}; the rule fires {self.rule.asked}."


def check(ledger: Ledger, rule: AlertRule, moment: datetime | None = None) -> Checked:
    """Check a rule against a ledger."""
    moment = moment or now()
    if rule.number == MINUTES:
        return _of_value(rule, minutes_since_last_record(ledger, moment))
    options = {name: [value] if isinstance(value, str) else value for name, value in rule.only.items()}
    within = filter_from(ledger, takes_any=True, **options)
    if rule.last is not None:
        within = replace(within, since=moment - rule.last, until=moment)
    if rule.number == NEW_GROUPS:
        if within.since is None:
            raise UsageError(
                f'The rule {rule.name!r} needs a time, such as over = "1d": new is what was not there before.'
            )
        before = replace(within, since=None, until=within.since)
        return _of_entries(rule, new_failure_groups(ledger, before, within))
    try:
        found = number_at(ledger, rule.number, within)
    except UsageError as error:
        raise UsageError(f"The rule {rule.name!r}: {error}") from error
    if isinstance(found, list | tuple):
        return _of_entries(rule, frozenset(entry_id(json_text(_lasting(each))) for each in found))
    return _of_rate(rule, found) if is_rate(found) else _of_value(rule, found)


def _of_rate(rule: AlertRule, rate: Mapping[str, Any]) -> Checked:
    """Return whether a rate is beyond the bound with its whole interval, since a few responses may be so by chance."""
    count, value = int(rate["count"]), rate["rate"]
    if value is None or count < rule.at_least:
        too_few = f"of {count:,}, too few to tell (at least {rule.at_least:,})"
        return Checked(rule, None, too_few if count else NOT_RECORDED, fires=False)
    nearest = rate["low" if rule.above is not None else "high"] if rule.by_interval else value
    return Checked(rule, value, in_words(rate), fires=nearest is not None and _is_beyond(rule, nearest))


def _of_value(rule: AlertRule, value: float | None) -> Checked:
    if value is None:
        return Checked(rule, None, NOT_RECORDED, fires=False)
    return Checked(rule, float(value), in_words(value), fires=_is_beyond(rule, value))


def _of_entries(rule: AlertRule, entries: frozenset[str] | None) -> Checked:
    if entries is None:
        return _of_value(rule, None)
    return Checked(rule, float(len(entries)), in_words(entries), _is_beyond(rule, len(entries)), entries)


def _is_beyond(rule: AlertRule, value: float) -> bool:
    return value > rule.bound if rule.above is not None else value < rule.bound


def _lasting(entry: Any) -> Any:
    """Return a list's entry without its counts, which change while the entry is the same."""
    texts = entry.items() if isinstance(entry, Mapping) else ()
    return {name: value for name, value in texts if isinstance(value, str)} or str(entry)
