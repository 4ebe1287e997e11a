"""Files of tool definitions, as commands take them."""

import json
from pathlib import Path
from typing import Any

from actionledger.errors import SourceError, UsageError


def tools_in(file: Path) -> list[Any]:
    """Return the tools that a file names.

    Args:
        file: the file, a JSON list.

    Raises:
        SourceError: it can't be read, or is no JSON.
        UsageError: it holds no list.
    """
    try:
        tools = json.loads(file.read_bytes())
    except OSError as error:
        raise SourceError(f"The file {str(file)!r} can't be read: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:
        raise SourceError(f"The file {str(file)!r} is no JSON: {error}.") from error
    if not isinstance(tools, list):
        raise UsageError(f"{str(file)!r} holds no list of tools, but {type(tools).__name__}.")
    return tools
