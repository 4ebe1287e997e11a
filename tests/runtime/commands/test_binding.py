"""What a command names is found, and what it can't name breaks nothing."""

import hashlib
import json

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from actionledger.runtime.commands import bound


def test_the_content_of_each_named_file_counts(root):
    """By its path in the workspace, however it is written; what lies elsewhere doesn't."""
    (root / "a.py").write_text("1")
    (root / "link").symlink_to("a.py")
    (root / "out").symlink_to("/etc/passwd")
    digest = hashlib.sha256(b"1").hexdigest()
    for word in ("a.py", "./a.py", str(root / "a.py"), "link", "--file=a.py", "-fa.py"):
        assert json.loads(bound(["python3", word], root)) == {"a.py": digest}, word
    for word in ("out", "/etc/passwd", "../a.py", "b.py", "", "."):
        assert bound(["python3", word], root) == "", word


def test_what_is_decided_about_elsewhere_is_left_aside(root):
    """However its path is written."""
    (root / "a.py").write_text("1")
    assert bound(["python3", "./a.py"], root, {"a.py", "x" * 10_000, "\0"}) == ""


@pytest.mark.parametrize("word", ["x" * 300, "x" * 5000, "a/" * 2000, "\0", "\ud800"])
def test_words_that_no_file_can_have_name_none(root, word):
    """They break nothing either."""
    assert bound(["python3", word], root) == ""


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(max_size=20), max_size=4))
def test_any_words_are_looked_at(root, words):
    """Whatever they are; the folder is empty, so they name nothing."""
    assert bound(words, root) == ""
