"""A round trip over every field of a turn, in every export: a field that is new fails here until each of them has it, or says why not."""

import html
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest
from typer.testing import CliRunner

import actionledger as al
from actionledger.cli import app
from actionledger.core.privacy import mask_text
from actionledger.core.recordings import Billed, Compaction
from actionledger.core.vocabulary import Capture, CostOrigin
from actionledger.imports.formats import atif as atif_source, otel as otel_source
from actionledger.imports.prices import Price
from actionledger.ledger import queries
from actionledger.report.exports import otlp, parts
from actionledger.report.exports.parts import Track, track
from actionledger.report.exports.reports import session_report

SECRET = "ghp_" + "a1B2" * 9
FIELDS = [each.name for each in fields(queries.Response)]

# Each value stands nowhere else, so that a value that is found is this field's.
FULL = al.RecordedTurn(
    0,
    f"Looking with {SECRET}.",
    prompt="Look around.",
    occurred_at=datetime(2026, 3, 2, 9, 41, 7, 123456).astimezone(),
    capture=Capture.CALLS,
    calls=(al.RecordedCall("c1", "Read", {"path": "a"}),),
    results=(al.RecordedResult("c1", "ok", is_error=False),),
    usage=al.Usage(
        input_tokens=90_001,
        output_tokens=80_002,
        cached_tokens=60_003,
        cache_write_tokens=20_004,
        reasoning_tokens=30_005,
        latency_ms=1_234_500.0,
        time_to_first_token_ms=321_250.0,
        finish_reason="tool_use",
        billed=(
            Billed(kind="advisor_message", model="claude-opus-4-1", input_tokens=5_006, output_tokens=707),
            Billed(
                kind="compaction",
                input_tokens=8,
                output_tokens=9,
                cached_tokens=3,
                cache_write_tokens=2,
                long_writes=1,
            ),
            Billed(kind="web_search_requests", requests=11),
        ),
    ),
    reasoning="I had better look.",
    model="claude-sonnet-4-5",
    compaction=Compaction(trigger="auto", tokens_before=150_001, tokens_after=20_002),
)
PLAIN = al.RecordedTurn(1, "Done.", prompt="And?", model="gpt-5")
PRICES = al.Prices(
    (
        Price(model="claude-sonnet-4-5", input=2.0, output=0.0, searches=10.0),
        Price(model="claude-opus-4-1", input=4.0, output=0.0),
    )
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger of a session whose first turn says something in each field, and its second in few."""
    file = tmp_path_factory.mktemp("every") / "every.duckdb"
    with al.open_ledger(file, in_background=False) as ledger:
        session = al.RecordedSession("s1", None, "claude-sonnet-4-5", "", (FULL, PLAIN))
        al.import_sessions(ledger, [session], prices=PRICES)
        with al.Runtime("mint", ledger=ledger, model="live") as runtime:
            runtime.handle("<execute>1</execute>")
        ledger.ingest()
    return file


@pytest.fixture(scope="module")
def ledger(path: Path) -> Iterator[al.Ledger]:
    with al.open_ledger(path, read_only=True) as opened:
        yield opened


@pytest.fixture
def run() -> Callable[..., None]:
    """Runs a command, which must end well."""

    def command(*arguments: object) -> None:
        done = CliRunner().invoke(app, list(map(str, arguments)))
        assert done.exit_code == 0, (done.output, done.exception)

    return command


def conversations(ledger: al.Ledger) -> dict[str, list[queries.Response]]:
    """Return the responses of each session, by its name."""
    found = ledger.sql("SELECT external_id, session_id::VARCHAR FROM sessions").fetchall()
    return {name: queries.conversation(ledger, session) for name, session in found}


def notes(ledger: al.Ledger) -> list[Any]:
    """Return what is noted of the turns beside their responses."""
    return ledger.sql(
        "SELECT turn_id, code, detail FROM events WHERE code IN ('billed_beside', 'context_compacted') ORDER BY ALL"
    ).fetchall()


def test_each_field_says_something(ledger: al.Ledger) -> None:
    """Else it could be lost and nobody would see it; what a turn was told is said by a session that ran here."""
    there = conversations(ledger)
    full, live = there["s1"][0], there[""][0]
    empty = {None, "", ()}
    silent = {name for name in FIELDS if getattr(full, name) in empty}
    assert silent == {"told"}
    assert live.told
    assert (full.text_is_exact, live.text_is_exact) == (False, True)
    assert full.cost_origin is CostOrigin.PRICES


@pytest.mark.parametrize("form", ["duckdb", "parquet", "jsonl"])
def test_whole_sessions_come_back_equal(
    form: str, ledger: al.Ledger, path: Path, tmp_path: Path, run: Any
) -> None:
    """Every field, by equality of the whole."""
    out = tmp_path / ("out.duckdb" if form == "duckdb" else "out")
    run("export", "sessions", out, "-l", path, *(() if form == "duckdb" else ("--tables", form)))
    if form != "duckdb":
        run("export", "restore", out, tmp_path / "again.duckdb")
        out = tmp_path / "again.duckdb"
    with al.open_ledger(out, read_only=True) as again:
        assert conversations(again) == conversations(ledger)
        assert notes(again) == notes(ledger)
        assert len(notes(ledger)) == len(FULL.usage.billed) + 1


COLUMNS = {"index": "turn_index", "told": "feedback"}
"""Fields whose column is called otherwise; of several things that a turn was told, the column has the last."""

READERS = {
    "csv": "SELECT * FROM read_csv(?, all_varchar = true)",
    "parquet": "SELECT COLUMNS(*)::VARCHAR FROM read_parquet(?)",
    "jsonl": "SELECT COLUMNS(*)::VARCHAR FROM read_json(?, format = 'newline_delimited')",
}


@pytest.mark.parametrize("form", READERS)
def test_rows_have_every_field(form: str, ledger: al.Ledger, path: Path, tmp_path: Path, run: Any) -> None:
    """Read by DuckDB alone."""
    file = tmp_path / f"turns.{form}"
    run("export", "rows", "turns", file, "-l", path)
    with duckdb.connect() as connection:
        found = connection.execute(READERS[form], [str(file)])
        names = [each[0] for each in found.description or ()]
        rows = {row[names.index("turn_id")]: dict(zip(names, row, strict=True)) for row in found.fetchall()}
    responses = [each for turns in conversations(ledger).values() for each in turns]
    assert {each.turn_id for each in responses} == set(rows)
    for response in responses:
        for name in FIELDS:
            value = getattr(response, name)
            held = value[-1].text if name == "told" and value else None if name == "told" else value
            assert same(rows[response.turn_id][COLUMNS.get(name, name)], held), name


def same(written: str | None, value: object) -> bool:
    """Return whether a column's text is a value; CSV has nothing for both no text and none."""
    if value is None or value == "":
        return written in {None, ""}
    if isinstance(value, bool):
        return written == str(value).lower()
    if isinstance(value, datetime):
        return datetime.fromisoformat(str(written)) == value
    return float(str(written)) == value if isinstance(value, int | float) else written == str(value)


def money(response: queries.Response) -> str:
    return f"${response.cost_usd:,.4f}"


SAID: dict[str, Callable[[queries.Response], str]] = {
    "occurred_at": lambda response: "2026-03-02 09:41:07",
    "text": lambda response: response.text,
    "text_is_exact": lambda response: "was replaced before it was recorded",
    "prompt": lambda response: str(response.prompt),
    "capture": lambda response: f"{response.capture}",
    "input_tokens": lambda response: "90,001 tokens in",
    "output_tokens": lambda response: "80,002 tokens out",
    "cached_tokens": lambda response: "60,003 from a cache",
    "cache_write_tokens": lambda response: "20,004 written to one",
    "reasoning_tokens": lambda response: "30,005 reasoning",
    "cost_usd": money,
    "cost_origin": lambda response: f"{money(response)} by a price file",
    "latency_ms": lambda response: "answered in 1,234.5 s",
    "time_to_first_token_ms": lambda response: "first token after 321.25 s",
    "reasoning": lambda response: str(response.reasoning),
    "finish_reason": lambda response: "finish reason tool_use",
    "model": lambda response: response.model,
}
"""What is shown of a field to whoever reads a turn."""

NOT_SAID = {"turn_id", "session_id"}
"""Identifiers: people know a turn by its session's name and its place."""


def report(ledger: al.Ledger, session: str) -> str:
    """Return the text of a report of a session."""
    page = "".join(session_report(track(ledger, session)))
    return html.unescape(re.sub(r"<[^>]+>", " ", re.sub(r"<style.*?</style>", "", page, flags=re.DOTALL)))


def viewed(ledger: al.Ledger, session: str) -> str:
    """Return what the viewer draws of a session: ``al.view``, its file and the page of a turn have it from the same."""
    return "\n".join(strings(al.view(ledger, session).drawn))


def strings(value: Any) -> Iterator[str]:
    """Yield every text in what is drawn."""
    if isinstance(value, dict):
        for each in value.values():
            yield from strings(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from strings(each)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize("shown", [report, viewed])
def test_what_is_shown_has_every_field(shown: Callable[[al.Ledger, str], str], ledger: al.Ledger) -> None:
    """Of the turn itself, and not of its session alone: the second was written by another model."""
    assert {*SAID, *NOT_SAID, "index", "told"} == set(FIELDS)
    full, plain = conversations(ledger)["s1"]
    [live] = conversations(ledger)[""]
    there = shown(ledger, full.session_id)
    assert {name for name, said in SAID.items() if said(full) not in there} == set()
    assert plain.model in there
    assert "Billed beside the message, and among the turn's tokens: advisor_message" in there
    assert "Context compacted (auto): 150,001 tokens before, 20,002 after" in there
    assert live.told[-1].text in shown(ledger, live.session_id)


LOST = {"turn_id", "session_id", "told", "text_is_exact", "index", "cost_usd", "cost_origin"}
"""What comes back from a trace or a trajectory as another: ids and places, what the next turn was shown (its own prompt),
and a cost that was computed, which is computed anew."""


FORMS: dict[str, Callable[[Track], object]] = {
    "otlp": lambda one: otlp.traces([one]),
    "atif": parts.trajectory,
}

SOURCES = {"otlp": otel_source.SOURCE, "atif": atif_source.SOURCE}

NOT_EXPORTED = {"feedback", "external_id", "tools", "demands_action", "formerly"}
"""What a trace and a trajectory have no place for, as docs/exports.md says: names of messages, tools that were offered, and what a
harness does with a response."""


@pytest.mark.parametrize("form", FORMS)
def test_what_a_recording_says_of_a_turn_is_said_again(form: str, ledger: al.Ledger, tmp_path: Path) -> None:
    """Each field of ``RecordedTurn``, of its usage and of what is billed, as our own source reads it from the file."""
    file = tmp_path / "s.trajectory.json"
    [full, _] = conversations(ledger)["s1"]
    file.write_text(json.dumps(FORMS[form](track(ledger, full.session_id))), encoding="utf-8")
    [session] = (each for each in SOURCES[form].read(file, None) if isinstance(each, al.RecordedSession))
    found = session.turns[0]
    expected = replace(
        FULL,
        text=mask_text(FULL.text),
        occurred_at=datetime(2026, 3, 2, 9, 41, 7, 123456),
        usage=replace(FULL.usage, billed=()),
    )
    same = {each.name for each in fields(FULL)} - NOT_EXPORTED - {"index", "calls", "results"}
    assert all(getattr(FULL, name) != getattr(PLAIN, name) for name in same)
    said = replace(found, usage=replace(found.usage, billed=()))
    assert {name: getattr(said, name) for name in same} == {name: getattr(expected, name) for name in same}
    assert set(found.usage.billed) == set(FULL.usage.billed)
    assert [replace(each, at=None) for each in found.calls] == list(FULL.calls)
    assert [(each.call_id, each.output) for each in found.results] == [("c1", "ok")]


@pytest.mark.parametrize("form", FORMS)
def test_an_advisor_s_tokens_cost_what_they_cost_before(form: str, tmp_path: Path) -> None:
    """Priced anew by the same list, the cost is the same: the tokens of another model are known to be its."""
    took = FULL.usage
    with al.open_ledger(tmp_path / "first.duckdb", in_background=False) as first:
        al.import_sessions(first, [al.RecordedSession("s1", None, "claude-sonnet-4-5", "", (FULL,))])
        [[there]] = conversations(first).values()
        value = FORMS[form](track(first, there.session_id))
    (tmp_path / "s.trajectory.json").write_text(json.dumps(value), encoding="utf-8")
    with al.open_ledger(tmp_path / "again.duckdb", in_background=False) as again:
        al.import_path(tmp_path / "s.trajectory.json", again)
        [[after]] = conversations(again).values()
        told = queries.billed_beside(again)
    assert there.cost_usd
    assert after.cost_usd == there.cost_usd
    assert {(each.kind, each.model) for each in told} == {(each.kind, each.model) for each in took.billed}


@pytest.mark.parametrize("form", ["otlp", "atif"])
def test_a_trace_and_a_trajectory_bring_every_field_back(
    form: str, ledger: al.Ledger, tmp_path: Path
) -> None:
    """But for those that are named; a recorded cost comes back, too (``test_read_again``)."""
    there = conversations(ledger)["s1"]
    one = track(ledger, there[0].session_id)
    value = otlp.traces([one]) if form == "otlp" else parts.trajectory(one)
    (tmp_path / "s.trajectory.json").write_text(json.dumps(value), encoding="utf-8")
    with al.open_ledger(tmp_path / "again.duckdb", in_background=False) as again:
        assert al.import_path(tmp_path / "s.trajectory.json", again).refusals == []
        [found] = conversations(again).values()
    for before, after in zip(there, found, strict=True):
        kept = [name for name in FIELDS if name not in LOST]
        assert {name: getattr(after, name) for name in kept} == {name: getattr(before, name) for name in kept}
