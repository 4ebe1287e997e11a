"""Run by another version's Python interpreter: parses texts, given as JSON lines, with that version's public functions.

It is started by its path and imports nothing from the package that contains it. It returns only the fields that the other version's
results have, and adds none.
"""

import dataclasses
import json
import os
import signal
from enum import Enum
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any, BinaryIO

# Imported by name: it means the installed version, not the package that contains this file.
al = import_module("actionledger")

_CLOCK = 10


def main() -> None:
    """Serve requests until the input ends."""
    answers, requests = own_pipes()
    setup = json.loads(requests.readline())
    _answer(answers, described(setup["parser"]))
    for line in requests:
        request = json.loads(line)
        for response in request["responses"]:
            tools = request["tools"].get(response["tools_hash"] or "")
            _limit(setup["seconds"])
            _answer(answers, read(response["text"], response["profile"], setup["parser"], tools))
            _limit(0)


def own_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Return pipes for answers and requests, so that a version's own output and input can't mix with them."""
    answers, requests = os.fdopen(os.dup(1), "wb"), os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return answers, requests


def described(parser: str) -> dict[str, Any]:
    """Describe this version and its parser of that name."""
    known = list(al.parser_names()) if hasattr(al, "parser_names") else []
    found = al.parser(parser) if parser in known and hasattr(al, "parser") else None
    return {
        "file": al.__file__,
        "version": getattr(al, "__version__", "") or _installed(),
        "parsers": known,
        "configuration": getattr(found, "configuration", None),
    }


def read(text: str, profile: str, parser: str, tools: str | None) -> dict[str, Any]:
    """Return this version's parse of a text; ``error`` if it raises."""
    known: dict[str, Any] = {"profile": profile} if profile in al.profile_names() else {}
    offered: dict[str, Any] = {"tools": json.loads(tools)} if tools else {}
    try:
        try:
            result = al.parse(text, parser=parser, **(offered or known))
        except Exception:  # this version does not accept the offered tools
            if not offered:
                raise
            result = al.parse(text, parser=parser, **known)
        return {"result": plain(result)}
    except (Exception, SystemExit) as error:  # noqa: BLE001 - any error is that version's answer
        return {"error": f"{type(error).__name__}: {error}"}


def plain(value: Any) -> Any:
    """Return a value as JSON; a value with fields becomes an object."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, str | int | float | bool | None):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if hasattr(value, "_asdict"):
        return {name: plain(part) for name, part in value._asdict().items()}
    if isinstance(value, dict):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return None  # a model class of that version: its fields are in the arguments


def _installed() -> str:
    try:
        return version("actionledger")
    except PackageNotFoundError:
        return ""


def _answer(answers: BinaryIO, value: dict[str, Any]) -> None:
    answers.write(json.dumps(value).encode() + b"\n")
    answers.flush()


def _limit(seconds: float) -> None:
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, seconds * _CLOCK)


if __name__ == "__main__":
    main()
