"""What opens a block in each dialect, taken from the dialects themselves: one that is added is in every test of growth."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from case_files import case_files
from hypothesis import Phase, find, settings
from hypothesis.strategies import from_regex

from actionledger.reading.dialects import DIALECTS, Dialect
from actionledger.reading.parsers import PARSERS

QUICKLY = settings(phases=(Phase.generate, Phase.shrink), database=None, derandomize=True)
"""Why an example is what it is took most of the time to find one."""


class Opener(NamedTuple):
    """A text that opens a block."""

    text: str  # the text; of what opens one at the start of a line, an example
    half: str  # the same with half of what stands behind it in an example
    readers: tuple[str, ...]  # the dialects that ask for it


@cache
def openers() -> tuple[Opener, ...]:
    """Return every opener of every dialect, each once."""
    found: dict[str, Opener] = {}
    for dialect in DIALECTS:
        for text, half in _of(dialect):
            known = found.get(text, Opener(text, half, ()))
            found[text] = known._replace(readers=(*known.readers, dialect.name))
    return tuple(found.values())


@cache
def kinds_of_openers() -> tuple[Opener, ...]:
    """Return one opener of each kind: of those that the same dialects ask for, and that begin alike, the first."""
    return tuple({(each.readers, each.text[0]): each for each in reversed(openers())}.values())


@cache
def offered() -> frozenset[str]:
    """Return the names that the dialects' examples call."""
    parser = PARSERS["auto"]
    return frozenset(action.name for each in DIALECTS for action in parser.read(each.example).actions)


def _of(dialect: Dialect) -> Iterator[tuple[str, str]]:
    texts = [dialect.example, *_cases(dialect.name), *_cases("*")]
    for literal in sorted(dialect.literals):
        yield literal, _half(literal, texts) or literal
    for label in sorted(dialect.fence_labels):
        fence = f"```{label}\n"
        yield fence, _half(fence, texts) or fence
    patterns = [rf"^[ \t]*+{line}" for line in sorted(dialect.line_patterns)]
    for pattern in (*patterns, *sorted(dialect.near_literals)):
        matches = (re.search(pattern, text, re.MULTILINE) for text in texts)
        text = next((match[0] for match in matches if match), None) or _simplest(pattern)
        yield text, _half(text, texts) or text


@cache
def _simplest(pattern: str) -> str:
    """Return a text that a pattern of which no case shows an example matches."""
    return find(from_regex(pattern, fullmatch=True), lambda _: True, settings=QUICKLY)


@cache
def _cases(name: str) -> tuple[str, ...]:
    return tuple(case.get("text", "") for path, case in case_files() if name in {path.parent.name, "*"})


def _half(opener: str, texts: Iterable[str]) -> str:
    """Return an opener with half of what stands behind it in the first of these texts that has more than it."""
    for text in texts:
        at = text.find(opener)
        behind = text[at + len(opener) :] if at >= 0 else ""
        if len(behind.strip()) > 1:
            return opener + behind[: (len(behind) + 1) // 2]
    return ""
