"""Run a model's regular expressions safely: in a child process with a time limit and a memory limit.

No way within this process is safe. ``re`` can't be interrupted while it tries ``(a+)+$``. The ``regex`` package has a time
limit, but only for matching; compiling ``(?:(?:a{1000}){1000}){1000}`` needs more memory than a machine has.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason

MAX_PATTERN = 2_000
"""The maximum length of a regular expression, in characters."""

_CHILD = Path(__file__).with_name("pattern_child.py")
_START_SECONDS = 5.0
"""Extra time for a child beyond matching, in seconds, because a busy machine starts it late."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """The result of a replacement."""

    text: str | None  # the new text; None if it would be too long
    count: int  # the number of matches
    starts: tuple[int, ...]  # the start of the first few matches, in code points


def replace_pattern(
    text: str, pattern: str, template: str, *, every: bool, characters: int, seconds: float
) -> Replacement:
    r"""Replace the matches of a regular expression."""
    task = {"task": "replace", "text": text, "template": template, "every": every, "characters": characters}
    answer = _answer(pattern, task, seconds)
    return Replacement(answer["text"], answer["count"], tuple(answer["starts"]))


def search_pattern(
    texts: Sequence[str], pattern: str, *, ignore_case: bool, hits: int, seconds: float
) -> list[tuple[int, int]]:
    """Return the lines that a regular expression matches, as pairs of text and line indexes."""
    task = {"task": "search", "texts": list(texts), "ignore_case": ignore_case, "hits": hits}
    return [(text, line) for text, line in _answer(pattern, task, seconds)["lines"]]


def _answer(pattern: str, task: JsonMap, seconds: float) -> JsonDict:
    if len(pattern) > MAX_PATTERN:
        message = f"The regular expression has {len(pattern):,} characters; the limit is {MAX_PATTERN:,}."
        raise ActionError(Reason.TOO_LARGE, message)
    message = json.dumps({"pattern": pattern, "seconds": seconds, **task})
    command = [sys.executable, "-I", "-S", "-B", str(_CHILD)]
    try:
        done = subprocess.run(  # noqa: S603 - the command is ours; the model's text is only input
            command,
            input=message,
            capture_output=True,
            text=True,
            timeout=seconds + _START_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _too_much(seconds) from None
    if done.returncode:
        raise _too_much(seconds)
    answer: JsonDict = json.loads(done.stdout)
    if "error" in answer:
        message = f"The regular expression can't be used: {answer['error']}. Example: '(?m)^version = .*$'."
        raise ActionError(Reason.BAD_FORMAT, message)
    return answer


def _too_much(seconds: float) -> ActionError:
    message = (
        f"The regular expression takes more than {seconds:g} seconds, or more memory than it may. "
        "Use a simpler one without repetition inside repetition, or plain text."
    )
    return ActionError(Reason.TIMEOUT, message)
