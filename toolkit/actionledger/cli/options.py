"""Options shared by several commands: the ledger, the parse attempt, files of tools."""

import hashlib
import json
import shlex
import warnings
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from actionledger.cli.tables import print_note
from actionledger.core.errors import LedgerError, SourceError, UsageError
from actionledger.core.files import state_folder

if TYPE_CHECKING:
    from actionledger.ledger import Ledger
    from actionledger.ledger.queries.readings import RecordedReading
    from actionledger.runtime.models import Model


READING = typer.Argument(
    metavar="SESSION#TURN|ATTEMPT",
    help="Turn, such as retry-backoff#3, or the beginning of a parse attempt's id",
)
RunOption = Annotated[
    str | None, typer.Option("--run", help="Run whose reading counts; default: the first one")
]


AlertsOption = Annotated[
    Path | None,
    typer.Option(
        "--alerts",
        metavar="FILE",
        help="File of alert rules to check every minute; alerts are recorded and sent",
    ),
]


def alert_clock(ledger: Path, rules: Path | None) -> AbstractContextManager[object]:
    """Return a context that checks a rules file every minute; one that does nothing if no file is named."""
    if rules is None:
        return nullcontext()
    from actionledger.cli.alerts.raising import AlertClock  # noqa: PLC0415 - rules are seldom given
    from actionledger.cli.alerts.rules import rules_in  # noqa: PLC0415 - the same

    return AlertClock(ledger, rules_in(rules), lambda sentence: print_note(sentence, style="yellow"))


def turn_named(text: str) -> tuple[str, int]:
    """Return the session and index in ``SESSION#TURN``."""
    name, _, index = text.rpartition("#")
    if not name or not index.isdecimal():
        raise UsageError(f"{text!r} names no turn; write SESSION#TURN, such as retry-backoff#3.")
    return name, int(index)


def resolve_reading(ledger: "Ledger", which: str, run: str | None) -> "RecordedReading":
    """Return the recorded parse named by a command's argument."""
    # Slow to load, and needed by few commands.
    from actionledger.ledger.queries.names import one_run, one_session  # noqa: PLC0415
    from actionledger.ledger.queries.readings import reading_of_attempt, reading_of_turn  # noqa: PLC0415

    if "#" not in which:
        return reading_of_attempt(ledger, which)
    session, turn = turn_named(which)
    run_id = None if run is None else one_run(ledger, run)
    return reading_of_turn(ledger, one_session(ledger, session), turn, run_id)


_SHOWN = 20


def tools_in(file: Path) -> list[Any]:
    """Load the tools from a file, and warn about parts of their schemas that are not checked."""
    tools = _listed(file)
    from actionledger.actions.tools import ToolCatalogue, ToolWarning  # noqa: PLC0415 - slow to load, and few commands are given tools

    # A later load would warn again, and name a line of this package, while the user knows only the file.
    warnings.simplefilter("ignore", ToolWarning)
    told = ToolCatalogue.of(tools).warnings
    for sentence in told[:_SHOWN]:
        print_note(sentence, style="yellow")
    if (more := len(told) - _SHOWN) > 0:
        print_note(f"… and {more:,} more of the kind.", style="yellow")
    return tools


def _listed(file: Path) -> list[Any]:
    try:
        tools = json.loads(file.read_bytes())
    except OSError as error:
        raise SourceError(f"The file {str(file)!r} can't be read: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:
        raise SourceError(f"The file {str(file)!r} is not JSON: {error}.") from error
    if not isinstance(tools, list):
        raise UsageError(f"{str(file)!r} holds no list of tools, but {type(tools).__name__}.")
    return tools


DEFAULT_LEDGER = Path("actionledger.duckdb")

_NAME_CHARACTERS = 40


def ledger_aside() -> Path:
    """Return the ledger of the current folder that is stored outside it."""
    here = Path.cwd().resolve()
    name = here.name[:_NAME_CHARACTERS] or "root"
    return state_folder() / "ledgers" / f"{name}-{hashlib.sha256(bytes(here)).hexdigest()[:12]}.duckdb"


def ledger_of_agent(ledger: Path | None, workspace: Path | None) -> Path:
    """Return the ledger for a command that runs an agent; if its place is unexpected, print it."""
    chosen = ledger or DEFAULT_LEDGER
    if workspace is None:
        return chosen
    try:
        from actionledger.runtime.session.folder import refuse_reachable  # noqa: PLC0415 - it loads the ledger

        refuse_reachable(chosen, workspace)
    except UsageError:
        if ledger is not None:
            raise
        aside = ledger_aside()
        print_note(f"Ledger: {aside} (an agent's record must not lie in its workspace)")
        return aside
    return chosen


def ledger_to_read(ledger: Path | None) -> Path:
    """Return the ledger for a command that reads one; it may be missing."""
    if ledger is not None:
        return ledger
    aside = ledger_aside()
    if not aside.exists():
        return DEFAULT_LEDGER
    if DEFAULT_LEDGER.exists():
        raise LedgerError(
            f"This folder has two ledgers: {DEFAULT_LEDGER} in it, and {aside}, of agents that work in it. Say which with --ledger."
        )
    return aside


def existing(ledger: Path | None) -> Path:
    """Return an existing ledger's path, for commands that would otherwise create an empty one."""
    found = ledger_to_read(ledger)
    if not found.exists():
        raise LedgerError(
            f"There is no ledger at {found}; 'actionledger import --help' shows how to make one."
        )
    return found


LedgerOption = Annotated[
    Path | None,
    typer.Option(
        "--ledger",
        "-l",
        envvar="ACTIONLEDGER_LEDGER",
        help="Ledger file, NAME.duckdb; default: actionledger.duckdb in the current folder",
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model", "-m", help="openai:NAME@BASE_URL, ollama:NAME, recorded:SESSION or scripted:FILE"
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table")]
AutoOption = Annotated[bool, typer.Option("--auto", help="Don't wait for a person's approval")]
AgainstOption = Annotated[
    str | None,
    typer.Option(
        "--against",
        metavar="WHEEL|FOLDER|COMMIT",
        help="Use another version of actionledger: wheel, source folder, commit, branch or tag. Its code runs with your "
        "rights",
    ),
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Show what would happen, and do nothing")]
UnconfinedOption = Annotated[
    bool,
    typer.Option(
        "--unconfined-commands",
        help="Let commands run without a sandbox; on macOS there is none",
    ),
]
NetworkOption = Annotated[
    bool,
    typer.Option("--command-network", help="Let commands use the network"),
]
LineNumbersOption = Annotated[
    bool, typer.Option("--line-numbers", help="Tell the coder's model each line of a file behind its number.")
]


def command_words(command: str, *values: object, ledger: Path | None = None) -> str:
    """Return a command as the user can type it."""
    option = [] if ledger is None else ["--ledger", str(ledger)]
    return f"actionledger {command} {shlex.join([*map(str, values), *option])}"


def check_model(spec: str, ledger: Path) -> None:
    """Refuse an unknown model before a ledger is created for it."""
    if spec.startswith("recorded:"):
        existing(ledger)
        return
    from actionledger.runtime.models import model_from  # noqa: PLC0415 - slow to load, and most commands take no model

    with ExitStack() as stack:
        model = model_from(spec)
        if isinstance(model, AbstractContextManager):
            stack.enter_context(model)


def opened_model(spec: str, ledger: "Ledger", stack: ExitStack) -> "Model":
    """Return a model by name, to be closed with the stack."""
    from actionledger.runtime.models import model_from  # noqa: PLC0415 - the same

    model = model_from(spec, ledger=ledger)
    if isinstance(model, AbstractContextManager):
        stack.enter_context(model)
    return model
