"""A recorded response as something to paste: with what has read it, and where it comes from. Of one whose calls alone were recorded, a message."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from actionledger.core.errors import UsageError
from actionledger.core.events import ActionRecord
from actionledger.core.privacy import mask_text
from actionledger.core.text import writable
from actionledger.core.values import Block
from actionledger.core.vocabulary import Capture
from actionledger.ledger.queries import TurnDetail
from actionledger.ledger.queries.readings import RecordedReading
from actionledger.replay.readers import Reader, reader_of
from actionledger.report.exports.parts import call_id
from actionledger.runtime.execution.registry import PROFILES, profile_named
from actionledger_dashboard.components.pasted import EVERY_FORMAT


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded response, as it would be pasted.

    Args:
        text: the response; a message as JSON where its calls were recorded beside its text.
        tools: the tools that it was checked against, as JSON; empty for none.
        way: what has read it, as it stands in a URL.
        origin: its session and turn, as a case says them.
        note: what is to be known of it, as a sentence; empty for nothing.
    """

    text: str
    tools: str
    way: str
    origin: Mapping[str, Any]
    note: str = ""

    @property
    def is_message(self) -> bool:
        """Whether it is a message that was put together from the calls that were recorded."""
        return bool(self.note)


def recorded_in(reading: RecordedReading) -> Recorded:
    """Return what a recorded reading has to paste."""
    try:
        reader = reader_of(reading)
    except UsageError:
        if reading.capture is not Capture.TEXT:
            raise
        reader = Reader()  # what has read it is not here; every format reads it then
    is_whole = reader.profile and reader.chosen_parser() == profile_named(reader.profile).parser
    dialect = f"dialect:{reader.dialects[0]}" if len(reader.dialects) == 1 else EVERY_FORMAT
    way = f"profile:{reader.profile}" if is_whole else f"parser:{reader.parser}" if reader.parser else dialect
    tools = "" if reader.tools is None else _indented(reader.tools)
    return Recorded(reading.text, tools, way, _origin(reading))


def recorded_calls_in(reading: RecordedReading, detail: TurnDetail) -> Recorded:
    """Return the calls of a turn that were recorded beside its text as a message, so that they can be checked again."""
    profile = PROFILES.get(reading.profile)
    is_by_profile = profile is not None and profile.catalogue.name == reading.catalogue
    way = f"profile:{reading.profile}" if is_by_profile else EVERY_FORMAT
    tools = "" if reading.tools is None or is_by_profile else _indented(json.loads(reading.tools))
    kept = "as the model wrote their arguments" if reading.capture is Capture.ARGUMENTS else "parsed"
    note = f"The calls of this turn were recorded beside its text, {kept}: this message was put together from them, to be checked again."
    return Recorded(_indented(message_of(detail)), tools, way, _origin(reading), note)


def message_of(detail: TurnDetail) -> dict[str, Any]:
    """Return a turn whose calls were recorded beside its text as a message of the OpenAI chat interface."""
    text, named = detail.response.text, {action.block: action for action in detail.actions}
    said, taken = "", 0
    for block in detail.blocks:
        said += text[taken : block.span.start].removesuffix("\n")
        taken = max(taken, block.span.end)
    calls = [_call_of(detail, block, named.get(block.index)) for block in detail.blocks]
    return {"role": "assistant", "content": said + text[taken:], "tool_calls": calls}


def _call_of(detail: TurnDetail, block: Block, action: ActionRecord | None) -> dict[str, Any]:
    """Return a call with its arguments as the model wrote them, where that was recorded or is all that there is; else as they were parsed."""
    written = block.span.of(detail.response.text)
    is_written = detail.response.capture is Capture.ARGUMENTS and written
    if action is None:
        name, arguments, place = "", written, f"call-{detail.response.index}-block-{block.index}"
    else:
        arguments = written if is_written else json.loads(action.arguments)
        name, place = action.name, call_id(detail, action.index)
    return {"id": place, "type": "function", "function": {"name": name, "arguments": arguments}}


def _indented(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


def _origin(reading: RecordedReading) -> dict[str, Any]:
    named = reading.external_id or reading.session_id
    return {"session": writable(mask_text(named)), "turn": reading.turn_index}
