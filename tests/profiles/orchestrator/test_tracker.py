"""Issues are filed once and all together, and are whole and harmless as files."""

import csv
import io
import json
import sqlite3
from threading import Thread

import pytest

from actionledger.core.errors import ActionError, UnknownNameError, UsageError
from actionledger.core.vocabulary import Reason
from actionledger.profiles.orchestrator.actions import Issue
from actionledger.profiles.orchestrator.request_queue import OrchestratorStore
from actionledger.profiles.orchestrator.tracker import FiledIssue, Tracker, export_issues


def issue(title: str, *labels: str, body: str = "") -> Issue:
    return Issue(title=title, body=body, labels=list(labels))


@pytest.fixture
def tracker(store):
    return Tracker(store)


def test_issues_come_back_as_they_were_filed(tracker):
    """Whatever characters they have; a label that is given twice is one label."""
    text = "'; DROP TABLE issues; --\n\0🙂\n```"
    assert tracker.file([issue(text, "a", "b", "a", body=text), issue("second")], "o") == [1, 2]
    first, second = tracker.issues()
    assert (first.title, first.body, first.labels, first.is_open) == (text, text, ("a", "b"), True)
    assert second.labels == ()
    assert tracker.issues("b") == [first]


def test_an_action_files_its_issues_once(tracker):
    """The same origin again gives the same numbers; another one files anew."""
    assert tracker.file([issue("x")], "one") == tracker.file([issue("x")], "one") == [1]
    assert tracker.file([issue("x")], "two") == [2]


def test_issues_are_filed_all_or_none(tracker, store):
    """One that can't be written takes the others of its action back."""
    store.set("before", "kept")
    store._connection.execute(
        "CREATE TRIGGER no BEFORE INSERT ON issues WHEN new.title = 'b' BEGIN SELECT RAISE(ABORT, 'no'); END"
    )
    with pytest.raises(sqlite3.IntegrityError):
        tracker.file([issue("a"), issue("b")], "o")
    assert tracker.issues() == []


def test_a_job_holds_the_open_issues_of_its_label(tracker):
    """Closed ones, other labels, and what another job has are left out."""
    tracker.file([issue("a", "x"), issue("b", "x", "y"), issue("c", "y"), issue("d", "x")], "o")
    tracker.close_issues([4])
    assert tracker.queue("x", "first").issues == (1, 2)
    assert tracker.queue("y", "second").issues == (3,)


def test_a_job_is_queued_once_for_an_action(tracker):
    """The same origin again finds the job that it has made, though its issues are no longer due."""
    tracker.file([issue("a", "x")], "o")
    assert tracker.queue("x", "job") == tracker.queue("x", "job")
    assert len(tracker.jobs()) == 1


def test_a_label_without_issues_is_refused(tracker):
    """The message names the labels that have some, and the empty job is not left behind."""
    tracker.file([issue("a", "x", "y")], "o")
    with pytest.raises(ActionError, match=r"label 'z'.*Labels that have some: x, y") as caught:
        tracker.queue("z", "job")
    assert caught.value.reason is Reason.NOT_FOUND
    assert tracker.jobs() == []


def test_a_runner_takes_each_job_once_and_says_how_it_ended(tracker):
    """A job goes from queued to running to done, which closes its issues."""
    tracker.file([issue("a", "x"), issue("b", "y")], "o")
    tracker.queue("x", "1")
    tracker.queue("y", "2")
    taken = tracker.take("y")
    assert (taken.label, taken.state, taken.issues) == ("y", "running", (2,))
    assert tracker.take("y") is None
    assert tracker.finish(taken.number, success=True, note="merged").note == "merged"
    assert [each.is_open for each in tracker.issues()] == [True, False]
    assert tracker.take().label == "x"
    assert tracker.take() is None
    assert [job.number for job in tracker.jobs("running")] == [1]


def test_the_issues_of_a_failed_job_can_be_handed_over_again(tracker):
    """They stay open; a second job may hold them."""
    tracker.file([issue("a", "x")], "o")
    tracker.queue("x", "1")
    tracker.finish(tracker.take().number, success=False, note="no runner")
    assert tracker.queue("x", "2").issues == (1,)


def test_what_is_not_there_cannot_be_finished_or_closed(tracker):
    """A job that waits, and an issue that is closed, are refused with the way on."""
    tracker.file([issue("a", "x")], "o")
    tracker.queue("x", "1")
    with pytest.raises(UsageError, match="job 1 is not running"):
        tracker.finish(1, success=True)
    tracker.file([issue("b", "x")], "p")
    tracker.close_issues([1])
    with pytest.raises(UsageError, match="no open issue 1"):
        tracker.close_issues([2, 1])
    assert [each.number for each in tracker.issues() if each.is_open] == [2]


def test_two_runners_never_get_the_same_job(tracker, store):
    """Each of many jobs is given out to one of several that take at the same time."""
    for number in range(20):
        tracker.file([issue("a", f"x{number}")], f"i{number}")
        tracker.queue(f"x{number}", f"j{number}")
    taken: list[int] = []

    def run() -> None:
        own = OrchestratorStore(store.path)
        while job := Tracker(own).take():
            taken.append(job.number)
        own.close()

    threads = [Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == list(range(1, 21))


def test_nothing_is_made_by_looking(tracker, store):
    """A store that nobody has put something into has no file."""
    assert (tracker.issues(), tracker.jobs()) == ([], [])
    assert not store.path.exists()


def test_a_store_that_is_held_is_refused_in_passing(tracker, store):
    """The error says that the same action may work a moment later."""
    tracker.file([issue("a")], "o")
    store._connection.execute("PRAGMA busy_timeout = 1")
    other = sqlite3.connect(store.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(ActionError) as caught:
        tracker.file([issue("b")], "p")
    other.close()
    assert (caught.value.reason, caught.value.transient) == (Reason.UNAVAILABLE, True)
    assert tracker.file([issue("b")], "p") == [2]


def test_a_file_that_is_no_store_is_refused(tracker, store):
    """The sentence names the file and what to do, and the file stays as it is."""
    store.path.write_bytes(b"something else" * 100)
    with pytest.raises(
        UsageError, match=r"orchestrator.sqlite is not a store of the orchestrator.*move it away"
    ):
        tracker.issues()
    assert store.path.read_bytes().startswith(b"something else")


HOSTILE = FiledIssue(
    number=1,
    title="# <img src=x onerror=alert(1)> ![x](http://example.org/x.png)\n## Done",
    body="````\n<script>alert(1)</script>\n````\n# Not a heading",
    labels=("=1+1", "a|b"),
    is_open=True,
    created_at="2026-01-01T00:00:00+00:00",
)
CLOSED = FiledIssue(2, "=HYPERLINK(1)", "-1", (), is_open=False, created_at="2026-01-02T00:00:00+00:00")


def test_markdown_renders_nothing_that_a_model_wrote():
    """The title's signs are escaped and stand on one line; the body's fence is longer than any in it."""
    lines = export_issues([HOSTILE, CLOSED], "markdown").splitlines()
    heads = [line for line in lines if line.startswith("#")]
    assert heads[0] == "# Issues"
    assert heads[1].startswith(r"## 1. \# \<img src\=x onerror\=alert\(1\)\> \!\[x\]\(http\:")
    assert [line for line in lines if line.startswith("`````")] == ["`````markdown", "`````"]
    start, end = lines.index("`````markdown"), lines.index("`````")
    assert "\n".join(lines[start + 1 : end]) == HOSTILE.body
    assert r"open; labels: \=1\+1, a\|b" in lines
    assert "closed; labels: none" in lines


def test_json_holds_every_field():
    """It reads back as what was filed."""
    assert json.loads(export_issues([HOSTILE], "json")) == [
        {
            "number": 1,
            "title": HOSTILE.title,
            "body": HOSTILE.body,
            "labels": ["=1+1", "a|b"],
            "is_open": True,
            "created_at": HOSTILE.created_at,
        }
    ]


def test_csv_has_no_formula():
    """A cell that begins as one has an apostrophe before it; line breaks and quotes survive."""
    first, second = csv.DictReader(io.StringIO(export_issues([HOSTILE, CLOSED], "csv")))
    assert (first["title"], first["body"], first["labels"]) == (HOSTILE.title, HOSTILE.body, "'=1+1, a|b")
    assert (second["title"], second["body"], second["is_open"]) == ("'=HYPERLINK(1)", "'-1", "False")


@pytest.mark.parametrize(("form", "text"), [("markdown", "# Issues\n"), ("json", "[]\n")])
def test_no_issues_are_a_file_too(form, text):
    assert export_issues([], form) == text


def test_an_unknown_form_is_refused():
    """The message names the forms that there are."""
    with pytest.raises(UnknownNameError, match="csv, json, markdown"):
        export_issues([], "html")
