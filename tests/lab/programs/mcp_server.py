"""An MCP server over its standard streams: its tools leave a mark, and answer in each way that the protocol has."""

import json
import os
import sys
from pathlib import Path

RAN = Path(sys.argv[1])
SCHEMA = {
    "type": "object",
    "properties": {"mark": {"type": "string"}, "deep": {}, "empty": {"type": "string"}},
    "required": ["mark"],
}
PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
TOLD = {"lab_mark": "Leaves a mark.", "lab_fail": "Fails.", "lab_die": "Ends the server."}
TOLD |= {"lab_structured": "Tells figures.", "lab_fail_structured": "Fails with figures."}
TOLD |= {"lab_picture": "Shows a picture.", "lab_nothing": "Says nothing.", "lab_error": "Is an error."}
TOOLS = [{"name": name, "description": said, "inputSchema": SCHEMA} for name, said in TOLD.items()]
WRONG, RIGHT = {"type": "text", "text": "It went wrong."}, {"type": "text", "text": "The mark is left."}
RESULTS = {
    "lab_mark": {"content": [RIGHT], "isError": False},
    "lab_fail": {"content": [WRONG], "isError": True},
    "lab_structured": {"content": [RIGHT], "structuredContent": {"error": None, "left": 1}},
    "lab_fail_structured": {"content": [WRONG], "structuredContent": {"code": 7316}, "isError": True},
    "lab_picture": {"content": [{"type": "image", "data": PICTURE, "mimeType": "image/png"}]},
    "lab_nothing": {"content": []},
}


def answer(method: str, told: dict) -> dict | None:
    if method == "initialize":
        info = {"name": "lab", "version": "1"}
        return {"protocolVersion": told["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "ping":
        return {}
    return called(told["name"], told.get("arguments") or {}) if method == "tools/call" else None


def called(name: str, told: dict) -> dict:
    mark = told.get("mark", "none")
    if mark != "none" and "fail" not in name:
        with RAN.open("a", encoding="utf-8") as file:
            file.write(f"{mark}\n")
    if name == "lab_die":
        os._exit(1)
    return RESULTS[name]


for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        try:
            said = answer(asked["method"], asked.get("params") or {})
            absent = {"error": {"code": -32601, "message": "Method not found"}}
            told = absent if said is None else {"result": said}
        except KeyError as error:
            told = {"error": {"code": -32602, "message": f"Lab refuses {error}."}}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"]} | told), flush=True)
