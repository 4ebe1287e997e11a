"""Files that are there whole or as they were: what can't be written to its end takes nobody's earlier file away."""

import os
import shutil
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, and its folders where they are not there; one that is there is replaced when all of the new one is written.

    Args:
        path: the file; behind a link, what it leads to. What is no ordinary file, such as a pipe, is written to as it is.
        content: all of it.

    Raises:
        OSError: it can't be written; what was there is as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    target = path.resolve()
    if target.exists() and not target.is_file():
        target.write_bytes(content)
        return
    beside = target.with_name(f".{target.name[:100]}.{os.getpid()}.new")
    try:
        beside.write_bytes(content)
        if target.exists():
            shutil.copymode(target, beside)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
