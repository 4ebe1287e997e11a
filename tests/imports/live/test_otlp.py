"""A receiver of OpenTelemetry's protocol: what it answers, and that what it takes is what a file of it gives."""

import gzip
import json
import random
import re
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest
from forked_python import COMMAND, ForkedPython
from google.rpc.status_pb2 import Status
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from spans_in_protobuf import as_protobuf
from spans_of_agents import agent, batch, chat, text, value

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.imports.live import otlp, otlp_requests
from actionledger.imports.live.server import OtlpServer
from actionledger.imports.live.traces import LEAST_BYTES

PROTOBUF, JSON = "application/x-protobuf", "application/json"
SPANS = [*agent(1), *agent(2)]


def as_json(spans: list[dict[str, Any]]) -> bytes:
    return json.dumps(batch(*spans)).encode()


def post(
    server: OtlpServer, body: bytes, kind: str = JSON, path: str = "/v1/traces", **headers: str
) -> httpx.Response:
    named = {"content-type": kind} | {name.replace("_", "-"): each for name, each in headers.items()}
    return httpx.post(f"{server.address}{path}", content=body, headers=named)


def rows(ledger: al.Ledger) -> list[Any]:
    return (
        ledger.sql(
            "SELECT source, external_id, message_id, turn_index, text, prompt, call_count, input_tokens, output_tokens, latency_ms, "
            "occurred_at, capture FROM turns JOIN session_starts USING (session_id) ORDER BY ALL"
        ).fetchall()
        + ledger.sql(
            "SELECT call_id, name, status, reason, result, duration_ms FROM executions ORDER BY ALL"
        ).fetchall()
    )


@pytest.fixture
def of_a_file(tmp_path: Path) -> list[Any]:
    """Return what a ledger has of the spans in a file."""
    path = tmp_path / "spans.json"
    path.write_bytes(as_json(SPANS))
    with al.open_ledger(tmp_path / "file.duckdb", in_background=False) as ledger:
        al.import_path(path, ledger)
        return rows(ledger)


@pytest.mark.parametrize("kind", [PROTOBUF, JSON])
@pytest.mark.parametrize("is_packed", [True, False])
def test_requests_are_what_a_file_is(ledger: al.Ledger, of_a_file: list[Any], kind: str, is_packed: bool):
    """In both encodings, packed or not, in three requests, the last one first: the same rows as of one file."""
    write = as_protobuf if kind == PROTOBUF else as_json
    with OtlpServer(ledger) as server:
        for start in (2, 1, 0):
            body = write(SPANS[start::3])
            more = {"content_encoding": "gzip"} if is_packed else {}
            answer = post(server, gzip.compress(body) if is_packed else body, kind, **more)
            assert (answer.status_code, answer.headers["content-type"]) == (200, kind)
            if kind == PROTOBUF:
                assert ExportTraceServiceResponse.FromString(answer.content) == ExportTraceServiceResponse()
            else:
                assert answer.json() == {}
    assert rows(ledger) == of_a_file
    assert len(of_a_file) == 8


@pytest.mark.parametrize("compression", [Compression.NoCompression, Compression.Gzip])
def test_the_library_s_own_exporter_is_taken(ledger: al.Ledger, compression: Compression):
    """A program's tracer, its batches and its exporter, with values of every kind."""
    with OtlpServer(ledger) as server:
        provider = TracerProvider(shutdown_on_exit=False)
        exporter = OTLPSpanExporter(f"{server.address}/v1/traces", compression=compression)
        provider.add_span_processor(BatchSpanProcessor(exporter, max_export_batch_size=2))
        tracer = provider.get_tracer("agent")
        said = [{"role": "assistant", "parts": [{"type": "text", "content": "Done 🙂\r\n"}]}]
        with tracer.start_as_current_span("agent", attributes={"gen_ai.operation.name": "invoke_agent"}):
            for number in range(5):
                given = {
                    "gen_ai.operation.name": "chat",
                    "gen_ai.request.model": "m",
                    "gen_ai.output.messages": json.dumps(said),
                    "gen_ai.usage.output_tokens": number + 1,
                    "gen_ai.request.temperature": 0.5,
                    "gen_ai.request.stream": True,
                    "gen_ai.response.finish_reasons": ["stop"],
                }
                with tracer.start_as_current_span("chat m", attributes=given):
                    pass
        assert provider.force_flush()
        provider.shutdown()
    found = ledger.sql(
        "SELECT text, output_tokens, model, finish_reason FROM turns ORDER BY turn_index"
    ).fetchall()
    assert found == [("Done 🙂\r\n", number + 1, "m", "stop") for number in range(5)]


def test_what_can_not_be_read_is_refused_in_its_own_encoding(ledger: al.Ledger):
    """With the status that the protocol says, and what is wrong; it is counted, and what comes next is taken."""
    whole = as_protobuf(SPANS)
    cases = [
        (whole[:-7], PROTOBUF, {}, 400),
        (b"\xff" * 50, PROTOBUF, {}, 400),
        (as_json(SPANS)[:-7], JSON, {}, 400),
        (b"[]", JSON, {}, 400),
        (b'{"resourceSpans": [{"scopeSpans": [{"spans": ["x"]}]}]}', JSON, {}, 400),
        (b'{"resourceSpans": {}}', JSON, {}, 400),
        (b"[" * 5000, JSON, {}, 400),
        (gzip.compress(whole)[:-9], PROTOBUF, {"content_encoding": "gzip"}, 400),
        (whole, PROTOBUF, {"content_encoding": "gzip"}, 400),
        (whole, PROTOBUF, {"content_encoding": "zstd"}, 415),
        (whole, "text/plain", {}, 415),
        (whole, PROTOBUF, {"host": "evil.example"}, 403),
    ]
    with OtlpServer(ledger) as server:
        for body, kind, headers, status in cases:
            answer = post(server, body, kind, **headers)
            assert answer.status_code == status, (kind, headers)
            if kind == PROTOBUF and status == 400:
                assert answer.headers["content-type"] == PROTOBUF
                assert Status.FromString(answer.content).message.startswith("The ")
            elif kind == JSON:
                assert answer.json()["message"].startswith("The body is not a request of traces: ")
        assert post(server, b"", PROTOBUF).status_code == 200
        assert post(server, whole, f"{PROTOBUF}; charset=utf-8").status_code == 200
        assert httpx.get(f"{server.address}/v1/traces").status_code == 405
        assert post(server, whole, PROTOBUF, path="/v2/traces").status_code == 404
        assert post(server, b"\x0a", PROTOBUF, path="/v1/metrics").status_code == 200
    counted = ledger.sql(
        "SELECT detail, count FROM left_out WHERE reason IN ('unreadable', 'unknown_kind')"
    ).fetchall()
    assert dict(counted) == {"400 traces": 9, "415 traces": 2, "403 traces": 1, "metrics": 1}
    assert ledger.sql("SELECT count(*) FROM turns").fetchall() == [(6,)]


def test_what_explodes_or_is_too_large_is_refused(ledger: al.Ledger, monkeypatch: pytest.MonkeyPatch):
    """No more is unpacked than may be, of one member or of many."""
    monkeypatch.setattr(otlp, "LARGEST_BODY", 40_000)
    monkeypatch.setattr(otlp, "LARGEST_UNPACKED", 100_000)
    bomb = gzip.compress(b" " * 20_000_000)
    many = gzip.compress(b" " * 50_000) * 3
    assert len(bomb) < 40_000
    with OtlpServer(ledger) as server:
        for body in (bomb, many):
            assert post(server, body, JSON, content_encoding="gzip").status_code == 413
        assert post(server, b" " * 40_001).status_code == 413
        streamed = httpx.post(
            f"{server.address}/v1/traces", content=iter([b" " * 30_000] * 2), headers={"content-type": JSON}
        )
        assert streamed.status_code == 413
        assert post(server, as_json(SPANS[:1])).status_code == 200


@pytest.mark.parametrize(
    ("body", "kind", "path"),
    [
        (b"\x0a\x0e\x12\x0c" + b"\x12\x00" * 6, PROTOBUF, "/v1/traces"),
        (b"\x0a\x0e\x12\x0c" + b"\x12\x00" * 6, PROTOBUF, "/v1/logs"),
        (b'{"resourceSpans": [{"scopeSpans": [{"spans": [{},{},{},{},{},{}]}]}]}', JSON, "/v1/traces"),
        (b'{"spans": [{},{},{},{},{},{}]}', JSON, "/v1/traces"),
    ],
)
def test_more_spans_than_a_request_may_hold_are_refused(
    ledger: al.Ledger, monkeypatch: pytest.MonkeyPatch, body: bytes, kind: str, path: str
):
    """However few bytes they are: they are counted before anything is made of them."""
    with OtlpServer(ledger) as server:
        monkeypatch.setattr(otlp, "MOST_SPANS", 6)
        assert post(server, body, kind, path).status_code == 200
        monkeypatch.setattr(otlp, "MOST_SPANS", 5)
        refused = post(server, body, kind, path)
        assert (refused.status_code, "at most 5 spans" in refused.text) == (413, True)


def test_small_spans_wait_in_no_more_memory_than_large_ones():
    """Two bytes each are two kilobytes as they wait: what there is room for is counted so."""
    taken: list[Any] = []
    receiver = otlp.Receiver(lambda came, _otherwise: taken.append(came) is None)
    receiver._take(otlp._OtlpRequest("traces", PROTOBUF, False), b"\x0a\x0e\x12\x0c" + b"\x12\x00" * 6)
    receiver.close()
    assert [each.size for each in taken] == [6 * LEAST_BYTES]


@pytest.mark.parametrize("field", ["attributes", "events", "links", "array", "group"])
def test_more_values_than_a_request_may_hold_are_refused(
    ledger: al.Ledger, monkeypatch: pytest.MonkeyPatch, field: str
):
    """Empty attributes and events take two bytes each, wherever they stand, and some hundred in memory."""
    request = ExportTraceServiceRequest()
    span = request.resource_spans.add().scope_spans.add().spans.add()
    if field == "array":
        values = span.attributes.add().value.array_value.values
    else:
        values = getattr(span, "attributes" if field == "group" else field)
    for _ in range(1000):
        values.add()
    body = request.SerializeToString()
    if field == "group":  # an unknown one, which protobuf passes over
        body = b"\x9b\x01\x9c\x01" + body
    with OtlpServer(ledger) as server:
        assert post(server, body, PROTOBUF).status_code == 200
        monkeypatch.setattr(otlp, "MOST_VALUES", 900)
        refused = post(server, body, PROTOBUF)
        assert (refused.status_code, "at most 900 values" in refused.text) == (413, True)


def test_what_stands_in_a_text_is_no_value_of_a_request(
    ledger: al.Ledger, monkeypatch: pytest.MonkeyPatch, of_a_file: list[Any]
):
    """Messages are JSON within JSON, full of brackets and commas."""
    body = as_json(SPANS)
    bare = otlp_requests.counted_in_json(body, 0)
    assert bare < otlp_requests.counted_in_json(body, 10**9)
    monkeypatch.setattr(otlp, "MOST_VALUES", bare)
    with OtlpServer(ledger) as server:
        assert post(server, body).status_code == 200
    assert rows(ledger) == of_a_file


@pytest.mark.parametrize("unclosed", [b'"' + b'\\"' * 400_000, b'"a\\', b'"'])
def test_a_text_that_nothing_closes_is_counted_at_once(unclosed: bytes):
    """Each mark in it was tried as another one's beginning."""
    began = time.process_time()
    assert otlp_requests.counted_in_json(b"[1," * 10 + unclosed, 5) == 20
    assert time.process_time() - began < 2


def test_nobody_waits_for_a_large_request(ledger: al.Ledger, monkeypatch: pytest.MonkeyPatch):
    """While one is read, others are answered."""
    is_reading, may_end = Event(), Event()
    unpacked = otlp._unpacked

    def slowly(body: bytes) -> bytes:
        is_reading.set()
        assert may_end.wait(120)
        return unpacked(body)

    monkeypatch.setattr(otlp, "_unpacked", slowly)
    with OtlpServer(ledger) as server, ThreadPoolExecutor(1) as others:
        large = gzip.compress(as_json(SPANS))
        waiting = others.submit(post, server, large, JSON, content_encoding="gzip")
        assert is_reading.wait(120)
        assert post(server, as_json(SPANS)).status_code == 200
        assert not waiting.done()
        may_end.set()
        assert waiting.result(120).status_code == 200


def test_members_of_gzip_without_end_are_refused(ledger: al.Ledger):
    """Each cost a copy of all that is behind it, so that two megabytes of empty ones took seconds in which nobody was answered."""
    body = as_json(SPANS[:1])
    split = gzip.compress(body[:9]) + gzip.compress(b"") * 900 + gzip.compress(body[9:])
    with OtlpServer(ledger) as server:
        refused = post(server, gzip.compress(b"") * 2000, JSON, content_encoding="gzip")
        assert (refused.status_code, "1,000 members of gzip" in refused.text) == (413, True)
        assert post(server, split, JSON, content_encoding="gzip").status_code == 200
        for cut in (gzip.compress(body)[:-1], gzip.compress(b"x" * 600_000)[:-1]):
            assert "breaks off" in post(server, cut, JSON, content_encoding="gzip").text


def test_a_gzipped_body_of_many_pieces_is_whole():
    """However its members lie in the pieces that it is fed in, and however much more each holds than a piece."""
    words = [bytes([number]) * (number * 70_000) + b"end" for number in range(12)]
    noise = random.Random(1).randbytes(600_000)
    packed = b"".join(map(gzip.compress, [*words, noise, b""]))
    assert otlp._unpacked(packed) == b"".join(words) + noise
    assert otlp._unpacked(b"") == b""


@pytest.mark.parametrize(
    "body",
    [
        {"resource_spans": [{"scope_spans": [{"spans": SPANS}]}]},
        {"resourceSpans": [{"instrumentationLibrarySpans": [{"spans": SPANS}]}]},
        {"spans": SPANS},
    ],
    ids=["snake", "old", "bare"],
)
def test_other_spellings_are_what_a_file_of_them_is(
    ledger: al.Ledger, of_a_file: list[Any], body: dict[str, Any]
):
    """They were answered with 200, and nothing came of them."""
    with OtlpServer(ledger) as server:
        assert post(server, json.dumps(body).encode()).status_code == 200
    assert rows(ledger) == of_a_file


def test_a_request_without_spans_is_counted(ledger: al.Ledger):
    """An empty one is a question whether somebody is here."""
    with OtlpServer(ledger) as server:
        for body, kind in (
            (b"{}", JSON),
            (b"", PROTOBUF),
            (b'{"hello": [1]}', JSON),
            (b"\x82}\x03abc", PROTOBUF),
        ):
            assert post(server, body, kind).status_code == 200
        assert post(server, b"{}", path="/v9/whatever", host="evil.example").status_code == 403
    told = ledger.sql("SELECT reason, detail, count FROM left_out ORDER BY ALL").fetchall()
    assert told == [("unknown_kind", "traces without any", 2), ("unreadable", "403 elsewhere", 1)]


@pytest.mark.parametrize("place", ["name", "answer"])
def test_half_a_character_is_no_end_of_a_request(ledger: al.Ledger, place: str):
    """Programs of Python and JavaScript write them; a file of them is read, too."""
    said = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "\ud83d Done."}]}])
    given = {"gen_ai.operation.name": "chat", "gen_ai.output.messages": said}
    attributes = [{"key": key, "value": value(each)} for key, each in given.items()]
    asked = SPANS[1] | {"attributes": attributes} | ({"name": "\ud800"} if place == "name" else {})
    with OtlpServer(ledger) as server:
        assert post(server, as_json([asked])).status_code == 200
    assert ledger.sql("SELECT text FROM turns").fetchall() == [("\ufffd Done.",)]


def test_spans_that_share_an_identifier_are_counted_and_zeros_are_none(ledger: al.Ledger):
    """The first answer under an identifier is kept; a span whose identifiers are zeros has none, and is known by what it says."""
    first = chat(1, [], text("assistant", "One."), trace=7, parent=0)
    other = chat(1, [], text("assistant", "Other."), trace=7, parent=0)
    zeros = {"traceId": "0" * 32, "spanId": "0" * 16, "parentSpanId": "AAAAAAAAAAA="}
    nameless = [chat(n, [], text("assistant", f"{n}."), trace=8, parent=0) | zeros for n in (2, 3)]
    with OtlpServer(ledger) as server:
        assert post(server, as_json([first, other, *nameless])).status_code == 200
    assert ledger.sql("SELECT text FROM turns ORDER BY 1").fetchall() == [("2.",), ("3.",), ("One.",)]
    told = ledger.sql("SELECT reason, detail, count FROM left_out").fetchall()
    assert told == [("duplicate", "span with another answer", 1)]


def test_a_peer_that_leaves_in_the_middle_is_counted(ledger: al.Ledger):
    """Its half is nothing, and it is no harm to others."""
    body = as_json(SPANS)
    host, port = "127.0.0.1", 0
    with OtlpServer(ledger) as server:
        port = int(server.address.rpartition(":")[2])
        head = f"POST /v1/traces HTTP/1.1\r\nHost: {host}\r\nContent-Type: {JSON}\r\nContent-Length: {len(body)}\r\n\r\n"
        with socket.create_connection((host, port)) as peer:
            peer.sendall(head.encode() + body[: len(body) // 2])
        assert post(server, body).status_code == 200
    assert ledger.sql("SELECT detail, count FROM left_out WHERE reason = 'unreadable'").fetchall() == [
        ("cut request", 1)
    ]
    assert ledger.sql("SELECT count(*) FROM turns").fetchall() == [(6,)]


def test_a_ledger_that_takes_its_time_has_exporters_come_again(
    ledger: al.Ledger, monkeypatch: pytest.MonkeyPatch
):
    """Nobody waits: what there is no room for is sent back with the time to wait, and counted in spans."""
    may_flush, flushing = Event(), Event()
    really = ledger.flush

    def flush(**_: bool) -> None:
        flushing.set()
        assert may_flush.wait(120)
        really()

    monkeypatch.setattr(ledger, "flush", flush)
    with OtlpServer(ledger, settled=0) as server:
        server.recording._bounds = (10**9, 2)
        assert post(server, as_json(agent(1))).status_code == 200
        assert flushing.wait(120)
        answers = [post(server, as_json(agent(number))) for number in range(2, 6)]
        assert [each.status_code for each in answers] == [200, 200, 503, 503]
        assert answers[-1].headers["retry-after"] == "5"
        may_flush.set()
        deadline = time.monotonic() + 120
        while post(server, as_json(agent(5))).status_code != 200:
            assert time.monotonic() < deadline
        kept = server.close()
    assert kept.dropped["sent_back"] >= 16
    assert kept.report.turns == 12
    sent_back = ledger.sql("SELECT detail, count FROM left_out WHERE reason = 'dropped'").fetchall()
    assert sent_back == [("sent_back", kept.dropped["sent_back"])]


def test_events_of_a_log_belong_to_their_spans(ledger: al.Ledger):
    """Some instrumentations write what was said as records of a log, which may come before the span."""
    span = agent(1)[0] | {"attributes": [{"key": "gen_ai.request.model", "value": value("m")}]}
    said = {"kvlistValue": {"values": [{"key": "message", "value": {"kvlistValue": {"values": [
        {"key": "content", "value": value("From a log.")}]}}}]}}  # fmt: skip
    record = {
        "traceId": span["traceId"], "spanId": span["spanId"], "eventName": "gen_ai.choice",
        "timeUnixNano": span["endTimeUnixNano"], "body": said,
    }  # fmt: skip
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}
    with OtlpServer(ledger) as server:
        assert post(server, json.dumps(logs).encode(), path="/v1/logs").status_code == 200
        assert post(server, as_json([span])).status_code == 200
    assert ledger.sql("SELECT text, model, latency_ms FROM turns").fetchall() == [("From a log.", "m", 500)]


def test_a_trace_goes_on_after_the_receiver_was_started_again(tmp_path: Path):
    """What was there already is passed over; what is new gets a place of its own."""
    for spans in (SPANS[:3], SPANS, SPANS):
        with (
            al.open_ledger(tmp_path / "l.duckdb", in_background=False) as ledger,
            OtlpServer(ledger) as server,
        ):
            assert post(server, as_json(spans)).status_code == 200
    with al.open_ledger(tmp_path / "l.duckdb", in_background=False) as ledger:
        assert ledger.sql(
            "SELECT count(*), count(DISTINCT message_id), sum(output_tokens) FROM turns"
        ).fetchall() == [(6, 6, 28)]
        assert ledger.sql(
            "SELECT count(*) FROM (SELECT DISTINCT session_id, turn_index FROM turns)"
        ).fetchall() == [(6,)]


def test_the_command_says_where_it_listens_and_what_was_kept(tmp_path: Path, forked: ForkedPython):
    """One line to start it, and the variables to set."""
    command = ["otlp-receiver", "--port", "0", "--ledger", "l.duckdb", "--prices", "prices.toml"]
    (tmp_path / "prices.toml").write_text('[[model]]\nmodel = "*"\ninput = 1.0\noutput = 4.0\n')
    with forked.begun(COMMAND, tmp_path, *command) as running:
        said = running.stderr.readline() + running.stderr.readline()
        [named] = [word for word in said.split() if word.startswith("OTEL_EXPORTER_OTLP_ENDPOINT=")]
        address = named.partition("=")[2]
        httpx.post(f"{address}/v1/traces", content=as_protobuf(SPANS), headers={"content-type": PROTOBUF})
        running.send_signal(signal.SIGINT)
        rest = running.stderr.read()
        assert running.wait() == 0
    assert re.search(r"\b6 (new )?turns", rest), rest
    assert "turns cost what the price file says" in rest
    assert "actionledger report" in rest


def test_a_port_that_is_taken_is_said(ledger: al.Ledger):
    with OtlpServer(ledger) as server, pytest.raises(UsageError, match="choose another"):
        OtlpServer(ledger, port=int(server.address.rpartition(":")[2]))
