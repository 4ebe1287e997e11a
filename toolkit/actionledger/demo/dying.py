"""``python -m actionledger.demo.dying LEDGER NAME MODEL FOLDER``: a session whose process is killed while an action runs."""

import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

from actionledger.demo.live import Stage, file
from actionledger.ledger import open_ledger
from actionledger.profiles.coder import CODER
from actionledger.runtime.execution.handlers import Context, Handlers
from actionledger.runtime.workspace import Workspace


def main() -> None:
    """Run the session until it is killed by its own second action."""
    path, name, model, folder = sys.argv[1:]
    profile = replace(CODER, handlers=_deadly)
    with (
        open_ledger(path) as ledger,
        Stage(ledger, name, model, Path(folder)).opened(profile, auto=True) as session,
    ):
        session.handle(file("safe.md") + "<git_branch><name>late</name></git_branch>\n" + file("later.md"))


def _deadly(workspace: Workspace) -> Handlers:
    handlers = CODER.handlers(workspace)
    return Handlers(handlers | {"git_branch": _die}, close=handlers.close)


def _die(_action: object, _context: Context) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
