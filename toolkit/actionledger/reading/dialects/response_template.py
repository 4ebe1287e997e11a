"""A format defined by a checkpoint's ``response_template``, which Hugging Face's transformers keep with its tokenizer."""

import json
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal, Self

from actionledger.core.errors import UsageError
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.dialects.base import Dialect, Found
from actionledger.reading.dialects.parts.markers import read_block, refused, thoughts
from actionledger.reading.dialects.parts.templates import (
    ContentError,
    Field,
    Region,
    Regions,
    calls_of,
    literal_start,
)
from actionledger.reading.scan.openings import Opening
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions

_CONTENTS = frozenset({"text", "int", "float", "bool", "json", "xml-inline", "kv-lines", "python-call-list"})
_SAYS_ITS_END = frozenset({"json", "python-call-list"})
_THOUGHTS = frozenset({"thinking", "reasoning", "reasoning_content", "thoughts"})
_CALLS = "tool_calls"


class ResponseTemplate(Dialect):
    """The calls in the field ``tool_calls`` of a response template, between what opens and what closes it there.

    A field that thinks holds thoughts, and what stands in another field that is opened holds no call, as transformers read it.
    """

    name: Literal["response_template"] = "response_template"
    source = "Hugging Face transformers 5.24, utils/chat_parsing"
    rules = ()
    example = ""

    definition: str  # the template as JSON text

    @classmethod
    def of(cls, definition: object) -> Self:
        """Return the dialect of a template."""
        if not isinstance(definition, Mapping) or not isinstance(definition.get("fields"), Mapping):
            raise UsageError(
                "A response template is an object with fields; the older response_schema is none."
            )
        if definition.get("version", 1) != 1:
            raise UsageError("Only version 1 of response templates is known.")
        if _CALLS not in definition["fields"]:
            raise UsageError("The response template has no field tool_calls.")
        try:
            made = cls(definition=json.dumps(definition, sort_keys=True))
        except (TypeError, ValueError) as error:
            raise UsageError(f"The response template is no JSON: {error}.") from None
        assert made.fields
        return made

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The fields with an opening."""
        fields = json.loads(self.definition)["fields"]
        found = (_field(name, each) for name, each in fields.items())
        return tuple(field for field in found if field)

    @property
    def literals(self) -> frozenset[str]:
        """The beginning of each field's opening."""
        return frozenset(mark for field in self.fields for mark in field.mark)

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the field that begins here; see ``Dialect.read``."""
        region = source.memory(Regions).at(source.text, opening.start, self.definition, self.fields)
        if region is None or region.span.end > end:
            return None
        if region.field.name in _THOUGHTS:
            return thoughts(region.span, region.body)
        if region.field.name != _CALLS:
            return None
        return self.unless_quoted(self._calls(source, region, options), source.text)

    def _calls(self, source: Source, region: Region, options: DecodeOptions) -> Found:
        """Return the calls in a region as a block; refuse one that is unreadable or may be cut off."""
        lacks_its_end = not region.is_closed and region.field.closes is not None
        if lacks_its_end and region.field.content not in _SAYS_ITS_END:
            return refused(region.span, region.body, Issue(Reason.TRUNCATED, region.span))
        if lacks_its_end and RepairKind.UNCLOSED_TAG not in options.repairs:
            return refused(region.span, region.body, Issue(Reason.UNCLOSED_TAG, region.span))
        try:
            calls, repairs = calls_of(source, region, options)
        except ContentError as error:
            return refused(region.span, region.body, error.issue)
        if lacks_its_end:
            at = Span(region.body.end, region.body.end)
            repairs = (*repairs, Repair(RepairKind.UNCLOSED_TAG, at, "", region.field.ends_with))
        found = read_block(region.span, region.body, calls, repairs)
        has_texts = any(isinstance(value, str) for call in calls for value in call.arguments.values())
        is_text = region.field.content in {"xml-inline", "kv-lines"} and has_texts
        return found._replace(strings_only=is_text)


def _field(name: str, given: Any) -> Field | None:
    """Return a field of a template; None for the one that takes the rest."""
    if not isinstance(given, Mapping):
        raise UsageError(f"The field {name} of the response template is no object.")
    opens, marks = _anchor(name, given, "open")
    closes, ends = _anchor(name, given, "close")
    content = given.get("content", "text")
    if content not in _CONTENTS:
        raise UsageError(f"The field {name} has content that is not known: {content}.")
    arguments = given.get("content_args") or {}
    pattern = arguments.get("tag_pattern", "") if isinstance(arguments, Mapping) else ""
    if content == "xml-inline" and "key" not in _compiled(name, pattern).groupindex:
        raise UsageError(f"The field {name} has no tag_pattern with a group key.")
    if opens is None:
        if name == _CALLS:
            raise UsageError("Nothing opens the field tool_calls of the response template.")
        return None
    if name == _CALLS and not all(marks):
        raise UsageError("What opens the field tool_calls begins with no literal text.")
    known = tuple(mark for mark in marks if mark)
    transform, is_each = given.get("transform"), bool(given.get("transform_each"))
    return Field(name, opens, known, closes, next(iter(ends), ""), content, arguments, transform, is_each)


def _anchor(name: str, given: Mapping[str, Any], key: str) -> tuple[re.Pattern[str] | None, tuple[str, ...]]:
    """Return the pattern that opens or closes a field, and the literal texts of its beginning."""
    literal, pattern = given.get(key), given.get(f"{key}_pattern")
    if literal is not None:
        texts = [literal] if isinstance(literal, str) else literal
        if (
            not isinstance(texts, list)
            or not texts
            or not all(isinstance(each, str) and each for each in texts)
        ):
            raise UsageError(f"{key} of the field {name} is neither a text nor a list of texts.")
        longest = sorted(set(texts), key=len, reverse=True)
        return re.compile("|".join(map(re.escape, longest))), tuple(longest)
    if pattern is None:
        return None, ()
    return _compiled(name, pattern), (literal_start(pattern) if isinstance(pattern, str) else "",)


def _compiled(name: str, pattern: Any) -> re.Pattern[str]:
    try:
        return re.compile(pattern, re.DOTALL)
    except (re.error, TypeError, OverflowError, RecursionError):
        raise UsageError(f"A pattern of the field {name} is no regular expression.") from None
