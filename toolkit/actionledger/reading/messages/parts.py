"""The parts of a message: text, calls, thoughts, and additions by the provider or another machine."""

from collections.abc import Mapping

from actionledger.core.canonical import JsonMap
from actionledger.core.vocabulary import Reason
from actionledger.reading.messages.gathering import Gathering
from actionledger.reading.messages.spellings import CALL_TYPES, Spelled, shown_keys

_TEXTS = frozenset({"text", "output_text", "input_text", "refusal"})

_LOCAL = {
    "computer_call": "computer",
    "local_shell_call": "local_shell",
    "shell_call": "shell",
    "apply_patch_call": "apply_patch",
    "tool_search_call": "tool_search",
}
"""The calls of OpenAI's own tools that the caller must run, with the tools' names."""

_LOST = frozenset({"invalid_tool_call"})

_THOUGHTS = frozenset(
    {"thinking", "redacted_thinking", "reasoning", "reasoning_content", "reasoning_summary", "thought"}
)

_NO_ACTION = frozenset(
    _THOUGHTS
    # executed by the provider itself
    | {"server_tool_use", "server_tool_call", "mcp_tool_use", "builtin-tool-call", "builtin-tool-return"}
    | {"web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call"}
    | {"mcp_list_tools", "mcp_approval_request", "mcp_approval_response", "compaction", "advisor_message"}
    | {"native-tool-call", "native-tool-return", "tool_search_output", "item_reference"}
    # results of calls
    | {"tool_result", "tool-result", "tool-return", "tool_call_response", "toolResult", "tool_output"}
    | {"server_tool_result", "builtin_tool_result", "user-prompt", "system-prompt", "retry-prompt"}
    # not text
    | {
        "image",
        "image_url",
        "input_image",
        "output_image",
        "file",
        "input_file",
        "document",
        "audio",
        "video",
    }
    | {"input_audio", "output_audio", "audio_url", "video_url", "document_url", "media", "blob", "uri"}
    | {"container_upload", "search_result", "citation", "step-start", "source", "source-url", "binary"}
)
"""The types of parts that are neither text nor a call for the caller to run."""

_ENDINGS = ("_tool_result", "_call_output")

_NO_ACTION_KEYS = frozenset(
    {"inlineData", "inline_data", "fileData", "file_data", "executableCode", "executable_code"}
    | {"codeExecutionResult", "code_execution_result", "functionResponse", "function_response"}
    | {"toolResponse", "thoughtSignature", "thought_signature", "videoMetadata", "thought"}
    | {"reasoningContent", "toolResult", "image", "document", "video", "audio", "cachePoint", "guardContent"}
)
"""The keys of parts without a type: Gemini's and Bedrock's, neither text nor a call for the caller to run."""

_KNOWN = "text, thoughts, and the calls of OpenAI, Anthropic, Gemini, Bedrock, OpenTelemetry, pydantic-ai, LangChain"


def read_parts(parts: object, gathering: Gathering) -> None:
    """Gather a list of parts, or one part."""
    for part in parts if isinstance(parts, list | tuple) else [parts]:
        if isinstance(part, Mapping):
            _read_part(part, gathering)
        elif isinstance(part, str):
            gathering.say(part)
        elif part is not None:
            detail = f"A part of the message is neither an object nor text, but {type(part).__name__}."
            gathering.note(Reason.WRONG_SHAPE, detail)


def is_part(value: JsonMap) -> bool:
    """Return whether an object is a known kind of message part."""
    return says_something(value) or _kind(value) in _NO_ACTION or _kind(value).endswith(_ENDINGS)


def says_something(value: JsonMap) -> bool:
    """Return whether an object is a message part with text or a call."""
    if kind := _kind(value):
        return kind in {*_TEXTS, *CALL_TYPES, *_LOCAL, *_LOST}
    return any(isinstance(value.get(key), Mapping) for key in ("functionCall", "toolUse"))


def _kind(part: JsonMap) -> str:
    given = part.get("type", part.get("part_kind"))
    return given if isinstance(given, str) else ""


def _read_part(part: JsonMap, gathering: Gathering) -> None:
    kind = _kind(part)
    # Only the content of a nested message is taken, part by part; if it has none, the message says nothing.
    taken = part.get("content") if kind == "message" else part
    if kind and kind not in _TEXTS and (taken is part or not taken):
        gathering.handled.add(id(taken))
    if kind in _THOUGHTS:
        gathering.think(part)
    elif not kind:
        _read_untyped(part, gathering)
    elif kind in _TEXTS:
        _read_text(part, gathering)
    elif kind in CALL_TYPES:
        if part.get("providerExecuted") is not True:
            gathering.act(part, _dialect(kind, part))
    elif kind in _LOCAL:
        _read_local(part, _LOCAL[kind], gathering)
    elif kind in _LOST:
        gathering.lose(part)
    elif kind == "message":
        read_parts(part.get("content"), gathering)
    elif kind not in _NO_ACTION and not kind.endswith(_ENDINGS):
        detail = f"A part of the type {kind[:80]!r} is not known, with the keys {shown_keys(part)}; known are {_KNOWN}."
        gathering.note(Reason.WRONG_SHAPE, detail)


def _read_text(part: JsonMap, gathering: Gathering) -> None:
    given = [part[key] for key in ("text", "content", "refusal") if part.get(key) is not None]
    text = next((each for each in given if isinstance(each, str)), None)
    gathering.say(text)
    if given and text is None:
        detail = f"A part that is a text holds none, but {type(given[0]).__name__}, with the keys {shown_keys(part)}."
        gathering.note(Reason.WRONG_SHAPE, detail)


def _read_untyped(part: JsonMap, gathering: Gathering) -> None:
    """Gather a part known by its keys, as Gemini and Bedrock write them."""
    if isinstance(call := part.get("functionCall", part.get("function_call")), Mapping):
        gathering.act(call, "gemini")
    elif isinstance(call := part.get("toolUse"), Mapping):
        gathering.handled.add(id(call))
        if call.get("type") != "server_tool_use":
            gathering.act(call, "bedrock")
    elif isinstance(part.get("text"), str):
        if part.get("thought"):
            gathering.think(part)
        else:
            gathering.say(part["text"])
    elif isinstance(cited := part.get("citationsContent"), Mapping):
        read_parts(cited.get("content"), gathering)
    elif isinstance(call := part.get("toolCall"), Mapping) and "toolType" in call:
        gathering.handled.add(id(call))  # Gemini executed it itself
    elif known := _NO_ACTION_KEYS & part.keys():
        gathering.think(part.get("reasoningContent"))
        gathering.handled.update(id(part[key]) for key in known)
    else:
        gathering.handled.add(id(part))
        detail = f"A part with the keys {shown_keys(part)} is not known; known are {_KNOWN}."
        gathering.note(Reason.WRONG_SHAPE, detail)


def _read_local(part: JsonMap, name: str, gathering: Gathering) -> None:
    """Gather a call of one of OpenAI's own tools; one executed on their side is no call."""
    if part.get("execution") == "server":
        return
    call_id = part.get("call_id")
    given = next((part[key] for key in ("action", "operation", "arguments") if key in part), None)
    if given is None and isinstance(part.get("actions"), list):
        given = {"actions": part["actions"]}
    call = Spelled("openai_responses", name, given, call_id if isinstance(call_id, str) else None)
    if given is None:
        detail = f"The call of {name!r} has the keys {shown_keys(part)}; looked for are action, operation, arguments."
        call = call._replace(reason=Reason.WRONG_SHAPE, detail=detail)
    gathering.take(call)


def _dialect(kind: str, part: JsonMap) -> str:
    if kind == "tool_call" and "args" in part:
        return "langchain"
    return "vercel_ai" if kind == "tool-call" and "toolName" in part else CALL_TYPES[kind]
