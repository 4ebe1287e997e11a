"""Let one host at a time write to a ledger on a network file system, where hosts may not see each other's locks.

The file ``host`` in the ledger's folder names that host. The host rewrites it while it ingests, and its last writer removes it.
A host that has not renewed it for a minute counts as dead. Times are the file server's, since hosts' clocks may differ.
A ledger on a local disk needs none of this.
"""

import json
import os
import platform
from contextlib import suppress
from pathlib import Path
from uuid import getnode

from actionledger.core.errors import LedgerError
from actionledger.ledger.storage.files import TEMPORARY, LedgerFiles

OVER_NETWORK = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "fuse.sshfs", "fuse.s3fs"})  # fmt: skip
"""The system's names of file systems that several hosts can mount."""

DEAD_SECONDS = 60.0
"""Seconds without a sign after which a host counts as dead."""

_RENEWED_SECONDS = 10.0
_ATTEMPTS = 3
_MOUNTS = Path("/proc/self/mounts")


def file_system(folder: Path) -> str:
    """Return the type of the file system that holds a folder; empty if unknown."""
    try:
        lines = os.fsdecode(_MOUNTS.read_bytes()).splitlines()
    except OSError:
        return ""
    mounted = [line.split()[1:3] for line in lines]
    # If two are mounted at one path, the later one is visible.
    above = [
        (len(place), kind) for place, kind in mounted if folder.is_relative_to(place.replace("\\040", " "))
    ]
    return max(enumerate(above), key=lambda each: (each[1][0], each[0]), default=(0, (0, "")))[1][1]


def claim(files: LedgerFiles) -> None:
    """Make this host the one that writes, if the ledger is on a network file system."""
    kind = file_system(files.folder)
    if kind not in OVER_NETWORK:
        return
    other, seconds = _last_sign(files)
    if other == _this_host():
        if seconds > _RENEWED_SECONDS:
            _sign(files)
        return
    if other and seconds < DEAD_SECONDS:
        raise LedgerError(
            f"The ledger {files.published} lies on a network file system ({kind}), and the host {other.partition(' ')[0]} has written to it "
            f"{max(0, round(seconds))} s ago: locks of two hosts may not see each other, so that one host alone may write. Open it here with "
            f"read_only=True, or close it there, or try again {DEAD_SECONDS:.0f} s after that host has died."
        )
    _sign(files)


def leave(files: LedgerFiles) -> None:
    """Let another host write, after this host's last writer has closed."""
    if file_system(files.folder) in OVER_NETWORK and _last_sign(files)[0] == _this_host():
        files.host.unlink(missing_ok=True)


def _this_host() -> str:
    return f"{platform.node() or 'without-a-name'} {getnode():012x}"


def _last_sign(files: LedgerFiles) -> tuple[str, float]:
    """Return the host that wrote last, and the seconds since then by the file server's clock."""
    try:
        host = json.loads(files.host.read_bytes())["host"]
        signed = files.host.stat().st_mtime
    except (OSError, ValueError, KeyError, TypeError):
        return "", 0.0
    return str(host), _time_there(files) - signed


def _time_there(files: LedgerFiles) -> float:
    probe = files.folder / f"{TEMPORARY}clock-{os.getpid()}"
    descriptor = os.open(probe, os.O_CREAT | os.O_RDWR | os.O_TRUNC, 0o600)
    try:
        os.write(descriptor, b"?")  # an empty write would keep an existing file's old time
        return os.fstat(descriptor).st_mtime
    finally:
        os.close(descriptor)
        probe.unlink(missing_ok=True)


def _sign(files: LedgerFiles) -> None:
    new = files.folder / f"{TEMPORARY}host-{os.getpid()}"
    for _ in range(_ATTEMPTS):
        # An ingester that cleans up between these two removes it as a leftover.
        with suppress(FileNotFoundError):
            new.write_text(json.dumps({"host": _this_host()}), encoding="utf-8")
            new.replace(files.host)
            return
