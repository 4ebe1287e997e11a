"""Files of tool definitions, as commands take them."""

import json
import warnings
from pathlib import Path
from typing import Any

from actionledger.cli.tables import print_note
from actionledger.core.errors import SourceError, UsageError

_SHOWN = 20


def tools_in(file: Path) -> list[Any]:
    """Return the tools that a file names; what can't be read of their schemas, and so is not checked, is told."""
    tools = _listed(file)
    _tell_unchecked(tools)
    return tools


def _tell_unchecked(tools: list[Any]) -> None:
    from actionledger.actions.tools import ToolCatalogue, ToolWarning  # noqa: PLC0415 - slow to load, and few commands are given tools

    # Whoever reads them after this would warn again, and name a line of ours where the person knows only the file.
    warnings.simplefilter("ignore", ToolWarning)
    told = ToolCatalogue.of(tools).warnings
    for sentence in told[:_SHOWN]:
        print_note(sentence, style="yellow")
    if (more := len(told) - _SHOWN) > 0:
        print_note(f"… and {more:,} more of the kind.", style="yellow")


def _listed(file: Path) -> list[Any]:
    try:
        tools = json.loads(file.read_bytes())
    except OSError as error:
        raise SourceError(f"The file {str(file)!r} can't be read: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:
        raise SourceError(f"The file {str(file)!r} is no JSON: {error}.") from error
    if not isinstance(tools, list):
        raise UsageError(f"{str(file)!r} holds no list of tools, but {type(tools).__name__}.")
    return tools
