"""Compare a rule's condition with an action: literally if it approves, in all spellings if it restricts. Pure."""

import json
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, TypeAlias

from actionledger.core.canonical import json_text
from actionledger.core.patterns import regex
from actionledger.runtime.execution.rules.commands import glob_restricts, words_restrict
from actionledger.runtime.execution.rules.programs import (
    Fit,
    Starts,
    Word,
    commands_in,
    folded,
    started_by,
    started_by_words,
)

Condition: TypeAlias = str | tuple[str, ...]
"""A condition on a field: a glob over its whole text, or the words that a command begins with."""

_COMMANDS = regex(r"(.*_)?(commands?|cmd|shell|script|argv)")
"""Fields that hold a shell command line, or the words of a command."""

_PATHS = regex(r"(.*_)?(paths?|target|files?|filename|source|destination|dir|directory|folder)")
"""Fields that hold paths; a rule on one of them is checked against all of them."""


def fits_plainly(condition: Condition, field: str, value: Any) -> bool:
    """Return whether a condition holds for a value as written, which can mean nothing else."""
    text = value if isinstance(value, str) else json_text(value)
    if not isinstance(condition, str):
        words = None if set(text) & _SHELL_SIGNS else _words(text)
        return words is not None and words[: len(condition)] == list(condition)
    if condition == "*":
        return True
    if not fnmatchcase(text, condition):
        return False
    if _COMMANDS.fullmatch(field):
        return _words(text) is not None
    if _PATHS.fullmatch(field):
        return ".." not in text.split("/") and fnmatchcase(normalised(text), normalised(condition))
    return True


def restricts(condition: Condition, field: str, arguments: Mapping[str, Any]) -> Fit:
    """Return whether a condition applies to an action, in any spelling."""
    fit = _restricts(condition, field, arguments[field]) if field in arguments else Fit.NO
    if fit is Fit.NO and _PATHS.fullmatch(field) and isinstance(condition, str):
        names = [name for name in arguments if name != field and _PATHS.fullmatch(name)]
        others = [_restricts(condition, name, arguments[name]) for name in names]
        return min(Fit.PERHAPS, max(others, default=Fit.NO))
    return fit


def _restricts(condition: Condition, field: str, value: Any) -> Fit:
    if not isinstance(condition, str):
        return words_restrict(condition, _starts(value)) if condition else Fit.PERHAPS
    text = value if isinstance(value, str) else json_text(value)
    if _COMMANDS.fullmatch(field):
        return glob_restricts(condition, text, _starts(value))
    is_path = bool(_PATHS.fullmatch(field))
    return max(text_restricts(condition, each, is_path=is_path) for each in _texts(value, text))


def _starts(value: Any) -> Starts:
    if isinstance(value, list):
        words = tuple(Word(each if isinstance(each, str) else json_text(each)) for each in value)
        return started_by_words(words) if words else Starts((), is_known=True)
    return started_by(value if isinstance(value, str) else json_text(value))


def _texts(value: Any, text: str) -> Iterator[str]:
    """Yield a value's text, and the texts of its items if it is a list in any notation."""
    yield text
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = text
    if isinstance(value, list):
        yield from (each for each in value if isinstance(each, str))
    elif "\n" in text:
        yield from text.splitlines()


def _words(text: str) -> list[str] | None:
    """Return the words of a command; None if the text is more than one command, or more than words."""
    line = commands_in(text)
    is_one = line.is_read and line.is_whole and len(line.commands) == 1
    if not is_one or any(not word.is_plain for word in line.commands[0]):
        return None
    return [word.text for word in line.commands[0]]


_SHELL_SIGNS = frozenset(";&|<>$`\n\r(){}*?[]!#~\\")
"""Characters that have a meaning for a shell; where a rule approves first words, even in quotes."""


_LONGEST = 4096
_GLOB = regex(r"[*?\[{$%]")
_SHORT_NAME = regex(r"~\d")


def normalised(path: str) -> str:
    """Return a path without redundant parts: ``.``, ``..`` after a folder, doubled slashes."""
    parts: list[str] = []
    for part in path.replace("\\", "/").split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return ("/" if path.startswith(("/", "\\")) else "") + "/".join(parts)


def text_restricts(pattern: str, path: str, *, is_path: bool) -> Fit:
    """Return whether a glob restricts a text, or may."""
    if fnmatchcase(path, pattern):
        return Fit.YES
    if len(path) > _LONGEST or "\n" in path:
        return Fit.PERHAPS if fnmatchcase(folded(path), folded(pattern)) else Fit.NO
    plain, wanted = normalised(path), normalised(pattern)
    if fnmatchcase(plain, wanted) or fnmatchcase(plain, pattern):
        return Fit.YES
    loose, loosely = _loose(plain), _loose(wanted)
    forms = {loose, folded(path)}
    if path.startswith(("/", "~", "\\")) or ":" in path or ".." in plain:
        # A rule doesn't know the workspace's location, so each trailing part of the path may be relative to it.
        parts = loose.strip("/").split("/")
        forms |= {"/".join(parts[at:]) for at in range(len(parts))}
    forms |= {form.removeprefix("refs/").removeprefix("heads/") for form in tuple(forms)}
    if any(fnmatchcase(form, each) for form in forms for each in (loosely, folded(pattern))):
        return Fit.PERHAPS
    return Fit.PERHAPS if is_path and any(_may_be(form, loosely) for form in forms) else Fit.NO


def _may_be(path: str, pattern: str) -> bool:
    """Return whether a glob matches a part of a path, or one of the paths that it expands to."""
    wanted = re.split(r"[*?\[]", pattern, maxsplit=1)[0]
    folder = wanted.rpartition("/")[0]
    if folder and (path in {"", folder} or folder.startswith(f"{path}/")):
        return True
    if _SHORT_NAME.search(path):
        return True
    begins, *rest = _GLOB.split(path, maxsplit=1)
    return bool(rest and wanted) and (wanted.startswith(begins) or begins.startswith(wanted))


def _loose(path: str) -> str:
    """Return a path as systems with lenient file names resolve it."""
    parts = (
        re.split(r"::?\$?", part)[0] if not re.fullmatch(r"\w:", part) else part
        for part in folded(path).split("/")
    )
    return "/".join(
        part.strip(" \t") if part in {".", ".."} else part.strip(" \t").rstrip(". ") for part in parts
    )


__all__ = ["Condition", "Fit", "fits_plainly", "restricts"]
