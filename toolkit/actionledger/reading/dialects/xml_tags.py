"""XML-style tags with fields as tags: ``<create_file><path>…</path><content>…</content></create_file>``.

This is not XML: a field's body is raw text, kept exactly, and may hold fences, ``&`` and other tags. Tags in
another spelling, and fields as attributes, are read if they were plainly meant (see ``tag_grammar``).
"""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal, Self, TypeAlias

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import BlockStatus, Reason, RepairKind
from actionledger.reading.dialects.base import Dialect, Found, Written
from actionledger.reading.dialects.parts.call_tags import Marks, field_marks, marks_in
from actionledger.reading.dialects.parts.markers import excerpt, read_block, refused
from actionledger.reading.dialects.parts.tag_bodies import margin_of, unwrapped
from actionledger.reading.dialects.parts.tag_grammar import (
    Head,
    TagGrammar,
    begins_item,
    escaped_tags,
    head_of,
    is_escaped,
    meant,
    near_tag,
    read_escaped,
    spelling_repair,
    unless_mentioned,
)
from actionledger.reading.dialects.parts.tag_strangers import is_stranger, read_stranger, stranger_tag
from actionledger.reading.dialects.parts.writing import PlainCall, raw_text
from actionledger.reading.scan.openings import Opening, OpeningKind
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions

_TAG = regex(r"\s*<[A-Za-z_][\w.-]*>")
_SPELLINGS = frozenset({RepairKind.TAG_SPELLING, RepairKind.TAG_ATTRIBUTES})

FieldForm = Literal["line", "content", "snippet"]
"""How a field's body is trimmed: ``line`` of all blanks around it; ``content`` of the line break after its tag;
``snippet`` of that one and of the one before its closing tag.
"""

_LAYOUT: dict[FieldForm, str] = {"line": "{}", "content": "\n{}", "snippet": "\n{}\n"}
"""How a field's body is written, so that trimming restores it."""

_OWN_MARGIN = frozenset({"content", "edits"})
"""Fields that hold whole texts: their lines' indentation is the margin of their tag."""

Tags: TypeAlias = tuple[tuple[str, tuple[tuple[str, FieldForm], ...]], ...]
"""Each action's name with its fields, and how each field's body is trimmed."""

_DOCUMENTED: Tags = (
    ("create_file", (("path", "line"), ("content", "content"))),
    ("execute_command", (("command", "line"), ("description", "line"))),
    ("create_directory", (("path", "line"),)),
    ("modify_file", (("path", "line"), ("search", "snippet"), ("replace", "snippet"))),
    ("read_file", (("path", "line"), ("first_line", "line"), ("last_line", "line"))),
)

_WISHED_FOR: Tags = (
    ("edit_file", (("path", "line"), ("edits", "content"))),
    ("search_replace", (("path", "line"), ("search", "content"), ("replace", "content"))),
    (
        "replace_in_file",
        (("path", "line"), ("pattern", "snippet"), ("replacement", "snippet"), ("every", "line")),
    ),
    ("delete_file", (("path", "line"), ("recursive", "line"))),
    ("move_file", (("path", "line"), ("target", "line"), ("overwrite", "line"))),
    ("git_status", ()),
    ("git_diff", (("path", "line"), ("staged", "line"))),
    ("git_commit", (("message", "snippet"), ("paths", "line"))),
    ("git_branch", (("name", "line"), ("base", "line"))),
    ("git_push", (("remote", "line"), ("branch", "line"))),
)

_ORDERING: tuple[tuple[str, FieldForm], ...] = (("id", "line"), ("depends_on", "line"))
"""The fields of any action: its id, and the actions on which it depends."""

CODER_TAGS: Tags = tuple((tag, (*fields, *_ORDERING)) for tag, fields in (*_DOCUMENTED, *_WISHED_FOR))
"""The coder's tags: the document's five actions, and those that it wished for."""


class XmlTags(Dialect):
    """An action is a tag with its name; each of its fields is a tag inside it, in any order."""

    name: Literal["xml_tags"] = "xml_tags"
    source = "Action-based coding agent system, how it works and available actions"
    rules = (
        "An action is a tag with its name; each field is a tag inside it.",
        "What stands in a field is taken as it is: escape nothing.",
        (
            "Several actions may follow one another, and text may stand around them. Tags in a markdown "
            "fence are taken for an example."
        ),
    )
    example = "<create_file>\n<path>main.go</path>\n<content>\npackage main\n</content>\n</create_file>"
    strings_only = True

    tags: Tags = CODER_TAGS  # each action's name with its fields, and how each field's body is trimmed

    @classmethod
    def of(cls, fields: Mapping[str, Sequence[str]]) -> Self:
        """Return the dialect of these actions, each with its fields.

        Args:
            fields: each action's name with the names of its fields, in their order.
        """
        return cls(
            tags=tuple((name, tuple((field, "snippet") for field in of)) for name, of in fields.items())
        )

    @property
    def literals(self) -> frozenset[str]:
        """The opening tags of the actions."""
        return frozenset(f"<{tag}>" for tag in self._forms)

    @property
    def near_literals(self) -> frozenset[str]:
        """The opening tags in another spelling, with attributes or escaped signs, and unknown tags that hold fields."""
        if not self._forms:
            return frozenset()
        strangers = {stranger_tag(self._fields)} if any(self._fields.values()) else set()
        return escaped_tags(self._forms) | {near_tag(self._forms)} | strangers

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the action whose tag opens here; see ``Dialect.read``."""
        if opening.kind is not OpeningKind.NEAR:
            found = self._read(source, opening, Head(opening.label[1:-1]), end, options)
        elif not options.repairs >= _SPELLINGS:
            return None
        elif is_escaped(opening):
            found = read_escaped(source, opening, end, self._opens)
        elif is_stranger(opening):
            found = read_stranger(source, opening, end, self._fields, self._opens)
        else:
            head = head_of(opening, self._forms)
            found = self._read(source, opening, head, end, options) if head else None
        return self.unless_quoted(found, source.text) if found else None

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write each action in its tag, each field in its own; see ``Dialect.write``."""
        return "\n".join(map(self._written, calls))

    def _written(self, call: PlainCall) -> str:
        forms = self._forms.get(call.name, {})
        if not forms or not call.arguments.keys() <= forms.keys():
            known = ", ".join(f"{tag}({', '.join(fields)})" for tag, fields in self._forms.items())
            raise ValueError(f"{call.name!r} with {list(call.arguments)} is none of {known}")
        fields = (
            f"<{name}>{_LAYOUT[forms[name]].format(raw_text(value))}</{name}>\n"
            for name, value in call.arguments.items()
        )
        return f"<{call.name}>\n{''.join(fields)}</{call.name}>"

    @cached_property
    def _forms(self) -> dict[str, dict[str, FieldForm]]:
        """Each action's fields, and how the body of each is trimmed."""
        return {tag: dict(fields) for tag, fields in self.tags}

    @cached_property
    def _fields(self) -> dict[str, frozenset[str]]:
        """Each action's fields without those for ordering."""
        return {tag: frozenset(forms) - dict(_ORDERING).keys() for tag, forms in self._forms.items()}

    @cached_property
    def _opens(self) -> re.Pattern[str]:
        """The pattern of an action's opening."""
        return regex("|".join(map(re.escape, sorted(self.literals))))

    @cached_property
    def _grammars(self) -> dict[tuple[str, bool], TagGrammar]:
        """The grammars, cached on first use."""
        return {}

    def _grammar(self, tag: str, *, is_loose: bool) -> TagGrammar:
        made = self._grammars.get((tag, is_loose))
        if made is None:
            made = TagGrammar(tag, tuple(self._forms[tag]), self.literals, is_loose=is_loose)
            self._grammars[tag, is_loose] = made
        return made

    def _read(
        self, source: Source, opening: Opening, head: Head, end: int, options: DecodeOptions
    ) -> Found | None:
        text = source.text
        forms = self._forms[head.tag]
        grammar = self._grammar(head.tag, is_loose=options.repairs >= _SPELLINGS)
        if head.fault:
            return _misshapen(source, opening, grammar, end, head.fault)
        arguments = {name: _trimmed(value, forms[name]) for name, value in head.attributes.items()}
        if head.is_whole:
            span, body = Span(opening.start, opening.end), Span(opening.end, opening.end)
            return read_block(span, body, (Written(head.tag, arguments, span),), head.repairs)
        margin = margin_of(text, opening.start)
        at = _plain_fields(text, Span(opening.end, end), grammar, {} if margin else forms, arguments)
        if at == opening.end and not grammar.field_or_end.match(text, opening.end, end):
            bare = self._bare_field(source, opening, head, grammar, end)
            return bare or _misshapen(source, opening, grammar, end)
        repairs = [*head.repairs]
        swallowing, repeated, doubtful = None, None, None
        while field := grammar.field_opens.match(text, at, end):
            name, start = meant(field["name"], forms) or "", field.end()
            repairs += spelling_repair(Span(*field.span("tag")), text, f"<{name}>")
            action = source.search(grammar.opens, start, end)
            close = grammar.field_closes(name, source, start, end)
            if close is None:
                return _unclosed_field(opening, Span(*field.span("tag")), name, action)
            if action < close.start and source.find(f"<{name}>", action, close.start) >= 0:
                swallowing = swallowing or Span(*field.span("tag"))
            if name in arguments:
                repeated = repeated or Span(*field.span("tag"))
            value = Span(start, close.start)
            if text.find("<", *value) >= 0:
                marks = marks_in(text, f"<{name}>", value, close, field_marks(name))
                doubtful = doubtful or _doubt(marks, options)
                value, repairs = marks.value, [*repairs, *marks.repairs]
            arguments[name] = _trimmed(value.of(text), forms[name])
            if RepairKind.STRAY_MARK in options.repairs and forms[name] != "line":
                inner = unwrapped(text, value, margin if name in _OWN_MARGIN else "")
                arguments[name] = inner.text if inner.repairs else arguments[name]
                repairs += inner.repairs
            repairs += spelling_repair(close, text, f"</{name}>")
            at = close.end
        stop = source.search(grammar.opens, at, end)
        may_repair = RepairKind.UNCLOSED_TAG in options.repairs
        found = _closed(text, opening, Span(at, stop), grammar, arguments, may_repair=may_repair)
        if repeated:
            issue = Issue(Reason.DUPLICATE_KEY, repeated, f"The tag is {repeated.of(text)}.")
            return refused(found.span, found.body, issue)
        if swallowing:
            return _ambiguous(found, swallowing)
        if doubtful:
            return refused(found.span, found.body, doubtful)
        return _respelt(found, repairs)

    def _bare_field(
        self, source: Source, opening: Opening, head: Head, grammar: TagGrammar, end: int
    ) -> Found | None:
        """Read an action whose last field, a text, has no tag; attributes give all other fields."""
        forms = self._forms[head.tag]
        left = self._fields[head.tag] - head.attributes.keys()
        stop = source.search(grammar.opens, opening.end, end)
        close = grammar.closes_later.search(source.text, opening.end, stop)
        if not head.attributes or len(left) != 1 or close is None:
            return None
        (name,) = left
        body = Span(opening.end, close.start())
        if forms[name] == "line" or not body.of(source.text).strip():
            return None
        span = Span(opening.start, close.end())
        given = {key: _trimmed(value, forms[key]) for key, value in head.attributes.items()}
        action = Written(head.tag, {**given, name: _trimmed(body.of(source.text), forms[name])}, span)
        missing = Repair(RepairKind.TAG_SPELLING, Span(body.start, body.start), "", f"<{name}>")
        return read_block(span, body, (action,), (*head.repairs, missing))


def _plain_fields(
    text: str, within: Span, grammar: TagGrammar, forms: Mapping[str, FieldForm], arguments: dict[str, str]
) -> int:
    """Add the first fields whose values have no sign of a tag, each once; return where they end."""
    at, end = within
    while (field := grammar.plain_field.match(text, at, end)) and (name := field["name"]) not in arguments:
        if name not in forms:
            break
        arguments[name] = _trimmed(field["value"], forms[name])
        at = field.end()
    return at


def _doubt(marks: Marks, options: DecodeOptions) -> Issue | None:
    """Return why a field that holds its own tags is unreadable; None if it is readable."""
    if marks.issue or not marks.repairs or RepairKind.STRAY_MARK in options.repairs:
        return marks.issue
    return Issue(Reason.AMBIGUOUS, marks.repairs[0].span, "A tag of the format stands in it.")


def _respelt(found: Found, repairs: list[Repair]) -> Found:
    """Add the repairs of its tags to an action; an unreadable one stays the same."""
    if not repairs or found.status is BlockStatus.MALFORMED:
        return found
    return found._replace(status=BlockStatus.REPAIRED, repairs=(*repairs, *found.repairs))


def _misshapen(
    source: Source, opening: Opening, grammar: TagGrammar, end: int, fault: str = ""
) -> Found | None:
    """Return a closed or cut-off tag without fields as malformed; otherwise it is a mention."""
    text = source.text
    is_marked = begins_item(text, opening.start) or _TAG.match(text, opening.end, end) is not None
    if is_marked and not fault and grammar.is_cut(text, opening.end, end):
        issue = Issue(Reason.TRUNCATED, Span(opening.start, opening.end))
        return refused(Span(opening.start, end), Span(opening.end, end), issue)
    stop = source.search(grammar.opens, opening.end, end)
    close = grammar.closes_later.match(text, source.search(grammar.closes_later, opening.end, stop), stop)
    if close is None and not (fault and is_marked):
        return None
    body = Span(opening.end, close.start() if close else opening.end)
    got = fault or f"Expected a field's tag, got {excerpt(text, *body)}."
    issue = Issue(Reason.WRONG_SHAPE, Span(opening.start, body.end), got)
    found = refused(Span(opening.start, close.end() if close else opening.end), body, issue)
    return found if is_marked or body.start == body.end else unless_mentioned(found, text)


def _closed(
    text: str,
    opening: Opening,
    rest: Span,
    grammar: TagGrammar,
    arguments: dict[str, str],
    *,
    may_repair: bool,
) -> Found:
    """Return an action after its fields: its closing tag must come before the next action."""
    if closer := grammar.closes.match(text, *rest):
        span = Span(opening.start, closer.end())
        action = Written(grammar.tag, arguments, span)
        repairs = spelling_repair(Span(*closer.span("tag")), text, f"</{grammar.tag}>")
        return read_block(span, Span(opening.end, closer.start("tag")), (action,), repairs)
    if later := grammar.closes_later.search(text, *rest):
        span, body = Span(opening.start, later.end()), Span(opening.end, later.start())
        detail = f"Expected a field's tag, got {text[rest.start : later.start()].strip()[:20]!r}."
        issue = Issue(Reason.WRONG_SHAPE, Span(rest.start, later.start()), detail)
        return Found(BlockStatus.MALFORMED, span, body, reason=issue.code, issues=(issue,))
    span, body = Span(opening.start, rest.start), Span(opening.end, rest.start)
    if not may_repair:
        issue = Issue(Reason.UNCLOSED_TAG, Span(opening.start, opening.end), f"The tag is {opening.label}.")
        return Found(BlockStatus.MALFORMED, span, body, reason=issue.code, issues=(issue,))
    repair = Repair(RepairKind.UNCLOSED_TAG, Span(rest.start, rest.start), "", f"</{grammar.tag}>")
    action = Written(grammar.tag, arguments, span)
    return Found(BlockStatus.REPAIRED, span, body, (action,), repairs=(repair,))


def _unclosed_field(opening: Opening, field: Span, name: str, stop: int) -> Found:
    issue = Issue(Reason.UNCLOSED_TAG, field, f"The tag is <{name}>.")
    span, body = Span(opening.start, stop), Span(opening.end, stop)
    return Found(BlockStatus.MALFORMED, span, body, reason=issue.code, issues=(issue,))


def _ambiguous(found: Found, field: Span) -> Found:
    """Return a block whose field holds another action with the same field: a quotation, or an unclosed field."""
    issue = Issue(Reason.UNCLOSED_TAG, field, "Another action begins before the tag closes.")
    return Found(BlockStatus.MALFORMED, found.span, found.body, reason=issue.code, issues=(issue,))


def _trimmed(body: str, form: FieldForm) -> str:
    if form == "line":
        return body.strip()
    inner = body.lstrip(" \t")
    if inner.startswith(("\n", "\r\n")):
        body = inner.removeprefix("\r")[1:]
    if form == "snippet" and (inner := body.rstrip(" \t")).endswith("\n"):
        body = inner[:-1].removesuffix("\r")
    return body
