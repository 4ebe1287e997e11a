#!/usr/bin/env bash
# chompjs 1.4.1 reads `false`, `true` and `null` as texts where a comma and a digit follow without a blank between them.
#
# `[false,0]` is valid JSON as compact writers print it (JSON.stringify, jq -c, `separators=(",", ":")`), and gives ['false', 0], without
# an error; a text is true in Python. With a blank behind the comma, or before another kind of value, it is right.
#
# Output seen on 2026-12-01, Python 3.11, Linux x86-64: the lines of `expected` below.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/look.py" <<'PY'
from importlib.metadata import version

import chompjs

print(f"chompjs {version('chompjs')}")
for text in ("[false,0]", "[false, 0]", '{"k":[1,true,2]}', "[null,1]", '[false,"a"]', '{"a":false,"b":0}'):
    print(text, chompjs.parse_js_object(text))
PY

python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check chompjs==1.4.1
seen=$("$folder/env/bin/python" "$folder/look.py" 2>"$folder/errors") || { cat "$folder/errors" >&2; exit 1; }
echo "$seen"
expected="chompjs 1.4.1
[false,0] ['false', 0]
[false, 0] [False, 0]
{\"k\":[1,true,2]} {'k': [1, 'true', 2]}
[null,1] ['null', 1]
[false,\"a\"] [False, 'a']
{\"a\":false,\"b\":0} {'a': False, 'b': 0}"
[[ $seen == "$expected" ]] || {
    echo "This has changed." >&2
    exit 1
}
