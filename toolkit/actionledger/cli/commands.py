"""Which commands there are, and the group that loads the one that is called: most of them need what the others don't."""

import gc
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial, wraps
from importlib import import_module
from inspect import signature
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_origin

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.main import get_group

from actionledger.cli.exits import EPILOG
from actionledger.core.errors import SourceError, UsageError
from actionledger.core.frozen import collect_seldom
from actionledger.core.patterns import regex
from actionledger.core.text import from_any_bytes, to_any_bytes

_MARK = "\1"
"""Stands before a text that is no option while options are looked for."""

_NO_OPTION = regex(rf"-\s|--[^=\s]*\s|{_MARK}")
"""What begins so names no option, since no option's name has a space: ``-- a comment``, ``- an item``; or it would lose its own mark."""

_LONG = regex(r"--([a-zA-Z]|$)")
"""What begins so is meant as an option, whether there is such a one or not; or as their end."""


class Command(TyperCommand):
    """A command whose arguments may be SQL that begins with a comment, or a list in Markdown."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, which load pydantic only for what has to be made of a value."""
        return _with_less(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take the arguments apart; ``as_written`` takes the marks off."""
        marked = [_MARK + each if _NO_OPTION.match(each) else each for each in args]
        for option, following in self._valueless(ctx, marked):
            if following in ctx.help_option_names:
                return super().parse_args(ctx, [following])
            if not ctx.resilient_parsing:
                ctx.fail(
                    f"Option {option!r} requires an argument, and {following!r} is none; if it is meant as the value, write "
                    f"{_with_value(option, following)}."
                )
        return super().parse_args(ctx, marked)

    def _valueless(self, ctx: Any, args: list[str]) -> Iterator[tuple[str, str]]:
        """Yield options that take a value and have another option behind them, with that one."""
        options = [each for each in self.get_params(ctx) if isinstance(each, TyperOption)]
        names = {name for each in options for name in (*each.opts, *each.secondary_opts)}
        valued = {name for each in options if not (each.is_flag or each.count) for name in each.opts}
        for option, following in takewhile(lambda pair: pair[0] != "--", pairwise(args)):
            if option in valued and (following in names or _LONG.match(following)):
                yield option, following


def _with_less(parameters: list[Any]) -> list[Any]:
    for each in parameters:
        if "process_value" not in vars(each):
            each.process_value = partial(_processed, each, each.process_value)
    return parameters


_MISSING: tuple[object, ...] = (None, (), [])


def _processed(parameter: Any, process: Callable[[Any, Any], Any], ctx: Any, value: Any) -> Any:
    """Return a parameter's value as typer does, without pydantic where that makes nothing of it: slow to load, and most are not given."""
    made = _as_given(parameter, value)
    if made is _NOT_SO or (parameter.required and made in _MISSING):
        return process(ctx, value)
    return made if parameter.callback is None else parameter.callback(ctx, parameter, made)


_NOT_SO = object()


def _as_given(parameter: Any, value: Any) -> Any:
    """Return what a value becomes that is not looked at: of nothing, of a default, and of a text or path of any kind."""
    if value is None:
        return () if parameter.multiple or parameter.nargs == -1 else None
    described = getattr(parameter, "type_descriptor", None)
    kind, about = getattr(described, "annotation", None), getattr(described, "parameter_info", None)
    if kind in {bool, int, float} and type(value) is kind and value == parameter.default:
        return value
    several = get_origin(kind) is list and isinstance(value, list | tuple)
    if several:
        [kind] = get_args(kind)
    texts = value if several else [value]
    if (
        about is None
        or kind not in {str, Path}
        or _is_looked_at(about)
        or not all(type(each) is str for each in texts)
    ):
        return _NOT_SO
    return list(map(kind, texts)) if several else kind(value)


def _is_looked_at(about: Any) -> bool:
    asks = (about.parser, about.exists, about.readable, about.writable, about.resolve_path, about.path_type)
    return any(asks) or not (about.file_okay and about.dir_okay)


def _with_value(option: str, value: str) -> str:
    """Return how a value is given that looks like an option: a short option has it right behind it."""
    return f"{option}={value}" if option.startswith("--") else f"{option}{value}"


def as_written(run: Callable[..., Any]) -> Callable[..., Any]:
    """Return what runs a command with its arguments as they were written."""

    @wraps(run)
    def checked(**given: Any) -> Any:
        return run(**{name: _value(name, value) for name, value in given.items()})

    return checked


def response_in(file: Path | None) -> str:
    """Return the response that a file or standard input holds, whatever its bytes."""
    try:
        data = sys.stdin.buffer.read() if file in {None, Path("-")} else file.read_bytes()
    except OSError as error:
        raise SourceError(f"The file {str(file)!r} can't be read: {error.strerror}.") from error
    return from_any_bytes(data)


def _value(name: str, value: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(_value(name, each) for each in value)
    if type(value) is str:
        # A text; a file's name may be any bytes, a text may not.
        text = value.removeprefix(_MARK)
        try:
            text.encode()
        except UnicodeEncodeError as error:
            shown = repr(to_any_bytes(text))[1:]
            raise UsageError(
                f"What is given for {name} is no UTF-8 text at character {error.start}: {shown[:200]}; write it in UTF-8."
            ) from error
        return text
    if isinstance(value, Path):
        return Path(str(value).removeprefix(_MARK))
    return value


class Entry(NamedTuple):
    """Where a command is, and what the list of commands says of it.

    Args:
        place: the module beside this one, and what in it is the command: a function, or a ``Typer`` of several.
        help: its help's first sentence.
    """

    place: str
    help: str


COMMANDS = {
    "demo": Entry(
        "demo:demo",
        "Read, check and run the sample sessions, play a few live ones, record all of it, and print how far they got.",
    ),
    "parse": Entry("prompts:parse", "Read one response and show its blocks, repairs, actions and issues."),
    "import": Entry(
        "imports:import_recordings",
        "Take in recorded sessions of any known format, which is found out; what is there already is passed over.",
    ),
    "proxy": Entry(
        "capture:proxy",
        "Pass an agent's requests on to its model's server, and record what comes back, until interrupted.",
    ),
    "otlp-receiver": Entry(
        "capture:otlp_receiver",
        "Take in the spans that programs send by OpenTelemetry's protocol over HTTP, until interrupted.",
    ),
    "mcp-proxy": Entry(
        "capture:mcp_proxy",
        "Run a server of the Model Context Protocol in its place, and record each call of its tools.",
    ),
    "watch": Entry(
        "capture:watch",
        "Take in the sessions in a folder, and what is written there from now on, until interrupted.",
    ),
    "migrate": Entry(
        "upkeep:migrate",
        "Bring a whole ledger from one file into a lake, or back: all of it, counted row by row, or nothing.",
    ),
    "compact": Entry(
        "upkeep:compact",
        "Join the small files of a ledger in a lake, and let go of states of the past; agents and readers go on.",
    ),
    "committer": Entry(
        "upkeep:committer",
        "Take in what hosts ship to a lake's queue, many pieces in a commit, until interrupted; one for each lake.",
    ),
    "ingest": Entry("imports:ingest", "Bring what writers have flushed into the database, and publish it."),
    "show": Entry(
        "inspection:show",
        "Show a turn annotated, with what came of it; a session's turns; or the sessions, those with a turn that the options pick.",
    ),
    "report": Entry("report:report", "Print how far the recorded responses got, and why the others didn't."),
    "failures": Entry(
        "failures:show_failures",
        "Group what fails in reading, checking and acting, the costliest first, with what it made sessions spend.",
    ),
    "shrink": Entry(
        "shrink:shrink_recorded",
        "Print the smallest text that still fails as a recorded response does, or one for each group of failures.",
    ),
    "case": Entry(
        "cases:app", "Keep responses as cases, a file each, and check that they are still read so."
    ),
    "usage": Entry(
        "usage:show_usage",
        "Print tokens and cost by day, project, model, tool and the like, with what failures cost.",
    ),
    "tools": Entry(
        "usage:show_tools",
        "Print how often each tool is called, how often a call fails and why, and how long it takes.",
    ),
    "check": Entry(
        "alerts.command:check_rules",
        "Hold the rules of alerts against a ledger; exit code 4 where one fires.",
    ),
    "loops": Entry(
        "failures:show_loops",
        "Look through the recorded sessions for loops, as the guard of live ones does.",
    ),
    "sql": Entry(
        "sql:sql",
        "Ask the ledger a question of your own: one statement that reads; it reaches no file, network or setting.",
    ),
    "replay": Entry("replay:replay", "Read recorded turns again with another parser, and say what changed."),
    "compare": Entry(
        "comparison:compare_sides",
        "Compare two runs turn by turn, or two models, sources or times as sets.",
    ),
    "gate": Entry(
        "gate:judge",
        "Hold a parser or a run against a baseline; exit code 4 where it makes recorded turns worse, 5 where too few of them meant to act.",
    ),
    "bless": Entry(
        "gate:bless_readings",
        "Write what was read as the baseline of a gate: a small file that needs no ledger.",
    ),
    "recheck": Entry(
        "replay:recheck_calls",
        "Ask what would have come of recorded calls under another schema, policy or rate; nothing runs.",
    ),
    "agreement": Entry(
        "replay:show_agreement",
        "Put what is read here beside what the recordings' own runtimes made of their calls, and list where they differ.",
    ),
    "rerun": Entry(
        "rerun:rerun_sessions",
        "Run recorded sessions again in a fresh workspace; exit code 4 where one parts from the record, whatever the cause, 1 where none can be run.",
    ),
    "fork": Entry(
        "rerun:fork_session",
        "Go on from a turn of a recorded session with another response, another policy or a live model, as a session of its own.",
    ),
    "run": Entry("run:run", "Run a live session with a model, or one response; all of it is recorded."),
    "repl": Entry(
        "repl:repl",
        "Talk with a model; look at the actions that it asks for, run them, take them back. All of it is recorded.",
    ),
    "orchestrator": Entry(
        "orchestrator:app",
        "Send a directive down the layers, answer what they ask, see what they planned and filed.",
    ),
    "reasoner": Entry("reasoner:app", "A persona that plans what to do about what happens, and does it."),
    "prompt": Entry(
        "prompts:prompt",
        "Print the instructions for a profile's model: how actions are written, and which there are.",
    ),
    "schema": Entry(
        "prompts:schema", "Print the JSON Schema of a profile's actions, or of one action's arguments."
    ),
    "actions": Entry("prompts:actions", "List a profile's actions with their fields."),
    "doctor": Entry(
        "upkeep:doctor",
        "Look at how a ledger is, and say what to do about it; --fix mends what can be mended safely.",
    ),
    "verify": Entry(
        "upkeep:verify",
        "Look whether a ledger holds what was taken in; say what was changed, lost or put there, the first place first.",
    ),
    "forget": Entry(
        "erasure:forget_sessions",
        "Remove all that is recorded of sessions from every file of a ledger, and keep that it was done.",
    ),
    "approvals": Entry("approvals:app", "Decide about actions that wait for a person."),
    "reviews": Entry("reviews:app", "Say what is right and wrong about turns, and see what others say."),
    "export": Entry(
        "export:app", "Write what a ledger has: rows, whole sessions, reports, spans, trajectories."
    ),
    "dashboard": Entry("dashboard:dashboard", "Serve the dashboard to this machine until interrupted."),
}
"""Every command by name, in the order of their list."""


class Commands(TyperGroup):
    """The commands by name; what the list shows of them is known, the rest is loaded for the one that is called."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, entry in COMMANDS.items():
            self.add_command(TyperCommand(name, help=entry.help))

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters; as a command's."""
        return _with_less(super().get_params(ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the arguments name, and its own arguments."""
        name, listed, rest = super().resolve_command(ctx, args)
        command = load(name) if listed else None
        if not gc.isenabled():
            gc.freeze()
            collect_seldom()  # it goes on loading what it needs
            gc.enable()
        return name, command, rest


@cache
def load(name: str) -> Any:
    """Return a command as typer runs it."""
    module, attribute = COMMANDS[name].place.split(":")
    found = getattr(import_module(f"actionledger.cli.{module}"), attribute)
    around = typer.Typer(rich_markup_mode=None)
    if isinstance(found, typer.Typer):
        around.add_typer(found, name=name)
    else:
        around.command(name)(found)
    _make_alike(around)
    return get_group(around).commands[name]


def _make_alike(group: typer.Typer) -> None:
    """Set for every command how arguments are parsed, and list the exit codes below its help."""
    for command in group.registered_commands:
        assert command.callback
        # Let who reads a file say that it can't be read: that is a fault, which typer takes for wrong use.
        run = command.callback
        for parameter in signature(run).parameters.values():
            for option in getattr(parameter.annotation, "__metadata__", ()):
                option.readable = False
        command.cls, command.callback, command.epilog = Command, as_written(command.callback), EPILOG
    for inner in group.registered_groups:
        inner.epilog = EPILOG
        if inner.typer_instance:
            _make_alike(inner.typer_instance)
