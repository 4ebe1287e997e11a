"""Takes recorded sessions into a ledger, as one run."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import fields, replace
from functools import partial
from math import isfinite
from pathlib import Path

from actionledger.canonical import json_text
from actionledger.clock import now
from actionledger.events import Event, SystemNoted
from actionledger.execution.executor import Executor
from actionledger.execution.handlers import Handlers
from actionledger.execution.profile import Profile
from actionledger.execution.runtime import SessionRuntime
from actionledger.ids import derived_id, new_id
from actionledger.importing.omissions import WITHIN_TURN, changes
from actionledger.importing.prices import Prices
from actionledger.importing.reading import AS_IT_SAYS, NO_PROFILE, ReadAs, parser_for_turn, read_turn
from actionledger.importing.report import ImportReport
from actionledger.importing.results import Results
from actionledger.importing.turns import Looked, State, looked_up, remember
from actionledger.ledger.queries.recorded import Known, LeftOutKey
from actionledger.recording import (
    RESPONSE_CHARACTERS,
    ParserIdentity,
    Recorder,
    RunKey,
    SessionKey,
    TurnKey,
    hash_of_tools,
    input_left_out,
    parser_used,
    record_fitting,
    response_received,
    response_refused,
    run_finished,
    run_started,
    session_finished,
    session_started,
    tools_offered,
    turn_finished,
    turn_superseded,
)
from actionledger.session.states.keeper import StateKeeper
from actionledger.session.states.profiles import settings_of
from actionledger.session.states.settings import wanted
from actionledger.sources.base import Item, LeftOut, RecordedSession, RecordedTurn, Refusal, Usage, Wording
from actionledger.values import ParseResult
from actionledger.vocabulary import Capture, CostOrigin, LeftOutReason, RunKind
from actionledger.workspace import Workspace


class Importer:
    """Takes recorded sessions into a ledger, as one run.

    Args:
        record: takes the events.
        source: what the sessions come from, as records name it: ``mint``, ``jsonl``, ``claude_code``.
        origin: the path that they come from.
        known: what the ledger has already; what is taken in is added to it.
        read_as: how texts of sessions without a profile are read.
        wordings: how the source words errors.
        prices: what responses cost of which only the tokens are recorded; None to leave that open.
        manifests: where to keep what the workspaces of sessions that are run hold, so that they can be run again; None to
            keep nothing.

    Attributes:
        file: the file that is being read, where the sessions come from several.
        prices: what responses cost of which only the tokens are recorded; None to leave that open.
    """

    def __init__(
        self,
        record: Recorder,
        *,
        source: str,
        origin: str,
        known: Known,
        read_as: ReadAs = AS_IT_SAYS,
        wordings: Sequence[Wording] = (),
        prices: Prices | None = None,
        manifests: Path | None = None,
    ) -> None:
        self._manifests = manifests
        self.record = record
        self.source = source
        self.origin = origin
        self.known = known
        self.run = RunKey(run_id=new_id(), kind=RunKind.IMPORT)
        self.report = ImportReport()
        self.file = origin
        self._read_as = read_as
        self.prices = prices
        self._results = Results(self._record_in_run, self.run, known, wordings)
        self._has_begun = False
        self._parsers: set[str] = set()
        self._tools: set[str] = set()
        self._open: dict[str, tuple[SessionKey, RecordedSession]] = {}
        self._started: set[str] = set()

    def take(self, item: Item, workspace: Workspace | None = None) -> None:
        """Take in a session or a piece of one, or note what is none.

        Args:
            item: what the source gave.
            workspace: the folder that the session's actions may touch; None to run none of them.

        Raises:
            UnknownNameError: the session names a profile that there is not.
        """
        if isinstance(item, Refusal):
            self._refuse(item)
        elif isinstance(item, LeftOut):
            self.report.left_out[item.file, item.reason, item.detail] += item.count
        else:
            self._take_session(item, workspace)

    def take_turn(self, session: RecordedSession, turn: RecordedTurn, read_as: ReadAs) -> str:
        """Take in one turn of a session that goes on.

        Args:
            session: the session, without turns.
            turn: the turn.
            read_as: how its text is read.

        Returns:
            The id that it is recorded as.

        Raises:
            UnknownNameError: the session names a profile that there is not.
        """
        self._read_as = read_as
        self._take_session(replace(session, turns=(turn,), is_last=False), None)
        key = SessionKey(session_id=self._session_id(session.external_id), profile="", model="", task="")
        return looked_up(self.known, self.source, session, key, turn).turn_id

    def finish(self, *, is_told: bool = False) -> ImportReport:
        """End the sessions that are still open, and the run if it took in anything.

        Args:
            is_told: whether what was left out is recorded already.

        Returns:
            What came of it.
        """
        self.end_sessions()
        if not is_told:
            self.tell_left_out(self.report.left_out)
        if self._has_begun:
            turns, refused = self.report.turns, len(self.report.refusals)
            self.record(run_finished(self.run, turns=turns, refused=refused))
        return self.report

    def end_sessions(self) -> None:
        """End the sessions that are still open, and count the results that belong to no call."""
        for key, session in list(self._open.values()):
            self._end_session(key, session)
        for file, without_call in self._results.without_call().items():
            self.report.left_out[file, LeftOutReason.NO_CALL, ""] += without_call

    def tell_left_out(self, counted: Mapping[LeftOutKey, int], whole: Collection[str] = ()) -> None:
        """Record what was left out of files, each as it stands now.

        Args:
            counted: what was left out, by file, reason and what it is.
            whole: the files that were read to their end.
        """
        for (path, reason, detail), count, times in changes(counted, whole, self.known.left_out):
            self.record(input_left_out(self.run.run_id, path, reason, detail, count, times=times))

    def _take_session(self, item: RecordedSession, workspace: Workspace | None) -> None:
        profile = self._read_as.profile_of(item)
        key = SessionKey(
            session_id=self._session_id(item.external_id),
            profile=profile.name if profile else NO_PROFILE,
            model=item.model,
            task=item.task,
        )
        if key.session_id not in self.known.ids:
            self._start_session(item, key)
        if workspace is not None and profile is not None:
            self._run(item, key, profile, workspace)
        else:
            for turn in item.turns:
                self._take_turn(item, key, turn)
        self.report.results += self._results.of_earlier(item, key, "", item.results, self.file)
        merged = _merged(self._open.get(key.session_id), item)
        self._open[key.session_id] = (key, merged)
        if item.is_last:
            self._end_session(key, merged)

    def _take_turn(self, item: RecordedSession, session: SessionKey, turn: RecordedTurn) -> None:
        looked = looked_up(self.known, self.source, item, session, turn)
        if not self._is_to_be_taken(item, session, looked):
            if looked.state is State.KNOWN:
                self._note_unfilled(session, looked)
                late = self._results.of_earlier(item, session, looked.turn_id, turn.results, self.file)
                self.report.results += late
            return
        self._start_session(item, session)
        self._read(item, session, looked)
        self._remember(looked)

    def _is_to_be_taken(self, item: RecordedSession, session: SessionKey, looked: Looked) -> bool:
        """Return whether a turn is to be taken in; what is there already, differs or is too large is counted."""
        if looked.state is State.DIFFERING:
            self._note_differing(item, session, looked)
            return False
        if looked.state is State.KNOWN:
            self.report.known += 1
            return False
        return not self._is_too_large(item, session, looked)

    def _read(self, item: RecordedSession, session: SessionKey, looked: Looked) -> None:
        turn, run_id = looked.turn, self.run.run_id
        key = TurnKey(
            session=replace(session, model=turn.model or session.model),
            turn_id=looked.turn_id,
            index=turn.index,
            occurred_at=turn.occurred_at,
        )
        self._note_parser(parser_for_turn(item, turn, self._read_as))
        self._note_tools(turn.tools)
        received = response_received(
            key, run_id, looked.text, turn.prompt, **(_recorded_of(turn) | self._priced(key, turn))
        )
        record_fitting(self._record_in_run, received)
        if turn.feedback is not None:
            record_fitting(self._record_in_run, turn_finished(key, run_id, turn.feedback, None))
        if looked.replaces:
            before = replace(key, turn_id=looked.replaces)
            self._record_in_run(turn_superseded(before, run_id, looked.turn_id))
        # Behind the rest, since a turn that was read is not taken in again; results of calls are.
        result = read_turn(self._record_in_run, item, turn, key=key, run=self.run, read_as=self._read_as)
        self._note_found(item, turn, result)
        found, without_call = self._results.of_turn(turn, key, result)
        self.report.calls += len(turn.calls)
        self.report.results += found
        if without_call:
            self.report.left_out[self.file, LeftOutReason.NO_CALL, WITHIN_TURN] += without_call

    def _priced(self, key: TurnKey, turn: RecordedTurn) -> dict[str, object]:
        """Return what a turn cost by the price file, where its recording doesn't say; one without a price is counted."""
        took = turn.usage
        if (
            self.prices is None
            or took.cost_usd is not None
            or took.output_tokens is None
            or took.input_tokens is None
        ):
            return {}
        cost = self.prices.cost(key.session.model, took, turn.occurred_at)
        if cost is None:
            self.report.unpriced[key.session.model] += 1
            return {}
        self.report.priced += 1
        return {"cost_usd": cost, "cost_origin": CostOrigin.PRICES}

    def _note_unfilled(self, session: SessionKey, looked: Looked) -> None:
        """Count a turn that has been there without a cost, and has a price by now: what was recorded stays as it is."""
        turn, there = looked.turn, self.known.turns.get(looked.turn_id)
        if self.prices is None or turn.usage.cost_usd is not None or there is None or there.has_cost:
            return
        model = turn.model or session.model
        self.report.unfilled += self.prices.cost(model, turn.usage, turn.occurred_at) is not None

    def _run(
        self, item: RecordedSession, session: SessionKey, profile: Profile, workspace: Workspace
    ) -> None:
        looked = [looked_up(self.known, self.source, item, session, turn) for turn in item.turns]
        new = [each for each in looked if self._is_to_be_taken(item, session, each)]
        if not new:
            return
        self._start_session(item, session)
        self._note_parser(profile.parser)
        bounded = _for_the_record(profile)
        keeper = self._keeper(session.session_id, bounded, workspace)
        runtime = SessionRuntime(
            bounded,
            session=session,
            run=self.run,
            workspace=workspace,
            record=self._record_in_run if keeper is None else keeper.after(self._record_in_run),
            auto=True,
            executor=Executor if keeper is None else partial(Executor, tape_of=keeper.tape_of),
        )
        with closing(runtime):
            for each in new:
                turn = each.turn
                runtime.handle(turn.text, occurred_at=turn.occurred_at, prompt=turn.prompt, index=turn.index)
                self._remember(each)

    def _keeper(self, session_id: str, profile: Profile, workspace: Workspace) -> StateKeeper | None:
        settings = wanted(manifest=True)
        if self._manifests is None or settings is None:
            return None
        return StateKeeper(
            self._manifests,
            session_id,
            root=workspace.root,
            settings=settings,
            runs_under=settings_of(profile, profile.policy),
            modes=lambda: (True, False),
            remembers=False,
        )

    def _remember(self, looked: Looked) -> None:
        remember(self.known, looked)
        self.known.ids.add(looked.turn_id)
        self.report.turns += 1
        self.report.revised += looked.state is State.GROWN

    def _session_id(self, external_id: str) -> str:
        return derived_id("session", self.source, external_id)

    def _record_in_run(self, event: Event) -> None:
        """Record an event of the run; the first one begins it."""
        if not self._has_begun:
            self._has_begun = True
            self.record(run_started(self.run, name=f"import {self.source}", source=self.origin))
        self.record(event)

    def _note_parser(self, parser: ParserIdentity) -> None:
        if parser.id not in self._parsers:
            self._parsers.add(parser.id)
            self._record_in_run(parser_used(parser, self.run.run_id))

    def _note_found(self, item: RecordedSession, turn: RecordedTurn, result: ParseResult) -> None:
        """Count what was found in a text that nobody has said how to read."""
        if turn.capture is Capture.TEXT and item.profile is None and self._read_as.is_open:
            self.report.searched += 1
            self.report.found.update({action.dialect for action in result.actions})

    def _note_tools(self, tools: str) -> None:
        if tools and (tools_hash := hash_of_tools(tools)) not in self._tools:
            self._tools.add(tools_hash)
            self._record_in_run(tools_offered(tools, self.run.run_id))

    def _start_session(self, item: RecordedSession, key: SessionKey) -> None:
        if key.session_id in self._started:
            return
        self._started.add(key.session_id)
        self.report.sessions += 1
        event = session_started(
            key,
            self.run.run_id,
            external_id=item.external_id,
            source=self.source,
            started_at=item.started_at or (item.turns[0].occurred_at if item.turns else None),
            metadata=json_text(item.metadata),
            parent_session_id=self._session_id(item.parent) if item.parent else None,
            relation=item.relation,
        )
        self._record_in_run(event)

    def _end_session(self, key: SessionKey, session: RecordedSession) -> None:
        del self._open[key.session_id]
        if key.session_id not in self._started:
            return
        self.known.ids.add(key.session_id)
        event = session_finished(
            key,
            self.run.run_id,
            success=session.success,
            reason=session.reason,
            finished_at=session.finished_at,
            scores=session.scores,
            labels=session.labels,
        )
        self._record_in_run(event)

    def _note_differing(self, item: RecordedSession, session: SessionKey, looked: Looked) -> None:
        """Record that a turn comes with another text than before."""
        place = f"{item.external_id}#{looked.turn.index}"
        reason = f"{place}: other content under the same id; what was recorded first is kept."
        self.report.differing.append(Refusal(self.origin, 0, reason))
        event = SystemNoted(
            event_id=derived_id("turn-differs", looked.turn_id, looked.text),
            recorded_at=now(),
            run_id=self.run.run_id,
            code="turn_differs",
            message=reason,
            session_id=session.session_id,
        )
        self.record(event)

    def _is_too_large(self, item: RecordedSession, session: SessionKey, looked: Looked) -> bool:
        """Return whether a response is too large to be recorded, and then refuse it."""
        if len(looked.text) <= RESPONSE_CHARACTERS:
            return False
        index = looked.turn.index
        event = response_refused(session.session_id, self.run.run_id, index, len(looked.text))
        reason = f"Session {item.external_id!r}, turn {index}: {event.message}"
        self.report.refusals.append(Refusal(self.origin, 0, reason))
        self.record(replace(event, event_id=derived_id("response-refused", looked.turn_id)))
        return True

    def _refuse(self, refusal: Refusal) -> None:
        """Keep a refusal; the same one of the same file is kept once."""
        self.report.refusals.append(refusal)
        event = SystemNoted(
            event_id=derived_id("line-refused", self.source, str(refusal)),
            recorded_at=now(),
            run_id=self.run.run_id,
            code="line_refused",
            message=str(refusal),
        )
        self.record(event)


_OF_USAGE = [each.name for each in fields(Usage)]


def _recorded_of(turn: RecordedTurn) -> dict[str, object]:
    """Return what a recording says of a response beside its text, by the fields of its event."""
    usage = {name: _storable(getattr(turn.usage, name)) for name in _OF_USAGE}
    usage["finish_reason"] = turn.usage.finish_reason or None
    return usage | {
        "message_id": turn.external_id,
        "capture": turn.capture,
        "call_count": len(turn.calls),
        "tools_hash": hash_of_tools(turn.tools) if turn.tools else None,
        "reasoning": turn.reasoning or None,
        "cost_origin": None if usage["cost_usd"] is None else CostOrigin.RECORDED,
    }


def _storable(value: object) -> object:
    """Return a count or an amount that a column holds; any other is as if nobody had recorded it."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if isinstance(value, int) and -(2**63) <= value < 2**63 else None


def _merged(before: tuple[SessionKey, RecordedSession] | None, piece: RecordedSession) -> RecordedSession:
    """Return what is known of a session's end by its pieces so far, without their turns."""
    last = piece.turns[-1].occurred_at if piece.turns else None
    earlier = before[1] if before else None
    return replace(
        piece,
        turns=(),
        results=(),
        success=piece.success if piece.success is not None or earlier is None else earlier.success,
        reason=piece.reason or (earlier.reason if earlier else ""),
        scores={**(earlier.scores if earlier else {}), **piece.scores},
        labels=tuple(dict.fromkeys((*(earlier.labels if earlier else ()), *piece.labels))),
        finished_at=piece.finished_at or last or (earlier.finished_at if earlier else None),
    )


def _for_the_record(profile: Profile) -> Profile:
    """Return the profile under which recorded sessions are run.

    What was written over hours is run within seconds, so rates by the clock mean nothing. And nobody watches: no program of
    this machine is started, and nothing else outside is touched, because a recorded text says so.
    """

    def bounded_handlers(workspace: Workspace) -> Handlers:
        handlers = profile.handlers(workspace)
        bounded = {
            name: run
            for name, run in handlers.items()
            if not profile.execution_settings.of(name).touches_outside
        }
        return Handlers(bounded, close=handlers.close)

    return replace(profile, limits=replace(profile.limits, rates=()), handlers=bounded_handlers)
