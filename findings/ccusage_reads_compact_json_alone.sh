#!/usr/bin/env bash
# ccusage 20.0.24 counts nothing of a Claude Code session whose lines have a blank behind colons; the same values without blanks count.
#
# Claude Code writes compact JSON, so its own files are counted. A file that went through Python's json.dumps or a formatter (a
# copy without secrets, an export, a merge) holds the same values, and is reported as no usage at all: exit status 0, no warning.
#
# Output seen on 2026-11-30, Node.js 20, Linux x86-64: the lines of `expected` below.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/write.py" <<'PY'
import json
import sys
from pathlib import Path

session = "11111111-1111-4111-8111-111111111111"
line = {
    "parentUuid": None,
    "isSidechain": False,
    "cwd": "/work/a",
    "sessionId": session,
    "version": "2.1.300",
    "type": "assistant",
    "uuid": "00000000-0000-4000-8000-000000000001",
    "timestamp": "2026-11-20T10:00:01.000Z",
    "requestId": "req_1",
    "message": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5-20250929",
        "content": [{"type": "text", "text": "Hello."}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 3, "cache_creation_input_tokens": 1000, "cache_read_input_tokens": 2000, "output_tokens": 250},
    },
}
for name, separators in (("compact", (",", ":")), ("blanks", (", ", ": "))):
    place = Path(sys.argv[1]) / name / "projects" / "-work-a"
    place.mkdir(parents=True)
    (place / f"{session}.jsonl").write_text(json.dumps(line, separators=separators) + "\n")
PY
python3 "$folder/write.py" "$folder"
cd "$folder"
echo "{\"private\": true}" >package.json
npm install --no-audit --no-fund ccusage@20.0.24 @ccusage/ccusage-linux-x64@20.0.24 >npm.log 2>&1 || { cat npm.log >&2; exit 1; }
seen="ccusage $(node -p 'require("./node_modules/ccusage/package.json").version')"
for name in compact blanks; do
    tokens=$(HOME=$folder CLAUDE_CONFIG_DIR=$folder/$name npx ccusage claude daily --json --offline |
        node -p 'JSON.parse(require("fs").readFileSync(0)).totals.totalTokens')
    seen+=$'\n'"$name: $tokens tokens"
done
echo "$seen"
expected='ccusage 20.0.24
compact: 3253 tokens
blanks: 0 tokens'
[[ $seen == "$expected" ]] || {
    echo "This has changed." >&2
    exit 1
}
