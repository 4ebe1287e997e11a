"""How each agent is told to do each thing: its own tools, by the agents' names."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from lab.steps import Filled, Shell, Tools


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


def _file(name: str, key: str, **more: Any) -> Callable[[str], Filled]:
    return lambda path: (name, {key: path, **more})


def _written(name: str, key: str, text: str = "content", **more: Any) -> Callable[[str, str], Filled]:
    return lambda path, said: (name, {key: path, text: said, **more})


def _noted(name: str, key: str, **more: Any) -> Callable[[], Filled]:
    """Note two things that are to be done: ``more`` is what each has beside its words."""
    return lambda: (name, {"todos": [{key: each, **more} for each in ("Look", "Mend")]})


_LOOK = {"description": "Look around", "subagent_type": "general-purpose"}

TOOLS: dict[str, Tools] = {
    "claude_code": Tools(
        _shell("Bash", description="Run it"), _shell("Bash", description="Run it", timeout=2000),
        _edit("Edit", "file_path", "old_string", "new_string"),
        _helper("Agent", run_in_background=False, **_LOOK), _mcp("mcp__lab__"),
        _shell("Bash", description="Run it", run_in_background=True),
        _file("Read", "file_path"), _written("Write", "file_path"),
    ),
    "codex": Tools(
        lambda command: ("exec_command", _command(command)),
        lambda command: ("exec_command", _command(command, yield_time_ms=2000)),
        lambda path, was, now: ("apply_patch", {"=": _patch(path, was, now)}),
        mcp=_mcp("mcp__lab__"), namespace="mcp__lab",
        behind=lambda command: ("exec_command", _command(command, yield_time_ms=500)),
        plan=lambda: ("create_goal", {"objective": "Look and mend"}),
    ),
    "codex_code_mode": Tools(
        lambda command: _script("exec_command", _command(command)),
        lambda command: _script("exec_command", _command(command, yield_time_ms=2000)),
        lambda path, was, now: _script("apply_patch", _patch(path, was, now)),
        mcp=lambda name, arguments: _script(f"mcp__lab__{name}", arguments),
        behind=lambda command: _script("exec_command", _command(command, yield_time_ms=500)),
        plan=lambda: _script("create_goal", {"objective": "Look and mend"}),
    ),
    "opencode": Tools(
        _shell("bash", description="Run it"), _shell("bash", description="Run it", timeout=2000),
        _edit("edit", "filePath", "oldString", "newString"),
        _helper("task", description="Look around", subagent_type="general"), _mcp("lab_"),
        read=_file("read", "filePath"), write=_written("write", "filePath"),
        plan=_noted("todowrite", "content", status="pending", priority="low"),
    ),
    "gemini_cli": Tools(
        _shell("run_shell_command", description="Run it"), None,
        _edit("replace", "file_path", "old_string", "new_string", instruction="Change it"),
        _helper("invoke_agent", agent_name="generalist"), _mcp("mcp_lab_"),
        _shell("run_shell_command", description="Run it", is_background=True),
        _file("read_file", "file_path"), _written("write_file", "file_path"),
        _noted("write_todos", "description", status="pending"),
    ),
    "qwen_code": Tools(
        _shell("run_shell_command", description="Run it", is_background=False),
        _shell("run_shell_command", description="Run it", is_background=False, timeout=2000),
        _edit("edit", "file_path", "old_string", "new_string"),
        _helper("agent", **_LOOK), _mcp("mcp__lab__"),
        _shell("run_shell_command", description="Run it", is_background=True),
        _file("read_file", "file_path"), _written("write_file", "file_path"), is_rooted=True,
    ),
    "copilot": Tools(
        _shell("bash", description="Run it"), None,
        _edit("edit", "path", "old_str", "new_str"),
        _helper("task", description="Look around", agent_type="general-purpose", name="looker", mode="sync"),
        _mcp("lab-"), _shell("bash", description="Run it", mode="async"),
        _file("view", "path"), _written("create", "path", "file_text"),
        lambda: ("sql", {"description": "Note it", "query": "INSERT INTO todos (id, title) VALUES ('look', 'Look')"}),
    ),
    "cline": Tools(
        lambda command: ("run_commands", {"commands": [command]}),
        edit=_edit("editor", "path", "old_text", "new_text"),
        helper=_helper("spawn_agent", "task", systemPrompt="You help."),
        read=lambda path: ("read_files", {"files": [{"path": path}]}),
        write=_written("editor", "path", "new_text"),
    ),
    "pi": Tools(
        _shell("bash"), _shell("bash", timeout=2),
        lambda path, was, now: ("edit", {"path": path, "edits": [{"oldText": was, "newText": now}]}),
        mcp=_mcp("mcp__lab__"), read=_file("read", "path"), write=_written("write", "path"),
    ),
    "pi_code_mode": Tools(
        lambda command: _code("bash", {"command": command}),
        lambda command: _code("bash", {"command": command, "timeout": 2}),
        lambda path, was, now: _code("edit", {"path": path, "edits": [{"oldText": was, "newText": now}]}),
        mcp=lambda name, arguments: _code(f"mcp__lab__{name}", arguments),
        read=lambda path: _code("read", {"path": path}),
        write=lambda path, said: _code("write", {"path": path, "content": said}),
    ),
    "goose": Tools(
        _shell("shell"), _shell("shell", timeout_secs=2),
        _edit("edit", "path", "before", "after"),
        _helper("delegate", "instructions"), _mcp("lab__"),
    ),
    "kimi_code": Tools(
        _shell("Bash"), None,
        _edit("Edit", "path", "old_string", "new_string"),
        _helper("Agent", description="Look around"), _mcp("mcp__lab__"),
        _shell("Bash", run_in_background=True, description="Run it"),
        _file("Read", "path"), _written("Write", "path"), _noted("TodoList", "title", status="pending"),
    ),
    "droid": Tools(
        _shell("Execute", summary="Run the small job"), _shell("Execute", summary="Run the small job", timeout=2),
        _edit("Edit", "file_path", "old_str", "new_str"),
        mcp=_mcp("lab___"), behind=_shell("Execute", summary="Run the small job", fireAndForget=True), read=_file("Read", "file_path"), write=_written("Create", "file_path"), is_rooted=True,
    ),
    "continue_cli": Tools(
        _shell("Bash"), _shell("Bash", timeout=2),
        _edit("Edit", "file_path", "old_string", "new_string"),
        mcp=_mcp(""), read=_file("Read", "filepath"), write=_written("Write", "filepath"),
    ),
    "letta_code": Tools(
        _shell("Bash", description="Run it"), _shell("Bash", description="Run it", timeout=2000),
        _edit("Edit", "file_path", "old_string", "new_string"),
        _helper("Agent", **_LOOK),
        behind=_shell("Bash", description="Run it", run_in_background=True),
        read=_file("Read", "file_path"), write=_written("Write", "file_path"),
        plan=_noted("TodoWrite", "content", status="pending"), is_rooted=True,
    ),
    "openclaw": Tools(
        _shell("exec"), _shell("exec", timeoutSeconds=2),
        lambda path, was, now: ("edit", {"path": path, "edits": [{"oldText": was, "newText": now}]}),
        read=_file("read", "path"), write=_written("write", "path"),
    ),
}  # fmt: skip
