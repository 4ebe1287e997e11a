"""Who has recorded a step of a trace, and how much its recorder keeps: whether arguments are as they were written, or content at all.

How arguments were written is the source's matter, not each value's: some recorders give those that are JSON parsed and leave what is
broken a text, so that a rate over texts alone would be one over broken ones.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from actionledger.core.vocabulary import Capture
from actionledger.imports.shapes import sniffed
from actionledger.imports.shapes.base import Message
from actionledger.imports.shapes.steps import Step
from actionledger.imports.sources.access import objects_at

PARSING = ("anthropic", "claude", "google", "gemini", "vertex", "bedrock", "aws")
"""Providers that give arguments parsed: a text of them is an instrumentation's, and not what the model wrote."""

_PARSING_SCOPES = (
    "opentelemetry.instrumentation.genai.",
    "gcp.vertex.agent",
    "strands.",
    "com.anthropic.",
)
"""Instrumentations that give arguments parsed, whoever the provider is."""

HIDDEN = "__REDACTED__"
"""What OpenInference writes in place of what it is told to hide."""


def keep_by_recorder(step: Step, scope: str, provider: str) -> None:
    """Note who has recorded a request, and give its calls as all of that recorder's are kept."""
    step.recorder = f"{scope} {provider}"
    if step.keeps is Capture.CALLS or scope.startswith(_PARSING_SCOPES) or _is_parsing(provider):
        step.keeps = Capture.CALLS
        step.said = [parsed(message) for message in step.said]


def _is_parsing(provider: str) -> bool:
    return any(name in provider.lower() for name in PARSING)


def parsed(message: Message) -> Message:
    """Return a message whose calls have their arguments parsed, where they are the JSON text of an object."""
    calls = []
    for call in message.calls:
        given = sniffed.decoded(call.arguments)
        calls.append(replace(call, arguments=given) if isinstance(given, dict) else call)
    return replace(message, calls=calls)


def shown_values(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return attributes without those whose value was hidden."""
    return {key: value for key, value in given.items() if value != HIDDEN}


def has_no_content(messages: Iterable[Any]) -> bool:
    """Return whether messages are there without what was said: a part that is a text has none."""
    parts = (
        part for message in messages if isinstance(message, Mapping) for part in objects_at(message, "parts")
    )
    return any(part.get("type") == "text" and "content" not in part and "text" not in part for part in parts)
