"""One literal in Python source as a JSON value: read by the standard library's parser, refused if it is anything else."""

import ast
import re
import warnings
from math import isfinite
from typing import Any

from actionledger.core.vocabulary import Reason

EXPRESSIONS = "An argument is a variable or an expression."
"""What is said of a call whose arguments are no values."""

_JSON_NAMES = {"true": True, "false": False, "null": None}
_PLAIN_NAMES = _JSON_NAMES | {"True": True, "False": False, "None": None}
_PLAIN = re.compile(
    r"""\s*(?:"(?P<string>[^"\\\r\n\0]*+)"|(?P<int>-?(?:0|[1-9][0-9]{0,17}))"""
    rf"""|(?P<name>{"|".join(_PLAIN_NAMES)}))\s*"""
)
"""What most arguments are; the parser takes ten times as long for them."""


class NoLiteralError(Exception):
    """A text is no literal that JSON could hold.

    Args:
        code: why not; ``example`` for variables and expressions.
        detail: the particulars, for people.
    """

    def __init__(self, code: Reason, detail: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail


def literal(written: str, max_depth: int) -> Any:
    """Read a literal; ``true``, ``false`` and ``null`` are read as what JSON means by them."""
    if plain := _PLAIN.fullmatch(written):
        return _plain_value(plain)
    if written.lstrip().startswith("*"):
        raise NoLiteralError(Reason.EXAMPLE, "Arguments are unpacked.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a backslash that escapes nothing is no concern of the process's
            tree = ast.parse(f"({written}\n)", mode="eval")
    except (RecursionError, MemoryError):
        raise NoLiteralError(Reason.TOO_DEEP) from None
    except SyntaxError as error:
        raise NoLiteralError(Reason.MALFORMED_JSON, f"It is Python: {error.msg[:60]}.") from None
    except ValueError:
        raise NoLiteralError(
            Reason.MALFORMED_JSON, "It is Python, with a character that Python refuses."
        ) from None
    return _value(tree.body, max_depth)


def _plain_value(plain: re.Match[str]) -> str | int | bool | None:
    if plain["name"]:
        return _PLAIN_NAMES[plain["name"]]
    return int(plain["int"]) if plain["int"] else str(plain["string"])


def _value(node: ast.expr, levels: int) -> Any:
    """Return the JSON value that a literal stands for."""
    if levels < 0:
        raise NoLiteralError(Reason.TOO_DEEP)
    match node:
        case ast.Constant(value=value):
            return _constant(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)) if (
            number is not True and number is not False
        ):
            return -_constant(number)
        case ast.Name(id=name) if name in _JSON_NAMES:
            return _JSON_NAMES[name]
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value(item, levels - 1) for item in items]
        case ast.Dict(keys=keys, values=values):
            return _object(keys, values, levels - 1)
        case ast.Set():
            raise NoLiteralError(Reason.WRONG_SHAPE, "JSON has no sets.")
        case _:
            raise NoLiteralError(Reason.EXAMPLE, EXPRESSIONS)


def _constant(value: object) -> Any:
    if value is Ellipsis:
        raise NoLiteralError(Reason.EXAMPLE, "An argument is left out.")
    if isinstance(value, (bytes, complex)):
        raise NoLiteralError(Reason.WRONG_SHAPE, f"JSON has no {type(value).__name__}.")
    if isinstance(value, float) and not isfinite(value):
        raise NoLiteralError(Reason.NON_FINITE_NUMBER)
    return value


def _object(keys: list[ast.expr | None], values: list[ast.expr], levels: int) -> dict[str, Any]:
    read: dict[str, Any] = {}
    for key, value in zip(keys, values, strict=True):
        if key is None:
            raise NoLiteralError(Reason.EXAMPLE, "An argument is an expression.")
        name = _value(key, levels)
        if not isinstance(name, str):
            raise NoLiteralError(Reason.WRONG_SHAPE, "The keys of an object are strings.")
        if name in read:
            raise NoLiteralError(Reason.DUPLICATE_KEY, f"The key is {name[:80]!r}.")
        read[name] = _value(value, levels)
    return read
