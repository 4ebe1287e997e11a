"""A span processor in a program: its spans are recorded beside it, and nothing of the ledger is felt by it."""

import json
import os
from datetime import datetime

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.sdk.util import ns_to_iso_str
from opentelemetry.trace import Status, StatusCode

import actionledger as al
from actionledger.imports.shapes.spans import in_utc

SAID = json.dumps([{"role": "assistant", "parts": [
    {"type": "text", "content": "I look. 你好"},
    {"type": "tool_call", "id": "c1", "name": "look", "arguments": '{"at": 1}'}]}])  # fmt: skip


def provider(ledger: al.Ledger, **more) -> TracerProvider:
    made = TracerProvider(shutdown_on_exit=False, **more)
    made.add_span_processor(al.span_processor(ledger))
    return made


def work(made: TracerProvider) -> None:
    tracer = made.get_tracer("agent")
    with tracer.start_as_current_span("agent", attributes={"gen_ai.operation.name": "invoke_agent"}):
        asked = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "m",
            "gen_ai.usage.output_tokens": 7,
        }
        with tracer.start_as_current_span("chat", attributes={**asked, "gen_ai.output.messages": SAID}):
            pass
        ran = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "look",
            "gen_ai.tool.call.id": "c1",
        }
        with tracer.start_as_current_span("execute_tool look", attributes=ran) as span:
            span.set_attribute("gen_ai.tool.call.result", "no such file")
            span.set_status(Status(StatusCode.ERROR, "no such file"))


def test_a_flush_has_it_all_written(ledger: al.Ledger):
    """What has ended is there when the flush returns, and a trace that goes on is completed."""
    made = provider(ledger)
    work(made)
    assert made.force_flush()
    assert ledger.sql("SELECT text, capture, output_tokens FROM turns").fetchall() == [
        ('I look. 你好\n{"at": 1}', "arguments", 7)
    ]
    assert ledger.sql("SELECT name, status, call_id FROM executions").fetchall() == [("look", "failed", "c1")]
    work(made)
    made.shutdown()
    assert ledger.sql("SELECT count(*), count(DISTINCT session_id) FROM turns").fetchall() == [(2, 2)]


def test_responses_are_priced_by_a_file(ledger: al.Ledger, tmp_path):
    (tmp_path / "prices.toml").write_text('[[model]]\nmodel = "m"\ninput = 1.0\noutput = 1000000.0\n')
    made = TracerProvider(shutdown_on_exit=False)
    made.add_span_processor(al.span_processor(ledger, prices=tmp_path / "prices.toml"))
    took = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m",
        "gen_ai.usage.input_tokens": 1_000_000,
        "gen_ai.usage.output_tokens": 6,
        "gen_ai.output.messages": SAID,
    }
    with made.get_tracer("agent").start_as_current_span("chat", attributes=took):
        pass
    made.shutdown()
    assert ledger.sql("SELECT cost_usd, cost_origin FROM turns").fetchall() == [(7.0, "prices")]


def test_what_is_recorded_is_what_the_library_s_own_export_gives(ledger: al.Ledger, tmp_path):
    """The same spans as a file of the library's JSON, read by the source."""
    made, ended = provider(ledger), []

    class Keeping(type(made._active_span_processor).__mro__[1]):
        def on_end(self, span) -> None:
            ended.append(json.loads(span.to_json()))

    made.add_span_processor(Keeping())
    work(made)
    made.shutdown()
    path = tmp_path / "spans.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in ended))
    with al.open_ledger(tmp_path / "file.duckdb", in_background=False) as other:
        al.import_path(path, other)
        query = "SELECT turn_id, session_id, text, capture, occurred_at, round(latency_ms) FROM turns"
        assert ledger.sql(query).fetchall() == other.sql(query).fetchall()


def test_a_time_is_the_one_that_the_library_s_own_export_has():
    """It divides by a float, which rounds some to another microsecond than a division by a number of nanoseconds does."""
    nanoseconds = 1_795_640_424_791_051_446
    assert in_utc(nanoseconds) == datetime.fromisoformat(ns_to_iso_str(nanoseconds)).replace(tzinfo=None)


def test_a_ledger_that_can_not_be_written_to_is_no_matter(ledger: al.Ledger, monkeypatch: pytest.MonkeyPatch):
    """Neither an error nor a wait: what was not recorded is counted."""

    def broken(*_: object, **__: object) -> None:
        raise al.ActionLedgerError("no")

    made = provider(ledger)
    monkeypatch.setattr(ledger, "flush", broken)
    work(made)
    assert made.force_flush(200) in {True, False}
    monkeypatch.undo()
    made.shutdown()
    work(made)  # ended: nothing is taken any more, and nothing is raised
    assert made.force_flush(200) in {True, False}


def test_what_is_not_sampled_is_not_recorded(ledger: al.Ledger):
    made = provider(ledger, sampler=ALWAYS_OFF)
    work(made)
    assert made.force_flush()
    assert ledger.sql("SELECT count(*) FROM turns").fetchall() == [(0,)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes fork")
def test_a_forked_child_records_its_own_alone(ledger: al.Ledger):
    """What the parent holds is the parent's to write."""
    made = provider(ledger)
    work(made)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work(made)
            made.shutdown()
            ledger.flush()
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    made.shutdown()
    ledger.ingest()
    assert ledger.sql("SELECT count(*), count(DISTINCT turn_id) FROM turns").fetchall() == [(2, 2)]


def test_a_span_weighs_what_its_lists_and_events_hold(ledger: al.Ledger):
    """Older conventions put the content into events: what waits is bounded with them."""
    weights = []
    processor = al.span_processor(ledger)
    processor._recording.put = lambda batch: weights.append(batch.size)
    made = TracerProvider(shutdown_on_exit=False)
    made.add_span_processor(processor)
    with made.get_tracer("agent").start_as_current_span("light"):
        pass
    with made.get_tracer("agent").start_as_current_span("heavy") as span:
        span.set_attribute("texts", ["x" * 1_000, "y" * 1_000])
        span.add_event("gen_ai.choice", {"content": "z" * 5_000})
    light, heavy = weights
    assert heavy >= light + 7_000


def test_a_span_that_can_not_be_taken_is_counted(ledger: al.Ledger):
    """Nothing is raised into the program, and nothing is silent."""

    class Broken:
        @property
        def context(self):
            raise ValueError("no such span")

    processor = al.span_processor(ledger)
    processor.on_end(Broken())
    processor.shutdown()
    found = ledger.sql("SELECT reason, detail, sum(count) FROM left_out GROUP BY ALL").fetchall()
    assert found == [("dropped", "not_readable", 1)]
