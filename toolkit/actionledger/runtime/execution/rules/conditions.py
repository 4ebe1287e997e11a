"""A condition on a field, compared with what an action says there. Pure."""

import json
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, TypeAlias

from actionledger.core.canonical import json_text
from actionledger.runtime.execution.rules.commands import glob_restricts, words_restrict
from actionledger.runtime.execution.rules.fit import Fit
from actionledger.runtime.execution.rules.lines import Word, commands_in
from actionledger.runtime.execution.rules.paths import normalised, text_restricts
from actionledger.runtime.execution.rules.programs import Starts, started_by, started_by_words

Condition: TypeAlias = str | tuple[str, ...]
"""What a field must be: a glob over all of its text; or the words that a command begins with."""

_COMMANDS = re.compile(r"(.*_)?(commands?|cmd|shell|script|argv)")
"""Fields that hold a line for a shell, or the words of a command."""

_PATHS = re.compile(r"(.*_)?(paths?|target|files?|filename|source|destination|dir|directory|folder)")
"""Fields that hold paths; a rule about one of them is asked about all of them."""


def fits_plainly(condition: Condition, field: str, value: Any) -> bool:
    """Return whether a condition holds for a value as it stands, and for what it plainly means."""
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
    """Return whether an action is one that a condition is about, however it is written."""
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
    """Yield a value's text, and each of its texts where it is a list, however that is written."""
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
"""What makes a command more than words, for a shell; where a rule approves the first words, in quotes as well."""
