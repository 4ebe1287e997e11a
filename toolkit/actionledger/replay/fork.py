"""Continue from a turn of a recorded session as a new session: with another response, edited action, policy or model."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from actionledger.core.canonical import JsonMap
from actionledger.core.errors import UnknownNameError, UsageError, require_path
from actionledger.core.files import TemporaryFolder
from actionledger.core.ids import new_id
from actionledger.core.values import Turn
from actionledger.core.vocabulary import Relation
from actionledger.ledger import Ledger
from actionledger.ledger.queries.names import Called, one_session, turn_place
from actionledger.ledger.queries.session import Session, session
from actionledger.ledger.queries.turn import Response, TurnDetail, conversation, turn as turn_of
from actionledger.reading.dialects import dialect_named
from actionledger.reading.dialects.parts.writing import PlainCall
from actionledger.replay.rerun_course import Refused, recorded_states
from actionledger.runtime.agent.loop import converse
from actionledger.runtime.execution.approval import Policy
from actionledger.runtime.execution.policy_file import resolve_policy
from actionledger.runtime.execution.profile import Profile
from actionledger.runtime.execution.registry import profile_named
from actionledger.runtime.models import Model
from actionledger.runtime.session.resumption import Earlier
from actionledger.runtime.session.runtime import Runtime
from actionledger.runtime.session.states.capture import CapturedState, Restorer, SkippedPath
from actionledger.runtime.session.states.lines import RecordedStates, TurnBegun, following
from actionledger.runtime.session.states.settings import as_recorded

_GO_ON = "Go on."


@dataclass(frozen=True, slots=True)
class Fork:
    """A session that continues from a turn of another one.

    Args:
        session_id: the new session.
        parent_session_id: its parent session.
        turn_index: the parent's turn that its first turn replaces, from 0.
        turns: its turns, in order.
        workspace: the folder that it worked in; None for a temporary one, now deleted.
        left_out: the parts of the parent's workspace that could not be restored.

    Example:
        >>> text = "<create_file><path>%s.txt</path><content>hello</content></create_file>"
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("coder", ledger=ledger, auto=True) as runtime:
        ...         turn = runtime.handle(text % "a")
        ...     forked = al.fork(ledger, runtime.session_id, turn=0, response=text % "b", auto=True)
        >>> forked.turn_index, [str(each.observations[0].status) for each in forked.turns]
        (0, ['succeeded'])
    """

    session_id: str
    parent_session_id: str
    turn_index: int
    turns: tuple[Turn, ...]
    workspace: Path | None
    left_out: tuple[SkippedPath, ...]


def fork(
    ledger: Ledger,
    session_id: Called,
    *,
    turn: int,
    response: str | None = None,
    edit: Mapping[int, JsonMap] | None = None,
    policy: Policy | str | Path | None = None,
    model: Model | None = None,
    profile: str | Profile | None = None,
    workspace: str | Path | None = None,
    auto: bool = False,
) -> Fork:
    """Continue from a turn of a recorded session as a new session, with the workspace as it was before that turn.

    Its first turn replaces the parent's turn; the parent's later turns are not part of it. To continue it later, give a workspace and reopen it.

    Args:
        ledger: the ledger with the session; it must be writable.
        session_id: the session's id, name, the beginning of either, or its title.
        turn: the turn's index, from 0; one past the last continues at the session's end.
        response: the response that replaces the recorded one; if only a model is given, the model responds.
        edit: new arguments for actions of the recorded response, complete for each action, by its index; the rest is unchanged.
        policy: which actions may run, as a value or as the path of a policy file; the recorded one if not given.
        model: the model that continues from there until it finishes.
        profile: the profile to run under, if it can't be found by its recorded name.
        workspace: an empty folder to work in; a temporary one if not given.
        auto: whether actions that need approval under the policy run without it.

    Returns:
        The new session; in the ledger, its parent is the other session, by ``fork``.

    Raises:
        UsageError: nothing is changed, the session or turn is unknown, both a response and an edit are given, the workspace isn't
            empty, or the parent's workspace is not known; the message says why.
        UnknownNameError: the profile is unknown.
        PolicyError: the policy file can't be used.
        LedgerError: the ledger can't be written to.

    Example:
        >>> text = "<create_file><path>a.txt</path><content>hello</content></create_file>"
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("coder", ledger=ledger, auto=True) as runtime:
        ...         turn = runtime.handle(text)
        ...     forked = al.fork(
        ...         ledger, runtime.session_id, turn=0, edit={0: {"path": "b.txt", "content": "hi"}}, auto=True
        ...     )
        ...     ledger.sql("SELECT relation FROM sessions WHERE relation IS NOT NULL").fetchall()
        [('fork',)]
    """
    if response is None and edit is None and policy is None and model is None:
        raise UsageError("Give a change: response=…, edit=…, policy=… or model=… .")
    if response is not None and edit is not None:
        raise UsageError("Give another response or edit the recorded one, not both.")
    turn = turn_place(turn)
    parent = session(ledger, one_session(ledger, session_id))
    assert parent is not None
    branching = _branching(ledger, parent, turn)
    base = _profile(parent, profile, branching.states)
    rules = None if policy is None else resolve_policy(policy, base.catalogue)
    text = _text(ledger, branching.recorded, response, edit, is_open=model is not None)
    with _folder(workspace) as root:
        left_out = Restorer(root, branching.states.objects).restore(branching.state)
        runtime = Runtime(
            base,
            ledger=ledger,
            workspace=root,
            policy=rules,
            auto=auto,
            model=model.name if model is not None else parent.model,
            task=parent.task,
            earlier=Earlier(new_id(), turn),
            child_of=(parent.session_id, Relation.FORK),
        )
        turns = _go_on(runtime, text, branching.recorded, branching.before, model)
    shown = None if workspace is None else root
    return Fork(runtime.session_id, parent.session_id, turn, turns, shown, tuple(left_out))


@dataclass(frozen=True, slots=True)
class _Branching:
    """The place in a recorded session at which another one branches off."""

    states: RecordedStates
    state: CapturedState
    before: Sequence[Response]
    recorded: Response | None


def _branching(ledger: Ledger, parent: Session, turn: int) -> _Branching:
    responses = conversation(ledger, parent.session_id)
    states, state = _state_before(ledger, parent, turn, len(responses))
    recorded = next((each for each in responses if each.index == turn), None)
    return _Branching(states, state, [each for each in responses if each.index < turn], recorded)


def _state_before(
    ledger: Ledger, parent: Session, turn: int, turns: int
) -> tuple[RecordedStates, CapturedState]:
    """Return a workspace's state before a turn."""
    if not 0 <= turn <= turns:
        raise UsageError(
            f"The session has no turn {turn}; its turns are 0 to {turns - 1}, and {turns} is its end."
        )
    try:
        states = recorded_states(ledger, parent)
    except Refused as refused:
        raise UsageError(f"The session {parent.session_id} can't be forked. {refused.sentence}") from refused
    state = states.first
    for line in states.lines:
        if isinstance(line, TurnBegun) and line.turn == turn:
            break
        state = following(state, line)
    assert state is not None
    return states, state


def _profile(parent: Session, given: str | Profile | None, states: RecordedStates) -> Profile:
    if isinstance(given, Profile):
        return as_recorded(given, states.begun.settings)
    try:
        return as_recorded(profile_named(given or parent.profile), states.begun.settings)
    except UnknownNameError as error:
        raise UsageError(f"{error} Give the session's profile by profile=… .") from error


def _text(
    ledger: Ledger,
    recorded: Response | None,
    response: str | None,
    edit: Mapping[int, JsonMap] | None,
    *,
    is_open: bool,
) -> str | None:
    """Return the response to continue with; None if a model gives it."""
    if response is not None or (is_open and edit is None):
        return response
    detail = turn_of(ledger, recorded.session_id, recorded.index) if recorded is not None else None
    if detail is None:
        raise UsageError("The session has no response there; give one by response=… or model=… .")
    if not detail.response.text_is_exact:
        raise UsageError("A secret in the recorded response was masked; give one by response=… .")
    return detail.response.text if edit is None else edited(detail, edit)


def edited(detail: TurnDetail, edit: Mapping[int, JsonMap]) -> str:
    """Return a recorded response with new arguments for some actions."""
    places = {action.index: action for action in detail.actions}
    if unknown := sorted(set(edit) - set(places)):
        known = ", ".join(map(str, places)) or "none"
        raise UsageError(f"The response has no action {unknown[0]}; its actions: {known}.")
    text = detail.response.text
    for block in sorted({places[place].block for place in edit}, reverse=True):
        found = next(each for each in detail.blocks if each.index == block)
        calls = [
            PlainCall(each.name, dict(edit.get(each.index, json.loads(each.arguments))), each.call_id)
            for each in detail.actions
            if each.block == block
        ]
        written = dialect_named(found.dialect).render(calls)
        text = text[: found.span.start] + written + text[found.span.end :]
    return text


@contextmanager
def _folder(workspace: str | Path | None) -> Iterator[Path]:
    """Provide an empty folder; a temporary one if none is named."""
    if workspace is None:
        temporary = TemporaryFolder("fork")
        try:
            yield temporary.path
        finally:
            temporary.remove()
        return
    require_path("A workspace", workspace)
    root = Path(workspace).resolve()
    root.mkdir(parents=True, exist_ok=True)
    if any(root.iterdir()):
        raise UsageError(f"The workspace {str(root)!r} isn't empty; give an empty folder, or none.")
    yield root


def _go_on(
    runtime: Runtime,
    text: str | None,
    recorded: Response | None,
    before: Sequence[Response],
    model: Model | None,
) -> tuple[Turn, ...]:
    exchanges = [(each.text, _feedback_after(each, before, recorded)) for each in before]
    turns: list[Turn] = []
    prompt = recorded.prompt if recorded is not None else None
    try:
        if text is not None:
            turns.append(runtime.handle(text, prompt=prompt or (exchanges[-1][1] if exchanges else None)))
            exchanges.append((text, turns[-1].feedback))
        if model is not None:
            first = (before[0] if before else recorded) if before or recorded else None
            request = (first.prompt if first is not None else None) or _GO_ON
            turns += converse(runtime, model, request, earlier=exchanges).turns
    finally:
        runtime.close()
    return tuple(turns)


def _feedback_after(response: Response, before: Sequence[Response], recorded: Response | None) -> str:
    """Return the feedback that the model was shown after a response."""
    behind = next((each for each in before if each.index > response.index), recorded)
    return (behind.prompt if behind is not None else None) or response.feedback or ""
