#!/usr/bin/env bash
# goose 1.52.0 (coding agent): a call of `shell` whose arguments are no JSON is stored under another name (`unparseable_tool_call`), without its
# arguments and as a call in order (`toolCall.status: success`), and the model is told that its answer hit the output token limit, though the
# provider said `finish_reason: tool_calls`. Its next request repeats the call under that name, too. Whoever counts calls by tool, or cut answers,
# from goose's database counts a tool that nobody has, and a limit that nobody hit.
#
# Output seen on 2026-12-01, Linux x86-64:
#   goose 1.52.0: sent: shell, finish tool_calls; stored: unparseable_tool_call {}, success; told: The model's response was truncated — it hit the output token limit
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/look.py" <<'PY'
import json
import os
import sqlite3
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

goose, folder = Path(sys.argv[1]), Path(sys.argv[2])
ARGUMENTS = ('{"command": "echo out',)


class Model(BaseHTTPRequestHandler):
    asked = 0
    told = {}

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        for message in body["messages"]:
            if message["role"] == "tool":
                Model.told[message["tool_call_id"]] = message["content"]
        delta, end = {"role": "assistant", "content": "Done."}, "stop"
        if body.get("tools"):
            number, Model.asked = Model.asked, Model.asked + 1
            if number < len(ARGUMENTS):
                function = {"name": "shell", "arguments": ARGUMENTS[number]}
                call = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
                delta, end = {"role": "assistant", "content": "", "tool_calls": [call]}, "tool_calls"
        head = {"id": f"c{Model.asked}", "object": "chat.completion.chunk", "created": 1, "model": "m"}
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
(home / ".config/goose").mkdir(parents=True)
developer = {"enabled": True, "type": "builtin", "name": "developer", "timeout": 60}
(home / ".config/goose/config.yaml").write_text(json.dumps({"extensions": {"developer": developer}}))
env = {
    "HOME": str(home), "PATH": os.environ["PATH"], "GOOSE_PROVIDER": "openai", "GOOSE_MODEL": "m", "GOOSE_MODE": "auto",
    "GOOSE_DISABLE_KEYRING": "1", "OPENAI_API_KEY": "none", "OPENAI_HOST": f"http://127.0.0.1:{server.server_address[1]}",
}
said = subprocess.run([str(goose), "--version"], env=env, capture_output=True, text=True, check=True).stdout.strip()
command = [str(goose), "run", "-t", "Please do the job."]
subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
database = sqlite3.connect(home / ".local/share/goose/sessions/sessions.db")
parts = [part for (held,) in database.execute("SELECT content_json FROM messages ORDER BY id") for part in json.loads(held)]
call = next(part["toolCall"] for part in parts if part["type"] == "toolRequest")
made = f"{call['value']['name']} {json.dumps(call['value']['arguments'])}, {call['status']}"
why = Model.told["call_0"].split("-32602: ")[-1].split(" while ")[0]
print(f"goose {said}: sent: shell, finish tool_calls; stored: {made}; told: {why}")
PY

npm install --silent --no-audit --no-fund --prefix "$folder/npm" @aaif/goose-binary-linux-x64@1.52.0
mkdir "$folder/work"
seen=$(python3 "$folder/look.py" "$folder/npm/node_modules/@aaif/goose-binary-linux-x64/bin/goose" "$folder/work")
echo "$seen"
[[ $seen == "goose 1.52.0: sent: shell, finish tool_calls; stored: unparseable_tool_call {}, success; told: The model's response was truncated — it hit the output token limit" ]] || {
    echo "This has changed." >&2
    exit 1
}
