"""The code: compile it, run it, and return its outcome as a frame."""

import ast
import linecache
import sys
from types import CodeType, ModuleType
from typing import Any

from .frames import Frame
from .plain import Bounds, TooLargeError, shown, well_formed

FILE = "<code>"
"""The code's file name in tracebacks."""

MAX_MESSAGE = 4000
"""The maximum length of an exception's message, in characters."""


class _Returned(BaseException):
    """Ends the code at a ``return`` outside of any function."""

    def __init__(self, value: object = None) -> None:
        super().__init__()
        self.value = value


def run(source: str, name: str, api: object, bounds: Bounds) -> Frame:
    """Run the code; return a frame with its outcome."""
    module = _main_module(source)
    module.__dict__[name] = api
    # Freed when memory runs out, so that the error can be reported.
    reserve = [bytearray(4 << 20)]
    try:
        value = _value(source, module.__dict__)
        return {"kind": "done", "value": shown(value, bounds).value}
    except TooLargeError as error:
        return {"kind": "too_large", "what": str(error)}
    except BaseException as error:  # noqa: BLE001 - every exception of the code is its outcome
        reserve.clear()
        return _raised(error, module)


def _main_module(source: str) -> ModuleType:
    """Return the module that the code runs in, whose ``__name__`` is that of the main program."""
    module = ModuleType("__main__")
    # The site module reads files; without it there is no exit() and quit().
    module.__dict__.update({_Returned.__name__: _Returned, "exit": sys.exit, "quit": sys.exit})
    sys.modules["__main__"] = module
    # So that tracebacks printed by the code show its lines.
    linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
    return module


def _value(source: str, names: dict[str, Any]) -> object:
    """Return the value of the last expression, or of a ``return`` outside of any function."""
    body, last = _compiled(source)
    try:
        exec(body, names)  # noqa: S102 - running foreign code is this process's purpose
        return eval(last, names) if last else None  # noqa: S307 - the same
    except _Returned as end:
        return end.value
    except SystemExit as end:
        if end.code in {None, 0}:
            return None
        raise


def _compiled(source: str) -> tuple[CodeType, CodeType | None]:
    tree = ast.fix_missing_locations(_Returns().visit(ast.parse(source, FILE)))
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = compile(ast.Expression(tree.body.pop().value), FILE, "eval")
    return compile(tree, FILE, "exec"), last


class _Returns(ast.NodeTransformer):
    """Makes a ``return`` outside of any function end the code, because models write code like a function's body."""

    def visit_Return(self, node: ast.Return) -> ast.AST:
        call = ast.Call(ast.Name(_Returned.__name__, ast.Load()), [node.value] if node.value else [], [])
        return ast.copy_location(ast.Raise(call), node)

    def _leave(self, node: ast.AST) -> ast.AST:
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = _leave  # noqa: N815 - the names are ast's


def _raised(error: BaseException, module: ModuleType) -> Frame:
    line = _line(error)
    if isinstance(error, MemoryError):
        # The code's objects fill the memory that the message needs.
        error.__traceback__ = error.__context__ = error.__cause__ = None
        module.__dict__.clear()
    return {"kind": "raised", "type": _type(error), "message": _message(error), "line": line}


def _line(error: BaseException) -> int | None:
    """Return the innermost line of the code in an error's traceback."""
    if isinstance(error, SyntaxError) and error.filename == FILE:
        return error.lineno
    line, step = None, error.__traceback__
    while step:
        if step.tb_frame.f_code.co_filename == FILE:
            line = step.tb_lineno
        step = step.tb_next
    return line


def _type(error: BaseException) -> str:
    return well_formed(type(error).__name__)[:200]


def _message(error: BaseException) -> str:
    try:
        text = error.msg if isinstance(error, SyntaxError) else str(error)
    except Exception:  # noqa: BLE001 - a foreign __str__ may raise anything
        text = "(the error has no readable text)"
    return well_formed(text)[:MAX_MESSAGE]
