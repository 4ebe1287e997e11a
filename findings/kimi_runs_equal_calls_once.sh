#!/usr/bin/env bash
# Kimi Code 2.1.0 (coding agent): if an answer has two calls of one tool with equal arguments, each with an identifier of its own, it runs the command
# once and gives the result of that run to both calls: to its model and in the session's `wire.jsonl`. A command that adds something (a line, a
# number, a message) has been done once where the record says twice. Whoever counts runs, or replays a session, gets another state.
#
# Output seen on 2026-12-01, Node 22, Linux x86-64:
#   kimi 2.1.0: calls: 2, results told: 2 (ran ran), results in wire.jsonl: 2, runs: 1
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/look.py" <<'PY'
import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

node, package, folder = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
COMMAND = f"echo once >> {folder}/ran.txt; echo ran"
told = {}


class Model(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        for message in body["messages"]:
            if message["role"] == "tool":
                told[message["tool_call_id"]] = message["content"]
        delta, end = {"role": "assistant", "content": "Done."}, "stop"
        if not told:
            function = {"name": "Bash", "arguments": json.dumps({"command": COMMAND})}
            calls = [{"index": n, "id": f"call_{n}", "type": "function", "function": function} for n in range(2)]
            delta, end = {"role": "assistant", "content": "", "tool_calls": calls}, "tool_calls"
        head = {"id": f"c{len(told)}", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        pieces = [{"index": 0, "delta": delta, "finish_reason": None}, {"index": 0, "delta": {}, "finish_reason": end}]
        lines = [json.dumps(head | {"choices": [piece]}) for piece in pieces] + ["[DONE]"]
        data = "".join(f"data: {line}\n\n" for line in lines).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
home = folder / "home"
(home / ".kimi-code").mkdir(parents=True)
(home / ".kimi-code/config.toml").write_text(f"""
default_model = "lab"
telemetry = false
[providers.lab]
type = "openai"
base_url = "http://127.0.0.1:{server.server_address[1]}/v1"
api_key = "none"
[models.lab]
provider = "lab"
model = "m"
max_context_size = 200000
""")
env = {"HOME": str(home), "PATH": f"{node.parent}:/usr/bin:/bin", "KIMI_CODE_NO_AUTO_UPDATE": "1"}
command = [str(node), str(package / "dist/main.mjs"), "-p", "Please do the job."]
subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
(wire,) = (home / ".kimi-code/sessions").glob("*/*/agents/main/wire.jsonl")
events = [json.loads(line).get("event", {}).get("type") for line in wire.read_text().splitlines()]
words = " ".join(text.split("\n")[1] for text in told.values())
runs = (folder / "ran.txt").read_text().count("once")
version = json.loads((package / "package.json").read_text())["version"]
calls, results = events.count("tool.call"), events.count("tool.result")
print(f"kimi {version}: calls: {calls}, results told: {len(told)} ({words}), results in wire.jsonl: {results}, runs: {runs}")
PY

npm install --silent --no-audit --no-fund --prefix "$folder/npm" @moonshot-ai/kimi-code@2.1.0 node@22
mkdir "$folder/work"
modules="$folder/npm/node_modules"
seen=$(python3 "$folder/look.py" "$modules/node/bin/node" "$modules/@moonshot-ai/kimi-code" "$folder/work")
echo "$seen"
[[ $seen == "kimi 2.1.0: calls: 2, results told: 2 (ran ran), results in wire.jsonl: 2, runs: 1" ]] || {
    echo "This has changed." >&2
    exit 1
}
