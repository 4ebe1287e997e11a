"""How results word that they are errors where a format has no field for it: a text that begins by saying so."""

from actionledger.core.vocabulary import Reason
from actionledger.imports.sources.base import Wording

_SAYS = (
    r"(?i)^\s*(?:\[?(?:tool )?error\b|error executing tool\b|failed\b|exception\b|tool execution failed\b)"
)

WORDINGS: tuple[Wording, ...] = (
    Wording(
        _SAYS + r".{0,120}\b(?:rate limit|too many requests)",
        Reason.RATE_LIMIT,
        "Error: API rate limit exceeded",
        is_telling=True,
    ),
    Wording(
        _SAYS + r".{0,120}\b(?:timed? ?out|timeout)\b",
        Reason.TIMEOUT,
        "Error: the request timed out",
        is_telling=True,
    ),
    Wording(
        _SAYS + r".{0,120}\b(?:unknown tool|tool .{0,60}not found|no such tool)\b",
        Reason.UNKNOWN_ACTION,
        "Error: tool 'reader' not found",
        is_telling=True,
    ),
    Wording(
        _SAYS
        + r".{0,120}\b(?:validation|invalid (?:tool )?(?:arguments?|input|parameters?)|missing \d* ?required)",
        Reason.SCHEMA_ERROR,
        "Error: 1 validation error for get_weather",
        is_telling=True,
    ),
    Wording(
        _SAYS + r".{0,120}\b(?:no such file|not found|does not exist)\b",
        Reason.NOT_FOUND,
        "Error: file not found",
        is_telling=True,
    ),
    Wording(
        r"(?i)^\s*(?:\[?(?:tool )?error\]?\s*:|error executing tool\b|tool execution failed\b)",
        Reason.TOOL_ERROR,
        "Error executing tool search: no connection",
        is_telling=True,
    ),
)
"""The narrower wordings first."""
