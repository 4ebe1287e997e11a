"""Regular expressions that are compiled on first use, since a command needs only a few of some eight hundred.

This is not for users' patterns: an invalid pattern raises an error only on its first use.
"""

import re
from typing import Any, AnyStr, Generic, cast

_METHODS = ("match", "search", "fullmatch", "finditer", "findall", "sub", "subn", "split")


def regex(pattern: AnyStr, flags: int | re.RegexFlag = 0) -> re.Pattern[AnyStr]:
    """Return a stand-in for a pattern that compiles it on first use.

    ``re``'s own functions don't accept it; use its methods.

    Args:
        pattern: one of the project's regular expressions.
        flags: those of ``re``.
    """
    return cast("re.Pattern[AnyStr]", _Uncompiled(pattern, flags))


class _Uncompiled(Generic[AnyStr]):
    """A pattern whose methods become attributes once it is compiled, so that later calls are direct."""

    def __init__(self, pattern: AnyStr, flags: int | re.RegexFlag) -> None:
        self.pattern: AnyStr = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return regex, (self.pattern, self._flags)

    def __repr__(self) -> str:
        return repr(re.compile(self.pattern, self._flags))
