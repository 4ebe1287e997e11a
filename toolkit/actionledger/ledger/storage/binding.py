"""Keeps pandas, pyarrow and numpy out of a process that only binds values: 100 MB, and half of a short command's time.

DuckDB 1.5 asks for them before it looks at a value that is bound, and at rows that are registered; where they are not installed, it looks
for them twice for each value. What asks is told that they are not there, as long as it is a statement of the ledger's own: whoever else
imports them gets them, in any thread, at any time, and what is loaded is not asked for here.
"""

import sys
from types import FrameType

_OF_FRAMES = frozenset({"numpy", "pandas", "polars", "pyarrow", "pyarrow.dataset"})
_MAKE_FRAMES = ("actionledger.ledger.stopping", "actionledger.ledger.guarding")
"""From where DuckDB is asked for a data frame, or for a table of Arrow."""


class _OnlyWhereMeant:
    """An import hook that Python asks first for a module that is not loaded."""

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> None:
        """Refuse what DuckDB asks for while it takes values."""
        if name in _OF_FRAMES and _is_bound(name, sys._getframe(1)):  # noqa: SLF001 - there is no other way to know who asks
            raise ModuleNotFoundError(f"{name!r} is not needed for a value that is bound.", name=name)


def _is_bound(name: str, frame: FrameType | None) -> bool:
    """Return whether an import is not of a line of Python, which names the module, but of what such a line of the ledger's calls."""
    while frame is not None and frame.f_globals.get("__name__", "").startswith("importlib."):
        frame = frame.f_back
    if frame is None or name in frame.f_code.co_names:
        return False
    asking = frame.f_globals.get("__name__", "")
    return asking.startswith("actionledger.ledger.") and not asking.startswith(_MAKE_FRAMES)


def keep_frames_out() -> None:
    """Have DuckDB take values without the packages of data frames, from now on."""
    if not any(isinstance(each, _OnlyWhereMeant) for each in sys.meta_path):
        sys.meta_path.insert(0, _OnlyWhereMeant())
