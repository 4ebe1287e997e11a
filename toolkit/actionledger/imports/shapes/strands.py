"""What Strands' own tracer writes: events whose text is the JSON of Amazon Bedrock's blocks.

Defined by ``strands/telemetry/tracer.py`` of github.com/strands-agents/sdk-python, as of 1.62. With the newest conventions
(``OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental``) its messages are as these say, each kind in an event of its own.
"""

from collections.abc import Mapping
from typing import Any

from actionledger.imports.shapes import bedrock, sniffed
from actionledger.imports.shapes.base import Message, plain
from actionledger.imports.shapes.genai import speaker_of
from actionledger.imports.shapes.spans import Span
from actionledger.imports.sources.access import text_at

_BLOCKS = frozenset({"text", "toolUse", "toolResult", "reasoningContent", "cachePoint", "image", "document"})


def is_of_strands(span: Span) -> bool:
    """Return whether a span is of Strands' own tracer."""
    named = (text_at(span.attributes, key) for key in ("gen_ai.system", "gen_ai.provider.name"))
    return span.scope.startswith("strands.") or "strands-agents" in named


def message(role: str, text: object) -> Message | None:
    """Read a message of an event; None where its text holds no blocks."""
    content = blocks(text)
    if content is None:
        return None
    found = bedrock.message({"role": role, "content": content})
    found.speaker = speaker_of(role)
    return found


def blocks(text: object) -> list[Any] | None:
    """Return the blocks that a text is the JSON of; None where it is none."""
    held = sniffed.decoded(text)
    is_blocks = isinstance(held, list) and all(
        isinstance(part, Mapping) and _BLOCKS & part.keys() for part in held
    )
    return held if isinstance(held, list) and is_blocks else None


def given_to_tool(span: Span) -> object:
    """Return what a tool was run with; None where that isn't recorded."""
    return _said(span, "gen_ai.tool.message", "content")


def come_of_tool(span: Span, given: object) -> object:
    """Return what a tool gave; None where that isn't recorded."""
    said = _said(span, "gen_ai.choice", "message") if given is None else given
    held = blocks(said)
    return said if held is None else plain(held)


def _said(span: Span, event: str, field: str) -> object:
    return next((fields.get(field) for name, fields in span.events if name == event), None)
