"""Fast paths for the usual calls: one valid object between two markers, or objects in a valid value."""

from typing import Any

from actionledger.core.values import Span, rows_of
from actionledger.core.vocabulary import BlockStatus
from actionledger.reading.dialects.base import Found, Written, named_arguments
from actionledger.reading.dialects.parts.json_calls import Keys
from actionledger.reading.dialects.parts.markers import Marker, behind_blanks
from actionledger.reading.tolerant_json.valid import Outlined, read_valid

_NAME_AND_ARGUMENTS = 2


def plain_call(marker: Marker, start: int, keys: Keys) -> Found | None:
    """Return the block of such a call, with its closing marker right after it; None for anything else.

    The marker must be closed before the next one opens, so that ten thousand unclosed ones cost only a look each.
    """
    source, opening, closer, end = marker[:4]
    text = source.text
    if not closer or not text.startswith('{"', start):
        return None
    close = source.find(closer, start, end)
    if close < 0 or -1 < source.find(opening.label, start, end) < close:
        return None
    read = read_valid(text[start:close], 0, marker.options.max_depth)
    if read is None or len(read[0]) != _NAME_AND_ARGUMENTS:
        return None
    value, length = read
    if behind_blanks(text, start + length, close) != close:
        return None
    (named, name), (holder, arguments) = value.items()
    if named not in keys.names or holder not in keys.arguments:
        return None
    if type(name) is not str or type(arguments) is not dict or not name.strip():
        return None
    actions = (Written(name, arguments, Span(start, start + length)),)
    body = Span(opening.end, close)
    return Found(BlockStatus.STRICT, Span(opening.start, close + len(closer)), body, actions)


def plain_objects(decoded: Outlined, objects: list[Any], key: str) -> list[Written] | None:
    """Return objects of a valid value as the actions that they name under this key; None if one has no name."""
    for item in objects:
        if type(item) is not dict or key not in item:
            return None
    spans = decoded.spans_of(objects)
    return rows_of(
        Written,
        [(*named_arguments(item, key), span, None, None) for item, span in zip(objects, spans, strict=True)],
    )
