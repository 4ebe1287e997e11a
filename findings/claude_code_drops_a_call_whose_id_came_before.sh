#!/usr/bin/env bash
# Claude Code 2.1.332: a server gives two answers, one after the other, whose calls have the same identifier, as some local servers and routers do
# that count calls anew in each answer. Both commands run. Its next request tells the model of the first alone: the second answer stands there
# without its call, and in the place of its result stands "(no content)". The model is told nothing of a command that has run, and may do it again.
#
# Output seen on 2026-11-30, Node 20, Linux x86-64:
#   claude-code 2.1.332: ran: first second; told of: 1 call, 1 result; last words: (no content)
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

program, folder = sys.argv[1], Path(sys.argv[2])
asked: list[dict] = []


def blocks(number: int) -> list[dict]:
    if number > 1:
        return [{"type": "text", "text": "Done."}]
    word = ("first", "second")[number]
    call = {"command": f"echo {word} >> ran.txt", "description": "Run it"}
    return [{"type": "text", "text": f"The {word}."}, {"type": "tool_use", "id": "call_0", "name": "Bash", "input": call}]


def events(number: int):
    usage = {"input_tokens": 9, "output_tokens": 1}
    head = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": usage}
    yield {"type": "message_start", "message": head | {"stop_reason": None, "stop_sequence": None}}
    for index, block in enumerate(blocks(number)):
        if block["type"] == "text":
            empty, delta = block | {"text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty, delta = block | {"input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    end = {"stop_reason": "tool_use" if number < 2 else "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": usage}
    yield {"type": "message_stop"}


class Model(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        if not body.get("tools"):
            data, kind = b'{"input_tokens": 9}', "application/json"
        else:
            asked.append(body)
            data = "".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events(len(asked) - 1)).encode()
            kind = "text/event-stream"
        self.send_response(200)
        self.send_header("content-type", kind)
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
command = [program, "-p", "Please do the job.", "--model", "claude-sonnet-4-6", "--dangerously-skip-permissions"]
subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
told = [block for message in asked[-1]["messages"] for block in message["content"] if isinstance(block, dict)]
kinds = [block["type"] for block in told]
version = json.loads((Path(program).parent.parent / "package.json").read_text())["version"]
ran = " ".join((folder / "ran.txt").read_text().split())
counts = f"{kinds.count('tool_use')} call, {kinds.count('tool_result')} result"
print(f"claude-code {version}: ran: {ran}; told of: {counts}; last words: {told[-1].get('text')}")
PY

npm install --silent --no-audit --no-fund --prefix "$folder/npm" @anthropic-ai/claude-code@2.1.332
mkdir "$folder/work"
seen=$(python3 "$folder/look.py" "$folder/npm/node_modules/@anthropic-ai/claude-code/bin/claude.exe" "$folder/work")
echo "$seen"
[[ $seen == 'claude-code 2.1.332: ran: first second; told of: 1 call, 1 result; last words: (no content)' ]] || {
    echo "This has changed." >&2
    exit 1
}
