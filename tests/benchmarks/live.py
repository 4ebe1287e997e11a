"""What recording costs those who are recorded: the first byte through the proxy, a span at the receiver and in the processor.

    python tests/benchmarks/live.py [REQUESTS] [SPANS]

Each figure beside the same without recording, in one run: the proxy beside its upstream asked directly, in turns; the receiver's
processor time beside that of parsing the same requests with the protocol's own classes.
"""

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
import wire_bodies as bodies
from fake_upstream import Answer, Upstream
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import TracerProvider
from spans_in_protobuf import as_protobuf
from spans_of_agents import agent

import actionledger as al
from actionledger.imports.live.server import OtlpServer, ProxyServer

A_REQUEST = 64


def first_byte(client: httpx.Client, address: str) -> float:
    began = time.perf_counter()
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": f"{began}"}]}
    with client.stream("POST", f"{address}/v1/chat/completions", json=body) as answer:
        pieces = answer.iter_raw()
        next(pieces)
        took = time.perf_counter() - began
        for _ in pieces:
            pass
    return took * 1000


def proxy(ledger: al.Ledger, requests: int) -> None:
    upstream = Upstream()
    upstream.answer = lambda _asked: Answer(tuple(bodies.chat_stream("1")), content_type="text/event-stream")
    with ProxyServer(upstream.address, ledger) as server, httpx.Client() as plain, httpx.Client() as through:
        times: dict[str, list[float]] = {"directly": [], "through the proxy": []}
        for _ in range(requests):
            times["directly"].append(first_byte(plain, upstream.address))
            times["through the proxy"].append(first_byte(through, server.address))
    upstream.close()
    for name, each in times.items():
        shares = statistics.quantiles(each, n=20)
        print(
            f"first byte {name}: median {statistics.median(each):.2f} ms, 95 % {shares[-1]:.2f} ms, of {requests}"
        )


def requests_of(spans: int) -> list[bytes]:
    """Return requests in protobuf, traces of eight spans each."""
    return [
        as_protobuf(
            [span for number in range(first + 1, first + 1 + A_REQUEST // 8) for span in agent(number)]
        )
        for first in range(0, spans // 8, A_REQUEST // 8)
    ]


def receiver(ledger: al.Ledger, spans: int) -> None:
    sent = requests_of(spans)
    began = time.process_time()
    for each in sent:
        ExportTraceServiceRequest.FromString(each)
    parsing = time.process_time() - began
    answered = []
    began = time.process_time()
    with OtlpServer(ledger) as server, httpx.Client() as client:
        for each in sent:
            at = time.perf_counter()
            client.post(
                f"{server.address}/v1/traces",
                content=each,
                headers={"content-type": "application/x-protobuf"},
            ).raise_for_status()
            answered.append((time.perf_counter() - at) * 1000)
        kept = server.close()
    took = time.process_time() - began
    count = len(sent) * A_REQUEST
    print(
        f"receiver: {took / count * 1e6:.0f} µs of processor a span, {parsing / count * 1e6:.1f} of them parsing protobuf; "
        f"a request of {A_REQUEST} spans is answered in {statistics.median(answered):.1f} ms; "
        f"{count:,} spans, {kept.report.turns:,} turns, dropped {sum(kept.dropped.values())}"
    )


def processor(ledger: al.Ledger, spans: int) -> None:
    said = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "word " * 50}]}])

    def work(provider: TracerProvider) -> float:
        tracer = provider.get_tracer("x")
        began = time.thread_time()
        for _ in range(spans):
            with tracer.start_as_current_span("chat") as span:
                span.set_attributes({"gen_ai.operation.name": "chat", "gen_ai.output.messages": said})
        return (time.thread_time() - began) / spans * 1e6

    recorded = TracerProvider(shutdown_on_exit=False)
    recorded.add_span_processor(al.span_processor(ledger))
    without, having = work(TracerProvider(shutdown_on_exit=False)), work(recorded)
    recorded.shutdown()
    print(f"processor: {having:.0f} µs of the program's thread a span, {without:.0f} without any")


def main() -> None:
    requests = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    spans = int(sys.argv[2]) if len(sys.argv) > 2 else 8_000
    with tempfile.TemporaryDirectory() as folder:
        for name, measure, count in (("p", proxy, requests), ("r", receiver, spans), ("s", processor, spans)):
            with al.open_ledger(Path(folder, f"{name}.duckdb")) as ledger:
                measure(ledger, count)


main()
