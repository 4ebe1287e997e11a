"""The tags of MINT and CodeAct: code to run in ``<execute>``, an answer in ``<solution>``."""

import re
from collections.abc import Sequence
from typing import ClassVar, Literal

from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import BlockStatus, Reason
from actionledger.reading.dialects.base import Dialect, Found, Written
from actionledger.reading.dialects.parts.writing import PlainCall, raw_text
from actionledger.reading.scan.openings import Opening
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.options import DecodeOptions

_FENCE = "```python"
_CLOSES = re.compile(r"\n[ \t]*```")

_FIELDS = {"execute": "code", "solution": "answer"}


class Mint(Dialect):
    """Each ``<execute>…</execute>`` and ``<solution>…</solution>`` is an action; its body is raw text.

    The tags are special to the protocol, so a markdown fence around them makes no example of them; inline code does.
    A tag that is not closed before the same one opens again is malformed: what it was to hold can't be known.
    """

    name: Literal["mint"] = "mint"
    source = "MINT-bench, prompt template and agent harness; CodeAct uses the same tags"
    rules = (
        (
            "Write Python code between <execute> and </execute>, or the final answer between <solution> "
            "and </solution>."
        ),
        "What stands between the tags is taken as it is: escape nothing.",
    )
    example = "<thought>I add the numbers.</thought>\n<execute>\nprint(2 + 3)\n</execute>"
    strings_only = True
    respects_fences: ClassVar[bool] = False

    @property
    def literals(self) -> frozenset[str]:
        """The opening tags."""
        return frozenset({"<execute>", "<solution>"})

    def read(self, source: Source, opening: Opening, end: int, _options: DecodeOptions) -> Found | None:
        """Read the body of the tag that opens here; see ``Dialect.read``."""
        text, tag = source.text, opening.label[1:-1]
        closer = f"</{tag}>"
        again = source.find(opening.label, opening.end, end)
        close = source.find(closer, opening.end, again if again >= 0 else end)
        if close >= 0:
            body, span = Span(opening.end, close), Span(opening.start, close + len(closer))
            found = self._read_body(text, tag, span, body)
        else:
            openers = (source.find(f"<{name}>", opening.end, end) for name in _FIELDS)
            stop = min((at for at in openers if at >= 0), default=end)
            body, span = Span(opening.end, stop), Span(opening.start, stop)
            issue = Issue(
                Reason.UNCLOSED_TAG, Span(opening.start, opening.end), f"The tag is {opening.label}."
            )
            found = Found(BlockStatus.MALFORMED, span, body, reason=issue.code, issues=(issue,))
        return self.unless_quoted(found, text)

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write each action in its tag; see ``Dialect.write``."""
        return "\n".join(map(_written, calls))

    @staticmethod
    def _read_body(text: str, tag: str, span: Span, body: Span) -> Found:
        value = body.of(text).strip()
        if not value:
            issue = Issue(Reason.EMPTY_BLOCK, body)
            return Found(BlockStatus.MALFORMED, span, body, reason=issue.code, issues=(issue,))
        return Found(BlockStatus.STRICT, span, body, (Written(tag, {_FIELDS[tag]: value}, span),))


class MintFences(Mint):
    """The same where the prompt asks for code in a fence labelled ``python``: such a fence is an action, as a pair of tags is.

    MINT's harness prompted OpenCodeInterpreter so. No response in general is read by it: a fence of Python is mostly an example.
    """

    name: Literal["mint_fences"] = "mint_fences"  # type: ignore[assignment]
    rules = (
        "Write Python code in a fence labelled python, or the final answer between <solution> and </solution>.",
        "What stands in the fence or between the tags is taken as it is: escape nothing.",
    )
    example = "<thought>I add the numbers.</thought>\n```python\nprint(2 + 3)\n```"

    @property
    def literals(self) -> frozenset[str]:
        """The opening tags, and the fence."""
        return frozenset({"<execute>", "<solution>", _FENCE})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the body of the fence or the tag that opens here; see ``Dialect.read``."""
        if opening.label != _FENCE:
            return super().read(source, opening, end, options)
        text = source.text
        line = text.find("\n", opening.end, end)
        if line < 0 or text[opening.end : line].strip():
            return None  # another label that begins so
        closer = _CLOSES.search(text, line, end)
        stop = closer.start() if closer else end
        body, span = Span(line + 1, max(line + 1, stop)), Span(opening.start, closer.end() if closer else end)
        if closer is None:
            issue = Issue(Reason.UNCLOSED_FENCE, Span(opening.start, opening.end), "The fence is ```python.")
            return Found(BlockStatus.MALFORMED, span, body, reason=issue.code, issues=(issue,))
        return self._read_body(text, "execute", span, body)


def _written(call: PlainCall) -> str:
    field = _FIELDS.get(call.name)
    if field is None or call.arguments.keys() != {field}:
        raise ValueError(
            f"{call.name!r} with {list(call.arguments)} is neither execute(code) nor solution(answer)"
        )
    return f"<{call.name}>\n{raw_text(call.arguments[field])}\n</{call.name}>"
