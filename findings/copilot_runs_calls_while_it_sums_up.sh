#!/usr/bin/env bash
# GitHub Copilot CLI 1.0.102: when the context is nearly full it asks its model for a summary, with `tool_choice: "none"`. Many servers of open models
# don't know that parameter. If the answer is a call all the same, Copilot runs it, and neither the answer nor the call nor its result stands in
# the session's `events.jsonl`. Whoever audits commands by its files doesn't see them.
#
# Output seen on 2026-12-01, Node 22, Linux x86-64:
#   copilot 1.0.102: ran: asked hidden; in events.jsonl: asked
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
lock = threading.Lock()
said = {"asked": 0, "hidden": 0}


class Model(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        word = "hidden" if body.get("tool_choice") == "none" else "asked"
        with lock:
            said[word] += 1
            number = said[word]
        delta, end = {"role": "assistant", "content": "That is all."}, "stop"
        if number <= {"hidden": 1, "asked": 6}[word]:
            command = f"echo {word} >> {folder}/ran.txt; sleep 1"
            function = {"name": "bash", "arguments": json.dumps({"command": command, "description": "Note it"})}
            call = {"index": 0, "id": f"call_{word}_{number}", "type": "function", "function": function}
            delta, end = {"role": "assistant", "content": "", "tool_calls": [call]}, "tool_calls"
        head = {"id": f"c{word}{number}", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        pieces = [{"index": 0, "delta": delta, "finish_reason": None}, {"index": 0, "delta": {}, "finish_reason": end}]
        usage = {"prompt_tokens": 110_000, "completion_tokens": 50, "total_tokens": 110_050}
        events = [*(head | {"choices": [piece]} for piece in pieces), head | {"choices": [], "usage": usage}]
        lines = [*map(json.dumps, events), "[DONE]"]
        data = "".join(f"data: {line}\n\n" for line in lines).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
env = {
    "HOME": str(folder), "PATH": f"{node.parent}:/usr/bin:/bin", "COPILOT_OFFLINE": "true", "COPILOT_MODEL": "m",
    "COPILOT_PROVIDER_BASE_URL": f"http://127.0.0.1:{server.server_address[1]}/v1",
}
command = [str(node), str(package / "npm-loader.js"), "-p", "Please do the job.", "--allow-all-tools"]
subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
ran = sorted(set((folder / "ran.txt").read_text().split()))
(events,) = (folder / ".copilot/session-state").glob("*/events.jsonl")
told = [word for word in ran if f"echo {word}" in events.read_text()]
version = json.loads((package / "package.json").read_text())["version"]
print(f"copilot {version}: ran: {' '.join(ran)}; in events.jsonl: {' '.join(told)}")
PY

npm install --silent --no-audit --no-fund --prefix "$folder/npm" @github/copilot@1.0.102 node@22
mkdir "$folder/work"
modules="$folder/npm/node_modules"
seen=$(python3 "$folder/look.py" "$modules/node/bin/node" "$modules/@github/copilot" "$folder/work")
echo "$seen"
[[ $seen == "copilot 1.0.102: ran: asked hidden; in events.jsonl: asked" ]] || {
    echo "This has changed." >&2
    exit 1
}
