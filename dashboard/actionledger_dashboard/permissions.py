"""What pages may do: decide about actions that wait, and by whom; keep pasted responses as cases, and where."""

import hmac
import os
import re
import secrets
from pathlib import Path

from actionledger.replay.cases import SUFFIX

_BYTES = 10
_codes: list[str] = []


def allow_deciding() -> str:
    """Let pages of this process decide, for whoever knows the code that is returned."""
    _codes[:] = [secrets.token_hex(_BYTES)]
    return _codes[0]


def may_be_decided_here() -> bool:
    """Return whether this process lets anybody decide at all."""
    return bool(_codes)


def is_code(typed: str) -> bool:
    """Return whether that is the code."""
    return any(hmac.compare_digest(typed.strip().encode(), code.encode()) for code in _codes)


CASES_VARIABLE = "ACTIONLEDGER_CASES"
"""The environment variable that names the folder; without it, cases are offered as downloads alone."""

_LONGEST = 100


def cases_folder() -> Path | None:
    """Return the folder that cases are written to; None where none is named."""
    named = os.environ.get(CASES_VARIABLE, "")
    return Path(named) if named else None


def file_name(typed: str, otherwise: str) -> str:
    """Return a file's name without its ending, which is no path."""
    return re.sub(r"[^\w.-]+", "-", typed).strip(".-")[:_LONGEST] or otherwise


def keep_case(folder: Path, name: str, content: str) -> str:
    """Write a case, unless its file is there; return what to say of it."""
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
