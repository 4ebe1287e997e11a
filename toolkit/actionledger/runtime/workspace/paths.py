"""Which paths a model may name: relative ones that stay inside the root and mean the same on every system."""

import unicodedata

from actionledger.core.errors import ActionError
from actionledger.core.text import first_unseen
from actionledger.core.vocabulary import Reason

Parts = tuple[str, ...]
"""The names that a path consists of, from the root inwards; none for the root itself."""

MAX_PATH = 1024
"""The most characters of a path."""

MAX_NAME = 255
"""The most bytes of a name, in UTF-8."""

_FORBIDDEN = set('<>:"|?*\\') | {chr(code) for code in (*range(32), *range(127, 160))}
_DEVICES = {"con", "prn", "aux", "nul", "conin$", "conout$", "clock$"} | {
    f"{port}{number}" for port in ("com", "lpt") for number in "123456789¹²³"
}


def parts_of(path: str, *, root_is_meant: bool = False) -> Parts:
    """Return the names that a path consists of, from the root inwards."""
    if len(path) > MAX_PATH:
        raise _refused(path[:60] + "…", f"is longer than {MAX_PATH} characters")
    if path.startswith(("/", "~")) or path[1:2] == ":":
        raise _refused(path, "is absolute")
    parts = tuple(part for part in path.split("/") if part not in {"", "."})
    if not parts and not root_is_meant:
        raise _refused(path, "names no file")
    for part in parts:
        _check_part(path, part)
    return parts


def path_of(parts: Parts) -> str:
    """Return the path of some names; ``"."`` for the root."""
    return "/".join(parts) or "."


def plain_parts(path: str) -> Parts:
    """Return the names of a path that the toolkit wrote down itself; commands may have made names of any kind."""
    parts = tuple(path.split("/"))
    if any(part in {"", ".", ".."} or "\0" in part for part in parts):
        raise _refused(path, "leaves the workspace")
    return parts


def same_name_key(name: str) -> str:
    """Return what two names have in common that some system takes for one: letter case and Unicode form aside."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())


def _check_part(path: str, part: str) -> None:
    if part == "..":
        raise _refused(path, "leaves the workspace by '..'")
    if bad := sorted(set(part) & _FORBIDDEN):
        raise _refused(path, f"holds {bad[0]!r}")
    if unseen := first_unseen(part):
        raise _refused(path, f"holds {unseen}, which nobody sees")
    if part[-1] == "." or part[-1].isspace() or part[0].isspace():
        raise _refused(path, "has a name that begins or ends with a blank, or ends with a dot")
    if part.split(".", maxsplit=1)[0].rstrip().lower() in _DEVICES:
        raise _refused(path, f"has the name of a device ({part!r})")
    try:
        encoded = part.encode()
    except UnicodeEncodeError:
        raise _refused(ascii(path), "can't be written in UTF-8") from None
    if len(encoded) > MAX_NAME:
        raise _refused(path[:60] + "…", f"has a name of more than {MAX_NAME} bytes")


def _refused(path: str, why: str) -> ActionError:
    return ActionError(
        Reason.PATH_REFUSED,
        f"The path {path!r} {why}. Use a relative path inside the workspace, such as 'src/main.py'.",
    )
