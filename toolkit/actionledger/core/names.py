"""Names of tools: which known one a wrong name was meant to be, and the namespaces that they stand in."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from actionledger.core.patterns import regex

_LONGEST_WORD = 100
"""Longer words are no typing errors."""

_SAME_LETTERS = 0.65
"""The least share of letters that are in place, swapped neighbours counted as one change."""

_SAME_WORDS = 75
"""The least likeness, in percent, once the words of both names are sorted."""

_MARGIN = 10
"""How far, in percent, a second name may be behind the nearest one to be named beside it."""

_MOST_NAMES = 3

_HUMP = regex(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = regex(r"[^\W_]+")


def near_names(word: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return the known names that a word may have been meant to be, nearest first; at most three.

    Letter case and what stands between a name's words don't count: ``createTask`` is ``create_task``. Where no name is
    alike, one is near whose words are all in the word, or the other way round: ``functions.create_task``.
    """
    if len(word) > _LONGEST_WORD or not (spoken := _spoken(word)):
        return ()
    choices = _choices(tuple(known))
    likeness = _alike(spoken, choices) or _containing(spoken, choices)
    nearest = sorted(likeness, key=lambda name: -likeness[name])[:_MOST_NAMES]
    return tuple(name for name in nearest if likeness[name] >= likeness[nearest[0]] - _MARGIN)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``did you mean 'a' or 'b'?`` for the known names nearest to a word; empty if none is near."""
    near = near_names(word, known)
    return f"did you mean {' or '.join(map(repr, near))}?" if near else ""


@lru_cache(maxsize=256)
def _choices(known: tuple[str, ...]) -> Mapping[str, str]:
    return {name: _spoken(name) for name in known}


def _spoken(name: str) -> str:
    """Return a name as its words in lower case, a blank between them."""
    return " ".join(_WORD.findall(_HUMP.sub(" ", name))).casefold()


def _alike(spoken: str, choices: Mapping[str, str]) -> dict[str, float]:
    """Return the likeness of each name, in percent, that has nearly the same letters or the same words."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - slow to load, and hardly ever asked for
    from rapidfuzz.distance import OSA  # noqa: PLC0415

    letters = process.extract(
        spoken,
        choices,
        scorer=OSA.normalized_similarity,
        score_cutoff=_SAME_LETTERS,
        limit=_MOST_NAMES,
    )
    words = process.extract(
        spoken, choices, scorer=fuzz.token_sort_ratio, score_cutoff=_SAME_WORDS, limit=_MOST_NAMES
    )
    likeness = {name: 100 * share for _, share, name in letters}
    for _, percent, name in words:
        likeness[name] = max(percent, likeness.get(name, 0.0))
    return likeness


def _containing(spoken: str, choices: Mapping[str, str]) -> dict[str, float]:
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - the same

    found = process.extract(spoken, choices, scorer=fuzz.token_set_ratio, score_cutoff=100, limit=None)
    return {name: fuzz.ratio(spoken, choice) for choice, _, name in found}


PLAIN = "functions"
"""What the namespace is called of tools that are in none."""


def namespace_of(tool: Mapping[str, Any]) -> str:
    """Return what a definition that holds several tools calls itself; empty for a tool by itself.

    Args:
        tool: the definition.
    """
    name = tool.get("name")
    return name if tool.get("type") == "namespace" and isinstance(name, str) else ""


def qualified(namespace: object, name: str) -> str:
    """Return a tool's name behind that of its namespace, joined as Codex does: two servers may each have a tool of one name.

    Args:
        namespace: the namespace; anything but a text is none.
        name: the tool's name in it.

    Example:
        >>> from actionledger.core.names import qualified
        >>> qualified("mcp__files", "list"), qualified("functions", "list")
        ('mcp__files__list', 'list')
    """
    is_plain = not isinstance(namespace, str) or namespace in {"", PLAIN} or not name
    return name if is_plain else f"{namespace}__{name}"
