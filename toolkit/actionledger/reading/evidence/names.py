"""The offered names in all spellings of models, and where they are the name of a call.

Models exchange dots and underscores, and camel case and separated words. They put a backslash before an underscore,
and a module before the name.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

from actionledger.core.patterns import regex
from actionledger.core.values import Span
from actionledger.reading.evidence.own_marks import has_own_mark, mark_before, prefix_before

_PARTS = regex(r"[._-]+")
_HUMP = regex(r"(?<=[a-z0-9])(?=[A-Z])")
_SIGN = r"(?:\\?[._-])+"
_SHORTEST = 3
_LONGEST = 300
_MOST_MODULES = 6
_SHORT = 400
"""The longest text that is searched for names without a pre-check, in code points."""

NAME_KEYS = (
    *("name", "tool_name", "function_name", "function", "tool", "action", "api", "api_name", "action_name"),
    *("func", "fn", "method", "recipient_name", "call", "command", "operation", "type"),
)
"""The keys under which models put the callee's name."""

_NAME_KEY = regex(
    rf"""(?:{"|".join(sorted(NAME_KEYS, reverse=True))})\\?["'“”‘’]?+\s*+(?:=>|[:=])\s*+\\?["'“”‘’`]\Z""",
    re.IGNORECASE,
)
_BARE_KEY = regex(
    rf"""[{{,]\s*+\\?["'“‘]?+(?:{"|".join(sorted(NAME_KEYS, reverse=True))})\\?["'”’]?+\s*+[:=]\s*+\Z""",
    re.IGNORECASE,
)
"""Text before an unquoted name that is the value of such a key: in an object, since otherwise it would be a sentence."""

_LINE_KEY = regex(
    r"""(?:^|\n)[ \t]*+(?:-[ \t]++)?(?:action|tool|tool_name|function|function_name|tool_call|call)[ \t]*+:[ \t]*+["']?\Z""",
    re.IGNORECASE,
)
"""Text before a name that is the value of such a key on a line of its own, as in YAML."""

_NEAR_KEY = regex(r"""[{,]\s*+\\?["'](?P<key>[a-z_]{2,14})\\?["']\s*+:\s*+\\?["']\Z""", re.IGNORECASE)
_MISSPELT = NAME_KEYS[:6]
"""The keys that are also known when misspelt: longer ones, which are less like other words."""

_CUT_BEHIND = regex(
    r"(?:^|\n|>)[ \t]*+\[\Z|(?:^|\n)[ \t]*+`{3}(?:python|py|tool_code)?+[ \t]*+\r?\n\Z", re.IGNORECASE
)
"""Text before a name, at the end of a text, that begins a cut-off call."""

_ARGUMENT_KEY = regex(r"\s*+(?:arguments|args)[ \t]*+:\Z", re.IGNORECASE)
_NAME_LINE = regex(r"""(?:^|\n)[ \t]*+name[ \t]*+:[ \t]*+["']?\Z""", re.IGNORECASE)
"""Text before a name on a line of its own, if arguments follow on the next one; otherwise it names anything."""

_DRESSED_LINE = regex(r"(?:^|\n)[ \t]*+(?:[*_]{1,2}|[\[(])?\Z")
_OWN_LINE = regex(r"(?:^|\n)[ \t]*+(?:[$>][ \t]++)?\Z")

_OPENS_PAIR = regex(r"""[\[(]\s*+\\?["'“‘]\Z""")
_OPENS_TAG = regex(
    r"(?:<|&lt;|\\<|\\u003c)\s*+(?:[A-Za-z_][\w:-]*+(?:=|[ \t]++(?:tool_|function_)?name[ \t]*+=[ \t]*+))?[\"']?\Z",
    re.IGNORECASE,
)
_KEY_WINDOW = 40

_QUOTE = r"""\\?["'“”‘’`]"""
_FOLLOWED = (
    r"(?P<call>[\"'`]?[ \t]?\()"
    r"|(?P<line>[\"']?[ \t]*+\r?\n[ \t]*+(?!(?:description|type|version|returns|required|summary)\b)[A-Za-z_]\w*+[ \t]*+:(?!:))"
    rf"|{_QUOTE}(?:(?P<key>\s*+:\s*+(?:[\[{{\"'(]|null\b|None\b))|(?P<pair>\s*+,\s*+\\?[\[{{(\"'])|(?P<text>))"
    r"|(?P<left>(?::\d++\s*+|>\s*+)\{)"
    r"|(?P<dressed>(?:(?:\*{1,2}|__|\])[ \t]*+:?+|[ \t]*+(?:->|=>|,))[ \t]*+(?:\((?=\s*+(?:\w++\s*+=|[\"'{)]))|\{\s*+[\"'}])"
    r"|\[[a-z_]\w*+=[\"'\d]"
    r"|(?P<pairs>(?:[ \t]++[a-z_]\w*+=(?:\"[^\"\n]*+\"|'[^'\n]*+'|[\w./-]++))++\)?[ \t]*+(?=\r?\n|\Z)))"
    r"|(?P<object>[ \t]*+:?+\s*+\{\s*+(?:[\"'}]|[^\W\d]\w*+[ \t]*+:))"
    r"|(?P<tag>[ \t]*+(?:\\?/?>|&gt;|[A-Za-z_]\w*+\s*+=))"
    r"|(?P<bare>\s*+[,}])"
    r"|(?P<options>[ \t]++--[A-Za-z][\w-]*+(?:[ \t]++|=)[^\s-])"
    r"|(?P<loose>)"
)
"""Text after a name that is called: a bracket, the end of its string, its arguments, the end of its tag or of the object; the next key
on a line, options as for a program, or arguments after emphasis, an arrow or nothing. Any other text makes a call only next to a
format's own mark.
"""

Form = Literal[
    "call", "key", "pair", "text", "object", "tag", "lines", "options", "own", "left", "cut", "rest"
]


class Mention(NamedTuple):
    """An offered name in a call."""

    name: str  # the name as it was offered
    # how it is called: `f(`, `"f": {`, `["f", {`, `"name": "f"` with or without its quotes, `f {"`, `<f>`,
    # `action: f` on a line, `f --city Oslo`, with a format's own mark: `f[ARGS]`, with the rest of a format's marks:
    # `f:0{"`, at the end of a text cut off after it, or the rest of a call whose name is lost
    form: Form
    start: int  # where the name begins, without its module, in code points
    end: int  # where it ends
    is_recased: bool = False  # whether its words are joined or separated unlike those of the offered name
    # whether it differs from that name only in capitals; it is then as often another thing's name
    is_capital: bool = False

    @property
    def span(self) -> Span:
        """Where the name is."""
        return Span(self.start, self.end)


class Names:
    """The offered names, in all their spellings."""

    def __init__(self, offered: frozenset[str]) -> None:
        self.offered = offered
        self._by_form: dict[str, str | None] = {}
        for name in sorted(offered):
            form = _squeezed(name)
            self._by_form[form] = None if form in self._by_form else name
        self._by_capitals = _in_capitals(offered)
        self._short = _short_names(offered, self._by_form)
        spelt = [form for name in {*offered, *self._short} for form in _forms(name)]
        longest = {max(words, key=len).lower() for words in [*spelt, *map(_words, self._by_capitals)]}
        longest |= {name for name in offered if not any(_words(name))}
        self._is_ascii = all(map(str.isascii, longest))
        self._parts = sorted(part for part in longest if not any(other in part for other in longest - {part}))
        patterns = sorted(
            {*(_SIGN.join(map(re.escape, words)) for words in spelt), *map(re.escape, self._by_capitals)},
            key=lambda each: (-len(each), each),
        )
        # A name of signs alone, such as "_", can't be searched for.
        self._pattern = f"{_any_of(patterns)}(?!\\w)(?:{_FOLLOWED})" if patterns else ""

    def mentions(self, text: str, start: int, end: int) -> Iterator[Mention]:
        """Yield each place of ``text[start:end]`` where one of the names is called, in text order."""
        if not self._pattern or (end - start > _SHORT and not self.may_be_in(text[start:end].lower())):
            return
        at = start
        pattern = _compiled(self._pattern)
        while found := pattern.search(text, at, end):
            at = found.end("name")
            form = _form_of(text, found)
            if form and (name := self._by_capitals.get(found["name"])):
                if form == "tag" or _PARTS.search(name):
                    yield Mention(name, form, *found.span("name"), is_capital=True)
                continue
            name = self.meant(found["name"]) if form else None
            if form and name:
                is_recased = _PARTS.sub("", found["name"].replace("\\", "")) not in _PARTS.sub("", name)
                yield Mention(name, form, *found.span("name"), is_recased)

    def may_be_in(self, text: str) -> bool:
        """Return whether any name may be in a text. If there is none, this takes a fraction of the search's time."""
        for part in self._parts:
            if part in text:
                return True
        return not self._is_ascii  # the lower case of other letters depends on their neighbours

    def meant(self, spelt: str) -> str | None:
        """Return the offered name meant by a written one, which may have modules; None if there is none."""
        for _ in range(_MOST_MODULES):
            if spelt in self.offered:
                return spelt
            if len(spelt) > _LONGEST:
                return None
            if name := self._by_form.get(_squeezed(spelt)) or self._short.get(spelt.replace("\\", "")):
                return name
            module, dot, spelt = spelt.partition(".")
            if not dot or not module.isidentifier():
                return None
        return None

    def is_short(self, spelt: str, name: str) -> bool:
        """Return whether a name lacks its own module; its arguments must then fit."""
        last = spelt.replace("\\", "").rpartition(".")[2]
        return self._short.get(last) == name and _squeezed(spelt) != _squeezed(name)


def _in_capitals(offered: frozenset[str]) -> dict[str, str]:
    """Map each name in title case or capitals to the only offered name that it may mean.

    Names with dots are left out: the part before a dot is as often a module's name.
    """
    found: dict[str, set[str]] = {}
    for name in offered:
        if "." in name:
            continue
        for other in (name.upper(), name.title(), name[:1].upper() + name[1:]):
            found.setdefault(other, set()).add(name)
    return {other: min(names) for other, names in found.items() if len(names) == 1 and other not in offered}


def _short_names(offered: frozenset[str], known: Mapping[str, str | None]) -> dict[str, str]:
    """Map the last part of each dotted name to that name, if it is unique."""
    by_last: dict[str, set[str]] = {}
    for name in offered:
        if "." in name:
            by_last.setdefault(name.rpartition(".")[2], set()).add(name)
    return {
        last: next(iter(names))
        for last, names in by_last.items()
        if len(names) == 1 and len(last) >= _SHORTEST and _squeezed(last) not in known
    }


@lru_cache(maxsize=64)
def names_of(offered: frozenset[str]) -> Names:
    """Return the names' spellings, cached."""
    return Names(offered)


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> re.Pattern[str]:
    return regex(pattern)


def _form_of(text: str, found: re.Match[str]) -> Form | None:
    """Return how a name is called; None if it isn't, as in a sentence or as another key's value."""
    form = _plain_form_of(text, found)
    if form == "call":
        return form
    if (form is None or form == "tag") and _is_cut_behind(text, found):
        return "cut"
    if form in {"tag", "left"}:
        return form
    return "own" if has_own_mark(text, *found.span("name")) else form


def _is_cut_behind(text: str, found: re.Match[str]) -> bool:
    """Return whether a text ends with a name, in the beginning of a call or in the mark that holds it."""
    end = found.end()
    if len(text) - end > _KEY_WINDOW or text[end:].strip():
        return False
    start = found.start("name")
    before = text[max(0, start - _KEY_WINDOW) : start]
    if found["loose"] is not None and (_NAME_KEY.search(before) or _CUT_BEHIND.search(before)):
        return True
    is_in_tag = found["tag"] is not None or found["text"] is not None
    return is_in_tag and mark_before(text, prefix_before(text, start)) is not None


def is_misspelt_key(key: str) -> bool:
    """Return whether a key is nearly one of the keys of names."""
    from rapidfuzz.distance import OSA  # noqa: PLC0415 - slow to load, and rarely needed

    return key not in NAME_KEYS and any(
        OSA.distance(key.lower(), known, score_cutoff=1) == 1 for known in _MISSPELT
    )


def _plain_form_of(text: str, found: re.Match[str]) -> Form | None:
    """Return how a name is called, judged by signs that any text may hold."""
    start = found.start("name")
    if found["call"]:
        return "call"
    is_in_quotes = found["text"] is not None or found["pair"] or found["key"] or found["line"]
    if is_in_quotes:
        start = prefix_before(text, start)
    before = text[max(0, start - _KEY_WINDOW) : start]
    if found["line"] and _LINE_KEY.search(before):
        return "lines"
    if found["line"] and _NAME_LINE.search(before) and _ARGUMENT_KEY.match(found["line"].lstrip("\"'")):
        return "lines"
    if is_in_quotes:
        if _OPENS_TAG.search(before):
            return "tag"
        if _NAME_KEY.search(before):
            return "text"
        if (near := _NEAR_KEY.search(before)) and is_misspelt_key(near["key"]):
            return "text"
        if found["key"]:
            return "key" if before[-1:] in "\"'“‘" and before else None
        return "pair" if found["pair"] and _OPENS_PAIR.search(before) else None
    if found["loose"] is not None:
        return None
    if found["left"]:
        return _left_form(found["left"], before)
    if found["dressed"]:
        is_named = not found["pairs"] or _PARTS.search(found["name"])
        return "left" if is_named and _DRESSED_LINE.search(before) else None
    if found["object"]:
        return "object"
    if found["bare"]:
        return "text" if _BARE_KEY.search(text[max(0, start - _KEY_WINDOW) : start]) else None
    if found["options"]:
        return "options" if _OWN_LINE.search(before) and _PARTS.search(found["name"]) else None
    return "tag" if _OPENS_TAG.search(before) else None


def _any_of(patterns: list[str]) -> str:
    """Return a pattern of names that end at a word's end; names with the same first letter share a branch.

    If all names begin with a letter, the pattern uses a word border, which takes a third of a lookbehind's time.
    """
    if not all(pattern[:1].isalnum() for pattern in patterns):
        return rf"(?<!\w)(?P<name>{'|'.join(patterns)})"
    by_first: dict[str, list[str]] = {}
    for pattern in patterns:
        by_first.setdefault(pattern[0], []).append(pattern[1:])
    alike = "|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in by_first.items())
    return rf"\b(?P<name>{alike})"


def _left_form(behind: str, before: str) -> Form | None:
    """Return the form of a name before a ``>`` or an identifier, and an object: a tag if that is open."""
    if behind.startswith(">"):
        if _OPENS_TAG.search(before):
            return "tag"
        return None if before.endswith(("</", "-")) else "left"
    return "left"


def _forms(name: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of a name that any sign may separate: unchanged, and joined or split."""
    parts = tuple(_PARTS.split(name))
    if any(parts):
        yield parts
    words = _HUMP.sub(" ", " ".join(parts)).lower().split()
    if len(words) > 1:
        yield tuple(words)
        camel = "".join(word.capitalize() for word in words)
        yield (camel,)
        yield (camel[0].lower() + camel[1:],)


def _words(name: str) -> list[str]:
    return _PARTS.split(name)


def _squeezed(name: str) -> str:
    """Return the part that all spellings of a name share."""
    words = _HUMP.sub("_", _PARTS.sub("_", name.replace("\\", "")))
    return words.lower() if "_" in words.strip("_") else words
