#!/usr/bin/env bash
# langsmith 0.15.1 (Python), tracing over OpenTelemetry alone (LANGSMITH_OTEL_ENABLED, LANGSMITH_OTEL_ONLY): a run that fails has a span whose status is
# OK, if it lasts long enough that its beginning and its end are sent apart. The exporter sets OK as a run begins, and OpenTelemetry's SDK lets
# nothing overrule an OK; a run that fails at once is sent whole, and its status is ERROR. Both have an event `exception`.
#
# So whoever counts spans by their status finds that quick failures failed and slow ones went well.
#
# Output seen on 2026-12-01, Python 3.11, Linux x86-64: the lines of `expected` below.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/look.py" <<'PY'
import contextlib
import time
from importlib.metadata import version

from langsmith import Client, traceable
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

spans, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(spans))
client = Client(api_url="http://127.0.0.1:9", api_key="none", tracing_mode="otel", otel_tracer_provider=provider)


def look(seconds):
    time.sleep(seconds)
    raise LookupError("there is no such place")


for name, seconds in (("quick", 0), ("slow", 3)):
    with contextlib.suppress(LookupError):
        traceable(run_type="tool", name=name, client=client)(look)(seconds)
    client.flush()
print(f"langsmith {version('langsmith')}, opentelemetry-sdk {version('opentelemetry-sdk')}")
for span in spans.get_finished_spans():
    print(f"{span.name}: {span.status.status_code.name}, events {[event.name for event in span.events]}")
PY

python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check langsmith==0.15.1 opentelemetry-sdk==1.45.2 opentelemetry-exporter-otlp-proto-http==1.45.2
cd "$folder"
seen=$(LANGSMITH_TRACING=true "$folder/env/bin/python" "$folder/look.py" 2>"$folder/errors") || { cat "$folder/errors" >&2; exit 1; }
echo "$seen"
expected="langsmith 0.15.1, opentelemetry-sdk 1.45.2
quick: ERROR, events ['exception']
slow: OK, events ['exception']"
[[ $seen == "$expected" ]] || {
    echo "This has changed." >&2
    exit 1
}
