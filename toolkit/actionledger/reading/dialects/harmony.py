"""OpenAI's Harmony format (gpt-oss): messages with a channel; one that has a recipient is a call.

``<|start|>assistant<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{…}<|call|>``. The recipient may
stand with the role instead. Messages on the channel ``analysis`` without a recipient are the model's thoughts.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import BlockStatus, Reason
from actionledger.reading.dialects.base import Dialect, Found, Written
from actionledger.reading.dialects.parts.json_values import Reach, arguments_at
from actionledger.reading.dialects.parts.markers import behind_blanks
from actionledger.reading.dialects.parts.truncation import cut_off
from actionledger.reading.dialects.parts.verdicts import closing_tag, read_block, refused
from actionledger.reading.dialects.parts.writing import PlainCall, json_text
from actionledger.reading.scan.openings import Opening
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.options import DecodeOptions

_HEADER = re.compile(
    r"(?:<\|start\|>[ ]?assistant(?:[ \t]+to=(?P<role_to>[^\s<]+))?[ \t]*+)?<\|channel\|>[ ]?(?P<channel>\w+)"
    r"(?P<rest>[^<]*+(?:<\|constrain\|>[^<]*+)?+)<\|message\|>"
)
_RECIPIENT = re.compile(r"(?<!\S)to=(?P<to>[^\s<]+)")
_MARK = re.compile(
    r"<\|(?:call|end|return|start)\|>|<\|channel\|>(?=[ ]?\w[^<]*+(?:<\|constrain\|>[^<]*+)?+<\|message\|>)"
)
_NEXT_MESSAGE = re.compile(
    r"<\|start\|>|<\|channel\|>(?=[ ]?\w[^<]*+(?:<\|constrain\|>[^<]*+)?+<\|message\|>)"
)
_CUT_HEADER = re.compile(
    r"<\|(?:start|channel)\|>[^<\n]*+(?:<\|channel\|>[^<\n]*+)?+(?:<\|constrain\|>[^<\n]*+)?+(?:<\|?\w*+\|?)?\Z"
)


class Harmony(Dialect):
    """Messages to a tool are calls, thoughts are passed over, and the rest is what the user is told.

    The built-in tool ``python`` is sent plain source text: it is the argument ``code``.
    """

    name: Literal["harmony"] = "harmony"
    optional_closers: ClassVar[Mapping[str, str]] = {
        "<|call|>": "a stop token of gpt-oss: stop_tokens_for_assistant_actions of OpenAI's harmony library",
    }
    source = "OpenAI, Harmony response format; LLM-jp-4.1 (a blank behind each token), as llama.cpp's parser reads it"
    rules = (
        (
            "An action is a message of its own to functions.NAME on the channel commentary, with its "
            "arguments as a JSON object; it ends with <|call|>."
        ),
        "Several such messages may follow one another.",
    )
    example = (
        "<|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>"
        '{"city": "Paris"}<|call|>'
    )
    namespace: ClassVar[str] = "functions."

    @property
    def literals(self) -> frozenset[str]:
        """The tokens that a message of the assistant begins with."""
        return frozenset({"<|start|>assistant", "<|start|> assistant", "<|channel|>"})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the message that begins here; see ``Dialect.read``."""
        header = _HEADER.match(source.text, opening.start, end)
        if header is None:
            return _cut_header(source.text, opening, end)
        message = _Message(source, header, end, options)
        beside = _RECIPIENT.search(header["rest"])
        if recipient := header["role_to"] or (beside["to"] if beside else ""):
            found = message.call(recipient.removeprefix(self.namespace))
        elif header["channel"] == "analysis":
            found = message.thoughts()
        else:
            return None  # what the user is told
        return self.unless_quoted(found, source.text)

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write a message for each call; see ``Dialect.write``."""
        return "".join(
            f"<|start|>assistant<|channel|>commentary to={self.namespace}{call.name} "
            f"<|constrain|>json<|message|>{json_text(call.arguments)}<|call|>"
            for call in calls
        )


def _cut_header(text: str, opening: Opening, end: int) -> Found | None:
    """A text that ends within the header of a call was cut off; anything else is a mention."""
    if end < len(text) or "to=" not in text[opening.start : opening.start + 200]:
        return None
    if not _CUT_HEADER.match(text, opening.start):
        return None
    span = Span(opening.start, end)
    return refused(span, Span(opening.end, end), Issue(Reason.TRUNCATED, span))


class _Message:
    """One message, from behind its header."""

    def __init__(self, source: Source, header: re.Match[str], end: int, options: DecodeOptions) -> None:
        self.source, self.text, self.end, self.options = source, source.text, end, options
        self.start, self.body_start = header.start(), header.end()

    def stop(self, at: int) -> Span:
        """Return the token that ends the message from ``at`` on, empty where another message or the end does."""
        start = self.source.search(_MARK, at, self.end)
        mark = _MARK.match(self.text, start, self.end)
        is_end = mark is not None and mark[0] not in {"<|start|>", "<|channel|>"}
        return Span(start, mark.end() if mark and is_end else start)

    def thoughts(self) -> Found:
        stop = self.stop(self.body_start)
        span, body = Span(self.start, stop.end), Span(self.body_start, stop.start)
        is_cut = stop.start == len(self.text)
        issue = Issue(Reason.UNCLOSED_TAG, Span(self.start, self.body_start), "Expected <|end|>.")
        return Found(
            BlockStatus.IGNORED, span, body, reason=Reason.REASONING, issues=(issue,) if is_cut else ()
        )

    def call(self, name: str) -> Found:
        begins = behind_blanks(self.text, self.body_start, self.end)
        if name == "python" and not self.text.startswith("{", begins, self.end):
            stop = self.stop(begins)
            found = self.found(name, {"code": self.text[self.body_start : stop.start]}, stop.start)
            # Source text doesn't say where it ends.
            return cut_off(found, stop.start) if found.actions and stop.start == len(self.text) else found
        if self.text.startswith("<|call|>", begins, self.end):
            return self.found(name, {}, begins)
        arguments = arguments_at(self.source, begins, self.reach(begins), self.options)
        if isinstance(arguments, Issue):
            return self.refused(arguments)
        stop = self.stop(arguments.end)
        if self.text[arguments.end : stop.start].strip():
            return self.refused(Issue(Reason.TEXT_AFTER_VALUE, Span(arguments.end, stop.start)))
        return self.found(name, arguments.values, arguments.end, arguments.repairs, arguments.issues)

    def reach(self, at: int) -> Reach:
        """Return how far a value may reach that begins at ``at``: never beyond the next message."""
        bound = self.source.search(_NEXT_MESSAGE, at, self.end)
        stop = self.stop(at)
        return Reach(stop.start if stop.start < self.end else None, bound, self.end)

    def found(
        self,
        name: str,
        arguments: dict[str, Any],
        at: int,
        repairs: tuple[Repair, ...] = (),
        issues: tuple[Issue, ...] = (),
    ) -> Found:
        """Return the call whose content ends at ``at``; the token that ends it is due."""
        stop = self.stop(at)
        if stop.start == stop.end:
            close = closing_tag(self.text, at, self.end, "<|call|>", self.options)
            if close.issue:
                return self.refused(close.issue)
            stop, repairs = Span(close.start, close.end), repairs + close.repairs
        span = Span(self.start, stop.end)
        action = Written(name, arguments, span)
        return read_block(span, Span(self.body_start, stop.start), (action,), repairs, issues)

    def refused(self, issue: Issue) -> Found:
        """Return the message as one that can't be read; a value may reach behind its end."""
        stop = self.stop(self.body_start)
        if issue.span and issue.span.end > stop.start:
            cut = stop.start == len(self.text)
            detail = "" if cut else "The message ends before its value does."
            code = issue.code if cut else Reason.MALFORMED_JSON
            issue = Issue(code, Span(self.body_start, stop.start), detail)
        return refused(Span(self.start, stop.end), Span(self.body_start, stop.start), issue)
