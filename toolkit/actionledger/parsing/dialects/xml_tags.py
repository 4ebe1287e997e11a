"""XML-style tags whose fields are tags as well: ``<create_file><path>…</path><content>…</content></create_file>``.

This is no XML: a field's body is raw text, kept to the character, and may hold fences, ``&`` and other tags. Tags in
another spelling, and fields as attributes, are read where they were plainly meant (see ``tag_spelling``).
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import ClassVar, Literal, TypeAlias

from actionledger.parsing.dialects.base import Dialect, Found, Written
from actionledger.parsing.dialects.tag_spelling import (
    Head,
    head_of,
    meant,
    near_tag,
    spelling_repair,
    spellings,
)
from actionledger.parsing.dialects.verdicts import at_line_start, excerpt, read_block, refused
from actionledger.parsing.dialects.writing import PlainCall, raw_text
from actionledger.parsing.scan.openings import Opening, OpeningKind
from actionledger.parsing.scan.options import DecodeOptions
from actionledger.parsing.scan.source import Source
from actionledger.values import Issue, Repair, Span
from actionledger.vocabulary import BlockStatus, Reason, RepairKind

_SPELLINGS = frozenset({RepairKind.TAG_SPELLING, RepairKind.TAG_ATTRIBUTES})

FieldForm = Literal["line", "content", "snippet"]
"""How a field's body is trimmed: ``line`` of all blanks around it; ``content`` of the line break behind its tag;
``snippet`` of that one and of the one before its closing tag."""

_LAYOUT: dict[FieldForm, str] = {"line": "{}", "content": "\n{}", "snippet": "\n{}\n"}
"""How a field's body is written, so that trimming gives it back."""

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
"""What any action may have: a name, and whom it waits for."""

CODER_TAGS: Tags = tuple((tag, (*fields, *_ORDERING)) for tag, fields in (*_DOCUMENTED, *_WISHED_FOR))
"""The coder's: the document's five actions, and those that it wished for."""


class XmlTags(Dialect):
    """An action is a tag with its name; each of its fields is a tag inside it, in any order.

    Args:
        tags: each action's name with its fields, and how each field's body is trimmed.
    """

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
    strings_only: ClassVar[bool] = True

    tags: Tags = CODER_TAGS

    @property
    def literals(self) -> frozenset[str]:
        """The opening tags of the actions."""
        return frozenset(f"<{tag}>" for tag, _ in self.tags)

    @property
    def near_literals(self) -> frozenset[str]:
        """The opening tags in another spelling, or with attributes."""
        return frozenset({near_tag(tag for tag, _ in self.tags)})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the action whose tag opens here; see ``Dialect.read``."""
        if opening.kind is OpeningKind.NEAR:
            if not options.repairs >= _SPELLINGS:
                return None
            head = head_of(opening, {tag: tuple(dict(fields)) for tag, fields in self.tags})
        else:
            head = Head(opening.label[1:-1])
        found = self._read(source, opening, head, end, options)
        return self.unless_quoted(found, source.text) if found else None

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write each action in its tag, each field in its own; see ``Dialect.write``."""
        return "\n".join(map(self._written, calls))

    def _written(self, call: PlainCall) -> str:
        forms = dict(dict(self.tags).get(call.name, ()))
        if not forms or not call.arguments.keys() <= forms.keys():
            known = ", ".join(f"{tag}({', '.join(dict(fields))})" for tag, fields in self.tags)
            raise ValueError(f"{call.name!r} with {list(call.arguments)} is none of {known}")
        fields = (
            f"<{name}>{_LAYOUT[forms[name]].format(raw_text(value))}</{name}>\n"
            for name, value in call.arguments.items()
        )
        return f"<{call.name}>\n{''.join(fields)}</{call.name}>"

    def _read(
        self, source: Source, opening: Opening, head: Head, end: int, options: DecodeOptions
    ) -> Found | None:
        text = source.text
        forms = dict(dict(self.tags)[head.tag])
        is_loose = options.repairs >= _SPELLINGS
        grammar = _grammar(head.tag, tuple(forms), self.literals, is_loose=is_loose)
        if head.fault:
            return _misshapen(source, opening, grammar, end, head.fault)
        arguments = {name: _trimmed(value, forms[name]) for name, value in head.attributes.items()}
        if head.is_whole:
            span, body = Span(opening.start, opening.end), Span(opening.end, opening.end)
            return read_block(span, body, (Written(head.tag, arguments, span),), head.repairs)
        if not grammar.field_or_end.match(text, opening.end, end):
            return _misshapen(source, opening, grammar, end)
        repairs = [*head.repairs]
        at, swallowing, repeated = opening.end, None, None
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
            arguments[name] = _trimmed(text[start : close.start], forms[name])
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
        return _respelt(found, repairs)


def _respelt(found: Found, repairs: list[Repair]) -> Found:
    """Return an action with the repairs of its tags; one that can't be read stays as it is."""
    if not repairs or found.status is BlockStatus.MALFORMED:
        return found
    return found._replace(status=BlockStatus.REPAIRED, repairs=(*repairs, *found.repairs))


def _misshapen(
    source: Source, opening: Opening, grammar: "_Grammar", end: int, fault: str = ""
) -> Found | None:
    """Return a tag as malformed that no field follows, though it begins its line and is closed or cut; else it is a mention."""
    text = source.text
    if not at_line_start(text, opening.start):
        return None
    if not fault and grammar.is_cut(text, opening.end, end):
        issue = Issue(Reason.TRUNCATED, Span(opening.start, opening.end))
        return refused(Span(opening.start, end), Span(opening.end, end), issue)
    stop = source.search(grammar.opens, opening.end, end)
    close = grammar.closes_later.search(text, opening.end, stop)
    if close is None and not fault:
        return None
    body = Span(opening.end, close.start() if close else opening.end)
    got = fault or f"Expected a field's tag, got {excerpt(text, *body)}."
    issue = Issue(Reason.WRONG_SHAPE, Span(opening.start, body.end), got)
    return refused(Span(opening.start, close.end() if close else opening.end), body, issue)


def _closed(
    text: str,
    opening: Opening,
    rest: Span,
    grammar: "_Grammar",
    arguments: dict[str, str],
    *,
    may_repair: bool,
) -> Found:
    """All fields are read: the action's closing tag is due, before the rest of the text reaches the next action."""
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
    """A field holds another action with the same field: it quotes that action, or it was never closed itself."""
    issue = Issue(Reason.UNCLOSED_TAG, field, "Another action begins before the tag closes.")
    return Found(BlockStatus.MALFORMED, found.span, found.body, reason=issue.code, issues=(issue,))


class _Grammar:
    """The patterns of one action's tag."""

    def __init__(self, tag: str, fields: tuple[str, ...], openers: frozenset[str], *, is_loose: bool) -> None:
        def named(name: str, slash: str = "") -> str:
            loose = rf"<[ \t]*+{slash}[ \t]*+{spellings(name)}[ \t]*+>"
            return loose if is_loose else re.escape(f"<{slash}{name}>")

        blanks = r"[ \t]*+" if is_loose else ""
        names = "|".join(spellings(name) if is_loose else re.escape(name) for name in fields)
        a_field = rf"<{blanks}(?:{names}){blanks}>"
        closer = named(tag, "/")
        self.tag = tag
        self.field_or_end = re.compile(rf"\s*(?:{a_field}|{closer})")
        self.field_opens = re.compile(rf"\s*(?P<tag><{blanks}(?P<name>{names}){blanks}>)")
        self.closes = re.compile(rf"\s*(?P<tag>{closer})")
        self.closes_later = re.compile(closer)
        self.opens = re.compile("|".join(map(re.escape, sorted(openers))))
        self.followed_closer = {
            name: re.compile(rf"</{re.escape(name)}>(?=\s*(?:{a_field}|{closer}))") for name in fields
        }
        self._other_closers = {name: re.compile(named(name, "/")) for name in fields if is_loose}
        self._tags = (*(f"<{name}>" for name in fields), f"</{tag}>")

    def field_closes(self, name: str, source: Source, start: int, end: int) -> Span | None:
        """Return the tag that closes a field.

        It is the first one that another field or the end of the action follows, so that a body may quote its own
        closing tag, but never one behind the next action's opening tag; where none fits, the very first one. Only where
        there is none in the format's spelling, one in another counts.
        """
        first = source.find(f"</{name}>", start, end)
        if first < 0:
            return self._other_closer(name, source, start, end)
        behind = first + len(name) + 3
        bound = source.search(self.opens, behind, end)
        followed = self.followed_closer[name].search(source.text, first, bound)
        return Span(*followed.span()) if followed else Span(first, behind)

    def is_cut(self, text: str, start: int, end: int) -> bool:
        """Return whether the text ends where a field's tag is due, or in the middle of it."""
        rest = text[start : start + 2_000].strip() if end == len(text) else "x"
        is_all = not text[start + 2_000 :].strip()
        return is_all and any(tag.startswith(rest) and tag != rest for tag in self._tags)

    def _other_closer(self, name: str, source: Source, start: int, end: int) -> Span | None:
        if not (pattern := self._other_closers.get(name)):
            return None
        at = source.search(pattern, start, end)
        match = pattern.match(source.text, at, end)
        return Span(*match.span()) if match else None


@lru_cache(maxsize=256)
def _grammar(tag: str, fields: tuple[str, ...], openers: frozenset[str], *, is_loose: bool) -> _Grammar:
    return _Grammar(tag, fields, openers, is_loose=is_loose)


def _trimmed(body: str, form: FieldForm) -> str:
    if form == "line":
        return body.strip()
    body = re.sub(r"\A[ \t]*\r?\n", "", body)
    return re.sub(r"\r?\n[ \t]*\Z", "", body) if form == "snippet" else body
