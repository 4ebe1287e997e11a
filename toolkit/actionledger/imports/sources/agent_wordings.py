"""How agents and frameworks word what went wrong, wherever their results come from: the wire, a trace, or a format of another's.

A recording of an agent's own has marks; over the wire there are its words alone, as the model was given them. Each row says so much in
its first words that no program's output is taken for it. What a program printed may stand before an exit status: agents write that
first or last, in a fixed form.
"""

import re

from actionledger.core.vocabulary import Reason
from actionledger.imports.sources.access import exit_status_of
from actionledger.imports.sources.base import Wording

_TAIL = 400
"""So much of the end of a result is looked at for an exit status, in characters."""

_ERROR = r"^(?:\{\"error\": ?\")?"
"""Some give an error as JSON, some as its text."""

_SCRIPT = r"^(?:Script failed\b[^{]{0,120}?Script error:\s{0,3}(?:Error: )?)?"
"""Where a script of Codex's has failed, the words of what failed in it stand behind this."""

_OF_SUBAGENT = r"^Subagent '[^'\n]{1,200}' finished\.\nTermination Reason: "
"""What a sub-agent of Gemini CLI's hands back begins with, whatever its end: GOAL alone is that it did what it should."""

AGENTS: tuple[Wording, ...] = (
    Wording(
        _SCRIPT + r"approval policy is \w+; reject",
        Reason.NOT_APPROVED,
        "approval policy is Never; reject command",
        is_telling=True,
        last_seen="codex 0.171",
    ),
    Wording(
        _SCRIPT + r"(?:exec_command failed\b.*\bRejected\(.*policy|patch rejected: writing outside)",
        Reason.NOT_APPROVED,
        "patch rejected: writing outside of the project",
        is_telling=True,
        first_seen="codex 0.120",
        last_seen="codex 0.145",
    ),
    Wording(
        r"^(?:Wall time:? [\d.]{1,20} seconds\n)?aborted(?: by user(?: after [\d.]+s?)?)?\s*\Z",
        Reason.STOPPED,
        "aborted by user after 3.2s",
        is_telling=True,
        first_seen="codex 0.120",
        last_seen="codex 0.171",
    ),
    Wording(
        _SCRIPT + r"failed to parse function arguments: ",
        Reason.SCHEMA_ERROR,
        "failed to parse function arguments: missing field `cmd`",
        is_telling=True,
        first_seen="codex 0.120",
        last_seen="codex 0.171",
    ),
    Wording(
        _SCRIPT + r"apply_patch verification failed: (?:Failed to find|Invalid context)",
        Reason.NO_MATCH,
        "apply_patch verification failed: Failed to find expected lines in a.py",
        is_telling=True,
        first_seen="codex 0.120",
        last_seen="codex 0.171",
    ),
    Wording(
        _SCRIPT + r"apply_patch verification failed: .*(?:No such file|Failed to read)",
        Reason.NOT_FOUND,
        "apply_patch verification failed: Failed to read file to update a.py",
        is_telling=True,
        last_seen="codex 0.171",
    ),
    Wording(
        _SCRIPT + r"apply_patch verification failed: ",
        Reason.WRONG_SHAPE,
        "apply_patch verification failed: invalid hunk",
        is_telling=True,
        first_seen="codex 0.120",
        last_seen="codex 0.171",
    ),
    Wording(
        r"^Script failed\b[^{]{0,120}?Script error:\s{0,3}\w*Error\b",
        Reason.CODE_ERROR,
        "Script failed\nWall time 0.0 seconds\nOutput:\n\nScript error:\nSyntaxError: Unexpected token",
        is_telling=True,
        first_seen="codex 0.171",
        last_seen="codex 0.171",
    ),
    Wording(
        r"^Script failed\nWall time ",
        Reason.TOOL_ERROR,
        "Script failed\nWall time 0.0 seconds\nOutput:\n\nScript error:\nthe tool is away",
        is_telling=True,
        first_seen="codex 0.171",
        last_seen="codex 0.171",
    ),
    Wording(
        r"^(?:Wall time: [^\n]*\nOutput:\n)?tool call error: ",
        Reason.TOOL_ERROR,
        "tool call error: tool call failed for `files/read`",
        is_telling=True,
        last_seen="codex 0.171",
    ),
    Wording(
        r"^(?:\[Tool call interrupted: |\[Tool execution was interrupted\]\s*\Z|Tool execution was interrupted before a result|(?:Tool execution aborted|No result provided)\s*\Z)",
        Reason.STOPPED,
        "[Tool call interrupted: the session ended before this call's result was recorded.",
        is_telling=True,
        last_seen="claude_code 2.1.332, copilot 1.0.102, opencode 1.18.33",
    ),
    Wording(
        _ERROR
        + r"(?:Permission denied because no interactive user response|Qwen Code requires permission to use|Tool [^\n]{1,100} requires approval in a TTY)",
        Reason.NOT_APPROVED,
        "Permission denied because no interactive user response was available.",
        is_telling=True,
        last_seen="copilot 1.0.102, qwen_code 0.24.4, cline 3.0.65",
    ),
    Wording(
        r"^The arguments for the tool call '[^'\n]{1,100}' were not valid JSON",
        Reason.SCHEMA_ERROR,
        "The arguments for the tool call 'bash' were not valid JSON.",
        is_telling=True,
        last_seen="copilot 1.0.102",
    ),
    Wording(
        r"^Invalid input: \"[^\"\n]{1,200}\": ",
        Reason.SCHEMA_ERROR,
        'Invalid input: "command": Required',
        is_telling=True,
        last_seen="copilot 1.0.102",
    ),
    Wording(
        r"^No match found: old_str not found in ",
        Reason.NO_MATCH,
        "No match found: old_str not found in /home/ada/x; no changes made",
        is_telling=True,
        last_seen="copilot 1.0.102",
    ),
    Wording(
        r"^(?:Ambiguous match for old_str in |Multiple matches found for old_str\b)",
        Reason.SEVERAL_MATCHES,
        'Ambiguous match for old_str in /home/ada/x: pattern starting with "a" matched at lines 2, 3.',
        is_telling=True,
        last_seen="copilot 1.0.102",
    ),
    Wording(
        r"^(?:Path [^\n]{1,500} does not exist\. Please provide a valid path|Failed to execute with arguments: \{[\s\S]{0,20000}\} due to error: Error: ENOENT\b)",
        Reason.NOT_FOUND,
        "Path /home/ada/x does not exist. Please provide a valid path.",
        is_telling=True,
        last_seen="copilot 1.0.102",
    ),
    Wording(
        r"^Failed to execute with arguments: \{",
        Reason.TOOL_ERROR,
        'Failed to execute with arguments: {"path":"/home/ada/x"} due to error: Error: away',
        is_telling=True,
        last_seen="copilot 1.0.102",
    ),
    Wording(
        r"^Command not executed\. ",
        Reason.COMMAND_REFUSED,
        "Command not executed. The 'kill' command must specify at least one numeric PID.",
        is_telling=True,
        last_seen="copilot 1.0.102",
    ),
    Wording(
        r"^MCP server '[^'\n]{1,100}': [^\n]{0,200}(?:[Ii]nvalid arguments|-32602)",
        Reason.SCHEMA_ERROR,
        "MCP server 'files': McpError: MCP error -32602: Invalid arguments",
        is_telling=True,
        last_seen="copilot 1.0.102",
    ),
    Wording(
        r"^MCP server '[^'\n]{1,100}': ",
        Reason.TOOL_ERROR,
        "MCP server 'files': it broke",
        is_telling=True,
        last_seen="copilot 1.0.102",
    ),
    Wording(
        _ERROR + r"(?:Unknown tool name: |Tool call \S+ was rejected before execution: AI_NoSuchToolError)",
        Reason.UNKNOWN_ACTION,
        "{\"error\": \"Unknown tool name: 'go'. Available tools: 'add'\"}",
        is_telling=True,
        last_seen="pydantic-ai 2.66.0, cline 3.0.65",
    ),
    Wording(
        _ERROR + r"Invoking `[^`\n]{1,200}` failed as no tool with that name\b",
        Reason.UNKNOWN_ACTION,
        '{"error": "Invoking `go()` failed as no tool with that name is available."}',
        is_telling=True,
        last_seen="google-adk 2.13.0",
    ),
    Wording(
        _ERROR
        + r"Invoking `[^`\n]{1,200}` failed as the following mandatory input parameters are not present",
        Reason.SCHEMA_ERROR,
        '{"error": "Invoking `add()` failed as the following mandatory input parameters are not present:"}',
        is_telling=True,
        last_seen="google-adk 2.13.0",
    ),
    Wording(
        _ERROR + r"(?:Error: )?Validation failed for input parameters: ",
        Reason.SCHEMA_ERROR,
        "Error: Validation failed for input parameters: 1 validation error for AddTool",
        is_telling=True,
        last_seen="strands-agents 1.62.0",
    ),
    Wording(
        r"^Error: [A-Z]\w{0,60}(?:Error|Exception|Exit|Interrupt) - ",
        Reason.TOOL_ERROR,
        "Error: RuntimeError - the service is away",
        is_telling=True,
        last_seen="strands-agents 1.62.0",
    ),
    Wording(
        r"^The arguments provided to the tool are invalid: Model tried to call unavailable tool",
        Reason.UNKNOWN_ACTION,
        "The arguments provided to the tool are invalid: Model tried to call unavailable tool 'go'.",
        is_telling=True,
        last_seen="opencode 1.18.33",
    ),
    Wording(
        r"^(?:The arguments provided to the tool are invalid: |The \S{1,100} tool was called with invalid arguments: |Validation failed for tool \")",
        Reason.SCHEMA_ERROR,
        "The bash tool was called with invalid arguments: SchemaError(Missing key)",
        is_telling=True,
        last_seen="opencode 1.18.33, pi 0.73.1",
    ),
    Wording(
        _ERROR
        + r"(?:✖ Invalid input|Tool call \S+ emitted invalid JSON arguments|(?:Value of )?params(?:/\S{1,200})? must (?:be|have|match|NOT)\b)",
        Reason.SCHEMA_ERROR,
        "params/start_line must be integer",
        is_telling=True,
        last_seen="cline 3.0.65, gemini_cli 0.61.0, qwen_code 0.24.4",
    ),
    Wording(
        r"^(?:\{\"error\": ?\[|Error invoking tool '|Error parsing the following tool call arguments|An error occurred while parsing tool arguments)",
        Reason.SCHEMA_ERROR,
        "Error invoking tool 'add' with kwargs {'a': 'three'} with error: a: not an integer",
        is_telling=True,
        last_seen="pydantic-ai 2.66.0, langgraph 1.2, inspect 0.3.285, openai-agents 0.24.0",
    ),
    Wording(
        r"^Permission to use \S+ [^\n]{0,200}has been denied|^[^\n]{1,200} needs approval\. The path\b|^\S{1,60} hook error: ",
        Reason.NOT_APPROVED,
        "Permission to use Bash with command touch x has been denied.",
        is_telling=True,
        first_seen="claude_code 2.1.5",
        last_seen="claude_code 2.1.332",
    ),
    Wording(
        r"^(?:Failed to edit, (?:0 occurrences|could not find)|Could not find the exact text in |Could not find an exact match for 'old_string')",
        Reason.NO_MATCH,
        "Failed to edit, 0 occurrences found for old_string in /home/ada/x.",
        is_telling=True,
        last_seen="qwen_code 0.24.4, pi 0.73.1, gemini_cli 0.61.0",
    ),
    Wording(
        r"^(?:Failed to edit\. Found \d+ occurrences|Found \d+ occurrences of the text in )",
        Reason.SEVERAL_MATCHES,
        "Failed to edit. Found 5 occurrences for old_string in /home/ada/x but replace_all was not enabled.",
        is_telling=True,
        last_seen="qwen_code 0.24.4, pi 0.73.1",
    ),
    Wording(
        r"^(?:File not found: |ENOENT: no such file or directory, )",
        Reason.NOT_FOUND,
        "File not found: /home/ada/x",
        is_telling=True,
        last_seen="qwen_code 0.24.4, gemini_cli 0.61.0, pi 0.73.1",
    ),
    Wording(
        r"\nSignal: (?:[1-9]\d{0,2}|SIG[A-Z]{2,10})\n(?:Process Group PGID|Background PIDs): ",
        Reason.COMMAND_FAILED,
        "Output: (empty)\nSignal: 9\nProcess Group PGID: 30",
        is_telling=True,
        last_seen="gemini_cli 0.61.0, qwen_code 0.24.4",
    ),
    Wording(
        r"^\[?\{\"query\":[\s\S]*\"error\":\"Command exited with code ",
        Reason.COMMAND_FAILED,
        '[{"query":"x","result":"","error":"Command exited with code 3","success":false}]',
        is_telling=True,
        last_seen="cline 3.0.65",
    ),
    Wording(
        r"^\[?\{\"query\":[\s\S]*\"error\":\"[^\"]*text not found in ",
        Reason.NO_MATCH,
        '{"query":"edit:x","result":"","error":"No replacement performed: text not found in x.","success":false}',
        is_telling=True,
        last_seen="cline 3.0.65",
    ),
    Wording(
        r"^\[?\{\"query\":[\s\S]*(?:\"success\": ?false\b|\"result\":\"\",\"error\":\"[^\"])",
        Reason.TOOL_ERROR,
        '{"query":"edit:x","result":"","error":"The editor is away.","success":false}',
        is_telling=True,
        last_seen="cline 3.0.65",
    ),
    Wording(
        r"^Script completed\n[^\n]*\nOutput:\s{1,3}\{\"content\":\[[\s\S]*\"isError\": ?true\}",
        Reason.TOOL_ERROR,
        'Script completed\nWall time 0.0 seconds\nOutput:\n\n{"content":[],"isError":true}',
        is_telling=True,
        first_seen="codex 0.171",
        last_seen="codex 0.171",
    ),
    Wording(
        r"^An error occurred while running the tool\b",
        Reason.TOOL_ERROR,
        "An error occurred while running the tool. Please try again.",
        is_telling=True,
        last_seen="openai-agents 0.24.0",
    ),
    Wording(
        _OF_SUBAGENT + r"TIMEOUT\n",
        Reason.TIMEOUT,
        "Subagent 'generalist' finished.\nTermination Reason: TIMEOUT\nResult:\n",
        is_telling=True,
        last_seen="gemini_cli 0.61.0",
    ),
    Wording(
        _OF_SUBAGENT + r"ABORTED\n",
        Reason.STOPPED,
        "Subagent 'generalist' finished.\nTermination Reason: ABORTED\nResult:\n",
        is_telling=True,
        last_seen="gemini_cli 0.61.0",
    ),
    Wording(
        _OF_SUBAGENT + r"(?!GOAL\n)[A-Z_]{1,40}\n",
        Reason.TOOL_ERROR,
        "Subagent 'generalist' finished.\nTermination Reason: ERROR_NO_COMPLETE_TASK_CALL\nResult:\n",
        is_telling=True,
        last_seen="gemini_cli 0.61.0",
    ),
    Wording(
        r"^Blocked: (?:standalone )?sleep [\d.]{1,10}\w?(?: followed by: |[.:] )",
        Reason.COMMAND_REFUSED,
        "Blocked: sleep 55 followed by: ls. Run blocking commands in the background with is_background: true.",
        is_telling=True,
        last_seen="qwen_code 0.24.4",
    ),
    Wording(
        r"^Command injection detected: ",
        Reason.COMMAND_REFUSED,
        "Command injection detected: command substitution syntax found.",
        is_telling=True,
        last_seen="gemini_cli 0.61.0",
    ),
    Wording(
        r"^\{\"error\": ?\"[^\"]",
        Reason.TOOL_ERROR,
        '{"error": "the service is away"}',
        is_telling=True,
        last_seen="pydantic-ai 2.66.0, google-adk 2.13.0, cline 3.0.65",
    ),
)
"""Their own words, the narrower ones first."""

_FIRST = re.compile(
    r"(?:Chunk ID: \w{1,20}\n)?(?:Wall time: [^\n]{1,40}\n)?(?:Process exited with code|Exit code:) (-?\d{1,10})\n"
)
_ERROR_STATUS = re.compile(r"Exit code (-?\d{1,10})(?=\n|\Z)")
_LAST = re.compile(
    r"(?:<shellId: \w{1,40} completed with exit code (-?\d{1,10})>"
    r"|\nCommand exited with code (\d{1,10})"
    r"|\nExit Code: (\d{1,10})(?:\n(?:Signal|Process Group PGID|Background PIDs): [^\n]{0,80})+(?:\n</untrusted_context>)?)\s*\Z"
)
_OF_SCRIPT = re.compile(r'^\{"chunk_id":[^\n]{0,200}?"exit_code":([1-9]\d{0,9})\b', re.MULTILINE)


_LATE = (
    ("<shell_metadata>", "exceeding timeout"),
    ("\nCommand did not complete within its ", " timeout and was moved to the background"),
)
"""What stands behind the output of a command whose time was over: where it begins, and what it says then."""


def is_late_told(text: str) -> bool:
    """Return whether a result says, in the fixed words of an agent behind what a program printed, that its time was over."""
    return any((place := text.rfind(begins)) >= 0 and says in text[place:] for begins, says in _LATE)


def exit_told(text: str, *, is_error: bool | None = None) -> int | None:
    """Return the exit status that a result's words say in the fixed form of an agent; None where they say none."""
    if is_error is not None:
        found = _ERROR_STATUS.match(text) if is_error else None
        return None if found is None else exit_status_of(int(found[1]))
    begins = text.startswith(("Chunk ID: ", "Wall time: ", "Exit code: ", "Process exited "))
    found = _FIRST.match(text) if begins else None
    if found is None and text.startswith("Script "):
        found = _OF_SCRIPT.search(text, 0, _TAIL)
    if found is None and (tail := text[-_TAIL:].rstrip()).endswith((">", ")", *"0123456789")):
        found = _LAST.search(tail)
    return None if found is None else exit_status_of(int(next(filter(None, found.groups()))))
