"""Paths that a model may use: relative, inside the root and portable; and the errors for others."""

import errno
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager

from actionledger.core.errors import ActionError
from actionledger.core.text import first_unseen
from actionledger.core.vocabulary import Reason
from actionledger.runtime.workspace.nodes import NodeKind

Parts = tuple[str, ...]
"""The names in a path, from the root inwards; empty for the root itself."""

MAX_PATH = 1024
"""The maximum length of a path, in characters."""

MAX_NAME = 255
"""The maximum length of a name, in bytes of UTF-8."""

_FORBIDDEN = set('<>:"|?*\\') | {chr(code) for code in (*range(32), *range(127, 160))}
_DEVICES = {"con", "prn", "aux", "nul", "conin$", "conout$", "clock$"} | {
    f"{port}{number}" for port in ("com", "lpt") for number in "123456789¹²³"
}


def parts_of(path: str, *, root_is_meant: bool = False) -> Parts:
    """Return the names in a path, from the root inwards."""
    if len(path) > MAX_PATH:
        raise _refused(path[:60] + "…", f"is longer than {MAX_PATH} characters")
    if path.startswith(("/", "~")) or path[1:2] == ":":
        raise _refused(path, "is absolute")
    parts = tuple(part for part in path.split("/") if part not in {"", "."})
    if not parts and not root_is_meant:
        raise _refused(path, "names no file")
    for part in parts:
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
    return parts


def path_of(parts: Parts) -> str:
    """Return the path of a sequence of names; ``"."`` for the root."""
    return "/".join(parts) or "."


def plain_parts(path: str) -> Parts:
    """Return the names in a path that the toolkit recorded; names made by commands may be of any kind."""
    parts = tuple(path.split("/"))
    if any(part in {"", ".", ".."} or "\0" in part for part in parts):
        raise _refused(path, "leaves the workspace")
    return parts


def same_name_key(name: str) -> str:
    """Return a key that is equal for names that some file system treats as the same: letter case and Unicode form are folded."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())


def _refused(path: str, why: str) -> ActionError:
    return ActionError(
        Reason.PATH_REFUSED,
        f"The path {path!r} {why}. Use a relative path inside the workspace, such as 'src/main.py'.",
    )


_NOT_FOLLOWED = "a name on it is a file or a link, and links are not followed"

_BY_ERROR: dict[int, tuple[Reason, str]] = {
    errno.ENOENT: (Reason.NOT_FOUND, "it isn't there"),
    errno.ENOTDIR: (Reason.PATH_REFUSED, _NOT_FOLLOWED),
    errno.ELOOP: (Reason.PATH_REFUSED, _NOT_FOLLOWED),
    errno.EMLINK: (Reason.PATH_REFUSED, _NOT_FOLLOWED),
    errno.EISDIR: (Reason.PATH_REFUSED, "it is a folder"),
    errno.ENXIO: (Reason.PATH_REFUSED, "it is not a regular file"),
    errno.ENAMETOOLONG: (Reason.PATH_REFUSED, "it is too long for this system"),
    errno.EINVAL: (Reason.PATH_REFUSED, "this system doesn't take such a name"),
    errno.EILSEQ: (Reason.PATH_REFUSED, "this system doesn't take such a name"),
    errno.EEXIST: (Reason.ALREADY_EXISTS, "something is there already"),
    errno.ENOTEMPTY: (Reason.NOT_EMPTY, "the folder isn't empty"),
    errno.EACCES: (Reason.NOT_PERMITTED, "the system doesn't permit it"),
    errno.EPERM: (Reason.NOT_PERMITTED, "the system doesn't permit it"),
    errno.EROFS: (Reason.NOT_PERMITTED, "the disk can only be read"),
    errno.ETXTBSY: (Reason.NOT_PERMITTED, "it is a program that runs at the moment"),
    errno.EBUSY: (Reason.NOT_PERMITTED, "the system is using it"),
    errno.EFBIG: (Reason.DISK_ERROR, "it is larger than this disk takes"),
    errno.ENOSPC: (Reason.DISK_ERROR, "the disk is full"),
    errno.EDQUOT: (Reason.DISK_ERROR, "the disk space for this user is used up"),
    errno.EMFILE: (Reason.DISK_ERROR, "too many files are open; try again"),
    errno.ENFILE: (Reason.DISK_ERROR, "too many files are open; try again"),
}
"""The reason for each system error, and the end of its sentence."""


def refused_by_system(path: str, error: OSError) -> ActionError:
    """Return the error for the model after a system error on a path."""
    reason, why = _meaning(error)
    return ActionError(reason, f"The path {path!r} can't be used: {why}.")


def _meaning(error: OSError) -> tuple[Reason, str]:
    said = error.strerror or type(error).__name__
    return _BY_ERROR.get(error.errno or 0, (Reason.DISK_ERROR, f"the system says: {said}"))


_KINDS = {
    NodeKind.FILE: "a file",
    NodeKind.FOLDER: "a folder",
    NodeKind.LINK: "a link, and links are not followed",
    NodeKind.OTHER: "a pipe, a socket or a device",
}


@contextmanager
def refusing(path: str) -> Iterator[None]:
    """Convert system errors on a path into ``ActionError``."""
    try:
        yield
    except OSError as error:
        raise refused_by_system(path, error) from error


@contextmanager
def recording() -> Iterator[None]:
    """Convert system errors on the journal into ``ActionError``."""
    try:
        yield
    except OSError as error:
        reason, why = _meaning(error)
        reason = Reason.DISK_ERROR if reason is Reason.PATH_REFUSED else reason
        message = f"What would be changed can't be written down first, so it isn't changed: {why}."
        raise ActionError(reason, message) from error


def not_found(path: str, near: tuple[str, ...] = ()) -> ActionError:
    """Return the error for a path that doesn't exist."""
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    return ActionError(Reason.NOT_FOUND, f"There is nothing at {path!r}.{hint}")


def no_folder(path: str, name: str) -> ActionError:
    """Return the error for a name on a path that is not a folder."""
    return ActionError(
        Reason.PATH_REFUSED,
        f"On the path {path!r}, {name!r} is not a folder but a file or a link; links are not followed.",
    )


def no_file(path: str, kind: NodeKind) -> ActionError:
    """Return the error for a path that is not a regular file."""
    return ActionError(Reason.PATH_REFUSED, f"The path {path!r} is not a file but {_KINDS[kind]}.")


def too_large(path: str, size: int, limit: int) -> ActionError:
    """Return the error for a file or content over a limit, both in bytes."""
    return ActionError(Reason.TOO_LARGE, f"{path!r} has {size:,} bytes; the limit is {limit:,}.")


def changed_meanwhile(path: str) -> ActionError:
    """Return the error for a path that another user changed during the action."""
    message = f"Somebody else changed {path!r} at the same moment; nothing was written. Read it again."
    return ActionError(Reason.CHANGED_SINCE, message)
