#!/usr/bin/env bash
# opentelemetry-instrumentation-genai-openai 1.3b0 writes an answer's text behind its calls where it comes whole, before them where it is streamed.
#
# The server says the same both times: "I look." and two calls of tools, as the OpenAI interface has them. In gen_ai.output.messages the
# parts of the one span are call, call, text, of the other text, call, call; so whoever tells an announcement from an answer behind
# a call, or compares two traces of one conversation, finds a difference that no model made. The message's finish_reason is "tool_call" both
# times, the span's "tool_calls".
#
# Output seen on 2026-11-30, Python 3.11, Linux x86-64: the lines of `expected` below.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/look.py" <<'PY'
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version

import openai
from opentelemetry.instrumentation.genai.openai import OpenAIInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

CALLS = [
    {"id": f"call_{letter}", "type": "function", "function": {"name": name, "arguments": "{}"}}
    for letter, name in (("a", "get_weather"), ("b", "put_note"))
]
ANSWER = {"id": "c", "created": 1, "model": "m", "usage": {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}}


class Server(BaseHTTPRequestHandler):
    """Says the same each time, whole or in pieces."""

    def log_message(self, *_arguments):
        pass

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        said = {"role": "assistant", "content": "I look.", "tool_calls": CALLS}
        if not asked.get("stream"):
            choice = {"index": 0, "finish_reason": "tool_calls", "message": said}
            self.answer("application/json", json.dumps(ANSWER | {"object": "chat.completion", "choices": [choice]}))
            return
        pieces = [({"role": "assistant", "content": "I look."}, None)]
        pieces += [({"tool_calls": [{"index": place} | call]}, None) for place, call in enumerate(CALLS)]
        pieces += [({}, "tool_calls")]
        lines = [
            ANSWER | {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": end}]}
            for delta, end in pieces
        ]
        self.answer("text/event-stream", "".join(f"data: {json.dumps(line)}\n\n" for line in lines) + "data: [DONE]\n\n")

    def answer(self, kind, text):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.end_headers()
        self.wfile.write(text.encode())


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
spans, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(spans))
OpenAIInstrumentor().instrument(tracer_provider=provider)
client = openai.OpenAI(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="none")
print(f"opentelemetry-instrumentation-genai-openai {version('opentelemetry-instrumentation-genai-openai')}")
for stream in (False, True):
    answer = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Go"}], stream=stream)
    if stream:
        list(answer)
    span = spans.get_finished_spans()[-1]
    (message,) = json.loads(span.attributes["gen_ai.output.messages"])
    parts = ", ".join(part.get("name") or part["content"] for part in message["parts"])
    ends = message["finish_reason"], *span.attributes["gen_ai.response.finish_reasons"]
    print(f"{'streamed' if stream else 'whole'}: {parts}; finish: {', '.join(ends)}")
PY

python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check opentelemetry-instrumentation-genai-openai==1.3b0 \
    opentelemetry-util-genai==1.3b0 opentelemetry-sdk==1.45.2 openai==3.3.0
seen=$(OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY "$folder/env/bin/python" "$folder/look.py")
echo "$seen"
expected='opentelemetry-instrumentation-genai-openai 1.3b0
whole: get_weather, put_note, I look.; finish: tool_call, tool_calls
streamed: I look., get_weather, put_note; finish: tool_call, tool_calls'
[[ $seen == "$expected" ]] || {
    echo "This has changed." >&2
    exit 1
}
