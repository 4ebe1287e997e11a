"""How runtimes word what went wrong, and an exit status of 1 that is an answer."""

import re
from pathlib import Path

import pytest

from actionledger.core.recordings import RecordedResult
from actionledger.core.vocabulary import ExecutionStatus, ExecutionStatus as Status, Reason
from actionledger.imports.sources.agent_wordings import AGENTS
from actionledger.imports.sources.base import Wording
from actionledger.imports.sources.registry import sources
from actionledger.imports.sources.wordings import (
    JUDGED,
    SHARED,
    JudgedResult,
    judged,
    reason_of,
    text_of,
    with_end_told,
)
from actionledger.imports.turn_calls import ANSWERS, command_of, is_answer

TABLES = {"shared": SHARED, "agents": AGENTS} | {name: source.wordings for name, source in sources().items()}
ROWS = [
    pytest.param(rows, place, id=f"{name}-{place}-{rows[place].reason}")
    for name, rows in TABLES.items()
    for place in range(len(rows))
]


@pytest.mark.parametrize(("rows", "place"), ROWS)
def test_an_example_is_its_own_rows(rows, place):
    """It fits its row, and no row before it: an order that hides a row is found here."""
    example = rows[place].example
    assert re.search(rows[place].pattern, example)
    assert [other.pattern for other in rows[:place] if re.search(other.pattern, example)] == []


@pytest.mark.parametrize(("rows", "place"), ROWS)
def test_a_pattern_looks_at_no_more_than_it_must(rows, place):
    """A hostile result doesn't hold up an import: no pattern takes longer than linear, near enough."""
    for filler in (" ", "a", "<tool_use_error>", "string "):
        assert rows[place].reason is not None
        re.search(rows[place].pattern, (filler * JUDGED)[:JUDGED])


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (RecordedResult("c", "done"), JudgedResult(Status.SUCCEEDED, None, True)),
        (RecordedResult("c", "done", is_error=False), JudgedResult(Status.SUCCEEDED, None, False)),
        (RecordedResult("c", "hm", is_error=True), JudgedResult(Status.FAILED, Reason.TOOL_ERROR, False)),
        (
            RecordedResult("c", "Exit code 2\nno such file", is_error=True),
            JudgedResult(Status.FAILED, Reason.COMMAND_FAILED, False),
        ),
        *(
            (RecordedResult("c", printed), JudgedResult(Status.SUCCEEDED, None, True))
            for printed in (
                "Exit code 3\n",
                "log:\nexit status: 2\nend",
                "Process exited with code 1",
                "a.py:3: # what was rejected by the user",
            )
        ),
        (RecordedResult("c", "grep: permission denied"), JudgedResult(Status.SUCCEEDED, None, True)),
        (
            RecordedResult("c", "Traceback: timed out", exit_status=3),
            JudgedResult(Status.FAILED, Reason.COMMAND_FAILED, False),
        ),
        (RecordedResult("c", "", exit_status=124), JudgedResult(Status.TIMED_OUT, Reason.TIMEOUT, False)),
        (RecordedResult("c", "error: 1", exit_status=0), JudgedResult(Status.SUCCEEDED, None, False)),
        (RecordedResult("c", "no", refused_by="person"), JudgedResult(Status.DENIED, Reason.REJECTED, False)),
        (
            RecordedResult("c", "no", refused_by="hook"),
            JudgedResult(Status.DENIED, Reason.NOT_APPROVED, False),
        ),
        (
            RecordedResult("c", "Cancelled: parallel tool call Bash(x) errored", is_error=True),
            JudgedResult(Status.SKIPPED, Reason.CANCELLED, False),
        ),
        (
            RecordedResult("c", "x", status=Status.TIMED_OUT),
            JudgedResult(Status.TIMED_OUT, Reason.TIMEOUT, False),
        ),
        (
            RecordedResult("c", "String to replace not found in file.", status=Status.FAILED),
            JudgedResult(Status.FAILED, Reason.NO_MATCH, False),
        ),
        (
            RecordedResult("c", "x", reason=Reason.CHANGED_SINCE, is_inferred=True),
            JudgedResult(Status.FAILED, Reason.CHANGED_SINCE, True),
        ),
        (
            RecordedResult("c", "x", status=Status.SUCCEEDED, is_error=True),
            JudgedResult(Status.SUCCEEDED, None, False),
        ),
    ],
)
def test_what_came_of_a_call(result, expected):
    """A field decides before words do; words alone are marked as such."""
    assert judged(result) == expected


@pytest.mark.parametrize("status", Status)
def test_every_status_that_a_source_gives_is_taken(status):
    """With a reason where it did not succeed, and with none where it did."""
    found = judged(RecordedResult("c", "", status=status))
    assert found.status is status
    assert (found.reason is None) == (status in {Status.SUCCEEDED, Status.PENDING, Status.DRY_RUN})


def test_a_sources_own_rows_are_asked_first():
    """Its words may mean something else than other runtimes' do."""
    own = (Wording("^File does not exist", Reason.PATH_REFUSED, "File does not exist."),)
    result = RecordedResult("c", "File does not exist.", is_error=True)
    assert judged(result).reason is Reason.NOT_FOUND
    assert judged(result, own) == JudgedResult(Status.DENIED, Reason.PATH_REFUSED, False)


def test_only_the_beginning_is_looked_at():
    """What stands further down is a program's output."""
    result = RecordedResult("c", "x" * JUDGED + "timed out", is_error=True)
    assert judged(result).reason is Reason.TOOL_ERROR


def test_text_of_parts():
    """A list of texts is its texts; anything else is its JSON."""
    assert (
        text_of([{"type": "text", "text": "Exit code 1"}, {"type": "text", "text": "b"}]) == "Exit code 1\nb"
    )
    assert text_of({"a": [1]}) == '{"a":[1]}'
    assert text_of(None) == ""
    assert reason_of(text_of({"error": "ENOENT"}), SHARED) is Reason.NOT_FOUND


@pytest.mark.parametrize(
    "pattern",
    [
        "^a b",
        "^a|b",
        "(?i)^A|b",
        "(?m)^b",
        "^(?:a|x) b|b",
        r"^\(a|b",
        "^[(]a|b",
        "^[)]a|b",
        "^[])(]a|b",
        "(?im)^B",
        "b",
    ],
)
def test_a_pattern_is_found_wherever_it_may_be(pattern):
    rows = (Wording(pattern, Reason.NOT_FOUND, "b"),)
    for text in ("b", "x b", "a b", "c\nb", "(a", "", "x a b"):
        expected = Reason.NOT_FOUND if re.search(pattern, text) else None
        assert reason_of(text, rows) is expected, (pattern, text)


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
