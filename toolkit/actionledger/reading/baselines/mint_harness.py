"""The reading rules of MINT-bench's own harness, in the two versions that its recordings were made under."""

import re
from collections.abc import Iterator

from actionledger.core.values import Span
from actionledger.core.vocabulary import BlockStatus
from actionledger.reading.dialects.base import Found, Written

_SOLUTIONS = re.compile(r"<solution>(.*?)</solution>", re.DOTALL)
_EXECUTES = re.compile(r"<execute>(.*?)</execute>", re.DOTALL)
_PYTHON_FENCES = re.compile(r"```python\n(.*?)```", re.DOTALL)


def mint_harness(text: str) -> Iterator[Found]:
    """Take a text that holds ``<solution>`` for a proposal, even an empty one; else join the code of all pairs.

    A response with neither is what the harness counted as an invalid action.
    """
    if "<solution>" in text:
        yield _proposal(text)
    elif found := _code(text, _EXECUTES, "</execute>"):
        yield found


def mint_harness_fences(text: str) -> Iterator[Found]:
    """Read as ``mint_harness`` does, and take fenced Python for code where there is no tag.

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
    """Return the stripped bodies of all pairs joined by line breaks, which two empty ones are too, and the stretch of them."""
    end = text.rfind(closer) + len(
        closer
    )  # behind the last closer, each opener would search the rest in vain
    matches = list(pattern.finditer(text, 0, end))
    joined = "\n".join(match[1].strip() for match in matches)
    return joined, Span(matches[0].start(), matches[-1].end()) if matches else Span(0, 0)
