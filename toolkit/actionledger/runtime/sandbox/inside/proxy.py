"""The object by which the code reaches the host: its methods are calls that the host answers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .frames import Frame
from .plain import Bounds, NotPlainError, TooLargeError, builtin_error, exact, no_method, well_formed

Exchange = Callable[[Frame], Frame]
"""Sends a frame to the host and returns its answer."""

MAX_LOG = 2000
"""The maximum length of one log message, in characters."""


class Method:
    """One method of the host's, as the code sees it."""

    __slots__ = ("__name__", "_call")

    def __init__(self, name: str, call: Callable[..., Any]) -> None:
        self.__name__ = name
        self._call = call

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Have it done."""
        return self._call(*arguments, **keywords)

    def __repr__(self) -> str:
        return f"<method {self.__name__}>"


class Namespace:
    """Methods under one name, such as ``gb``; it has no attributes but them."""

    __slots__ = ("_members", "_name")

    def __init__(self, name: str, members: Mapping[str, "Namespace | Method"]) -> None:
        self._name = name
        self._members = dict(members)

    def __getattr__(self, name: str) -> Any:
        if name in self._members:
            return self._members[name]
        raise AttributeError(no_method(self._name, name, self._members))

    def __dir__(self) -> list[str]:
        return sorted(self._members)

    def __repr__(self) -> str:
        return f"<{self._name}: {', '.join(sorted(self._members))}>"


def proxy(
    name: str, methods: Iterable[str], bounds: Bounds, tell: Callable[[Frame], None], ask: Exchange
) -> Namespace:
    """Build the object for the code."""

    def calling(method: str) -> Method:
        def call(*arguments: Any, **keywords: Any) -> Any:
            return _value(ask(_call_frame(name, method, arguments, keywords, bounds)))

        return Method(f"{name}.{method}", call)

    def log(*messages: object) -> None:
        """Keep a message for those who look at the run later."""
        tell({"kind": "log", "message": well_formed(" ".join(map(str, messages)))[:MAX_LOG]})

    leaves = {method: calling(method) for method in methods}
    return _namespace(name, leaves | {"log": Method(f"{name}.log", log)})


def _namespace(name: str, methods: Mapping[str, Method]) -> Namespace:
    """Assign methods to their dotted names."""
    members: dict[str, Namespace | Method] = {}
    inner: dict[str, dict[str, Method]] = {}
    for path, method in methods.items():
        first, _, rest = path.partition(".")
        if rest:
            inner.setdefault(first, {})[rest] = method
        else:
            members[first] = method
    return Namespace(
        name, members | {first: _namespace(f"{name}.{first}", below) for first, below in inner.items()}
    )


def _call_frame(
    name: str, method: str, arguments: Sequence[Any], keywords: dict[str, Any], bounds: Bounds
) -> Frame:
    try:
        given = exact([list(arguments), keywords], bounds).value
    except NotPlainError as error:
        raise TypeError(f"an argument of {name}.{method}() {error}") from None
    except TooLargeError as error:
        raise ValueError(f"an argument of {name}.{method}() {error}") from None
    return {"kind": "call", "method": method, "arguments": given[0], "keywords": given[1]}


def _value(answer: Frame) -> Any:
    """Return the value in the host's answer, or raise its exception."""
    if answer["kind"] == "raised":
        raise builtin_error(answer["type"], answer["message"])
    return answer["value"]
