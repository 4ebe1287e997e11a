#!/usr/bin/env bash
# Claude Code 2.1.58 (and 2.1.22, 2.1.39, 2.1.47 to 2.1.56): a server's stream begins with 1 output token, as streams do, and ends with 240 and
# a stop reason. The printed result has the 240. The transcript has the 1, and no stop reason, for good: whoever counts tokens or cost from
# transcripts of these versions gets a hundredth of the output. 2.1.59 writes what the stream ends with, as 1.0.100, 2.0.30 and 2.1.4 do.
#
# Output seen on 2026-12-01, Node 20, Linux x86-64:
#   claude-code 2.1.58: sent: 240 (end_turn); printed: 240; in the transcript: 1 (None)
#   claude-code 2.1.59: sent: 240 (end_turn); printed: 240; in the transcript: 240 (end_turn)
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

version, folder, command = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
TEXT = "Each word of this answer was counted. " * 30


def events():
    start, end = {"input_tokens": 9, "output_tokens": 1}, {"input_tokens": 9, "output_tokens": 240}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": start}
    yield {"type": "message_start", "message": head | {"stop_reason": None, "stop_sequence": None}}
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": TEXT}}
    yield {"type": "content_block_stop", "index": 0}
    yield {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": end}
    yield {"type": "message_stop"}


class Model(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        is_turn = bool(body.get("tools")) and body.get("stream")
        stream = "".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events())
        data = stream.encode() if is_turn else b'{"input_tokens": 9}'
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if is_turn else "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
env = {
    "HOME": str(folder), "PATH": os.environ["PATH"], "IS_SANDBOX": "1", "ANTHROPIC_API_KEY": "none",
    "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.server_address[1]}", "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
}
asked = [*command, "-p", "Please answer.", "--model", "claude-sonnet-4-6", "--output-format", "json"]
done = subprocess.run(asked, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
printed = json.loads(done.stdout)["usage"]["output_tokens"]
lines = [json.loads(line) for path in folder.glob(".claude/projects/*/*.jsonl") for line in path.read_text().splitlines()]
(message,) = [line["message"] for line in lines if line["type"] == "assistant"]
written = f"{message['usage']['output_tokens']} ({message['stop_reason']})"
print(f"claude-code {version}: sent: 240 (end_turn); printed: {printed}; in the transcript: {written}")
PY

seen=$(for version in 2.1.58 2.1.59; do
    mkdir "$folder/$version"
    npm install --silent --no-audit --no-fund --prefix "$folder/npm-$version" "@anthropic-ai/claude-code@$version" >&2
    python3 "$folder/look.py" "$version" "$folder/$version" node "$folder/npm-$version/node_modules/@anthropic-ai/claude-code/cli.js"
done)
echo "$seen"
expected='claude-code 2.1.58: sent: 240 (end_turn); printed: 240; in the transcript: 1 (None)
claude-code 2.1.59: sent: 240 (end_turn); printed: 240; in the transcript: 240 (end_turn)'
[[ $seen == "$expected" ]] || {
    echo "This has changed." >&2
    exit 1
}
