"""XML-style tags whose fields are tags as well: ``<create_file><path>…</path><content>…</content></create_file>``.

This is no XML: a field's body is raw text, kept to the character, and may hold fences, ``&`` and other tags.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import ClassVar, Literal, TypeAlias

from actionledger.parsing.dialects.base import Dialect, Found, Written
from actionledger.parsing.dialects.verdicts import refused
from actionledger.parsing.dialects.writing import PlainCall, raw_text
from actionledger.parsing.scan.openings import Opening
from actionledger.parsing.scan.options import DecodeOptions
from actionledger.parsing.scan.source import Source
from actionledger.values import Issue, Repair, Span
from actionledger.vocabulary import BlockStatus, Reason, RepairKind

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

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the action whose tag opens here; see ``Dialect.read``."""
        found = self._read(source, opening, end, options)
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

    def _read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        text, tag = source.text, opening.label[1:-1]
        forms = dict(dict(self.tags)[tag])
        grammar = _grammar(tag, tuple(forms), self.literals)
        if not grammar.field_or_end.match(text, opening.end, end):
            return None  # a tag that is mentioned, not opened
        arguments: dict[str, str] = {}
        at, swallowing, repeated = opening.end, None, None
        while field := grammar.field_opens.match(text, at, end):
            name, start = field["name"], field.end()
            action = source.search(grammar.opens, start, end)
            close = grammar.field_closes(name, source, start, end)
            if close is None:
                return _unclosed_field(opening, Span(*field.span("tag")), name, action)
            if action < close.start and source.find(f"<{name}>", action, close.start) >= 0:
                swallowing = swallowing or Span(*field.span("tag"))
            if name in arguments:
                repeated = repeated or Span(*field.span("tag"))
            arguments[name] = _trimmed(text[start : close.start], forms[name])
            at = close.end
        stop = source.search(grammar.opens, at, end)
        may_repair = RepairKind.UNCLOSED_TAG in options.repairs
        found = _closed(text, opening, Span(at, stop), grammar, arguments, may_repair=may_repair)
        if repeated:
            issue = Issue(Reason.DUPLICATE_KEY, repeated, f"The tag is {repeated.of(text)}.")
            return refused(found.span, found.body, issue)
        return _ambiguous(found, swallowing) if swallowing else found


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
        return Found(BlockStatus.STRICT, span, Span(opening.end, closer.start("tag")), (action,))
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

    def __init__(self, tag: str, fields: tuple[str, ...], openers: frozenset[str]) -> None:
        names = "|".join(map(re.escape, fields))
        closer = re.escape(f"</{tag}>")
        self.tag = tag
        self.field_or_end = re.compile(rf"\s*(?:<(?:{names})>|{closer})")
        self.field_opens = re.compile(rf"\s*(?P<tag><(?P<name>{names})>)")
        self.closes = re.compile(rf"\s*(?P<tag>{closer})")
        self.closes_later = re.compile(closer)
        self.opens = re.compile("|".join(map(re.escape, sorted(openers))))
        self.followed_closer = {
            name: re.compile(rf"</{re.escape(name)}>(?=\s*(?:<(?:{names})>|{closer}))") for name in fields
        }

    def field_closes(self, name: str, source: Source, start: int, end: int) -> Span | None:
        """Return the tag that closes a field.

        It is the first one that another field or the end of the action follows, so that a body may quote its own
        closing tag, but never one behind the next action's opening tag; where none fits, the very first one.
        """
        first = source.find(f"</{name}>", start, end)
        if first < 0:
            return None
        behind = first + len(name) + 3
        bound = source.search(self.opens, behind, end)
        followed = self.followed_closer[name].search(source.text, first, bound)
        return Span(*followed.span()) if followed else Span(first, behind)


@lru_cache(maxsize=256)
def _grammar(tag: str, fields: tuple[str, ...], openers: frozenset[str]) -> _Grammar:
    return _Grammar(tag, fields, openers)


def _trimmed(body: str, form: FieldForm) -> str:
    if form == "line":
        return body.strip()
    body = re.sub(r"\A[ \t]*\r?\n", "", body)
    return re.sub(r"\r?\n[ \t]*\Z", "", body) if form == "snippet" else body
