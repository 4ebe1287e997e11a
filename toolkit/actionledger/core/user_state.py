"""Where this user's programs keep what they want to find again."""

import os
from pathlib import Path

from actionledger.core.errors import UsageError


def state_folder() -> Path:
    """Return the folder that belongs to this user and no workspace: ``$XDG_STATE_HOME/actionledger``.

    Returns:
        The folder, absolute, which need not be there; ``~/.local/state/actionledger`` where the variable is not set, or
        relative, which its specification has everybody pass over.

    Raises:
        UsageError: nobody can say where the user's home is.
    """
    given = os.environ.get("XDG_STATE_HOME", "")
    try:
        base = Path(given) if Path(given).is_absolute() else Path.home() / ".local" / "state"
    except RuntimeError as error:
        raise UsageError(f"There is no folder for this user's state: {error} Set XDG_STATE_HOME.") from error
    return base / "actionledger"


def cache_folder() -> Path:
    """Return the folder of what this user's programs can make again: ``$XDG_CACHE_HOME/actionledger``.

    Returns:
        The folder, absolute, which need not be there; ``~/.cache/actionledger`` where the variable is not set, or relative.

    Raises:
        UsageError: nobody can say where the user's home is.
    """
    given = os.environ.get("XDG_CACHE_HOME", "")
    try:
        base = Path(given) if Path(given).is_absolute() else Path.home() / ".cache"
    except RuntimeError as error:
        raise UsageError(f"There is no folder for this user's cache: {error} Set XDG_CACHE_HOME.") from error
    return base / "actionledger"
