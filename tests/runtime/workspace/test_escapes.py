"""Ways out of a workspace, and which paths a model may name."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.runtime.workspace import Edit, Files, Search, Workspace
from actionledger.runtime.workspace.paths import MAX_PATH, parts_of

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


def refusal(path: str) -> ActionError:
    with pytest.raises(ActionError) as caught:
        parts_of(path)
    assert caught.value.reason is Reason.PATH_REFUSED
    return caught.value


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("main.py", ("main.py",)),
        ("src/deep/er/main.py", ("src", "deep", "er", "main.py")),
        ("./src//main.py", ("src", "main.py")),
        ("src/./main.py", ("src", "main.py")),
        ("src/", ("src",)),
        (".gitignore", (".gitignore",)),
        ("..gitignore", ("..gitignore",)),
        ("...x", ("...x",)),
        ("a b/c d.txt", ("a b", "c d.txt")),
        ("notes~", ("notes~",)),
        ("src/~user", ("src", "~user")),
        ("Grüße/文書.txt", ("Grüße", "文書.txt")),
        ("console.txt", ("console.txt",)),
        ("com10", ("com10",)),
        ("$HOME", ("$HOME",)),
    ],
)
def test_relative_paths_are_taken_apart(path, parts):
    """A relative path gives its names from the root inwards; empty names and single dots say nothing."""
    assert parts_of(path) == parts


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/", "//host/share", "~", "~root/.ssh/id", "~/x", "C:/x", "c:x", "C:"]
)
def test_absolute_paths_are_refused(path):
    """A path that begins at a root, a home or a drive is not relative."""
    assert "is absolute" in str(refusal(path))


@pytest.mark.parametrize(
    "path", ["..", "../x", "src/..", "src/../x", "a/b/../../..", "./..", "src/../../etc/passwd", "x/.."]
)
def test_two_dots_are_refused_anywhere(path):
    """Not even a path that would come back inside may go upwards: it would pass through links."""
    assert "'..'" in str(refusal(path))


@pytest.mark.parametrize("path", ["", ".", "./", "./.", ".//."])
def test_a_path_that_names_nothing_is_refused(path):
    """There must be a name to read or write."""
    assert "names no file" in str(refusal(path))


@pytest.mark.parametrize(
    "mark", [*'<>:"|?*\\', "\0", "\n", "\r", "\t", "\x1b", "\x1f", "\x7f", "\x85", "\x9b"]
)
@pytest.mark.parametrize("shape", ["sr{}c/x", "src/a{}", "src/{}b", "ab{}c"])
def test_characters_that_some_system_reads_otherwise_are_refused(mark, shape):
    """Backslashes, wildcards, control characters and what Windows forbids are in no name."""
    assert f"holds {mark!r}" in str(refusal(shape.format(mark)))


@pytest.mark.parametrize(
    "path",
    ["con", "NUL", "src/aux.txt", "prn.tar.gz", "COM1", "lpt9.log", "Com3/x", "con .txt"],
)
def test_names_of_devices_are_refused(path):
    """Names that mean a device on Windows are refused with or without an extension."""
    assert "the name of a device" in str(refusal(path))


@pytest.mark.parametrize("path", ["a.", "a ", " a", "src./x", "src /x", " src/x", "...", "a/. ", "x/.. "])
def test_dots_and_blanks_at_the_edge_of_a_name_are_refused(path):
    """Windows drops them, so two names would mean one file."""
    assert "begins or ends with a blank" in str(refusal(path))


def test_a_long_path_is_refused_without_being_repeated_in_full():
    """The longest path is taken, a longer one refused, and the message stays short."""
    assert len(parts_of("ab/" * (MAX_PATH // 3) + "x")) == MAX_PATH // 3 + 1
    error = refusal("a/" * MAX_PATH)
    assert "is longer than" in str(error)
    assert len(str(error)) < 300


def test_a_name_may_have_255_bytes_and_no_more():
    """The limit counts bytes of UTF-8, as file systems do."""
    assert parts_of("é" * 127 + "x") == ("é" * 127 + "x",)
    error = refusal("é" * 128)
    assert "more than 255 bytes" in str(error)
    assert len(str(error)) < 300


@pytest.mark.parametrize("path", ["\ud800", "src/\udc80.txt", "a" * 300 + "\udfff"])
def test_half_of_a_surrogate_pair_is_refused(path):
    """A name that UTF-8 can't write is refused, and the message itself can be written."""
    assert str(refusal(path)).encode()


def test_the_refusal_says_what_would_work():
    """The model is shown a path that would be taken."""
    assert "such as 'src/main.py'" in str(refusal("/etc/passwd"))
