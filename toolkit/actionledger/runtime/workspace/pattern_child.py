"""A child process that runs one regular expression and may crash; it reads a task and writes an answer, both in JSON.

It is started by its path, imports only the standard library, and limits itself before it reads anything.
"""

import json
import re
import resource
import signal
import sys
from contextlib import suppress
from typing import Any

MEMORY = 1024 * 2**20
"""The maximum memory, in bytes."""

MOST_STARTS = 5


def main() -> None:
    """Answer one task."""
    # macOS refuses to set the first limit; the time limit still applies there.
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    task = json.load(sys.stdin)
    # The signal's default action ends the process, even during matching.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, task["seconds"])
    json.dump(answer(task), sys.stdout)


def answer(task: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to a task; an invalid expression is an answer too."""
    flags = re.IGNORECASE if task.get("ignore_case") else re.NOFLAG
    try:
        pattern = re.compile(task["pattern"], flags)
        return replaced(pattern, task) if task["task"] == "replace" else found(pattern, task)
    except (re.error, IndexError, OverflowError, RecursionError) as error:
        return {"error": str(error) or type(error).__name__}


def replaced(pattern: re.Pattern[str], task: dict[str, Any]) -> dict[str, Any]:
    """Return the text with the first or every match replaced; no text if it would be too long."""
    text: str = task["text"]
    pieces: list[str] = []
    starts: list[int] = []
    count = behind = 0
    room = task["characters"] - len(text)
    for match in pattern.finditer(text):
        count += 1
        if len(starts) < MOST_STARTS:
            starts.append(match.start())
        if room >= 0 and (task["every"] or count == 1):
            piece = match.expand(task["template"])
            pieces += (text[behind : match.start()], piece)
            behind = match.end()
            room -= len(piece) - (match.end() - match.start())
    return {"text": None if room < 0 else "".join([*pieces, text[behind:]]), "count": count, "starts": starts}


def found(pattern: re.Pattern[str], task: dict[str, Any]) -> dict[str, Any]:
    """Return the matching lines, as pairs (text, line)."""
    lines: list[tuple[int, int]] = []
    for place, text in enumerate(task["texts"]):
        for number, line in enumerate(text.split("\n")):
            if pattern.search(line.removesuffix("\r")):
                lines.append((place, number))
                if len(lines) >= task["hits"]:
                    return {"lines": lines}
    return {"lines": lines}


if __name__ == "__main__":
    main()
