#!/usr/bin/env bash
# LlamaIndex 0.14.25 (FunctionAgent without streaming, OpenAI-like models) runs a call that the length has cut: it completes the arguments and doesn't look at the
# finish reason "length". What was to follow has its default, a number has the digits that came through, a text is None. "Delete what is older than
# 365 days, as a dry run" becomes 3 days, and no dry run.
#
# The tool ends well, the model is told so, and the trace has the arguments that were made up as those of the tool. Cut in the middle of a
# word, arguments become empty ones, and the model is told that it gave none.
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

CUT = {
    "behind a value": '{"table": "orders", "days": 365',
    "in a number": '{"table": "orders", "days": 3',
    "in a text": '{"days": 365, "dry_run": true, "table": "ord',
    "in a word": '{"table": "orders", "days": 365, "dry_run": tr',
    "in a name": '{"table": "orders", "days": 365, "dry_',
}


class Model(BaseHTTPRequestHandler):
    asked: list[dict] = []
    arguments = ""

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.asked.append(body)
        message = {"role": "assistant", "content": "Done."}
        end = "stop"
        if len(self.asked) == 1:
            function = {"name": "delete_older", "arguments": Model.arguments}
            message |= {"content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": function}]}
            end = "length"
        choice = {"index": 0, "message": message, "finish_reason": end}
        usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
        answer = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


ran: list[str] = []


def delete_older(table: str, days: int, dry_run: bool = False) -> str:
    """Delete the rows of a table that are older."""
    ran.append(f"table={table!r}, days={days!r}, dry_run={dry_run!r}")
    return "Done."


async def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    llm = OpenAILike(model="m", api_base=address, api_key="none", is_chat_model=True, is_function_calling_model=True)
    print(f"llama-index-core {version('llama-index-core')}, llama-index-llms-openai {version('llama-index-llms-openai')}")
    for where, arguments in CUT.items():
        Model.asked.clear(), ran.clear()
        Model.arguments = arguments
        await FunctionAgent(tools=[delete_older], llm=llm, streaming=False).run("Please do the job.")
        told = [message["content"] for message in Model.asked[-1]["messages"] if message["role"] == "tool"]
        print(f"cut {where}: {arguments}\n  ran: {'; '.join(ran) or 'nothing'}\n  told: {'; '.join(told)}")


asyncio.run(main())
PY

python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check llama-index-core==0.14.25 llama-index-llms-openai-like==0.8.1 \
    llama-index-llms-openai==0.8.3
cd "$folder"
seen=$("$folder/env/bin/python" "$folder/look.py" 2>"$folder/errors") || { cat "$folder/errors" >&2; exit 1; }
echo "$seen"
expected="llama-index-core 0.14.25, llama-index-llms-openai 0.8.3
cut behind a value: {\"table\": \"orders\", \"days\": 365
  ran: table='orders', days=365, dry_run=False
  told: Done.
cut in a number: {\"table\": \"orders\", \"days\": 3
  ran: table='orders', days=3, dry_run=False
  told: Done.
cut in a text: {\"days\": 365, \"dry_run\": true, \"table\": \"ord
  ran: table=None, days=365, dry_run=True
  told: Done.
cut in a word: {\"table\": \"orders\", \"days\": 365, \"dry_run\": tr
  ran: nothing
  told: delete_older() missing 2 required positional arguments: 'table' and 'days'
cut in a name: {\"table\": \"orders\", \"days\": 365, \"dry_
  ran: table='orders', days=365, dry_run=False
  told: Done."
[[ $seen == "$expected" ]] || {
    echo "This has changed." >&2
    exit 1
}
