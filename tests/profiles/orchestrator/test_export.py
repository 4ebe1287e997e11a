"""Issues as files: whole, and harmless to whatever opens them."""

import csv
import io
import json

import pytest

from actionledger.core.errors import UnknownNameError
from actionledger.profiles.orchestrator.tracker import FiledIssue, export_issues

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
    """It is whole, and empty."""
    assert export_issues([], form) == text


def test_an_unknown_form_is_refused():
    """The message names the forms that there are."""
    with pytest.raises(UnknownNameError, match="csv, json, markdown"):
        export_issues([], "html")
