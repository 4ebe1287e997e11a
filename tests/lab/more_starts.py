"""How more agents are started: those that keep a session's name to themselves, or are told of the server in a file of their own form."""

import json
import shlex
from pathlib import Path

from lab.places import ASKED, Place, Start, json_of, servers_of


def _last(folder: Path, pattern: str) -> Path:
    """Return the file of the last session."""
    return max(folder.rglob(pattern), key=lambda path: path.stat().st_mtime)


def kimi_code(place: Place) -> Start:
    """Start Kimi Code, which is forked by a command of its own."""
    settings = f"""
default_model = "lab"
telemetry = false
[providers.lab]
type = "openai"
base_url = "{place.address}/v1"
api_key = "none"
[models.lab]
provider = "lab"
model = "{ASKED}"
max_context_size = 200000
"""
    kimi = [str(place.node), str(place.program)]
    told = [*kimi, *(["--continue"] if place.way == "on" else []), "-p", place.prompt]
    if place.way == "fork":  # to continue is to go on with the origin
        newest = "cd ~/.kimi-code/sessions/wd_*/ && ls -t | head -n 1"
        told = [
            "/bin/sh",
            "-c",
            f'{shlex.join([*kimi, "fork", "--yes"])} && {shlex.join(told)} --session "$({newest})"',
        ]
    return Start(
        told,
        {"KIMI_CODE_NO_AUTO_UPDATE": "1"},
        {".kimi-code/config.toml": settings, ".kimi-code/mcp.json": json_of(servers_of(place))},
    )


def droid(place: Place) -> Start:
    """Start Droid with a model of one's own."""
    model = {
        "model": ASKED, "displayName": "Lab", "baseUrl": f"{place.address}/v1", "apiKey": "none",
        "provider": "generic-chat-completion-api", "maxOutputTokens": 32_000,
    }  # fmt: skip
    flags = ["-m", "custom:Lab-0", *(["--skip-permissions-unsafe"] if place.is_permitted else [])]
    if place.way != "new":
        flag = {"on": "--session-id", "fork": "--fork"}[place.way]
        flags += [flag, _last(place.home / ".factory/sessions", "*.jsonl").stem]
    settings = {"customModels": [model], "enableDroidShield": False, "cloudSessionSync": False}
    return Start(
        [str(place.program), "exec", *flags, place.prompt],
        {"FACTORY_API_KEY": "none", "FACTORY_DROID_AUTO_UPDATE_ENABLED": "false"},
        {
            ".factory/settings.json": json_of(settings),
            ".factory/mcp.json": json_of(servers_of(place, type="stdio")),
        },
    )


def continue_cli(place: Place) -> Start:
    """Start Continue's ``cn``."""
    model = {
        "name": "Lab", "provider": "openai", "model": ASKED, "apiKey": "none", "apiBase": f"{place.address}/v1",
        "roles": ["chat"], "capabilities": ["tool_use"],
    }  # fmt: skip
    settings = {"name": "Lab", "version": "0.0.1", "schema": "v1", "models": [model]}
    if place.mcp:
        settings["mcpServers"] = [{"name": "lab", "command": place.mcp[0], "args": list(place.mcp[1:])}]
    file = ".continue/config.yaml"
    flags = ["--config", str(place.home / file), *(["--auto"] if place.is_permitted else [])]
    if place.way == "on":
        flags += ["--resume"]
    elif place.way == "fork":
        flags += [
            "--fork",
            json.loads(_last(place.home / ".continue/sessions", "????????-*.json").read_text())["sessionId"],
        ]
    return Start(
        [str(place.node), str(place.program), *flags, "-p", place.prompt],
        {"CONTINUE_CLI_ENABLE_TELEMETRY": "0", "CONTINUE_METRICS_ENABLED": "0"},
        {file: json_of(settings)},
    )


def openclaw(place: Place) -> Start:
    """Start openclaw without its gateway: its main session goes on by itself."""
    model = {
        "id": ASKED, "name": "Lab", "reasoning": False, "input": ["text"], "contextWindow": 200_000, "maxTokens": 32_000,
        "cost": {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 1.25},
    }  # fmt: skip
    provider = {
        "baseUrl": f"{place.address}/v1",
        "apiKey": "none",
        "api": "openai-completions",
        "models": [model],
    }
    settings = {
        "models": {"mode": "merge", "providers": {"lab": provider}},
        "agents": {"defaults": {"model": {"primary": f"lab/{ASKED}"}, "workspace": str(place.project)}},
        "tools": {"exec": {"security": "full", "ask": "off"}},
    }  # fmt: skip
    if place.mcp:
        settings["mcp"] = {"servers": servers_of(place)["mcpServers"]}
    return Start(
        [str(place.node), str(place.program), "agent", "--local", "--agent", "main", "-m", place.prompt],
        {"OPENCLAW_DISABLE_UPDATE_CHECK": "1"},
        {".openclaw/openclaw.json": json_of(settings)},
    )


def letta_code(place: Place) -> Start:
    """Start Letta Code on its local store, which needs no login."""
    store = ".letta/lc-local-backend"
    provider = {
        "id": "local-provider-lc-lmstudio", "name": "lc-lmstudio", "provider_type": "lmstudio", "provider_category": "byok",
        "auth": {"type": "api", "key": "none"}, "base_url": f"{place.address}/v1",
        "created_at": "2026-01-01T00:00:00.000Z", "updated_at": "2026-01-01T00:00:00.000Z",
    }  # fmt: skip
    flags = ["--backend", "local", "--no-memfs", "--reflection-trigger", "off"]
    flags += ["--yolo"] if place.is_permitted else ["--permission-mode", "standard"]
    if place.way == "on":
        talk = json.loads(
            _last(place.home / store, "messages.jsonl").with_name("conversation.json").read_text()
        )
        flags += ["--conversation", talk["id"]]
    else:
        flags += ["--new-agent", "--model", f"lmstudio/{ASKED}"]
    return Start(
        [str(place.node), str(place.program), "-p", place.prompt, *flags],
        {"DISABLE_AUTOUPDATER": "1", "LETTA_CODE_TELEM": "0"},
        {f"{store}/providers/auth.json": json_of({"version": 1, "providers": {"lc-lmstudio": provider}})},
    )
