#!/usr/bin/env bash
# Claude Code 2.1.332: a model writes a file whose text has escapes of letters, such as "\u0022" in a program's or a JSON file's string. Claude Code
# puts the letters in their place before it runs the call (all but control characters, and those behind two backslashes), in commands as in files: a
# correct program becomes another one or none, and an invisible letter that was spelled out stands there unseen. Its recording and its next request say
# that the model has written the letters, so that neither the model nor a reader of the recording can see what has happened.
#
# Output seen on 2026-11-30, Node 20, Linux x86-64:
#   claude-code 2.1.332:
#   sent:    e = "\u00e9"; q = "\u0022"; z = "\u0000"; c = "\\u00e9"
#   written: e = "é"; q = """; z = "\u0000"; c = "\\u00e9"
#   run:     e = "é"; q = """; z = "\u0000"; c = "\\u00e9"
#   told:    e = "é"; q = """; z = "\u0000"; c = "\\u00e9"
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


TEXT = r"""e = "\u00e9"; q = "\u0022"; z = "\u0000"; c = "\\u00e9" """.rstrip()
CALLS = (
    {"name": "Bash", "input": {"command": f"printf %s '{TEXT}' > run.txt", "description": "Run it"}},
    {"name": "Write", "input": {"file_path": str(folder / "written.py"), "content": TEXT}},
)


def blocks(number: int) -> list[dict]:
    if number >= len(CALLS):
        return [{"type": "text", "text": "Done."}]
    return [{"type": "tool_use", "id": f"call_{number}", **CALLS[number]}]


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
    end = {"stop_reason": "tool_use" if number < len(CALLS) else "end_turn", "stop_sequence": None}
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
calls = [block for each in asked[-1]["messages"] for block in each["content"] if block["type"] == "tool_use"]
version = json.loads((Path(program).parent.parent / "package.json").read_text())["version"]
print(f"claude-code {version}:")
print(f"sent:    {TEXT}")
print(f"written: {(folder / 'written.py').read_text()}")
print(f"run:     {(folder / 'run.txt').read_text()}")
print(f"told:    {calls[-1]['input']['content']}")
PY

npm install --silent --no-audit --no-fund --prefix "$folder/npm" @anthropic-ai/claude-code@2.1.332
mkdir "$folder/work"
seen=$(python3 "$folder/look.py" "$folder/npm/node_modules/@anthropic-ai/claude-code/bin/claude.exe" "$folder/work")
echo "$seen"
expected=$(sed -n 's/^#   //p' "$0")
[[ $seen == "$expected" ]] || {
    echo "This has changed." >&2
    exit 1
}
