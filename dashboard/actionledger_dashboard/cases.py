"""The folder that cases are kept in, where whoever serves the dashboard has named one."""

import os
import re
from pathlib import Path

from actionledger.replay.cases import SUFFIX

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
