"""Remotes that are folders of this machine: a push to one starts git there, in somebody else's repository."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.runtime.commands.git_folders import Folders, folders_of
from actionledger.runtime.commands.git_settings import Setting

_ELSEWHERE = re.compile(r"[^/]*:")
"""How an address begins that is not a path: ``https:``, ``ext::``, ``host:``."""


def local_repository(remote: str, settings: Sequence[Setting], top: Path) -> Folders | None:
    """Return the repository that a remote is, if it is a folder of this machine."""
    addresses = _addresses(remote, settings)
    folders = [folder for address in addresses if (folder := _folder(address, top)) is not None]
    if not folders:
        return None
    if len(addresses) > 1:
        message = f"The remote {remote!r} has several addresses, one of them a folder; push to one at a time."
        raise ActionError(Reason.COMMAND_REFUSED, message)
    # The places that git itself looks at, in its order.
    for place in (folders[0] / ".git", folders[0], folders[0].with_name(f"{folders[0].name}.git")):
        if (place / "HEAD").is_file() and (place / "objects").is_dir():
            return Folders(place.resolve(), place.resolve())
        if place.name == ".git" and place.is_file():
            return folders_of(place.parent)
    raise ActionError(Reason.NOT_FOUND, f"The remote {remote!r} is a folder that holds no repository.")


def has_hooks(common: Path, settings: Sequence[Setting]) -> bool:
    """Return whether a repository has hooks that a push to it would start."""
    if any(each.name == "core.hookspath" for each in settings):
        return True
    try:
        with os.scandir(common / "hooks") as entries:
            return any(
                entry.is_file() and os.access(entry, os.X_OK)
                for entry in entries
                if not entry.name.endswith(".sample")
            )
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _addresses(remote: str, settings: Sequence[Setting]) -> list[str]:
    """Return where a push to a remote goes."""
    for key in ("pushurl", "url"):
        if found := [each.value or "" for each in settings if each.name == f"remote.{remote}.{key}"]:
            return found
    return []


def _folder(address: str, top: Path) -> Path | None:
    if address.startswith("file:"):
        return Path(unquote(urlsplit(address).path))
    return None if _ELSEWHERE.match(address) else top / address
