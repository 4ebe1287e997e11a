"""Rules of alerts: a TOML file that sets bounds on numbers over a period; and their check."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

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
from actionledger.cli.filters import GIVEN, filter_from
from actionledger.core.canonical import json_text
from actionledger.core.errors import SourceError, UsageError
from actionledger.core.ids import derived_id, now
from actionledger.core.patterns import regex
from actionledger.ledger import Ledger

_OVER = regex(r"([1-9]\d{0,3})([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}

OF_THE_LEDGER = (
    "left_out",
    "unknown_wordings",
    "newer_than_tested",
    "refused",
    "price_sources",
    "minutes_since_last_record",
)
"""The numbers of a whole ledger, to which no period or filter applies."""

_NARROWING = sorted(GIVEN.keys() - {"since", "until", "run"})


class AlertRule(BaseModel):
    """One rule."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(min_length=1, max_length=80)]  # what people call it
    number: str  # which number, by its path in `report --json`, such as `usage.cost_usd`
    above: float | None = None  # above, below: the bound; one of them is given
    below: float | None = None
    over: str = ""  # of which last time, such as `7d`; all of it where nothing is given
    only: dict[str, str | list[str]] = {}  # what narrows it, by the names of filters
    at_least: Annotated[int, Field(ge=1)] = 1  # of how many a rate must be before the rule says anything
    by_interval: bool = True  # whether all of a rate's interval must be beyond the bound, not its value alone

    @field_validator("name")
    @classmethod
    def _is_a_line(cls, name: str) -> str:
        if not name.isprintable() or not name.strip():
            raise ValueError("a name is one line of characters that can be seen")
        return name

    @field_validator("over")
    @classmethod
    def _is_a_time(cls, over: str) -> str:
        if over and not _OVER.fullmatch(over):
            raise ValueError("write a number and m, h, d or w, such as 7d")
        return over

    @field_validator("only")
    @classmethod
    def _are_filters(cls, only: dict[str, str | list[str]]) -> dict[str, str | list[str]]:
        if others := [name for name in only if name not in _NARROWING]:
            raise ValueError(f"{others[0]!r} narrows nothing; choose from {', '.join(_NARROWING)}")
        return only

    @model_validator(mode="after")
    def _is_one_bound(self) -> Self:
        if (self.above is None) == (self.below is None):
            raise ValueError("give one bound: above or below")
        if (self.over or self.only) and self.number.split(".")[0] in OF_THE_LEDGER:
            raise ValueError(f"{self.number!r} is of the whole ledger; leave 'over' and 'only' out")
        return self

    @property
    def last(self) -> timedelta | None:
        """The length of its period before now; None for all time."""
        found = _OVER.fullmatch(self.over)
        return timedelta(**{_UNITS[found[2]]: int(found[1])}) if found else None

    @property
    def bound(self) -> float:
        """The bound."""
        return self.above if self.above is not None else self.below or 0.0

    @property
    def asked(self) -> str:
        """The bound and the period in words."""
        words = "above" if self.above is not None else "below"
        return f"{words} {self.bound:,g}{f' over {self.over}' if self.over else ''}"

    @property
    def key(self) -> str:
        """Its key in the kept alerts; a changed rule gets a new key."""
        return derived_id("alert-rule", json_text(self.model_dump()))


class Rules(NamedTuple):
    """The content of a rules file."""

    rules: tuple[AlertRule, ...]
    link: str  # the dashboard's address, for recipients; empty if none is given
    secrets: Path | None  # the file with the alerts' addresses; None if they are in the environment


class _File(BaseModel):
    """The file as it is written."""

    model_config = ConfigDict(extra="forbid")

    rule: Annotated[list[AlertRule], Field(min_length=1)]
    link: str = ""
    secrets: str = ""

    @field_validator("link")
    @classmethod
    def _is_an_address(cls, link: str) -> str:
        if link and not link.startswith(("http://", "https://")):
            raise ValueError("a link begins with http:// or https://")
        return link.rstrip("/")


def rules_in(path: Path) -> Rules:
    """Return the rules of a file."""
    try:
        written = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SourceError(
            f"The rules {str(path)!r} can't be read: {error.strerror or error}. docs/alerts.md has rules to begin with; "
            "'actionledger check --numbers' lists what a rule can be about."
        ) from error
    except (ValueError, RecursionError) as error:
        raise SourceError(f"The rules {str(path)!r} are not TOML: {error}.") from error
    try:
        file = _File.model_validate(written)
    except ValidationError as error:
        raise UsageError(f"In {str(path)!r}, {_first(error, written)}.") from error
    names = [rule.name for rule in file.rule]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"In {str(path)!r}, two rules are called {twice!r}; give each a name of its own.")
    secrets = path.parent / Path(file.secrets).expanduser() if file.secrets else None
    return Rules(tuple(file.rule), file.link, secrets)


def _first(error: ValidationError, written: dict[str, Any]) -> str:
    """Return the first error, with the rule's name."""
    found = error.errors(include_url=False)[0]
    place = [str(each) for each in found["loc"]]
    where = ""
    if place[:1] == ["rule"] and len(place) > 1:
        rule = written["rule"][int(place[1])]
        name = rule.get("name") if isinstance(rule, dict) else None
        where = f"rule {int(place[1]) + 1}{f' ({name!r:.100})' if name else ''}, "
        place = place[2:]
    if found["type"] == "extra_forbidden":
        known = AlertRule.model_fields if where else _File.model_fields
        return f"{where}there is no key {place[-1]!r}; known are {', '.join(known)}"
    about = f"{'.'.join(place)}: " if place else ""
    return f"{where}{about}{found['msg'].removeprefix('Value error, ')}"


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
