#!/usr/bin/env bash
# Letta Code 0.25.9 (coding agent, local store, no login): in `messages.jsonl` a command that ended with status 3, a tool that there is not, and a call whose
# arguments broke off have results with `isError: false`. The last one ran: arguments that are no JSON are mended, also if the answer ended by length.
# The time of a prompt and of a result is counted, a second for each message from 2026-01-01 on; the answers between them have their real time.
#
# So whoever counts `isError` finds no failure, and whoever sorts by time or measures how long tools took gets months.
#
# Output seen on 2026-12-01, Linux x86-64: the lines of `expected` below.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/look.py" <<'PY'
import json
import os
import subprocess
import sys
import threading
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

letta, home = sys.argv[1], Path(sys.argv[2])
CALLS = (("Bash", '{"command": "echo out; exit 3", "description": "x"}'), ("teleport", "{}"), ("Bash", '{"command": "echo ran'))


class Model(BaseHTTPRequestHandler):
    asked = 0

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer(json.dumps({"object": "list", "data": [{"id": "m", "object": "model"}]}), "application/json")

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        number, Model.asked = Model.asked, Model.asked + 1
        delta, end = {"role": "assistant", "content": "Done."}, "stop"
        if number < len(CALLS):
            name, arguments = CALLS[number]
            call = {"index": 0, "id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
            delta, end = {"role": "assistant", "content": "", "tool_calls": [call]}, "length" if number == 2 else "tool_calls"
        head = {"id": f"c{number}", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        pieces = [{"index": 0, "delta": delta, "finish_reason": None}, {"index": 0, "delta": {}, "finish_reason": end}]
        lines = [json.dumps(head | {"choices": [piece]}) for piece in pieces] + ["[DONE]"]
        self.answer("".join(f"data: {line}\n\n" for line in lines), "text/event-stream")

    def answer(self, text, kind):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
env = {"HOME": str(home), "PATH": os.environ["PATH"], "DISABLE_AUTOUPDATER": "1", "LETTA_CODE_TELEM": "0"}
run = {"cwd": home, "env": env, "stdin": subprocess.DEVNULL, "capture_output": True, "timeout": 200, "check": False}
address = f"http://127.0.0.1:{server.server_address[1]}/v1"
begun = datetime.now(UTC)
subprocess.run(["node", letta, "--backend", "local", "connect", "lmstudio", "--base-url", address], **run)
flags = ["--new-agent", "--model", "lmstudio/m", "--yolo", "--no-memfs", "--reflection-trigger", "off"]
subprocess.run(["node", letta, "--backend", "local", "-p", "Please do the job.", *flags], **run)
for path in sorted((home / ".letta").rglob("messages.jsonl")):
    for line in filter(None, path.read_text().splitlines()):
        said = json.loads(line)
        at = datetime.fromtimestamp(said["timestamp"] / 1000, UTC)
        when = "now" if at >= begun.replace(microsecond=0) else at.isoformat()
        words = said["content"][-1].get("text", said["content"][-1].get("arguments"))
        what = f"{said['toolName']}: isError {said['isError']}, {words[:24]!r}" if "toolName" in said else ""
        print(" ".join(filter(None, (said["role"], when, what, said.get("stopReason")))))
PY

npm install --silent --no-audit --no-fund --prefix "$folder/npm" @letta-ai/letta-code@0.25.9
mkdir "$folder/home"
seen=$(python3 "$folder/look.py" "$folder/npm/node_modules/@letta-ai/letta-code/letta.js" "$folder/home")
echo "$seen"
expected="user 2026-01-01T00:00:01+00:00
assistant now toolUse
toolResult 2026-01-01T00:00:03+00:00 Bash: isError False, 'Exit code: 3\nout\n'
assistant now toolUse
toolResult 2026-01-01T00:00:05+00:00 teleport: isError False, 'Tool not found: teleport'
assistant now length
toolResult 2026-01-01T00:00:07+00:00 Bash: isError False, 'ran\n'
assistant now stop"
[[ $seen == "$expected" ]] || {
    echo "This has changed." >&2
    exit 1
}
