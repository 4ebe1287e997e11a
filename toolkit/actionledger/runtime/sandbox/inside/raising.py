"""Exceptions that the code meets at the host's object. Both sides use this file."""

import builtins
from collections.abc import Iterable
from difflib import get_close_matches


def builtin_error(name: str, message: str) -> Exception:
    """Return an exception of a built-in class, or a RuntimeError where that class takes no message."""
    kind = getattr(builtins, name, RuntimeError)
    if not (isinstance(kind, type) and issubclass(kind, Exception)):
        return RuntimeError(message)
    try:
        return kind(message)
    except TypeError:
        return RuntimeError(message)


def no_method(owner: str, name: str, known: Iterable[str]) -> str:
    """Return what to say of a method that isn't there."""
    names = sorted(path.removeprefix(f"{owner}.") for path in known)
    near = get_close_matches(name, names, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"{owner} has no method {name!r}.{hint} It has: {', '.join(names)}."
