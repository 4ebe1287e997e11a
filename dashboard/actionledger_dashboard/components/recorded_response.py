"""A recorded response as something to paste: with what has read it, and where it comes from."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from actionledger.errors import UsageError
from actionledger.execution.registry import profile_named
from actionledger.ledger.queries.readings import RecordedReading
from actionledger.privacy import mask_text
from actionledger.replay.readers import Reader, reader_of
from actionledger.text import writable
from actionledger.vocabulary import Capture
from actionledger_dashboard.components.pasted import EVERY_FORMAT


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded response, as it would be pasted.

    Args:
        text: the response.
        tools: the tools that it was checked against, as JSON; empty for none.
        way: what has read it, as it stands in a URL.
        origin: its session and turn, as a case says them.
    """

    text: str
    tools: str
    way: str
    origin: Mapping[str, Any]


def recorded_in(reading: RecordedReading) -> Recorded:
    """Return what a recorded reading has to paste.

    Args:
        reading: it.

    Raises:
        UsageError: its text is not what the model wrote.
    """
    try:
        reader = reader_of(reading)
    except UsageError:
        if reading.capture is not Capture.TEXT:
            raise
        reader = Reader()  # what has read it is not here; every format reads it then
    is_whole = reader.profile and reader.chosen_parser() == profile_named(reader.profile).parser
    dialect = f"dialect:{reader.dialects[0]}" if len(reader.dialects) == 1 else EVERY_FORMAT
    way = f"profile:{reader.profile}" if is_whole else f"parser:{reader.parser}" if reader.parser else dialect
    tools = "" if reader.tools is None else json.dumps(reader.tools, ensure_ascii=False, indent=1)
    origin = {
        "session": writable(mask_text(reading.external_id or reading.session_id)),
        "turn": reading.turn_index,
    }
    return Recorded(reading.text, tools, way, origin)
