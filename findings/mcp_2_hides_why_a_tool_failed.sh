#!/usr/bin/env bash
# A server of the Python MCP SDK 2.3.0 tells the model that a tool failed, and not why; with 1.30.0 it told the exception's message.
#
# The function is the same, and so is `isError`. With 2.x only ToolError's message passes; any other exception is "Error executing tool
# NAME", to the model as to a log of the protocol. A server that was written for 1.x and raises ValueError or FileNotFoundError
# gives its model nothing to mend a call by, and every such failure has the same words.
#
# Output seen on 2026-11-30, Python 3.11, Linux x86-64: the lines of `expected` below.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/look.py" <<'PY'
import asyncio
from importlib.metadata import version

VERSION = version("mcp")
if VERSION.startswith("1."):
    from mcp.server.fastmcp import FastMCP as Server
    from mcp.server.fastmcp.exceptions import ToolError
    from mcp.shared.memory import create_connected_server_and_client_session

    def client(server):
        return create_connected_server_and_client_session(server._mcp_server)
else:
    from mcp import Client as client
    from mcp.server.mcpserver import MCPServer as Server
    from mcp.server.mcpserver.exceptions import ToolError

server = Server("files")


@server.tool()
def read(path: str) -> str:
    """Read a file."""
    raise FileNotFoundError(f"{path} is not there; did you mean notes.md?")


@server.tool()
def strict_read(path: str) -> str:
    """Read a file."""
    raise ToolError(f"{path} is not there; did you mean notes.md?")


async def look() -> None:
    async with client(server) as session:
        for name in ("read", "strict_read"):
            result = await session.call_tool(name, {"path": "note.md"})
            print(f"mcp {VERSION}: {result.content[0].text}")


asyncio.run(look())
PY

seen=""
for version in 1.30.0 2.3.0; do
    python3 -m venv "$folder/$version"
    "$folder/$version/bin/pip" install --quiet --disable-pip-version-check "mcp==$version"
    seen+=$("$folder/$version/bin/python" "$folder/look.py" 2>/dev/null)$'\n'
done
echo -n "$seen"
expected='mcp 1.30.0: Error executing tool read: note.md is not there; did you mean notes.md?
mcp 1.30.0: Error executing tool strict_read: note.md is not there; did you mean notes.md?
mcp 2.3.0: Error executing tool read
mcp 2.3.0: Error executing tool strict_read: note.md is not there; did you mean notes.md?
'
[[ $seen == "$expected" ]] || {
    echo "This has changed." >&2
    exit 1
}
