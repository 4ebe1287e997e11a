"""How a command takes its arguments: text that begins like an option is text, and what is no text is wrong use."""

import re
import sys
from collections.abc import Callable, Iterator
from functools import wraps
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any

from typer.core import TyperCommand, TyperOption

from actionledger.core.errors import SourceError, UsageError
from actionledger.core.text import from_any_bytes, to_any_bytes

_MARK = "\1"
"""Stands before a text that is no option while options are looked for."""

_NO_OPTION = re.compile(rf"-\s|--[^=\s]*\s|{_MARK}")
"""What begins so names no option, since no option's name has a space: ``-- a comment``, ``- an item``; or it would lose its own mark."""

_LONG = re.compile(r"--([a-zA-Z]|$)")
"""What begins so is meant as an option, whether there is such a one or not; or as their end."""


class Command(TyperCommand):
    """A command whose arguments may be SQL that begins with a comment, or a list in Markdown."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take the arguments apart; ``as_written`` takes the marks off."""
        marked = [_MARK + each if _NO_OPTION.match(each) else each for each in args]
        for option, following in self._valueless(ctx, marked):
            if following in ctx.help_option_names:
                return super().parse_args(ctx, [following])
            if not ctx.resilient_parsing:
                ctx.fail(
                    f"Option {option!r} requires an argument, and {following!r} is none; if it is meant as the value, write "
                    f"{_with_value(option, following)}."
                )
        return super().parse_args(ctx, marked)

    def _valueless(self, ctx: Any, args: list[str]) -> Iterator[tuple[str, str]]:
        """Yield options that take a value and have another option behind them, with that one."""
        options = [each for each in self.get_params(ctx) if isinstance(each, TyperOption)]
        names = {name for each in options for name in (*each.opts, *each.secondary_opts)}
        valued = {name for each in options if not (each.is_flag or each.count) for name in each.opts}
        for option, following in takewhile(lambda pair: pair[0] != "--", pairwise(args)):
            if option in valued and (following in names or _LONG.match(following)):
                yield option, following


def _with_value(option: str, value: str) -> str:
    """Return how a value is given that looks like an option: a short option has it right behind it."""
    return f"{option}={value}" if option.startswith("--") else f"{option}{value}"


def as_written(run: Callable[..., Any]) -> Callable[..., Any]:
    """Return what runs a command with its arguments as they were written."""

    @wraps(run)
    def checked(**given: Any) -> Any:
        return run(**{name: _value(name, value) for name, value in given.items()})

    return checked


def response_in(file: Path | None) -> str:
    """Return the response that a file or standard input holds, whatever its bytes."""
    try:
        data = sys.stdin.buffer.read() if file in {None, Path("-")} else file.read_bytes()
    except OSError as error:
        raise SourceError(f"The file {str(file)!r} can't be read: {error.strerror}.") from error
    return from_any_bytes(data)


def _value(name: str, value: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(_value(name, each) for each in value)
    if type(value) is str:
        return _text(name, value.removeprefix(_MARK))
    if isinstance(value, Path):
        return Path(str(value).removeprefix(_MARK))
    return value


def _text(name: str, text: str) -> str:
    """Return a text; a file's name may be any bytes, a text may not."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        shown = repr(to_any_bytes(text))[1:]
        raise UsageError(
            f"What is given for {name} is no UTF-8 text at character {error.start}: {shown[:200]}; write it in UTF-8."
        ) from error
    return text
