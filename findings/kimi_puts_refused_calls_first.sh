#!/usr/bin/env bash
# Kimi Code 2.1.0 (coding agent): if one of the calls of an answer is of a tool that it doesn't offer, it puts that call before the others: in what it
# tells its model of its own answer, and in the session's `wire.jsonl`. The model said `Bash`, then `go`; its history says `go`, then `Bash`. Whoever
# compares the record with the provider's answer by position takes the refusal for the command's result, and the order of events is another.
#
# Output seen on 2026-12-01, Node 22, Linux x86-64:
#   kimi 2.1.0: sent: Bash go; told again: go Bash; in wire.jsonl: go Bash
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
SENT = ("Bash", "go")
told = []


class Model(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        for message in body["messages"]:
            if message["role"] == "assistant":
                told[:] = [call["function"]["name"] for call in message["tool_calls"]]
        delta, end = {"role": "assistant", "content": "Done."}, "stop"
        if not told:
            made = [{"name": name, "arguments": json.dumps({"command": "echo ran"})} for name in SENT]
            calls = [{"index": n, "id": f"call_{n}", "type": "function", "function": each} for n, each in enumerate(made)]
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
events = [json.loads(line).get("event", {}) for line in wire.read_text().splitlines()]
kept = [event["name"] for event in events if event.get("type") == "tool.call"]
version = json.loads((package / "package.json").read_text())["version"]
print(f"kimi {version}: sent: {' '.join(SENT)}; told again: {' '.join(told)}; in wire.jsonl: {' '.join(kept)}")
PY

npm install --silent --no-audit --no-fund --prefix "$folder/npm" @moonshot-ai/kimi-code@2.1.0 node@22
mkdir "$folder/work"
modules="$folder/npm/node_modules"
seen=$(python3 "$folder/look.py" "$modules/node/bin/node" "$modules/@moonshot-ai/kimi-code" "$folder/work")
echo "$seen"
[[ $seen == "kimi 2.1.0: sent: Bash go; told again: go Bash; in wire.jsonl: go Bash" ]] || {
    echo "This has changed." >&2
    exit 1
}
