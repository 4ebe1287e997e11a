"""Rules of alerts: a TOML file that sets bounds on numbers over a period."""

import tomllib
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from actionledger.cli.filters import GIVEN
from actionledger.core.canonical import json_text
from actionledger.core.errors import SourceError, UsageError
from actionledger.core.ids import derived_id
from actionledger.core.patterns import regex

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
