"""How people say that raw text is to be read."""

from collections.abc import Mapping, Sequence
from typing import Any

from actionledger.actions.tools import ToolCatalogue
from actionledger.core.errors import UsageError, require_names
from actionledger.imports.reading import ReadAs
from actionledger.profiles import profile_named
from actionledger.reading.parsers import parser_for, parser_named


def told(
    *,
    profile: str | None = None,
    dialects: Sequence[str] = (),
    parser: str | None = None,
    tools: Sequence[Mapping[str, Any]] | None = None,
) -> ReadAs:
    """Return how raw text is read."""
    if sum((profile is not None, bool(dialects), parser is not None)) > 1:
        raise UsageError("Say in one way how raw text is read: by a profile, by dialects or by a parser.")
    require_names("dialects", dialects)
    by_dialects = parser_for(tuple(dialects)) if dialects else None
    return ReadAs(
        profile=profile_named(profile) if profile is not None else None,
        parser=parser_named(parser) if parser is not None else by_dialects,
        catalogue=ToolCatalogue.of(tools) if tools is not None else None,
    )
