#!/usr/bin/env bash
# openinference-instrumentation-llama-index 4.6.1 with LlamaIndex 0.14.25: one request of a FunctionAgent is three spans of kind LLM, all with the model's
# name. One puts the request together and sends nothing, two are the same call of `achat`, one in the other; of these the inner has the answer and its tokens.
#
# Whoever counts spans of kind LLM, or averages their times, has three calls of the model for each one; the output of the first, its user's own
# words, reads like an answer. All three name the model that was asked; which one answered stands in the outer span's output.
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

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike
from openinference.instrumentation.llama_index import LlamaIndexInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


class Model(BaseHTTPRequestHandler):
    asked = 0

    def log_message(self, *_):
        pass

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        Model.asked += 1
        choice = {"index": 0, "message": {"role": "assistant", "content": "It is warm."}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 9, "completion_tokens": 7, "total_tokens": 16}
        answer = {"id": "c", "object": "chat.completion", "created": 1, "model": "served", "choices": [choice], "usage": usage}
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def look(place: str) -> str:
    """Look at a place."""
    return f"It is warm in {place}."


async def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    spans, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    LlamaIndexInstrumentor().instrument(tracer_provider=provider)
    address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    llm = OpenAILike(model="asked", api_base=address, api_key="none", is_chat_model=True, is_function_calling_model=True)
    await FunctionAgent(tools=[look], llm=llm, streaming=False).run("How is it?")

    name = "openinference-instrumentation-llama-index"
    print(f"llama-index-core {version('llama-index-core')}, {name} {version(name)}")
    print(f"requests: {Model.asked}")
    for span in spans.get_finished_spans():
        given = span.attributes
        if given["openinference.span.kind"] == "LLM":
            said = given.get("llm.output_messages.0.message.content")
            tokens = given.get("llm.token_count.total")
            print(f"{span.name}: model {given['llm.model_name']}, answer {said}, tokens {tokens}; output {given['output.value'][:24]}")


asyncio.run(main())
PY

python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check llama-index-core==0.14.25 llama-index-llms-openai-like==0.8.1 \
    llama-index-llms-openai==0.8.3 openinference-instrumentation-llama-index==4.6.1 opentelemetry-sdk==1.45.2
cd "$folder"
seen=$("$folder/env/bin/python" "$folder/look.py" 2>"$folder/errors") || { cat "$folder/errors" >&2; exit 1; }
echo "$seen"
expected='llama-index-core 0.14.25, openinference-instrumentation-llama-index 4.6.1
requests: 1
OpenAILike._prepare_chat_with_tools: model asked, answer None, tokens None; output {"messages": ["ChatMessa
OpenAILike.achat: model asked, answer It is warm., tokens 16; output assistant: It is warm.
OpenAILike.achat: model asked, answer None, tokens None; output {"message":{"role":"assi'
[[ $seen == "$expected" ]] || {
    echo "This has changed." >&2
    exit 1
}
