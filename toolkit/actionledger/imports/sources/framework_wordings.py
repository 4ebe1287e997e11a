"""How agent frameworks word errors to a model, if neither their recordings nor the wire mark them.

Each was run against a scripted server (``tests/lab``). A framework that gives its model only an exception's words can't be distinguished from a
success.
"""

from actionledger.core.vocabulary import Reason
from actionledger.imports.sources.base import Wording

FRAMEWORKS: tuple[Wording, ...] = (
    Wording(
        r"^Error: Requested function \"[^\"\n]{1,200}\" not found\.|^Error: The requested tool does not exist or is not available\.|^The (?:tool call with name|function) `[^`\n]{1,200}` is not part of the provided (?:tools|functions)\b|^Tool not found\s*\Z",
        Reason.UNKNOWN_ACTION,
        'Error: Requested function "go" not found.',
        is_telling=True,
        last_seen="agent-framework-core 1.23.0, agno 3.1.10, semantic-kernel 1.45.0, crewai 1.15.30",
    ),
    Wording(
        r"^(?:Error: Argument parsing failed\.|Error: Failed to parse tool arguments as JSON: |Error while decoding function arguments: |Function arguments are not a valid JSON object\.|Received invalid arguments for function |AI_InvalidToolInputError: Invalid input for tool |The tool call arguments are malformed\. |(?:Missing required|Received unexpected) argument\(s\): \[|(?:\{\"error\": ?true, ?\"message\": ?\")?Tool input validation failed for \S{1,200}\. Please fix |Error: [^\n]{1,120}: line \d{1,9} column \d{1,9} \(char \d{1,9}\)\Z)",
        Reason.SCHEMA_ERROR,
        "AI_InvalidToolInputError: Invalid input for tool go: AI_JSONParseError: JSON parsing failed: Text: {",
        is_telling=True,
        last_seen="agent-framework-core 1.23.0, agno 3.1.10, semantic-kernel 1.45.0, autogen-agentchat 0.7.5, crewai 1.15.30, ai 7.0.173, @mastra/core 1.71.0",
    ),
    Wording(
        # Words of Python and Pydantic, which frameworks pass on unchanged.
        r"^\w[\w.]{0,100}\(\) (?:missing \d{1,3} required (?:positional|keyword-only) arguments?: |got an unexpected keyword argument ')|^\d{1,4} validation errors? for [^\n]{1,200}\n",
        Reason.SCHEMA_ERROR,
        "go() missing 1 required positional argument: 'place'",
        is_telling=True,
        last_seen="llama-index-core 0.14.25, agno 3.1.10",
    ),
    Wording(
        r"^(?:Error: Function failed\.|Error executing tool: |Execution error in \S{1,200}: |Tool output validation failed for \S{1,200}\. |Failed to invoke Tool `[^`\n]{1,200}` with parameters \{|An error occurred while invoking the function \S{1,200}: )",
        Reason.TOOL_ERROR,
        "Failed to invoke Tool `go` with parameters {'place': 'x'}. Error: it is away",
        is_telling=True,
        last_seen="agent-framework-core 1.23.0, haystack-ai 3.4.1, semantic-kernel 1.45.0, crewai 1.15.30, dspy 3.4.1, @mastra/core 1.71.0",
    ),
    Wording(
        r"^Error: (?:Function invocation limit reached before the deferred tool could run|Tool execution was aborted (?:by middleware )?before a result was produced)\.",
        Reason.STOPPED,
        "Error: Tool execution was aborted by middleware before a result was produced.",
        is_telling=True,
        last_seen="agent-framework-core 1.23.0",
    ),
)
"""The narrower wordings first."""
