"""Which paths a model may name: relative ones that stay inside and mean the same on every system."""

import pytest

from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.runtime.workspace.paths import MAX_PATH, parts_of


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
