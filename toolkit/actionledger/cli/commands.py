"""The list of commands, and the group that loads only the one called, since each needs other slow imports."""

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
"""Mark before a text that must not be taken for an option while options are parsed."""

_NO_OPTION = regex(rf"-\s|--[^=\s]*\s|{_MARK}")
"""Matches a text that is not an option, such as ``-- a comment``, since no option's name has a space; or one that begins with the mark."""

_LONG = regex(r"--([a-zA-Z]|$)")
"""Matches a text meant as an option, known or not, or as the end of options."""


class Command(TyperCommand):
    """A command whose arguments may be SQL that begins with a comment, or a list in Markdown."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters; pydantic is loaded only for values that need conversion."""
        return _with_less(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; ``as_written`` removes the marks."""
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

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and options, with the filter options, which many commands share, below them."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": [], "Filters": []}
        for each in self.get_params(ctx):
            if shown := each.get_help_record(ctx):
                usual = "Options" if each.param_type_name == "option" else "Arguments"
                sections[getattr(each, "rich_help_panel", None) or usual].append(shown)
        for title, rows in sections.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def _valueless(self, ctx: Any, args: list[str]) -> Iterator[tuple[str, str]]:
        """Yield options that need a value but are followed by another option, with that option."""
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
    """Return a parameter's value as typer does, but load pydantic, which is slow, only for a value that needs conversion."""
    made = _as_given(parameter, value)
    if made is _NOT_SO or (parameter.required and made in _MISSING):
        return process(ctx, value)
    return made if parameter.callback is None else parameter.callback(ctx, parameter, made)


_NOT_SO = object()


def _as_given(parameter: Any, value: Any) -> Any:
    """Return a value that needs no conversion: None, a default, a text or a path."""
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
    """Return how to give a value that looks like an option: directly after a short option."""
    return f"{option}={value}" if option.startswith("--") else f"{option}{value}"


def as_written(run: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that runs a command with its arguments as written."""

    @wraps(run)
    def checked(**given: Any) -> Any:
        return run(**{name: _value(name, value) for name, value in given.items()})

    return checked


def response_in(file: Path | None) -> str:
    """Return the response in a file or on standard input, whatever its bytes."""
    try:
        data = sys.stdin.buffer.read() if file in {None, Path("-")} else file.read_bytes()
    except OSError as error:
        raise SourceError(f"The file {str(file)!r} can't be read: {error.strerror}.") from error
    return from_any_bytes(data)


def _value(name: str, value: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(_value(name, each) for each in value)
    if type(value) is str:
        # A text must be valid Unicode; a file's name may be any bytes.
        text = value.removeprefix(_MARK)
        try:
            text.encode()
        except UnicodeEncodeError as error:
            shown = repr(to_any_bytes(text))[1:]
            raise UsageError(
                f"What is given for {name} is not UTF-8 text at character {error.start}: {shown[:200]}; write it in UTF-8."
            ) from error
        return text
    if isinstance(value, Path):
        return Path(str(value).removeprefix(_MARK))
    return value


class Entry(NamedTuple):
    """A command's place, and its line in the list of commands."""

    place: str  # the module in this package and its member: a function, or a `Typer` with several commands
    help: str  # the first sentence of its help


GROUPS = {
    "Import and record": {
        "import": Entry(
            "imports:import_recordings", "Import recorded sessions; detects formats, skips known turns."
        ),
        "watch": Entry("capture:watch", "Import the sessions in a folder, and new ones as they come."),
        "proxy": Entry("capture:proxy", "Forward an agent's requests to its model, and record them."),
        "otlp-receiver": Entry(
            "capture:otlp_receiver", "Receive OpenTelemetry spans over HTTP, and record them."
        ),
        "mcp-proxy": Entry("capture:mcp_proxy", "Run an MCP server and record each call of its tools."),
    },
    "Look at records": {
        "dashboard": Entry("dashboard:dashboard", "Serve the dashboard on this machine."),
        "show": Entry("inspection:show", "List sessions; show a session's turns, or one turn annotated."),
        "report": Entry("report:report", "Print parse and execution rates, failures and usage."),
        "failures": Entry("failures:show_failures", "Group failures by kind, the most expensive first."),
        "usage": Entry("usage:show_usage", "Print tokens and cost by day, project, model, tool and more."),
        "tools": Entry("usage:show_tools", "Print each tool's calls, failures, reasons and durations."),
        "loops": Entry("failures:show_loops", "Find sessions in which the model repeats itself."),
        "agreement": Entry("replay:show_agreement", "List calls that the recorded agent judged differently."),
        "sql": Entry("sql:sql", "Run one SELECT over the ledger, in a sandbox."),
        "export": Entry("export:app", "Write rows, sessions, reports, spans or trajectories."),
        "reviews": Entry("reviews:app", "Write and list reviews of turns."),
        "check": Entry(
            "alerts.command:check_rules", "Check alert rules against a ledger; exit code 4 if one fires."
        ),
    },
    "Parse, replay and compare": {
        "parse": Entry("prompts:parse", "Parse one response and show its actions, repairs and issues."),
        "replay": Entry("replay:replay", "Parse recorded turns with another parser, and compare."),
        "compare": Entry("comparison:compare_sides", "Compare two runs, models, sources or periods."),
        "gate": Entry("gate:judge", "Compare a parser with a baseline; exit code 4 if it is worse."),
        "bless": Entry(
            "gate:bless_readings", "Write the readings as a baseline file, which needs no ledger."
        ),
        "recheck": Entry(
            "replay:recheck_calls", "Check recorded calls against another schema, policy or rate."
        ),
        "rerun": Entry("rerun:rerun_sessions", "Run recorded sessions again; exit code 4 if one diverges."),
        "fork": Entry("rerun:fork_session", "Continue a recorded session from a turn in another way."),
        "shrink": Entry(
            "shrink:shrink_recorded", "Print the smallest text that fails like a recorded response."
        ),
        "case": Entry("cases:app", "Keep responses as test cases, and check how they parse."),
    },
    "Run a model": {
        "demo": Entry("demo:demo", "Run and record the sample sessions, and print their rates."),
        "run": Entry("run:run", "Run a live session with a model, or one response."),
        "repl": Entry("repl:repl", "Chat with a model, run its actions and undo them, recorded."),
        "orchestrator": Entry(
            "orchestrator:app", "Send a directive to layers of models, and follow their work."
        ),
        "reasoner": Entry("reasoner:app", "Run a persona that plans and acts on events."),
        "approvals": Entry("approvals:app", "List and decide actions that wait for a person."),
        "prompt": Entry("prompts:prompt", "Print the instructions for a profile's model."),
        "schema": Entry("prompts:schema", "Print the JSON Schema of a profile's actions."),
        "actions": Entry("prompts:actions", "List a profile's actions with their fields."),
    },
    "Maintain a ledger": {
        "doctor": Entry("upkeep:doctor", "Check a ledger's health; --fix repairs what is safe."),
        "verify": Entry("upkeep:verify", "Verify that the records are as they were written."),
        "forget": Entry(
            "erasure:forget_sessions", "Erase all records of sessions from every file of a ledger."
        ),
        "ingest": Entry("imports:ingest", "Load flushed records into the database and publish it."),
        "migrate": Entry("upkeep:migrate", "Copy a whole ledger from one file into a lake, or back."),
        "compact": Entry("upkeep:compact", "Merge a lake's small files and drop old states."),
        "committer": Entry("upkeep:committer", "Commit what hosts ship to a lake; run one for each lake."),
    },
}
"""The commands of the list by name, under its headings."""

COMMANDS = {name: entry for entries in GROUPS.values() for name, entry in entries.items()}
"""Every command by name."""


class Commands(TyperGroup):
    """The commands by name; their list is known here, and only the called one is loaded."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, entry in COMMANDS.items():
            self.add_command(TyperCommand(name, help=entry.help))

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, as for a command."""
        return _with_less(super().get_params(ctx))

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - typer's
        """Write the list of commands under their headings."""
        width = max(map(len, COMMANDS))
        for title, entries in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:<{width}}", entry.help) for name, entry in entries.items()])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command named by the arguments, and its own arguments."""
        name, listed, rest = super().resolve_command(ctx, args)
        command = load(name) if listed else None
        if not gc.isenabled():
            gc.freeze()
            collect_seldom()  # the command goes on loading modules
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
    """Set the argument parsing of every command, and list the exit codes below its help."""
    for command in group.registered_commands:
        assert command.callback
        # The code that reads the file reports an unreadable one as a fault; typer would report wrong usage.
        run = command.callback
        for parameter in signature(run).parameters.values():
            for option in getattr(parameter.annotation, "__metadata__", ()):
                option.readable = False
        command.cls, command.callback, command.epilog = Command, as_written(command.callback), EPILOG
    for inner in group.registered_groups:
        inner.epilog = EPILOG
        if inner.typer_instance:
            _make_alike(inner.typer_instance)
