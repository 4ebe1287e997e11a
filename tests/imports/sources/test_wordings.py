"""How runtimes word what went wrong: data, each row with an example that is its own."""

import re

import pytest

from actionledger.core.recordings import RecordedResult
from actionledger.core.vocabulary import ExecutionStatus as Status, Reason
from actionledger.imports.sources.agent_wordings import AGENTS
from actionledger.imports.sources.base import Wording
from actionledger.imports.sources.registry import sources
from actionledger.imports.sources.wordings import JUDGED, SHARED, JudgedResult, judged, reason_of, text_of

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
