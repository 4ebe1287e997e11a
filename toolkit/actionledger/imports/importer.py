"""The importer, which records the sessions of one source as one run."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from actionledger.core.errors import UsageError
from actionledger.core.ids import derived_id
from actionledger.core.processes import defer_interrupts
from actionledger.core.recording import (
    Recorder,
    SessionKey,
    TurnKey,
    context_compacted,
    input_left_out,
    record_fitting,
    response_received,
    session_readmitted,
    turn_finished,
    turn_superseded,
)
from actionledger.core.recordings import RecordedSession, RecordedTurn
from actionledger.core.vocabulary import Capture, LeftOutReason
from actionledger.imports.handovers import ImporterUpdate, LookedUpKeys, SpooledUpdates, packed
from actionledger.imports.import_run import ImportRun, OpenSessions
from actionledger.imports.newer_versions import version_of
from actionledger.imports.prices import Prices
from actionledger.imports.reading import AS_IT_SAYS, NO_PROFILE, ReadAs, names_in, read_turn
from actionledger.imports.report import ImportReport
from actionledger.imports.results import Results
from actionledger.imports.sources.base import Item, LeftOut, Refusal, Wording
from actionledger.imports.turn_usage import is_unfilled, known_usage, note_costs, priced, recorded_of
from actionledger.imports.turns import (
    LookedUpTurn,
    Refusals,
    TurnMatch,
    looked_up,
    places_before,
    remember,
    task_of,
)
from actionledger.ledger.queries.recorded import NOT_TOLD, Added, Known, LeftOutKey, RecordedSkip
from actionledger.ledger.storage.encoding import as_recorded
from actionledger.reading.recorded import RECORDED

if TYPE_CHECKING:
    from actionledger.runtime.execution.profile import Profile
    from actionledger.runtime.workspace import Workspace


class Importer:
    """Imports recorded sessions of one source into a ledger, as one run.

    Args:
        record: records an event.
        source: the source's name in records: ``mint``, ``jsonl``, ``claude_code``.
        origin: the path that they come from.
        known: what the ledger already has; the importer adds what it imports.
        read_as: how texts of sessions without a profile are parsed.
        wordings: how the source words errors.
        tools: the names of the tools that the source's agent has built in.
        prices: prices for responses recorded with tokens but without a cost; None to leave costs unknown.
        again_forgotten: whether erased sessions are imported again; otherwise they are skipped and counted.
        manifests: where to save the workspace contents of sessions that are run, for another run; None to save nothing.
        run_id: the run, if others begin and end it; None for a new one.
        is_part: whether it exchanges its knowledge with other processes of the import.

    Attributes:
        file: the file that is being read, if the sessions come from several.
        prices: prices for responses recorded with tokens but without a cost; None to leave costs unknown.
        run: the run, as its events carry it.
        report: the counts so far.
        touched: the sessions and turns that were looked up; None if not tracked.
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
        tools: frozenset[str] = frozenset(),
        prices: Prices | None = None,
        again_forgotten: bool = False,
        manifests: Path | None = None,
        run_id: str | None = None,
        is_part: bool = False,
    ) -> None:
        self._manifests = manifests
        self._again_forgotten = again_forgotten
        self.record = record
        self.source = source
        self.known = known
        self.prices = prices
        self.file = origin
        self.report = ImportReport()
        self.touched = LookedUpKeys() if is_part else None
        self._read_as = read_as
        self._tools = tools
        self._run = ImportRun(record, source, origin, run_id)
        self.run = self._run.key
        self._sessions = OpenSessions(self._run, source, known)
        self._results = Results(self._run.record, self.run, known, wordings, is_asked=is_part)
        self._refusals = Refusals(record, self.run.run_id, source)
        self._of_others = SpooledUpdates()
        self._placed_file, self._places = origin, dict[str, int]()

    def take(self, item: Item, workspace: "Workspace | None" = None) -> None:
        """Import a session or a piece of one, or count a skip or refusal."""
        if isinstance(item, Refusal):
            self._refusals.refuse(item, self.report)
        elif isinstance(item, LeftOut):
            self.report.left_out[item.file, item.reason, item.detail] += item.count
        else:
            self._take_session(item, workspace)

    def take_turn(self, session: RecordedSession, turn: RecordedTurn, read_as: ReadAs) -> str:
        """Import one turn of an open session."""
        self._read_as = read_as
        if self._sessions.id_of(session.external_id) in self.known.forgotten and not self._again_forgotten:
            raise UsageError(
                f"The session {session.external_id!r} was forgotten, so nothing of it is recorded; record the turn under another name."
            )
        refused = len(self.report.refusals)
        self._take_session(replace(session, turns=(turn,), is_last=False), None)
        if len(self.report.refusals) > refused:
            raise UsageError(self.report.refusals[-1].reason)
        session_id = self._sessions.id_of(session.external_id)
        key = SessionKey(session_id=session_id, profile="", model="", task="")
        return looked_up(self.known, self.source, session, key, turn).turn_id

    def finish(self, *, is_told: bool = False) -> ImportReport:
        """End the open sessions, and the run if it recorded anything."""
        if not is_told:
            self.end_sessions()
            self.tell_left_out(self.report.left_out)
        self._run.finish(turns=self.report.turns, refused=len(self.report.refusals))
        return self.report

    def end_sessions(self, *, but: Collection[str] = ()) -> None:
        """End the open sessions, and count the results that belong to no call."""
        if self._sessions.going_on:
            self._know_of_others()
        self._sessions.end_all(but=but)
        for file, without_call in self._results.without_call().items():
            self.report.left_out[file, LeftOutReason.NO_CALL, ""] += without_call

    def tell_left_out(self, counted: Mapping[LeftOutKey, int], whole: Collection[str] = ()) -> None:
        """Record the files' skip counts where they have changed."""
        for (path, reason, detail), count, times in changes(counted, whole, self.known.left_out):
            self.record(input_left_out(self.run.run_id, path, reason, detail, count, times=times))

    @property
    def has_begun(self) -> bool:
        """Whether the run has recorded anything."""
        return self._run.has_begun

    def begin(self) -> None:
        """Begin the run, unless it has begun."""
        self._run.begin()

    def take_update(self, added: Added) -> ImporterUpdate:
        """Return the knowledge gained since the last call, and reset the counts."""
        assert self.touched is not None
        touched, report, sessions = self.touched, self.report, self._sessions
        self.touched, self.report = LookedUpKeys(), ImportReport()
        going_on = {key: session for key, session in sessions.going_on.items() if key in touched.sessions}
        started = frozenset(sessions.started & touched.sessions)
        calls, has_begun = self._results.take_update(), self._run.has_begun
        return ImporterUpdate(touched, packed(added, started), going_on, calls, report, has_begun)

    def is_at_odds_with(self, news: ImporterUpdate) -> bool:
        """Return whether this importer would have matched a worker's results to other calls."""
        return self._results.is_at_odds_with(news.calls)

    def add(self, news: ImporterUpdate) -> None:
        """Take over what a worker has imported, of sessions that this importer hasn't touched."""
        self._of_others.add(news.taken_in)
        for session_id in news.touched.sessions:
            self._sessions.going_on.pop(session_id, None)
        self._sessions.going_on |= news.going_on
        self._results.add(news.calls)
        self.report += news.report

    def _know_of_others(self) -> None:
        """Load what workers have imported, which nobody has needed until now."""
        for added, started in self._of_others.take():
            self.known.add(added)
            self._sessions.started |= started

    def _take_session(self, item: RecordedSession, workspace: "Workspace | None") -> None:
        self._know_of_others()
        profile = self._read_as.profile_of(item)
        item = self._sessions.named(item)
        key = SessionKey(
            session_id=self._sessions.id_of(item.external_id),
            profile=profile.name if profile else NO_PROFILE,
            model=item.model,
            task=task_of(item),
        )
        if self._is_erased(item, key):
            return
        if version := version_of(item.metadata):
            self.report.versions.add((item.source or self.source, version))
        if self.touched is not None:
            self.touched.sessions.add(key.session_id)
            other_names = {item.begun_as, item.formerly} - {""}
            self.touched.sessions.update(map(self._sessions.id_of, other_names))
        if self._sessions.is_to_begin(item, key.session_id):
            self.report.sessions += self._sessions.start(item, key)
        item = self._placed(item, key)
        if workspace is not None and profile is not None:
            self._run_turns(item, key, profile, workspace)
        else:
            names = names_in(item, self._tools)
            for turn in item.turns:
                self._take_turn(item, key, turn, names)
        self.report.results += self._results.of_earlier(item, key, "", item.results, self.file)
        if no_numbers := self._sessions.go_on(item, key, self.file):
            self.report.left_out[self.file, LeftOutReason.UNREADABLE, "score"] += no_numbers

    def _placed(self, item: RecordedSession, key: SessionKey) -> RecordedSession:
        """Return a session whose turns come after those of its earlier files."""
        if not item.turns:
            return item
        if self._placed_file != self.file:
            self._placed_file, self._places = self.file, {}
        if key.session_id not in self._places:
            is_there = self.known.is_done(key.session_id) or key.session_id in self._sessions.started
            before = places_before(self.known, self.source, item, key) if is_there else 0
            self._places[key.session_id] = before
        if not (before := self._places[key.session_id]):
            return item
        return replace(item, turns=tuple(replace(turn, index=turn.index + before) for turn in item.turns))

    def _is_erased(self, item: RecordedSession, key: SessionKey) -> bool:
        """Return whether a session is erased and stays out; one that is imported again is recorded as such first."""
        if key.session_id not in self.known.forgotten:
            return False
        if not self._again_forgotten:
            self.report.left_out[self.file, LeftOutReason.FORGOTTEN, ""] += len(item.turns)
            return True
        self.known.forgotten.discard(key.session_id)
        self._run.record(session_readmitted(key.session_id, self.run.run_id))
        return False

    def _take_turn(
        self, item: RecordedSession, session: SessionKey, turn: RecordedTurn, names: frozenset[str]
    ) -> None:
        looked = self._judged_anew(looked_up(self.known, self.source, item, session, turn), session)
        if self.touched is not None and (item.ids == "source" or looked.formerly):
            self.touched.turns.update({looked.turn_id, looked.replaces, *looked.formerly} - {""})
        if not self._is_to_be_taken(item, session, looked):
            self._supersede(session, looked)
            if looked.state is TurnMatch.KNOWN:
                there, model = self.known.turn(looked.turn_id), turn.model or session.model
                self.report.unfilled += is_unfilled(self.prices, model, turn, there)
                late = self._results.of_earlier(item, session, looked.turn_id, turn.results, self.file)
                key = TurnKey(
                    session=session, turn_id=looked.turn_id, index=turn.index, occurred_at=turn.occurred_at
                )
                self.report.results += late + self._results.of_known(turn, key)
            return
        self.report.sessions += self._sessions.start(item, session)
        with defer_interrupts():  # an interrupt would leave a recorded turn uncounted
            self._read(item, session, looked, names)
            self._remember(looked, session)
            self._supersede(session, looked)

    def _judged_anew(self, looked: LookedUpTurn, session: SessionKey) -> LookedUpTurn:
        """Return a known turn as a new state of it if an earlier version judged its results differently."""
        if looked.state is not TurnMatch.KNOWN:
            return looked
        turn = looked.turn
        key = TurnKey(session=session, turn_id=looked.turn_id, index=turn.index, occurred_at=turn.occurred_at)
        if not (now := self._results.judged_otherwise(turn, key)):
            return looked
        anew = derived_id("turn", looked.turn_id, "judged", now)
        return looked._replace(turn_id=anew, state=TurnMatch.GROWN, replaces=looked.turn_id)

    def _supersede(self, session: SessionKey, looked: LookedUpTurn) -> None:
        """Let a turn supersede what an earlier version imported of it under another name."""
        if self.known.turn(looked.turn_id) is None:
            return
        for former in looked.formerly:
            key = TurnKey(session=session, turn_id=former, index=looked.turn.index, occurred_at=None)
            self._run.record(turn_superseded(key, self.run.run_id, looked.turn_id))
            self.known.add_superseded(former, looked.turn_id)
            self.report.merged += 1

    def _is_to_be_taken(self, item: RecordedSession, session: SessionKey, looked: LookedUpTurn) -> bool:
        """Return whether a turn is to be imported; count one that is known, differs or is too large."""
        if looked.state is TurnMatch.DIFFERING:
            self._refusals.note_differing(item, session, looked, self.report, self.file)
            return False
        if looked.state is TurnMatch.KNOWN:
            self.report.known += 1
            self.report.repeated += looked.turn_id in self.known.turns_since
            return False
        if self._refusals.has_no_place(item, looked, self.report, self.file):
            return False
        return not self._refusals.is_too_large(item, session, looked, self.report, self.file)

    def _read(
        self, item: RecordedSession, session: SessionKey, looked: LookedUpTurn, names: frozenset[str]
    ) -> None:
        turn, run_id, record = looked.turn, self.run.run_id, self._run.record
        key = TurnKey(
            session=replace(session, model=turn.model) if turn.model not in {"", session.model} else session,
            turn_id=looked.turn_id,
            index=turn.index,
            occurred_at=turn.occurred_at,
        )
        parser = self._read_as.parser_of(item, turn) if turn.capture is Capture.TEXT else None
        self._run.note_parser(RECORDED if parser is None else parser)
        self._run.note_tools(turn.tools)
        usage = known_usage(turn)
        cost = priced(self.prices, key.session.model, turn, usage, self.report)
        note_costs(self._run, key, cost, self.prices, turn)
        if turn.compaction:
            record(context_compacted(key, run_id, asdict(turn.compaction)))
        beside = recorded_of(turn, usage) | cost
        record_fitting(record, response_received(key, run_id, looked.written.text, turn.prompt, **beside))
        if turn.feedback is not None:
            record_fitting(record, turn_finished(key, run_id, turn.feedback, None))
        if looked.replaces:
            record(turn_superseded(replace(key, turn_id=looked.replaces), run_id, looked.turn_id))
        # Last, since a parsed turn is not imported again, but results of its calls are.
        result = read_turn(
            record,
            item,
            turn,
            looked.written,
            key=key,
            run=self.run,
            read_as=self._read_as,
            parser=parser,
            names=names,
        )
        # Count the calls found in a text of unknown format.
        if turn.capture is Capture.TEXT and item.profile is None and self._read_as.is_open:
            self.report.searched += 1
            self.report.found.update({action.dialect for action in result.actions})
        found, without_call = self._results.of_turn(turn, key, result)
        self.report.calls += len(turn.calls)
        self.report.results += found
        if without_call:
            self.report.left_out[self.file, LeftOutReason.NO_CALL, WITHIN_TURN] += without_call

    def _run_turns(
        self, item: RecordedSession, session: SessionKey, profile: "Profile", workspace: "Workspace"
    ) -> None:
        from actionledger.imports.workspace_runs import run_turns  # noqa: PLC0415 - most imports run nothing

        looked = [looked_up(self.known, self.source, item, session, turn) for turn in item.turns]
        new = [each for each in looked if self._is_to_be_taken(item, session, each)]
        if not new:
            return
        self.report.sessions += self._sessions.start(item, session)
        self._run.note_parser(profile.parser)
        run_turns(new, self._run, session, profile=profile, workspace=workspace, manifests=self._manifests)
        for each in new:
            self._remember(each, session)

    def _remember(self, looked: LookedUpTurn, session: SessionKey) -> None:
        remember(self.known, looked, session.session_id)
        self.report.turns += 1
        self.report.revised += looked.state is TurnMatch.GROWN


# Skip counts of each file, recorded as changes, so that a growing file is counted once.
WITHIN_TURN = "within a turn"
"""The detail of unmatched results that come in the turn of the calls: they are counted once, with their turn."""


def changes(
    counted: Mapping[LeftOutKey, int],
    whole: Collection[str],
    before: Callable[[Sequence[str]], Mapping[LeftOutKey, RecordedSkip]],
) -> Iterator[tuple[LeftOutKey, int, int]]:
    """Yield the changes of files' skip counts since the ledger's last record."""
    now: Counter[LeftOutKey] = Counter()
    for (path, reason, detail), count in counted.items():
        now[as_recorded(path), reason, as_recorded(detail)] += count
    read = {as_recorded(path) for path in whole}
    known = before(sorted({path for path, _, _ in now} | read))
    for key in dict.fromkeys((*now, *known)):
        told = known.get(key, NOT_TOLD)
        more = now[key] if key[2] == WITHIN_TURN else now[key] - told.amount
        if more > 0 or (more < 0 and key[0] in read):
            yield key, more, told.times
