#!/usr/bin/env bash
# openinference-instrumentation-autogen-agentchat 0.1.22 with AutoGen 0.7.5: a tool that raised, one that there is not, and one whose arguments can't be
# read have spans of a tool whose status is OK, as the one that went well: AutoGen gives such results back, and marks them with `is_error`.
#
# That mark stands in the next request alone, as JSON within an attribute that the convention doesn't know (`function.N` beside `message`): in a
# list of spans nothing has failed, and an exception's words are a result as any other.
#
# Output seen on 2026-11-30, Python 3.11, Linux x86-64: the lines of `expected` below.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/look.py" <<'PY'
import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient
from openinference.instrumentation.autogen_agentchat import AutogenAgentChatInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

CALLS = [
    {"id": f"call_{place}", "type": "function", "function": {"name": name, "arguments": arguments}}
    for place, (name, arguments) in enumerate(
        (("look", '{"place": "home"}'), ("look", '{"place": "nowhere"}'), ("teleport", "{}"), ("look", '{"place": "ho'))
    )
]


class Model(BaseHTTPRequestHandler):
    asked: list[dict] = []

    def log_message(self, *_):
        pass

    def do_POST(self):
        self.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        said = {"content": "I look.", "tool_calls": CALLS} if len(self.asked) == 1 else {"content": "So it is."}
        choice = {"index": 0, "message": {"role": "assistant"} | said, "finish_reason": "stop"}
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


async def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    spans, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    AutogenAgentChatInstrumentor().instrument(tracer_provider=provider)
    can = dict.fromkeys(("vision", "json_output", "structured_output"), False) | {"function_calling": True, "family": "unknown"}
    address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    model = OpenAIChatCompletionClient(model="m", base_url=address, api_key="none", model_info=can)
    await AssistantAgent("a", model, tools=[look], max_tool_iterations=3).run(task="Look, please.")

    name = "openinference-instrumentation-autogen-agentchat"
    print(f"autogen-agentchat {version('autogen-agentchat')}, {name} {version(name)}")
    for span in sorted(spans.get_finished_spans(), key=lambda each: str(each.attributes.get("input.value"))):
        if span.attributes.get("openinference.span.kind") == "TOOL":
            given = span.attributes
            print(f"{span.name}({given['input.value']}): {span.status.status_code.name}, {given['output.value']}")
    last = [span.attributes for span in spans.get_finished_spans() if "OpenAIChat" in span.name][-1]
    for key in sorted(last):
        if key.startswith("llm.input_messages.3."):
            print(f"{key} = {last[key]}")


asyncio.run(main())
PY

python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check autogen-agentchat==0.7.5 'autogen-ext[openai]==0.7.5' openai==3.57.0 \
    openinference-instrumentation-autogen-agentchat==0.1.22 opentelemetry-sdk==1.45.2
cd "$folder"
seen=$("$folder/env/bin/python" "$folder/look.py" 2>"$folder/errors") || { cat "$folder/errors" >&2; exit 1; }
echo "$seen"
expected='autogen-agentchat 0.7.5, openinference-instrumentation-autogen-agentchat 0.1.22
a.look({"place": "ho): OK, Error: Unterminated string starting at: line 1 column 11 (char 10)
a.look({"place": "home"}): OK, It is warm.
a.look({"place": "nowhere"}): OK, there is no such place
a.teleport({}): OK, Error: tool '"'"'teleport'"'"' not found in any workbench
llm.input_messages.3.function.0 = {"name": "look", "content": "It is warm.", "call_id": "call_0", "is_error": false}
llm.input_messages.3.function.1 = {"name": "look", "content": "there is no such place", "call_id": "call_1", "is_error": true}
llm.input_messages.3.function.2 = {"name": "teleport", "content": "Error: tool '"'"'teleport'"'"' not found in any workbench", "call_id": "call_2", "is_error": true}
llm.input_messages.3.function.3 = {"name": "look", "content": "Error: Unterminated string starting at: line 1 column 11 (char 10)", "call_id": "call_3", "is_error": true}
llm.input_messages.3.message.role = function'
[[ $seen == "$expected" ]] || {
    echo "This has changed." >&2
    exit 1
}
