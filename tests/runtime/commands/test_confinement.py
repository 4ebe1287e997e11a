"""What a command can reach: the workspace and its own home to write, the system to read, and nothing else of anybody's."""

import json
import sys
from pathlib import Path

import pytest

from actionledger.runtime.commands import CommandSettings
from actionledger.runtime.commands.reach import readable

PYTHON = sys.executable


@pytest.fixture(autouse=True)
def means(held):
    """Every test here runs with each set of means that this machine has."""
    return held


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
    code = (
        "os.makedirs('a/b'); pathlib.Path('a/b/c').write_text('x'); os.symlink('c', 'a/b/d'); os.rename('a/b', 'e')\n"
        "home = pathlib.Path(os.environ['HOME']); (home / 'x').write_text('x'); print(json.dumps(sorted(os.listdir('e'))))"
    )
    assert tried(run, code) == ["c", "d"]
    assert (root / "e" / "c").read_text() == "x"


ATTACKS = [
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
    "open('../beside', 'w').write('x')",
    "open('/etc/actionledger-test', 'w')",
    "open('/tmp/actionledger-test', 'w')",
    "open(target).read()",
    "os.listdir(os.path.dirname(target))",
]


def test_what_lies_outside_is_neither_read_nor_changed(run, root, tmp_path):
    """By no path, link or name: each is refused, or it isn't there at all."""
    outside = tmp_path / "outside"
    outside.mkdir()
    secret = outside / "secret"
    secret.write_text("secret")
    (root / "mine").write_text("mine")
    attempts = ", ".join(f"{attack!r}: attempt(lambda: {attack})" for attack in ATTACKS)
    found = tried(run, f"{ATTEMPT}\ntarget = {str(secret)!r}\nprint(json.dumps({{{attempts}}}))")
    refused = {"PermissionError", "FileNotFoundError", "OSError"}
    assert list(found) == ATTACKS
    assert {attack: said for attack, said in found.items() if said not in refused} == {}
    assert secret.read_text() == "secret"
    assert [path.name for path in outside.iterdir()] == ["secret"]


def test_it_gains_no_rights(run):
    """A program that would give it another user's rights gives none."""
    assert run("grep", "NoNewPrivs", "/proc/self/status").stdout.split() == ["NoNewPrivs:", "1"]


def test_a_further_folder_can_be_read_and_not_written(run, tmp_path):
    library = tmp_path / "library"
    library.mkdir()
    (library / "x").write_text("hello")
    code = f"{ATTEMPT}\nx = {str(library / 'x')!r}\nprint(json.dumps([open(x).read(), attempt(lambda: open(x, 'w'))]))"
    assert tried(run, code, readable=(library,)) in (
        ["hello", "PermissionError"],
        ["hello", "OSError"],
    )


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
