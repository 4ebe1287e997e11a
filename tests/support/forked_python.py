"""Programs, each run in a fork of one Python that has loaded the package: to load it is most of what a short one takes.

Whoever starts it writes a line of JSON a program (``code``, ``arguments``, ``folder``, ``environment``) and reads one back
(``status``, ``stdout``, ``stderr``). A program finds what ``python -c`` gives it, and ends as it does, what is registered to be done at
its end included.
"""

import json
import os
import subprocess
import sys
import tempfile
import types
from pathlib import Path
from typing import Any, Self

import actionledger as al
from actionledger.profiles import profile_named


class ForkedPython:
    """The Python that is forked; a context that ends it."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def run(
        self, code: str, folder: Path, *arguments: object, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a program in a folder.

        Args:
            code: the program.
            folder: where it is begun.
            arguments: what it finds behind its name in ``sys.argv``.
            environment: what is added to the environment of now.
        """
        asked = {
            "code": code,
            "arguments": [str(argument) for argument in arguments],
            "folder": str(folder),
            "environment": os.environ | environment,
        }
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        return subprocess.CompletedProcess(code, answer["status"], answer["stdout"], answer["stderr"])


def serve() -> dict[str, Any] | None:
    """Answer until nobody asks any more: None; in a child, return what was asked for."""
    for line in sys.stdin:
        with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
            child = os.fork()
            if not child:
                os.dup2(stdout.fileno(), 1)
                os.dup2(stderr.fileno(), 2)
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                return dict(json.loads(line))
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            said = {"stdout": stdout, "stderr": stderr}
            texts = {name: (file.seek(0), file.read().decode())[1] for name, file in said.items()}
        sys.stdout.write(json.dumps({"status": status, **texts}) + "\n")
        sys.stdout.flush()
    return None


def run(asked: dict[str, Any]) -> None:
    """Be the program that was asked for."""
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    sys.argv, sys.path[0] = ["-c", *asked["arguments"]], ""
    tempfile.tempdir = None  # the environment may name another place
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    exec(compile(asked["code"], "<string>", "exec"), main.__dict__)


if __name__ == "__main__":
    for name in al.__all__:
        getattr(al, name)
    profile_named("coder"), profile_named("orchestrator")
    if (asked := serve()) is not None:
        run(asked)
