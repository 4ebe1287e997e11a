#!/usr/bin/env bash
# LiteLLM 1.110.2 (callback `otel`): OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true, the setting that is told everywhere to get content
# on spans, takes it off them. Unset, or with SPAN_ONLY, prompts, answers and calls stand on two spans; with `true` one span is left, without any.
#
# It maps `true` to EVENT_ONLY ("per the contrib convention"), and sends no second span then. Whoever follows another library's advice for the
# whole process loses the content of LiteLLM's spans, without a word in its log.
#
# Output seen on 2026-11-30, Python 3.11, Linux x86-64:
#   litellm 1.110.2, unset: litellm_request with content, raw_gen_ai_request with content
#   litellm 1.110.2, true: litellm_request without content
#   litellm 1.110.2, SPAN_ONLY: litellm_request with content, raw_gen_ai_request with content
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/ask.py" <<'PY'
import json
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import version

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

MESSAGE = {"role": "assistant", "content": "SAID-BY-MODEL"}
ANSWER = {
    "id": "c1", "object": "chat.completion", "created": 1, "model": "m-1",
    "choices": [{"index": 0, "finish_reason": "stop", "message": MESSAGE}],
    "usage": {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8},
}


class Model(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        data = json.dumps(ANSWER).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


server = HTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
held, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(held))
trace.set_tracer_provider(provider)

import litellm

litellm.callbacks = ["otel"]
litellm.completion(
    model="openai/m", api_base=f"http://127.0.0.1:{server.server_address[1]}/v1", api_key="none",
    messages=[{"role": "user", "content": "ASKED-BY-USER"}],
)
for _ in range(100):
    if any(span.name == "litellm_request" for span in held.get_finished_spans()):
        break
    time.sleep(0.1)
said = []
for span in sorted(held.get_finished_spans(), key=lambda span: span.name):
    text = " ".join(map(str, (span.attributes or {}).values()))
    said.append(f"{span.name} {'with' if 'SAID-BY-MODEL' in text and 'ASKED-BY-USER' in text else 'without'} content")
setting = os.environ.get("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "unset")
print(f"litellm {version('litellm')}, {setting}: {', '.join(said)}")
PY

python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check litellm==1.110.2 openai==3.57.0 opentelemetry-sdk==1.45.2 \
    opentelemetry-exporter-otlp-proto-http==1.45.2
seen=""
for setting in unset true SPAN_ONLY; do
    name=OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT
    export LITELLM_LOCAL_MODEL_COST_MAP=True
    if [[ $setting == unset ]]; then unset $name; else export $name=$setting; fi
    line=$("$folder/venv/bin/python" "$folder/ask.py" 2>"$folder/log")
    echo "$line"
    seen+="$line"$'\n'
done
expected='litellm 1.110.2, unset: litellm_request with content, raw_gen_ai_request with content
litellm 1.110.2, true: litellm_request without content
litellm 1.110.2, SPAN_ONLY: litellm_request with content, raw_gen_ai_request with content
'
[[ $seen == "$expected" ]] || {
    echo "This has changed." >&2
    exit 1
}
