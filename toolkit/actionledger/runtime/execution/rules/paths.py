"""Texts and paths compared with what a rule restricts: other spellings of a path are the same path. Pure."""

import re
from fnmatch import fnmatchcase

from actionledger.runtime.execution.rules.fit import Fit
from actionledger.runtime.execution.rules.programs import folded

_LONGEST = 4096
_GLOB = re.compile(r"[*?\[{$%]")
_SHORT_NAME = re.compile(r"~\d")


def normalised(path: str) -> str:
    """Return a path without what doesn't lead anywhere: ``.``, ``..`` where something stands before it, doubled slashes."""
    parts: list[str] = []
    for part in path.replace("\\", "/").split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return ("/" if path.startswith(("/", "\\")) else "") + "/".join(parts)


def text_restricts(pattern: str, path: str, *, is_path: bool) -> Fit:
    """Return whether a text is one that a glob restricts, or may be."""
    if fnmatchcase(path, pattern):
        return Fit.YES
    if len(path) > _LONGEST or "\n" in path:
        return Fit.PERHAPS if fnmatchcase(folded(path), folded(pattern)) else Fit.NO
    plain, wanted = normalised(path), normalised(pattern)
    if fnmatchcase(plain, wanted) or fnmatchcase(plain, pattern):
        return Fit.YES
    loose, loosely = _loose(plain), _loose(wanted)
    forms = {loose, folded(path)}
    if path.startswith(("/", "~", "\\")) or ":" in path or ".." in plain:
        # Where the workspace is, a rule doesn't know: each end of the path may be what is inside of it.
        parts = loose.strip("/").split("/")
        forms |= {"/".join(parts[at:]) for at in range(len(parts))}
    forms |= {form.removeprefix("refs/").removeprefix("heads/") for form in tuple(forms)}
    if any(fnmatchcase(form, each) for form in forms for each in (loosely, folded(pattern))):
        return Fit.PERHAPS
    return Fit.PERHAPS if is_path and any(_may_be(form, loosely) for form in forms) else Fit.NO


def _may_be(path: str, pattern: str) -> bool:
    """Return whether a path holds what a glob fits, or stands for several paths of which one may."""
    wanted = re.split(r"[*?\[]", pattern, maxsplit=1)[0]
    folder = wanted.rpartition("/")[0]
    if folder and (path in {"", folder} or folder.startswith(f"{path}/")):
        return True
    if _SHORT_NAME.search(path):
        return True
    begins, *rest = _GLOB.split(path, maxsplit=1)
    return bool(rest and wanted) and (wanted.startswith(begins) or begins.startswith(wanted))


def _loose(path: str) -> str:
    """Return what systems that are lenient about names take a path for."""
    parts = (
        re.split(r"::?\$?", part)[0] if not re.fullmatch(r"\w:", part) else part
        for part in folded(path).split("/")
    )
    return "/".join(
        part.strip(" \t") if part in {".", ".."} else part.strip(" \t").rstrip(". ") for part in parts
    )
