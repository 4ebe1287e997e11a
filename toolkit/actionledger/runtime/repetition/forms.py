"""Normalise calls and results for comparison: keep real differences, drop trivial ones. Pure.

Other targets or contents make another call; layout, and numbers that only identify a call, don't. In a result, times and
identifiers are ignored; other numbers count, because they may show progress.
"""

import json
import re
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Any

from actionledger.core.patterns import regex
from actionledger.core.text import escaped_halves

_COMPARED = 2000
"""How much of a thought is compared for similarity, in characters from its beginning."""

_END = 4000
"""How much of a long result is compared from either end, in characters."""

_SHORT = 400
"""The maximum length of an answer about whether something is ready, in characters."""

_BLANKS = regex(r"\s+")
_NUMBERS = regex(r"0x[0-9a-f]+|\b[0-9a-f]{8,}(?:-[0-9a-f]+)*\b|\d+(?:[.:,T-]\d+)*Z?", re.IGNORECASE)
_TIMES_AND_IDS = regex(
    r"""
      \d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?   # a moment
    | \b\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?\b                                  # a time of day
    | \b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|secs?|seconds?)\b                    # a duration
    | \b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b | \b0x[0-9a-f]+\b       # an identifier as programs make it
    | \b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}\b
    | \#\d+\b                                                                 # a number that people tell things apart by
    | (?:\b|_)(?:id|uuid|pid)\b["']?\s*[:=]?\s*["']?[\w-]*\d[\w-]*
    | (?:timestamp|_at|_time|duration(?:_ms)?|elapsed(?:_ms)?)["']\s*:\s*(?:"[^"]*"|[\d.]+)
    """,
    re.IGNORECASE | re.VERBOSE,
)

_BOOKKEEPING = regex(
    r"(?:tool_?)?(?:call|use)_?id|action_?id|(?:trace|correlation)_?id|idempotency_?key|nonce", re.IGNORECASE
)
"""Arguments that only identify a call, unless it has no others."""

_WORDS = regex(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_MAKING = frozenset(
    [
        "add",
        "append",
        "book",
        "buy",
        "create",
        "insert",
        "order",
        "pay",
        "post",
        "publish",
        "save",
        "send",
        "submit",
        "upload",
        "write",
    ]
)
"""Verbs that create: such a call with the same content is a repetition, whatever number the new item has."""

_CHANGING = _MAKING | frozenset(
    ["cancel", "clear", "close", "delete", "drop", "edit", "move", "remove", "rename", "set", "update"]
)
_LOOKING = frozenset(
    [
        "await",
        "build",
        "check",
        "curl",
        "describe",
        "fetch",
        "get",
        "health",
        "inspect",
        "job",
        "list",
        "log",
        "logs",
        "monitor",
        "output",
        "ping",
        "poll",
        "progress",
        "query",
        "read",
        "show",
        "stat",
        "state",
        "status",
        "tail",
        "view",
        "wait",
        "watch",
    ]
)
_RESTING = frozenset({"await", "sleep", "wait"})
_UNREADY = regex(
    r"\b(?:still|not (?:yet )?(?:ready|done|finished|completed?)|in[ _-]?progress|pending|queued|waiting|building|"
    r"processing|starting|initiali[sz]ing|provisioning|deploying|uploading|scheduled|try again later|"
    r"running(?! \d))\b",
    re.IGNORECASE,
)
_PASSING = regex(
    r"\btimed? ?out\b|\btimeout|\btemporar|\brate limit|\btoo many requests\b|\bconnection (?:was )?(?:refused|reset|closed)\b|"
    r"\bunavailable\b|\b(?:429|502|503|504)\b|\btry again (?:later|in)\b|\boverloaded\b",
    re.IGNORECASE,
)


class CallForm:
    """A call in comparable form; expensive properties are computed on request. ``references``: its ``id`` and ``depends_on`` name actions of the response."""

    def __init__(self, name: str, arguments: str, *, references: bool = False) -> None:
        self.name = name
        self._arguments = arguments
        self._references = references

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CallForm):
            return NotImplemented
        return self.name == other.name and (self.exact, self.loose) == (other.exact, other.loose)

    def __hash__(self) -> int:
        return hash((self.name, self.exact))

    @cached_property
    def _value(self) -> Any:
        """The arguments without identifiers and other bookkeeping."""
        return _without_bookkeeping(_value(self._arguments), self._references)

    @cached_property
    def exact(self) -> str:
        """The hash of the arguments, regardless of layout."""
        return _hashed_value(self._value, _laid_out)

    @cached_property
    def loose(self) -> str:
        """The same, regardless of nearly all whitespace."""
        return _hashed_value(self._value, _without_blanks)

    @cached_property
    def words(self) -> str:
        """The beginning of its text, for comparing thoughts."""
        return _words(self._value)

    @cached_property
    def is_rest(self) -> bool:
        """Whether the call only waits."""
        return not _RESTING.isdisjoint(_words_in(self.name)) or (
            # A cheap test first: the raw text contains this word, or an escape that may stand for its letters.
            ("sleep" in self._arguments or "\\u" in self._arguments)
            and any(text.strip().startswith("sleep ") for text in _texts(self._value))
        )


def call_form(name: str, arguments: str, *, references: bool = False) -> CallForm:
    """Return a call in comparable form; its arguments are JSON or any other text."""
    return CallForm(name, arguments, references=references)


def result_form(name: str, result: str) -> str:
    """Return the hash of a call's result, without times and identifiers."""
    varying = _NUMBERS if _verb(name) in _MAKING else _TIMES_AND_IDS
    return hashed(_without(varying, result))


def error_form(error: str) -> str:
    """Return the hash of a call's error, without numbers."""
    return hashed(_without(_NUMBERS, error))


def ends_of(text: str) -> str:
    """Return the compared part of a result: both ends of a long text."""
    return text if len(text) <= 2 * _END else f"{text[:_END]}\n{text[-_END:]}"


def words_of(text: str) -> str:
    """Return the words of a text or of a JSON value's texts: the beginning, in lower case and on one line."""
    return _words(_value(text))


def says_not_yet(name: str, arguments: str, answer: str) -> bool:
    """Return whether a call asks for a status, and the answer is that it isn't ready yet."""
    if len(answer) > _SHORT or not _UNREADY.search(answer):
        return False
    if _verb(name) in _CHANGING:
        return False
    return any(word in _LOOKING for text in (name, arguments[:_SHORT]) for word in _words_in(text))


def may_pass(error: str) -> bool:
    """Return whether a call failed for a transient reason."""
    return len(error) <= _SHORT and _PASSING.search(error) is not None


def hashed(text: str) -> str:
    """Return a text as a hash of fixed length."""
    return blake2b(escaped_halves(text).encode(), digest_size=12).hexdigest()


def _value(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments


def _without_bookkeeping(value: Any, references: bool) -> Any:
    """Return arguments without those that only identify a call."""
    if not isinstance(value, dict):
        return value
    dropped = {"id", "depends_on"} if references else set()
    if "command" in value:
        dropped.add("description")  # a command's description doesn't change its effect
    kept = {key: each for key, each in value.items() if key not in dropped}
    return {key: each for key, each in kept.items() if not _BOOKKEEPING.fullmatch(str(key))} or kept


def _hashed_value(value: Any, form: Callable[[str], str]) -> str:
    return hashed(json.dumps(_formed(value, form), sort_keys=True, ensure_ascii=False))


def _formed(value: Any, form: Callable[[str], str]) -> Any:
    """Return a value with a function applied to each of its texts."""
    if isinstance(value, str):
        return form(value)
    if isinstance(value, list):
        return [_formed(each, form) for each in value]
    if isinstance(value, dict):
        return {key: _formed(each, form) for key, each in value.items()}
    return value


def _laid_out(text: str) -> str:
    """Return a text with whitespace folded within lines and removed around it."""
    stripped = text.strip()
    return stripped if "\n" in stripped else _BLANKS.sub(" ", stripped)


def _without_blanks(text: str) -> str:
    """Return a text without whitespace, except at the start of lines, where it has a meaning in some languages."""
    stripped = text.strip()
    if "\n" not in stripped:
        return _BLANKS.sub("", stripped)
    lines = (line.rstrip() for line in stripped.splitlines())
    return "\n".join(line[: len(line) - len(line.lstrip())] + _BLANKS.sub("", line) for line in lines if line)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)


def _words(value: Any) -> str:
    return _BLANKS.sub(" ", " ".join(_texts(value))[:_COMPARED]).strip().casefold()


def _without(varying: re.Pattern[str], text: str) -> str:
    """Return a text, or both ends of a long one, with varying parts made equal."""
    return _BLANKS.sub(" ", varying.sub("#", ends_of(text))).strip()


@lru_cache(maxsize=1024)
def _verb(name: str) -> str:
    """Return the first verb in a name; empty if there is none."""
    return next((word for word in _words_in(name) if word in _CHANGING | _LOOKING), "")


@lru_cache(maxsize=1024)
def _words_in(text: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(text)]
