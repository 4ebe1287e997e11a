"""Calls in formats of other dialects, or known only by their shape, that no parser has read.

A model that falls back from a profile into its own format may call tools that were never offered. Watching for names misses
these. So if nothing was read, every other dialect is asked.
"""

import ast
import builtins
import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import BlockStatus, Reason, RepairKind
from actionledger.reading.dialects import DIALECTS
from actionledger.reading.dialects.base import Dialect, Found
from actionledger.reading.evidence.echoes import READ, Placed
from actionledger.reading.evidence.headed import Headed, headed_calls, may_be_headed
from actionledger.reading.evidence.rests import NAMELESS
from actionledger.reading.evidence.weighing import BESIDE, BY_EVIDENCE, UNSAID
from actionledger.reading.finding import Finder
from actionledger.reading.prose import has_words, verdict
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions

_LISTS = frozenset({"actions", "calls", "next_actions", "tool_calls"})
"""Keys of a list of calls, in which a ``type`` is a call's name, too."""

_LEVELS = 6
"""How deep lists and objects of calls may be in each other."""

_BETWEEN = regex(r"[\s,;]*+")
_SAYS_LIST = regex(rf"\{{\s*+\"(?:{'|'.join(sorted(_LISTS))})\"")

_KEYS = "action|function|function_name|tool|tool_call|tool_name"
_NAME = r"[A-Za-z_][\w.-]{1,60}+"

_MARKED = regex(
    rf"^[ \t]*+(?:\[(?i:(?:tool|function)[ _-](?:use|call))[ \t]*+:[ \t]*+{_NAME}\](?:\s*+\{{[^{{}}]*+\}})?+"
    rf"|\[TOOL_CALLS?\](?=\s*+[{{\[\w])[^\n]*+|<(?:tool|function)(?:_call)?+:[ \t]++{_NAME}>[^<]*+</[\w-]++>)",
    re.MULTILINE,
)
"""Text that is marked as a call at the start of a line: ``[Tool Use: f]``, ``[TOOL_CALL]{…}``, ``<tool: f>…</tool>``."""

_MARKED_SIGNS = ("[", "<tool:", "<function:", "<tool_call:", "<function_call:")
_FENCE = regex(
    r"(?P<marks>`{3,}+|~{3,}+)(?P<label>[\w-]*+)[ \t]*+\r?\n(?P<body>.*?)\r?\n?[ \t]*+(?P=marks)[ \t]*+\Z",
    re.DOTALL,
)
_LABELS = frozenset(
    [
        *("", "yaml", "yml", "toml", "json", "json5", "jsonc", "python", "py", "text"),
        *("action", "actions", "tool", "plan", "xml"),
    ]
)
_OPENS_LAST = regex(r"(?:\A|\n)[ \t]*+(?=```|~~~)")
_PARAGRAPH = regex(r"(?:\A|\n[ \t\r]*+\n)(?=\S)")

_KEY_LINES = regex(
    rf"(?:-[ \t]++)?(?:{_KEYS})[ \t]*+[:=][ \t]*+[\"']?{_NAME}[\"']?[ \t]*+(?:\r?\n[ \t]*+(?:[\w-]++[ \t]*+(?::(?=\s|\Z)|=)|-[ \t])[^\n]*+)++\s*+",
)
_ELEMENT = regex(
    r"<(?P<name>[A-Za-z_][\w-]{2,60}+)>\s*+(?:<(?P<child>[A-Za-z_]\w{0,60}+)>[^<]*+</(?P=child)>\s*+)++</(?P=name)>\s*+"
)
_UNCLOSED = regex(
    r"<(?P<name>[A-Za-z_][\w-]{2,60}+)>\s*+(?:<[A-Za-z_]\w{0,60}+>[^<]*+(?:</(?!(?P=name)>)\w++>\s*+)?+)++</(?P=name)>\s*+"
)
"""The same with inner elements that may not be closed."""

_OPEN_ELEMENT = regex(
    r"<[a-z]++(?:_[a-z]++)++>\s*+(?:<(?P<child>[A-Za-z_]\w{0,60}+)>[^<]*+</(?P=child)>\s*+)++(?:</\w++>\s*+)?+"
)
"""The same of a name in several words, without an end or with another one's."""

_TAG = regex(r"<(?P<name>[a-z]++(?:_[a-z]++)++)(?P<rest>(?:[ \t\n]++[^<>]*)?)/?>\s*+(?:</(?P=name)>\s*+)?")
"""One tag of a name in several words, which neither HTML nor a framework's components have."""

_BROKEN_TAG = regex(
    r"<(?P<name>[a-z]++(?:_[a-z]++)++)(?:[ \t]++[^<>\n]++|/[^<>\n]++)(?:>[ \t\r]*+(?:\n|\Z)|[\n<]|\Z)"
)
"""The same with anything in it, not closed or with content behind it."""

_CALL = regex(r"(?P<name>[A-Za-z_]\w{2,60}+)\([^\n]*\)\s*+")
_HYPERTEXT = frozenset(
    [
        *("address", "article", "aside", "audio", "body", "details", "dialog", "div", "dl"),
        *("fieldset", "figure", "footer", "form", "head", "header", "html", "main", "menu"),
        *("nav", "note", "ol", "option", "picture", "pre", "rss", "script", "section"),
        *("select", "span", "summary", "svg", "table", "tbody", "thead", "think", "thinking"),
        *("answer", "response", "result", "final", "video"),
    ]
)
"""Elements that hold others and are no call."""

_IS_PLAIN = (str, int, float, bool, type(None))
_LONGEST = 4_000


def foreign_shapes(text: str, gap: Span, names: frozenset[str]) -> Iterator[Span]:
    """Yield where a stretch of a response holds calls of tools that are not in ``names``, in no dialect's marks."""
    if any(text.find(sign, *gap) >= 0 for sign in _MARKED_SIGNS) and (found := _MARKED.search(text, *gap)):
        yield Span(*found.span())
        return
    written = text[gap.start : gap.end]
    call = _unmarked(written, names)
    call = call or _listed(written)
    if call is not None and verdict(written, call, 0) is None:
        yield Span(gap.start + call.start, gap.start + call.end)


def _listed(text: str) -> Span | None:
    """Return the first fence anywhere in a text with a label that holds a list of calls under a key that says so."""
    for fence in _FENCED_VALUE.finditer(text):
        body = fence["body"].strip()
        if fence["label"] and _SAYS_LIST.match(body) and _is_object(body):
            return Span(*fence.span())
    return None


def _unmarked(text: str, names: frozenset[str]) -> Span | None:
    """Return the span of the call in the fence at the end of a text, or in a paragraph; None if there is none.

    An object in an unlabelled fence may be any event.
    """
    end = len(text.rstrip())
    window = max(0, end - _LONGEST)
    if text.endswith(("```", "~~~"), 0, end):
        for opens in _OPENS_LAST.finditer(text, window, end):
            fence = _FENCE.match(text, opens.end(), end)
            if fence and _is_last_fence(fence["body"]):
                label, body = fence["label"].lower(), fence["body"].strip()
                is_call = _is_command(label, body, names) or (
                    label in _LABELS
                    # without names, so that an object with a type is data
                    and (_is_call(body, frozenset()) or _is_named_in_words(body, names))
                    and not (label == "" and _is_object(body))
                )
                return Span(opens.end(), end) if is_call else None
    return next((part for part in _parts(text, window, end) if _is_call(part.of(text), names)), None)


def _is_command(label: str, body: str, names: frozenset[str]) -> bool:
    """Return whether a fence holds one command for a shell where an offered name runs commands, and it may be meant so."""
    is_shell = label in {"bash", "sh", "shell", "zsh"} and bool(body) and "\n" not in body
    return is_shell and any("command" in name for name in names)


def _parts(text: str, window: int, end: int) -> Iterator[Span]:
    """Yield what may be a call: the last paragraph, the text from the first one on, and the last line and paragraphs in signs."""
    opened = list(_PARAGRAPH.finditer(text, window, end))
    yield from (Span(opens.end(), end) for opens in (*opened[-1:], *opened[:1]))
    line = text.rfind("\n", window, end) + 1
    last = [Span(line, end)] if text[window:line].rstrip().endswith((".", "!", "?", ":", "。", "：")) else []
    between = [Span(opens.end(), closes.start()) for opens, closes in pairwise(opened)]
    yield from (part for part in (*last, *between) if text.startswith(("<", "{", "["), part.start))


def _is_last_fence(body: str) -> bool:
    """Return whether a fence holds no other fence."""
    return "\n```" not in body and "\n~~~" not in body


def _is_call(text: str, names: frozenset[str]) -> bool:
    return any(is_one(text, names) for is_one in _SHAPES)


def _is_like_offered(name: str, names: frozenset[str]) -> bool:
    """Return whether a name of several words has one that an offered name has, too: ``complete_task`` beside ``create_task``."""
    words = {word for word in name.split("_") if len(word) > 2}
    return "_" in name and any(not words.isdisjoint(offered.split("_")) for offered in names)


def _is_key_lines(text: str, _names: frozenset[str]) -> bool:
    """Return whether a text is YAML or TOML that begins with a call's name."""
    return _KEY_LINES.fullmatch(text) is not None


def _is_element(text: str, names: frozenset[str]) -> bool:
    """Return whether a text is one element whose inner elements hold only text, or begins with a tag in which a call's words are."""
    if not text.startswith("<"):
        return False
    if tag := _TAG.fullmatch(text):
        return bool(tag["rest"].strip(" \t\n/")) or _is_like_offered(tag["name"], names)
    tag, unclosed, found = (
        each(text) for each in (_BROKEN_TAG.match, _UNCLOSED.fullmatch, _ELEMENT.fullmatch)
    )
    if (tag and _is_like_offered(tag["name"], names)) or (unclosed and unclosed["name"] in names):
        return True
    if _OPEN_ELEMENT.fullmatch(text):
        return True
    return found is not None and found["name"].lower() not in _HYPERTEXT


def _is_python(text: str, _names: frozenset[str]) -> bool:
    """Return whether a text is one call with only keyword arguments, of a function that Python itself lacks."""
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


def _is_object(text: str, names: frozenset[str] = frozenset()) -> bool:
    """Return whether a text is JSON objects with a call's name, a list of such objects, or a plan of them."""
    at, read = 0, json.JSONDecoder().raw_decode
    while at < len(text):
        if not text.startswith(("{", "["), at):
            return False
        try:
            value, end = read(text, at)
        except (ValueError, RecursionError):
            return False
        if not _names_call(value, names):
            return False
        at = _BETWEEN.match(text, end).end()  # type: ignore[union-attr]
    return at > 0


_IN_WORDS = regex(rf"[\[\s]*+\{{\s*+[\"'](?:{_KEYS})[\"']\s*+:\s*+[\"'](?P<name>\w++(?:[ -]\w++)++)[\"']")


def _is_named_in_words(text: str, names: frozenset[str]) -> bool:
    """Return whether a text is an object that names an offered tool in words: ``{"action": "create file", …}``."""
    found = _IN_WORDS.match(text)
    return found is not None and re.sub(r"[ -]", "_", found["name"].lower()) in names


def _names_call(
    value: object, names: frozenset[str], *, is_listed: bool = False, levels: int = _LEVELS
) -> bool:
    if levels == 0:
        return False
    if isinstance(value, list):
        return bool(value) and all(
            isinstance(item, dict) and _names_call(item, names, is_listed=is_listed, levels=levels - 1)
            for item in value
        )
    if not isinstance(value, dict) or not value:
        return False
    first, name = next(iter(value.items()))
    if first in _LISTS and isinstance(name, dict):
        name = [name]
    if isinstance(name, list):
        is_listed = first in _LISTS
        is_list = is_listed or first in {"plan", "steps"}
        return is_list and _names_call(name, names, is_listed=is_listed, levels=levels - 1)
    if not isinstance(name, str) or not re.fullmatch(_NAME, name):
        return False
    is_key = first in _KEYS.split("|") or (
        first in {"type", "name"}
        and ((is_listed and ("_" in name or bool(names))) or _is_like_offered(name, names))
    )
    return is_key and all(_is_argument(held) for key, held in value.items() if key != first)


def _is_argument(held: object) -> bool:
    """Return whether a value may be an argument or hold arguments; a deeply nested record may not."""
    values = held.values() if isinstance(held, dict) else held if isinstance(held, list) else [held]
    return all(isinstance(each, _IS_PLAIN) for each in values)


_SHAPES: tuple[Callable[[str, frozenset[str]], bool], ...] = (
    _is_key_lines,
    _is_element,
    _is_object,
    _is_named_in_words,
    _is_python,
)


def may_hold_shape(text: str) -> bool:
    """Return whether a text has a sign that all these shapes need."""
    return has_words(text) and (":" in text or "=" in text or "<" in text)


_ANYBODYS = frozenset(
    {
        *("bash_fence", "command_tags", "mint", "python_fence", "pythonic", "search_replace", "xml_tags"),
        *("json_action", "plan"),
    }
)
"""Dialects whose blocks look like any code or data, or like another's tags: only an offered name makes them calls."""

_ELSEWHERE = frozenset({RepairKind.MISLABELLED_FENCE, RepairKind.MISSING_FENCE})
"""The repairs of a block without its own fence, in which also only an offered name makes data a call."""

_SIGNS = ("<", "{", "[", "`", "~", ">", "Action", "*** Begin Patch")
"""Without one of these, none of those dialects reads anything, in a fence or not."""

_FENCED_VALUE = regex(
    r"^[ \t]*+(?P<marks>`{3,}+)(?P<label>[\w-]*+)[ \t]*+\r?\n(?P<body>\s*+[\[{][^`]*+)^[ \t]*+(?P=marks)[ \t]*+$",
    re.MULTILINE,
)
"""A fence with a value under a label that belongs to no dialect."""


def with_foreign(source: Source, placed: Sequence[Placed], options: DecodeOptions) -> list[Placed]:
    """Return a response's blocks; if none was read, add those of other dialects, each as lost."""
    for _, found in placed:
        if found.status in READ or _is_lost(found):
            return list(placed)
    names = source.names or frozenset()
    has_sign = any(sign in source.text for sign in _SIGNS) or may_hold_shape(source.text)
    if not has_sign and not may_be_headed(source.text, names):
        return list(placed)
    kept = [each for each in placed if not _says_nothing(each[1])]
    low = 0
    lost: list[Placed] = []
    for high in [*(found.span for _, found in kept), Span(len(source.text), len(source.text))]:
        lost += foreign_blocks(source.text, Span(low, high.start), names, options)
        low = max(low, high.end)
    if not lost:
        return list(placed)
    spans = [found.span for _, found in lost]
    beside = [
        each for each in placed if not any(_overlap(each[1].span, span) for span in spans) or each in kept
    ]
    return sorted([*beside, *lost], key=lambda each: each[1].span)


def foreign_blocks(text: str, gap: Span, names: frozenset[str], options: DecodeOptions) -> list[Placed]:
    """Return the calls of any format in a stretch of a response, each as lost, also those in a fence of no format."""
    lost = [*_lost_in(text, gap, options)] if any(text.find(sign, *gap) >= 0 for sign in _SIGNS) else []
    for fence in () if lost or text.find("```", *gap) < 0 else _FENCED_VALUE.finditer(text, *gap):
        lost += _lost_in(text, Span(*fence.span("body")), options)
    lost = lost or [_headed(head) for head in headed_calls(text, gap, names)]
    return lost or [_lost(BY_EVIDENCE, span) for span in foreign_shapes(text, gap, names)]


def _headed(head: Headed) -> Placed:
    detail = f"It looks like a call of {head.name!r}, in a format that this parser does not parse."
    return _malformed(BY_EVIDENCE, head.span, detail)


def _lost_in(text: str, part: Span, options: DecodeOptions) -> Iterator[Placed]:
    for dialect, found in _finder().blocks(Source(part.of(text), None), options):
        is_elsewhere = any(repair.kind in _ELSEWHERE for repair in found.repairs)
        is_template = bool(found.actions) and all(
            each.name.startswith(("<", "{", "[", "…")) for each in found.actions
        )
        is_call = found.status in READ or found.status is BlockStatus.MALFORMED
        if is_call and not is_elsewhere and not is_template:
            span = Span(part.start + found.span.start, part.start + found.span.end)
            yield _lost(dialect, span)


def _lost(dialect: Dialect, span: Span) -> Placed:
    form = "a format" if dialect is BY_EVIDENCE else f"the dialect {dialect.name!r}"
    return _malformed(dialect, span, f"It looks like a call in {form} that this parser does not parse.")


def _malformed(dialect: Dialect, span: Span, detail: str) -> Placed:
    issue = Issue(Reason.WRONG_SHAPE, span, detail)
    return dialect, Found(BlockStatus.MALFORMED, span, span, reason=issue.code, issues=(issue,))


def may_hold_foreign(
    text: str, gap: Span, found: Found, names: frozenset[str], options: DecodeOptions
) -> bool:
    """Return whether a call in another format is before a block, or is all of it, while a response is streaming."""
    if found.status in READ or _is_lost(found):
        return False
    end = found.span.end if _says_nothing(found) else gap.end
    return bool(foreign_blocks(text, Span(gap.start, end), names, options))


@lru_cache(maxsize=1)
def _finder() -> Finder:
    return Finder([dialect for dialect in DIALECTS if dialect.name not in _ANYBODYS])


def _says_nothing(found: Found) -> bool:
    """Return whether a block is data, a mention or a failed call of an offered name; it may be a call in another format."""
    details = {issue.detail for issue in found.issues}
    if found.status is BlockStatus.MALFORMED:
        return NAMELESS in details
    if found.reason is Reason.EXAMPLE and not found.actions and details <= {BESIDE}:
        return True
    is_nothing = (
        found.reason is Reason.NOT_AN_ACTION or found.reason is Reason.CALL_IN_PROSE or UNSAID in details
    )
    return found.status is BlockStatus.IGNORED and is_nothing


def _is_lost(found: Found) -> bool:
    return found.status is BlockStatus.MALFORMED and not _says_nothing(found)


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
