"""Live sessions for the demo: what recorded ones can't show, made by the runtime itself and never written by hand.

Somebody decides about what waits, changes are taken back, a rate is used up, a command takes too long, a process is killed
while an action runs. The same happens each time, in temporary folders that are gone afterwards; only the folder of what still
waits stays, so that it can be decided about.
"""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from actionledger.core.ids import derived_id
from actionledger.core.recording import SessionKey, turn_id_of
from actionledger.core.vocabulary import DecisionKind
from actionledger.demo import SOURCE
from actionledger.ledger import Ledger
from actionledger.ledger.queries.recorded import known
from actionledger.profiles.coder import CODER, coder_profile
from actionledger.runtime.commands import CommandSettings
from actionledger.runtime.execution.approval import Decision
from actionledger.runtime.execution.limits import Limits, RateLimit
from actionledger.runtime.execution.profile import Profile
from actionledger.runtime.session.resumption import Earlier
from actionledger.runtime.session.runtime import Runtime

_MODELS = ("heron-70b", "kestrel-pro")
_PATIENCE_SECONDS = 60
_HASTY = coder_profile("coder", commands=CommandSettings(seconds=0.3, grace=0.2))
_FRUGAL = replace(CODER, limits=Limits(rates=(("create_file", RateLimit(3, 60)),)))

APPROVED = Decision(DecisionKind.APPROVED, by="ada", why="As we said.")
REJECTED = Decision(DecisionKind.REJECTED, by="ada", why="Not without a test.")
RENAMED = Decision(
    DecisionKind.MODIFIED,
    by="ada",
    why="A better name.",
    arguments={"path": "docs/plan.md", "content": "# Plan\n"},
)


@dataclass(frozen=True, slots=True)
class Stage:
    """Where one session of the demo plays."""

    ledger: Ledger  # where it is recorded
    name: str  # what it is about
    model: str  # who is said to have written it
    folder: Path  # a folder of its own

    @property
    def session_id(self) -> str:
        """Identifies the session; the same each time."""
        return derived_id("demo-live", self.name, self.model)

    def opened(
        self,
        profile: Profile = CODER,
        *,
        auto: bool = False,
        dry_run: bool = False,
        turns: int = 0,
        stays: bool = False,
    ) -> Runtime:
        """Return the session, to be closed after use."""
        return Runtime(
            profile,
            ledger=self.ledger,
            workspace=None if stays else self.folder,
            auto=auto,
            dry_run=dry_run,
            model=self.model,
            task=self.name,
            earlier=Earlier(self.session_id, turns),
            source=SOURCE,
        )


def play(ledger: Ledger) -> int:
    """Play the sessions that the ledger doesn't have yet; return how many."""
    there = known(ledger, SOURCE, run=True)
    played = 0
    with TemporaryDirectory(prefix="actionledger-demo-") as folder:
        for name, scene in _SCENES.items():
            for model in _MODELS:
                stage = Stage(ledger, name, model, Path(folder) / f"{name}-{model}".replace(" ", "-"))
                if not there.is_done(stage.session_id):
                    scene(stage)
                    played += 1
    ledger.ingest()
    return played


def file(path: str, content: str = "To be written.\n") -> str:
    """Return a response's action that makes a file."""
    return f"<create_file><path>{path}</path><content>{content}</content></create_file>\n"


def command(words: str) -> str:
    """Return a response's action that runs a program."""
    return f"<execute_command><command>{words}</command></execute_command>\n"


def _decided(stage: Stage) -> None:
    """Three files wait; one is made, one made otherwise, one not at all, each decided at its own time."""
    with stage.opened() as session:
        turn = session.handle(
            file("README.md") + file("plan.txt") + file("hack.py"), prompt="Begin the project."
        )
        for place, decision in enumerate((APPROVED, RENAMED, REJECTED)):
            session.resume(turn.turn_id, {place: decision})
        session.handle("README.md and docs/plan.md are there; hack.py was not wanted.")
        session.close(success=True, reason="done")


def _waiting(stage: Stage) -> None:
    """A file that nobody has decided about."""
    with stage.opened(stays=True) as session:
        session.handle(file("release.md", "# Release\n"), prompt="Write the release notes.")


def _refused(stage: Stage) -> None:
    """What the policy allows to nobody."""
    with stage.opened(auto=True) as session:
        session.handle(
            file("notes.md") + command("sudo rm notes.md") + command("git push"),
            prompt="Clean up and publish.",
        )
        session.close(success=False, reason="not allowed")


def _hurried(stage: Stage) -> None:
    """More files within a minute than may be made."""
    with stage.opened(_FRUGAL, auto=True) as session:
        session.handle(
            "".join(file(f"part-{number}.md") for number in range(5)), prompt="Split it into parts."
        )


def _tried(stage: Stage) -> None:
    """Nothing is done; what would wait says so."""
    with stage.opened(auto=True) as session:
        session.handle(file("config.toml", "retries = 3\n"), prompt="Write a configuration.")
        session.dry_run, session.auto = True, False
        edit = "<modify_file><path>config.toml</path><search>3</search><replace>5</replace></modify_file>\n"
        session.handle(f"{edit}<read_file><path>config.toml</path></read_file>", prompt="What would it take?")


def _taken_back(stage: Stage) -> None:
    """Four files are made; two of them are taken back, one of those is put there again."""
    with stage.opened(auto=True) as session:
        turn = session.handle(
            "".join(file(f"draft-{name}.md") for name in "abcd"), prompt="Draft four pages."
        )
        session.undo(turn.turn_id, action=3)
        session.redo(session.undo(turn.turn_id, action=2))


def _slow(stage: Stage) -> None:
    """A command that takes longer than it may."""
    with stage.opened(_HASTY, auto=True) as session:
        session.handle(command("sleep 30") + file("after.md"), prompt="Wait for the server.")


def _killed(stage: Stage) -> None:
    """A process dies while an action runs; another one goes on with the turn."""
    arguments = [str(stage.ledger.path), stage.name, stage.model, str(stage.folder)]
    subprocess.run(  # noqa: S603 - our own module, with arguments of our own
        [sys.executable, "-m", "actionledger.demo.dying", *arguments], timeout=_PATIENCE_SECONDS, check=False
    )
    with stage.opened(auto=True, turns=1) as session:
        key = SessionKey(session_id=stage.session_id, profile="coder", model=stage.model, task=stage.name)
        session.resume(turn_id_of(key, 0))


_SCENES: dict[str, Callable[[Stage], None]] = {
    "decided about": _decided,
    "still waiting": _waiting,
    "not allowed": _refused,
    "too much at once": _hurried,
    "only tried": _tried,
    "taken back": _taken_back,
    "too slow": _slow,
    "killed in between": _killed,
}
"""What is played, by what the sessions are about."""
