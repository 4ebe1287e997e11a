"""Each text of docs/limits.md is read as the page says; one that is read as it was meant has to leave the page."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

import actionledger as al

PAGE = (Path(__file__).parents[1] / "docs/limits.md").read_text(encoding="utf-8")
TOOLS = [
    {
        "name": "get_weather",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    },
    {
        "name": "send_mail",
        "parameters": {
            "type": "object",
            "properties": {"to": {"type": "string"}, "text": {"type": "string"}},
            "required": ["to"],
        },
    },
]
_ENTRY = re.compile(
    r"^### (?P<title>[^\n]+)\n\n````text\n(?P<text>.*?)\n````\n\nRead as: (?P<said>[^.]+)\. Meant: `(?P<meant>[^`]+)`\. \S",
    re.MULTILINE | re.DOTALL,
)


class Entry(NamedTuple):
    """A text of the page: how it is read, and the calls that were meant."""

    title: str
    text: str
    said: str
    meant: str


ENTRIES = [Entry(**found.groupdict()) for found in _ENTRY.finditer(PAGE)]


def calls(text: str, dialects: list[str] | str) -> list[tuple[str, dict[str, object]]]:
    """Return the calls that may run."""
    found = al.parse(text, dialects=dialects, tools=TOOLS)
    return [(call.name, call.arguments) for call in found.valid_actions]


def test_no_entry_of_the_page_is_passed_over():
    assert len(ENTRIES) == PAGE.count("\n### ") >= 20


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.title)
def test_a_text_of_the_page_is_still_read_so(entry):
    found = al.parse(entry.text, dialects="auto", tools=TOOLS)
    codes = sorted({str(issue.code) for issue in found.issues})
    assert ", ".join(f"`{code}`" for code in [str(found.outcome), *codes]) == entry.said
    meant = calls(f"[{entry.meant}]", ["pythonic"])
    assert meant, "what was meant is not a call"
    assert calls(entry.text, "auto") != meant, "it is read as it was meant: take it from the page"
