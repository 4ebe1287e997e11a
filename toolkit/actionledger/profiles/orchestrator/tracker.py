"""Issues, the jobs that hand them to a runner, and their export to files."""

import csv
import io
import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal, TypeAlias

from actionledger.core.errors import ActionError, UnknownNameError, UsageError
from actionledger.core.patterns import regex
from actionledger.core.text import harmless
from actionledger.core.vocabulary import Reason
from actionledger.profiles.orchestrator.actions import Issue
from actionledger.profiles.orchestrator.request_queue import OrchestratorStore
from actionledger.profiles.stores import moment

JobState: TypeAlias = Literal["queued", "running", "done", "failed"]

_SHOWN_LABELS = 20


@dataclass(frozen=True, slots=True)
class FiledIssue:
    """An issue of the tracker."""

    number: int
    title: str  # title, body, labels: as requested
    body: str
    labels: tuple[str, ...]
    is_open: bool  # whether it is still to be done
    created_at: str  # when it was filed, ISO 8601 in UTC


@dataclass(frozen=True, slots=True)
class TrackerJob:
    """A job for all issues of one label."""

    number: int
    label: str
    state: JobState  # its progress
    note: str  # the runner's note about its end
    issues: tuple[int, ...]  # the numbers of its issues
    created_at: str  # when it was queued, ISO 8601 in UTC


class Tracker:
    """The issues and jobs of one store.

    Args:
        store: where they are stored.
    """

    def __init__(self, store: OrchestratorStore) -> None:
        self._store = store

    def file(self, issues: Iterable[Issue], origin: str) -> list[int]:
        """File issues, all of them or none; return their numbers.

        Args:
            issues: the issues.
            origin: identifies the requesting action; an issue that it has filed already is not filed again.
        """
        with self._store.writing() as cursor:
            known = cursor.execute("SELECT number FROM issues WHERE origin = ? ORDER BY number", (origin,))
            if numbers := [row["number"] for row in known]:
                return numbers
            return [self._file(cursor, issue, origin) for issue in issues]

    def _file(self, cursor: sqlite3.Cursor, issue: Issue, origin: str) -> int:
        labels = json.dumps(list(dict.fromkeys(issue.labels)), ensure_ascii=False)
        row = cursor.execute(
            "INSERT INTO issues (title, body, labels, created_at, origin) VALUES (?, ?, ?, ?, ?) RETURNING number",
            (issue.title, issue.body, labels, moment(), origin),
        ).fetchone()
        return int(row["number"])

    def issues(self, label: str | None = None) -> list[FiledIssue]:
        """Return the issues, oldest first.

        Args:
            label: only those with this label; None for all.
        """
        found = map(_issue, self._store.rows("SELECT * FROM issues ORDER BY number"))
        return [issue for issue in found if label is None or label in issue.labels]

    def close_issues(self, numbers: Iterable[int]) -> None:
        """Mark issues as done, all of them or none.

        Args:
            numbers: the issues' numbers.

        Raises:
            UsageError: there is no open issue of one of these numbers.
        """
        close = "UPDATE issues SET is_open = 0 WHERE number = ? AND is_open"
        with self._store.writing() as cursor:
            for number in dict.fromkeys(numbers):
                if not cursor.execute(close, (number,)).rowcount:
                    raise UsageError(f"There is no open issue {number}, so that none was closed.")

    def due(self, label: str) -> list[int]:
        """Return the open issues of a label that no job has, or only a failed one.

        Raises:
            ActionError: there is none; lists the existing labels.
        """
        held = self._store.rows(
            "SELECT issue FROM job_issues JOIN jobs ON jobs.number = job WHERE state <> 'failed'"
        )
        taken = {row["issue"] for row in held}
        open_ones = [issue for issue in self.issues() if issue.is_open]
        found = [issue.number for issue in open_ones if label in issue.labels and issue.number not in taken]
        if not found:
            labels = sorted(
                {each for issue in open_ones if issue.number not in taken for each in issue.labels}
            )
            known = ", ".join(labels[:_SHOWN_LABELS]) or "none; file issues first"
            message = f"No open issue with the label {label[:100]!r} waits to be worked off. Labels that have some: {known}."
            raise ActionError(Reason.NOT_FOUND, message)
        return found

    def queue(self, label: str, origin: str) -> TrackerJob:
        """Queue a job of all issues that are due under a label.

        Args:
            label: the label.
            origin: identifies the requesting action.

        Raises:
            ActionError: there is no such issue.
        """
        with self._store.writing() as cursor:
            known = cursor.execute("SELECT number FROM jobs WHERE origin = ?", (origin,)).fetchone()
            number = known["number"] if known else self._queue(cursor, label, origin)
        return self._job(number)

    def _queue(self, cursor: sqlite3.Cursor, label: str, origin: str) -> int:
        issues = self.due(label)
        row = cursor.execute(
            "INSERT INTO jobs (label, created_at, origin) VALUES (?, ?, ?) RETURNING number",
            (label, moment(), origin),
        ).fetchone()
        cursor.executemany("INSERT INTO job_issues VALUES (?, ?)", [(row["number"], each) for each in issues])
        return int(row["number"])

    def jobs(self, state: JobState | None = None) -> list[TrackerJob]:
        """Return the jobs, oldest first.

        Args:
            state: only those in this state; None for all.
        """
        holding: dict[int, list[int]] = {}
        for row in self._store.rows("SELECT job, issue FROM job_issues ORDER BY issue"):
            holding.setdefault(row["job"], []).append(row["issue"])
        found = [
            _job(row, holding[row["number"]])
            for row in self._store.rows("SELECT * FROM jobs ORDER BY number")
        ]
        return [job for job in found if state is None or job.state == state]

    def take(self, label: str | None = None) -> TrackerJob | None:
        """Take the oldest queued job, for this caller alone; None if there is none.

        Args:
            label: only a job of that label; None for any.
        """
        with self._store.writing() as cursor:
            row = cursor.execute(
                """UPDATE jobs SET state = 'running' WHERE number = (
                   SELECT min(number) FROM jobs WHERE state = 'queued' AND (?1 IS NULL OR label = ?1)) RETURNING number""",
                (label,),
            ).fetchone()
        return self._job(row["number"]) if row else None

    def finish(self, number: int, *, success: bool, note: str = "") -> TrackerJob:
        """Finish a job; if it succeeded, its issues are closed.

        Args:
            number: the job.
            success: whether its issues are done; those of a failed job can be queued again.
            note: any remarks.

        Raises:
            UsageError: no such job is running.
        """
        state = "done" if success else "failed"
        with self._store.writing() as cursor:
            done = cursor.execute(
                "UPDATE jobs SET state = ?, note = ? WHERE number = ? AND state = 'running'",
                (state, note, number),
            )
            if not done.rowcount:
                raise UsageError(f"The job {number} is not running; 'take()' gives one out first.")
            if success:
                cursor.execute(
                    "UPDATE issues SET is_open = 0 WHERE number IN (SELECT issue FROM job_issues WHERE job = ?)",
                    (number,),
                )
        return self._job(number)

    def _job(self, number: int) -> TrackerJob:
        return next(job for job in self.jobs() if job.number == number)


def _issue(row: sqlite3.Row) -> FiledIssue:
    return FiledIssue(
        number=row["number"],
        title=row["title"],
        body=row["body"],
        labels=tuple(json.loads(row["labels"])),
        is_open=bool(row["is_open"]),
        created_at=row["created_at"],
    )


def _job(row: sqlite3.Row, issues: Sequence[int]) -> TrackerJob:
    return TrackerJob(
        row["number"], row["label"], row["state"], row["note"], tuple(issues), row["created_at"]
    )


Format: TypeAlias = Literal["markdown", "json", "csv"]

_COLUMNS = ("number", "title", "body", "labels", "is_open", "created_at")
_MARKS = regex(r"([!-/:-@\[-`{-~])")
_BACKTICKS = regex(r"`+")


def export_issues(issues: Sequence[FiledIssue], form: Format) -> str:
    """Return issues as the text of a file.

    Args:
        issues: the issues, in this order.
        form: ``markdown``, a section per issue with its body in a fence; ``json``, a list of objects; ``csv``, a line per
            issue under a header, where a cell that a spreadsheet would read as a formula begins with an apostrophe.

    Raises:
        UnknownNameError: there is no such form.
    """
    write = _FORMS.get(form)
    if write is None:
        raise UnknownNameError("form of issues", form, _FORMS)
    return write(issues)


def _markdown(issues: Sequence[FiledIssue]) -> str:
    return "\n".join(["# Issues\n", *map(_section, issues)])


def _section(issue: FiledIssue) -> str:
    labels = ", ".join(map(_plain, issue.labels)) or "none"
    head = f"## {issue.number}. {_plain(issue.title)}\n\n{'open' if issue.is_open else 'closed'}; labels: {labels}\n"
    if not issue.body.strip():
        return head
    longest = max((len(run) for run in _BACKTICKS.findall(issue.body)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{head}\n{fence}markdown\n{issue.body}\n{fence}\n"


def _plain(text: str) -> str:
    """Return a text on one line, with the special signs of Markdown and HTML escaped."""
    return _MARKS.sub(r"\\\1", " ".join(text.split()))


def _json(issues: Sequence[FiledIssue]) -> str:
    return json.dumps([asdict(issue) for issue in issues], ensure_ascii=False, indent=2) + "\n"


def _csv(issues: Sequence[FiledIssue]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for issue in issues:
        values = asdict(issue) | {"labels": ", ".join(issue.labels)}
        writer.writerow([harmless(values[column]) for column in _COLUMNS])
    return file.getvalue()


_FORMS: Mapping[str, Callable[[Sequence[FiledIssue]], str]] = {
    "markdown": _markdown,
    "json": _json,
    "csv": _csv,
}
