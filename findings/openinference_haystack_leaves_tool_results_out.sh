#!/usr/bin/env bash
# openinference-instrumentation-haystack 0.1.46 with Haystack 3.4.1: of what a tool gave, the trace of an Agent has the message's role, and nothing else:
# not its words, not which call it answers, not that it failed. Tools have no span of their own, calls have no identifier, and every span is OK.
#
# A run in which a tool raised can't be told from one in which all went well, by any attribute of the convention: the words
# stand in `input.value` alone, within a text that Python has printed of its objects.
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

from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import create_tool_from_function
from haystack.utils import Secret
from openinference.instrumentation.haystack import HaystackInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

CALLS = [
    {"id": f"call_{place}", "type": "function", "function": {"name": "look", "arguments": json.dumps({"place": place})}}
    for place in ("home", "nowhere")
]


class Model(BaseHTTPRequestHandler):
    asked: list[dict] = []

    def log_message(self, *_):
        pass

    def do_POST(self):
        self.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        said = {"content": "I look.", "tool_calls": CALLS} if len(self.asked) == 1 else {"content": "So it is."}
        choice = {"index": 0, "message": {"role": "assistant"} | said, "finish_reason": "stop"}
        if len(self.asked) == 1:
            choice["finish_reason"] = "tool_calls"
        usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
        answer = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def look(place: str) -> str:
    """Look at a place."""
    if place == "nowhere":
        raise LookupError("there is no such place")
    return "It is warm."


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
spans, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(spans))
HaystackInstrumentor().instrument(tracer_provider=provider)
address = f"http://127.0.0.1:{server.server_address[1]}/v1"
model = OpenAIChatGenerator(Secret.from_token("none"), "m", api_base_url=address)
Agent(chat_generator=model, tools=[create_tool_from_function(look)]).run([ChatMessage.from_user("Look, please.")])

NAME = "openinference-instrumentation-haystack"
print(f"haystack-ai {version('haystack-ai')}, {NAME} {version(NAME)}")
results = [message for message in Model.asked[-1]["messages"] if message["role"] == "tool"]
for each in results:
    print(f"the model is told: {each['tool_call_id']}: {each['content']}")
all_of_them = spans.get_finished_spans()
print("spans:", ", ".join(f"{span.name} {span.status.status_code.name}" for span in all_of_them))
first, last = (span.attributes for span in all_of_them if span.name.startswith("OpenAIChat"))
for title, attributes, start in (("answer", first, "llm.output_messages.0."), ("results", last, "llm.input_messages.")):
    print(f"{title}:")
    for key in sorted(attributes):
        if key.startswith(start) and not key.startswith(("llm.input_messages.0.", "llm.input_messages.1.")):
            print(f"  {key.removeprefix('llm.')} = {json.dumps(attributes[key])}")
PY

python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check haystack-ai==3.4.1 openinference-instrumentation-haystack==0.1.46 \
    opentelemetry-sdk==1.45.2
cd "$folder"
seen=$(HAYSTACK_TELEMETRY_ENABLED=False "$folder/env/bin/python" "$folder/look.py" 2>"$folder/errors") || { cat "$folder/errors" >&2; exit 1; }
echo "$seen"
expected='haystack-ai 3.4.1, openinference-instrumentation-haystack 0.1.46
the model is told: call_home: It is warm.
the model is told: call_nowhere: Failed to invoke Tool `look` with parameters {'"'"'place'"'"': '"'"'nowhere'"'"'}. Error: there is no such place
spans: OpenAIChatGenerator.run OK, OpenAIChatGenerator.run OK, Agent.run OK
answer:
  output_messages.0.message.content = "I look."
  output_messages.0.message.role = "assistant"
  output_messages.0.message.tool_calls.0.tool_call.function.arguments = "{\"place\": \"home\"}"
  output_messages.0.message.tool_calls.0.tool_call.function.name = "look"
  output_messages.0.message.tool_calls.1.tool_call.function.arguments = "{\"place\": \"nowhere\"}"
  output_messages.0.message.tool_calls.1.tool_call.function.name = "look"
results:
  input_messages.2.message.role = "tool"
  input_messages.3.message.role = "tool"'
[[ $seen == "$expected" ]] || {
    echo "This has changed." >&2
    exit 1
}
