"""Regular expressions that are compiled when they are first used: of some eight hundred, a command needs a few.

What a person writes is no matter for this: a wrong pattern shows at its first use only.
"""

import re
from typing import Any, AnyStr, Generic, cast

_METHODS = ("match", "search", "fullmatch", "finditer", "findall", "sub", "subn", "split")


def regex(pattern: AnyStr, flags: int | re.RegexFlag = 0) -> re.Pattern[AnyStr]:
    """Return what stands for a pattern, and is one from its first use on.

    ``re``'s own functions don't take it for one: its methods are there for that.

    Args:
        pattern: a regular expression, of the project's own.
        flags: those of ``re``.
    """
    return cast("re.Pattern[AnyStr]", _Uncompiled(pattern, flags))


class _Uncompiled(Generic[AnyStr]):
    """A pattern; its methods become attributes once it is compiled, so that a later use looks one up and calls it."""

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
