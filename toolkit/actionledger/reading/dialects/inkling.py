"""Inkling: blocks that say what they hold; a call's has its name and a JSON object that names it again, or a text."""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from actionledger.core.values import Issue, Span
from actionledger.core.values.calls import only_text_of
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.base import Found, Written
from actionledger.reading.dialects.parts.json_calls import Keys
from actionledger.reading.dialects.parts.marked import Marked
from actionledger.reading.dialects.parts.markers import Marker
from actionledger.reading.dialects.parts.truncation import cut_off
from actionledger.reading.dialects.parts.verdicts import read_block, refused
from actionledger.reading.dialects.parts.writing import PlainCall, json_text

_INVOKE = "<|content_invoke_tool_json|>"
_END = "<|end_message|>"
_INVOKE_TEXT = "<|content_invoke_tool_text|>"
_HEADER = re.compile(
    rf"<\|message_model\|>(?P<name>[^<>\n]{{0,200}}+)(?:{re.escape(_INVOKE)}|(?P<text>{re.escape(_INVOKE_TEXT)}))"
)


class Inkling(Marked):
    """An object with ``name`` and ``args`` behind ``<|content_invoke_tool_json|>``.

    Before that token the block's own begins, with the name. A text by itself stands behind ``<|content_invoke_tool_text|>``: it is the
    only argument, ``text`` where the tool's own name for it is unknown. A block of ``<|content_thinking|>`` is the model's thoughts.
    """

    name: Literal["inkling"] = "inkling"
    optional_closers: ClassVar[Mapping[str, str]] = {
        _END: "the model's end of turn, which servers take away",
    }
    source = "Inkling, message blocks as SGLang's and llama.cpp's parsers read them"
    rules = (
        (
            "An action is a block of its own: <|message_model|>, its name, <|content_invoke_tool_json|>, a JSON "
            'object with "name" and "args", and <|end_message|>.'
        ),
    )
    example = (
        "<|message_model|>get_weather<|content_invoke_tool_json|>"
        '{"name": "get_weather", "args": {"city": "Paris"}}<|end_message|>'
    )
    closers: ClassVar[Mapping[str, str]] = {"<|message_model|>": _END, _INVOKE: _END, _INVOKE_TEXT: _END}
    may_stay_open: ClassVar[bool] = True
    keys: ClassVar[Keys] = Keys(("name",), ("args", "arguments", "parameters"))
    thought_markers: ClassVar[Mapping[str, str]] = {"<|content_thinking|>": _END}

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the object behind the token that says it is a call's; the name before it has to be the same."""
        if marker.opening.label == _INVOKE:
            return super().read_values(marker, start)
        if marker.opening.label == _INVOKE_TEXT:
            return _of_text(marker, "", start)
        header = _HEADER.match(marker.source.text, marker.opening.start, marker.end)
        if header is None:
            return None
        if header["text"]:
            return _of_text(marker, header["name"].strip(), header.end())
        found = super().read_values(
            marker._replace(opening=marker.opening._replace(end=header.end())), header.end()
        )
        name = header["name"].strip()
        if found and name and any(action.name != name for action in found.actions):
            detail = f"The block is {name[:80]!r}'s, its object another one's."
            issue = Issue(Reason.AMBIGUOUS, Span(*header.span("name")), detail)
            return refused(found.span, found.body, issue)
        return found

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write a block for each call; see ``Dialect.write``."""
        return "".join(
            f"<|message_model|>{call.name}{_INVOKE}"
            f"{json_text({'name': call.name, 'args': call.arguments})}{_END}"
            for call in calls
        )


def _of_text(marker: Marker, name: str, start: int) -> Found | None:
    """Return the call whose only argument is the text behind its header; a text whose end is missing may be longer, and waits."""
    close = marker.source.find(_END, start, marker.end)
    span = Span(marker.opening.start, close + len(_END) if close >= 0 else marker.end)
    body = Span(start, close if close >= 0 else marker.end)
    if not name and not body.of(marker.source.text).strip():
        return None  # the token is mentioned
    if not name:
        return refused(span, body, Issue(Reason.WRONG_SHAPE, span, "No tool is named."))
    key = only_text_of(marker.source.names, name) or "text"
    found = read_block(span, body, (Written(name, {key: body.of(marker.source.text)}, span),))
    return found if close >= 0 else cut_off(found, marker.end)
