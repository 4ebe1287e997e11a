"""A response that was pasted or loaded from a ledger, parsed at once. Nothing is recorded, and no address contains it."""

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.core.events import ActionRecord
from actionledger.core.ids import derived_id
from actionledger.core.privacy import mask_text
from actionledger.core.recording import RunKey, SessionKey, TurnKey
from actionledger.core.recording.turns import main_reason, response_parsed
from actionledger.core.text import writable
from actionledger.core.values import Block, ParseResult
from actionledger.core.vocabulary import SENTENCES, ActionStatus, BlockStatus, Capture, Evidence, RunKind
from actionledger.ledger.queries import Attempt, ReadAction, Response, TurnDetail, TurnDifference
from actionledger.ledger.queries.differences import differing_actions
from actionledger.ledger.queries.readings import RecordedReading
from actionledger.reading.dialects import DIALECTS
from actionledger.replay.cases import Case
from actionledger.replay.readers import Reader, reader_of
from actionledger.report.exports.parts import call_id
from actionledger.runtime.execution.registry import PROFILES, profile_named
from actionledger_dashboard.viewer.looks import Values, card

LIMIT = 200_000
"""The size limit of pasted text, in characters."""

EVERY_FORMAT = "parser:auto"
"""The URL's value for every format."""
_SOURCES = {dialect.name: dialect.source for dialect in DIALECTS}
_KEY = TurnKey(
    session=SessionKey(session_id=derived_id("pasted"), profile="", model="", task=""),
    turn_id=derived_id("pasted", "turn"),
    index=0,
    occurred_at=None,
)
_RUN = RunKey(run_id=derived_id("pasted", "run"), kind=RunKind.LIVE)


@dataclass(frozen=True, slots=True)
class Pasted:
    """The pasted text, and how to parse it."""

    text: str  # a response, or a provider's message as JSON
    is_message: bool = False  # whether it is a message
    tools: str = ""  # the tools that the model was offered, as JSON; empty for none

    def __post_init__(self) -> None:
        for name, given in (("response", self.text), ("list of tools", self.tools)):
            if len(given) > LIMIT:
                raise UsageError(f"This {name} has {len(given):,} characters; {LIMIT:,} are read here.")


def ways_to_read() -> dict[str, str]:
    """Return the ways to parse a response, by their values in a URL: every format, the profiles, the parsers, the dialects."""
    ways = {EVERY_FORMAT: "every format"}
    ways |= {f"profile:{name}": f"profile {name}" for name in al.profile_names()}
    ways |= {way: f"parser {name}" for name in al.parser_names() if (way := f"parser:{name}") != EVERY_FORMAT}
    return ways | {f"dialect:{name}": f"dialect {name}" for name in al.dialect_names()}


def read_pasted(pasted: Pasted, way: str) -> tuple[ParseResult, int]:
    """Return the parse result of pasted text, and the duration in microseconds."""
    tools = tools_of(pasted.tools)
    kind, _, name = way.partition(":")
    profile = name if kind == "profile" else None
    begin = time.perf_counter_ns()
    if pasted.is_message:
        message = decoded(pasted.text, "message")
        result = al.parse_message(message, profile=profile if tools is None else None, tools=tools)
    else:
        result = al.parse(
            pasted.text,
            profile=profile,
            parser=name if kind == "parser" else None,
            dialects=[name] if kind == "dialect" else None,
            tools=tools,
        )
    return result, (time.perf_counter_ns() - begin) // 1000


def case_of_pasted(pasted: Pasted, way: str, origin: Mapping[str, Any] | None = None) -> Case:
    """Return a case that expects today's parse result."""
    kind, _, name = way.partition(":")
    if pasted.is_message:
        tools = tools_of(pasted.tools)
        return Case.of(
            pasted.text,
            is_message=True,
            why="Pasted into the playground; it has to be read so.",
            profile=name if kind == "profile" and tools is None else "",
            tools=tools,
        )
    return Case.of(
        pasted.text,
        why="Looked at in the playground; it has to be read so."
        if origin
        else "Pasted into the playground; it has to be read so.",
        origin=origin,
        parser=name if kind == "parser" else "",
        dialects=(name,) if kind == "dialect" else (),
        profile=name if kind == "profile" else "",
        tools=tools_of(pasted.tools),
    )


def case_name(text: str) -> str:
    """Return a name for a case's file that contains nothing of the text."""
    return f"playground-{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:10]}"


def tools_of(text: str) -> list[dict[str, Any]] | None:
    """Return the tools that a JSON text defines: a list, a single one, or a request with ``tools``; None if it is empty."""
    if not text.strip():
        return None
    value = decoded(text, "list of tools")
    if isinstance(value, Mapping) and isinstance(value.get("tools"), list):
        value = value["tools"]
    tools = [value] if isinstance(value, Mapping) else value
    if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
        raise UsageError(
            'The tools are no list of definitions; write them like [{"name": "add", "parameters": {…}}].'
        )
    return tools


def decoded(text: str, what: str) -> object:
    """Return the value of a JSON text."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(
            f"This is not JSON, so no {what}: {error.msg.lower()} in line {error.lineno}, character {error.colno}."
        ) from None
    except (ValueError, RecursionError):
        raise UsageError(
            f"This is not a {what} that can be read: its values are too deep or its numbers too long."
        ) from None


def detail_of(result: ParseResult, duration_us: int, capture: Capture = Capture.TEXT) -> TurnDetail:
    """Return a parse result as the detail of a turn."""
    event = response_parsed(result, _KEY, _RUN, duration_us)
    attempt = Attempt(
        event.attempt_id,
        event.run_id,
        event.parser_name,
        event.catalogue,
        event.dialect,
        event.outcome,
        event.reason,
        event.duration_us,
    )
    response = Response(
        _KEY.turn_id, _KEY.session.session_id, 0, None, result.text, True, None, (), capture=capture
    )
    return TurnDetail(response, attempt, event.blocks, event.issues, event.actions, (), (), ())


_LOOKS = {BlockStatus.STRICT: "good", BlockStatus.REPAIRED: "mended", BlockStatus.MALFORMED: "bad"}


def why_lane(result: ParseResult) -> Values:
    """Return the lane that explains each block's parse result: its rule, its evidence, its repairs."""
    return {
        "title": "Why",
        "whenEmpty": "No mark of a known format here: all of it is narrative.",
        "cards": [_why(block, result) for block in result.blocks],
    }


def _why(block: Block, result: ParseResult) -> Values:
    calls = [call for call in result.actions if call.block == block.index]
    lines = list(_rules_of(block, next((call.evidence for call in calls if call.evidence), None)))
    lines += [f"{_words(each.kind)} at [{each.span.start:,}, {each.span.end:,})" for each in block.repairs]
    return card(
        block.dialect,
        _words(block.status),
        _LOOKS.get(block.status, "idle"),
        f"[{block.span.start:,}, {block.span.end:,})",
        lines,
        block=block.index,
    )


def _rules_of(block: Block, evidence: Evidence | None) -> Iterator[str]:
    found = block.evidence or evidence
    if found is not None:
        yield f"Evidence of its place: {_words(found)}."
    if block.reason is not None:
        yield f"{block.reason}: {SENTENCES[block.reason]}"
    yield from (issue.message for issue in block.issues if issue.code is not block.reason)
    if source := _SOURCES.get(block.dialect):
        yield f"Defined by: {source}."


def difference_of(before: ParseResult, after: ParseResult) -> TurnDifference:
    """Return how two readings of one text differ."""
    return TurnDifference(
        turn_id=_KEY.turn_id,
        session_id=_KEY.session.session_id,
        turn_index=0,
        before=before.outcome,
        after=after.outcome,
        reason_before=main_reason(before),
        reason_after=main_reason(after),
        actions=differing_actions(_actions_of(before), _actions_of(after)),
    )


def _actions_of(result: ParseResult) -> list[ReadAction]:
    return [
        ReadAction(index, call.name, call.status, call.reason, call.arguments)
        for index, call in enumerate(result.actions)
        if call.status is not ActionStatus.ILLUSTRATION
    ]


def _words(code: str) -> str:
    return code.replace("_", " ")


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded response, as it would be pasted."""

    text: str  # the response, or a message as JSON if its calls were recorded next to its text
    tools: str  # the tools that it was checked against, as JSON; empty for none
    way: str  # what parsed it, as the URL's value
    origin: Mapping[str, Any]  # its session and turn, as in a case
    note: str = ""  # a sentence to show with it; empty for none

    @property
    def is_message(self) -> bool:
        """Whether it is a message that was built from recorded calls."""
        return bool(self.note)


def recorded_in(reading: RecordedReading) -> Recorded:
    """Return a recorded reading as it would be pasted."""
    try:
        reader = reader_of(reading)
    except UsageError:
        if reading.capture is not Capture.TEXT:
            raise
        reader = Reader()  # its parser is not installed; every format parses it instead
    is_whole = reader.profile and reader.chosen_parser() == profile_named(reader.profile).parser
    dialect = f"dialect:{reader.dialects[0]}" if len(reader.dialects) == 1 else EVERY_FORMAT
    way = f"profile:{reader.profile}" if is_whole else f"parser:{reader.parser}" if reader.parser else dialect
    tools = "" if reader.tools is None else _indented(reader.tools)
    return Recorded(reading.text, tools, way, _origin(reading))


def recorded_calls_in(reading: RecordedReading, detail: TurnDetail) -> Recorded:
    """Return a turn's separately recorded calls as a message, so that they can be checked again."""
    profile = PROFILES.get(reading.profile)
    is_by_profile = profile is not None and profile.catalogue.name == reading.catalogue
    way = f"profile:{reading.profile}" if is_by_profile else EVERY_FORMAT
    tools = "" if reading.tools is None or is_by_profile else _indented(json.loads(reading.tools))
    kept = "as the model wrote their arguments" if reading.capture is Capture.ARGUMENTS else "parsed"
    note = f"The calls of this turn were recorded beside its text, {kept}: this message was put together from them, to be checked again."
    return Recorded(_indented(message_of(detail)), tools, way, _origin(reading), note)


def message_of(detail: TurnDetail) -> dict[str, Any]:
    """Return a turn with separately recorded calls as a message of the OpenAI chat interface."""
    text, named = detail.response.text, {action.block: action for action in detail.actions}
    said, taken = "", 0
    for block in detail.blocks:
        said += text[taken : block.span.start].removesuffix("\n")
        taken = max(taken, block.span.end)
    calls = [_call_of(detail, block, named.get(block.index)) for block in detail.blocks]
    return {"role": "assistant", "content": said + text[taken:], "tool_calls": calls}


def _call_of(detail: TurnDetail, block: Block, action: ActionRecord | None) -> dict[str, Any]:
    """Return a call with its arguments as the model wrote them, if recorded or if they could not be parsed; else as parsed."""
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
