"""How tools of agents word that they did not do what a call says, on the wire, where nothing marks an error.

Qwen Code descends from Gemini CLI, and most of their tools have the same words.
"""

from actionledger.core.vocabulary import Reason
from actionledger.imports.sources.base import Wording

_BOTH = "qwen_code 0.24.4, gemini_cli 0.61.0"

_OF_GOOSE = r"^The tool call returned the following error:\n"
"""The beginning of an error that goose itself, or a server's protocol, reports."""

_KIMI = r"(?:Wall time: [\d.]{1,12} seconds\n)?<system>ERROR: Tool execution failed\.</system>\n"
_DROID = r"(?:Error: ){0,2}"
_CN = r"Error executing tool \S{1,200}: "
"""How errors of Kimi, Droid and Continue's ``cn`` begin."""

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
    Wording(
        rf"""^(?:{_KIMI}Tool "[^"\n]{{1,200}}" not found|{_DROID}Not found: \S{{1,200}}\. Only request exact tool names|Tool not found: \S{{1,200}}\. Available tools: )""",
        Reason.UNKNOWN_ACTION,
        "Error: Not found: teleport. Only request exact tool names from the Deferred tools list",
        is_telling=True,
        last_seen="kimi_code 2.1.0, droid 0.225.2, letta_code 0.25.9",
    ),
    Wording(
        rf"""^(?:{_KIMI}Invalid args for tool "|{_DROID}\w{{1,60}} call rejected: missing required parameters |Required parameter "[^"\n]{{1,100}}" missing for tool "|(?:Error: )?\w{{1,60}} (?:arg )?is required and must be an? [\w -]{{1,40}}\s*\Z|Invalid input for tool \S{{1,200}}: JSON parsing failed: Text: |\w{{1,60}} tool missing required parameters?: )""",
        Reason.SCHEMA_ERROR,
        'Required parameter "command" missing for tool "Bash"',
        is_telling=True,
        last_seen="kimi_code 2.1.0, droid 0.225.2, continue_cli 1.5.47, kilo 7.7.9, letta_code 0.25.9",
    ),
    Wording(
        rf"""^(?:{_DROID}The text to replace was not found in the file\.|{_CN}(?:String not found|The string to replace was not found|Edit failed: string not found)|(?:Edit \d{{1,4}}: )?String (?:to replace )?not found in file[.:])""",
        Reason.NO_MATCH,
        "Error: Error: The text to replace was not found in the file.",
        is_telling=True,
        last_seen="droid 0.225.2, continue_cli 1.5.47, letta_code 0.25.9",
    ),
    Wording(
        rf"""^(?:{_DROID}Found \d{{1,6}} occurrences of the specified text, but change_all is false\.|Found \d{{1,6}} matches\. Please provide more context to identify a unique match:|Found \d{{1,6}} matches of the string to replace, but |Expected \d{{1,6}} occurrences? but found )""",
        Reason.SEVERAL_MATCHES,
        "Found 2 matches. Please provide more context to identify a unique match:",
        is_telling=True,
        last_seen="droid 0.225.2, goose 1.52.0, letta_code 0.25.9",
    ),
    Wording(
        rf"""^(?:{_DROID}File "[^"\n]{{1,500}}" has been modified externally since|{_DROID}Cannot edit file that has not been read first\.|You must use the Read tool to read )""",
        Reason.NOT_READ,
        "You must use the Read tool to read /home/ada/x before editing it.",
        is_telling=True,
        last_seen="droid 0.225.2, continue_cli 1.5.47",
    ),
    Wording(
        rf"""^(?:{_DROID}Error reading file: ENOENT: |{_CN}(?:File does not exist|ENOENT)|File does not exist\. Attempted path: |Directory not found: /)""",
        Reason.NOT_FOUND,
        "Error executing tool Read: File does not exist: /home/ada/x",
        is_telling=True,
        last_seen="droid 0.225.2, continue_cli 1.5.47, letta_code 0.25.9",
    ),
    Wording(
        rf"""^(?:(?:{_DROID}Error executing MCP tool \S{{1,200}}: |{_CN})(?:Not connected|MCP error -32000: Connection closed))""",
        Reason.UNAVAILABLE,
        "Error executing tool lab_die: MCP error -32000: Connection closed",
        is_telling=True,
        last_seen="droid 0.225.2, continue_cli 1.5.47",
    ),
    Wording(
        rf"""^(?:{_DROID}Command terminated by signal: SIG[A-Z]{{2,8}}\n|{_CN}Error \(exit code [1-9]\d{{0,9}}\))""",
        Reason.COMMAND_FAILED,
        "Error executing tool Bash: Error (exit code 1): no",
        is_telling=True,
        last_seen="droid 0.225.2, continue_cli 1.5.47",
    ),
    Wording(
        r"""^(?:Command timed out after \d{1,9} seconds\. Consider increasing the timeout for long-running commands\.|Command timed out after \d{1,9}ms\n)""",
        Reason.TIMEOUT,
        "Command timed out after 2 seconds. Consider increasing the timeout for long-running commands.",
        is_telling=True,
        last_seen="droid 0.225.2, letta_code 0.25.9",
    ),
    Wording(
        r"""^(?:The execution of this tool, or a previous tool was interrupted\.\s*\Z)""",
        Reason.STOPPED,
        "The execution of this tool, or a previous tool was interrupted.",
        is_telling=True,
        last_seen="copilot 1.0.102",
    ),
    Wording(
        r"""^(?:Permission denied by user\s*\Z)""",
        Reason.REJECTED,
        "Permission denied by user",
        is_telling=True,
        last_seen="continue_cli 1.5.47",
    ),
    Wording(
        r"""^(?:Command blocked by security policy|Tool requires approval \(headless mode\)\s*\Z|Error: request to call tool denied\. |Permission to run this tool was denied due to the following rules: |The user has specified a rule which prevents you from using this specific tool call)""",
        Reason.NOT_APPROVED,
        "Permission to run this tool was denied due to the following rules: `shell(echo)`",
        is_telling=True,
        last_seen="copilot 1.0.102, opencode 1.18.33, continue_cli 1.5.47, letta_code 0.25.9",
    ),
    Wording(
        rf"""^(?:{_KIMI}|{_CN}|{_DROID}Error executing MCP tool \S{{1,200}}: |{_DROID}Error (?:reading|writing) file: E[A-Z]{{2,12}}: |{_DROID}Error running task subagent: |\{{\s{{1,4}}"status": "error",\s{{1,4}}"tool": "|Error: MCP tool \S{{1,200}} returned an error: |Cannot read properties of (?:null|undefined) \(reading '\w{{1,60}}'\)\s*\Z|Could not stat [^\n]{{1,500}} to verify prior read \(E[A-Z]{{2,12}}\)\.)""",
        Reason.TOOL_ERROR,
        "Error: MCP tool lab___lab_fail returned an error: It went wrong.",
        is_telling=True,
        last_seen="kimi_code 2.1.0, droid 0.225.2, continue_cli 1.5.47, qwen_code 0.24.4",
    ),
)
"""Their own words, the narrower ones first."""
