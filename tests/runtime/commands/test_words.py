"""A command's text becomes words, or is refused; what it names is found."""

import hashlib
import json
import shlex
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st

from actionledger.core.errors import ActionError
from actionledger.core.text import first_unseen
from actionledger.core.vocabulary import Reason
from actionledger.runtime.commands import bound, words_of


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("go mod tidy", ["go", "mod", "tidy"]),
        ("  ls  -l ", ["ls", "-l"]),
        ('python -c \'print(1); x = "a|b" > "c"\'', ["python", "-c", 'print(1); x = "a|b" > "c"']),
        ('git commit -m "two words; and more"', ["git", "commit", "-m", "two words; and more"]),
        ("grep 'a*b$' x", ["grep", "a*b$", "x"]),
        ("grep end$ x", ["grep", "end$", "x"]),
        (r"echo a\ b \$HOME \; \|", ["echo", "a b", "$HOME", ";", "|"]),
        ("echo '' \"\"", ["echo", "", ""]),
        ("echo '$(rm x)' '`rm x`'", ["echo", "$(rm x)", "`rm x`"]),
        ("echo a#b # c", ["echo", "a#b", "#", "c"]),
        ("printf 'zwei\nZeilen'", ["printf", "zwei\nZeilen"]),
        ("echo é 猫 😀", ["echo", "é", "猫", "😀"]),
        ("env NAME=value make", ["env", "NAME=value", "make"]),
        ("./run.sh --all=yes", ["./run.sh", "--all=yes"]),
        ("bash build.sh -c", ["bash", "build.sh", "-c"]),
        ("bash -e build.sh", ["bash", "-e", "build.sh"]),
        ("git show HEAD~1 {a,b}", ["git", "show", "HEAD~1", "{a,b}"]),
    ],
)
def test_a_plain_command_is_split_as_a_shell_would(command, words):
    """Quotes and backslashes mean what they mean to a shell; everything else is as it stands."""
    assert words_of(command) == words


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("make && make test", "an action of its own for each"),
        ("make || true", "an action of its own for each"),
        ("make; make test", "an action of its own for each"),
        ("make\nmake test", "several lines"),
        ("cat x | sort", "no pipes"),
        ("ls > out", "use create_file"),
        ("sort < in", "redirections"),
        ("make 2>&1", "All output is in the result"),
        ("cat <<EOF", "redirections"),
        ("server &", "background"),
        ("echo $(id)", "Run that command first"),
        ("echo `id`", "Run that command first"),
        ('echo "$(id)"', "Run that command first"),
        ('echo "`id`"', "Run that command first"),
        ("echo $HOME", "Write the value"),
        ('echo "${HOME}"', "Write the value"),
        ("echo 'a'$HOME", "Write the value"),
        ("rm *.pyc", "Name the files"),
        ("ls file?.txt", "Name the files"),
        ("ls [ab].txt", "Name the files"),
        ("ls ~/secret", "no home folder"),
        ("cd src", "workspace's root"),
        ("CD src", "workspace's root"),
        ("export A=1", "env NAME=VALUE"),
        ("A=1 make", "env NAME=VALUE"),
        ("source .venv/bin/activate", ".venv/bin/python"),
        (". .venv/bin/activate", "workspace's root"),
        ("eval rm", "not a program"),
        ("sh -c 'rm -rf x'", "script file"),
        ("/bin/bash -lc ls", "script file"),
        ("bash", "script file"),
        ("bash -s", "script file"),
        ("bash -o pipefail -c ls", "script file"),
        ("bash --rcfile x -c ls", "script file"),
        ("'bash' '-c' 'ls'", "script file"),
        ("powershell -Command ls", "script file"),
        ("echo 'open", "Close every quote"),
        ('echo "open', "Close every quote"),
        ("echo trailing\\", "can't be read"),
        ("", "names no program"),
        ("   ", "names no program"),
        ("'' x", "names no program"),
        ("echo 'a\0b'", "number 0"),
        ("echo \ud800", "can't be read"),
    ],
)
def test_what_takes_a_shell_is_refused_with_what_to_do(command, told):
    """It says that there is no shell, what is in the way, and what works."""
    with pytest.raises(ActionError) as refusal:
        words_of(command)
    assert refusal.value.reason is Reason.COMMAND_REFUSED
    assert "no shell" in str(refusal.value)
    assert told in str(refusal.value)


@given(st.text(max_size=60))
def test_any_text_is_words_or_refused(text):
    """Nothing else is raised, and what is let through is what a shell would see as words."""
    words = []
    with suppress(ActionError):
        words = words_of(text)
    assert not words or (words == shlex.split(text.strip()) and words[0])


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12), max_size=5
    )
)
def test_words_that_were_quoted_come_back(arguments):
    """Whatever an argument holds, quoted it arrives as it is."""
    assume(not any(map(first_unseen, arguments)))
    assert words_of(shlex.join(["echo", *arguments])) == ["echo", *arguments]


@pytest.mark.parametrize(
    ("word", "named"),
    [
        ("run\u202egpj.py", "U+202E"),
        ("a\u200bb.py", "U+200B"),
        ("a\u2066b", "U+2066"),
        ("a\u200db", "U+200D"),
        ("a\U000e0041b", "U+E0041"),
        ("a\x1b[2Kb", "U+001B"),
        ("a\u3164b", "U+3164"),
    ],
)
def test_words_with_what_nobody_sees_are_refused(word, named):
    """What a person approves would be another command than the one that runs; the model is told which character it is."""
    for words in (("python3", word), (word,)):
        with pytest.raises(ActionError) as refusal:
            words_of(shlex.join(words))
        assert refusal.value.reason is Reason.COMMAND_REFUSED
        assert named in str(refusal.value)


def test_joiners_that_a_script_needs_stay():
    """Families of emoji and Persian words hold some."""
    text = "👩\u200d👧 می\u200cخواهم"
    assert words_of(shlex.join(["git", "commit", "-m", text]))[-1] == text


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
