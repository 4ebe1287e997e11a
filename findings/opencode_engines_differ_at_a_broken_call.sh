#!/usr/bin/env bash
# opencode 1.18.33 has two engines, and they differ where one of two calls of an answer has arguments that are no JSON. The first one (`opencode run`)
# runs the whole call, and tells its model what came of both. The second one (the server's `/api/session`, whose messages are in the table
# `session_message`) runs neither and ends the turn: both calls stay `pending` for good, and the model is not asked again.
#
# Output seen on 2026-12-01, Linux x86-64:
#   opencode 1.18.33, run: commands run: 1; results told to the model: 2
#   opencode 1.18.33, /api/session: commands run: 0; results told to the model: 0; calls: pending pending; error: Invalid JSON input for openai-chat tool call bash
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/look.py" <<'PY'
import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

program, folder = sys.argv[1], Path(sys.argv[2])
asked: list[dict] = []


def chunk(delta, why=None):
    choice = {"index": 0, "delta": delta, "finish_reason": why}
    return f"data: {json.dumps({'id': 'c', 'object': 'chat.completion.chunk', 'created': 1, 'model': 'm', 'choices': [choice]})}\n\n"


def call(place, arguments):
    function = {"name": "bash", "arguments": arguments}
    return chunk({"tool_calls": [{"index": place, "id": f"call_{place}", "type": "function", "function": function}]})


def answer(number):
    if number > 1:
        return chunk({"content": "Done."}) + chunk({}, "stop")
    whole = json.dumps({"command": "echo ran >> ran.txt", "description": "Run it"})
    return call(0, whole) + call(1, '{"command": "echo ran') + chunk({}, "tool_calls")


class Model(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        if body.get("tools"):
            asked.append(body)
        text = answer(len(asked)) if body.get("tools") else chunk({"content": "A title"}) + chunk({}, "stop")
        data = f"{text}data: [DONE]\n\n".encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def ran():
    return len((folder / "ran.txt").read_text().split()) if (folder / "ran.txt").exists() else 0


def told():
    kinds = [message["role"] for message in asked[-1]["messages"]] if len(asked) > 1 else []
    return f"results told to the model: {kinds.count('tool')}"


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
options = {"baseURL": f"http://127.0.0.1:{server.server_address[1]}/v1", "apiKey": "none"}
model = {"name": "M", "limit": {"context": 200_000, "output": 32_000}, "tool_call": True}
provider = {"npm": "@ai-sdk/openai-compatible", "name": "Lab", "models": {"m": model}, "options": options}
settings = {"autoupdate": False, "share": "disabled", "provider": {"lab": provider}, "model": "lab/m", "small_model": "lab/m"}
(folder / ".config/opencode").mkdir(parents=True)
(folder / ".config/opencode/opencode.json").write_text(json.dumps(settings))
env = {"HOME": str(folder), "PATH": os.environ["PATH"]}
env |= {f"OPENCODE_DISABLE_{name}": "1" for name in ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "SHARE", "DEFAULT_PLUGINS")}
quiet = {"cwd": folder, "env": env, "stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}

subprocess.run([program, "run", "--model", "lab/m", "--auto", "Please do the job."], timeout=200, check=False, **quiet)
print(f"opencode 1.18.33, run: commands run: {ran()}; {told()}")

asked.clear()
(folder / "ran.txt").unlink(missing_ok=True)
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]


def ask(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}/api/session{path}", data, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.loads(reply.read())


serving = subprocess.Popen([program, "serve", "--hostname", "127.0.0.1", "--port", str(port)], **quiet)
for _ in range(240):
    try:
        ask("")
        break
    except OSError:
        time.sleep(0.5)
name = ask("", {"model": {"id": "m", "providerID": "lab"}, "location": {"directory": str(folder)}})["data"]["id"]
message = {}
for number in range(240):
    if number % 20 == 0 and not asked:
        ask(f"/{name}/prompt", {"prompt": {"text": "Please do the job."}})  # the first one may only wake the session
    message = next((each for each in ask(f"/{name}/message")["data"] if each["type"] == "assistant"), {})
    if message.get("finish") == "error" or len(asked) > 1:
        break
    time.sleep(0.5)
time.sleep(5)
states = " ".join(each["state"]["status"] for each in message["content"] if each["type"] == "tool")
print(f"opencode 1.18.33, /api/session: commands run: {ran()}; {told()}; calls: {states}; error: {message.get('error', {}).get('message')}")
serving.terminate()
PY

npm install --silent --no-audit --no-fund --prefix "$folder/npm" opencode-ai@1.18.33
mkdir "$folder/work"
seen=$(python3 "$folder/look.py" "$folder/npm/node_modules/opencode-ai/bin/opencode.exe" "$folder/work")
echo "$seen"
expected='opencode 1.18.33, run: commands run: 1; results told to the model: 2
opencode 1.18.33, /api/session: commands run: 0; results told to the model: 0; calls: pending pending; error: Invalid JSON input for openai-chat tool call bash'
[[ $seen == "$expected" ]] || {
    echo "This has changed." >&2
    exit 1
}
