"""IPython and Jupyter magics of ``%load_ext actionledger``: ``%%action`` parses a cell, ``%%sql`` and ``%sql`` query a ledger."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from IPython.core import magic_arguments as given
from IPython.core.error import UsageError as ShownError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, cell_magic, line_cell_magic, magics_class

from actionledger.api import parse
from actionledger.core.errors import ActionLedgerError, UsageError
from actionledger.core.values import ParseResult
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.guarding.guard import SECONDS

FRAMES = ("pandas", "polars", "arrow")

_MOST_SECONDS = 24 * 60 * 60


def load(shell: InteractiveShell) -> None:
    """Register the magics in a shell."""
    shell.register_magics(LedgerMagics)


@magics_class
class LedgerMagics(Magics):
    """The magics of one shell."""

    def __init__(self, shell: InteractiveShell) -> None:
        super().__init__(shell)
        self._shell = shell
        self._asked: Ledger | Path | None = None

    @given.magic_arguments()
    @given.argument("name", nargs="?", help="The variable that keeps the ParseResult.")
    @given.argument("--profile", "-p", help="Read it under this profile: its parser and its catalogue.")
    @given.argument("--parser", help="Read it with this named parser.")
    @given.argument(
        "--dialect", "-d", action="append", help="Look for this dialect; may be given several times."
    )
    @given.argument("--tools", "-t", help="The variable with the tools that were offered.")
    @cell_magic
    def action(self, line: str, cell: str) -> ParseResult:
        """Read and check the cell as if a model had written it; with nothing said, every dialect is looked for."""
        with _errors_in_words():
            asked = _options(self.action, line)
            names_none = not (asked.profile or asked.parser or asked.dialect)
            result = parse(
                cell.removesuffix("\n"),
                profile=asked.profile,
                parser=asked.parser,
                dialects="auto" if names_none else asked.dialect,
                tools=None if asked.tools is None else self._variable(asked.tools),
            )
            self._keep(asked.name, result)
            return result

    @given.magic_arguments()
    @given.argument("name", nargs="?", help="The variable that keeps the data frame.")
    @given.argument(
        "--ledger", "-l", help="The variable with the ledger, or its path; from then on that is asked."
    )
    @given.argument("--as", dest="frame", choices=FRAMES, default="pandas", help="What the data frame is.")
    @given.argument("--seconds", type=float, default=SECONDS, help="How long the statement may take.")
    @line_cell_magic
    def sql(self, line: str, cell: str | None = None) -> object:
        """Ask a ledger: one statement that reads, and reaches no file, network or setting; a data frame comes back.

        As a line, all of it is the statement, asked of the same ledger as before.
        """
        with _errors_in_words():
            asked = _options(self.sql, "" if cell is None else line)
            frame = self._frame(line if cell is None else cell, asked)
            self._keep(asked.name, frame)
            return frame

    def _frame(self, statement: str, asked: Any) -> object:
        with self._ledger(asked.ledger) as ledger, ledger.guarded(seconds=asked.seconds) as guarded:
            match asked.frame:
                case "polars":
                    return guarded.pl(statement)
                case "arrow":
                    return guarded.arrow(statement)
            return guarded.df(statement)

    @contextmanager
    def _ledger(self, named: str | None) -> Iterator[Ledger]:
        """Provide the named ledger, the last one used, or the only open one."""
        before = self._asked
        if isinstance(before, Ledger) and not before.is_open:
            before = None
        meant = self._named(named) if named else before or self._only_one()
        self._asked = meant
        if isinstance(meant, Ledger):
            yield meant
        else:
            with open_ledger(meant, read_only=True) as opened:
                yield opened

    def _named(self, name: str) -> Ledger | Path:
        found = self._shell.user_ns.get(name)
        if isinstance(found, Ledger):
            return found
        path = Path(name).expanduser()
        if not path.exists():
            raise UsageError(f"{name!r} is neither a variable with an open ledger nor a file.")
        return path

    def _only_one(self) -> Ledger:
        values = self._shell.user_ns.values()
        found = {id(value): value for value in values if isinstance(value, Ledger) and value.is_open}
        if len(found) != 1:
            what = "no variable has an open ledger" if not found else f"{len(found)} variables have one"
            raise UsageError(f"Say which ledger with %%sql --ledger NAME, a variable or a path: {what}.")
        return next(iter(found.values()))

    def _variable(self, name: str) -> Any:
        if name not in self._shell.user_ns:
            raise UsageError(f"There is no variable {name!r}.")
        return self._shell.user_ns[name]

    def _keep(self, name: str | None, value: object) -> None:
        if name is None:
            return
        if not name.isidentifier():
            raise UsageError(f"{name!r} can't be the name of a variable.")
        self._shell.push({name: value})


def _options(magic: Any, line: str) -> Any:
    """Return a line's options."""
    try:
        asked = given.parse_argstring(magic, line)
    except ValueError as error:
        raise UsageError(f"The line {line!r} can't be read: {str(error).lower()}.") from error
    seconds = getattr(asked, "seconds", SECONDS)
    if not 0 < seconds <= _MOST_SECONDS:
        raise UsageError(f"--seconds takes more than 0 and at most {_MOST_SECONDS:,}; {seconds} is not.")
    return asked


@contextmanager
def _errors_in_words() -> Iterator[None]:
    """Report a usage error as a sentence, without a traceback through the magics."""
    try:
        yield
    except ActionLedgerError as error:
        raise ShownError(str(error)) from error
