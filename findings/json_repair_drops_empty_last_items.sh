#!/usr/bin/env bash
# json_repair 0.64.6 drops an empty object or list that is the last item of a list, if a line break follows it.
#
# `[\n  {"a": 1},\n  {}\n]` in a text whose only fault is elsewhere, such as a trailing comma, loses its last item, without a word in the
# log. On one line, or with anything behind the empty value, it is kept. A model that calls a tool without arguments writes such an
# object, and models indent their JSON.
#
# Output seen on 2026-12-01, Python 3.11, Linux x86-64: the lines of `expected` below.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/look.py" <<'PY'
from importlib.metadata import version

import json_repair

print(f"json_repair {version('json_repair')}")
for written in ('[{"a": 1}, {}]', '[\n  {"a": 1},\n  {}\n]', "[\n  []\n]", "[\n  {},\n  1\n]"):
    value, log = json_repair.loads('{"k": ' + written + ', "done": true,}', logging=True)
    print(repr(written), value, log)
PY

python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check json-repair==0.64.6
seen=$("$folder/env/bin/python" "$folder/look.py" 2>"$folder/errors") || { cat "$folder/errors" >&2; exit 1; }
echo "$seen"
expected=$(cat <<'TEXT'
json_repair 0.64.6
'[{"a": 1}, {}]' {'k': [{'a': 1}, {}], 'done': True} []
'[\n  {"a": 1},\n  {}\n]' {'k': [{'a': 1}], 'done': True} []
'[\n  []\n]' {'k': [], 'done': True} []
'[\n  {},\n  1\n]' {'k': [{}, 1], 'done': True} []
TEXT
)
[[ $seen == "$expected" ]] || {
    echo "This has changed." >&2
    exit 1
}
