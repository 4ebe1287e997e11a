"""Names of tools: the known name that an unknown one was probably meant to be, and namespaces."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from actionledger.core.patterns import regex

_LONGEST_WORD = 100
"""Longer words are not typos."""

_SAME_LETTERS = 0.65
"""The least share of unchanged letters; a swap of neighbours counts as one change."""

_SAME_WHOLE = 0.85
"""The share of unchanged letters above which a name is only misspelt, however it is divided into words."""

_SAME_WORDS = 75
"""The least similarity, in percent, after the words of both names are sorted."""

_MARGIN = 10
"""How much less similar than the nearest name another one may be to be suggested too, in percent."""

_MOST_NAMES = 3

_SAME_MEANING = (
    "add create insert make new save store write",
    "delete discard drop erase forget remove",
    "cat fetch get open read show view",
    "alter change edit modify set update",
    "move rename",
    "call execute exec run",
    "find lookup query search",
    "dir directory folder",
    "answer reply respond say speak tell",
)
"""Words that models write for each other in names."""

_MEANINGS = {word: number for number, words in enumerate(_SAME_MEANING) for word in words.split()}

_HUMP = regex(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = regex(r"[^\W_]+")


def near_names(word: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return the known names that a word was probably meant to be, nearest first; at most three.

    Letter case and separators between words don't count: ``createTask`` is ``create_task``. If no name is similar, a name is near if
    the word contains all its words, or the reverse: ``functions.create_task``.
    """
    if len(word) > _LONGEST_WORD or not (spoken := _spoken(word)):
        return ()
    choices = _choices(tuple(known))
    likeness = _alike(spoken, choices) or _containing(spoken, choices)
    nearest = sorted(likeness, key=lambda name: -likeness[name])[:_MOST_NAMES]
    return tuple(name for name in nearest if likeness[name] >= likeness[nearest[0]] - _MARGIN)


def names_to_suggest(word: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return the known names of a word's meaning, else the near ones without another word in them.

    A model does what it is told: ``remove_file`` is ``delete_file``, not ``move_file``, and ``complete_task`` is nothing like ``delete_task``.
    """
    known, meaning = tuple(known), _meaning(word) if len(word) <= _LONGEST_WORD else ()
    same = _by_meaning(known).get(meaning, ()) if meaning else ()
    return same[:_MOST_NAMES] or tuple(name for name in near_names(word, known) if _is_misspelt(word, name))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``did you mean 'a' or 'b'?`` for the known names nearest to a word; empty if none is near."""
    near = names_to_suggest(word, known)
    return f"did you mean {' or '.join(map(repr, near))}?" if near else ""


@lru_cache(maxsize=256)
def _choices(known: tuple[str, ...]) -> Mapping[str, str]:
    return {name: _spoken(name) for name in known}


@lru_cache(maxsize=256)
def _by_meaning(known: tuple[str, ...]) -> Mapping[tuple[object, ...], tuple[str, ...]]:
    found: dict[tuple[object, ...], tuple[str, ...]] = {}
    for name in known:
        meaning = _meaning(name)
        found[meaning] = (*found.get(meaning, ()), name)
    return found


def _meaning(name: str) -> tuple[object, ...]:
    """Return a name's words, those that models write for each other as the same number."""
    return tuple(_MEANINGS.get(word, word) for word in _spoken(name).split())


def _is_misspelt(word: str, name: str) -> bool:
    """Return whether a word's difference from a name is one of spelling: not one of its words stands for another."""
    from rapidfuzz.distance import OSA  # noqa: PLC0415 - slow to load, and rarely needed

    written, known = _spoken(word).split(), _spoken(name).split()
    others, missing = [
        [each for each in one if each not in two] for one, two in ((written, known), (known, written))
    ]
    alike = (max(OSA.normalized_similarity(each, other) for other in others) for each in missing if others)
    whole = OSA.normalized_similarity("".join(written), "".join(known))
    return whole > _SAME_WHOLE or all(share >= _SAME_LETTERS for share in alike)


def _spoken(name: str) -> str:
    """Return a name as its words in lower case, separated by blanks."""
    return " ".join(_WORD.findall(_HUMP.sub(" ", name))).casefold()


def _alike(spoken: str, choices: Mapping[str, str]) -> dict[str, float]:
    """Return the similarity, in percent, of each name with nearly the same letters or the same words."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - slow to load, and rarely needed
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
"""The namespace of tools that are in no other one."""


def namespace_of(tool: Mapping[str, Any]) -> str:
    """Return the name of a definition that contains several tools; empty for a single tool."""
    name = tool.get("name")
    return name if tool.get("type") == "namespace" and isinstance(name, str) else ""


def qualified(namespace: object, name: str) -> str:
    """Return a tool's name after its namespace's, joined as Codex does, since two servers may each have a tool of one name.

    Args:
        namespace: the namespace; a value that is not a text means none.
        name: the tool's name in it.

    Example:
        >>> from actionledger.core.names import qualified
        >>> qualified("mcp__files", "list"), qualified("functions", "list")
        ('mcp__files__list', 'list')
    """
    is_plain = not isinstance(namespace, str) or namespace in {"", PLAIN} or not name
    return name if is_plain else f"{namespace}__{name}"
