"""How each agent is told of the scripted server, how it is started, how it runs a command, and where it writes: data, a row an agent."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from lab.more_starts import continue_cli, droid, kimi_code, letta_code, openclaw
from lab.places import ASKED, Place, Start, json_of, servers_of
from lab.rules import RULES
from lab.steps import Scenario, Tools
from lab.toolkits import TOOLS


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
    compact: str = ""
    """What it is told to sum up what was said; empty where it can't be told."""


def _claude_code(place: Place) -> Start:
    ways = {"new": [], "on": ["--continue"], "fork": ["--continue", "--fork-session"]}
    flags = ["--model", "claude-sonnet-4-6", *ways[place.way]]
    flags += ["--dangerously-skip-permissions"] if place.is_permitted else []
    if place.mcp:
        flags += ["--strict-mcp-config", "--mcp-config", json.dumps(servers_of(place))]
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


def _opencode(place: Place, name: str = "opencode") -> Start:
    """Start opencode, or a fork of it, which has a name of its own in the places of opencode's."""
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
        {f"{name.upper()}_DISABLE_{each}": "1" for each in switched_off},
        {f".config/{name}/{name}.json": json_of(settings)},
    )


def _of_gemini(place: Place, folder: str, kind: str) -> dict[str, str]:
    settings = {
        "security": {"auth": {"selectedType": kind}, "folderTrust": {"enabled": False}},
        "privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False, "disableAutoUpdate": True}, **servers_of(place, trust=True),
    }  # fmt: skip
    return {f"{folder}/settings.json": json_of(settings)}


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
        flags += ["--additional-mcp-config", json.dumps(servers_of(place, type="local", tools=["*"]))]
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
        {".cline/data/settings/providers.json": json_of(settings)},
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
            ".pi/agent/models.json": json_of({"providers": {"lab": provider}}),
            ".pi/agent/settings.json": json_of(
                {"defaultProvider": "lab", "defaultModel": ASKED, **scripting}
            ),
            ".pi/agent/mcp.json": json_of(
                servers_of(place, exposure="codemode" if is_scripting else "direct")
            ),
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
        {".config/goose/config.yaml": json_of({"extensions": extensions})},
    )  # fmt: skip


AGENTS: dict[str, Agent] = {
    "claude_code": Agent(
        "Claude Code", "@anthropic-ai/claude-code/bin/claude.exe", ".claude/projects",
        TOOLS["claude_code"], _claude_code, compact="/compact",
    ),
    "codex": Agent(
        "Codex", "@openai/codex/bin/codex.js", ".codex/sessions", TOOLS["codex"], _codex("gpt-5.5")
    ),
    "codex_code_mode": Agent(
        "Codex, code mode", "@openai/codex/bin/codex.js", ".codex/sessions",
        TOOLS["codex_code_mode"], _codex("gpt-6.2-sol"),
    ),
    "opencode": Agent(
        "opencode", "opencode-ai/bin/opencode.exe", ".local/share/opencode", TOOLS["opencode"], _opencode
    ),
    "gemini_cli": Agent(
        "Gemini CLI", "@google/gemini-cli/bundle/gemini.js", ".gemini/tmp",
        TOOLS["gemini_cli"], _gemini_cli, ways=("new", "on"), compact="/compress",
    ),
    "qwen_code": Agent(
        "Qwen Code", "@qwen-code/qwen-code/cli-entry.js", ".qwen",
        TOOLS["qwen_code"], _qwen_code, compact="/compress",
    ),
    "copilot": Agent(
        "Copilot CLI", "@github/copilot/npm-loader.js", ".copilot/session-state",
        TOOLS["copilot"], _copilot, ways=("new", "on"),
    ),
    "cline": Agent(
        "Cline", "@cline/cli-linux-x64/bin/cline", ".cline/data", TOOLS["cline"], _cline, ways=("new",)
    ),
    "pi": Agent(
        "pi", "@earendil-works/pi-coding-agent/dist/bundle/cli.js", ".pi/agent/sessions",
        TOOLS["pi"], _pi, asks=False,
    ),
    "pi_code_mode": Agent(
        "pi, code mode", "@earendil-works/pi-coding-agent/dist/bundle/cli.js", ".pi/agent/sessions",
        TOOLS["pi_code_mode"], partial(_pi, is_scripting=True), asks=False,
    ),
    "goose": Agent(
        "goose", "@aaif/goose-binary-linux-x64/bin/goose", ".local/share/goose",
        TOOLS["goose"], _goose,
    ),
    "kilo": Agent(
        "Kilo", "@kilocode/cli-linux-x64/bin/kilo", ".local/share/kilo",
        TOOLS["opencode"], partial(_opencode, name="kilo"),
    ),
    "kimi_code": Agent(
        "Kimi Code", "@moonshot-ai/kimi-code/dist/main.mjs", ".kimi-code/sessions", TOOLS["kimi_code"], kimi_code,
    ),
    "droid": Agent(
        "Droid", "@factory/cli-linux-x64/bin/droid", ".factory/sessions", TOOLS["droid"], droid,
    ),
    "continue_cli": Agent(
        "Continue's cn", "@continuedev/cli/dist/cn.js", ".continue/sessions", TOOLS["continue_cli"], continue_cli,
    ),
    "openclaw": Agent(
        "openclaw", "openclaw/openclaw.mjs", ".openclaw/agents", TOOLS["openclaw"], openclaw, ways=("new", "on"),
    ),
    "letta_code": Agent(
        "Letta Code", "@letta-ai/letta-code/letta.js", ".letta/lc-local-backend", TOOLS["letta_code"], letta_code, ways=("new", "on"),
    ),
}  # fmt: skip


def agent_name(agent: Agent) -> str:
    """Return the name by which an agent goes in the lab."""
    return next(name for name, row in AGENTS.items() if row is agent)


def fits(agent: Agent, scenario: Scenario) -> bool:
    """Whether an agent has what a scenario needs."""
    has = all(getattr(agent.tools, each) is not None for each in scenario.tools)
    ways = {*agent.ways, *(["compact"] if agent.compact else [])}
    knows = not scenario.rule or agent_name(agent) in RULES[scenario.rule]
    return has and knows and set(scenario.rounds) <= ways and (scenario.is_permitted or agent.asks)
