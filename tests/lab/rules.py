"""How each agent's settings forbid a command: by a hook that says no, or by a rule of their own; data, a row an agent."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SAID = "The lab forbids it."
_SAYS_NO = f"echo '{SAID}' >&2; exit 2"
_DENIES = f'echo \'{{"permissionDecision":"deny","permissionDecisionReason":"{SAID}"}}\''


@dataclass(frozen=True)
class Forbids:
    """What forbids a command: files in the home, of which an object is merged into the settings there, and flags."""

    files: Mapping[str, Any] = field(default_factory=dict)
    flags: tuple[str, ...] = ()


def _hooks(event: str, **more: Any) -> dict[str, Any]:
    each = {"matcher": ".*", "hooks": [{"type": "command", "command": _SAYS_NO, **more}]}
    return {"hooks": {event: [each]}}


RULES: dict[str, dict[str, Forbids]] = {
    "hook": {
        "claude_code": Forbids({".claude/settings.json": _hooks("PreToolUse")}),
        "opencode": Forbids(
            {
                ".config/opencode/plugin/lab.js": "export const Lab = async () => ({\n"
                f"""  "tool.execute.before": async () => {{ throw new Error({json.dumps(SAID)}) }},\n}})\n"""
            }
        ),
        "gemini_cli": Forbids({".gemini/settings.json": _hooks("BeforeTool", name="lab")}),
        "qwen_code": Forbids({".qwen/settings.json": _hooks("PreToolUse", name="lab")}),
        "copilot": Forbids(
            {
                "../project/.github/hooks/lab.json": {
                    "version": 1,
                    "hooks": {"preToolUse": [{"type": "command", "bash": _DENIES}]},
                }
            }
        ),
        "pi": Forbids(
            {
                ".pi/agent/extensions/lab.ts": "export default function (pi: any) {\n"
                f"""  pi.on("tool_call", async () => ({{ block: true, reason: {json.dumps(SAID)} }}));\n}}\n"""
            }
        ),
    },
    "denied": {
        "claude_code": Forbids({".claude/settings.json": {"permissions": {"deny": ["Bash(echo:*)"]}}}),
        "codex": Forbids(
            {".codex/rules/lab.rules": 'prefix_rule(pattern=["echo"], decision="forbidden")\n'}
        ),
        "opencode": Forbids(
            {
                ".config/opencode/opencode.json": {
                    "permission": {"bash": {"*": "deny", "ls": "allow"}}
                }
            }
        ),
        "gemini_cli": Forbids(
            {".gemini/settings.json": {"tools": {"exclude": ["run_shell_command(echo)"]}}}
        ),
        "qwen_code": Forbids({".qwen/settings.json": {"permissions": {"deny": ["Bash(echo *)"]}}}),
        "copilot": Forbids(flags=("--deny-tool", "shell(echo)")),
    },
}  # fmt: skip


def merged(old: str, more: Any) -> str:
    """Return a file's text with what is more in it: an object is merged into the object that is there."""
    return more if isinstance(more, str) else json.dumps(_merged(json.loads(old or "{}"), more), indent=1)


def _merged(old: Any, more: Any) -> Any:
    if not (isinstance(old, dict) and isinstance(more, dict)):
        return more
    return old | {key: _merged(old.get(key), each) for key, each in more.items()}
