"""An exit status of 1 that is an answer: only where it is provably that of a program whose 1 is documented as one."""

from pathlib import Path

import pytest

from actionledger.core.recordings import RecordedResult
from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.imports.sources.wordings import judged, with_end_told
from actionledger.imports.turn_calls import ANSWERS, command_of, is_answer

CODEX = "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 1\nOriginal token count: 0\nOutput:\n"


@pytest.mark.parametrize(
    "command",
    [
        "rg -n 'a|b' src",
        'grep -R "x; y && z" .',
        "/usr/bin/grep a f",
        "grep a f 2>/dev/null",
        "rg a >/dev/null 2>&1",
        "diff a b",
        "cmp a b",
        "test -f x",
        "[ -f x ]",
        "pgrep -f server",
        "git diff --exit-code -- a",
        "git -C repo --no-pager diff --quiet",
        "git diff --no-index a b",
        ["rg", "a | b"],
    ],
)
def test_one_command_alone_answers(command):
    """Whatever it has printed: a difference is an answer as well."""
    assert is_answer(command, "1c1\n< a")


@pytest.mark.parametrize(
    "command",
    [
        "",
        "grep a f | head",
        "cat f | grep a",
        "cd x && grep a f",
        "grep a f; true",
        "grep a f || true",
        "(grep a f)",
        "! grep a f",
        "grep a < f",
        "grep a f > found.txt",
        "grep a f &",
        "grep a $(ls)",
        "grep a `ls`",
        "grep a f\ngrep b f",
        "sudo grep a f",
        "xargs grep a",
        "bash -c 'grep a f'",
        "X=1 grep a f",
        "echo '",
        "sed -n 1p gone",
        "git diff",
        "git diff -- --exit-code",
        "git grep a",
        "git",
        "git log --exit-code",
        "rg a >/dev/null; false",
        "grep \x1b a",
        [],
        ["sudo", "rg", "a"],
    ],
)
def test_what_may_be_another_programs_status_is_no_answer(command):
    """A list, a pipe, a subshell, a file that may be missing, a program that runs others, or one whose 1 is an error."""
    assert not is_answer(command, "")


@pytest.mark.parametrize("command", ["rg a src/*.py", "grep a ~/notes", "grep $WORD f", "rg a **/x"])
def test_what_the_shell_fills_in_must_have_printed_nothing(command):
    """A shell that can't fill it in ends with 1, too, and says so."""
    assert is_answer(command, CODEX)
    assert is_answer(command, "Exit code 1")
    assert is_answer(command, "(no output)\n\nCommand exited with code 1")
    assert not is_answer(command, f"{CODEX}zsh:1: no matches found: src/*.py\n")
    assert not is_answer(command, "Exit code 1\nzsh:1: no matches found: src/*.py")
    assert not is_answer(f"{command} 2>/dev/null", CODEX)


@pytest.mark.parametrize(
    ("name", "arguments", "command"),
    [
        ("Bash", {"command": "rg x", "description": "grep y"}, "rg x"),
        ("exec_command", {"cmd": "rg x", "workdir": "/"}, "rg x"),
        ("shell", {"command": ["bash", "-lc", "rg x"]}, "rg x"),
        ("shell", {"command": ["rg", "x"]}, ["rg", "x"]),
        ("run_commands", {"commands": ["rg x"]}, "rg x"),
        ("run_commands", {"commands": ["rg x", "ls"]}, ""),
        ("run_shell_command", {"command": "rg x"}, "rg x"),
        ("write_stdin", {"session_id": 1, "chars": "rg x"}, ""),
        ("write_stdin", {"command": "rg x"}, ""),
        ("Read", {"command": "rg x"}, ""),
        ("bash", {"command": 3}, ""),
        ("bash", {"command": ["rg", 3]}, ""),
        ("bash", {"command": "rg " + "x" * 30_000}, ""),
        ("bash", "rg x", ""),
    ],
)
def test_the_command_is_in_the_arguments(name, arguments, command):
    """Of the tools that are known to run one."""
    assert command_of(name, arguments) == command


def test_the_page_has_the_same_table():
    """Each program with what its 1 means and where that is documented."""
    page = (Path(__file__).parents[3] / "docs" / "sources.md").read_text(encoding="utf-8")
    for program, (meaning, source) in ANSWERS.items():
        assert f"| `{program}` | {meaning} | {source} |" in page


@pytest.mark.parametrize(
    "result",
    [
        RecordedResult("1", "Exit code 127\n/bin/bash: line 1: rg: command not found", is_error=True),
        RecordedResult("1", "bash: line 1: rg: command not found", is_error=True),
        RecordedResult(
            "1", "bash: line 1: rg: command not found", status=ExecutionStatus.FAILED, exit_status=127
        ),
        RecordedResult("1", "line 3: text not found", status=ExecutionStatus.FAILED, exit_status=127),
    ],
)
def test_a_command_that_is_not_there_has_failed(result):
    """It is no text that fits nowhere, though its line is named."""
    found = judged(with_end_told(result))
    assert (found.status, found.reason) == (ExecutionStatus.FAILED, Reason.COMMAND_FAILED)
