"""Values whose tag marks them as a list or an object, with a tag of the same name for each value in it: Cohere's.

Stricter than a parameter's own text: a text in it ends at the next closing tag, and one that names a tag of the format is refused.
"""

import re
from functools import lru_cache
from typing import Any, NamedTuple

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.parts.call_tags import RefusedError, TagGrammar, is_nearly_marked
from actionledger.reading.dialects.parts.markers import behind_blanks, excerpt
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json import decode
from actionledger.reading.tolerant_json.faults import DecodeOptions

KEY = r"(?:[^\"&<>\n]|&(?:amp|lt|gt|quot);)++"
_ESCAPES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&"}
"""The sign of each escape in an attribute; the one with which all begin is last."""


def from_attribute(text: str) -> str:
    """Return an attribute's text, unescaped."""
    for written, meant in _ESCAPES.items():
        text = text.replace(written, meant)
    return text


def in_attribute(text: str) -> str:
    """Return a text escaped for an attribute."""
    for written, meant in reversed(_ESCAPES.items()):
        text = text.replace(meant, written)
    return text


class _Open(NamedTuple):
    """An open list or object with its content so far."""

    key: str
    held: list[Any] | dict[str, Any]


class _Tree(NamedTuple):
    source: Source
    span: Span
    end: int
    grammar: TagGrammar
    options: DecodeOptions

    def refusal(self, code: Reason, span: Span, detail: str = "") -> RefusedError:
        """Return why it is unreadable; another call that begins in it, or the end of the text, takes precedence."""
        start, bound = self.span
        if self.source.search(self.grammar.call_close, start, bound) < bound:
            return RefusedError(Issue(code, span, detail))
        if bound < self.end:
            detail = "Another call begins in it: it is quoted, or a tag was never closed."
            return RefusedError(Issue(Reason.AMBIGUOUS, Span(start, bound), detail))
        is_cut = bound == len(self.source.text) and ">" not in span.of(self.source.text)
        return RefusedError(
            Issue(Reason.TRUNCATED, Span(start, bound)) if is_cut else Issue(code, span, detail)
        )

    def stranger(self, at: int) -> RefusedError:
        """Return the error for a missing tag of a value."""
        rest = Span(at, self.source.search(self.grammar.call_close, at, self.span.end))
        detail = f"Expected a tag of a value, got {excerpt(self.source.text, *rest)}."
        return self.refusal(Reason.WRONG_SHAPE, rest, detail)

    def leaf(self, tag: re.Match[str]) -> tuple[Any, int]:
        """Return a text or another plain value, and where its closing tag ends."""
        start, bound, closer = tag.end(), self.span.end, self.grammar.parameter_closes
        close = self.source.find(closer, start, self.source.search(self.grammar.call_close, start, bound))
        if close < 0:
            raise self.refusal(Reason.UNCLOSED_TAG, Span(start, start), f"Expected {closer}")
        span, written = Span(start, close), self.source.text[start:close]
        if self.grammar.stem[1:] in written or is_nearly_marked(written, self.grammar):
            raise self.refusal(Reason.AMBIGUOUS, span, "It holds what may be a tag of the format.")
        if not tag["json"]:
            return written, close + len(closer)
        decoded = decode(written, options=self.options)
        if not decoded.ok or decoded.issues or decoded.repairs or written[decoded.end :].strip():
            code = decoded.issues[0].code if decoded.issues else Reason.MALFORMED_JSON
            raise self.refusal(code, span, "The tag says that it is JSON.")
        return decoded.value, close + len(closer)


def tree_behind(
    source: Source, parameter: re.Match[str], end: int, grammar: TagGrammar, options: DecodeOptions
) -> tuple[list[Any] | dict[str, Any], int]:
    """Return the list or object after its opening tag, and where its closing tag ends."""
    within = Span(parameter.end(), source.search(grammar.next_call, parameter.end(), end))
    tree = _Tree(source, within, end, grammar, options)
    tags, text = _tags(grammar.stem), source.text
    stack = [_Open("", [] if parameter["tree"] == "list" else {})]
    at = parameter.end()
    while True:
        at = behind_blanks(text, at, within.end)
        if text.startswith(grammar.parameter_closes, at, within.end):
            at += len(grammar.parameter_closes)
            done = stack.pop()
            if not stack:
                return done.held, at
            _put(stack[-1].held, done.key, done.held)
            continue
        tag = tags.match(text, at, within.end)
        if tag is None:
            raise tree.stranger(at)
        held, key = stack[-1].held, from_attribute((tag["key"] or "").strip())
        here = Span(*tag.span())
        if isinstance(held, dict) == (tag["key"] is None):
            raise tree.refusal(
                Reason.WRONG_SHAPE, here, "Values have names in an object, and none in a list."
            )
        if isinstance(held, dict) and key in held:
            raise tree.refusal(Reason.DUPLICATE_KEY, here, f"The key is {key[:80]!r}.")
        if tag["tree"] and len(stack) >= options.max_depth:
            raise tree.refusal(Reason.TOO_DEEP, here)
        if tag["tree"]:
            stack.append(_Open(key, [] if tag["tree"] == "list" else {}))
            at = tag.end()
        else:
            value, at = tree.leaf(tag)
            _put(held, key, value)


def _put(held: list[Any] | dict[str, Any], key: str, value: object) -> None:
    if isinstance(held, dict):
        held[key] = value
    else:
        held.append(value)


@lru_cache(maxsize=8)
def _tags(stem: str) -> re.Pattern[str]:
    return regex(rf"{re.escape(stem)}{attributes(is_named=False)}")


def attributes(*, is_named: bool) -> str:
    """Return the pattern of a value's opening tag after its name: the value's name and type."""
    name = rf"\s++name=\"(?P<key>{KEY})\""
    kind = r'\s++type="(?:raw|(?P<tree>list|dict)|(?P<json>json))"'
    return rf"{name}{kind}\s*+>" if is_named else rf"(?:{name})?+{kind}\s*+>"
