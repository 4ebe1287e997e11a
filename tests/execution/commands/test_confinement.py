"""What a command can reach: the workspace and its own home to write, the system to read, and nothing else of anybody's."""

import json
import os
import sys
from pathlib import Path

import pytest

from actionledger.errors import ActionError
from actionledger.execution.commands import (
    Commands,
    CommandSettings,
    commands as commands_module,
    landlock_version,
)
from actionledger.execution.commands.reach import readable
from actionledger.execution.workspace import Workspace
from actionledger.vocabulary import Reason

pytestmark = pytest.mark.skipif(not landlock_version(), reason="this kernel has no Landlock")

PYTHON = sys.executable


def tried(run, code, **settings):
    """Run Python code in a command; return what it printed as JSON."""
    ran = run(PYTHON, "-c", f"import json, os, pathlib, socket, sys\n{code}", **settings)
    assert ran.status == 0, ran.stderr
    return json.loads(ran.stdout)


ATTEMPT = """
def attempt(what):
    try:
        what()
    except OSError as error:
        return type(error).__name__
    return "done"
"""


def test_it_writes_in_the_workspace_and_in_its_home(run, root):
    """Files, folders and links, and moves between folders."""
    ran = run("cp", "-r", "/etc/hostname", "copy")
    assert ran.status == 0
    assert ran.landlock == landlock_version()
    code = (
        "os.makedirs('a/b'); pathlib.Path('a/b/c').write_text('x'); os.symlink('c', 'a/b/d'); os.rename('a/b', 'e')\n"
        "home = pathlib.Path(os.environ['HOME']); (home / 'x').write_text('x'); print(json.dumps(sorted(os.listdir('e'))))"
    )
    assert tried(run, code) == ["c", "d"]
    assert (root / "e" / "c").read_text() == "x"


@pytest.mark.parametrize(
    "attack",
    [
        "pathlib.Path(target).write_text('x')",
        "open(target, 'a').close()",
        "os.truncate(target, 0)",
        "os.remove(target)",
        "os.rename(target, 'mine')",
        "os.rename('mine', target)",
        "os.link(target, 'hard')",
        "os.symlink('x', target + '2')",
        "os.mkdir(target + '2')",
        "os.mkfifo(target + '2')",
        "(os.symlink(target, 'link'), open('link', 'w'))",
        "(os.symlink(os.path.dirname(target), 'folder'), open('folder/new', 'w'))",
        "open('../beside', 'w')",
        "open('/etc/actionledger-test', 'w')",
        "open('/tmp/actionledger-test', 'w')",
        "open(target).read()",
        "os.listdir(os.path.dirname(target))",
    ],
)
def test_what_lies_outside_is_neither_read_nor_changed(run, root, tmp_path, attack):
    """By no path, link or name."""
    outside = tmp_path / "outside"
    outside.mkdir()
    secret = outside / "secret"
    secret.write_text("secret")
    (root / "mine").write_text("mine")
    code = f"{ATTEMPT}\ntarget = {str(secret)!r}\nprint(json.dumps(attempt(lambda: {attack})))"
    assert tried(run, code) in {"PermissionError", "OSError"}
    assert secret.read_text() == "secret"
    assert [path.name for path in outside.iterdir()] == ["secret"]


def test_the_environment_of_the_host_cannot_be_read(run):
    """Not by way of the processes above it either."""
    code = (
        f"{ATTEMPT}\nparent = os.getppid()\n"
        "above = int(open(f'/proc/{parent}/stat').read().rpartition(')')[2].split()[1])\n"
        "print(json.dumps([attempt(lambda p=p: open(f'/proc/{p}/environ').read()) for p in (parent, above)]))"
    )
    assert tried(run, code) == ["PermissionError", "PermissionError"]


@pytest.mark.skipif(landlock_version() < 6, reason="this kernel's Landlock knows no signals")
def test_nobody_outside_gets_its_signals(run):
    """Neither the host nor the process that watches over the command."""
    code = f"{ATTEMPT}\nprint(json.dumps([attempt(lambda p=p: os.kill(p, 0)) for p in (os.getppid(), {os.getpid()})]))"
    assert tried(run, code) == ["PermissionError", "PermissionError"]


@pytest.mark.skipif(landlock_version() < 4, reason="this kernel's Landlock knows no ports")
def test_the_network_can_be_taken_away(run):
    """It is there unless the session's settings say otherwise."""
    code = f"{ATTEMPT}\nprint(json.dumps(attempt(lambda: socket.create_server(('127.0.0.1', 0)))))"
    assert tried(run, code) == "done"
    assert tried(run, code, network=False) == "PermissionError"


def test_it_gains_no_rights(run):
    """A program that would give it another user's rights gives none."""
    assert run("grep", "NoNewPrivs", "/proc/self/status").stdout.split() == ["NoNewPrivs:", "1"]


def test_a_further_folder_can_be_read_and_not_written(run, tmp_path):
    """Where the settings name it."""
    library = tmp_path / "library"
    library.mkdir()
    (library / "x").write_text("hello")
    code = f"{ATTEMPT}\nx = {str(library / 'x')!r}\nprint(json.dumps([open(x).read(), attempt(lambda: open(x, 'w'))]))"
    assert tried(run, code, readable=(library,)) == ["hello", "PermissionError"]


@pytest.mark.parametrize(
    "program", ["/root/tool", "/root/bin/tool", "/home/ada/tool", "/home/ada/bin/tool", "/Users/ada/bin/tool"]
)
def test_a_program_in_a_home_opens_no_home(program):
    """Its own folder at the most, and a home itself never, nor what is above it."""
    folders = {Path(folder) for folder in readable(Path(program), CommandSettings())}
    assert not folders & {
        Path("/"),
        Path("/home"),
        Path("/home/ada"),
        Path("/Users"),
        Path("/Users/ada"),
        Path("/root"),
    }


def test_a_session_that_asks_for_walls_runs_nothing_without(root, monkeypatch):
    """Else the command runs, and its result says that nothing held it."""
    monkeypatch.setattr(commands_module, "landlock_version", lambda: 0)
    strict = Commands(Workspace(root), CommandSettings(confined=True))
    with pytest.raises(ActionError) as refusal:
        strict.run(["touch", "made"])
    assert refusal.value.reason is Reason.UNAVAILABLE
    assert list(root.iterdir()) == []
