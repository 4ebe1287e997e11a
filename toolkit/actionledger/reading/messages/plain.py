"""Whether a value is one that JSON has: a client's objects are none."""

from collections.abc import Mapping

from actionledger.core.errors import UsageError


def require_json(value: object) -> None:
    """Make sure that a value is one of JSON, all the way down."""
    above: set[int] = set()
    pending: list[tuple[str, object, bool]] = [("", value, False)]
    while pending:
        path, here, is_done = pending.pop()
        if isinstance(here, str | int | float | None):
            continue
        if is_done:
            above.discard(id(here))
            continue
        items = _items(here)
        if items is None or id(here) in above:
            where = f" at {path[1:]!r}" if path else ""
            raise UsageError(
                f"A message is decoded JSON, and {_named(here)}{where} is none; hand in what json.loads returns, "
                "or a client's object as message.model_dump(mode='json')."
            )
        above.add(id(here))
        pending.append((path, here, True))
        pending += [(f"{path}.{key}" if len(path) < 200 else path, item, False) for key, item in items]


def _named(value: object) -> str:
    if isinstance(value, list | tuple) or _items(value) is not None:
        return "something that holds itself"
    return (
        "an object whose keys are no texts" if isinstance(value, Mapping) else f"a {type(value).__name__!r}"
    )


def _items(value: object) -> list[tuple[object, object]] | None:
    """Return what a value holds; None where it is nothing that JSON has."""
    if isinstance(value, Mapping):
        return list(value.items()) if all(isinstance(key, str) for key in value) else None
    return list(enumerate(value)) if isinstance(value, list | tuple) else None
