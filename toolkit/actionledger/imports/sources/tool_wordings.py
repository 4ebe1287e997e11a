"""How tools of agents word that they did not do what a call says, on the wire, where nothing marks an error.

Qwen Code descends from Gemini CLI, and most of their tools have the same words.
"""

from actionledger.core.vocabulary import Reason
from actionledger.imports.sources.base import Wording

_BOTH = "qwen_code 0.24.4, gemini_cli 0.61.0"

_OF_GOOSE = r"^The tool call returned the following error:\n"
"""The beginning of an error that goose itself, or a server's protocol, reports."""

_OF_KIMI = r"^(?:Wall time: [\d.]{1,12} seconds\n)?<system>ERROR: Tool execution failed\.</system>\n"
"""The beginning of each error of Kimi's."""

TOOLS: tuple[Wording, ...] = (
    Wording(
        _OF_GOOSE + r"-32600: Tool '[^'\n]{1,200}' was not advertised for this model turn",
        Reason.UNKNOWN_ACTION,
        "The tool call returned the following error:\n-32600: Tool 'go' was not advertised for this model turn",
        is_telling=True,
        last_seen="goose 1.52.0",
    ),
    Wording(
        rf"{_OF_GOOSE}-32602: |^Error: Failed to parse arguments: ",
        Reason.SCHEMA_ERROR,
        "The tool call returned the following error:\n-32602: The model produced malformed tool arguments.",
        is_telling=True,
        last_seen="goose 1.52.0",
    ),
    Wording(
        r"^No match found for the specified text\.",
        Reason.NO_MATCH,
        "No match found for the specified text.\n\nFile preview:",
        is_telling=True,
        last_seen="goose 1.52.0",
    ),
    Wording(
        _OF_GOOSE,
        Reason.TOOL_ERROR,
        "The tool call returned the following error:\n-32603: the server is away",
        is_telling=True,
        last_seen="goose 1.52.0",
    ),
    Wording(
        r"^Blocked: (?:standalone )?sleep [\d.]{1,10}\w?(?: followed by: |[.:] )",
        Reason.COMMAND_REFUSED,
        "Blocked: sleep 55 followed by: ls. Run blocking commands in the background with is_background: true.",
        is_telling=True,
        last_seen="qwen_code 0.24.4",
    ),
    Wording(
        r"^Command timed out after \d{1,9} ?ms before it could complete\.",
        Reason.TIMEOUT,
        "Command timed out after 2000ms before it could complete. There was no output before it timed out.",
        is_telling=True,
        last_seen="qwen_code 0.24.4",
    ),
    Wording(
        r"^Command timed out after \d{1,9} seconds\. Consider increasing the timeout for long-running commands\.",
        Reason.TIMEOUT,
        "Command timed out after 2 seconds. Consider increasing the timeout for long-running commands.",
        is_telling=True,
        last_seen="droid 0.225.2",
    ),
    Wording(
        _OF_KIMI + r'Tool "[^"\n]{1,200}" not found',
        Reason.UNKNOWN_ACTION,
        '<system>ERROR: Tool execution failed.</system>\nTool "teleport" not found',
        is_telling=True,
        last_seen="kimi_code 2.1.0",
    ),
    Wording(
        _OF_KIMI + r'Invalid args for tool "',
        Reason.SCHEMA_ERROR,
        '<system>ERROR: Tool execution failed.</system>\nInvalid args for tool "Bash": must be object',
        is_telling=True,
        last_seen="kimi_code 2.1.0",
    ),
    Wording(
        _OF_KIMI + r"|^Error: MCP tool \S{1,200} returned an error: ",
        Reason.TOOL_ERROR,
        "Error: MCP tool lab___lab_fail returned an error: It went wrong.",
        is_telling=True,
        last_seen="kimi_code 2.1.0, droid 0.225.2",
    ),
    Wording(
        r"^Found \d{1,6} matches\. Please provide more context to identify a unique match:",
        Reason.SEVERAL_MATCHES,
        "Found 2 matches. Please provide more context to identify a unique match:",
        is_telling=True,
        last_seen="goose 1.52.0",
    ),
    Wording(
        r"^Could not stat [^\n]{1,500} to verify prior read \(E[A-Z]{2,12}\)\.",
        Reason.TOOL_ERROR,
        "Could not stat /home/ada/x to verify prior read (ENOTDIR). Re-read with the read_file tool.",
        is_telling=True,
        last_seen="qwen_code 0.24.4",
    ),
    Wording(
        r"^The execution of this tool, or a previous tool was interrupted\.\s*\Z",
        Reason.STOPPED,
        "The execution of this tool, or a previous tool was interrupted.",
        is_telling=True,
        last_seen="copilot 1.0.102",
    ),
    Wording(
        r"^File \S{1,500} has not been read in this session\.",
        Reason.NOT_READ,
        "File /home/ada/x has not been read in this session. Use the read_file tool first.",
        is_telling=True,
        last_seen="qwen_code 0.24.4",
    ),
    Wording(
        r"^(?:(?:File|Notebook) path must be absolute(?:, but was relative)?: |Path must be absolute: |Path \"[^\"\n]{1,500}\" is not absolute\. Please provide an absolute path\.|Error: Invalid parameters provided\. Reason: |Invalid regular expression pattern(?: provided)?: [^\n]{1,500}\. Error: )",
        Reason.SCHEMA_ERROR,
        "File path must be absolute, but was relative: notes.txt. You must provide an absolute path.",
        is_telling=True,
        last_seen=f"{_BOTH}, copilot 1.0.102",
    ),
    Wording(
        r"^(?:The '[a-z_]{1,40}' parameter (?:must be (?:non-empty|at least \d{1,3} characters)|cannot be empty|is required)|Missing or empty \"[a-z_]{1,40}\"|Command cannot be empty|Directory must be an absolute path|(?:Limit|Offset) must be a (?:positive|non-negative) integer|Timeout must be (?:a positive number|an integer number of milliseconds)|Timeout cannot exceed \d{1,9}ms \(\d{1,4} minutes\))\.?\s*\Z",
        Reason.SCHEMA_ERROR,
        "The 'file_path' parameter must be non-empty.",
        is_telling=True,
        last_seen=_BOTH,
    ),
    Wording(
        r"^(?:File path '[^'\n]{1,500}' is ignored by |Path not in workspace: Attempted path \")",
        Reason.PATH_REFUSED,
        "File path '/home/ada/x' is ignored by .geminiignore pattern(s).",
        is_telling=True,
        last_seen=_BOTH,
    ),
    Wording(
        r"^(?:Could not edit file: [^\n]{1,500}\. Error code: ENOENT\.\s*\Z|Skill \"[^\"\n]{1,200}\" not found\b|Error: No background task found with ID \")",
        Reason.NOT_FOUND,
        'Error: No background task found with ID "bg_1".',
        is_telling=True,
        last_seen="qwen_code 0.24.4, pi 1.6.0",
    ),
    Wording(
        r"^MCP connection closed\s*\Z|^MCP tool execution may have completed before the connection failed\.|^\S{1,200} has no native execution backend: ",
        Reason.UNAVAILABLE,
        "MCP tool execution may have completed before the connection failed. Automatic replay was skipped.",
        is_telling=True,
        last_seen="qwen_code 0.24.4, copilot 1.0.102, pi 1.6.0",
    ),
    Wording(
        r"^(?:E[A-Z]{3,8}: [a-z ]{5,60}, [a-z]{2,12} '[^'\n]{1,500}'|Could not edit file: [^\n]{1,500}\. Error code: E[A-Z]{2,12}\.)\s*\Z",
        Reason.TOOL_ERROR,
        "EEXIST: file already exists, mkdir '/home/ada/x'",
        is_telling=True,
        last_seen="pi 1.6.0",
    ),
    Wording(
        r"^Tool \"[^\"\n]{1,200}\" is a built-in tool that is disabled by default\.",
        Reason.UNKNOWN_ACTION,
        'Tool "todo_write" is a built-in tool that is disabled by default. Enable it.',
        is_telling=True,
        last_seen="qwen_code 0.24.4",
    ),
    Wording(
        r"^(?:Error (?:executing|preparing) edit|Error during grep search operation|Error: Tool call execution failed\. Reason|Failed to run subagent|Subagent '[^'\n]{1,200}' failed\. Error|Cannot read file): ?\S",
        Reason.TOOL_ERROR,
        "Error executing edit: EACCES",
        is_telling=True,
        last_seen=_BOTH,
    ),
)
"""Their own words, the narrower ones first."""
