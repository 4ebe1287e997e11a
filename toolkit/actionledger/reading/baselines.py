"""The documents' own parsers, with their rules and their faults, as baselines for experiments.

Unlike the dialects, none of them repairs, explains or refuses anything. That is their purpose.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Literal, NoReturn

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import BlockStatus, Reason, RepairKind
from actionledger.reading.dialects import dialect_named
from actionledger.reading.dialects.base import Dialect, Found, Written, named_arguments

_SOLUTIONS = regex(r"<solution>(.*?)</solution>", re.DOTALL)
_EXECUTES = regex(r"<execute>(.*?)</execute>", re.DOTALL)
_PYTHON_FENCES = regex(r"```python\n(.*?)```", re.DOTALL)


def mint_harness(text: str) -> Iterator[Found]:
    """Take a text with ``<solution>`` as a proposal, even an empty one; otherwise join the code of all pairs.

    The harness counted a response with neither as an invalid action.
    """
    if "<solution>" in text:
        yield _proposal(text)
    elif found := _code(text, _EXECUTES, "</execute>"):
        yield found


def mint_harness_fences(text: str) -> Iterator[Found]:
    """Parse as ``mint_harness`` does, but take fenced Python as code if there is no tag.

    No documentation says so; the recorded counts of OpenCodeInterpreter-DS-6.7B follow this rule in every session.
    """
    if "<solution>" in text:
        yield _proposal(text)
    elif found := _code(text, _EXECUTES, "</execute>") or _code(text, _PYTHON_FENCES, "```"):
        yield found


def _proposal(text: str) -> Found:
    answer, span = _joined(_SOLUTIONS, text, "</solution>")
    start = text.index("<solution>")
    whole = Span(start, max(span.end, start + len("<solution>")))
    return Found(BlockStatus.STRICT, whole, whole, (Written("solution", {"answer": answer}, whole),))


def _code(text: str, pattern: re.Pattern[str], closer: str) -> Found | None:
    code, span = _joined(pattern, text, closer)
    return (
        Found(BlockStatus.STRICT, span, span, (Written("execute", {"code": code}, span),)) if code else None
    )


def _joined(pattern: re.Pattern[str], text: str, closer: str) -> tuple[str, Span]:
    """Return the stripped bodies of all pairs joined by line breaks, and their span. Two empty bodies also give a line break."""
    end = text.rfind(closer) + len(
        closer
    )  # after the last closer, each opener would fail only after searching the rest
    matches = list(pattern.finditer(text, 0, end))
    joined = "\n".join(match[1].strip() for match in matches)
    return joined, Span(matches[0].start(), matches[-1].end()) if matches else Span(0, 0)


_TAGS: dict[str, tuple[re.Pattern[str], tuple[str, ...]]] = {
    "create_file": (
        regex(
            r"<create_file>\s*<path>(.*?)</path>\s*<content>\n?(.*?)</content>\s*</create_file>", re.DOTALL
        ),
        ("path", "content"),
    ),
    "execute_command": (
        regex(
            r"<execute_command>\s*<command>(.*?)</command>\s*(?:<description>(.*?)</description>)?\s*</execute_command>",
            re.DOTALL,
        ),
        ("command", "description"),
    ),
    "create_directory": (
        regex(r"<create_directory>\s*<path>(.*?)</path>\s*</create_directory>", re.DOTALL),
        ("path",),
    ),
    "modify_file": (
        regex(
            r"<modify_file>\s*<path>(.*?)</path>\s*<search>\n?(.*?)\n?</search>\s*"
            r"<replace>\n?(.*?)\n?</replace>\s*</modify_file>",
            re.DOTALL,
        ),
        ("path", "search", "replace"),
    ),
    "read_file": (regex(r"<read_file>\s*<path>(.*?)</path>\s*</read_file>", re.DOTALL), ("path",)),
}


def go_tags(text: str) -> Iterator[Found]:
    """Find all matches of one tag, then all of the next: not in text order, and also in examples and contents.

    Go's expressions take linear time. Python's take longer on tags that are opened often and never closed.
    """
    for tag, (pattern, fields) in _TAGS.items():
        for match in pattern.finditer(text):
            span = Span(*match.span())
            given = {
                name: value for name, value in zip(fields, match.groups(), strict=True) if value is not None
            }
            arguments = {
                name: value if name in {"content", "search", "replace"} else value.strip()
                for name, value in given.items()
            }
            yield Found(BlockStatus.STRICT, span, span, (Written(tag, arguments, span),))


_STANDARD = regex(r"```actions\s*\n(.*?)\n```", re.DOTALL)


def gembrain_standard(text: str) -> Iterator[Found]:
    """Find the first block with one regular expression and decode it with the standard library, which allows raw line breaks."""
    match = _STANDARD.search(text)
    if not match:
        return
    span, body = Span(*match.span()), Span(*match.span(1))
    try:
        value = json.loads(match[1].strip(), strict=False)
    except (ValueError, RecursionError) as error:
        yield _unreadable(span, body, str(error))
    else:
        yield _typed_actions(span, body, value, "actions")


def gembrain_iterative(text: str) -> Iterator[Found]:
    """Find the first block's end by counting braces outside strings; escape control characters; decode."""
    marker = text.find("```iteration")
    if marker < 0:
        return
    start = text.find("\n", marker) + 1
    end = _balanced_end(text, start)
    if end is None:
        span = Span(min(marker, start), len(text))
        issue = Issue(Reason.TRUNCATED, span, "The braces don't balance.")
        yield Found(BlockStatus.MALFORMED, span, Span(start, len(text)), reason=issue.code, issues=(issue,))
        return
    body, span = Span(start, end), Span(min(marker, start), end)
    escaped = _escape_control_characters(body.of(text))
    try:
        value = json.loads(escaped, strict=False)
    except (ValueError, RecursionError) as error:
        yield _unreadable(span, body, str(error))
        return
    repairs: tuple[Repair, ...] = ()
    if escaped != body.of(text):
        repairs = (Repair(RepairKind.CONTROL_CHARACTER, body, body.of(text), escaped),)
    yield _typed_actions(span, body, value, "next_actions", repairs)


def _balanced_end(text: str, start: int) -> int | None:
    """Return the end of the first balanced ``{…}``, ignoring braces in strings; None if there is none."""
    depth = 0
    for token in re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}]', re.DOTALL).finditer(text, start):
        if token[0] == "{":
            depth += 1
        elif token[0] == "}":
            depth -= 1
            if depth == 0:
                return token.end()
    return None


def _escape_control_characters(text: str) -> str:
    def escape(string: re.Match[str]) -> str:
        return re.sub(r"[\x00-\x1f]", lambda match: json.dumps(match[0])[1:-1], string[0])

    return re.sub(r'"(?:[^"\\]++|\\.)*+"?', escape, text, flags=re.DOTALL)


def _typed_actions(span: Span, body: Span, value: Any, key: str, repairs: tuple[Repair, ...] = ()) -> Found:
    """Return the block of an object whose list of actions is taken unchanged. Both of GemBrain's modes do this."""
    items = value.get(key, []) if isinstance(value, dict) else None
    if not isinstance(items, list):
        issue = Issue(Reason.WRONG_SHAPE, body)
        return Found(BlockStatus.MALFORMED, span, body, reason=issue.code, issues=(issue,))
    actions = []
    for item in items:
        name, arguments = named_arguments(item, "type") if isinstance(item, dict) else ("", {"value": item})
        actions.append(Written(name, arguments, body))
    status = BlockStatus.REPAIRED if repairs else BlockStatus.STRICT
    return Found(status, span, body, tuple(actions), repairs=repairs)


def _unreadable(span: Span, body: Span, detail: str) -> Found:
    issue = Issue(Reason.MALFORMED_JSON, body, detail)
    return Found(BlockStatus.MALFORMED, span, body, reason=issue.code, issues=(issue,))


_JSON_OPENER = regex(r"```json\s*\n?")


def echelon_progressive(text: str) -> Iterator[Found]:
    """Try longer and longer stretches from each opener to each closer until one decodes to an action.

    A block in which none decodes is skipped silently. The cost is openers times closers.
    """
    position = 0
    while opener := _JSON_OPENER.search(text, position):
        found = _first_that_decodes(text, opener)
        if found is None:
            position = opener.end()
        else:
            yield found
            position = found.span.end


def _first_that_decodes(text: str, opener: re.Match[str]) -> Found | None:
    closer = text.find("```", opener.end())
    while closer >= 0:
        body, span = Span(opener.end(), closer), Span(opener.start(), closer + 3)
        try:
            value = json.loads(body.of(text).strip(), parse_constant=_refuse)
        except (ValueError, RecursionError):
            value = None
        items = value if isinstance(value, list) else [value]
        named = [item for item in items if isinstance(item, dict) and "action" in item]
        if named:
            actions = tuple(Written(*named_arguments(item, "action"), body) for item in named)
            return Found(BlockStatus.STRICT, span, body, actions)
        closer = text.find("```", closer + 3)
    return None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


BaselineRules = Literal[
    "gembrain-standard",
    "gembrain-iterative",
    "echelon-progressive",
    "go-tags",
    "mint-harness",
    "mint-harness-fences",
]

_RULES: dict[BaselineRules, tuple[str, Callable[[str], Iterator[Found]]]] = {
    "gembrain-standard": ("actions", gembrain_standard),
    "gembrain-iterative": ("iteration", gembrain_iterative),
    "echelon-progressive": ("json_action", echelon_progressive),
    "go-tags": ("xml_tags", go_tags),
    "mint-harness": ("mint", mint_harness),
    "mint-harness-fences": ("mint", mint_harness_fences),
}


def baseline_blocks(rules: BaselineRules, text: str) -> list[tuple[Dialect, Found]]:
    """Return a baseline's blocks in its own order, each with its dialect."""
    dialect, find = _RULES[rules]
    return [(dialect_named(dialect), found) for found in find(text)]


def baseline_dialect(rules: BaselineRules) -> str:
    """Return the name of the dialect of a baseline's blocks."""
    return _RULES[rules][0]
