"""An MCP server of two tools, over its standard streams: one leaves a mark, one says that it failed."""

import json
import sys
from pathlib import Path

RAN = Path(sys.argv[1])
SCHEMA = {"type": "object", "properties": {"mark": {"type": "string"}}, "required": ["mark"]}
TOOLS = [
    {"name": name, "description": said, "inputSchema": SCHEMA}
    for name, said in (("lab_mark", "Leaves a mark."), ("lab_fail", "Fails."))
]


def answer(method: str, told: dict) -> dict | None:
    if method == "initialize":
        info = {"name": "lab", "version": "1"}
        return {"protocolVersion": told["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "ping":
        return {}
    if method != "tools/call":
        return None
    is_error = told["name"] == "lab_fail"
    if not is_error:
        with RAN.open("a", encoding="utf-8") as file:
            file.write(f"{told['arguments']['mark']}\n")
    said = "It went wrong." if is_error else "The mark is left."
    return {"content": [{"type": "text", "text": said}], "isError": is_error}


for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        said = answer(asked["method"], asked.get("params") or {})
        absent = {"error": {"code": -32601, "message": "Method not found"}}
        told = absent if said is None else {"result": said}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **told}), flush=True)
