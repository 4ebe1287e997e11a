"""What the table of hazards is made of: tools, calls of them, how each dialect writes a call, and the marks in that text."""

import json
import re
from functools import cache
from typing import Any, NamedTuple

import actionledger as al

TEXT, COUNT, YES = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}


def _tool(name: str, needed: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "properties": {**needed, **more}, "required": list(needed)}
    return {"name": name, "description": f"Do what {name} says.", "parameters": schema}


TOOLS = (
    _tool("write_file", {"path": TEXT, "text": TEXT}, {}),
    _tool("delete_file", {"path": TEXT}, {}),
    _tool("delete_rows", {"table": TEXT}, {"limit": COUNT, "dry_run": YES}),
    _tool("search", {"query": TEXT}, {}),
    _tool("put_note", {"text": TEXT}, {"count": COUNT}),
)
"""What is offered. Of two tools the last arguments may be left out: a call that is cut before them fits its schema."""

NAMES = tuple(tool["name"] for tool in TOOLS)


class Call(NamedTuple):
    """A call: the tool's name and its arguments."""

    name: str
    arguments: dict[str, Any]


DELETE = Call("delete_file", {"path": "a.txt"})
SEARCH = Call("search", {"query": "weather in Bern"})
WRITE = Call("write_file", {"path": "how.md", "text": "hello"})
ROWS = Call("delete_rows", {"table": "users", "limit": 1500, "dry_run": True})
NOTE = Call("put_note", {"text": "hello you", "count": 1500})

GAP = "QXGAPXQ"
"""Stands where another text is put."""


@cache
def dialects() -> tuple[str, ...]:
    """Return the names of the dialects in which any tool's call can be written."""
    return tuple(name for name in al.dialect_names() if written(name, WRITE) is not None)


def written(dialect: str, *calls: Call) -> str | None:
    """Return calls as a dialect writes them; None where it refuses."""
    try:
        return al.render([(call.name, call.arguments) for call in calls], dialect)
    except al.ActionLedgerError:
        return None


def plainly(dialect: str, *calls: Call) -> str:
    """Return calls that each of the dialects can write."""
    text = written(dialect, *calls)
    assert text is not None, (dialect, calls)
    return text


def with_gap(call: Call, field: str) -> Call:
    """Return a call with the gap in one of its texts."""
    return Call(call.name, {**call.arguments, field: f"So: {GAP}."})


@cache
def escapes_quotes(dialect: str) -> bool:
    """Whether quotes in a text have a backslash before them."""
    return '\\"' in plainly(dialect, Call("search", {"query": f'a "{GAP}" b'}))


def as_inside(dialect: str, text: str) -> str:
    """Return a text as it stands within another one that the dialect writes."""
    return json.dumps(text, ensure_ascii=False)[1:-1] if escapes_quotes(dialect) else text


class Mark(NamedTuple):
    """A mark of a format in a text: where it stands, and whether it closes something."""

    start: int
    end: int
    is_closer: bool


_TAG = r"<[^<>\n]{1,80}>|\[/?[A-Z][A-Z_]{2,}\]"
_FENCE = r"```[a-z_]*+\n?"
_LINE = r"^(?:Action Input|Action):[ ]?"
_MARK = re.compile(rf"{_TAG}|{_FENCE}|{_LINE}", re.MULTILINE)
_BRACKET = re.compile(r"[\[\](){}]")
_CLOSES = re.compile(r"^</|end|close|suffix|^\[/|^<\|/|<\|calls?\|>|^<\|eom|^```\n?$|^[\])}]$")
_SPECIAL = re.compile(r"<[|｜][^<>\n]{1,80}[|｜]>")


def marks(text: str) -> list[Mark]:
    """Return a format's marks in a call's text; where there are none, its brackets."""
    found = list(_MARK.finditer(text)) or list(_BRACKET.finditer(text))
    return [Mark(*match.span(), bool(_CLOSES.search(match[0]))) for match in found]


def brackets(text: str) -> list[Mark]:
    """Return the brackets of a text."""
    return [Mark(*match.span(), match[0] in ")]}") for match in _BRACKET.finditer(text)]


def is_marked(text: str) -> bool:
    """Whether a call's text begins with a mark that is nothing else: neither a bracket, nor a fence, nor a line's beginning."""
    return re.match(_TAG, text) is not None


def without_special_marks(text: str) -> str:
    """Return a text as a server gives it that leaves out special tokens."""
    return _SPECIAL.sub("", text)


THOUGHTS = {"think": ("<think>", "</think>"), "thinking": ("<thinking>", "</thinking>")}
"""Marks of thoughts that models of any family write."""

OWN_THOUGHTS: dict[str, tuple[str, str]] = {
    "harmony": ("<|channel|>analysis<|message|>", "<|end|>"),
    "granite": ("Here is my thought process:\n", "\nHere is my response:\n"),
    "hunyuan": ("<think:opensource>", "</think:opensource>"),
    "cohere": ("<|START_THINKING|>", "<|END_THINKING|>"),
    "cohere_xml": ("<|START_THINKING|>", "<|END_THINKING|>"),
    "mistral": ("[THINK]", "[/THINK]"),
    "kimi_k2": ("◁think▷", "◁/think▷"),
    "gemma": ("<|channel>thought\n", "<channel|>"),
    "apertus": ("<|inner_prefix|>", "<|inner_suffix|>"),
    "inkling": ("<|message_model|><|content_thinking|>", "<|end_message|>"),
    "k2_horizon": ("<ifm|think>", "</ifm|think>"),
    "kimi_k3": ("<|open|>think<|sep|>", "<|close|>think<|sep|>"),
    "longcat": ("<longcat_think>", "</longcat_think>"),
    "muse_glimmer": ("<|start|>assistant to=self<|message|>", "<|eom|>"),
    "seed_oss": ("<seed:think>", "</seed:think>"),
    "plamo": ("<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>"),
    "solar_open": ("<|think|>", "<|end|>"),
    "solar_open2": ("<|think:start|>", "<|think:end|>"),
}
"""The marks of a family's own."""

NO_CLOSERS = ("harmony", "granite", "inkling", "muse_glimmer", "solar_open")
"""Families whose thoughts end with what ends other things as well: without the opener it says nothing of thoughts."""


def thoughts_of(dialect: str) -> dict[str, tuple[str, str]]:
    """Return the marks of thoughts to try with a dialect, by name."""
    own = {"own": OWN_THOUGHTS[dialect]} if dialect in OWN_THOUGHTS else {}
    return {**THOUGHTS, **own}
