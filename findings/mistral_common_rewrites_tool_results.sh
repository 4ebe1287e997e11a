#!/usr/bin/env bash
# mistral-common 1.13.1 rewrites a tool's text where that happens to be JSON: "1.10" reaches the model as 1.1, "12e4" as 120000.0.
#
# A ToolMessage's content is a text. The instruct tokenizers up to v3 put it into JSON of their own, and parse it before
# where it can be parsed: numbers lose how they were written, so a version, a price, a short commit hash or a long number is another one. With
# v7 it stays as it is. What a model was told is then not what the tool has said, and what a log of messages holds.
#
# Output seen on 2026-11-30, Python 3.11, Linux x86-64: the lines of `expected` below.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/look.py" <<'PY'
import re
from importlib.metadata import version
from pathlib import Path

import mistral_common
from mistral_common.protocol.instruct.messages import AssistantMessage, ToolMessage, UserMessage
from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.protocol.instruct.tool_calls import FunctionCall, ToolCall
from mistral_common.tokens.tokenizers.mistral import MistralTokenizer

FILES = {
    "v2": "mistral_instruct_tokenizer_240216.model.v2",
    "v3": "mistral_instruct_tokenizer_240323.model.v3",
    "v3, tekken": "tekken_240718.json",
    "v7": "mistral_instruct_tokenizer_241114.model.v7",
}
CALL = ToolCall(id="a1b2c3d4e", function=FunctionCall(name="look", arguments="{}"))
print(f"mistral-common {version('mistral-common')}")
for name, file in FILES.items():
    tokenizer = MistralTokenizer.from_file(str(Path(mistral_common.__file__).parent / "data" / file))
    told = []
    for content in ("1.10", "12e4", "00123", '{"price": 2.50}', "12345678901234567890.5"):
        result = ToolMessage(tool_call_id=CALL.id, name="look", content=content)
        messages = [UserMessage(content="Go"), AssistantMessage(content=None, tool_calls=[CALL]), result]
        text = tokenizer.encode_chat_completion(ChatCompletionRequest(messages=messages)).text.replace("▁", " ")
        told.append(re.search(r'(?:"content": |\[TOOL_CONTENT\] ?)(.*?)(?:, "call_id"|\}\]\[/|\[/)', text)[1])
    print(f"{name}: {' | '.join(told)}")
PY

python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check "mistral-common[sentencepiece]==1.13.1"
seen=$("$folder/env/bin/python" "$folder/look.py" 2>"$folder/errors") || { cat "$folder/errors" >&2; exit 1; }
echo "$seen"
expected='mistral-common 1.13.1
v2: 1.1 | 120000.0 | "00123" | {"price": 2.5} | 1.2345678901234567e+19
v3: 1.1 | 120000.0 | "00123" | {"price": 2.5} | 1.2345678901234567e+19
v3, tekken: 1.1 | 120000.0 | "00123" | {"price": 2.5} | 1.2345678901234567e+19
v7: 1.10 | 12e4 | 00123 | {"price": 2.50} | 12345678901234567890.5'
[[ $seen == "$expected" ]] || {
    echo "This has changed." >&2
    exit 1
}
