#!/usr/bin/env bash
# DuckDB's Python client 1.5.5 imports pandas, numpy and pyarrow to bind one number, where they are installed; 2.0.1 imports none of them.
#
# Its conversion of a parameter asks its import cache for pandas' NaT and NA before it looks at the value. A statement without parameters,
# or with None alone, imports nothing. A short program pays some 0.4 s of processor time and 100 MB for it.
#
# Output seen on 2026-11-30, Python 3.11, Linux x86-64:
#   duckdb 1.5.5: no parameter: none; one number: numpy, pandas, pyarrow
#   duckdb 2.0.1: no parameter: none; one number: none
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/look.py" <<'PY'
import sys

import duckdb

WATCHED = ("numpy", "pandas", "pyarrow")


def loaded() -> str:
    return ", ".join(name for name in WATCHED if name in sys.modules) or "none"


connection = duckdb.connect()
connection.execute("SELECT 1").fetchall()
before = loaded()
connection.execute("SELECT ?", [1]).fetchall()
print(f"duckdb {duckdb.__version__}: no parameter: {before}; one number: {loaded()}")
PY

seen=""
for version in 1.5.5 2.0.1; do
    python3 -m venv "$folder/$version"
    "$folder/$version/bin/pip" install --quiet --disable-pip-version-check "duckdb==$version" pandas==3.1.1 numpy==2.4.6 pyarrow==26.0.1
    line=$("$folder/$version/bin/python" "$folder/look.py")
    echo "$line"
    seen+="$line"$'\n'
done
expected='duckdb 1.5.5: no parameter: none; one number: numpy, pandas, pyarrow
duckdb 2.0.1: no parameter: none; one number: none
'
[[ $seen == "$expected" ]] || {
    echo "This has changed." >&2
    exit 1
}
