"""The commands of one session: each runs in its workspace, and its changes there are recorded for undo."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event, Lock

from actionledger.core.errors import ActionError
from actionledger.core.files import TemporaryFolder
from actionledger.runtime.commands import reach
from actionledger.runtime.commands.process import OnOutput, Ran, Wall, run_command
from actionledger.runtime.commands.reach import CommandSettings
from actionledger.runtime.sandbox.launch import host_python
from actionledger.runtime.workspace import Workspace
from actionledger.runtime.workspace.nodes import Change, Gap

_WHOLE = 2**26
"""The maximum size of an output that is needed whole, in characters; no list is longer."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished command."""

    ran: Ran  # its result
    # the paths that it changed in the workspace, sorted; `.git` stands for all paths in it
    changed: tuple[str, ...]
    # effects that could not be tracked, as sentences; if there are any, undo is refused
    unwatched: tuple[str, ...]


class Commands:
    """Runs commands in a workspace."""

    def __init__(
        self, workspace: Workspace, settings: CommandSettings, on_output: OnOutput | None = None
    ) -> None:
        self.workspace = workspace
        self.settings = settings
        self._on_output = on_output
        self._home: TemporaryFolder | None = None
        self._walls: tuple[Wall, ...] | None = None
        self._making = Lock()

    @property
    def home(self) -> Path:
        """The commands' home folder; made on first use."""
        return self._made_home()

    def run(
        self,
        words: Sequence[str],
        cancelled: Event | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        network: bool = False,
    ) -> Finished:
        """Run a program with its arguments, and record its changes."""
        with self.workspace.watching() as watched:
            settings = self._settings(environment, network=network)
            ran = self._run(words, cancelled, self._on_output, settings)
        changed = {_shown(effect.path) for effect in watched.effects if isinstance(effect, Change)}
        unwatched = tuple(effect.why for effect in watched.effects if isinstance(effect, Gap))
        return Finished(ran, tuple(sorted(changed)), unwatched)

    def ask(
        self,
        words: Sequence[str],
        cancelled: Event | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        whole: bool = False,
    ) -> Ran:
        """Run a read-only program; its output is returned and not passed to ``on_output``."""
        return self._run(words, cancelled, None, self._settings(environment, whole=whole))

    def reaches(self, path: Path) -> str:
        """Return why a command could read a file, as a clause; empty if none can."""
        if Wall.FILES not in self.walls():
            return (
                "commands run unconfined here (nothing keeps them to the workspace)" if self.walls() else ""
            )
        folder = reach.granted(path, self.settings)
        return f"commands may read {folder}" if folder else ""

    def walls(self) -> tuple[Wall, ...]:
        """Return the walls around a command here, by running one that does nothing; empty if none can run."""
        if self._walls is None:
            try:
                self._walls = self.ask([host_python(), "-I", "-S", "-c", ""]).walls
            except ActionError:
                self._walls = ()
        return self._walls

    def close(self) -> None:
        """Remove the commands' home folder."""
        with self._making:
            if self._home is not None:
                self._home.remove()
            self._home = None

    def _settings(
        self, environment: Mapping[str, str] | None, *, whole: bool = False, network: bool = False
    ) -> CommandSettings:
        return replace(
            self.settings,
            network=self.settings.network or network,
            environment={**self.settings.environment, **(environment or {})},
            output=max(self.settings.output, _WHOLE) if whole else self.settings.output,
        )

    def _run(
        self,
        words: Sequence[str],
        cancelled: Event | None,
        on_output: OnOutput | None,
        settings: CommandSettings,
    ) -> Ran:
        return run_command(
            words,
            workspace=self.workspace.root,
            home=self._made_home(),
            settings=settings,
            on_output=on_output,
            cancelled=cancelled,
        )

    def _made_home(self) -> Path:
        with self._making:
            if self._home is None:
                self._home = TemporaryFolder("home")
            return self._home.path


def _shown(path: str) -> str:
    """Return a path for display; ``.git`` stands for all paths in it."""
    before, inner, _ = f"/{path}/".partition("/.git/")
    return f"{before}{inner}".strip("/") if inner else path
