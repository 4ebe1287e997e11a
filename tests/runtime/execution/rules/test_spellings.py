"""Other spellings of what a rule rejects never come to be approved: they are rejected, or wait for a person."""

import shlex
import unicodedata

import pytest
from hypothesis import example, given, strategies as st

from actionledger.runtime.execution.approval import Policy, Rule, Verdict
from actionledger.runtime.execution.rules.commands import words_restrict
from actionledger.runtime.execution.rules.programs import Fit, started_by

WORDS = st.text("abcdefghijklmnopqrstuvwxyz0123456789-_./", min_size=1, max_size=8)


def verdict(condition, field, text):
    """Return what becomes of an action where one rule rejects, and all else may run without a person."""
    policy = Policy((Rule("*", Verdict.REJECT, {field: condition}), ("*", Verdict.ESCALATE))).automatic()
    return policy.rule_for("do", {field: text}).verdict


def quoted(draw, word):
    """Return a word as it stands, in quotes, in quotes in part, or with a backslash."""
    at = draw(st.integers(0, len(word)))
    forms = [word, f"'{word}'", f'"{word}"', f"{word[:at]}''{word[at:]}", f'{word[:at]}"{word[at:]}"']
    return draw(st.sampled_from([*forms, word[:at] + "\\" + word[at:] if at < len(word) else word]))


@st.composite
def pushes(draw):
    """Return a command that pushes main, written in some way."""
    program = draw(st.sampled_from(["git", "/usr/bin/git", "./git", "git.exe", "GIT", "/opt/x y/git"]))
    options = draw(
        st.lists(
            st.sampled_from(
                [("-C", "x"), ("-c", "a.b=c"), ("--no-pager",), ("--git-dir=x",), ("--work-tree", "x")]
            ),
            max_size=3,
        )
    )
    flags = draw(
        st.lists(st.sampled_from(["-u", "--force", "-q", "--porcelain", "-fq", "--no-verify"]), max_size=3)
    )
    reference = draw(
        st.sampled_from(
            [
                "main",
                "+main",
                "HEAD:main",
                "HEAD~0:refs/heads/main",
                "x:main",
                "+x:refs/heads/main",
                "refs/heads/main",
            ]
        )
    )
    behind = draw(st.lists(st.sampled_from(["-f", "--force", "--tags"]), max_size=2))
    words = [
        program,
        *(word for option in options for word in option),
        "push",
        *flags,
        "origin",
        reference,
        *behind,
    ]
    line = draw(st.sampled_from([" ", "  ", "\t"])).join(quoted(draw, word) for word in words)
    return wrapped(draw, line)


def wrapped(draw, line):
    """Return a line as it stands, or as a part of another that runs it."""
    for _ in range(draw(st.integers(0, 2))):
        before, behind = draw(
            st.sampled_from(
                [
                    *(
                        ("env ", ""),
                        ("env -i A=b ", ""),
                        ("nice -n 5 ", ""),
                        ("nohup ", " &"),
                        ("timeout 5s ", ""),
                    ),
                    *(
                        ("A=b B=c ", ""),
                        ("true; ", ""),
                        ("cd x && ", " || true"),
                        ("(", ")"),
                        ("\n", "\n"),
                        ("! ", ""),
                    ),
                    *(
                        ("", " > out 2>&1"),
                        ("echo x | ", ""),
                        ("echo $(", ")"),
                        ("echo `", "`"),
                        ("{ ", "; }"),
                    ),
                    *(
                        ("if true; then ", "; fi"),
                        ("stdbuf -o0 ", ""),
                        ("xargs -n1 ", ""),
                        ("sudo -u x ", ""),
                    ),
                ]
            )
        )
        line = before + line + behind
    return f"bash -lc {shlex.quote(line)}" if draw(st.booleans()) else line


@given(pushes())
def test_a_push_in_any_spelling_is_not_approved(line):
    """By the words that it begins with, and by a glob over its text."""
    for condition in (("git", "push"), "git push *main", "*git push*", "git push*"):
        assert verdict(condition, "command", line) is not Verdict.APPROVE, (condition, line)


@given(st.lists(WORDS, max_size=6), st.data())
def test_a_program_in_any_place_of_a_wrapper_is_not_approved(words, data):
    line = wrapped(data.draw, " ".join(map(shlex.quote, ["sudo", *words])))
    assert verdict(("sudo",), "command", line) is not Verdict.APPROVE


@st.composite
def paths(draw):
    """Return a path below .github, written in some way."""
    parts = [
        ".github",
        *draw(st.lists(st.sampled_from(["x", "workflows", "ci.yml"]), min_size=1, max_size=3)),
    ]
    text = draw(
        st.sampled_from(["", "./", "././/", "src/../", "a/b/../../", "/work/", "../work/", "~/work/"])
    )
    for place, part in enumerate(parts):
        form = draw(
            st.sampled_from([part, part.upper(), part + ".", part + " ", part[:2] + "\u200b" + part[2:]])
        )
        text += form + (
            "" if place == len(parts) - 1 else draw(st.sampled_from(["/", "//", "/./", "\\", "/x/../"]))
        )
    return unicodedata.normalize(draw(st.sampled_from(["NFC", "NFD", "NFKD"])), text)


@given(paths(), st.sampled_from(["path", "target", "paths"]))
def test_a_path_in_any_spelling_is_not_approved(path, field):
    """In any of the fields that hold paths, alone, in a list and in a list that is written as text."""
    for value in (path, [path], ["a", path], f'["a", "{path}"]'.replace("\\", "\\\\"), f"a\n{path}"):
        policy = Policy((Rule("*", Verdict.REJECT, {"path": ".github/*"}), ("*", Verdict.APPROVE)))
        assert policy.rule_for("do", {field: value}).verdict is not Verdict.APPROVE, value


@given(st.text(max_size=60))
def test_any_text_can_be_compared(text):
    """Nothing crashes, and a line that says nothing of a program with none is let be."""
    words_restrict(("git", "push"), started_by(text))
    verdict("*secret*", "path", text)


@pytest.mark.parametrize("word", ["sh", "eval", "env", "'a b'", "$(a)", '"$(a $(b"'])
def test_a_line_without_end_is_taken_apart_so_far(word):
    """The number of commands grows no faster than the line."""
    words = 3000
    assert len(started_by("env " + f"{word} " * words).commands) <= 6 * words


@given(st.lists(WORDS.filter(lambda word: not word.startswith(("-", "."))), min_size=1, max_size=5))
def test_an_inert_program_is_let_be(words):
    line = " ".join(map(shlex.quote, ["grep", *words]))
    assert words_restrict(("git", "push"), started_by(line)) is Fit.NO


@example("A=b git push")
@example("GIT_SSH_COMMAND=x B=c git push origin main")
@example("'A=b' git push")
@example("time git push")
@given(pushes())
def test_another_spelling_never_comes_to_be_approved_by_a_rule_that_approves(line):
    """But for blanks and quotes, which mean nothing."""
    policy = Policy((Rule("*", Verdict.APPROVE, {"command": ("git", "push")}),))
    if policy.rule_for("do", {"command": line}).verdict is Verdict.APPROVE:
        assert shlex.split(line)[:2] == ["git", "push"]
        assert not set(line) & set(";&|<>$`\n(){}*?~\\")


@example("git push\t#'")
@example("git push # \\")
@given(st.text(alphabet="git push\\'\"#\n\t;&|<>$=A\0\ud800", max_size=30))
def test_no_line_stops_a_policy(line):
    """However its quotes and its comments end; what a rule lets run has no comment and no target that is left out."""
    policy = Policy((Rule("*", Verdict.APPROVE, {"command": "git *"}),))
    if policy.rule_for("do", {"command": line}).verdict is Verdict.APPROVE:
        assert shlex.split(line)[0] == "git"
        assert not set(shlex.split(line)) & {">", "<", "#"}
