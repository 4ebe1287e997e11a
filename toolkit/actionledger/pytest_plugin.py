"""Pytest plugin that collects case files and recorded sessions as tests; the package is loaded only if one is collected.

Every ``.case.toml`` file that pytest finds is a test, and so is every ``.toml`` file in the folders of the ini option
``actionledger_cases``. The ini option or argument ``actionledger_ledger`` names a ledger: each of its sessions is a test that its
recorded responses are still parsed as before.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from actionledger.ledger import Ledger
    from actionledger.ledger.queries.readings import RecordedReading

_SUFFIX = ".case.toml"
_CASES, _LEDGER = "actionledger_cases", "actionledger_ledger"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the plugin's options."""
    parser.addini(_CASES, "Folders of cases: each .toml in them is a test.", type="paths", default=[])
    parser.addini(
        _LEDGER, "A ledger: that its responses are still read as recorded is a test a session.", default=""
    )
    parser.getgroup("actionledger").addoption(
        "--actionledger-ledger",
        metavar="PATH",
        default=None,
        help="A ledger: that its responses are still read as recorded is a test a session.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the collector of a ledger if one is named."""
    if path := _ledger(config):
        config.pluginmanager.register(_LedgerPlugin(path), "actionledger_recorded")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "CaseFile | None":
    if file_path.suffix != ".toml":
        return None
    if file_path.name.endswith(_SUFFIX) or any(
        file_path.is_relative_to(folder) for folder in parent.config.getini(_CASES)
    ):
        return CaseFile.from_parent(parent, path=file_path)
    return None


def _ledger(config: pytest.Config) -> Path | None:
    asked: str | None = config.getoption("--actionledger-ledger")
    if asked:
        return config.invocation_params.dir / asked
    named: str = config.getini(_LEDGER)
    return config.rootpath / named if named else None


class ReadOtherwise(Exception):  # noqa: N818 - the result of a failing test
    """Raised if a response is parsed differently than expected."""


class CaseFile(pytest.File):
    """A file with one case."""

    def collect(self) -> Iterator["CaseItem"]:
        yield CaseItem.from_parent(self, name=self.path.name.removesuffix(".toml").removesuffix(".case"))


class _Item(pytest.Item):
    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return a failure's text: only the difference, if it is one."""
        from actionledger.core.errors import ActionLedgerError  # noqa: PLC0415 - only on a failure

        if isinstance(excinfo.value, ReadOtherwise | ActionLedgerError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)


class CaseItem(_Item):
    """A case."""

    def runtest(self) -> None:
        """Parse the case and compare."""
        from actionledger.core.text import printable  # noqa: PLC0415
        from actionledger.replay.cases import load_case  # noqa: PLC0415 - only if there is a case

        case = load_case(self.path)
        if left := case.differences():
            raise ReadOtherwise(printable(f"{case.why}\n{left}", kept="\n"))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the case's location."""
        return self.path, 0, f"case {self.name}"


class _LedgerPlugin:
    """Collects a ledger's sessions in addition to other tests."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ledger: Ledger | None = None

    def opened(self) -> "Ledger":
        """Return the ledger, opened once for all its sessions."""
        from actionledger.core.errors import ActionLedgerError  # noqa: PLC0415 - only if a ledger is named
        from actionledger.ledger import open_ledger  # noqa: PLC0415

        if self._ledger is None:
            try:
                self._ledger = open_ledger(self._path, read_only=True)
            except ActionLedgerError as error:
                raise pytest.UsageError(f"actionledger: {error}") from error
        return self._ledger

    def pytest_unconfigure(self) -> None:
        """Close it."""
        if self._ledger is not None:
            self._ledger.close()

    @pytest.hookimpl(tryfirst=True)  # before pytest deselects by name
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Add the sessions."""
        items += LedgerFile.from_parent(session, path=self._path, opened=self.opened).collect()


class LedgerFile(pytest.File):
    """A ledger."""

    def __init__(self, *, opened: Callable[[], "Ledger"], **given: Any) -> None:
        super().__init__(**given)
        self._opened = opened

    def collect(self) -> Iterator["SessionItem"]:
        """Yield each session with a response that can be parsed again."""
        from actionledger.core.text import printable  # noqa: PLC0415
        from actionledger.ledger.queries.names import session_names  # noqa: PLC0415 - only if a ledger is named
        from actionledger.ledger.queries.readings import readable_sessions  # noqa: PLC0415

        ledger = self._opened()
        ids = readable_sessions(ledger)
        names = session_names(ledger, ids)
        for identity in ids:
            yield SessionItem.from_parent(
                self, name=printable(names[identity]), identity=identity, opened=self._opened
            )


class SessionItem(_Item):
    """The recorded responses of a session."""

    def __init__(self, *, identity: str, opened: Callable[[], "Ledger"], **given: Any) -> None:
        super().__init__(**given)
        self._identity, self._opened = identity, opened

    def runtest(self) -> None:
        """Parse the responses again and compare with the first parses."""
        from actionledger.core.errors import UsageError  # noqa: PLC0415 - only if a ledger is named
        from actionledger.core.text import printable  # noqa: PLC0415
        from actionledger.ledger.queries.readings import readings_of_session  # noqa: PLC0415

        recorded = readings_of_session(self._opened(), self._identity)
        left, unknown = [], []
        for each in recorded:
            try:
                found = _changed(each)
            except UsageError as error:
                unknown.append(str(error))
                continue
            if found:
                left.append(f"{self.name}#{each.turn_index}\n{found}")
        if left:
            raise ReadOtherwise(printable("\n".join(left), kept="\n"))
        if unknown:
            pytest.skip(
                f"{len(unknown)} of {len(recorded)} can't be read here as they were: {printable(unknown[0])}"
            )
        if not any(each.outcome.has_intent for each in recorded):
            pytest.skip(f"none of {len(recorded)} meant to act, so a lost call would not show")

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the session's location."""
        return self.path, 0, f"session {self.name}"


def _changed(reading: "RecordedReading") -> str:
    """Return the difference between today's parse of a recorded response and the recorded one."""
    from actionledger.replay.expectations import described, difference, recorded_expectation  # noqa: PLC0415
    from actionledger.replay.readers import reader_of  # noqa: PLC0415

    return difference(recorded_expectation(reading), described(reader_of(reading).read(reading.text)))
