"""The public functions that bring several rooms together: names become profiles, parsers and ledgers."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias

from actionledger.actions.tools import ToolCatalogue
from actionledger.actions.validation import AnyCatalogue
from actionledger.errors import UsageError
from actionledger.execution.approval import Policy
from actionledger.execution.policy_file import load_policy
from actionledger.execution.profile import Profile
from actionledger.execution.prompting import prompt_of
from actionledger.ledger import Ledger
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.naming import one_session
from actionledger.ledger.queries.progress import next_turn_index
from actionledger.ledger.queries.sessions import session
from actionledger.parsing.dialects import DIALECTS, Dialect, dialect_named
from actionledger.parsing.dialects.parts.writing import PlainCall
from actionledger.parsing.parsers import PARSERS, BaselineParser, DialectParser, parser_for, parser_named
from actionledger.parsing.providers import require_json
from actionledger.profiles import PROFILES, profile_named
from actionledger.reading import read_provider_message, read_response
from actionledger.recording import Recorder
from actionledger.replay.reparse import ReparseReport, reparse_with
from actionledger.session.resume_state import recorded_workspace
from actionledger.session.session import Earlier, LiveSession
from actionledger.values import ActionCall, ParseResult, RawAction

AnyParser = DialectParser | BaselineParser

AnyCall: TypeAlias = (
    ActionCall | RawAction | tuple[str, dict[str, Any]] | tuple[str, dict[str, Any], str | None]
)
"""A call to write: one that was read, or its name, its arguments and, if it has one, its identifier."""


def parse(
    text: str,
    *,
    profile: str | Profile | None = None,
    dialects: Sequence[str] | Literal["auto"] | None = None,
    parser: str | AnyParser | None = None,
    tools: Sequence[Mapping[str, Any]] | None = None,
) -> ParseResult:
    """Read a response and check its actions; never raises on text.

    Args:
        text: the raw response, any string at all.
        profile: the profile whose parser and catalogue to use, by name or as a value.
        dialects: the dialects to look for instead of the profile's; "auto" for every one of them. Each block and action
            says which it is in.
        parser: the parser to use instead, by name or as a value.
        tools: the tools that the model was offered, as the OpenAI interface takes them; actions are checked against
            them instead of the profile's catalogue. With neither, every named action counts as valid.

    Raises:
        UnknownNameError: a name that nothing goes by.
        UsageError: nothing says how to read, or two things do, or a tool's definition is none.

    Example:
        >>> text = 'On it. <tool_call>{"name": "add", "arguments": {"a": 1,}}</tool_call>'
        >>> result = al.parse(text, dialects=["hermes"])
        >>> str(result.outcome), result.actions[0].name, result.actions[0].arguments
        ('repaired', 'add', {'a': 1})
    """
    if dialects is not None and parser is not None:
        raise UsageError("Give either dialects or a parser: a parser brings its own dialects.")
    chosen = profile_named(profile) if isinstance(profile, str) else profile
    catalogue: AnyCatalogue | None = chosen.catalogue if chosen else None
    if tools is not None:
        catalogue = ToolCatalogue.of(tools)
    if dialects == "auto":
        return read_response(text, parser_named("auto"), catalogue)
    if isinstance(dialects, str):
        raise UsageError(f"dialects is a list of names; write [{dialects!r}].")
    if dialects is not None:
        return read_response(text, parser_for(tuple(dialects)), catalogue)
    if parser is not None:
        return read_response(text, parser_named(parser) if isinstance(parser, str) else parser, catalogue)
    if chosen is None:
        raise UsageError("Say how to read: give a profile, a list of dialects, or a parser.")
    return read_response(text, chosen.parser, catalogue)


def parse_message(
    message: object,
    *,
    profile: str | Profile | None = None,
    tools: Sequence[Mapping[str, Any]] | None = None,
) -> ParseResult:
    """Read a provider's message, in which the provider has read the calls already, and check these.

    The calls stand beside the text: each has the empty span at its place in ``result.text``, and a block of its own.

    Args:
        message: the decoded JSON of OpenAI's chat or Responses interface, or of those that copy them, Anthropic's, Gemini's,
            Bedrock's or Cohere's, of LangChain, pydantic-ai or OpenTelemetry: the message, the response around it, or the
            list of its parts. Whatever other JSON it is becomes an issue.
        profile: the profile whose catalogue the calls are checked against, by name or as a value.
        tools: the tools that the model was offered, instead of a profile's catalogue; with neither, every named call
            counts as valid.

    Raises:
        UnknownNameError: there is no such profile.
        UsageError: both are given, a tool's definition is none, or the message is no JSON value.

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
    """Return the text that a model would write for calls in a dialect; it is read back as these calls and nothing else.

    Args:
        calls: the calls, at least one: as ``parse`` returns them, or as tuples ``(name, arguments)`` or
            ``(name, arguments, call_id)`` with the arguments as JSON values by name.
        dialect: how to write them, by name or as a value. One that writes only strings needs the tools' schemas to
            read numbers back as numbers.

    Raises:
        UnknownNameError: there is no such dialect.
        RenderError: the dialect has no way to write one of them, such as a text that holds its own closing tag.
        UsageError: there is no call, or something that is none.

    Example:
        >>> al.render([("add", {"a": 1, "b": 2})], "pythonic")
        '[add(a=1, b=2)]'
    """
    chosen = dialect_named(dialect) if isinstance(dialect, str) else dialect
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
    """Return what a profile's model has to be told: how actions are written, and which there are.

    Args:
        profile: what the model works under, by name or as a value.
        dialect: how it writes actions; the profile's first dialect where not given.
        short: whether each action gets only a line, and one example stands for all.

    Raises:
        UnknownNameError: there is no such profile or dialect.
        RenderError: the dialect can't write one of the actions.
        UsageError: the profile is read by a baseline parser, and no dialect is given.

    Example:
        >>> "create_task" in al.prompt("assistant")
        True
    """
    return prompt_of(_profile(profile), dialect, short=short)


def tools(profile: str | Profile) -> list[dict[str, Any]]:
    """Return a profile's actions as OpenAI's chat interface takes tools, and as ``parse(tools=…)`` does.

    Args:
        profile: by name or as a value.

    Raises:
        UnknownNameError: there is no such profile.

    Example:
        >>> [tool["function"]["name"] for tool in al.tools("mint")]
        ['execute', 'solution']
    """
    return _profile(profile).catalogue.tools()


def register_profile(profile: Profile) -> Profile:
    """Make a profile known by its name in this process, so that its recorded sessions are read with its catalogue again.

    Args:
        profile: the profile; one of the same name that was registered before is replaced.

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
    return profile_named(profile) if isinstance(profile, str) else profile


def parser(name: str) -> AnyParser:
    """Return the named parser: a configuration with a hash that records and comparisons know it by.

    Raises:
        UnknownNameError: nothing goes by that name.

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
    """Return the names of all named parsers, the documents' own among them.

    Example:
        >>> "gembrain-standard" in al.parser_names()
        True
    """
    return tuple(PARSERS)


def reparse(
    ledger: Ledger, *, parser: str | AnyParser, run: str | None = None, within: Filter | None = None
) -> ReparseReport:
    r"""Read recorded turns again with another parser, record that as a run, and say what changed.

    Args:
        ledger: where the turns are; it must be writable.
        parser: what reads them, by name or as a value.
        run: the run whose turns to read, and to compare with; all first readings where not given.
        within: a filter that narrows the turns down; its ``run_id`` is ``run``.

    Returns:
        How many turns are read the same, recovered, lost or changed, or not taken for intent by both, with the test
        over sessions.

    Raises:
        UnknownNameError: there is no such parser.
        UsageError: no recorded turn fits, or two runs are named.

    Example:
        >>> text = '```actions\n{"actions": [{"type": "list_tasks"},]}\n```'
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turn = runtime.handle(text)
        ...     report = al.reparse(ledger, parser="gembrain-standard")
        >>> report.counts["same"], report.counts["lost"]
        (0, 1)
    """
    if within is not None and run is not None:
        raise UsageError("Give either run or within: a filter names its run by run_id.")
    chosen = parser_named(parser) if isinstance(parser, str) else parser
    return reparse_with(ledger, chosen, within=within or Filter(run_id=run))


class Runtime(LiveSession):
    """A live session: hand it what the model wrote, get what came of it and what to tell the model next.

    Args:
        profile: what it runs under, by name or as a value.
        ledger: where it is recorded; nowhere where not given.
        workspace: the folder that its actions may touch; where not given, a temporary one that is removed on close,
            unless something in it still waits for approval.
        policy: which actions may run, as a value or as the path of a policy file; the profile's where not given.
        auto: whether actions that the policy would have wait for a person run without one.
        dry_run: whether actions only say what they would do.
        model: the language model's name, for the records.
        task: what the session is about, for the records.
        earlier: the recorded session that goes on (``reopen`` finds it); None for a new one.
        metadata: what else is recorded of the session, as JSON values by name; ``workspace`` and ``temporary`` are taken.
        listen: is told each event once it is recorded, in the thread that does the work.
        undo_days: how long what files held is kept for undo after the session's last change, in days; without a ledger or a
            workspace given it goes with the session.

    Raises:
        UnknownNameError: there is no such profile.
        UsageError: the workspace can't be used, the ledger lies in it, or the metadata has a name that is taken.
        PolicyError: the policy file can't be used.
        LedgerError: another process works on the same session.

    Example:
        >>> with al.Runtime("assistant") as runtime:
        ...     turn = runtime.handle(al.render([("create_task", {"content": "Call Ada"})], "actions"))
        >>> turn.observations[0].result["task_id"]
        1
    """

    def __init__(
        self,
        profile: str | Profile,
        *,
        ledger: Ledger | None = None,
        workspace: str | Path | None = None,
        policy: Policy | str | Path | None = None,
        auto: bool = False,
        dry_run: bool = False,
        model: str = "",
        task: str = "",
        earlier: Earlier | None = None,
        metadata: Mapping[str, Any] | None = None,
        listen: Recorder | None = None,
        undo_days: float = 7.0,
    ) -> None:
        chosen = _profile(profile)
        super().__init__(
            chosen,
            ledger=ledger,
            workspace=workspace,
            policy=load_policy(policy, chosen.catalogue) if isinstance(policy, str | Path) else policy,
            auto=auto,
            dry_run=dry_run,
            model=model,
            task=task,
            earlier=earlier,
            metadata=metadata,
            listen=listen,
            undo_days=undo_days,
        )

    @classmethod
    def reopen(
        cls,
        ledger: Ledger,
        session_id: str,
        *,
        profile: str | Profile | None = None,
        workspace: str | Path | None = None,
        policy: Policy | str | Path | None = None,
        auto: bool = False,
        listen: Recorder | None = None,
        undo_days: float = 7.0,
    ) -> Self:
        """Return a recorded live session that goes on where it stopped.

        Args:
            ledger: where it is recorded; it must be writable.
            session_id: the session: its id, the beginning of it, or its own name.
            profile: what it runs under, where that can't be found by its recorded name.
            workspace: the folder that its actions may touch; the recorded one where not given.
            policy: which actions may run, as for a new session.
            auto: as for a new session.
            listen: as for a new session.
            undo_days: as for a new session.

        Raises:
            UnknownNameError: there is no such profile.
            UsageError: there is no such session, its folder is gone, or the ledger lies in the folder.
            LedgerError: another process works on it.

        Example:
            >>> text = "<create_file><path>a.txt</path><content>hello</content></create_file>"
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     with al.Runtime("coder", ledger=ledger, workspace="work") as runtime:
            ...         waits = runtime.handle(text)
            ...     with al.Runtime.reopen(ledger, waits.session_id) as runtime:
            ...         turn = runtime.resume(waits.turn_id, {0: al.Decision(al.DecisionKind.APPROVED, by="ada")})
            >>> str(turn.observations[-1].status)
            'succeeded'
        """
        session_id = one_session(ledger, session_id)
        found = session(ledger, session_id)
        assert found is not None
        return cls(
            profile or found.profile,
            ledger=ledger,
            workspace=workspace or recorded_workspace(found),
            policy=policy,
            auto=auto,
            undo_days=undo_days,
            model=found.model,
            task=found.task,
            earlier=Earlier(session_id, next_turn_index(ledger, session_id)),
            listen=listen,
        )
