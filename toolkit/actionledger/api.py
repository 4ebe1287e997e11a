"""The public functions on texts and names: they resolve names to profiles, dialects and parsers."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from actionledger.actions.tools import ToolCatalogue
from actionledger.actions.validation import AnyCatalogue
from actionledger.core.errors import UsageError, require_kind, require_names, require_text
from actionledger.core.values import ActionCall, ParseResult, RawAction
from actionledger.reading.dialects import DIALECTS, Dialect, dialect_named
from actionledger.reading.dialects.parts.writing import PlainCall
from actionledger.reading.messages import require_json
from actionledger.reading.parsers import PARSERS, AnyParser, parser_for, parser_named, resolve_parser
from actionledger.runtime.execution.profile import Profile, prompt_of
from actionledger.runtime.execution.registry import PROFILES, profile_named, resolve_profile
from actionledger.runtime.parse_result import read_provider_message, read_response

AnyCall: TypeAlias = (
    ActionCall | RawAction | tuple[str, dict[str, Any]] | tuple[str, dict[str, Any], str | None]
)
"""A call to write: a parsed one, or a tuple of its name, its arguments and optionally its id."""


def parse(
    text: str,
    *,
    profile: str | Profile | None = None,
    dialects: Sequence[str] | Literal["auto"] | None = None,
    parser: str | AnyParser | None = None,
    tools: Sequence[Mapping[str, Any]] | None = None,
    is_cut: bool = False,
) -> ParseResult:
    """Parse a response and check its actions; no text makes it raise.

    Args:
        text: the raw response, which may be any string.
        profile: the profile whose parser and catalogue to use, by name or as a value.
        dialects: the dialects to search for instead of the profile's; "auto" for all. Each block and action names its dialect. If
            tools are given, the tags of "xml_tags" are their names.
        parser: the parser to use instead, by name or as a value.
        tools: the tools that the model was offered, in the OpenAI API's format; actions are checked against them instead of the
            profile's catalogue. With neither, every named action is ``not_checked``.
        is_cut: whether the model was stopped early, with a finish reason of ``length`` or ``max_tokens``. A final call without its
            closing mark then needs approval.

    Raises:
        UnknownNameError: a name is unknown.
        UsageError: no way to parse is given, or two are; a tool's definition is invalid; or the response is not a text.

    Example:
        >>> text = 'On it. <tool_call>{"name": "add", "arguments": {"a": 1,}}</tool_call>'
        >>> result = al.parse(text, dialects=["hermes"])
        >>> str(result.outcome), result.actions[0].name, result.actions[0].arguments
        ('repaired', 'add', {'a': 1})
    """
    require_text(text)
    if dialects is not None and parser is not None:
        raise UsageError("Give either dialects or a parser: a parser brings its own dialects.")
    chosen = None if profile is None else resolve_profile(profile)
    catalogue: AnyCatalogue | None = chosen.catalogue if chosen else None
    offered = ToolCatalogue.of(tools) if tools is not None else None
    if offered is not None:
        catalogue = offered
    if dialects == "auto":
        return read_response(text, parser_named("auto"), catalogue, is_cut=is_cut)
    if dialects is not None:
        require_names("dialects", dialects)
        fields = tuple(offered.parameters.items()) if offered is not None and "xml_tags" in dialects else None
        return read_response(text, parser_for(tuple(dialects), fields), catalogue, is_cut=is_cut)
    if parser is not None:
        return read_response(text, resolve_parser(parser), catalogue, is_cut=is_cut)
    if chosen is None:
        raise UsageError("Say how to read: give a profile, a list of dialects, or a parser.")
    return read_response(text, chosen.parser, catalogue, is_cut=is_cut)


def parse_message(
    message: object,
    *,
    profile: str | Profile | None = None,
    tools: Sequence[Mapping[str, Any]] | None = None,
) -> ParseResult:
    """Check the tool calls of a provider's message, which the provider has already parsed.

    The calls are separate from the text: each has an empty span at its place in ``result.text``, and a block of its own. A call
    that the model left in the text or in its reasoning has failed: it becomes a malformed block without an action.

    Args:
        message: the decoded JSON of OpenAI's chat or Responses API or a compatible one, of Anthropic's, Gemini's, Bedrock's or
            Cohere's, or of LangChain, pydantic-ai or OpenTelemetry. It may be the message, the response around it, or the list of
            its parts. Any other JSON becomes an issue.
        profile: the profile whose catalogue to check the calls against, by name or as a value.
        tools: the tools that the model was offered, instead of a profile's catalogue; with neither, every named call
            is ``not_checked``.

    Raises:
        UnknownNameError: the profile is unknown.
        UsageError: both are given, a tool's definition is invalid, or the message is not a JSON value.

    Example:
        >>> call = {"id": "c1", "function": {"name": "add", "arguments": '{"a": 1}'}}
        >>> result = al.parse_message({"role": "assistant", "content": "On it.", "tool_calls": [call]})
        >>> result.text, result.actions[0].name, result.actions[0].call_id
        ('On it.', 'add', 'c1')
    """
    if profile is not None and tools is not None:
        raise UsageError("Give either a profile or tools: calls are checked against one catalogue.")
    require_json(message)
    if tools is not None:
        return read_provider_message(message, ToolCatalogue.of(tools))
    return read_provider_message(message, None if profile is None else _profile(profile).catalogue)


def render(calls: Iterable[AnyCall], dialect: str | Dialect) -> str:
    """Return the text that a model would write for calls in a dialect; parsing it gives exactly these calls.

    Args:
        calls: the calls, at least one: as ``parse`` returns them, or as tuples ``(name, arguments)`` or
            ``(name, arguments, call_id)`` with the arguments as JSON values by name.
        dialect: the dialect to write, by name or as a value. If it writes only strings, parsing numbers back needs the tools' schemas.

    Raises:
        UnknownNameError: the dialect is unknown.
        RenderError: the dialect can't write one of them, such as a text that contains its closing tag.
        UsageError: there is no call, a value is not a call, or no dialect is given.

    Example:
        >>> al.render([("add", {"a": 1, "b": 2})], "pythonic")
        '[add(a=1, b=2)]'
    """
    chosen = dialect_named(dialect) if isinstance(dialect, str) else dialect
    require_kind(chosen, Dialect, "A dialect is a name, one of al.dialect_names(), or a Dialect")
    require_kind(calls, Iterable, "The calls to write are a list")
    return chosen.render([_plain_call(call) for call in calls])


def _plain_call(call: AnyCall) -> PlainCall:
    match call:
        case ActionCall() | RawAction():
            return PlainCall(call.name, call.arguments, call.call_id)
        case (str(name), dict(arguments)):
            return PlainCall(name, arguments)
        case (str(name), dict(arguments), str() | None as call_id):
            return PlainCall(name, arguments, call_id)
    raise UsageError(f"A call to write is (name, arguments) or a call that was read, not {str(call)[:80]!r}.")


def prompt(profile: str | Profile, dialect: str | None = None, *, short: bool = False) -> str:
    """Return the instructions for a profile's model: the available actions and how to write them.

    Args:
        profile: the model's profile, by name or as a value.
        dialect: the dialect for actions; the profile's first if not given.
        short: whether each action gets only one line, with one example for all.

    Raises:
        UnknownNameError: the profile or dialect is unknown.
        RenderError: the dialect can't write one of the actions.
        UsageError: the profile uses a baseline parser, and no dialect is given.

    Example:
        >>> "create_task" in al.prompt("assistant")
        True
    """
    return prompt_of(_profile(profile), dialect, short=short)


def tools(profile: str | Profile) -> list[dict[str, Any]]:
    """Return a profile's actions as tools in the format of OpenAI's chat API and of ``parse(tools=…)``.

    Args:
        profile: the profile, by name or as a value.

    Raises:
        UnknownNameError: the profile is unknown.

    Example:
        >>> [tool["function"]["name"] for tool in al.tools("mint")]
        ['execute', 'solution']
    """
    return _profile(profile).catalogue.tools()


def register_profile(profile: Profile) -> Profile:
    """Register a profile by its name in this process, so that its recorded sessions are parsed with its catalogue.

    Args:
        profile: the profile; one registered earlier under the same name is replaced.

    Returns:
        The profile.

    Raises:
        UsageError: a profile that comes with the toolkit has that name.

    Example:
        >>> actions = al.ActionSet("waving")
        >>> @actions.action(example={"to": "Ada"})
        ... def wave(to: str) -> str:
        ...     "Wave at somebody."
        ...     return to
        >>> profile = al.register_profile(al.custom_profile("waving", actions=actions, dialects=["hermes"]))
        >>> "waving" in al.profile_names()
        True
    """
    return PROFILES.register(profile)


def _profile(profile: str | Profile) -> Profile:
    return resolve_profile(profile)


def profile(name: str) -> Profile:
    """Return the profile with a name.

    Raises:
        UnknownNameError: the name is unknown.
        UsageError: it comes from another package and can't be loaded.

    Example:
        >>> al.profile("assistant").parser.name
        'assistant'
    """
    return profile_named(name)


def parser(name: str) -> AnyParser:
    """Return a named parser: a configuration with a hash that identifies it in records and comparisons.

    Raises:
        UnknownNameError: the name is unknown.

    Example:
        >>> al.parser("gembrain-standard").name
        'gembrain-standard'
    """
    return parser_named(name)


def dialect_names() -> tuple[str, ...]:
    """Return the names of all dialects.

    Example:
        >>> "hermes" in al.dialect_names()
        True
    """
    return tuple(dialect.name for dialect in DIALECTS)


def profile_names() -> tuple[str, ...]:
    """Return the names of all profiles.

    Example:
        >>> "coder" in al.profile_names()
        True
    """
    return tuple(PROFILES)


def parser_names() -> tuple[str, ...]:
    """Return the names of all named parsers, including those from the documents.

    Example:
        >>> "gembrain-standard" in al.parser_names()
        True
    """
    return tuple(PARSERS)
