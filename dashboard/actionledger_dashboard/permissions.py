"""The permissions of pages: to decide about pending actions, for those who know a code, and to save pasted responses as cases in a folder."""

import hmac
import os
import re
import secrets
from pathlib import Path

from actionledger.replay.cases import SUFFIX

_BYTES = 10
_codes: list[str] = []


def allow_deciding() -> str:
    """Allow pages of this process to decide, and return the code that they ask for."""
    _codes[:] = [secrets.token_hex(_BYTES)]
    return _codes[0]


def may_be_decided_here() -> bool:
    """Return whether this process allows decisions at all."""
    return bool(_codes)


def is_code(typed: str) -> bool:
    """Return whether a typed text is the code."""
    return any(hmac.compare_digest(typed.strip().encode(), code.encode()) for code in _codes)


CASES_VARIABLE = "ACTIONLEDGER_CASES"
"""The environment variable that names the folder of cases; without it, cases are only offered as downloads."""

_LONGEST = 100


def cases_folder() -> Path | None:
    """Return the folder of cases; None if none is set."""
    named = os.environ.get(CASES_VARIABLE, "")
    return Path(named) if named else None


def file_name(typed: str, otherwise: str) -> str:
    """Return a file name without extension that can't be a path."""
    return re.sub(r"[^\w.-]+", "-", typed).strip(".-")[:_LONGEST] or otherwise


def keep_case(folder: Path, name: str, content: str) -> str:
    """Write a case unless its file exists; return a message about it."""
    path = folder / f"{name}{SUFFIX}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(content)
    except FileExistsError:
        return f"There is a case at {path} already; give another name."
    except OSError as error:
        return f"The case can't be written to {path}: {error.strerror}."
    return f"Written to {path}."
