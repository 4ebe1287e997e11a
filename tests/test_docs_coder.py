"""What docs/coder.md shows is what happens."""

import re
from pathlib import Path

from actionledger.cli.repl.chat import Chat
from actionledger.cli.repl.progress import Progress
from actionledger.cli.repl.repl import Prompts, Repl
from actionledger.ledger import open_ledger
from actionledger.profiles.coder import CODER, coder_profile
from actionledger.runtime.execution.policy_file import policy_from
from actionledger.runtime.models import ScriptedModel

PAGE = (Path(__file__).parents[1] / "docs" / "coder.md").read_text(encoding="utf-8")


def fenced(label: str) -> list[str]:
    """Return the bodies of the page's fences of a label."""
    return re.findall(rf"^```{label}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def test_the_session_in_the_terminal_is_one(tmp_path):
    """The lines behind ``>`` are typed, the model says what it says there, and just the rest is shown."""
    session = fenced("text")[1]
    (tmp_path / "work").mkdir()
    parts = re.split(r"^> (.*)\n", session, flags=re.MULTILINE)[1:]
    typed = dict(zip(parts[::2], parts[1::2], strict=True))
    answers = (shown for line, shown in typed.items() if not line.startswith("/"))
    responses = [text.partition("\n📋")[0] if "📋" in text else text.removesuffix("\n") for text in answers]
    shown: list[str] = []
    progress = Progress(lambda line: shown.append(f"{line}\n"))
    profile = coder_profile("coder", on_output=lambda _name, text: shown.append(text))
    with open_ledger(tmp_path / "l.duckdb") as ledger:
        chat = Chat(
            profile, ledger=ledger, workspace=tmp_path / "work", system="", model=ScriptedModel(responses), listen=progress.hear
        )  # fmt: skip
        repl = Repl(chat, progress=progress, prompts=Prompts(""), write=shown.append)
        for line in typed:
            shown.append(f"> {line}\n")
            repl.take(line)
        chat.close()
    assert "".join(shown) == session


def test_the_example_prints_what_is_below_it(tmp_path, forked):
    """It runs in an empty folder as it stands."""
    done = forked.run(fenced("python")[0], tmp_path)
    assert done.stderr == ""
    assert done.stdout == fenced("text")[2]


def test_the_profile_and_the_policy_can_be_made():
    exec(fenced("python")[1], {})
    assert len(policy_from(fenced("toml")[0], CODER.catalogue, source="docs/coder.md").rules) == 3
