"""What files can do, wherever they are: on the disk and in a dry run, the same."""

import os

import pytest

from actionledger.core.vocabulary import Reason
from actionledger.runtime.workspace import Edit, FileLimits, Search, Workspace
from actionledger.runtime.workspace.nodes import NodeKind


def paths(files, path=".", depth=9):
    return [entry.path for entry in files.list_directory(path, depth=depth).entries]


def test_what_is_written_is_read_again(files):
    """A text comes back as it was written, line ends, NUL, a byte order mark and a trailing blank included."""
    text = "\ufefffirst\r\nsecond\n\n\ttab \0 é 文 🙂 "
    assert files.write("a/b/c.txt", text) is True
    assert files.read("a/b/c.txt") == text


def test_writing_says_whether_the_file_is_new(files):
    """The first write makes the file, the second replaces all of it, the third changes nothing."""
    assert [files.write("x", text) for text in ("long content", "", "")] == [True, False, False]
    assert files.read("x") == ""


def test_a_directory_is_made_with_those_above_it(files):
    """Only what is missing is made; making it a second time changes nothing and says so."""
    assert files.make_directory("a/b/c") is True
    files.write("a/b/c/x", "kept")
    assert [files.make_directory(path) for path in ("a/b/c", "a", "a/b/d")] == [False, False, True]
    assert paths(files) == ["a", "a/b", "a/b/c", "a/b/c/x", "a/b/d"]


def test_a_file_is_deleted(files):
    """It is gone, and its folder stays."""
    files.write("a/x", "1")
    assert files.delete("a/x") == 1
    assert paths(files) == ["a"]


def test_a_folder_is_deleted_if_it_is_empty_or_that_is_asked_for(files, refused):
    """What is in a folder goes only where it was said."""
    files.write("a/b/x", "1")
    files.make_directory("empty")
    assert files.delete("empty") == 1
    assert refused(files.delete, "a") is Reason.NOT_EMPTY
    assert files.delete("a", recursive=True) == 3
    assert paths(files) == []


def test_what_was_deleted_can_be_made_anew(files):
    """A folder that comes again is empty, and a file may stand where a folder was."""
    files.write("a/b/x", "1")
    files.delete("a", recursive=True)
    files.make_directory("a")
    assert paths(files) == ["a"]
    files.delete("a")
    files.write("a", "a file now")
    assert files.stat("a").kind is NodeKind.FILE


def test_a_file_moves_with_its_content(files):
    """The folders above its new place are made."""
    files.write("x", "kept")
    assert files.move("x", "new/place/y") is False
    assert files.read("new/place/y") == "kept"
    assert paths(files) == ["new", "new/place", "new/place/y"]


def test_a_folder_moves_with_all_in_it(files):
    """What is in it is read at its new place, and can be changed there."""
    files.write("a/b/x", "1")
    files.write("a/y", "2")
    files.move("a", "c/d")
    assert paths(files, "c") == ["c/d", "c/d/b", "c/d/b/x", "c/d/y"]
    files.write("c/d/y", "3")
    files.delete("c/d/b", recursive=True)
    files.move("c/d", "a")
    assert [files.read("a/y"), paths(files)] == ["3", ["a", "a/y", "c"]]


def test_nothing_is_overwritten_by_moving_unless_that_is_asked_for(files, refused):
    """A file may then take a file's place, and never a folder's."""
    files.write("x", "new")
    files.write("y", "old")
    files.make_directory("folder")
    assert refused(files.move, "x", "y") is Reason.ALREADY_EXISTS
    assert refused(files.move, "x", "folder", overwrite=True) is Reason.ALREADY_EXISTS
    assert refused(files.move, "folder", "x", overwrite=True) is Reason.ALREADY_EXISTS
    assert files.move("x", "y", overwrite=True) is True
    assert [files.read("y"), paths(files)] == ["new", ["folder", "y"]]


@pytest.mark.parametrize("target", ["a", "a/b", "a/b/c"])
def test_a_folder_does_not_move_into_itself(files, refused, target):
    """Nor does anything move to where it is."""
    files.make_directory("a/b")
    assert refused(files.move, "a", target) is Reason.PATH_REFUSED
    assert paths(files) == ["a", "a/b"]


def test_what_is_not_there_is_not_found(files, refused):
    """A missing file and a missing folder on the way are told apart from a refusal."""
    files.make_directory("a")
    for path in ("x", "a/x", "b/x"):
        for action in (files.read, files.delete, files.stat, files.list_directory):
            assert refused(action, path) is Reason.NOT_FOUND
        assert refused(files.move, path, "y") is Reason.NOT_FOUND
        assert refused(files.edit, path, [Edit("a", "b")]) is Reason.NOT_FOUND


def test_a_path_that_is_nearly_right_is_answered_with_the_right_one(files):
    """Whoever mistypes a name is told which one there is."""
    files.write("src/settings.toml", "")
    with pytest.raises(Exception, match=r"Did you mean 'src/settings\.toml'\?"):
        files.read("src/setings.toml")


def test_a_directory_is_no_file_and_a_file_no_directory(files, refused):
    """Each is refused where the other is meant, and stays what it is."""
    files.write("folder/file", "kept")
    assert refused(files.read, "folder") is Reason.PATH_REFUSED
    assert refused(files.write, "folder", "x") is Reason.PATH_REFUSED
    for action in (files.make_directory, files.list_directory):
        assert refused(action, "folder/file") is Reason.PATH_REFUSED
    for action in (files.read, files.make_directory, files.delete):
        assert refused(action, "folder/file/x") is Reason.PATH_REFUSED
    assert refused(files.write, "folder/file/x", "x") is Reason.PATH_REFUSED
    assert files.read("folder/file") == "kept"


@pytest.mark.parametrize(
    ("there", "new"),
    [("README.md", "readme.md"), ("é.txt", "e\u0301.txt"), ("straße", "STRASSE"), ("K.txt", "\u212a.txt")],
)
def test_a_name_that_some_system_takes_for_another_one_is_refused(files, refused, there, new):
    """Where only letter case or Unicode form differ, two files here would be one elsewhere."""
    files.write(f"a/{there}", "kept")
    files.write("other", "")
    assert refused(files.write, f"a/{new}", "x") is Reason.PATH_REFUSED
    assert refused(files.make_directory, f"a/{new}/b") is Reason.PATH_REFUSED
    assert refused(files.move, "other", f"a/{new}") is Reason.PATH_REFUSED
    assert files.move(f"a/{there}", f"a/{new}") is False
    assert paths(files) == ["a", f"a/{new}", "other"]


def test_a_listing_says_what_is_there(files, workspace):
    """Kinds, sizes and permissions, sorted by path; a link is named and not followed."""
    (workspace.root / "link").symlink_to("/etc")
    files.write("b/x", "12345")
    files.write("a.txt", "")
    found = {entry.path: entry for entry in files.list_directory(depth=2).entries}
    assert list(found) == ["a.txt", "b", "b/x", "link"]
    assert [found[path].kind.value for path in found] == ["file", "folder", "file", "link"]
    assert found["b/x"].size == 5
    assert paths(files, depth=1) == ["a.txt", "b", "link"]


def test_a_listing_that_stops_says_so(workspace):
    """A folder with very many entries is not listed without end."""
    small = Workspace(workspace.root, limits=FileLimits(entries=3))
    for number in range(4):
        small.write(f"{number}", "")
    listing = small.list_directory()
    assert (len(listing.entries), listing.is_complete) == (3, False)


def test_a_search_finds_lines(files):
    """Path, number and line of each place, in the order of paths."""
    files.write("b/x.py", "import os\r\nprint(os)\r\n")
    files.write("a.txt", "nothing\nimport\n")
    hits = files.search("import")
    assert [(hit.path, hit.line, hit.text) for hit in hits.hits] == [
        ("a.txt", 2, "import"),
        ("b/x.py", 1, "import os"),
    ]
    assert (hits.searched, hits.skipped, hits.is_complete) == (2, 0, True)
    assert [hit.path for hit in files.search(Search("IMPORT", glob="*.py", ignore_case=True)).hits] == [
        "b/x.py"
    ]
    assert [hit.line for hit in files.search(Search(r"^print\(", is_pattern=True), "b/x.py").hits] == [2]


def test_a_search_says_what_it_left_out(files, workspace, refused):
    """Files that are no text are counted; a search for nothing is refused."""
    (workspace.root / "image").write_bytes(b"a\xff")
    (workspace.root / "nul").write_bytes(b"a\0")
    files.write("x", "a")
    assert (files.search("a").searched, files.search("a").skipped) == (1, 2)
    assert refused(files.search, "") is Reason.BAD_LENGTH
    assert refused(files.search, Search("(", is_pattern=True)) is Reason.BAD_FORMAT


def test_a_search_gives_no_more_than_it_may(workspace):
    """Where there are more places than the limit, the rest is left out, and that is said."""
    small = Workspace(workspace.root, limits=FileLimits(hits=3))
    small.write("x", "a\n" * 3)
    assert small.search("a").is_complete
    small.write("x", "a\n" * 4)
    assert (len(small.search("a").hits), small.search("a").is_complete) == (3, False)
    assert not small.search(Search("a", is_pattern=True)).is_complete


def test_an_edit_makes_a_file_that_is_not_there_if_it_looks_for_nothing(files, refused):
    """A SEARCH/REPLACE block with an empty search is how a file is begun."""
    assert files.edit("new/x", [Edit.block("", "one\n")])[0].line == 1
    assert files.read("new/x") == "one\n"
    assert refused(files.edit, "new/x", [Edit.block("", "two\n")]) is Reason.NO_MATCH
    assert files.read("new/x") == "one\n"


def test_several_edits_are_all_made_or_none(files, refused):
    """Each sees what those before it made; where one fails, the file stays as it was."""
    files.write("x", "one\n")
    assert refused(files.edit, "x", [Edit("one", "two"), Edit("missing", "")]) is Reason.NO_MATCH
    assert files.read("x") == "one\n"
    files.edit("x", [Edit("one", "two"), Edit("two", "three")])
    assert files.read("x") == "three\n"


def test_what_is_no_text_is_not_read(files, workspace, refused):
    """Bytes that are not UTF-8 are refused with their number, not guessed at; they can be moved and deleted."""
    (workspace.root / "image.png").write_bytes(b"\x89PNG\xff\xfe")
    with pytest.raises(Exception, match="6 bytes"):
        files.read("image.png")
    assert refused(files.edit, "image.png", [Edit("P", "Q")]) is Reason.BAD_FORMAT
    files.move("image.png", "other.png")
    assert files.delete("other.png") == 1


def test_half_of_a_surrogate_pair_is_not_written(files, refused):
    """UTF-8 can't write it: nothing is made, not even the folders above."""
    assert refused(files.write, "a/x", "half \ud83d") is Reason.BAD_FORMAT
    assert paths(files) == []


def test_a_hard_link_is_not_read_and_replaced_by_a_file_of_its_own(
    files, workspace, outside, untouched, refused
):
    """A second name of an outside file shows nothing of it, and writing gives the path a new file."""
    for name in ("mine.txt", "edited.txt", "gone.txt"):
        os.link(outside / "secret.txt", workspace.root / name)
    assert refused(files.read, "mine.txt") is Reason.PATH_REFUSED
    assert refused(files.edit, "edited.txt", [Edit("for", "x")]) is Reason.PATH_REFUSED
    assert files.search("eyes").hits == ()
    assert files.write("mine.txt", "mine") is False
    assert files.read("mine.txt") == "mine"
    files.delete("gone.txt")
    assert "gone.txt" not in paths(files)


def test_links_are_named_moved_and_deleted_and_never_followed(files, workspace, outside, untouched, refused):
    """What a link means can change between two looks."""
    (workspace.root / "link").symlink_to(outside)
    for action in (files.read, files.list_directory, lambda path: files.search("eyes", path)):
        assert refused(action, "link/secret.txt") is Reason.PATH_REFUSED
    for action in (files.read, files.make_directory, files.list_directory):
        assert refused(action, "link") is Reason.PATH_REFUSED
    assert refused(files.write, "link", "x") is Reason.PATH_REFUSED
    assert refused(files.write, "link/new", "x") is Reason.PATH_REFUSED
    assert refused(files.move, "link/secret.txt", "mine") is Reason.PATH_REFUSED
    files.move("link", "other")
    assert files.stat("other").kind is NodeKind.LINK
    assert files.delete("other") == 1


def test_a_deletion_takes_links_with_it_and_nothing_behind_them(files, workspace, outside, untouched):
    """The link goes, what it points to stays."""
    workspace.make_directory("a")
    (workspace.root / "a" / "link").symlink_to(outside)
    assert files.delete("a", recursive=True) == 2


def test_a_pipe_is_refused_and_nobody_waits(files, workspace, refused):
    """A pipe without a writer would keep a plain open waiting for ever."""
    os.mkfifo(workspace.root / "pipe")
    workspace.make_directory("a")
    os.mkfifo(workspace.root / "a" / "pipe")
    assert refused(files.read, "pipe") is Reason.PATH_REFUSED
    assert refused(files.write, "pipe", "x") is Reason.PATH_REFUSED
    assert refused(files.delete, "pipe") is Reason.PATH_REFUSED
    assert refused(files.move, "pipe", "x") is Reason.PATH_REFUSED
    assert refused(files.delete, "a", recursive=True) is Reason.PATH_REFUSED
    assert files.stat("pipe").kind is NodeKind.OTHER
    assert files.search("x").hits == ()


@pytest.mark.parametrize(
    ("limits", "action", "reason"),
    [
        (FileLimits(file_bytes=10), lambda files: files.write("x", "é" * 6), Reason.TOO_LARGE),
        (FileLimits(file_bytes=10), lambda files: files.read("large"), Reason.TOO_LARGE),
        (FileLimits(file_bytes=10), lambda files: files.edit("large", [Edit("x", "y")]), Reason.TOO_LARGE),
        (FileLimits(kept_bytes=10), lambda files: files.write("large", "x"), Reason.TOO_LARGE),
        (FileLimits(kept_bytes=10), lambda files: files.delete("large"), Reason.TOO_LARGE),
        (FileLimits(tree_bytes=10), lambda files: files.delete("a", recursive=True), Reason.TOO_LARGE),
        (FileLimits(entries=2), lambda files: files.delete("a", recursive=True), Reason.TOO_LARGE),
        (FileLimits(depth=2), lambda files: files.write("1/2/3", ""), Reason.PATH_REFUSED),
        (FileLimits(depth=2), lambda files: files.make_directory("1/2/3"), Reason.PATH_REFUSED),
        (FileLimits(depth=2), lambda files: files.delete("a", recursive=True), Reason.TOO_LARGE),
    ],
)
def test_what_is_over_a_limit_is_refused_and_nothing_is_changed(
    tmp_path, tree_of, refused, *, limits, action, reason
):
    """Large, many and deep: each has a limit, on the disk and in a dry run."""
    root = tmp_path / "inside"
    (root / "a" / "b" / "c").mkdir(parents=True)
    (root / "a" / "x").write_text("12345678")
    (root / "a" / "y").write_text("12345678")
    (root / "large").write_text("x" * 20)
    before = tree_of(root)
    workspace = Workspace(root, limits=limits)
    assert refused(action, workspace.dry_run()) is reason
    assert refused(action, workspace) is reason
    assert tree_of(root) == before


def test_a_large_file_can_be_moved(tmp_path):
    """Nothing of it has to be kept."""
    workspace = Workspace(tmp_path / "inside", limits=FileLimits(kept_bytes=10))
    (workspace.root / "large").write_text("x" * 20)
    workspace.move("large", "there/large")
    assert (workspace.root / "there" / "large").stat().st_size == 20
