"""A turn's calls, each with the action that it was read as: what a recorded result may belong to."""

import json
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from actionledger.core.ids import derived_id
from actionledger.core.recording import SessionKey, TurnKey
from actionledger.core.recording.turns import action_id_of
from actionledger.core.values import ActionCall, ParseResult
from actionledger.core.values.recordings import RecordedCall, RecordedTurn
from actionledger.core.vocabulary import ActionStatus, Capture
from actionledger.imports.sources.exit_one import command_of
from actionledger.ledger.queries.recorded import OpenCall
from actionledger.reading.leaked import is_leaked


class Call(NamedTuple):
    """A call that a result may belong to.

    Args:
        turn: its turn.
        attempt_id, action_id, action_index, name, dialect: the action that it was read as; of a call that could not be read,
            an id of its own and its place behind the actions.
        call_id: its identifier where it comes from; empty where it has none.
        repeated: how many calls before it in its turn have the same identifier.
        command: what it runs, as ``exit_one.command_of`` has it; empty where it is no command, or is not known.
    """

    turn: TurnKey
    attempt_id: str
    action_id: str
    action_index: int
    name: str
    dialect: str
    call_id: str
    repeated: int = 0
    command: str | list[str] = ""

    @property
    def known_as(self) -> str | int:
        """What its result is known by in its turn."""
        return _known_as(self.call_id, self.repeated, self.action_index)


def may_be_unread(call: RecordedCall) -> bool:
    """Return whether a call's arguments are such that reading may have refused them."""
    if not isinstance(call.arguments, str):
        return False
    if call.kind == "text":
        return call.name == "apply_patch"
    try:
        return not isinstance(json.loads(call.arguments or "{}"), dict)
    except (ValueError, RecursionError):
        return True


def calls_of(turn: RecordedTurn, key: TurnKey, result: ParseResult, attempt_id: str) -> list[Call]:
    """Return a turn's calls, each with the action that it was read as, in the order in which they were made."""
    actions = [
        (index, action)
        for index, action in enumerate(result.actions)
        if action.status is not ActionStatus.ILLUSTRATION
    ]
    if not turn.calls:
        return [_of_action(key, attempt_id, index, action, action.call_id or "") for index, action in actions]
    ordered = sorted(turn.calls, key=lambda call: len(turn.text) if call.at is None else call.at)
    at = _places(turn, result)
    alike = Counter([call.call_id for call in ordered]) if len(ordered) > 1 else {ordered[0].call_id: 1}
    calls: list[Call] = []
    before: dict[str, int] = {}
    for place, call in enumerate(ordered):
        named = [pair for pair in actions if call.call_id and pair[1].call_id == call.call_id]
        same = next((pair for pair in named if at(pair) == place), None)
        if same is None and named and alike[call.call_id] == 1:
            same = named[0]
        if same is None and not named:
            same = next(
                (pair for pair in actions if at(pair) == place and pair[1].name == call.name),
                None,
            )
        if same is not None:
            actions.remove(same)
            found = _of_action(key, attempt_id, *same, call.call_id)
        else:
            behind = len(result.actions) + place
            unread = derived_id(
                "unread-call", key.turn_id, _known_as(call.call_id, before.get(call.call_id, 0), place)
            )
            found = Call(key, attempt_id, unread, behind, call.name, "", call.call_id)
        repeated = before.get(call.call_id, 0)
        calls.append(found._replace(repeated=repeated) if repeated else found)
        before[call.call_id] = repeated + 1
    return calls


def _known_as(call_id: str, repeated: int, place: int) -> str | int:
    """Return what a call is known by in its turn: its identifier, or its place where it has none."""
    if not call_id:
        return place
    return f"{call_id}#{repeated}" if repeated else call_id


def _places(turn: RecordedTurn, result: ParseResult) -> Callable[[tuple[int, ActionCall]], int]:
    """Return what says at which call's place an action is: among the actions of a text, among the blocks of calls beside one."""
    if turn.capture is Capture.TEXT:
        return lambda pair: pair[0]
    calls = [block.index for block in result.blocks if not is_leaked(block)]
    place_of = {index: place for place, index in enumerate(calls)}
    return lambda pair: place_of.get(pair[1].block, -1)


def _of_action(key: TurnKey, attempt_id: str, index: int, action: ActionCall, call_id: str) -> Call:
    action_id = action_id_of(attempt_id, index)
    command = command_of(action.name, action.arguments)
    return Call(key, attempt_id, action_id, index, action.name, action.dialect, call_id, command=command)


def call_of(there: OpenCall) -> Call:
    """Return a call that a ledger has without a result."""
    session = SessionKey(
        session_id=there.session_id, profile=there.profile, model=there.model, task=there.task
    )
    turn = TurnKey(
        session=session, turn_id=there.turn_id, index=there.turn_index, occurred_at=there.occurred_at
    )
    return Call(
        turn,
        there.attempt_id,
        there.action_id,
        there.action_index,
        there.name,
        there.dialect,
        there.call_id,
        there.repeated,
        command_of(there.name, json.loads(there.arguments)) if there.arguments else "",
    )
