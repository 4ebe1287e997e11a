#!/usr/bin/env bash
# opentelemetry-instrumentation-openai-v2 2.4b0, its newest release, can't be imported with what pip installs for it.
#
# It asks for any opentelemetry-util-genai from 0.4b0 on, and imports a module that 1.3b0 no longer has. Its successor
# is opentelemetry-instrumentation-genai-openai.
#
# Output seen on 2026-11-30, Python 3.11, Linux x86-64: the lines of `expected` below.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/look.py" <<'PY'
from importlib.metadata import requires, version

NAME, BESIDE = "opentelemetry-instrumentation-openai-v2", "opentelemetry-util-genai"
print(f"{NAME} {version(NAME)}, {BESIDE} {version(BESIDE)}")
print("asks for", next(each for each in requires(NAME) if each.startswith(BESIDE)))
try:
    import opentelemetry.instrumentation.openai_v2
except ImportError as error:
    print(error)
else:
    print("imported")
PY

python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check opentelemetry-instrumentation-openai-v2==2.4b0 openai==3.3.0 httpx==0.28.1
seen=$("$folder/env/bin/python" "$folder/look.py")
echo "$seen"
expected="opentelemetry-instrumentation-openai-v2 2.4b0, opentelemetry-util-genai 1.3b0
asks for opentelemetry-util-genai>=0.4b0.dev
No module named 'opentelemetry.util.genai.instruments'"
[[ $seen == "$expected" ]] || {
    echo "This has changed." >&2
    exit 1
}
