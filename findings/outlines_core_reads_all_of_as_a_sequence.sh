#!/usr/bin/env bash
# outlines-core 0.2.14 reads JSON Schema's allOf as one value behind the other: a model that is held to it can write no valid JSON.
#
# `allOf` says that one value has to fit every schema of the list; OpenAPI writes inheritance so, and generators of schemas put a reference
# and its bounds so. build_regex_from_schema joins the expressions of the parts instead, and raises nothing. What it
# lets through is two objects in a row, or two numbers that have grown together (`1-2`); the value that the schema means is refused.
#
# Output seen on 2026-11-30, Python 3.11, Linux x86-64: the lines of `expected` below.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/look.py" <<'PY'
import json
import re
from importlib.metadata import version

from jsonschema import Draft202012Validator
from outlines_core.json_schema import build_regex_from_schema


def having(name: str) -> dict:
    return {"type": "object", "properties": {name: {"type": "integer"}}, "required": [name]}


BOTH = {"allOf": [having("a"), having("b")]}
BETWEEN = {
    "type": "object",
    "properties": {"n": {"allOf": [{"type": "integer", "minimum": 5}, {"type": "integer", "maximum": 7}]}},
    "required": ["n"],
}


def fits(schema: dict, text: str) -> str:
    try:
        return "fits" if Draft202012Validator(schema).is_valid(json.loads(text)) else "does not fit"
    except ValueError:
        return "no JSON"


print(f"outlines-core {version('outlines-core')}")
for schema, text in (
    (BOTH, '{"a": 1, "b": 2}'),
    (BOTH, '{"a": 1}{"b": 2}'),
    (BETWEEN, '{"n": 6}'),
    (BETWEEN, '{"n": 66}'),
    (BETWEEN, '{"n": 1-2}'),
):
    may = "may" if re.fullmatch(build_regex_from_schema(json.dumps(schema)), text) else "may not"
    print(f"{text}: {fits(schema, text)}; {may} be written")
PY

python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check outlines-core==0.2.14 jsonschema==4.26.0
seen=$("$folder/env/bin/python" "$folder/look.py")
echo "$seen"
expected='outlines-core 0.2.14
{"a": 1, "b": 2}: fits; may not be written
{"a": 1}{"b": 2}: no JSON; may be written
{"n": 6}: fits; may not be written
{"n": 66}: does not fit; may be written
{"n": 1-2}: no JSON; may be written'
[[ $seen == "$expected" ]] || {
    echo "This has changed." >&2
    exit 1
}
