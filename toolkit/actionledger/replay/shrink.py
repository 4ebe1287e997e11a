"""Find the smallest text that still fails in the same way, by delta debugging, for a response or a group of failures."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias

from actionledger.core.errors import UsageError, require_kind, require_names, require_number, require_text
from actionledger.core.hooks import drawn
from actionledger.core.patterns import regex
from actionledger.core.recording.turns import main_reason
from actionledger.core.values import ParseResult
from actionledger.ledger import Ledger
from actionledger.ledger.queries.base import refuse_no_ledger
from actionledger.ledger.queries.failure_sums import signature
from actionledger.ledger.queries.readings import reading_of_attempt
from actionledger.replay.failure_groups import FailureGroup, FailureKey
from actionledger.replay.readers import Reader, reader_of

_STRING = regex(r'"(?:[^"\\\n]|\\.)*"')
_TAG = regex(r"<([\w.:-]+)[^<>]*>")
_WORDS = regex(r"\w+|\s+|[^\w\s]")
_OPENERS = {"{": "}", "[": "]", "(": ")"}
_CLOSERS = frozenset(_OPENERS.values())


class _Spent(Exception):  # noqa: N818 - not an error: it ends the search
    """Raised if no tries are left."""


@dataclass(slots=True)
class Reduction:
    """The search for a smaller text."""

    holds: Callable[[str], bool]  # returns whether a text still fails in the same way
    text: str  # the smallest such text so far
    tries: int  # maximum number of texts to try
    characters: int  # maximum number of characters in these together
    tried: int = 0  # number of texts tried
    _known: set[str] = field(default_factory=set)

    def run(self) -> bool:
        """Make the text as small as possible; return whether the search finished before the tries ran out."""
        try:
            before = None
            while before != self.text:
                before = self.text
                self._leave_out(lambda text: text.splitlines(keepends=True))
                self._edit(_groups)
                self._edit(_tags)
                self._leave_out(_WORDS.findall)
                self._edit(_strings)
                self._leave_out(list)
        except _Spent:
            return False
        return True

    def _leave_out(self, parts_of: Callable[[str], list[str]]) -> None:
        """Remove chunks of parts, from halves down to single parts, until every part is needed."""
        parts = parts_of(self.text)
        size = max(1, len(parts) // 2)
        while parts:
            before = len(parts)
            parts = self._without_chunks(parts, size)
            if size == 1 and len(parts) == before:
                return
            size = max(1, size // 2)

    def _without_chunks(self, parts: list[str], size: int) -> list[str]:
        at = 0
        while at < len(parts):
            rest = parts[:at] + parts[at + size :]
            if self._takes("".join(rest)):
                parts = rest
            else:
                at += size
        return parts

    def _edit(self, edits: Callable[[str], Iterator[str]]) -> None:
        """Apply edits that keep brackets, tags and quotes paired, the largest first, until none succeeds."""
        while any(self._takes(shorter) for shorter in edits(self.text)):
            pass

    def _takes(self, text: str) -> bool:
        if len(text) >= len(self.text) or text in self._known:
            return False
        self._known.add(text)
        self.tried += 1
        self.characters -= len(text)
        if self.tried > self.tries or self.characters < 0:
            self.tried = min(self.tried, self.tries)
            raise _Spent
        if self.holds(text):
            self.text = text
            return True
        return False


def _groups(text: str) -> Iterator[str]:
    """Yield the text without one of its bracketed groups, without a group's content, and without one member."""
    for start, end, members in sorted(_bracketed(text), key=lambda group: group[0] - group[1]):
        yield text[:start] + text[end:]
        yield text[: start + 1] + text[end - 1 :]
        for place, (first, last) in enumerate(members):
            behind = members[place + 1][0] if place + 1 < len(members) else last
            before = members[place - 1][1] if place and behind == last else first
            yield text[:before] + text[behind:]


def _bracketed(text: str) -> Iterator[tuple[int, int, Sequence[tuple[int, int]]]]:
    """Yield each closed group outside strings: its begin and end, and its members between commas."""
    open_groups: list[tuple[int, str, list[int]]] = []
    at = 0
    while at < len(text):
        mark = text[at]
        if mark == '"' and (string := _STRING.match(text, at)):
            at = string.end()
            continue
        if mark in _OPENERS:
            open_groups.append((at, _OPENERS[mark], []))
        elif mark == "," and open_groups:
            open_groups[-1][2].append(at)
        elif mark in _CLOSERS and open_groups and open_groups[-1][1] == mark:
            start, _, commas = open_groups.pop()
            bounds = [start, *commas, at]
            yield start, at + 1, [(one + 1, two) for one, two in pairwise(bounds)]
        at += 1


def _tags(text: str) -> Iterator[str]:
    """Yield the text without one of its elements, without an element's content, and without its tags."""
    for opening in _TAG.finditer(text):
        end = text.find(f"</{opening[1]}>", opening.end())
        if end < 0:
            continue
        behind = end + len(opening[1]) + 3
        yield text[: opening.start()] + text[behind:]
        yield text[: opening.end()] + text[end:]
        yield text[: opening.start()] + text[opening.end() : end] + text[behind:]


def _strings(text: str) -> Iterator[str]:
    """Yield the text with one of its strings emptied, or cut to its first character."""
    for string in _STRING.finditer(text):
        yield f'{text[: string.start()]}""{text[string.end() :]}'
        if string[0][1] != "\\":
            yield f"{text[: string.start() + 2]}{text[string.end() - 1 :]}"


Failing: TypeAlias = Callable[[str], bool]
"""Returns whether a text still fails in the same way."""

TRIES = 3_000
"""Maximum number of texts to try."""

CHARACTERS = 20_000_000
"""Maximum number of characters in these texts together, so that a large text gets fewer tries."""


@dataclass(frozen=True, slots=True)
class Shrunk:
    r"""The smallest failing text found.

    Args:
        text: the smallest text.
        original: the original text.
        tries: number of texts tried.
        is_smallest: whether nothing more can be removed; False if the tries ran out first.

    Example:
        >>> text = 'Good morning!\n```actions\n{"actions": [{"type": "list_tasks"}, {"type": "get_task"}]}\n```\nDone.'
        >>> shrunk = al.shrink(text, profile="assistant")
        >>> shrunk.text, len(shrunk.original), shrunk.is_smallest
        ('```actions\n{"actions":[{"type":"gettask"}]}```', 94, True)
    """

    text: str
    original: str
    tries: int
    is_smallest: bool

    def __repr__(self) -> str:
        return drawn(self, "line")

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return drawn(self, "html")


def shrink(
    text: str,
    is_failing: Failing | None = None,
    *,
    parser: str = "",
    dialects: Sequence[str] = (),
    profile: str = "",
    tools: Sequence[Mapping[str, Any]] | None = None,
    tries: int = TRIES,
) -> Shrunk:
    """Return the smallest text that still fails in the same way.

    The same way means the same outcome, set of issues and set of field errors, with the same parser and no additional repair; or it
    is decided by ``is_failing``. The search depends on the text alone, so the same text gives the same result.

    Args:
        text: a response that fails.
        is_failing: returns whether a text fails in the same way; replaces the arguments below.
        parser: the parser's name.
        dialects: or the dialects to search for.
        profile: the profile whose catalogue to check actions against, and whose parser to use if no other is given.
        tools: or the tools that the model was offered.
        tries: maximum number of texts to try; fewer for long texts.

    Returns:
        The smallest text found; the text itself if nothing can be removed.

    Raises:
        UsageError: the text has no failure, or no way to parse it is given.
        UnknownNameError: a name is unknown.

    Example:
        >>> al.shrink("one two three four", lambda text: "three" in text).text
        'three'
    """
    require_text(text)
    require_number("tries", tries, least=0)
    if is_failing is None:
        require_names("dialects", dialects)
        reader = Reader(parser=parser, dialects=tuple(dialects), profile=profile, tools=tools)
        is_failing = like(text, reader)
    elif parser or dialects or profile or tools is not None:
        raise UsageError("Give either is_failing or how to read the text: the function reads it itself.")
    if not is_failing(text):
        raise UsageError("The text doesn't fail as is_failing says, so nothing of it can be left out.")
    return _shrunk(text, is_failing, tries)


def like(text: str, reader: Reader) -> Failing:
    """Return a function that tests whether a text fails as this one does."""
    result = reader.read(text)
    manner = _manner(result)
    if manner[0].is_success and not manner[1] and not manner[2]:
        raise UsageError(f"Nothing fails in the text: it is read as {manner[0]}, without an issue.")

    def is_alike(other: str) -> bool:
        found = reader.read(other)
        return _manner(found) == manner and _is_no_stranger(found, result)

    return is_alike


def shrink_group(ledger: Ledger, group: FailureGroup, *, tries: int = TRIES) -> Shrunk:
    r"""Return the smallest text that fails like a group of failures, made from its shortest example.

    Only the example's outcome and the group's own failure are kept, with its signature; other failures may disappear.

    Args:
        ledger: the ledger with the examples.
        group: a group of parse or check failures; a text doesn't determine how an execution fails.
        tries: maximum number of texts to try.

    Raises:
        UsageError: it is a group of executions, or none of its examples still fails that way.

    Example:
        >>> text = 'Good morning! ```actions\n{"actions": [{"type": "get_task"}, {"type": "update_task"}]}\n```'
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turn = runtime.handle(text)
        ...     groups = al.failures(ledger).groups
        ...     print([al.shrink_group(ledger, group).text for group in groups if group.key.action == "get_task"][0])
        ```actions{"actions":[{"type":"get_task"}]}```
    """
    refuse_no_ledger(ledger)
    require_kind(group, FailureGroup, "A group is one of al.failures(ledger).groups")
    require_number("tries", tries, least=0)
    if group.key.stage == "acting":
        raise UsageError(
            "The result of an action doesn't depend on its text: only failures of parsing and checking shrink."
        )
    recorded = [reading_of_attempt(ledger, example.attempt_id) for example in group.examples]
    for reading in sorted(recorded, key=lambda reading: len(reading.text)):
        reader = reader_of(reading)

        result = reader.read(reading.text)

        def is_failing(text: str, reader: Reader = reader, result: ParseResult = result) -> bool:
            found = reader.read(text)
            return (
                found.outcome is result.outcome and _has(found, group.key) and _is_no_stranger(found, result)
            )

        if is_failing(reading.text):
            return _shrunk(reading.text, is_failing, tries)
    raise UsageError(f"None of the examples of {group.key.code} fails so when it is read today.")


def _shrunk(text: str, is_failing: Failing, tries: int) -> Shrunk:
    search = Reduction(is_failing, text, tries, CHARACTERS)
    is_smallest = search.run()
    return Shrunk(search.text, text, search.tried, is_smallest)


def _manner(result: ParseResult) -> tuple[Any, ...]:
    """Return the way in which a response fails."""
    refused = {(call.status, error.code) for call in result.actions for error in call.errors}
    return result.outcome, frozenset(issue.code for issue in result.issues), frozenset(refused)


def _is_no_stranger(found: ParseResult, result: ParseResult) -> bool:
    """Return whether a smaller text fails only in ways that the whole one does; otherwise it is another failure."""
    issues = {issue.code for issue in found.issues} <= {issue.code for issue in result.issues}
    repairs = {repair.kind for repair in found.repairs} <= {repair.kind for repair in result.repairs}
    return issues and repairs and bool(found.text.strip() or not result.text.strip())


def _has(result: ParseResult, key: FailureKey) -> bool:
    """Return whether a response has a group's failure."""
    if key.stage == "reading":
        issues = (issue.detail for issue in result.issues if issue.code == key.code)
        return main_reason(result) == key.code and signature(next(issues, "")) == key.signature
    # The path and expected value make a rejected field's signature, as in the failures query.
    return result.outcome.has_intent and any(
        error.code == key.code
        and signature(
            " ".join(filter(None, (f"{error.path}:" if error.path else "", f"expected {error.expected}")))
        )
        == key.signature
        for call in result.actions
        if call.name == key.action
        for error in call.errors
    )
