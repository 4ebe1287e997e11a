"""A REPL over a scripted model: no terminal, no network; what it shows is a text."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from actionledger.cli.repl.chat import Chat
from actionledger.cli.repl.progress import Progress
from actionledger.cli.repl.repl import Prompts, Repl
from actionledger.ledger import Ledger, open_ledger
from actionledger.profiles.coder import coder_profile
from actionledger.runtime.execution.profile import prompt_of
from actionledger.runtime.models import ScriptedModel


class Typed:
    """A REPL that is typed into."""

    def __init__(self, root: Path, ledger: Ledger, responses: list[object]) -> None:
        self.shown: list[str] = []
        self.model = ScriptedModel(responses, name="script")
        self.ledger = ledger
        profile = coder_profile("coder", on_output=lambda _name, text: self.shown.append(text))
        progress = Progress(lambda line: self.shown.append(f"{line}\n"))
        prompts = Prompts(prompt_of(profile), root.parent / "prompts")
        chat = Chat(
            profile,
            ledger=ledger,
            workspace=root,
            system=prompts.named("coding-agent-with-actions"),
            model=self.model,
            listen=progress.hear,
        )
        self.repl = Repl(
            chat, progress=progress, prompts=prompts, write=self.shown.append, make_model=self.made
        )
        self.root = root

    def made(self, spec: str) -> ScriptedModel:
        """Make the model of a name: the same script under that name."""
        self.model._name = spec
        return self.model

    def type(self, *lines: str) -> str:
        """Type lines; return what is shown for them."""
        before = len(self.shown)
        for line in lines:
            self.repl.take(line)
        return "".join(self.shown[before:])

    def tree(self) -> dict[str, str]:
        """Return every file of the workspace with what it holds."""
        return {
            str(path.relative_to(self.root)): path.read_text()
            for path in self.root.rglob("*")
            if path.is_file()
        }

    def asked(self) -> str:
        """Return the last message that the model was shown."""
        return self.model.asked[-1].messages[-1].content

    def statuses(self) -> list[str]:
        """Return what came of each try that is recorded, in order."""
        rows = self.ledger.sql(
            "SELECT status FROM executions ORDER BY started_at, turn_index, action_index, try_number"
        )
        return [status for (status,) in rows.fetchall()]


@pytest.fixture
def typed(tmp_path: Path) -> Iterator[Callable[..., Typed]]:
    """Makes a REPL whose model gives these responses."""
    root = tmp_path / "work"
    root.mkdir()
    made: list[Typed] = []
    with open_ledger(tmp_path / "state" / "l.duckdb") as ledger:

        def make(*responses: object) -> Typed:
            made.append(Typed(root, ledger, list(responses)))
            return made[-1]

        yield make
        for each in made:
            each.repl.chat.close()
