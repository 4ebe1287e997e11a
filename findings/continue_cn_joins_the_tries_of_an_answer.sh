#!/usr/bin/env bash
# Continue's cn 1.5.47 (coding agent): if a stream ends early, it asks again, and joins what came of both tries to one answer: their texts without a
# gap, and their calls. It runs the calls of both, and tells its model that it said all of it at once. The same command runs twice, and the answer
# in the session is one that no model gave. Whoever compares answers by their words, or counts them, finds neither try.
#
# Output seen on 2026-12-01, Node 22, Linux x86-64:
#   cn 1.5.47: sent: "I beg" (ended early), "I begin now."; kept: "I begI begin now.", calls: 2, runs: 2
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/look.py" <<'PY'
import json
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

node, package, folder = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
COMMAND = f"echo once >> {folder}/ran.txt; echo ran"
asked = []


class Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        is_over = any(message["role"] == "tool" for message in body["messages"])
        asked.append(is_over)
        number = len(asked)
        text, end = ("Done.", "stop") if is_over else ("I beg" if number == 1 else "I begin now.", "tool_calls")
        function = {"name": "Bash", "arguments": json.dumps({"command": COMMAND})}
        call = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
        delta = {"role": "assistant", "content": text} | ({} if is_over else {"tool_calls": [call]})
        head = {"id": f"c{number}", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        pieces = [{"index": 0, "delta": delta, "finish_reason": None}, {"index": 0, "delta": {}, "finish_reason": end}]
        lines = [json.dumps(head | {"choices": [piece]}) for piece in pieces] + ["[DONE]"]
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for line in lines[: 1 if number == 1 else None]:
            data = f"data: {line}\n\n".encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()
        if number > 1:
            self.wfile.write(b"0\r\n\r\n")
        else:
            time.sleep(1)  # so that the client has read what was sent
            self.close_connection = True


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
home = folder / "home"
(home / ".continue").mkdir(parents=True)
address = f"http://127.0.0.1:{server.server_address[1]}/v1"
model = {"name": "m", "provider": "openai", "model": "m", "apiKey": "none", "apiBase": address, "capabilities": ["tool_use"]}
settings = {"name": "Lab", "version": "0.0.1", "schema": "v1", "models": [model | {"roles": ["chat"]}]}
(home / ".continue/config.yaml").write_text(json.dumps(settings))
env = {"HOME": str(home), "PATH": f"{node.parent}:/usr/bin:/bin", "CONTINUE_CLI_ENABLE_TELEMETRY": "0", "CONTINUE_METRICS_ENABLED": "0"}
command = [str(node), str(package / "dist/cn.js"), "--config", str(home / ".continue/config.yaml"), "--auto", "-p", "Please do the job."]
subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
(session,) = (home / ".continue/sessions").glob("*-*.json")
kept = next(each["message"] for each in json.loads(session.read_text())["history"] if each["message"]["role"] == "assistant")
runs = (folder / "ran.txt").read_text().count("once")
version = json.loads((package / "package.json").read_text())["version"]
sent = '"I beg" (ended early), "I begin now."'
print(f'cn {version}: sent: {sent}; kept: "{kept["content"]}", calls: {len(kept["toolCalls"])}, runs: {runs}')
PY

npm install --silent --no-audit --no-fund --prefix "$folder/npm" @continuedev/cli@1.5.47 node@22
mkdir "$folder/work"
modules="$folder/npm/node_modules"
seen=$(python3 "$folder/look.py" "$modules/node/bin/node" "$modules/@continuedev/cli" "$folder/work")
echo "$seen"
[[ $seen == 'cn 1.5.47: sent: "I beg" (ended early), "I begin now."; kept: "I begI begin now.", calls: 2, runs: 2' ]] || {
    echo "This has changed." >&2
    exit 1
}
