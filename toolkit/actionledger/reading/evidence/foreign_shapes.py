"""Calls of tools that nobody offered, in no dialect's marks: known by how they are written alone.

A name that is known to nobody is a call only where its look says so and its place says that it is meant: it ends what was written,
and the words before it announce it, or there are none.
"""

import ast
import builtins
import json
import re
from collections.abc import Callable, Iterator

from actionledger.core.values import Span
from actionledger.reading.prose import has_words, verdict

_KEYS = "action|function|function_name|tool|tool_call|tool_name"
_NAME = r"[A-Za-z_][\w.-]{1,60}+"

_MARKED = re.compile(
    rf"^[ \t]*+(?:\[(?i:(?:tool|function)[ _-](?:use|call))[ \t]*+:[ \t]*+{_NAME}\](?:\s*+\{{[^{{}}]*+\}})?+"
    rf"|\[TOOL_CALLS?\](?=\s*+[{{\[\w])[^\n]*+|<(?:tool|function)(?:_call)?+:[ \t]++{_NAME}>[^<]*+</[\w-]++>)",
    re.MULTILINE,
)
"""What says itself that it is a call, wherever it begins a line: ``[Tool Use: f]``, ``[TOOL_CALL]{…}``, ``<tool: f>…</tool>``."""

_MARKED_SIGNS = ("[", "<tool:", "<function:", "<tool_call:", "<function_call:")
_FENCE = re.compile(
    r"(?P<marks>`{3,}+|~{3,}+)(?P<label>[\w-]*+)[ \t]*+\r?\n(?P<body>.*?)\r?\n?[ \t]*+(?P=marks)[ \t]*+\Z",
    re.DOTALL,
)
_LABELS = frozenset(
    {
        "",
        "yaml",
        "yml",
        "toml",
        "json",
        "json5",
        "jsonc",
        "python",
        "py",
        "text",
        "action",
        "actions",
        "tool",
        "plan",
        "xml",
    }
)
_OPENS_LAST = re.compile(r"(?:\A|\n)[ \t]*+(?=```|~~~)")
_PARAGRAPH = re.compile(r"(?:\A|\n[ \t\r]*+\n)(?=\S)")

_KEY_LINES = re.compile(
    rf"(?:-[ \t]++)?(?:{_KEYS})[ \t]*+[:=][ \t]*+[\"']?{_NAME}[\"']?[ \t]*+(?:\r?\n[ \t]*+(?:[\w-]++[ \t]*+(?::(?=\s|\Z)|=)|-[ \t])[^\n]*+)++\s*+",
)
_ELEMENT = re.compile(
    r"<(?P<name>[A-Za-z_][\w-]{2,60}+)>\s*+(?:<(?P<child>[A-Za-z_]\w{0,60}+)>[^<]*+</(?P=child)>\s*+)++</(?P=name)>\s*+"
)
_CALL = re.compile(r"(?P<name>[A-Za-z_]\w{2,60}+)\([^\n]*\)\s*+")
_HYPERTEXT = frozenset(
    [
        "address",
        "article",
        "aside",
        "audio",
        "body",
        "details",
        "dialog",
        "div",
        "dl",
        "fieldset",
        "figure",
        "footer",
        "form",
        "head",
        "header",
        "html",
        "main",
        "menu",
        "nav",
        "note",
        "ol",
        "option",
        "picture",
        "pre",
        "rss",
        "script",
        "section",
        "select",
        "span",
        "summary",
        "svg",
        "table",
        "tbody",
        "thead",
        "think",
        "thinking",
        "answer",
        "response",
        "result",
        "final",
        "video",
    ]
)
"""Elements that hold others and are no call."""

_IS_PLAIN = (str, int, float, bool, type(None))
_LONGEST = 4_000


def foreign_shapes(text: str, gap: Span) -> Iterator[Span]:
    """Yield where a stretch of a response holds calls of tools that nobody offered, in no dialect's marks."""
    if any(text.find(sign, *gap) >= 0 for sign in _MARKED_SIGNS) and (found := _MARKED.search(text, *gap)):
        yield Span(*found.span())
        return
    written = text[gap.start : gap.end]
    last = _last(written)
    if last is not None and verdict(written, last, 0) is None:
        yield Span(gap.start + last.start, gap.start + last.end)


def _last(text: str) -> Span | None:
    """Return where the call is that a text ends with: in a fence, or as its last paragraph; None where it ends with none.

    An object in a fence without a label may be anybody's event.
    """
    end = len(text.rstrip())
    window = max(0, end - _LONGEST)
    if text.endswith(("```", "~~~"), 0, end):
        for opens in _OPENS_LAST.finditer(text, window, end):
            fence = _FENCE.match(text, opens.end(), end)
            if fence and _is_last_fence(fence["body"]):
                label, body = fence["label"].lower(), fence["body"].strip()
                is_call = label in _LABELS and _is_call(body) and not (label == "" and _is_object(body))
                return Span(opens.end(), end) if is_call else None
        return None
    starts = [opens.end() for opens in _PARAGRAPH.finditer(text, window, end)]
    for start in (*starts[-1:], *starts[:1]):
        if _is_call(text[start:end]):
            return Span(start, end)
    return None


def _is_last_fence(body: str) -> bool:
    """Return whether a fence holds no other one."""
    return "\n```" not in body and "\n~~~" not in body


def _is_call(text: str) -> bool:
    return any(is_one(text) for is_one in _SHAPES)


def _is_key_lines(text: str) -> bool:
    """Return whether a text is YAML or TOML that begins with what is called."""
    return _KEY_LINES.fullmatch(text) is not None


def _is_element(text: str) -> bool:
    """Return whether a text is one element that holds others with nothing but text in them."""
    found = _ELEMENT.fullmatch(text) if text.startswith("<") else None
    return found is not None and found["name"].lower() not in _HYPERTEXT


def _is_python(text: str) -> bool:
    """Return whether a text is one call with a name for each of its values, of nothing that Python itself has."""
    found = _CALL.fullmatch(text)
    if found is None or hasattr(builtins, found["name"]):
        return False
    try:
        call = ast.parse(text.strip(), mode="eval").body
        if not isinstance(call, ast.Call) or call.args or not call.keywords:
            return False
        for keyword in call.keywords:
            ast.literal_eval(keyword.value)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return False
    return all(keyword.arg for keyword in call.keywords)


def _is_object(text: str) -> bool:
    """Return whether a text is a JSON object that names what is called, a list of them, or a plan of them."""
    if not text.startswith(("{", "[")):
        return False
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return _names_call(value)


def _names_call(value: object) -> bool:
    if isinstance(value, list):
        return bool(value) and all(isinstance(item, dict) and _names_call(item) for item in value)
    if not isinstance(value, dict) or not value:
        return False
    first, name = next(iter(value.items()))
    if isinstance(name, list):
        return first in {"actions", "calls", "plan", "steps", "tool_calls"} and _names_call(name)
    is_name = isinstance(name, str) and re.fullmatch(_NAME, name) is not None
    others = [held for key, held in value.items() if key != first]
    return first in _KEYS.split("|") and is_name and all(map(_is_argument, others))


def _is_argument(held: object) -> bool:
    """Return whether a value may be an argument, or hold arguments, and is no record of many levels."""
    values = held.values() if isinstance(held, dict) else held if isinstance(held, list) else [held]
    return all(isinstance(each, _IS_PLAIN) for each in values)


_SHAPES: tuple[Callable[[str], bool], ...] = (_is_key_lines, _is_element, _is_object, _is_python)


def may_hold_shape(text: str) -> bool:
    """Return whether a text has a sign without which it holds none of these."""
    return has_words(text) and (":" in text or "=" in text)
