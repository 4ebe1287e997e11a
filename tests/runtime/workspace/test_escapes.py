"""Ways out of a workspace: each path is tried by each action, and nothing outside is read, made, changed or removed."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from actionledger.core.errors import ActionError
from actionledger.runtime.workspace import Edit, Files, Search, Workspace

SECRET = "nobody's eyes"

ACTIONS = {
    "read": lambda files, path: files.read(path),
    "write": lambda files, path: files.write(path, "written"),
    "edit": lambda files, path: files.edit(path, [Edit("for", "written")]),
    "fill": lambda files, path: files.edit(path, [Edit("", "written")]),
    "make": lambda files, path: files.make_directory(path),
    "delete": lambda files, path: files.delete(path, recursive=True),
    "move out": lambda files, path: files.move("mine.txt", path, overwrite=True),
    "move in": lambda files, path: files.move(path, "taken"),
    "list": lambda files, path: files.list_directory(path, depth=3),
    "stat": lambda files, path: files.stat(path),
    "search": lambda files, path: files.search(Search("eyes"), path),
}

WRITTEN_PATHS = {
    "parent": "../outside/secret.txt",
    "parent from below": "folder/../../outside/secret.txt",
    "parent behind a missing folder": "missing/../../outside/secret.txt",
    "parent at the end": "folder/../..",
    "only the parent": "..",
    "parent behind dots": "././../outside/secret.txt",
    "parent behind slashes": "folder//..//..//outside/secret.txt",
    "many parents": "../" * 60 + "etc/passwd",
    "parent with a blank": ".. /outside/secret.txt",
    "parent with a blank before": " ../outside/secret.txt",
    "parent with a dot more": ".../outside/secret.txt",
    "parent with a tab": "..\t/outside/secret.txt",
    "parent with a NUL": "..\0/outside/secret.txt",
    "parent by backslashes": "..\\outside\\secret.txt",
    "parent by both slashes": "folder\\..\\../outside/secret.txt",
    "parent with a zero-width space": "..\u200b/outside/secret.txt",
    "parent in full width": "\uff0e\uff0e/outside/secret.txt",
    "parent with a division slash": "..\u2215outside\u2215secret.txt",
    "parent percent-encoded": "%2e%2e/outside/secret.txt",
    "parent percent-encoded slash": "..%2foutside%2fsecret.txt",
    "parent twice encoded": "%252e%252e%252foutside/secret.txt",
    "overlong encoding": "..%c0%afoutside/secret.txt",
    "absolute": "/etc/passwd",
    "absolute twice": "//etc/passwd",
    "absolute to the workspace": "{root}/mine.txt",
    "absolute to the outside": "{outside}/secret.txt",
    "absolute behind a dot": ".//{outside}/secret.txt",
    "root": "/",
    "home": "~/secret.txt",
    "home of root": "~root/.ssh/id_rsa",
    "variable": "$HOME/../secret.txt",
    "variable in braces": "${PWD}/../../outside/secret.txt",
    "shell": "$(cat ../outside/secret.txt)",
    "shell in backticks": "`cat ../outside/secret.txt`",
    "pipe": "|cat ../outside/secret.txt",
    "URL": "file:///etc/passwd",
    "URL of the outside": "file://{outside}/secret.txt",
    "drive": "C:\\Windows\\win.ini",
    "drive with slashes": "C:/Windows/win.ini",
    "drive relative": "C:secret.txt",
    "share": "\\\\host\\share\\secret.txt",
    "share with slashes": "//host/share/secret.txt",
    "device path": "\\\\?\\C:\\secret.txt",
    "device namespace": "\\\\.\\PhysicalDrive0",
    "stream": "mine.txt:hidden",
    "stream of the data": "mine.txt::$DATA",
    "device": "NUL",
    "device with an ending": "folder/con.txt",
    "device as a folder": "aux/secret.txt",
    "device with a superscript": "COM\u00b9",
    "console": "CONIN$",
    "process": "/proc/self/root/etc/passwd",
    "process, relative": "proc/../../../../../proc/self/environ",
    "descriptor": "/dev/fd/0",
    "NUL behind an ending": "mine.txt\0.png",
    "line break": "mine.txt\n../outside/secret.txt",
    "escape sequence": "\x1b[2Jmine.txt",
    "turned writing": "mine\u202etxt.exe",
    "a joiner in a plain name": "mine\u200d.txt",
    "a tag": "mine\U000e0041.txt",
    "a letter that looks like nothing": "mine\u3164.txt",
    "a soft hyphen": "mi\u00adne.txt",
    "isolate": "\u2066mine.txt",
    "byte order mark": "\ufeffmine.txt",
    "line separator": "mine\u2028.txt",
    "wildcard": "../outside/*",
    "half a surrogate": "\ud800/../../outside",
    "empty": "",
    "dots": "./.",
    "long name": "a" * 300,
    "long path": "a/" * 600,
    "deep path": "a/" * 60 + "x",
    "trailing dot": "mine.txt.",
    "trailing blank": "mine.txt ",
    "no-break space": "\u00a0mine.txt",
}

LINKED_PATHS = {
    "link to a file": "to-file",
    "link to a folder": "to-folder/secret.txt",
    "link to a folder, made new": "to-folder/new.txt",
    "link to a folder itself": "to-folder",
    "link to the parent": "to-parent/outside/secret.txt",
    "link to the root": "to-root/etc/passwd",
    "relative link": "relative/secret.txt",
    "link to a link": "to-link",
    "link to a link to a folder": "to-link-folder/secret.txt",
    "link in a folder": "folder/inner/secret.txt",
    "link to itself": "round",
    "link in a circle": "ring-a/x",
    "dangling link": "dangling",
    "dangling link to a folder": "dangling/new.txt",
    "link to the workspace": "to-itself/mine.txt",
    "link to a process": "to-proc/environ",
    "link to a device": "to-device",
    "hard link": "hard.txt",
    "hard link in a folder": "folder/hard.txt",
    "parent behind a link": "to-folder/../outside/secret.txt",
}


def furnish(root: Path, outside: Path) -> None:
    """Make a workspace that is full of ways out."""
    (root / "folder").mkdir(parents=True)
    (root / "mine.txt").write_text("mine")
    links = {
        "to-file": outside / "secret.txt",
        "to-folder": outside,
        "to-parent": root.parent,
        "to-root": "/",
        "relative": "../outside",
        "to-link": "to-file",
        "to-link-folder": "to-folder",
        "folder/inner": outside,
        "round": "round",
        "ring-a": "ring-b",
        "ring-b": "ring-a",
        "dangling": outside / "made",
        "to-itself": root,
        "to-proc": "/proc/self",
        "to-device": "/dev/zero",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    for name in ("hard.txt", "folder/hard.txt"):
        os.link(outside / "secret.txt", root / name)


def outcome(action: Callable[[Files, str], object], files: Files, path: str) -> object:
    """Return what an action gives, or what the model is told instead."""
    try:
        return action(files, path)
    except ActionError as error:
        return str(error).encode()


def shows_secret(result: object) -> bool:
    """Whether what an action gave holds what is outside."""
    return SECRET in repr(result) or SECRET in str(result) or "root:" in repr(result)


@pytest.mark.parametrize("way", WRITTEN_PATHS | LINKED_PATHS)
def test_there_is_no_way_out(tmp_path, outside, untouched, way):
    """Whatever the path and the action, the outside stays unread and as it was, in earnest and in a dry run."""
    root = tmp_path / "inside"
    furnish(root, outside)
    path = (WRITTEN_PATHS | LINKED_PATHS)[way].replace("{root}", str(root)).replace("{outside}", str(outside))
    workspace = Workspace(root)
    for files in (workspace.dry_run(), workspace):
        for name, action in ACTIONS.items():
            assert not shows_secret(outcome(action, files, path)), name
            assert {one.name for one in tmp_path.iterdir()} == {"inside", "outside"}, name


LITERAL = {
    "parent percent-encoded",
    "parent percent-encoded slash",
    "parent twice encoded",
    "overlong encoding",
} | {
    "parent in full width",
    "parent with a division slash",
    "variable",
    "absolute behind a dot",
}
"""What only looks like a way out: plain names of plain files, unless two dots stand in them."""


@pytest.mark.parametrize("way", WRITTEN_PATHS)
def test_a_path_that_leads_out_is_refused_as_such(workspace, refused, way):
    """The model is told that the path is at fault, not that something is missing behind it."""
    path = WRITTEN_PATHS[way].replace("{root}", "/w").replace("{outside}", "/o")
    if way in LITERAL and "/../" not in path:
        assert workspace.write(path, "mine") is True
        assert workspace.read(path) == "mine"
        return
    for action in ("read", "write", "make", "delete"):
        assert refused(ACTIONS[action], workspace, path).value == "path_refused"


def test_there_are_many_ways():
    """So many that a gap would show."""
    assert len(WRITTEN_PATHS | LINKED_PATHS) >= 60
