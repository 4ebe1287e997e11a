"""Mistral: a list of calls behind ``[TOOL_CALLS]``, or the marker, a name and an object for each call."""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import BlockStatus, Reason
from actionledger.reading.dialects.base import Found, Written
from actionledger.reading.dialects.parts.json_values import arguments_at
from actionledger.reading.dialects.parts.marked import Marked
from actionledger.reading.dialects.parts.markers import Close, Marker, behind_blanks, loose_end
from actionledger.reading.dialects.parts.writing import PlainCall, json_text

_NAME = r"[^\W\d][\w.:/-]*+"
_HEAD = re.compile(
    rf"(?:\s*+(?P<spaced>{_NAME})(?=\s*+\[(?:CALL_ID|ARGS)\])|(?P<name>{_NAME}))"
    r"(?:\s*+\[CALL_ID\]\s*+(?P<call_id>[\w-]++))?(?P<args>\s*+\[ARGS\])?"
)


class Mistral(Marked):
    """Until tokenizer version 7 a list of calls, each with an ``id``; since version 11 a marker for each call."""

    name: Literal["mistral"] = "mistral"
    source = (
        "mistral-common, the instruct tokenizers of versions 3 to 13; the chat templates of Mistral's models"
    )
    rules = (
        "An action is [TOOL_CALLS], its name, [ARGS] and its arguments as a JSON object.",
        "Several actions follow one another, each with both markers.",
    )
    example = '[TOOL_CALLS]get_weather[ARGS]{"city": "Paris"}'
    closers: ClassVar[Mapping[str, str]] = {"[TOOL_CALLS]": ""}

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the list behind the marker, or the one call that it opens."""
        head = _HEAD.match(marker.source.text, start, marker.end)
        return _named_call(marker, head) if head else super().read_values(marker, start)

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write each call behind a marker of its own; see ``Dialect.write``."""
        return "".join(map(_written, calls))


def _written(call: PlainCall) -> str:
    identifier = f"[CALL_ID]{call.call_id}" if call.call_id else ""
    return f"[TOOL_CALLS]{call.name}{identifier}[ARGS]{json_text(call.arguments)}"


def _named_call(marker: Marker, head: re.Match[str]) -> Found | None:
    """Read the arguments behind a name; None where the marker and a word behind it are only mentioned."""
    text, end = marker.source.text, marker.end
    at = behind_blanks(text, head.end(), end)
    if at >= end:
        return marker.malformed(Issue(Reason.TRUNCATED, Span(marker.opening.start, end)), Close(end, end))
    if not head["args"] and text[at] != "{":
        return None
    arguments = arguments_at(marker.source, at, marker.reach(at), marker.options)
    if isinstance(arguments, Issue):
        return marker.refused(arguments, at)
    span = Span(marker.opening.start, arguments.end)
    return Found(
        BlockStatus.REPAIRED if arguments.repairs else BlockStatus.STRICT,
        Span(span.start, loose_end(text, span.end, end)),
        Span(marker.opening.end, arguments.end),
        (Written(head["spaced"] or head["name"], arguments.values, span, head["call_id"]),),
        repairs=arguments.repairs,
        issues=arguments.issues,
    )
