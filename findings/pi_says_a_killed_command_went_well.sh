#!/usr/bin/env bash
# pi 0.73.1 (coding agent): a command whose shell is ended by a signal is told to the model, and written into the session file, as one that went
# well: `isError` is false, and no word says that it was killed. A command that exits with 3 is an error, with "Command exited with code 3".
# Whoever counts failures from its files takes an out-of-memory kill for a success.
#
# Output seen on 2026-11-30, Node 22, Linux x86-64:
#   pi 0.73.1: exit 3: isError true, 'out Command exited with code 3'; killed: isError false, 'out'
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/look.py" <<'PY'
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

node, package, folder = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
COMMANDS = ("echo out; exit 3", "echo out; kill -9 $$")


class Model(BaseHTTPRequestHandler):
    asked = 0

    def log_message(self, *_):
        pass

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        number, Model.asked = Model.asked, Model.asked + 1
        delta, end = {"role": "assistant", "content": "Done."}, "stop"
        if number < len(COMMANDS):
            function = {"name": "bash", "arguments": json.dumps({"command": COMMANDS[number]})}
            call = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
            delta, end = {"role": "assistant", "content": "", "tool_calls": [call]}, "tool_calls"
        head = {"id": f"c{number}", "object": "chat.completion.chunk", "created": 1, "model": "m"}
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
model = {"id": "m", "name": "m", "reasoning": False, "input": ["text"], "contextWindow": 99_000, "maxTokens": 9_000}
model["cost"] = {"input": 1, "output": 1, "cacheRead": 1, "cacheWrite": 1}
address = f"http://127.0.0.1:{server.server_address[1]}/v1"
provider = {"baseUrl": address, "api": "openai-completions", "apiKey": "none", "models": [model]}
home = folder / "home"
(home / ".pi/agent").mkdir(parents=True)
(home / ".pi/agent/models.json").write_text(json.dumps({"providers": {"here": provider}}))
env = {"HOME": str(home), "PATH": f"{node.parent}:{os.environ['PATH']}", "PI_OFFLINE": "1", "PI_TELEMETRY": "0"}
command = [str(node), str(package / "dist/cli.js"), "--provider", "here", "--model", "m", "-p", "Please do the job."]
subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
(session,) = (home / ".pi/agent/sessions").rglob("*.jsonl")
said = {}
for line in map(json.loads, session.read_text().splitlines()):
    message = line.get("message") or {}
    if message.get("role") == "toolResult":
        words = " ".join("".join(part["text"] for part in message["content"]).split())
        said[message["toolCallId"]] = f"isError {str(message['isError']).lower()}, '{words}'"
version = json.loads((package / "package.json").read_text())["version"]
print(f"pi {version}: exit 3: {said['call_0']}; killed: {said['call_1']}")
PY

npm install --silent --no-audit --no-fund --prefix "$folder/npm" @mariozechner/pi-coding-agent@0.73.1 node@22
mkdir "$folder/work"
modules="$folder/npm/node_modules"
seen=$(python3 "$folder/look.py" "$modules/node/bin/node" "$modules/@mariozechner/pi-coding-agent" "$folder/work")
echo "$seen"
[[ $seen == "pi 0.73.1: exit 3: isError true, 'out Command exited with code 3'; killed: isError false, 'out'" ]] || {
    echo "This has changed." >&2
    exit 1
}
