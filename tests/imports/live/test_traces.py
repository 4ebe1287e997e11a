"""Spans that come in several requests, in any order, late and twice: what is recorded is what one file of them gives."""

import json
import sys
from itertools import pairwise, permutations
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from effort import examples
from hypothesis import given, settings, strategies as st
from spans_of_agents import agent, batch, chat, span, text

import actionledger as al
from actionledger.core.recordings import RecordedSession
from actionledger.imports.formats.otel import read
from actionledger.imports.live.traces import LEAST_BYTES, TraceBuffer
from actionledger.imports.sessions import SourcesImporter
from actionledger.imports.shapes.spans import spans_of
from actionledger.imports.shapes.traces import OPEN_TRACES
from actionledger.imports.sources.base import Item, LeftOut

TRACES = [*agent(1), *agent(2, "both"), *agent(3, "both")]


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def held(clock: Clock | None = None) -> TraceBuffer:
    return TraceBuffer("here", lambda _source, _session: 0, clock=clock or Clock())


def came(traces: TraceBuffer, *requests: list[dict[str, Any]]) -> list[Item]:
    return [item for request in requests for item in traces.add(spans_of(batch(*request)), 100)]


def of_a_file(folder: Path, spans: list[dict[str, Any]]) -> list[Item]:
    path = folder / "spans.json"
    path.write_text(json.dumps(batch(*spans)), encoding="utf-8")
    return list(read(path))


def essence(items: list[Item]) -> tuple[dict[str, Any], dict[Any, int]]:
    """Return sessions by their names with all of their turns, and what was left out."""
    sessions: dict[str, Any] = {}
    passed: dict[Any, int] = {}
    for item in items:
        if isinstance(item, LeftOut):
            passed[item.reason, item.detail] = passed.get((item.reason, item.detail), 0) + item.count
        elif isinstance(item, RecordedSession):
            about = (item.source, item.parent, item.relation, item.model, item.task)
            assert sessions.setdefault(item.external_id, (about, []))[0] == about
            sessions[item.external_id][1].extend(item.turns)
    return sessions, passed


def counts(items: list[Item]) -> tuple[int, int, int, int]:
    turns = [turn for item in items if isinstance(item, RecordedSession) for turn in item.turns]
    return (
        len(turns),
        sum(len(turn.calls) for turn in turns),
        sum(len(turn.results) for turn in turns),
        sum(turn.usage.output_tokens or 0 for turn in turns),
    )


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_three_requests_in_any_order_are_one_file(order: tuple[int, ...], tmp_path: Path):
    """Sessions, children, turns with their places, calls, results, tokens, and what is left out."""
    parts = [TRACES[place::3] for place in range(3)]
    traces = held()
    items = came(traces, *(parts[place] for place in order))
    items += traces.due(all_of_them=True)
    assert essence(items) == essence(of_a_file(tmp_path, TRACES))
    assert counts(items) == (9, 3, 3, 3 * (2 + 5 + 7))


@given(
    st.permutations(range(len(TRACES))), st.sets(st.integers(1, len(TRACES) - 1)), st.sets(st.integers(0, 23))
)
@settings(max_examples=examples(100))
def test_any_cut_of_any_order_is_one_file(
    tmp_path_factory: Any, order: list[int], cuts: set[int], twice: set[int]
):
    """Some of them twice, which is counted as it is in a file."""
    spans = [TRACES[place] for place in order] + [TRACES[place] for place in sorted(twice)]
    edges = [0, *sorted(cuts), len(spans)]
    requests = [spans[start:end] for start, end in pairwise(edges)]
    traces = held()
    items = came(traces, *requests)
    items += traces.due(all_of_them=True)
    assert essence(items) == essence(
        of_a_file(tmp_path_factory.mktemp("spans"), TRACES + [TRACES[n] for n in twice])
    )


@given(st.permutations(range(len(TRACES))), st.sets(st.integers(1, len(TRACES) - 1), max_size=4))
@settings(max_examples=examples(25))
def test_what_was_told_too_soon_is_completed_and_never_doubled(
    tmp_path_factory: Any, order: list[int], cuts: set[int]
):
    """However a trace is cut, a ledger has each response, call, result and token once: sessions may have another name."""
    spans = [TRACES[place] for place in order]
    edges = [0, *sorted(cuts), len(spans)]
    traces = held()
    folder = tmp_path_factory.mktemp("late")
    with al.open_ledger(folder / "l.duckdb", in_background=False) as ledger:
        importers = SourcesImporter(ledger)
        for start, end in pairwise(edges):
            for item in (*came(traces, spans[start:end]), *traces.due(all_of_them=True)):
                importers.take(item, "otel")
        report = importers.finish()
        assert report.differing == []
        # The request around another one is told as a turn where it was there first; else the inner one is.
        rows = ledger.sql(
            "SELECT count(*), count(DISTINCT message_id), sum(call_count) FROM turns"
        ).fetchall()
        assert rows == [(9, 9, 3)]
        results = ledger.sql(
            "SELECT count(*), count(DISTINCT call_id) FROM executions WHERE call_id IS NOT NULL"
        )
        assert results.fetchall() == [(3, 3)]
        places = ledger.sql(
            "SELECT count(*) FROM (SELECT DISTINCT session_id, turn_index FROM turns)"
        ).fetchall()
        assert places == [(9,)]


def test_a_trace_is_told_when_it_is_quiet_and_whole(tmp_path: Path):
    """One that lacks its beginning is waited for longer, then told; what comes later goes on with it."""
    clock = Clock()
    traces = held(clock)
    root, *rest = agent(1)
    assert came(traces, rest) == []
    clock.now = 11.0
    assert list(traces.due()) == []
    came(traces, [root])
    clock.now = 20.0
    assert list(traces.due()) == []
    clock.now = 21.5
    assert counts(list(traces.due())) == (3, 1, 1, 14)
    assert list(traces.due(all_of_them=True)) == []
    assert came(traces, agent(2)[1:]) == []
    clock.now = 90.0
    assert counts(list(traces.due())) == (3, 1, 1, 14)


def test_a_span_that_comes_twice_tells_nothing_twice():
    """Neither while its trace is held, nor when that was told."""
    traces = held()
    first = came(traces, agent(1), agent(1)) + list(traces.due(all_of_them=True))
    again = came(traces, agent(1)) + list(traces.due(all_of_them=True))
    assert counts(first) == (3, 1, 1, 14)
    assert counts(again) == (0, 0, 0, 0)


def test_what_is_held_is_bounded(monkeypatch: pytest.MonkeyPatch):
    """The trace that was quiet for the longest is told and let go of; what comes of it later is told beside it."""
    monkeypatch.setattr("actionledger.imports.live.traces.HELD_BYTES", 15 * LEAST_BYTES)
    traces = held()
    items = came(traces, *([chat(1, [], text("assistant", f"{n}"), trace=n, parent=0)] for n in range(1, 40)))
    assert counts(items)[0] == 39 - 15
    assert traces._size == 15 * LEAST_BYTES  # however few bytes they came as
    items += traces.due(all_of_them=True)
    assert counts(items)[0] == 39


def test_many_traces_at_once_take_as_long_each_as_few():
    """Each that was let go of looked at all of the others: twenty thousand took 22 seconds, forty thousand 92."""

    def lines_for(count: int) -> int:
        """Return how many lines run where traces are told."""
        lines = 0

        def in_telling(_frame: FrameType, event: str, _told: object) -> Any:
            nonlocal lines
            lines += event == "line"
            return in_telling

        def of_call(frame: FrameType, _event: str, _told: object) -> Any:
            return in_telling if frame.f_code is TraceBuffer._tell.__code__ else None

        spans = [chat(1, [], text("assistant", "Done."), trace=n, parent=0) for n in range(1, count + 1)]
        before = sys.gettrace()
        sys.settrace(of_call)
        try:
            items = list(held().add(spans_of(batch(*spans)), 100))
        finally:
            sys.settrace(before)
        assert counts(items)[0] == count - OPEN_TRACES
        return lines

    assert lines_for(1200 + OPEN_TRACES) < 3 * lines_for(600 + OPEN_TRACES)


def test_a_request_around_one_that_was_told_is_not_told_again():
    """Nor the one inside of one that was."""
    outer = chat(1, [], text("assistant", "Yes."), trace=1, parent=0)
    inner = chat(2, [], text("assistant", "Yes."), trace=1, parent=1)
    for first, second in ((outer, inner), (inner, outer)):
        traces = held()
        came(traces, [first])
        assert counts(list(traces.due(all_of_them=True)))[0] == 1
        came(traces, [second])
        assert counts(list(traces.due(all_of_them=True)))[0] == 0


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_requests_that_began_at_once_have_their_places_in_any_order(order: tuple[int, ...]):
    """Nothing but their identifiers tells which comes first, and not which span came first."""
    asked = [chat(n, [], text("assistant", f"{n}"), trace=1, parent=0) for n in range(1, 4)]
    at = {key: asked[0][key] for key in ("startTimeUnixNano", "endTimeUnixNano")}
    traces = held()
    items = came(traces, *([asked[place] | at] for place in order)) + list(traces.due(all_of_them=True))
    [session] = [item for item in items if isinstance(item, RecordedSession)]
    assert [(turn.index, turn.text) for turn in session.turns] == [(0, "1"), (1, "2"), (2, "3")]


def test_traces_of_a_session_are_told_one_after_the_other_as_together(tmp_path: Path):
    """A trace that comes when its session was told already adds its turns, and what is left out of it."""
    both = [*agent(1, "both"), *agent(2, "both")]
    traces = held()
    items = came(traces, agent(1, "both")) + list(traces.due(all_of_them=True))
    items += came(traces, agent(2, "both")) + list(traces.due(all_of_them=True))
    whole = of_a_file(tmp_path, both)
    assert essence(items)[1] == essence(whole)[1]
    assert counts(items) == counts(whole) == (6, 2, 2, 2 * 14)


def test_spans_of_no_model_are_counted_alone():
    """A trace of a web server is no session."""
    traces = held()
    came(traces, [span(1, "GET", {}, trace=7), span(2, "SELECT", {}, trace=7, parent=1)])
    [item] = traces.due(all_of_them=True)
    assert isinstance(item, LeftOut)
    assert (str(item.reason), item.detail, item.count) == ("bookkeeping", "span", 2)


def test_what_comes_after_a_trace_was_told_stays_in_its_session():
    """Though a later span names the conversation; what is left out is counted once."""
    root, *rest = agent(1, "named")
    traces = held()
    first = came(traces, rest[:3]) + list(traces.due(all_of_them=True))
    later = came(traces, [*rest[3:], root]) + list(traces.due(all_of_them=True))
    names = {
        item.external_id for item in (*first, *later) if isinstance(item, RecordedSession) and not item.parent
    }
    assert names == {rest[0]["traceId"]}
    repeated = [
        item.count for item in (*first, *later) if isinstance(item, LeftOut) and item.detail == "message"
    ]
    assert repeated == [1]


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Of a receiver that runs for weeks, too; what an old session is sent again doubles nothing in the ledger."""
    monkeypatch.setattr("actionledger.imports.live.traces.REMEMBERED", 3)
    monkeypatch.setattr("actionledger.imports.live.traces.OPEN_TRACES", 2)
    requests = [[chat(1, [], text("assistant", f"{n}"), trace=n, parent=0)] for n in range(1, 13)]
    with al.open_ledger(tmp_path / "long.duckdb") as ledger:
        for _ in range(2):
            traces, importer = held(), SourcesImporter(ledger, is_live=True)
            for request in requests:
                for item in [*came(traces, request), *traces.due(all_of_them=True)]:
                    importer.take(item, "otel")
                assert len(traces._sessions) <= 3
            importer.finish()
        assert ledger.sql("SELECT count(*), count(DISTINCT session_id) FROM turns").fetchall() == [(12, 12)]


def evaluated(said: dict[str, Any], name: str, score: object) -> dict[str, Any]:
    """Return a span with an evaluation of what it did."""
    given = [
        {"key": "gen_ai.evaluation.name", "value": {"stringValue": name}},
        {"key": "gen_ai.evaluation.score.value", "value": score},
    ]
    return {**said, "events": [{"name": "gen_ai.evaluation.result", "attributes": given}]}


def test_evaluations_of_an_agent_are_scores_of_its_session(tmp_path: Path):
    """Of the agent's that is a child its own; what is no number is none."""
    spans = agent(1, "talk")
    spans[0] = evaluated(spans[0], "reward", {"doubleValue": -0.5})
    spans[3] = evaluated(spans[3], "reward", {"intValue": "2"})
    spans[1] = evaluated(spans[1], "of an answer", {"doubleValue": 1.0})
    other = [evaluated(agent(2, "words")[0], "reward", {"stringValue": "good"}), *agent(2, "words")[1:]]
    found = [item for item in of_a_file(tmp_path, spans + other) if isinstance(item, RecordedSession)]
    scores = {item.external_id: item.scores for item in found}
    assert scores.pop("talk") == {"reward": -0.5}
    assert sorted(map(str, scores.values())) == ["{'reward': 2.0}", "{}", "{}"]


def test_what_an_outermost_span_says_is_recorded_though_its_trace_was_told(tmp_path: Path):
    """It comes last, and with nothing else that is new."""
    root, *spans = agent(1, "talk")
    root["attributes"].append({"key": "actionledger.success", "value": {"boolValue": True}})
    traces = held()
    with al.open_ledger(tmp_path / "l.duckdb", in_background=False) as ledger:
        importers = SourcesImporter(ledger)
        for request in (spans, [evaluated(root, "reward", {"doubleValue": 0.5})]):
            for item in (*came(traces, request), *traces.due(all_of_them=True)):
                importers.take(item, "otel")
        importers.finish()
        asked = "SELECT success, scores::VARCHAR FROM sessions WHERE success"
        assert ledger.sql(asked).fetchall() == [(True, '{"reward":0.5}')]
    assert list(traces.due(all_of_them=True)) == []


def test_a_librarys_own_trace_of_a_request_is_told_once():
    """It is whole long before the framework's is: what is about to be told is held against all that is there."""
    clock = Clock()
    traces = held(clock)
    known = {"gen_ai.response.id": "msg_12345678"}
    alone = span(1, "chat", known, trace=7)
    whole = chat(2, [text("user", "Where?")], text("assistant", "Here."), trace=8, parent=1, **known)
    found = came(traces, [alone], [whole])
    clock.now = 20.0
    found += traces.due()
    clock.now = 100.0
    found += traces.due(all_of_them=True)
    told = [turn for each in found if isinstance(each, RecordedSession) for turn in each.turns]
    assert [turn.text for turn in told] == ["Here."]
