"""What a command changes in its workspace is noted, whatever becomes of the command, and can be undone."""

import subprocess
import sys
import threading

import pytest
from late_clock import late_once

from actionledger.runtime.commands import Commands, CommandSettings
from actionledger.runtime.workspace import Workspace, belonging_to

PYTHON = sys.executable


def test_the_changes_of_a_command_are_named_and_undone(commands, root):
    """Byte for byte; what stands in a repository's own folder is named as one."""
    (root / "kept").write_text("before")
    with belonging_to(turn="t", action="a"):
        finished = commands.run([PYTHON, "-c", "open('kept', 'w').write('after'); open('new', 'w')"])
    assert (finished.changed, finished.unwatched) == (("kept", "new"), ())
    with belonging_to(turn="t", action="b"):
        assert commands.run(["git", "init", "--quiet", "sub"]).changed == ("sub", "sub/.git")
    commands.workspace.undo_turn("t")
    assert {path.name: path.read_text() for path in root.iterdir()} == {"kept": "before"}


@pytest.mark.parametrize("ending", ["exit", "timeout", "cancelled"])
def test_what_a_command_did_before_it_ended_badly_is_noted(root, ending, monkeypatch):
    """It is undone as well."""
    if ending == "timeout":
        late_once(monkeypatch, root / "half")
    settings = CommandSettings(seconds=120.0, grace=0.2)
    cancelled = threading.Event()
    listen = (lambda _name, _text: cancelled.set()) if ending == "cancelled" else None
    commands = Commands(Workspace(root), settings, listen)
    stay = "sys.exit(1)" if ending == "exit" else "time.sleep(60)"
    code = f"import sys, time; open('half', 'w').write('x'); print('x', flush=True); {stay}"
    with belonging_to(turn="t", action="a"):
        finished = commands.run([PYTHON, "-c", code], cancelled)
    assert finished.changed == ("half",)
    assert finished.ran.ended_by == ("" if ending == "exit" else ending)
    commands.workspace.undo("a")
    assert list(root.iterdir()) == []
    commands.close()


def test_what_a_command_did_is_undone_after_its_host_was_killed(root, tmp_path):
    """The next process that uses the workspace finds out what changed."""
    state = tmp_path / "state"
    code = (
        "import sys\n"
        "from actionledger.runtime.commands import Commands, CommandSettings\n"
        "from actionledger.runtime.workspace import Workspace, belonging_to\n"
        "workspace = Workspace(sys.argv[1], state=sys.argv[2])\n"
        "commands = Commands(workspace, CommandSettings(), lambda name, text: print(text, flush=True))\n"
        "with belonging_to(turn='t', action='a'):\n"
        "    commands.run([sys.executable, '-c',\n"
        "        \"import time; open('half', 'w').write('x'); print('x', flush=True); time.sleep(60)\"])\n"
    )
    (root / "kept").write_text("kept")
    words = [PYTHON, "-c", code, str(root), str(state)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as host:
        assert host.stdout.readline() == "x\n"
        host.kill()
    assert (root / "half").exists()
    assert Workspace(root, state=state).undo_turn("t").paths == ("half",)
    assert [path.name for path in root.iterdir()] == ["kept"]


def test_the_home_is_the_sessions_and_goes_with_it(commands):
    """What a command keeps there, the next one finds; in the end nothing is left."""
    code = "import os; path = os.environ['HOME'] + '/x'; print(os.path.exists(path), path); open(path, 'w')"
    first = commands.ask([PYTHON, "-c", code]).stdout.split()
    second = commands.ask([PYTHON, "-c", code]).stdout.split()
    assert (first[0], second[0], first[1]) == ("False", "True", second[1])
    home = commands._home.path
    commands.close()
    assert not home.exists()
