"""Calls in Python source, read strictly: a name, and arguments that are literals.

A scan over brackets, strings and comments finds where a call ends; its arguments are read one by one. A parameter's
name may be a Python keyword (``from=``): tools have such parameters, and there is no other way to write
them.
"""

import ast
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any

from actionledger.core.canonical import JsonDict
from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.base import Written
from actionledger.reading.dialects.parts.markers import excerpt
from actionledger.reading.tolerant_json.faults import DecodeOptions

EXPRESSIONS = "An argument is a variable or an expression."
"""The message about a call whose arguments are not values."""

_JSON_NAMES = {"true": True, "false": False, "null": None}
_PLAIN_NAMES = _JSON_NAMES | {"True": True, "False": False, "None": None}
_STRING, _INT, _WORD = r'[^"\\\r\n\0]*+', "-?(?:0|[1-9][0-9]{0,17})", "|".join(_PLAIN_NAMES)
_PLAIN = regex(rf'\s*(?:"(?P<string>{_STRING})"|(?P<int>{_INT})|(?P<name>{_WORD}))\s*')
"""The form of most arguments; the parser takes ten times as long for them."""


class NoLiteralError(Exception):
    """A text is no literal that JSON could hold."""

    def __init__(self, code: Reason, detail: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail


def literal(written: str, max_depth: int) -> Any:
    """Read a literal; ``true``, ``false`` and ``null`` have JSON's meaning."""
    if plain := _PLAIN.fullmatch(written):
        return _plain_value(*plain.groups(default=""))
    if written.lstrip().startswith("*"):
        raise NoLiteralError(Reason.EXAMPLE, "Arguments are unpacked.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a backslash that escapes nothing must not warn in this process
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


def _plain_value(string: str, number: str, word: str) -> Any:
    if word:
        return _PLAIN_NAMES[word]
    return int(number) if number else string


def _value(node: ast.expr, levels: int) -> Any:
    """Return a literal's JSON value."""
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


def _object(keys: list[ast.expr | None], values: list[ast.expr], levels: int) -> JsonDict:
    read: JsonDict = {}
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


NAME = r"[^\W\d][\w-]*(?:\.[^\W\d][\w-]*)*"
"""A function's name, in a module or not; tools may have dashes in theirs."""

_CALL = regex(rf"(?P<name>{NAME})\(")
_PLAIN_KEY = r"\s*+[^\W\d]\w*+\s*+=\s*+"
_PLAIN_ARGUMENT = rf'{_PLAIN_KEY}(?:"{_STRING}"|{_INT}|{_WORD})\s*+'
_PLAIN_CALL = regex(rf"({NAME})\((?:{_PLAIN_ARGUMENT}(?:,{_PLAIN_ARGUMENT})*+|\s*+)\)")
"""A call with only such arguments by name, which needs no reading sign by sign."""

_PLAIN_ARGUMENTS = regex(rf'([^\W\d]\w*+)\s*+=\s*+(?:"({_STRING})"|({_INT})|({_WORD}))\s*+[,)]')
_BEHIND_PLAIN_CALL = regex(r"\s*+(?:,\s*+|(\]))")
_KEYWORD = regex(r"(?:\s|#[^\n]*\n)*+(?P<key>[^\W\d]\w*)\s*+=(?!=)")
_ENDS_STATEMENT = regex(r"[ \t]*+(?:[;#\r\n]|\Z)")
_CODE = regex(
    r"@|(?:async|await|class|def|del|for|from|global|if|import|raise|return|try|while|with)\b"
    r"|[^\W\d][\w., \t:*\[\]\"']*+[-+*/%&|^@]?=(?!=)"
)
_TOKEN = regex(
    r"""
    (?P<plain> [^\[\](){}'"\#,]++ )
  | (?P<string> \"{3} (?: [^"\\] | \\. | "(?!"") )*+ \"{3} | '{3} (?: [^'\\] | \\. | '(?!'') )*+ '{3}
      | (?!\"{3}) " (?: [^"\\\n] | \\. )*+ " | (?!'{3}) ' (?: [^'\\\n] | \\. )*+ ' )
  | (?P<comment> \#[^\n]*+ )
  | (?P<comma> , )
  | (?P<opens> [\[({] )
  | (?P<closes> [\])}] )
    """,
    re.DOTALL | re.VERBOSE,
)
_BLANKS = regex(r"(?:\s|#[^\n]*+)*+")
_PARTNERS = {"(": ")", "[": "]", "{": "}"}


class NoCallError(Exception):
    """The text here is no call with literal arguments.

    Args:
        code: the reason: ``example`` for variables, expressions and programs, ``truncated`` if the text ends in it.
        span: the faulty stretch; it ends where reading stopped.
        end: where to continue: after the call if its end is known, else where it began.
        detail: the particulars, for people.
    """

    def __init__(self, code: Reason, span: Span, end: int, detail: str = "") -> None:
        super().__init__(code)
        self.issue = Issue(code, span, detail)
        self.end = end


class NoStatementError(NoCallError):
    """The text here is no Python: neither a call nor a program."""


def behind_comments(text: str, at: int, end: int) -> int:
    """Return where blanks and comments from here on end."""
    return _BLANKS.match(text, at, end).end()  # type: ignore[union-attr]


def call_name(text: str, at: int, end: int) -> str:
    """Return the name of the call that begins here, or an empty text."""
    call = _CALL.match(text, at, end)
    return call["name"] if call else ""


def read_call(text: str, at: int, end: int, options: DecodeOptions) -> Written:
    """Read the call that begins here; its name includes its module, if written."""
    if plain := _plain_call(text, at, end):
        return plain
    call = _CALL.match(text, at, end)
    if call is None:
        line_end = text.find("\n", at, end)
        span = Span(at, line_end if line_end >= 0 else end)
        raise NoStatementError(Reason.WRONG_SHAPE, span, at, f"Expected a call, got {excerpt(text, *span)}.")
    bracket = _bracket(text, at, call.end() - 1, end)
    return Written(call["name"], _arguments(text, bracket, options), Span(at, bracket.end))


def read_calls(text: str, at: int, end: int, options: DecodeOptions) -> tuple[list[Written], int]:
    """Read the list of calls that begins here."""
    if plain := _plain_calls(text, at, end):
        return plain
    bracket = _bracket(text, at, at, end)
    calls = []
    for piece in bracket.pieces:
        start = behind_comments(text, *piece)
        try:
            call = read_call(text, start, piece.end, options)
        except NoCallError as error:
            error.end = bracket.end
            raise
        if behind_comments(text, call.span.end, piece.end) < piece.end:
            raise NoCallError(Reason.EXAMPLE, piece, bracket.end, "It is an expression.")
        calls.append(call)
    return calls, bracket.end


def _plain_call(text: str, at: int, end: int) -> Written | None:
    """Read a call in one go; None if there is more to check."""
    call = _PLAIN_CALL.match(text, at, end)
    if call is None:
        return None
    behind = call.end()
    found = _PLAIN_ARGUMENTS.findall(text, call.end(1) + 1, behind)
    arguments = {key: _plain_value(*values) for key, *values in found}
    return Written(call[1], arguments, Span(at, behind)) if len(arguments) == len(found) else None


def _plain_calls(text: str, at: int, end: int) -> tuple[list[Written], int] | None:
    """Read a list of such calls; None if it holds anything else."""
    calls: list[Written] = []
    at = behind_comments(text, at + 1, end) if text.startswith("[", at, end) else end
    while call := _plain_call(text, at, end):
        calls.append(call)
        sign = _BEHIND_PLAIN_CALL.match(text, call.span.end, end)
        if sign is None or sign[1]:
            return (calls, sign.end()) if sign else None
        at = sign.end()
    return None


def read_program(
    text: str,
    at: int,
    end: int,
    options: DecodeOptions,
    *,
    stop: re.Pattern[str],
    offers: Callable[[str], bool] = lambda _: True,
    unprints: bool = False,
) -> tuple[list[Written], int]:
    """Read calls in sequence, one per statement, or lists of them."""
    calls: list[Written] = []
    while (at := behind_comments(text, at, end)) < end and not stop.match(text, at, end):
        name = call_name(text, at, end)
        is_printed = unprints and name == "print"
        if _CODE.match(text, at, end) or (name and not is_printed and not offers(name)):
            raise NoCallError(Reason.EXAMPLE, Span(at, at), at, "It is a program.")
        read_statement = _printed if is_printed else _statement
        several, behind = read_statement(text, at, end, options)
        if not all(offers(call.name) for call in several):
            raise NoCallError(Reason.EXAMPLE, Span(at, behind), behind, "It is a program.")
        calls += several
        at = behind
        ends = _ENDS_STATEMENT.match(text, at, end) or stop.match(text, behind_comments(text, at, end), end)
        if not ends:
            raise NoCallError(Reason.EXAMPLE, Span(at, at), at, "A call is part of an expression.")
        at += text.startswith(";", at, end)
    return calls, at


def _statement(text: str, at: int, end: int, options: DecodeOptions) -> tuple[list[Written], int]:
    """Read a call, or a list of calls; also return its end."""
    if text.startswith("[", at, end):
        return read_calls(text, at, end, options)
    call = read_call(text, at, end, options)
    return [call], call.span.end


def _printed(text: str, at: int, end: int, options: DecodeOptions) -> tuple[list[Written], int]:
    """Read the arguments of ``print``, which must be calls."""
    opens = text.index("(", at)
    if plain := _plain_call(text, behind_comments(text, opens + 1, end), end):
        behind = behind_comments(text, plain.span.end, end)
        if text.startswith(")", behind, end):
            return [plain], behind + 1
    bracket = _bracket(text, at, opens, end)
    start = behind_comments(text, *bracket.pieces[0]) if len(bracket.pieces) == 1 else bracket.end
    if not (call_name(text, start, bracket.end) or text.startswith("[", start, bracket.end - 1)):
        raise NoCallError(Reason.EXAMPLE, Span(at, bracket.end), bracket.end, "It prints more than a call.")
    calls, behind = _statement(text, start, bracket.end - 1, options)
    if behind_comments(text, behind, bracket.end - 1) < bracket.end - 1:
        raise NoCallError(Reason.EXAMPLE, Span(at, bracket.end), bracket.end, "It prints an expression.")
    return calls, bracket.end


@dataclass(frozen=True, slots=True)
class _Bracket:
    """The content of a pair of brackets: the pieces between its commas, and its end."""

    pieces: tuple[Span, ...]
    end: int


def _bracket(text: str, begin: int, at: int, end: int) -> _Bracket:
    """Find the end of the bracket that opens at ``at``, and its pieces; linear in the text."""
    stack: list[str] = []
    pieces: list[Span] = []
    start = here = at
    while here < end and (token := _TOKEN.match(text, here, end)):
        here = token.end()
        if token["opens"]:
            stack.append(_PARTNERS[token["opens"]])
            start = here if len(stack) == 1 else start
        elif token["closes"]:
            if stack.pop() != token["closes"]:
                detail = "It is Python: its brackets don't match."
                raise NoCallError(Reason.MALFORMED_JSON, Span(begin, here), begin, detail)
            if not stack:
                return _Bracket(_without_blank(text, [*pieces, Span(start, here - 1)]), here)
        elif token["comma"] and len(stack) == 1:
            pieces.append(Span(start, here - 1))
            start = here
    if text.find("\n", here, end) >= 0 and not text.startswith(('"""', "'''"), here):
        detail = "It is Python: a string is not closed on its line."
        raise NoCallError(Reason.MALFORMED_JSON, Span(begin, here), begin, detail)
    raise NoCallError(Reason.TRUNCATED, Span(begin, end), begin)


def _without_blank(text: str, pieces: list[Span]) -> tuple[Span, ...]:
    """Return the pieces without the blank one of ``()`` or after a trailing comma."""
    last = pieces[-1]
    return tuple(pieces[:-1] if behind_comments(text, *last) == last.end else pieces)


def _arguments(text: str, bracket: _Bracket, options: DecodeOptions) -> JsonDict:
    arguments: JsonDict = {}
    positional: list[Any] = []
    for piece in bracket.pieces:
        keyword = _KEYWORD.match(text, *piece)
        start = keyword.end() if keyword else piece.start
        if behind_comments(text, start, piece.end) == piece.end:
            raise NoCallError(
                Reason.MALFORMED_JSON, piece, bracket.end, "It is Python: an argument is missing."
            )
        try:
            value = literal(text[start : piece.end], options.max_depth)
        except NoLiteralError as error:
            raise NoCallError(error.code, piece, bracket.end, error.detail) from None
        if keyword is None:
            positional.append(value)
        elif keyword["key"] in arguments:
            detail = f"The argument is {keyword['key'][:80]!r}."
            raise NoCallError(Reason.DUPLICATE_KEY, piece, bracket.end, detail)
        else:
            arguments[keyword["key"]] = value
    if not positional:
        return arguments
    if len(positional) == 1 and not arguments and isinstance(positional[0], dict):
        return positional[0]
    raise NoCallError(
        Reason.WRONG_SHAPE, bracket.pieces[0], bracket.end, "Expected arguments with their names."
    )
