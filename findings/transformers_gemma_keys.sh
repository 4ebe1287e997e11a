#!/usr/bin/env bash
# transformers 5.24.0 can't read a Gemma 4 call whose argument has a hyphen, a dot or a dollar sign in its name, as "$filter" and "api-key".
#
# Gemma 4 writes the names of arguments bare (`call:find{api-key:<|"|>x<|"|>}`). The response template that `transformers serve` has
# for it has them quoted by the content parser "json" with `unquoted_keys`, which takes letters, digits and underscores alone for a
# name: one such argument, and the whole response raises. JSON schemas of tools have such names: OData's, headers of HTTP.
#
# Output seen on 2026-11-30, Python 3.11, Linux x86-64: the lines of `expected` below.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/look.py" <<'PY'
from importlib.metadata import version

from transformers.utils.chat_parsing.content_parsers import parse_content

AS_GEMMA = {"unquoted_keys": True, "string_delims": [['<|"|>', '<|"|>']]}
print(f"transformers {version('transformers')}")
for name in ("city", "straße", "api_key", "api-key", "page.size", "$filter"):
    try:
        print(name, parse_content("{" + name + ':<|"|>x<|"|>}', "json", AS_GEMMA))
    except ValueError as error:
        print(name, str(error).splitlines()[-1])
PY

python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check transformers==5.24.0
seen=$("$folder/env/bin/python" "$folder/look.py" 2>"$folder/errors") || { cat "$folder/errors" >&2; exit 1; }
echo "$seen"
expected="transformers 5.24.0
city {'city': 'x'}
straße {'straße': 'x'}
api_key {'api_key': 'x'}
api-key Error: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)
page.size Error: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)
\$filter Error: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"
[[ $seen == "$expected" ]] || {
    echo "This has changed." >&2
    exit 1
}
