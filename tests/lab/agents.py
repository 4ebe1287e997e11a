"""How each agent is told of the scripted server, how it is started, how it runs a command, and where it writes: data, a row an agent."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab.scenarios import PROMPT, Shell

ASKED = "lab-asked-1"


@dataclass(frozen=True)
class Place:
    """Where an agent runs: its home, the folder it works in, the server's address, its program, and a Node that is new enough."""

    home: Path
    project: Path
    address: str
    program: Path
    node: Path


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
    shell: Shell
    start: Callable[[Place], Start]


def _json(value: Any) -> str:
    return json.dumps(value, indent=1)


def _claude_code(place: Place) -> Start:
    return Start(
        [str(place.program), "-p", PROMPT, "--model", "claude-sonnet-4-6", "--dangerously-skip-permissions"],
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
        flags = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        return Start(
            [str(place.node), str(place.program), "exec", *flags, PROMPT],
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
    switched_off = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "SHARE", "DEFAULT_PLUGINS")
    return Start(
        [str(place.program), "run", "--model", f"lab/{ASKED}", "--auto", PROMPT],
        {f"OPENCODE_DISABLE_{name}": "1" for name in switched_off},
        {".config/opencode/opencode.json": _json(settings)},
    )


def _of_gemini(folder: str, kind: str) -> dict[str, str]:
    settings = {
        "security": {"auth": {"selectedType": kind}, "folderTrust": {"enabled": False}},
        "privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
    }  # fmt: skip
    return {f"{folder}/settings.json": _json(settings)}


def _gemini_cli(place: Place) -> Start:
    return Start(
        [str(place.node), str(place.program), "-m", "gemini-2.5-flash", "--skip-trust", "--yolo", "-p", PROMPT],
        {
            "GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": place.address,
            "GEMINI_CLI_NO_RELAUNCH": "true", "GEMINI_TELEMETRY_ENABLED": "false",
        },
        _of_gemini(".gemini", "gemini-api-key"),
    )  # fmt: skip


def _qwen_code(place: Place) -> Start:
    return Start(
        [str(place.node), str(place.program), "--auth-type", "openai", "-m", ASKED, "--yolo", "-p", PROMPT],
        {
            "OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{place.address}/v1", "OPENAI_MODEL": ASKED,
            "QWEN_CODE_NO_RELAUNCH": "true",
        },
        _of_gemini(".qwen", "openai"),
    )  # fmt: skip


def _copilot(place: Place) -> Start:
    return Start(
        [str(place.node), str(place.program), "-p", PROMPT, "--allow-all-tools"],
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
        [str(place.program), "--json", PROMPT],
        {"CLINE_TELEMETRY_DISABLED": "1"},
        {".cline/data/settings/providers.json": _json(settings)},
    )


def _pi(place: Place) -> Start:
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
    return Start(
        [str(place.node), str(place.program), "--provider", "lab", "--model", ASKED, "-p", PROMPT],
        {"PI_OFFLINE": "1", "PI_TELEMETRY": "0", "PI_SKIP_VERSION_CHECK": "1"},
        {
            ".pi/agent/models.json": _json({"providers": {"lab": provider}}),
            ".pi/agent/settings.json": _json({"defaultProvider": "lab", "defaultModel": ASKED}),
        },
    )


def _shell(name: str, **more: Any) -> Shell:
    return lambda command: (name, {"command": command, **more})


AGENTS: dict[str, Agent] = {
    "claude_code": Agent(
        "Claude Code", "@anthropic-ai/claude-code/bin/claude.exe", ".claude/projects",
        _shell("Bash", description="Run it"), _claude_code,
    ),
    "codex": Agent(
        "Codex", "@openai/codex/bin/codex.js", ".codex/sessions",
        lambda command: ("exec_command", {"cmd": command}), _codex("gpt-5.5"),
    ),
    "codex_code_mode": Agent(
        "Codex, code mode", "@openai/codex/bin/codex.js", ".codex/sessions",
        lambda command: ("exec", {"=": f"const r = await tools.exec_command({json.dumps({'cmd': command})});\ntext(r);"}),
        _codex("gpt-6.2-sol"),
    ),
    "opencode": Agent(
        "opencode", "opencode-ai/bin/opencode.exe", ".local/share/opencode",
        _shell("bash", description="Run it"), _opencode,
    ),
    "gemini_cli": Agent(
        "Gemini CLI", "@google/gemini-cli/bundle/gemini.js", ".gemini/tmp",
        _shell("run_shell_command", description="Run it"), _gemini_cli,
    ),
    "qwen_code": Agent(
        "Qwen Code", "@qwen-code/qwen-code/cli-entry.js", ".qwen",
        _shell("run_shell_command", description="Run it", is_background=False), _qwen_code,
    ),
    "copilot": Agent(
        "Copilot CLI", "@github/copilot/npm-loader.js", ".copilot/session-state",
        _shell("bash", description="Run it"), _copilot,
    ),
    "cline": Agent(
        "Cline", "@cline/cli-linux-x64/bin/cline", ".cline/data",
        lambda command: ("run_commands", {"commands": [command]}), _cline,
    ),
    "pi": Agent("pi", "@mariozechner/pi-coding-agent/dist/cli.js", ".pi/agent/sessions", _shell("bash"), _pi),
}  # fmt: skip
