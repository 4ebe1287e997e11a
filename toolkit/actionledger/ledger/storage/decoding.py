"""Lines as events again, or the reason why a line can't be read."""

from pydantic import ValidationError

from actionledger.core.events import EVENT, Event
from actionledger.ledger.storage.fitting import is_uuid
from actionledger.ledger.storage.old_events import ReversalAsTry, reversal_as_try
from actionledger.ledger.storage.segments import Line


def decode(line: Line) -> Event | ReversalAsTry:
    """Read a line.

    Args:
        line: a line of a segment.

    Returns:
        The event, or what an older version wrote for one; its identifier is a UUID, its other fields are as they were
        written.

    Raises:
        ValueError: the line is no event; the text is the reason.
    """
    if line.is_cut_off:
        raise ValueError("cut off")
    event: Event | ReversalAsTry
    try:
        event = line.event or reversal_as_try(line.data) or EVENT.validate_json(line.data)
    except ValidationError as error:
        raise ValueError(_reason(error)) from None
    if not is_uuid(event.event_id):
        raise ValueError(f"bad field: event_id is no UUID: {event.event_id[:100]!r}")
    return event


def _reason(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    match first["type"]:
        case "json_invalid":
            return f"bad JSON: {first['msg']}"
        case "union_tag_invalid":
            return f"unknown kind: {first['ctx']['tag']!r}"[:200]
        case _:
            place = ".".join(str(part) for part in first["loc"])
            return f"bad field: {place}: {first['msg']}" if place else f"no event: {first['msg']}"
