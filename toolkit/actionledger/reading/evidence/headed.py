"""Calls of offered tools whose name heads their arguments: a fence's label, a line, or some keys.

``/f Oslo``, ``f: Oslo``, ``[f] Oslo``, ```` ```f ````, ``type: f`` above further keys, ``f`` and nothing else. No format writes them so,
and none is ever executed. But a model that is only asked for actions, and writes this, has meant a call. A sentence that names a tool is no call.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from actionledger.core.names import near_names
from actionledger.core.patterns import regex
from actionledger.core.values import Span
from actionledger.core.values.calls import parameters_of
from actionledger.reading.evidence.arguments import ARGUMENT_KEYS, WRAPPER_KEYS
from actionledger.reading.evidence.names import NAME_KEYS, names_of
from actionledger.reading.prose import verdict, verdict_of_marked

_NAME = r"(?P<name>[A-Za-z_][\w-]{1,60}+)"
_KEY = "|".join(sorted((*NAME_KEYS, "op", "tool[ _]call"), reverse=True))

_FENCE = regex(
    r"^[ \t]*+(?P<marks>`{3,}+|~{3,}+)(?P<label>[\w-]*+)[^\n`]*+\n(?P<body>.*?)(?:^[ \t]*+(?P=marks)[ \t]*+$|\Z)",
    re.DOTALL | re.MULTILINE,
)
_DATA = frozenset(
    [
        *(
            "",
            "action",
            "actions",
            "bash",
            "console",
            "ini",
            "json",
            "json5",
            "jsonc",
            "md",
            "plan",
            "plaintext",
        ),
        *("markdown", "sh", "shell", "text", "tool", "tool_call", "toml", "txt", "xml", "yaml", "yml"),
    ]
)
"""Labels of fences that may hold a call in no language's notation."""

_BLANK_LINE = regex(r"\n[ \t\r]*+\n")
_SIGN = regex(
    rf"(?:[/@!#]|\$[ \t]|(?:->|=>|→)[ \t]*+){_NAME}(?=[ \t(:{{]|\s*+\Z)|{_NAME.replace('name', 'other')}(?=[ \t]++--[a-z])"
)
"""``/f Oslo``, ``-> f Oslo``, ``f --city Oslo``."""

_BRACKETS = regex(
    rf"\[{_NAME}(?:\](?![(\[:])|[ \t]*+:[^\]\n]++\]|(?:[ \t]++\w++=[^\]\n]++)\])|\{{\{{[ \t]*+{_NAME.replace('name', 'other')}[^{{}}\n]*+\}}\}}"
    rf"|\({_NAME.replace('name', 'third')}[ \t]++:\w"
)
"""``[f] Oslo``, ``[f: Oslo]``, ``{{f city=Oslo}}``, ``(f :city "Oslo")``."""

_COLON = regex(
    rf"{_NAME}[ \t]*+:(?=[ \t]|\r?\n[ \t]+\S)|{_NAME.replace('name', 'other')}[ \t]*+(?:(?:\r?\n)?[{{\"]|\r?\n<)"
)
"""``f: Oslo``, ``f`` above lines that are indented, ``f {"city": …}``."""

_FIRST = regex(rf"\{{\s*+[\"'][^\W\d]\w{{1,20}}+[\"']\s*+:\s*+[\"']{_NAME}[\"'](?=\s*+,\s*+[\"'])")
"""``{"acción": "f", "ciudad": …}``."""

_HELD = regex(
    rf"[\"'](?:action|function|name|tool|tool_name|type)[\"']\s*+:\s*+[\"']{_NAME}[\"']\s*+,\s*+[\"']"
)
"""``{"result": {"actions": [{"action": "f", "city": …}]}}``."""

_KEYED = regex(
    rf"(?:(?:{'|'.join(WRAPPER_KEYS)})[ \t]*+:[ \t]*+\n)?[ \t]*+(?:[-*+][ \t]++)?[\"'*`]*+(?P<key>{_KEY})[\"'*`]*+[ \t]*+[:=]\**+[ \t]*+[\"'`]?{_NAME}[\"'`]?(?P<rest>[^\n]*+)",
    re.IGNORECASE,
)
"""``type: f``, ``Action: f Oslo``."""

_DRESSED = regex(rf"(?:[-*+]|\d++[.)]|#{{1,6}}|\*\*|`)[ \t*`]*+{_NAME}[ \t*`:]*+\n")
"""``### f``, ``- **f**``."""

_OBJECT = regex(r"\{\s*+[\"']?(?P<key>\w++)[\"']?\s*+:")
_WORD = regex(r"[A-Za-z_][\w-]++")
_NEAR = 40
"""The distance before an object in which its call's name is searched, in code points: ``I call f with {"city": …}``."""

_WORDS = regex(r"\*{0,2}(?P<name>[A-Za-z][\w-]*+(?:[ ][a-z]++){0,3})\*{0,2}[ \t]*+:\*{0,2}[ \t]++\S[^\n]*+")
"""``Find city: Oslo``, if nothing is next to it."""
_ROW = regex(
    rf"\|[ \t]*+(?:{_KEY})[ \t]*+\|(?P<fields>[^\n]*+)\n[ \t]*+\|[-|: \t]++\n[ \t]*+\|[ \t`*]*+{_NAME}[ \t`*]*+\|[^\n]*+(?P<more>(?:\n[ \t]*+\|[^\n]*+)*+)",
    re.IGNORECASE,
)
_STEP = regex(rf"(?:\d++[.)][ \t]++[*`]*+{_NAME}[*`]*+(?:[ \t]*+:[^\n]*+)?+[ \t]*+(?:\n|\Z))")
"""A line of a numbered list that begins with a name: ``1. f: Oslo``."""

_CUT_TAG = regex(rf"<{_NAME}(?:>[^<]*+|[ \t][^<>=]*+>?)?")
"""``<f Oslo``, ``<f>Oslo``: a tag that never ends."""
_SAID = regex(
    r"(?:\A|[.!:][ \t\n]++|\n)[ \t>*-]*+(?:(?:Now|Next|First|Okay|OK|So),?+ )?+(?:(?:I am|I'm|I will|I'll|Let me|Let's)(?: now)? )?"
    r"(?i:call|use|run|invoke|execute)(?:ing)?(?: the)?(?: (?:action|tool|function))? [`\"'*]*+"
    rf"{_NAME}[`\"'*]*+(?: (?:action|tool|function))? with (?:the )?[`\"'*]*+(?P<field>\w++)[`\"'*]*+(?: (?:set to|as|of)|[ \t]*+[=:])?+[ \t]*+[\"'“`]"
)
"""``Calling f with city 'Oslo'``."""
_ALONE = regex(rf"[/`*]*+{_NAME}(?:\(\))?[`*.]*+")
_LINE_KEY = regex(
    r"^[ \t]*+(?:[-*+][ \t]++)?[\"'*`]*+(?P<key>[A-Za-z_][\w-]*+)[\"'*`]*+[ \t]*+[:=]", re.MULTILINE
)
_DEFINES = frozenset({"description", "docstring", "properties", "required", "returns", "signature"})
"""The keys of a tool's description."""

_PLAIN_WORD = regex(r"[a-z]++")


class Headed(NamedTuple):
    """A call whose name heads its arguments."""

    name: str  # the offered name
    span: Span
    body: Span  # the text after its name
    is_labelled: bool = False  # whether the name is a fence's label, which is stronger evidence than a line


def may_be_headed(text: str, names: frozenset[str]) -> bool:
    """Return whether a text may name a tool."""
    return names_of(names).may_be_in(text.lower().replace(" ", "_").replace("-", "_"))


def headed_calls(text: str, part: Span, names: frozenset[str]) -> Iterator[Headed]:
    """Yield the headed calls of a stretch of a response in text order, never overlapping."""
    written, behind = part.of(text), 0
    for head in _Heads(written, names).found():
        judge = verdict_of_marked if head.is_labelled else verdict
        if judge(written, head.span, behind) is None:
            behind = head.span.end  # several calls need only one announcement
            span, body = (Span(part.start + at, part.start + end) for at, end in (head.span, head.body))
            yield head._replace(span=span, body=body)


class _Heads:
    """Finds the heads in a text."""

    def __init__(self, text: str, names: frozenset[str]) -> None:
        self._text, self._names = text, names
        self._known = names_of(names)

    def found(self) -> Iterator[Headed]:
        at = 0
        for fence in _FENCE.finditer(self._text):
            yield from self._in_the_open(Span(at, fence.start()))
            if head := self._in_fence(fence):
                yield head
            at = fence.end()
        yield from self._in_the_open(Span(at, len(self._text)))

    def _in_fence(self, fence: re.Match[str]) -> Headed | None:
        body, span = Span(*fence.span("body")), Span(*fence.span())
        inside = self._stripped(body)
        if inside.start >= inside.end:
            return None
        if name := self._meant(fence["label"], is_near=True):
            return Headed(name, span, body, is_labelled=True)
        if fence["label"].lower() not in _DATA:
            return None
        head = self._head_at(*inside, is_all=True)
        return head and head._replace(span=span)

    def _in_the_open(self, part: Span) -> Iterator[Headed]:
        """Yield the heads of paragraphs, and those of lines that begin with a sign."""
        at = part.start
        for blank in (*_BLANK_LINE.finditer(self._text, *part), None):
            paragraph = self._stripped(Span(at, blank.start() if blank else part.end))
            at = blank.end() if blank else part.end
            for piece in self._pieces(paragraph):
                is_all = piece == self._stripped(Span(0, len(self._text)))
                if head := self._head_at(*piece, is_all=is_all) or self._in_sentence(*piece):
                    yield head

    def _pieces(self, paragraph: Span) -> Iterator[Span]:
        """Yield the pieces of a paragraph, split before each line that a name heads."""
        start = at = paragraph.start
        while (at := self._text.find("\n", at, paragraph.end) + 1) > 0:
            found = _SIGN.match(self._text, at) or _COLON.match(self._text, at)
            if found and found.lastgroup and self._meant(found[found.lastgroup]):
                yield self._stripped(Span(start, at))
                start = at
        if start < paragraph.end:
            yield Span(start, paragraph.end)

    def _stripped(self, part: Span) -> Span:
        text = part.of(self._text)
        return Span(part.end - len(text.lstrip()), part.start + len(text.rstrip()))

    def _head_at(self, start: int, end: int, *, is_all: bool) -> Headed | None:
        """Return the call at the start of a stretch; if nothing is next to it, a lone name counts too."""
        text = self._text
        for pattern in (_SIGN, _BRACKETS, _COLON, _FIRST):
            if head := self._headed(pattern.match(text, start, end), start, end):
                return head
        if (keyed := _KEYED.match(text, start, end)) and (head := self._keyed(keyed, end, is_all=is_all)):
            return head
        if (dressed := _DRESSED.match(text, start, end)) and self._has_fields(dressed, dressed.end(), end):
            return self._headed(dressed, start, end)
        if text.startswith(("{", "["), start) and (held := self._held(start, end)):
            return held
        if (row := _ROW.fullmatch(text, start, end)) and self._is_filled(row, is_all=is_all):
            return self._headed_by("name", row, start, end)
        return self._steps(start, end) or (self._by_itself(start, end) if is_all else None)

    def _held(self, start: int, end: int) -> Headed | None:
        """Return the call in an object at any depth, if that is the first place with a name."""
        found = _HELD.search(self._text, start, end)
        name = self._known.meant(found["name"]) if found else None
        return Headed(name, Span(start, end), Span(start, end)) if name else None

    def _by_itself(self, start: int, end: int) -> Headed | None:
        """Return the call that is a whole stretch: a name, a cut tag, or words before a colon."""
        for pattern in (_ALONE, _CUT_TAG):
            if found := pattern.fullmatch(self._text, start, end):
                head = self._headed(found, start, end)
                return head and head._replace(body=Span(end, end))
        words = _WORDS.fullmatch(self._text, start, end)
        name = self._meant(words["name"].lower().replace(" ", "_")) if words else None
        return Headed(name, Span(start, end), Span(words.end("name"), end)) if words and name else None

    def _is_filled(self, row: re.Match[str], *, is_all: bool) -> bool:
        """Return whether a table has only columns that its first row's tool takes; another one of several rows describes tools."""
        known = {*(parameters_of(self._names, row["name"]) or ()), *ARGUMENT_KEYS, ""}
        is_known = {each.strip(" \t`*").lower() for each in row["fields"].split("|")} <= known
        return is_known or (is_all and not row["more"])

    def _steps(self, start: int, end: int) -> Headed | None:
        """Return the first call of a numbered list in which each of several lines begins with a name."""
        steps, at = [], start  # one match behind the other: a search in a megabyte of digits would take hours
        while step := _STEP.match(self._text, at, end):
            steps.append(step)
            at = step.end()
        if at < end or len(steps) < 2 or not all(self._meant(each["name"]) for each in steps):
            return None
        return Headed(steps[0]["name"], Span(start, end), Span(steps[0].end("name"), steps[0].end()))

    def _in_sentence(self, start: int, end: int) -> Headed | None:
        """Return the call that a sentence states with its object of arguments, or with a field and its value."""
        if said := _SAID.search(self._text, start, end):
            name = self._meant(said["name"])
            if name and said["field"] in (parameters_of(self._names, name) or ()):
                return Headed(name, Span(start, end), Span(said.end("name"), end))
        for told in _OBJECT.finditer(self._text, start, end):
            line = max(start, self._text.rfind("\n", start, told.start()) + 1, told.start() - _NEAR)
            for word in _WORD.finditer(self._text, line, told.start()):
                name = self._meant(word[0])
                if name and told["key"] in (parameters_of(self._names, name) or ()):
                    return Headed(name, Span(start, end), Span(told.start(), end))
        return None

    def _headed(self, found: re.Match[str] | None, start: int, end: int) -> Headed | None:
        group = found.lastgroup if found else None
        return self._headed_by(group, found, start, end) if found and group else None

    def _headed_by(self, group: str, found: re.Match[str], start: int, end: int) -> Headed | None:
        is_command = self._text.startswith("/", start) and self._text[found.end(group) :][:1] == " "
        name = self._meant(found[group], is_near=is_command)
        if name is None or self._defines(name, found.end(group), end):
            return None
        return Headed(name, Span(start, end), Span(found.end(group), end))

    def _keyed(self, found: re.Match[str], end: int, *, is_all: bool) -> Headed | None:
        """Return a call in keys, the first of which names it: with further known keys, or as the whole text."""
        name = self._meant(found["name"], is_near=True) or self._meant(found["name"].lower())
        near = () if name else near_names(found["name"], sorted(self._names))
        if near and self._has_fields(found, found.end(), end, near[0]):
            name = near[0]
        if name is None:
            return None
        has_more = bool(found["rest"].strip(" \t\r,"))
        is_told = found["key"].lower() in {"action", "tool", "call", "function", "tool call"}
        head = Headed(name, Span(found.start(), end), Span(found.end(), end))
        if has_more:
            return head._replace(body=Span(found.start("rest"), end)) if is_told else None
        is_end = not self._text[found.end() : end].strip()
        return head if (is_end and is_all) or self._has_fields(found, found.end(), end, name) else None

    def _has_fields(self, found: re.Match[str], start: int, end: int, name: str | None = None) -> bool:
        """Return whether the next lines have keys that a tool takes, and do not define the tool."""
        name = name or self._meant(found["name"])
        if name is None or self._defines(name, start, end):
            return False
        known = {*(parameters_of(self._names, name) or ()), *ARGUMENT_KEYS}
        return not known.isdisjoint(key["key"].lower() for key in _LINE_KEY.finditer(self._text, start, end))

    def _defines(self, name: str, start: int, end: int) -> bool:
        """Return whether the next lines define a tool, with keys other than its own."""
        keys = {key["key"].lower() for key in _LINE_KEY.finditer(self._text, start, end)}
        return not _DEFINES.isdisjoint(keys.difference(parameters_of(self._names, name) or ()))

    def _meant(self, word: str, *, is_near: bool = False) -> str | None:
        """Return the offered name meant by a word; a plain word counts only if spelt as offered."""
        name = self._known.meant(word)
        if name is None and is_near and re.search("[_-]|[a-z][A-Z]", word):
            name = next(iter(near_names(word, sorted(self._names))), None)
        return name if name is None or word == name or not _PLAIN_WORD.fullmatch(name) else None
