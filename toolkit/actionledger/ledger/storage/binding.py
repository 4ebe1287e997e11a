"""Keep pandas, pyarrow and numpy out of a process that only binds values: they take 100 MB, and half of a short command's time.

DuckDB 1.5 imports them before it looks at a bound value or at registered rows. If they are not installed, it searches for them twice for each value.
An import hook refuses them, only for the ledger's own statements. Any other import gets them, in any thread and at any time, and modules that
are already loaded don't reach the hook.
"""

import sys
from types import FrameType

_OF_FRAMES = frozenset({"numpy", "pandas", "polars", "pyarrow", "pyarrow.dataset"})
_MAKE_FRAMES = ("actionledger.ledger.stopping", "actionledger.ledger.guarding")
"""The modules from which DuckDB is asked for a data frame or an Arrow table."""


class _OnlyWhereMeant:
    """An import hook that Python asks first for a module that is not loaded."""

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> None:
        """Refuse the modules that DuckDB imports while it binds values."""
        if name in _OF_FRAMES and _is_bound(name, sys._getframe(1)):  # noqa: SLF001 - no other way to know the importer
            raise ModuleNotFoundError(f"{name!r} is not needed for a value that is bound.", name=name)


def _is_bound(name: str, frame: FrameType | None) -> bool:
    """Return whether a call from the ledger's code caused an import, rather than an import statement, which names the module."""
    while frame is not None and frame.f_globals.get("__name__", "").startswith("importlib."):
        frame = frame.f_back
    if frame is None or name in frame.f_code.co_names:
        return False
    asking = frame.f_globals.get("__name__", "")
    return asking.startswith("actionledger.ledger.") and not asking.startswith(_MAKE_FRAMES)


def keep_frames_out() -> None:
    """From now on, have DuckDB bind values without importing data frame packages."""
    if not any(isinstance(each, _OnlyWhereMeant) for each in sys.meta_path):
        sys.meta_path.insert(0, _OnlyWhereMeant())
