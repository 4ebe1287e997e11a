"""The tracker's issues as files for people and other programs. Pure.

A model wrote the texts: in Markdown they stand as text that no reader renders, in CSV no cell begins as a formula does.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Literal, TypeAlias

from actionledger.core.errors import UnknownNameError
from actionledger.core.text import harmless
from actionledger.profiles.orchestrator.tracker import FiledIssue

Format: TypeAlias = Literal["markdown", "json", "csv"]

_COLUMNS = ("number", "title", "body", "labels", "is_open", "created_at")
_MARKS = re.compile(r"([!-/:-@\[-`{-~])")
_BACKTICKS = re.compile(r"`+")


def export_issues(issues: Sequence[FiledIssue], form: Format) -> str:
    """Return issues as the text of a file.

    Args:
        issues: what to write, in its order.
        form: ``markdown``, a section an issue with its body in a fence; ``json``, a list of objects; ``csv``, a line an
            issue under a line of names, where a cell that a spreadsheet would take for a formula has an apostrophe before it.

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
    """Return a text on one line in which no sign means anything to Markdown or HTML."""
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
