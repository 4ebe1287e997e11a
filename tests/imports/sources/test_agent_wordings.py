"""What agents told their models, as it comes over the wire: words alone, and judged as in their own recordings."""

import pytest

from actionledger.core.recordings import RecordedResult
from actionledger.core.vocabulary import ExecutionStatus as Status, Reason
from actionledger.imports.sources.agent_wordings import AGENTS
from actionledger.imports.sources.registry import sources
from actionledger.imports.sources.wordings import exit_told, is_known, is_late_told, judged, with_end_told

CASES = [
    ('Error: Requested function "teleport" not found.', Status.FAILED, Reason.UNKNOWN_ACTION),
    ("Error: The requested tool does not exist or is not available.", Status.FAILED, Reason.UNKNOWN_ACTION),
    ("The tool call with name `Lab-teleport` is not part of the provided tools, please try again", Status.FAILED, Reason.UNKNOWN_ACTION),
    ("Error: Argument parsing failed.", Status.FAILED, Reason.SCHEMA_ERROR),
    ("Error while decoding function arguments: invalid syntax (<unknown>, line 1)", Status.FAILED, Reason.SCHEMA_ERROR),
    ("AI_InvalidToolInputError: Invalid input for tool run_command: AI_JSONParseError: JSON parsing failed: Text: {", Status.FAILED, Reason.SCHEMA_ERROR),
    ("run_command() missing 1 required positional argument: 'command'", Status.FAILED, Reason.SCHEMA_ERROR),
    ("2 validation errors for run_command\ncommand\n  Missing required argument", Status.FAILED, Reason.SCHEMA_ERROR),
    ("2 validation errors for 30 forms were found", Status.SUCCEEDED, None),
    ("Missing required argument(s): ['command']. Received unexpected argument(s): ['x'].", Status.FAILED, Reason.SCHEMA_ERROR),
    ("Received unexpected argument(s): ['x']. Please revise the arguments to match the function signature.", Status.FAILED, Reason.SCHEMA_ERROR),
    ("Tool input validation failed for run_command. Please fix the following errors and try again:\n- command: Required", Status.FAILED, Reason.SCHEMA_ERROR),
    ("Tool output validation failed for run_command. The tool returned invalid output:\n- at: Required", Status.FAILED, Reason.TOOL_ERROR),
    ('{"error":true,"message":"Tool input validation failed for run_command. Please fix the following errors', Status.FAILED, Reason.SCHEMA_ERROR),
    ("Execution error in run_command: RuntimeError: it is away", Status.FAILED, Reason.TOOL_ERROR),
    ("Error: Tool call invocation was rejected by user.", Status.DENIED, Reason.REJECTED),
    ("Error: Function invocation limit reached before the deferred tool could run.", Status.INTERRUPTED, Reason.STOPPED),
    ("Error: Unterminated string starting at: line 1 column 13 (char 12)", Status.FAILED, Reason.SCHEMA_ERROR),
    ("Tool not found", Status.FAILED, Reason.UNKNOWN_ACTION),
    ("Error executing tool: the service is away", Status.FAILED, Reason.TOOL_ERROR),
    ("Error: Failed to parse tool arguments as JSON: Unterminated string", Status.FAILED, Reason.SCHEMA_ERROR),
    ("Error: Function failed.", Status.FAILED, Reason.TOOL_ERROR),
    ("An error occurred while invoking the function Lab-run_command: The tool is away.", Status.FAILED, Reason.TOOL_ERROR),
    ("Exit code 3\nout", Status.FAILED, Reason.COMMAND_FAILED),
    ("Exit code 0\nout", Status.SUCCEEDED, None),
    ("Exit code 3 is what it ended with", Status.SUCCEEDED, None),
    ("<tool_use_error>InputValidationError: Bash failed due to the following issues:\nThe required parameter `command` is missing", Status.FAILED, Reason.SCHEMA_ERROR),
    ("<tool_use_error>It is away.</tool_use_error>", Status.FAILED, Reason.TOOL_ERROR),
    ("File does not exist. Note: your current working directory is /home/ada.", Status.FAILED, Reason.NOT_FOUND),
    ("This Bash command contains multiple operations. The following part requires approval: tee x", Status.DENIED, Reason.NOT_APPROVED),
    ("Chunk ID: 1a\nWall time: 2.0 seconds\nProcess running with session ID 7\nOutput:\nx", Status.SUCCEEDED, None),
    ('Script completed\nWall time 2.2 seconds\nOutput:\n\n{"chunk_id":"3","wall_time_seconds":2.0,"session_id":22,"output":"x"}', Status.SUCCEEDED, None),
    ('Script completed\nWall time 2.2 seconds\nOutput:\n\n{"chunk_id":"3","exit_code":0,"output":"\\"session_id\\":7"}', Status.SUCCEEDED, None),
    ("Script running with cell ID ab\nWall time 9.0 seconds\nOutput:\n", Status.SUCCEEDED, None),
    ("The log says: Process running with session ID 7\n", Status.SUCCEEDED, None),
    ("unknown turn environment id `list it`", Status.FAILED, Reason.SCHEMA_ERROR),
    ("begun\n\n\nCommand timed out after 2 seconds", Status.TIMED_OUT, Reason.TIMEOUT),
    ("Command timed out after 2000ms before it could complete. Below is the output before it timed out:\nx", Status.TIMED_OUT, Reason.TIMEOUT),
    ("begun\n\n\n[Command timed out after 2 seconds of no output]", Status.TIMED_OUT, Reason.TIMEOUT),
    ("Command timed out after 2 seconds. Consider increasing the timeout for long-running commands.\n\nPartial", Status.TIMED_OUT, Reason.TIMEOUT),
    ("Wall time: 0.015 seconds\n<system>ERROR: Tool execution failed.</system>\nIt went wrong.", Status.FAILED, Reason.TOOL_ERROR),
    ('<system>ERROR: Tool execution failed.</system>\nTool "teleport" not found', Status.FAILED, Reason.UNKNOWN_ACTION),
    ("Wall time: 0.1 seconds\n<system>ERROR: Tool execution failed.</system>\nout\nCommand failed with exit code: 3.", Status.FAILED, Reason.COMMAND_FAILED),
    ("Wall time: 0.1 seconds\nout\nCommand failed with exit code: 3.", Status.SUCCEEDED, None),
    ("Error: MCP tool lab___fail returned an error: It went wrong.", Status.FAILED, Reason.TOOL_ERROR),
    ("The execution of this tool, or a previous tool was interrupted.", Status.INTERRUPTED, Reason.STOPPED),
    ("Found 2 matches. Please provide more context to identify a unique match:\n\nMatch 1", Status.FAILED, Reason.SEVERAL_MATCHES),
    ("Found 2 matches. Please read them.", Status.SUCCEEDED, None),
    ("Could not stat /home/ada/x to verify prior read (ENOTDIR). Re-read with the read_file tool.", Status.FAILED, Reason.TOOL_ERROR),
    ("File /home/ada/x has not been read in this session. Use the read_file tool first.", Status.FAILED, Reason.NOT_READ),
    ("File path must be absolute: notes.txt", Status.FAILED, Reason.SCHEMA_ERROR),
    ("File path must be absolute, but was relative: notes.txt. You must provide an absolute path.", Status.FAILED, Reason.SCHEMA_ERROR),
    ('Path "ra ä \'n.txt" is not absolute. Please provide an absolute path.', Status.FAILED, Reason.SCHEMA_ERROR),
    ("Timeout cannot exceed 600000ms (10 minutes).", Status.FAILED, Reason.SCHEMA_ERROR),
    ("Command cannot be empty.", Status.FAILED, Reason.SCHEMA_ERROR),
    ("Command cannot be empty. So says the manual.", Status.SUCCEEDED, None),
    ("Limit must be a positive integer is what the test prints", Status.SUCCEEDED, None),
    ("MCP tool execution may have completed before the connection failed. Automatic replay was skipped.", Status.FAILED, Reason.UNAVAILABLE),
    ("lab-x has no native execution backend: it is not a built-in native tool, and the MCP invocation failed", Status.FAILED, Reason.UNAVAILABLE),
    ('Tool "todo_write" is a built-in tool that is disabled by default. Enable it.', Status.FAILED, Reason.UNKNOWN_ACTION),
    ('Path not in workspace: Attempted path "/etc" resolves outside the allowed workspace', Status.DENIED, Reason.PATH_REFUSED),
    ("Error executing edit: EACCES", Status.FAILED, Reason.TOOL_ERROR),
    ("EEXIST: file already exists, mkdir '/home/ada/x'", Status.FAILED, Reason.TOOL_ERROR),
    ("EEXIST: file already exists, mkdir '/home/ada/x'\nIt went on.", Status.SUCCEEDED, None),
    ("Could not edit file: x.txt. Error code: ENOENT.", Status.FAILED, Reason.NOT_FOUND),
    ("Could not edit file: x.txt. Error code: EISDIR.", Status.FAILED, Reason.TOOL_ERROR),
    ("MCP connection closed", Status.FAILED, Reason.UNAVAILABLE),
    ("Tool execution result was not recorded — likely interrupted by network failure, abort, or process exit.", Status.INTERRUPTED, Reason.STOPPED),
    ("MCP tool 'fail' reported tool error for function call: {\"name\":\"fail\"}", Status.FAILED, Reason.TOOL_ERROR),
    ("Invalid input: Expected JSON object but got array", Status.FAILED, Reason.SCHEMA_ERROR),
    ("Could not find oldString in the file. It must match exactly, including whitespace.", Status.FAILED, Reason.NO_MATCH),
    ("Found multiple matches for oldString. Provide more surrounding context.", Status.FAILED, Reason.SEVERAL_MATCHES),
    ("Wall time: 2.1 seconds\naborted by user", Status.INTERRUPTED, Reason.STOPPED),
    ("aborted", Status.INTERRUPTED, Reason.STOPPED),
    ("Chunk ID: 1a\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\nx", Status.FAILED, Reason.COMMAND_FAILED),
    ("Chunk ID: 1a\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nexit code 3", Status.SUCCEEDED, None),
    ("approval policy is Never; reject command — you cannot ask", Status.DENIED, Reason.NOT_APPROVED),
    ('Script completed\nWall time 0.1 seconds\nOutput:\n\n{"chunk_id":"1","exit_code":124,"output":""}', Status.TIMED_OUT, Reason.TIMEOUT),
    ('Script completed\nWall time 0.1 seconds\nOutput:\n\n{"content":[{"text":"x"}],"isError":true}', Status.FAILED, Reason.TOOL_ERROR),
    ('[{"query":"seq","result":"' + "1\\n" * 2000 + '","error":"Command exited with code 9","success":false}]', Status.FAILED, Reason.COMMAND_FAILED),
    ('[{"query":"a","result":"x","error":"Command exited with code 9","success":false},{"query":"b","result":"' + "1\\n" * 2000 + '","success":true}]', Status.FAILED, Reason.COMMAND_FAILED),
    ('[{"query":"echo","result":"\\",\\"error\\":\\"Command exited with code 9\\",\\"success\\":false}","success":true}]', Status.SUCCEEDED, None),
    ('This "run_shell_command" invocation was denied by permission rules. Matching deny rule: "x".', Status.DENIED, Reason.NOT_APPROVED),
    ("Unauthorized tool call: 'teleport' is not available to this agent.", Status.FAILED, Reason.UNKNOWN_ACTION),
    ('Invalid arguments for tool "bash": Unterminated string\n\nReceived arguments:\n{"a', Status.FAILED, Reason.SCHEMA_ERROR),
    ("Tool call add with id call_1 could not be executed - arguments were malformed or truncated.", Status.FAILED, Reason.SCHEMA_ERROR),
    ('Tool call "bash" was not executed: the response hit the output token limit, so', Status.FAILED, Reason.SCHEMA_ERROR),
    ('Script completed\nWall time 0.1 seconds\nOutput:\n\n{"output":"x","truncated":false,"exit_code":3,"wall_time_seconds":0.2}', Status.FAILED, Reason.COMMAND_FAILED),
    ('Script completed\nWall time 0.1 seconds\nOutput:\n\nx","truncated":false,"exit_code":3,"wall_time_seconds":0.2}\n\n[Full output: /tmp/x.txt (read with offset/limit)]', Status.FAILED, Reason.COMMAND_FAILED),
    ('Script completed\nWall time 0.1 seconds\nOutput:\n\n{"output":"x","truncated":false,"exit_code":0,"wall_time_seconds":0.2}', Status.SUCCEEDED, None),
    ("out\n<shellId: 0 completed with exit code 3>", Status.FAILED, Reason.COMMAND_FAILED),
    ("out\n<shellId: 0 completed with exit code 0>", Status.SUCCEEDED, None),
    ("boom\n\n\nCommand exited with code 3", Status.FAILED, Reason.COMMAND_FAILED),
    ("Output: x\nExit Code: 3\nSignal: (none)\nProcess Group PGID: 30", Status.FAILED, Reason.COMMAND_FAILED),
    ("begun\n<shell_metadata>\nshell tool terminated command after exceeding timeout 2000 ms.\n</shell_metadata>", Status.TIMED_OUT, Reason.TIMEOUT),
    ("Tool 'Go' does not exist. Available tools: bash.", Status.FAILED, Reason.UNKNOWN_ACTION),
    ("Error: go is not a valid tool, try one of [add].", Status.FAILED, Reason.UNKNOWN_ACTION),
    ('{"error": "Unknown tool name: \'go\'"}', Status.FAILED, Reason.UNKNOWN_ACTION),
    ('{"error": [{"type": "int_parsing"}]}', Status.FAILED, Reason.SCHEMA_ERROR),
    ('{"error": null, "value": 3}', Status.SUCCEEDED, None),
    ("Error invoking tool 'add' with kwargs {'timeout': 3} with error: no", Status.FAILED, Reason.SCHEMA_ERROR),
    ("An error occurred while running the tool. Please try again.", Status.FAILED, Reason.TOOL_ERROR),
    ("Error: RuntimeError - it is away", Status.FAILED, Reason.TOOL_ERROR),
    ("Tool  not found", Status.FAILED, Reason.UNKNOWN_ACTION),
    ({"output": "<untrusted_context>\nOutput: x\nExit Code: 3\nProcess Group PGID: 30\n</untrusted_context>"}, Status.FAILED, Reason.COMMAND_FAILED),
    ({"output": "x"}, Status.SUCCEEDED, None),
    ("Script failed\nWall time 0.0 seconds\nOutput:\n\nScript error:\napply_patch verification failed: Failed to find expected lines in x", Status.FAILED, Reason.NO_MATCH),
    ("Script failed\nWall time 0.0 seconds\nOutput:\n\nScript error:\napply_patch verification failed: Failed to read file to update x: No such file", Status.FAILED, Reason.NOT_FOUND),
    ("Script failed\nWall time 0.0 seconds\nOutput:\n\nScript error:\nfailed to parse function arguments: missing field `cmd`", Status.FAILED, Reason.SCHEMA_ERROR),
    ("Script failed\nWall time 0.1 seconds\nOutput:\n\nScript error:\napproval policy is Never; reject command", Status.DENIED, Reason.NOT_APPROVED),
    ("Script failed\nWall time 0.1 seconds\nOutput:\n\nScript error:\nit is away", Status.FAILED, Reason.TOOL_ERROR),
    ("Script failed in the log", Status.SUCCEEDED, None),
    ('Invalid input: "command": Required', Status.FAILED, Reason.SCHEMA_ERROR),
    ("No match found: old_str not found in /home/ada/x; no changes made", Status.FAILED, Reason.NO_MATCH),
    ("No match found", Status.SUCCEEDED, None),
    ('Ambiguous match for old_str in /home/ada/x: pattern starting with "a" matched at lines 2, 3.', Status.FAILED, Reason.SEVERAL_MATCHES),
    ('Failed to execute with arguments: {"path":"/x"} due to error: Error: ENOENT: no such file', Status.FAILED, Reason.NOT_FOUND),
    ('Failed to execute with arguments: {"path":"/x"} due to error: Error: away', Status.FAILED, Reason.TOOL_ERROR),
    ("Path /home/ada/x does not exist. Please provide a valid path.", Status.FAILED, Reason.NOT_FOUND),
    ("Command not executed. The 'kill' command must specify at least one numeric PID.", Status.DENIED, Reason.COMMAND_REFUSED),
    ("Subagent 'generalist' finished.\nTermination Reason: GOAL\nResult:\nERROR", Status.SUCCEEDED, None),
    ("Subagent 'generalist' finished.\nTermination Reason: ERROR_NO_COMPLETE_TASK_CALL\nResult:\n", Status.FAILED, Reason.TOOL_ERROR),
    ("Subagent 'generalist' finished.\nTermination Reason: MAX_TURNS\nResult:\n", Status.FAILED, Reason.TOOL_ERROR),
    ("Subagent 'generalist' finished.\nTermination Reason: TIMEOUT\nResult:\n", Status.TIMED_OUT, Reason.TIMEOUT),
    ("Subagent 'generalist' finished.\nTermination Reason: ABORTED\nResult:\n", Status.INTERRUPTED, Reason.STOPPED),
    ("[Tool execution was interrupted]", Status.INTERRUPTED, Reason.STOPPED),
    ('{"error":"Tool \\"run_commands\\" requires approval in a TTY session -- NOT a tool or system failure."}', Status.DENIED, Reason.NOT_APPROVED),
    ("Blocked: sleep 55 followed by: echo late. Run blocking commands in the background", Status.DENIED, Reason.COMMAND_REFUSED),
    ('Tool "Bash" was not run because the user rejected the approval request. Reason: no', Status.DENIED, Reason.REJECTED),
    ('Tool "Bash" was not run because the approval request was cancelled.', Status.SKIPPED, Reason.CANCELLED),
    ('Tool "Bash" was denied by permission rule. Reason: no pushes', Status.DENIED, Reason.NOT_APPROVED),
    ("TaskStop is not available in plan mode. Call ExitPlanMode to exit plan mode", Status.DENIED, Reason.NOT_APPROVED),
    ("Blocked: 3 tasks", Status.SUCCEEDED, None),
    ("2 failed, 3 passed: aborted runs are not found", Status.SUCCEEDED, None),
]  # fmt: skip


@pytest.mark.parametrize(("said", "status", "reason"), CASES)
def test_words_alone_say_what_came_of_a_call(said, status, reason):
    """As the agent's own recording would; what a program prints is no agent's word."""
    assert judged(with_end_told(RecordedResult("c", said)))[:2] == (status, reason)


def test_a_flag_goes_before_words():
    """No error is none, unless its time was over; of an error the status may stand first."""
    fine = RecordedResult("c", "x\nCommand exited with code 3", is_error=False)
    assert judged(with_end_told(fine)).status is Status.SUCCEEDED
    late = "begun\nCommand did not complete within its 2s timeout and was moved to the background (ID: b)."
    assert judged(with_end_told(RecordedResult("c", late, is_error=False))) == (
        Status.TIMED_OUT,
        Reason.TIMEOUT,
        True,
    )
    over = RecordedResult("c", "Exit code 124\n\nx", is_error=True)
    assert judged(with_end_told(over)).status is Status.TIMED_OUT


def test_what_stands_in_the_middle_says_nothing():
    """Forms are an agent's where it writes them, first or last."""
    assert exit_told("Command exited with code 3\nand went on") is None
    note = "[Output exceeded 2000 line limit (60001 lines total). Full output saved to /tmp/x/output-0. Read it up to 2000 lines at a time.]"
    assert exit_told(f"a\n\nCommand exited with code 9 {note}\n{note}") == 9
    assert exit_told(f"a {note}") is None
    assert exit_told("It printed:\nExit Code: 3") is None
    assert exit_told("see: Process exited with code 3\n") is None
    assert not is_late_told("exceeding timeout <shell_metadata>")


def test_new_words_are_known_as_new():
    """No row fits them, the source's or anybody's."""
    assert not is_known("The flux is out of phase.")
    assert is_known("aborted by user after 3.2s", sources()["codex"].wordings)


def test_agents_rows_say_where_they_were_seen():
    """So that one sees what is old."""
    assert all(row.last_seen for row in AGENTS)
    assert all(
        row.last_seen
        for name in ("codex", "claude_code", "gemini_cli", "pi")
        for row in sources()[name].wordings
    )


def test_what_a_dropped_mark_leaves_is_a_conclusion():
    """A router that speaks another interface drops ``is_error``: the words alone say it then, and a mark that stands is none of ours."""
    assert judged(with_end_told(RecordedResult("c", "Exit code 3\nout"))).is_inferred
    assert judged(with_end_told(RecordedResult("c", "<tool_use_error>no"))).is_inferred
    assert not judged(with_end_told(RecordedResult("c", "Exit code 3\nout", is_error=True))).is_inferred
    fine = judged(with_end_told(RecordedResult("c", "Exit code 3\nout", is_error=False)))
    assert fine == (Status.SUCCEEDED, None, False)
