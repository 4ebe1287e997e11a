"""How each agent is told of the scripted server, how it is started, how it runs a command, and where it writes: data, a row an agent."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from lab.steps import Filled, Scenario, Shell, Tools

ASKED = "lab-asked-1"


@dataclass(frozen=True)
class Place:
    """Where an agent runs, and what it is started for.

    Attributes:
        home: its home.
        project: the folder that it works in.
        address: the server's.
        program: its program.
        node: a Node that is new enough.
        prompt: what it is asked.
        way: ``new``, ``on`` to go on with its last session, or ``fork`` to go on with a copy of it.
        is_permitted: whether it may do all without asking.
        mcp: the command of the lab's MCP server; empty where it needs none.
    """

    home: Path
    project: Path
    address: str
    program: Path
    node: Path
    prompt: str
    way: str = "new"
    is_permitted: bool = True
    mcp: tuple[str, ...] = ()


@dataclass(frozen=True)
class Start:
    """A command, what its environment has beside, and what stands in the home before it begins."""

    command: list[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Agent:
    """An agent: its name for people, where its program is in its packages, what it writes in its home, and how it runs."""

    title: str
    program: str
    store: str
    tools: Tools
    start: Callable[[Place], Start]
    ways: tuple[str, ...] = ("new", "on", "fork")
    """How it can be started; a scenario that needs another isn't run with it."""
    asks: bool = True
    """Whether it knows of permissions."""


def _json(value: Any) -> str:
    return json.dumps(value, indent=1)


def _servers(place: Place, **more: Any) -> dict[str, Any]:
    """The MCP servers, as most agents want to be told of them."""
    if not place.mcp:
        return {}
    return {"mcpServers": {"lab": {"command": place.mcp[0], "args": list(place.mcp[1:]), **more}}}


def _claude_code(place: Place) -> Start:
    ways = {"new": [], "on": ["--continue"], "fork": ["--continue", "--fork-session"]}
    flags = ["--model", "claude-sonnet-4-6", *ways[place.way]]
    flags += ["--dangerously-skip-permissions"] if place.is_permitted else []
    if place.mcp:
        flags += ["--strict-mcp-config", "--mcp-config", json.dumps(_servers(place))]
    return Start(
        [str(place.program), "-p", place.prompt, *flags],
        {
            "ANTHROPIC_BASE_URL": place.address, "ANTHROPIC_API_KEY": "none", "IS_SANDBOX": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1",
        },
    )  # fmt: skip


def _codex(model: str) -> Callable[[Place], Start]:
    def start(place: Place) -> Start:
        settings = f"""
model = "{model}"
model_provider = "lab"
check_for_update_on_startup = false
[model_providers.lab]
name = "lab"
base_url = "{place.address}/v1"
env_key = "LAB_KEY"
wire_api = "responses"
[analytics]
enabled = false
"""
        if place.mcp:
            settings += f"[mcp_servers.lab]\ncommand = {json.dumps(place.mcp[0])}\nargs = {json.dumps(place.mcp[1:])}\n"
        whole = ["--dangerously-bypass-approvals-and-sandbox"]
        flags = ["--skip-git-repo-check", *(whole if place.is_permitted else ["-s", "read-only"])]
        ways = {"new": [], "on": ["resume", "--last"]}
        if place.way == "fork":
            ways["fork"] = ["fork", max((place.home / ".codex").rglob("rollout-*.jsonl")).stem[-36:]]
        return Start(
            [str(place.node), str(place.program), "exec", *ways[place.way], *flags, place.prompt],
            {"LAB_KEY": "none", "CODEX_HOME": str(place.home / ".codex")},
            {".codex/config.toml": settings},
        )

    return start


def _opencode(place: Place) -> Start:
    model = {"name": "Lab", "limit": {"context": 200_000, "output": 32_000}, "tool_call": True}
    provider = {
        "npm": "@ai-sdk/openai-compatible", "name": "Lab", "models": {ASKED: model},
        "options": {"baseURL": f"{place.address}/v1", "apiKey": "none"},
    }  # fmt: skip
    settings = {
        "autoupdate": False, "share": "disabled", "provider": {"lab": provider},
        "model": f"lab/{ASKED}", "small_model": f"lab/{ASKED}",
    }  # fmt: skip
    if place.mcp:
        settings["mcp"] = {"lab": {"type": "local", "command": list(place.mcp), "enabled": True}}
    if not place.is_permitted:
        settings["permission"] = {"bash": "ask", "edit": "ask"}
    flags = ["--auto"] if place.is_permitted else []
    ways = {"new": [], "on": ["--continue"], "fork": ["--continue", "--fork"]}
    switched_off = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "SHARE", "DEFAULT_PLUGINS")
    return Start(
        [str(place.program), "run", "--model", f"lab/{ASKED}", *flags, *ways[place.way], place.prompt],
        {f"OPENCODE_DISABLE_{name}": "1" for name in switched_off},
        {".config/opencode/opencode.json": _json(settings)},
    )


def _of_gemini(place: Place, folder: str, kind: str) -> dict[str, str]:
    settings = {
        "security": {"auth": {"selectedType": kind}, "folderTrust": {"enabled": False}},
        "privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False, "disableAutoUpdate": True}, **_servers(place, trust=True),
    }  # fmt: skip
    return {f"{folder}/settings.json": _json(settings)}


def _gemini_cli(place: Place) -> Start:
    ways = {"new": [], "on": ["--resume", "latest"]}
    flags = ["-m", "gemini-2.5-flash", "--skip-trust", *(["--yolo"] if place.is_permitted else [])]
    return Start(
        [str(place.node), str(place.program), *flags, *ways[place.way], "-p", place.prompt],
        {
            "GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": place.address,
            "GEMINI_CLI_NO_RELAUNCH": "true", "GEMINI_TELEMETRY_ENABLED": "false",
        },
        _of_gemini(place, ".gemini", "gemini-api-key"),
    )  # fmt: skip


def _qwen_code(place: Place) -> Start:
    ways = {"new": [], "on": ["--continue"], "fork": ["--continue", "--fork-session"]}
    flags = ["--auth-type", "openai", "-m", ASKED, *(["--yolo"] if place.is_permitted else [])]
    return Start(
        [str(place.node), str(place.program), *flags, *ways[place.way], "-p", place.prompt],
        {
            "OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{place.address}/v1", "OPENAI_MODEL": ASKED,
            "QWEN_CODE_NO_RELAUNCH": "true",
        },
        _of_gemini(place, ".qwen", "openai"),
    )  # fmt: skip


def _copilot(place: Place) -> Start:
    flags = ["--allow-all-tools"] if place.is_permitted else []
    flags += ["--continue"] if place.way == "on" else []
    if place.mcp:
        flags += ["--additional-mcp-config", json.dumps(_servers(place, type="local", tools=["*"]))]
    return Start(
        [str(place.node), str(place.program), "-p", place.prompt, *flags],
        {
            "COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": f"{place.address}/v1",
            "COPILOT_MODEL": ASKED, "COPILOT_HOME": str(place.home / ".copilot"),
        },
    )  # fmt: skip


def _cline(place: Place) -> Start:
    mine = {
        "provider": "openai-compatible", "apiKey": "none", "model": ASKED, "baseUrl": f"{place.address}/v1",
    }  # fmt: skip
    entry = {"settings": mine, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}
    settings = {"version": 1, "lastUsedProvider": "openai-compatible", "modes": {}, "providers": {"openai-compatible": entry}}  # fmt: skip
    return Start(
        [
            str(place.program),
            "--json",
            *([] if place.is_permitted else ["--auto-approve", "false"]),
            place.prompt,
        ],
        {"CLINE_TELEMETRY_DISABLED": "1"},
        {".cline/data/settings/providers.json": _json(settings)},
    )


def _pi(place: Place, *, is_scripting: bool = False) -> Start:
    model = {
        "id": ASKED, "name": "Lab", "reasoning": False, "input": ["text"], "contextWindow": 200_000, "maxTokens": 32_000,
        "cost": {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 1.25},
    }  # fmt: skip
    provider = {
        "baseUrl": f"{place.address}/v1",
        "api": "openai-completions",
        "apiKey": "none",
        "models": [model],
    }
    ways = {"new": [], "on": ["--continue"]}
    if place.way == "fork":
        ways["fork"] = ["--fork", str(max((place.home / ".pi/agent/sessions").rglob("*.jsonl")))]
    flags = ["--provider", "lab", "--model", ASKED]
    scripting = {"defaultTools": ["+codemode"], "codemode": {"mode": "only"}} if is_scripting else {}
    return Start(
        [str(place.node), str(place.program), *flags, *ways[place.way], "-p", place.prompt],
        {"PI_OFFLINE": "1", "PI_TELEMETRY": "0", "PI_SKIP_VERSION_CHECK": "1"},
        {
            ".pi/agent/models.json": _json({"providers": {"lab": provider}}),
            ".pi/agent/settings.json": _json({"defaultProvider": "lab", "defaultModel": ASKED, **scripting}),
            ".pi/agent/mcp.json": _json(_servers(place, exposure="codemode" if is_scripting else "direct")),
        },
    )


_TYPED = 'printf "%s\\n" "$0" | "$@"'
"""Starts a program with what a person would type into it."""


def _goose(place: Place) -> Start:
    ways = {"new": [], "on": ["--resume"]}
    extensions: dict[str, Any] = {
        "developer": {
            "enabled": True,
            "type": "builtin",
            "name": "developer",
            "timeout": 300,
            "bundled": True,
        }
    }
    if place.mcp:
        server = {"cmd": place.mcp[0], "args": list(place.mcp[1:]), "envs": {}, "timeout": 60}
        extensions["lab"] = {"enabled": True, "type": "stdio", "name": "lab", **server}
    told = [str(place.program), "run", *ways.get(place.way, []), "-t", place.prompt]
    if place.way == "fork":  # only a session that a person types into is forked
        told = ["/bin/sh", "-c", _TYPED, place.prompt, str(place.program), "session", "--resume", "--fork"]
    return Start(
        told,
        {
            "GOOSE_PROVIDER": "openai", "GOOSE_MODEL": ASKED, "OPENAI_API_KEY": "none", "OPENAI_HOST": place.address,
            "GOOSE_MODE": "auto" if place.is_permitted else "approve", "GOOSE_DISABLE_KEYRING": "1",
            "GOOSE_TELEMETRY_ENABLED": "false",
        },
        {".config/goose/config.yaml": _json({"extensions": extensions})},
    )  # fmt: skip


def _shell(name: str, **more: Any) -> Shell:
    return lambda command: (name, {"command": command, **more})


def _mcp(before: str) -> Callable[[str, Mapping[str, Any]], Filled]:
    return lambda name, arguments: (before + name, arguments)


def _helper(tool: str, task: str = "prompt", **more: Any) -> Callable[[str], Filled]:
    return lambda prompt: (tool, {task: prompt, **more})


def _edit(name: str, file: str, old: str, new: str, **more: Any) -> Callable[[str, str, str], Filled]:
    return lambda path, was, now: (name, {file: path, old: was, new: now, **more})


def _patch(path: str, was: str, now: str) -> str:
    return f"*** Begin Patch\n*** Update File: {path}\n@@\n-{was}\n+{now}\n*** End Patch\n"


def _script(name: str, arguments: Any) -> Filled:
    return "exec", {"=": _source(name, arguments)}


def _code(name: str, arguments: Any) -> Filled:
    return "codemode", {"code": _source(name, arguments)}


def _source(name: str, arguments: Any) -> str:
    return f"const r = await tools.{name}({json.dumps(arguments)});\ntext(r);"


def _command(command: str, **more: Any) -> dict[str, Any]:
    return {"cmd": command, **more}


_LOOK = {"description": "Look around", "subagent_type": "general-purpose"}

AGENTS: dict[str, Agent] = {
    "claude_code": Agent(
        "Claude Code", "@anthropic-ai/claude-code/bin/claude.exe", ".claude/projects",
        Tools(
            _shell("Bash", description="Run it"), _shell("Bash", description="Run it", timeout=2000),
            _edit("Edit", "file_path", "old_string", "new_string"),
            _helper("Agent", run_in_background=False, **_LOOK), _mcp("mcp__lab__"),
        ), _claude_code,
    ),
    "codex": Agent(
        "Codex", "@openai/codex/bin/codex.js", ".codex/sessions",
        Tools(
            lambda command: ("exec_command", _command(command)),
            lambda command: ("exec_command", _command(command, yield_time_ms=2000)),
            lambda path, was, now: ("apply_patch", {"=": _patch(path, was, now)}),
            mcp=_mcp("mcp__lab__"),
        ), _codex("gpt-5.5"),
    ),
    "codex_code_mode": Agent(
        "Codex, code mode", "@openai/codex/bin/codex.js", ".codex/sessions",
        Tools(
            lambda command: _script("exec_command", _command(command)),
            lambda command: _script("exec_command", _command(command, yield_time_ms=2000)),
            lambda path, was, now: _script("apply_patch", _patch(path, was, now)),
            mcp=lambda name, arguments: _script(f"mcp__lab__{name}", arguments),
        ), _codex("gpt-6.2-sol"),
    ),
    "opencode": Agent(
        "opencode", "opencode-ai/bin/opencode.exe", ".local/share/opencode",
        Tools(
            _shell("bash", description="Run it"), _shell("bash", description="Run it", timeout=2000),
            _edit("edit", "filePath", "oldString", "newString"),
            _helper("task", description="Look around", subagent_type="general"), _mcp("lab_"),
        ), _opencode,
    ),
    "gemini_cli": Agent(
        "Gemini CLI", "@google/gemini-cli/bundle/gemini.js", ".gemini/tmp",
        Tools(
            _shell("run_shell_command", description="Run it"), None,
            _edit("replace", "file_path", "old_string", "new_string", instruction="Change it"),
            _helper("invoke_agent", agent_name="generalist"), _mcp("mcp_lab_"),
        ), _gemini_cli, ways=("new", "on"),
    ),
    "qwen_code": Agent(
        "Qwen Code", "@qwen-code/qwen-code/cli-entry.js", ".qwen",
        Tools(
            _shell("run_shell_command", description="Run it", is_background=False),
            _shell("run_shell_command", description="Run it", is_background=False, timeout=2000),
            _edit("edit", "file_path", "old_string", "new_string"),
            _helper("agent", **_LOOK), _mcp("mcp__lab__"),
        ), _qwen_code,
    ),
    "copilot": Agent(
        "Copilot CLI", "@github/copilot/npm-loader.js", ".copilot/session-state",
        Tools(
            _shell("bash", description="Run it"), None,
            _edit("edit", "path", "old_str", "new_str"),
            _helper("task", description="Look around", agent_type="general-purpose", name="looker", mode="sync"),
            _mcp("lab-"),
        ), _copilot, ways=("new", "on"),
    ),
    "cline": Agent(
        "Cline", "@cline/cli-linux-x64/bin/cline", ".cline/data",
        Tools(
            lambda command: ("run_commands", {"commands": [command]}),
            edit=_edit("editor", "path", "old_text", "new_text"),
            helper=_helper("spawn_agent", "task", systemPrompt="You help."),
        ), _cline, ways=("new",),
    ),
    "pi": Agent(
        "pi", "@earendil-works/pi-coding-agent/dist/bundle/cli.js", ".pi/agent/sessions",
        Tools(
            _shell("bash"), _shell("bash", timeout=2),
            lambda path, was, now: ("edit", {"path": path, "edits": [{"oldText": was, "newText": now}]}),
            mcp=_mcp("mcp__lab__"),
        ), _pi, asks=False,
    ),
    "pi_code_mode": Agent(
        "pi, code mode", "@earendil-works/pi-coding-agent/dist/bundle/cli.js", ".pi/agent/sessions",
        Tools(
            lambda command: _code("bash", {"command": command}),
            lambda command: _code("bash", {"command": command, "timeout": 2}),
            lambda path, was, now: _code("edit", {"path": path, "edits": [{"oldText": was, "newText": now}]}),
            mcp=lambda name, arguments: _code(f"mcp__lab__{name}", arguments),
        ), partial(_pi, is_scripting=True), asks=False,
    ),
    "goose": Agent(
        "goose", "@aaif/goose-binary-linux-x64/bin/goose", ".local/share/goose",
        Tools(
            _shell("shell"), _shell("shell", timeout_secs=2),
            _edit("edit", "path", "before", "after"),
            _helper("delegate", "instructions"),
            _mcp("lab__"),
        ), _goose,
    ),
}  # fmt: skip


def fits(agent: Agent, scenario: Scenario) -> bool:
    """Whether an agent has what a scenario needs."""
    has = all(getattr(agent.tools, name) is not None for name in scenario.tools)
    return has and set(scenario.rounds) <= set(agent.ways) and (scenario.is_permitted or agent.asks)
