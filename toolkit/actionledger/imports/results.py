"""Match recorded results to calls, and record them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from actionledger.core.canonical import json_text
from actionledger.core.events import ExecutionRecorded
from actionledger.core.ids import derived_id
from actionledger.core.recording import KEPT_CHARACTERS, Recorder, RunKey, SessionKey, TurnKey
from actionledger.core.recording.turns import attempt_id_of, permission_noted
from actionledger.core.recordings import RecordedResult, RecordedSession, RecordedTurn
from actionledger.core.values import ParseResult
from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.imports.reading import written_of
from actionledger.imports.sources.access import exit_status_of, of_words
from actionledger.imports.sources.base import Wording
from actionledger.imports.sources.wordings import JudgedResult, judged, text_of, with_end_told
from actionledger.imports.turn_calls import TurnCall, call_of, calls_of, command_of, is_answer, may_be_unread
from actionledger.ledger.queries.base import WITHIN
from actionledger.ledger.queries.recorded import Known, digest, result_line
from actionledger.runtime.parse_result import read_calls

_ASKED_AT_ONCE = 10_000

MESSAGE_CHARACTERS = 2000
"""The most characters of a failed result's message; the whole text is kept as its result."""


@dataclass(slots=True)
class CallUpdate:
    """The results of calls since the last update."""

    opened: list[TurnCall]  # calls that wait for a result
    closed: list[tuple[str, str]]  # calls that no longer wait, by call and action identifier
    answered: set[str]  # the identifiers of calls with a recorded result
    unmatched: dict[str, list[str]]  # the call identifiers that results name but no call has, by file


class Results:
    """Records the results of calls, in whatever order calls and results come."""

    def __init__(
        self,
        record: Recorder,
        run: RunKey,
        known: Known,
        wordings: Sequence[Wording],
        *,
        is_asked: bool = False,
    ) -> None:
        self._record = record
        self._run = run
        self._known = known
        self._wordings = wordings
        self._is_asked = is_asked
        self._open: defaultdict[str, list[TurnCall]] = defaultdict(list)
        self._has_asked = False
        self._answered: set[str] = set()
        self._unmatched: defaultdict[str, list[str]] = defaultdict(list)
        self._opened: dict[str, TurnCall] = {}
        self._closed: list[tuple[str, str]] = []

    def take_update(self) -> CallUpdate:
        """Return the changes since the last update."""
        news = CallUpdate(list(self._opened.values()), self._closed, self._answered, dict(self._unmatched))
        self._opened, self._closed, self._answered = {}, [], set()
        self._unmatched = defaultdict(list)
        return news

    def is_at_odds_with(self, news: CallUpdate) -> bool:
        """Return whether this process would have matched a worker's results to other calls."""
        unmatched = (call_id for call_ids in news.unmatched.values() for call_id in call_ids)
        return any(self._open.get(call_id) for call_id in unmatched) or any(
            self._place_of(*closed) is None for closed in news.closed
        )

    def add(self, news: CallUpdate) -> None:
        """Take over a worker's changes."""
        for call_id, action_id in news.closed:
            place = self._place_of(call_id, action_id)
            if place is not None:
                self._open[call_id].pop(place)
        for call in news.opened:
            self._open[call.call_id].append(call)
        self._answered |= news.answered
        for file, call_ids in news.unmatched.items():
            self._unmatched[file] += call_ids

    def _place_of(self, call_id: str, action_id: str) -> int | None:
        waiting = self._open.get(call_id, [])
        return next((place for place, call in enumerate(waiting) if call.action_id == action_id), None)

    def of_turn(self, turn: RecordedTurn, key: TurnKey, result: ParseResult) -> tuple[int, int]:
        """Record the results of a new turn's calls; calls without a result stay open."""
        waiting = calls_of(turn, key, result, attempt_id_of(key, self._run))
        found = without_call = 0
        for each in turn.results:
            place = next(
                (n for n, call in enumerate(waiting) if not each.call_id or call.call_id == each.call_id),
                None,
            )
            if place is not None:
                self._take(waiting.pop(place), each)
                found += 1
            elif not each.call_id or each.call_id not in self._answered:
                without_call += 1
        for call in waiting:
            if call.call_id:
                self._open[call.call_id].append(call)
                if self._is_asked:
                    self._opened[call.action_id] = call
        return found, without_call

    def of_earlier(
        self,
        session: RecordedSession,
        key: SessionKey,
        turn_id: str,
        results: Iterable[RecordedResult],
        file: str,
    ) -> int:
        """Record results of calls that are already recorded."""
        taken = 0
        for each in results:
            call = self._waiting(session, key, turn_id, each.call_id) if each.call_id else None
            if call is not None:
                self._take(call, each)
                taken += 1
            elif not turn_id:
                self._unmatched[file].append(each.call_id)
        return taken

    def of_known(self, turn: RecordedTurn, key: TurnKey) -> int:
        """Record results of a known turn's unparsed calls, which are in no list of open calls."""
        unread = {
            call.call_id for call in turn.calls if call.call_id and may_be_unread(call)
        } - self._answered
        late = [each for each in turn.results if each.call_id in unread]
        if not late:
            return 0
        answered = self._known.answered([each.call_id for each in late])
        result = read_calls(written_of(turn), turn.capture, None, demands_action=turn.demands_action)
        waiting = [
            call for call in calls_of(turn, key, result, attempt_id_of(key, self._run)) if not call.dialect
        ]
        taken = 0
        for each in late:
            place = next((n for n, call in enumerate(waiting) if call.call_id == each.call_id), None)
            if place is not None and each.call_id not in answered:
                self._take(waiting.pop(place), each)
                taken += 1
        return taken

    def judged_otherwise(self, turn: RecordedTurn, key: TurnKey) -> str:
        """Return a hash of a known turn's results as judged now; empty if an earlier version judged them so, or knew more of them."""
        before = self._known.before.results.get(key.turn_id)
        if not before or not turn.results:
            return ""
        result = read_calls(written_of(turn), turn.capture, None, demands_action=turn.demands_action)
        waiting, lines = calls_of(turn, key, result, attempt_id_of(key, self._run)), []
        for each in turn.results:
            place = next((n for n, call in enumerate(waiting) if call.call_id == each.call_id), None)
            if place is not None and each.call_id:
                found = self._judged(waiting.pop(place), with_end_told(each))
                lines.append(result_line(each.call_id, found.status, found.reason))
        now = digest("\n".join(sorted(lines)))
        if now == before:
            return ""
        there = self._known.results_of(key.turn_id)
        has_all = Counter(map(_call_of_line, there)) <= Counter(map(_call_of_line, lines))
        return now if has_all and not set(there) <= set(lines) else ""

    def without_call(self) -> Counter[str]:
        """Return how many late results belong to no recorded call, by file."""
        unknown = {
            file: [each for each in call_ids if each not in self._answered]
            for file, call_ids in self._unmatched.items()
        }
        asked = list({each for call_ids in unknown.values() for each in call_ids if each})
        answered: set[str] = set()
        for start in range(0, len(asked), _ASKED_AT_ONCE):
            answered |= self._known.answered(asked[start : start + _ASKED_AT_ONCE])
        self._unmatched.clear()
        return +Counter(
            {file: sum(each not in answered for each in call_ids) for file, call_ids in unknown.items()}
        )

    def _waiting(
        self, session: RecordedSession, key: SessionKey, turn_id: str, call_id: str
    ) -> TurnCall | None:
        if call_id not in self._open and not self._has_asked:
            self._has_asked = True
            for there in self._known.open_calls():
                self._open[there.call_id].append(call_of(there))
        calls = self._open.get(call_id, [])
        for place, call in enumerate(calls):
            is_of_session = session.ids == "source" or call.turn.session.session_id == key.session_id
            if call.turn.turn_id == turn_id or (not turn_id and is_of_session):
                if self._is_asked and self._opened.pop(call.action_id, None) is None:
                    self._closed.append((call_id, call.action_id))
                return calls.pop(place)
        return None

    def _take(self, call: TurnCall, result: RecordedResult) -> None:
        if call.call_id:
            self._answered.add(call.call_id)
        self._record_result(call, result, call.known_as, call.call_id)
        for place, (inner, its_result) in enumerate(result.within, 1):
            # Apart from the turn's actions, so that no query takes it for another try at one of them.
            index = WITHIN * (call.action_index + 1) + place
            action_id = derived_id("inner-call", call.action_id, place)
            command = command_of(inner.name, inner.arguments)
            own = TurnCall(
                call.turn, call.attempt_id, action_id, index, inner.name, "", inner.call_id, command=command
            )
            self._record_result(
                own, its_result, f"{call.known_as}/{place}", call.call_id, given=json_text(inner.arguments)
            )

    def _record_result(
        self,
        call: TurnCall,
        result: RecordedResult,
        known_as: str | int,
        trace: str,
        given: str | None = None,
    ) -> None:
        result = with_end_told(result)
        found = self._judged(call, result)
        execution_id = derived_id("recorded-execution", call.turn.turn_id, known_as)
        text = "" if found.status is ExecutionStatus.SUCCEEDED else text_of(result.output)
        self._record(
            ExecutionRecorded(
                event_id=derived_id("execution-recorded", execution_id),
                execution_id=execution_id,
                attempt_id=call.attempt_id,
                action_id=call.action_id,
                action_index=call.action_index,
                name=call.name,
                dialect=call.dialect,
                trace_id=trace or execution_id,
                started_at=result.started_at,
                arguments=given,
                call_id=call.call_id or None,
                status=found.status,
                reason=found.reason,
                result=_bounded(result.output),
                message=text[:MESSAGE_CHARACTERS],
                duration_ms=result.duration_ms,
                finished_at=result.finished_at,
                exit_status=exit_status_of(result.exit_status),
                is_inferred=found.is_inferred,
                **call.turn.dimensions(self._run.run_id),
            )
        )
        permission = result.permission
        if permission is None and found.status is ExecutionStatus.DENIED:
            permission = of_words(found.reason, text, result.refused_by)
        if permission is not None:
            said = asdict(permission)
            self._record(permission_noted(call.turn, self._run.run_id, execution_id, call.name, said))

    def _judged(self, call: TurnCall, result: RecordedResult) -> JudgedResult:
        """Judge a result: exit status 1 as a program's answer is no failure, nor is a command that ran only such programs."""
        found = judged(result, self._wordings)
        if found.reason is not Reason.COMMAND_FAILED or result.exit_status != 1:
            return found
        if failed := [(inner, of) for inner, of in result.within if of.is_error or of.exit_status]:
            is_answer = all(_is_answer(command_of(each.name, each.arguments), of) for each, of in failed)
        else:
            is_answer = _is_answer(call.command, result)
        return (
            found._replace(status=ExecutionStatus.SUCCEEDED, reason=Reason.NO_RESULT) if is_answer else found
        )


def _call_of_line(line: str) -> str:
    return line.rsplit(" ", 2)[0]


def _is_answer(command: str | list[str], result: RecordedResult) -> bool:
    return bool(command) and result.exit_status == 1 and is_answer(command, text_of(result.output))


def _bounded(output: object) -> str:
    """Return a result as JSON text; a text that is too large is cut, and says so."""
    whole = json_text(output)
    if len(whole) <= KEPT_CHARACTERS:
        return whole
    text = text_of(output)
    kept = text[: KEPT_CHARACTERS // 2]
    return json_text(f"{kept} … (cut: {len(kept):,} of {len(text):,} characters are kept)")
