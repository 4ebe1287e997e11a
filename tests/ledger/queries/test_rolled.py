"""What is rolled up says the same as the rows, whatever is asked: counts to the last one, and intervals."""

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from effort import is_soak, soaked

from actionledger.core.events import ExecutionStarted, ResponseReceived, SessionFinished
from actionledger.core.ids import derived_id
from actionledger.core.rates import Rate
from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import (
    ActionStatus,
    Capture,
    CostOrigin,
    ExecutionStatus,
    Origin,
    Outcome,
    Reason,
    RunKind,
)
from actionledger.ledger import Ledger, open_ledger, queries
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.labels import ScoreBound
from actionledger.ledger.storage.rollups import tables

from .conftest import MISSING, MONDAY, Book, call

SESSIONS = 12
OUTCOMES = list(Outcome)
REASONS = (Reason.MALFORMED_JSON, Reason.TRUNCATED)
FILTERS = {
    "everything": Filter(),
    "a model": Filter(models=("large",)),
    "a run": Filter(run_id=derived_id("run", "again")),
    "an import": Filter(run_id=derived_id("run", "more")),
    "days": Filter(since=MONDAY.replace(hour=0), until=(MONDAY + timedelta(days=2)).replace(hour=0)),
    "within a day": Filter(since=MONDAY + timedelta(minutes=30)),
    "a capture": Filter(captures=("arguments",)),
    "a source and a task": Filter(sources=("live",), tasks=("demo",)),
    "a profile": Filter(profiles=("coder",)),
    "a score": Filter(scores=(ScoreBound("grade", ">=", 0.5),)),
    "a label": Filter(labels=("odd",)),
    "nothing": Filter(models=("none",)),
}


class ByRows:
    """A ledger of which the rows alone are asked."""

    def __init__(self, ledger: Ledger) -> None:
        self.sql = ledger.sql


def fill(book: Book, seed: int, sessions: range) -> None:
    """Write sessions that differ in all that a rollup tells apart, some of which can't be rolled up."""
    drawn = random.Random(seed)
    for number in sessions:
        name = f"s{number}"
        book.session(
            name,
            model=drawn.choice(("small", "large")),
            source=drawn.choice(("live", "jsonl")),
            task=drawn.choice(("demo", "other")),
            metadata=drawn.choice(({}, {"system": "Be kind."}, {"system": "Be brief."})),
        )
        _finish(book, name, number)
        for index in range(drawn.choice((1, 1, 2, 5))):
            at = drawn.choice((None, MONDAY, MONDAY + timedelta(hours=1), MONDAY + timedelta(days=index)))
            book.turn(name, index, "x", at)
            _take(book, drawn, name, index)
            for run in drawn.choice((("live",), ("live",), ("more",), ("live", "again"), ("live", "more"))):
                _read(book, drawn, name, index, run)


def _take(book: Book, drawn: random.Random, name: str, index: int) -> None:
    """Have a turn take something, as far as anything is recorded of it."""
    event = book.events.pop()
    assert isinstance(event, ResponseReceived)
    cost = drawn.choice((None, drawn.random()))
    event = replace(
        event,
        input_tokens=drawn.choice((None, drawn.randrange(10**6))),
        output_tokens=drawn.choice((None, drawn.randrange(1000))),
        cached_tokens=drawn.choice((None, 10)),
        cost_usd=cost,
        cost_origin=None if cost is None else drawn.choice(list(CostOrigin)),
        latency_ms=drawn.choice((None, drawn.random() * 1000)),
        tools_hash=drawn.choice(("", "a" * 64, "b" * 64)),
    )
    book.turns[name, index] = event
    book.events.append(event)


def _finish(book: Book, name: str, number: int) -> None:
    of = book.sessions[name].session_id
    labels = ("odd",) if number % 2 else ()
    book.events.append(
        SessionFinished(
            **book.head("live"),
            session_id=of,
            success=True,
            reason="",
            scores={"grade": number / 10},
            labels=labels,
        )
    )


def _read(book: Book, drawn: random.Random, name: str, index: int, run: str) -> None:
    outcome = drawn.choice(OUTCOMES)
    is_broken = outcome in {Outcome.PARTIAL, Outcome.FAILED}
    reason = drawn.choice(REASONS) if is_broken else None
    found = [
        replace(
            call(
                drawn.choice(("wait", "note")),
                status,
                *([MISSING] if status is ActionStatus.INVALID else []),
                index=place,
            ),
            action_id=derived_id("action", name, index, run, place),
        )
        for place, status in enumerate(drawn.choices(list(ActionStatus), k=drawn.choice((0, 1, 1, 3))))
    ]
    issues = (Issue(Reason.CALL_IN_PROSE, Span(0, 1), "a"),) if drawn.random() < 0.2 else ()
    if reason:
        issues += (Issue(reason, Span(0, 1), f"{name} {index}"),)
    capture = drawn.choice(list(Capture))
    catalogue = drawn.choice(("coder", None))
    dialect = drawn.choice(("xml_tags", "json", ""))
    book.read(name, index, outcome, run, reason=reason, actions=tuple(found), issues=issues, capture=capture, catalogue=catalogue, dialect=dialect)  # fmt: skip
    for place in range(len(found)) if run == "live" else ():
        status = drawn.choice((None, *ExecutionStatus))
        failed = status in {ExecutionStatus.FAILED, ExecutionStatus.DENIED}
        book.execute(name, index, place, status, reason=Reason.HANDLER_ERROR if failed else None)
        start = next(each for each in reversed(book.events) if isinstance(each, ExecutionStarted))
        others = {"run_id": derived_id("run", "again")} if drawn.random() < 0.1 else {}
        others |= {"origin": Origin.RECORDED} if drawn.random() < 0.3 else {}
        book.events[book.events.index(start)] = replace(start, **others)


def a_book(seed: int) -> Book:
    """Return the sessions of a book, in three runs."""
    book = Book()
    for name, kind in (("live", RunKind.LIVE), ("more", RunKind.IMPORT), ("again", RunKind.REPARSE)):
        book.run(name, kind)
    fill(book, seed, range(SESSIONS))
    return book


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    """Sessions that are rolled up, some that were changed since, and some that are new since."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "WORTH_BYTES", 0)
        with open_ledger(tmp_path_factory.mktemp("rolled") / "rolled.duckdb", in_background=False) as opened:
            book = a_book(random.randrange(10**9) if is_soak() else 7)
            for event in book.events:
                opened.record(event)
            opened.ingest()
            yield opened


@pytest.fixture(scope="module", params=soaked(["rolled up", "with a tail"], ["with a tail"]))
def asked(request: pytest.FixtureRequest, ledger: Ledger) -> Ledger:
    """The ledger, and with something that is not taken in yet."""
    if request.param == "with a tail":
        book = a_book(7)
        count = len(book.events)
        book.read("s1", 0, Outcome.FAILED, "late", reason=Reason.TRUNCATED)
        fill(book, 8, range(SESSIONS, SESSIONS + 3))
        for event in book.events[count:]:
            ledger.record(event)
        ledger.flush()
    return ledger


def told(rate: Rate) -> tuple[object, ...]:
    return rate.successes, rate.count, rate.refusal, rate.clustering


def figures(found: queries.Funnel) -> dict[str, object]:
    values = {name: getattr(found, name) for name in found.__dataclass_fields__}
    return {name: told(value) if isinstance(value, Rate) else value for name, value in values.items()}


def dialects(found: list[queries.ReadIn]) -> list[tuple[object, ...]]:
    return [(each.label, each.dialect, told(each.share)) for each in found]


def test_dialects_are_asked_of_what_is_rolled_up(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a filter of whole days takes is no question to each row."""
    asked: list[str] = []
    ask = Ledger.sql
    monkeypatch.setattr(
        Ledger, "sql", lambda self, query, *args: asked.append(query) or ask(self, query, *args)
    )
    assert queries.dialects(ledger)
    queries.dialects(ledger, FILTERS["within a day"])
    assert [tables.DIALECTS in query for query in asked] == [True, False]


@pytest.mark.parametrize("name", soaked(FILTERS, ["everything"]))
def test_says_what_the_rows_say(asked: Ledger, name: str) -> None:
    """Funnels, splits, trends and reasons are the same on either road."""
    within, rows = FILTERS[name], ByRows(asked)
    assert asked.has_rollup
    assert figures(queries.funnel(asked, within)) == figures(queries.funnel(rows, within))
    for dimension in ("run", "source", "model") if is_soak() else ("run",):
        by_parts, by_rows = (queries.funnel_by(each, dimension, within) for each in (asked, rows))
        assert [(label, figures(each)) for label, each in by_parts] == [
            (label, figures(each)) for label, each in by_rows
        ]
        by_parts, by_rows = (queries.dialects_by(each, dimension, within) for each in (asked, rows))
        assert dialects(by_parts) == dialects(by_rows)
    assert dialects(queries.dialects(asked, within)) == dialects(queries.dialects(rows, within))
    trends = [queries.success_over_time(each, within, "week") for each in (asked, rows)]
    assert trends[0] == trends[1]
    assert [told(each.success) for each in trends[0].periods] == [
        told(each.success) for each in trends[1].periods
    ]
    failures = [queries.reasons(each, within) for each in (asked, rows)]
    assert failures[0] == failures[1]
    assert [told(each.turns) for each in failures[0]] == [told(each.turns) for each in failures[1]]


@pytest.mark.parametrize("name", soaked(FILTERS, ["everything", "a run"]))
def test_says_what_responses_took_and_what_was_new(asked: Ledger, name: str) -> None:
    """As the rows say; what is asked of what came of responses is asked of the rows."""
    within, rows = FILTERS[name], ByRows(asked)
    for each in (within, replace(within, outcomes=("failed",))):
        assert took(queries.usage(asked, each)) == took(queries.usage(rows, each))
        assert queries.arrivals(asked, each) == queries.arrivals(rows, each)
    by_parts, by_rows = (queries.usage_by(each, "source", within) for each in (asked, rows))
    assert {label: took(sums) for label, sums in by_parts.items()} == {
        label: took(sums) for label, sums in by_rows.items()
    }


def took(sums: queries.UsageSums) -> dict[str, object]:
    """What responses took; money is a sum of fractions, which depends on their order."""
    values = {name: getattr(sums, name) for name in sums.__dataclass_fields__}
    return {name: pytest.approx(value) if name.endswith("usd") else value for name, value in values.items()}
