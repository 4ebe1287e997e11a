"""Whether a reading is silent of a call: nothing that names an offered tool in call position ends without an action or an issue.

It looks for calls by plain means of its own and knows nothing of how they are read: what it asks of a reading is its actions,
issues, blocks and repairs, and of these their spans.
"""

import ast
import re
import warnings
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

FARTHEST = 20_000
"""How far a bracket is looked for, in code points."""

MOST = 20
"""How many brackets before a place are tried."""

_OPENERS = {"(": ")", "[": "]", "{": "}"}
_NAME_KEYS = "name|tool_name|function_name|function|tool|action|api|func"
_ARGUMENTS = re.compile(
    r"[\"'](?:arguments|params|parameters|args|inputs?|kwargs|action_input|tool_input|tool_arguments)[\"']"
    r"\s*:\s*(?:\{|\"\{|'\{)"
)
_SCHEMA = re.compile(r"[\"']parameters[\"']\s*:\s*\{\s*[\"'](?:type|properties|required)[\"']\s*:")
_DEFINES = re.compile(r"(?:\b(?:def|class|function|func|fn)\s+)\Z")
_KEYWORD = re.compile(r"\s*[\w\\]+\s*[:=]\s*[\"'“\d\[{(\-tfnTFN]")
_SIGNS = re.compile(r"[._]")
"""What a name's parts are joined by, and what models write in place of one another."""

_JSON_WORDS = {"true", "false", "null"}


class Place(NamedTuple):
    """Where something stands, in code points."""

    start: int
    end: int


def silent_calls(text: str, names: Collection[str], reading: Any) -> list[Place]:
    """Return the calls of offered tools that a reading says nothing of, in text order."""
    said = [Place(*action.span) for action in reading.actions]
    said += [Place(*issue.span) for issue in reading.issues if issue.span is not None]
    said += [Place(*block.span) for block in reading.blocks if block.reason is not None]
    around = [Place(*repair.span) for block in reading.blocks for repair in block.repairs]
    return [
        place
        for place in named_calls(text, names)
        if not any(_touch(place, each) for each in said)
        and not any(each.start <= place.start and place.end <= each.end for each in around)
    ]


def named_calls(text: str, names: Collection[str]) -> list[Place]:
    """Return each place where an offered name stands in call position with arguments that can be read, in text order."""
    found: set[Place] = set()
    for name in names:
        if name and _SIGNS.split(name)[0] in text:
            written = _SIGNS.sub(lambda _: r"(?:\\?_|\.)", re.escape(name).replace(r"\.", "."))
            found.update(_python_calls(text, written))
            found.update(_objects(text, written))
            found.update(_maps_and_pairs(text, written))
            found.update(_tags(text, written))
            found.update(_action_lines(text, written))
    return sorted(found)


def _touch(one: Place, other: Place) -> bool:
    return one.start < max(other.end, other.start + 1) and other.start < one.end


def _python_calls(text: str, name: str) -> Iterator[Place]:
    """Yield where a name stands before round brackets whose content are literals, or nothing."""
    for match in re.finditer(rf"(?<!\w){name} ?\(", text):
        end = _closed(text, match.end() - 1)
        if end is None or _DEFINES.search(text, max(match.start() - 12, 0), match.start()):
            continue
        if _is_readable(text[match.end() : end - 1]):
            yield Place(match.start(), end)


def _objects(text: str, name: str) -> Iterator[Place]:
    """Yield the objects one of whose keys for a name has it, with an object of arguments that is no schema."""
    for match in re.finditer(rf"[\"'](?:{_NAME_KEYS})[\"']\s*:\s*[\"']{name}[\"']", text):
        start = _opened(text, match.start())
        end = None if start is None else _closed(text, start)
        if start is None or end is None:
            continue
        body = text[start:end]
        if _ARGUMENTS.search(body) and not _SCHEMA.search(body):
            yield Place(start, end)


def _maps_and_pairs(text: str, name: str) -> Iterator[Place]:
    """Yield where a name in quotes has an object or a list behind it: as its value, or as its neighbour."""
    for match in re.finditer(
        rf"(?:[{{,]\s*[\"']{name}[\"']\s*:|[\[(]\s*[\"']{name}[\"']\s*,)\s*(?=[\[{{])", text
    ):
        end = _closed(text, match.end())
        if end is not None:
            yield Place(match.start() + 1, end)


def _tags(text: str, name: str) -> Iterator[Place]:
    """Yield the elements that are called so, or whose name is."""
    for match in re.finditer(rf"<({name})(?:\s[^<>]*?)?\s*(/?)>", text):
        closer = f"</{match[1]}>"
        end = match.end() if match[2] else text.find(closer, match.end())
        if end >= 0:
            yield Place(match.start(), end if match[2] else end + len(closer))
    for match in re.finditer(
        rf"<(?:function|invoke|tool|tool_call)(?:=|\s+name=[\"']){name}[\"']?\s*/?>", text
    ):
        yield Place(*match.span())


def _action_lines(text: str, name: str) -> Iterator[Place]:
    """Yield the lines of an action and its input."""
    for match in re.finditer(rf"Action: *{name}\s*\n\s*Action Input:\s*(?=\{{)", text):
        end = _closed(text, match.end())
        if end is not None:
            yield Place(match.start(), end)


def _closed(text: str, at: int) -> int | None:
    """Return where the bracket that opens at a place is closed: its strings left out, else by brackets alone."""
    return _balanced(text, at, with_quotes=True) or _balanced(text, at, with_quotes=False)


def _balanced(text: str, at: int, *, with_quotes: bool) -> int | None:
    expected: list[str] = []
    quote = ""
    position, last = at, min(len(text), at + FARTHEST)
    while position < last:
        sign = text[position]
        if quote:
            if sign == "\\":
                position += 1
            elif sign == quote:
                quote = ""
        elif with_quotes and sign in "\"'":
            quote = sign
        elif sign in _OPENERS:
            expected.append(_OPENERS[sign])
        elif expected and sign == expected[-1]:
            expected.pop()
            if not expected:
                return position + 1
        position += 1
    return None


def _opened(text: str, at: int) -> int | None:
    """Return where the innermost curly bracket is opened that is closed behind a place."""
    start = at
    for _ in range(MOST):
        start = text.rfind("{", max(at - FARTHEST, 0), start)
        if start < 0:
            return None
        if (_closed(text, start) or 0) > at:
            return start
    return None


def _is_readable(inner: str) -> bool:
    """Whether what stands in a call's brackets are values, with names or without, and neither variables nor expressions."""
    if not inner.strip():
        return True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call = ast.parse(f"_({inner.strip()})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return bool(_KEYWORD.match(inner))
    values = [*call.args, *(keyword.value for keyword in call.keywords)] if isinstance(call, ast.Call) else []
    return bool(values) and all(map(_is_literal, values))


def _is_literal(value: ast.expr) -> bool:
    match value:
        case ast.Name():
            return value.id in _JSON_WORDS
        case ast.Constant():
            return value.value is not ...
        case ast.UnaryOp(operand=ast.Constant()):
            return True
        case ast.List() | ast.Tuple() | ast.Set():
            return all(map(_is_literal, value.elts))
        case ast.Dict():
            return all(key is None or _is_literal(key) for key in value.keys) and all(
                map(_is_literal, value.values)
            )
    return False
