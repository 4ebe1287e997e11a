"""What is recorded of a run: its beginning and end, its parsers and prices, and what its input holds beside sessions."""

import platform
from datetime import date
from functools import lru_cache
from hashlib import sha256

from actionledger._version import __version__
from actionledger.core.events import (
    InputLeftOut,
    ParserUsed,
    RunFinished,
    RunStarted,
    SystemNoted,
    ToolsOffered,
)
from actionledger.core.recording.sessions import ParserIdentity, RunKey, head
from actionledger.core.text import utf8_with_halves
from actionledger.core.vocabulary import LeftOutReason

PRICES_USED = "prices_used"
"""The code of a note that a run has costs by a price file."""

LIST_PRICES_USED = "list_prices_used"
"""The code of a note that a run has costs by providers' price lists."""


def run_started(key: RunKey, *, name: str, source: str, parent_run_id: str | None = None) -> RunStarted:
    """Return the event of a run that begins now."""
    return RunStarted(
        **head(key.run_id, "run-started", key.run_id),
        run_kind=key.kind,
        name=name,
        source=source,
        toolkit_version=__version__,
        python_version=platform.python_version(),
        parent_run_id=parent_run_id,
    )


def run_finished(key: RunKey, *, turns: int, refused: int = 0) -> RunFinished:
    """Return the event of a run that ends now."""
    return RunFinished(**head(key.run_id, "run-finished", key.run_id), turns=turns, refused=refused)


def parser_used(parser: ParserIdentity, run_id: str) -> ParserUsed:
    """Return the event that keeps a parser's configuration."""
    return ParserUsed(
        **head(run_id, "parser-used", parser.id),
        parser_id=parser.id,
        name=parser.name,
        version=parser.version,
        configuration=parser.configuration,
    )


def prices_used(run_id: str, dated: date | None) -> SystemNoted:
    """Return the event that says of a run whose price file it has costs by."""
    day = dated.isoformat() if dated else ""
    return SystemNoted(
        **head(run_id, PRICES_USED, run_id, day),
        code=PRICES_USED,
        message=f"What no recording says that it cost has its cost by a price file{f' of {day}' if day else ''}.",
        detail={"dated": day},
    )


def list_prices_used(run_id: str, package: str, dated: date) -> SystemNoted:
    """Return the event that says of a run which price lists it has costs by."""
    day = dated.isoformat()
    return SystemNoted(
        **head(run_id, LIST_PRICES_USED, run_id, package, day),
        code=LIST_PRICES_USED,
        message=f"What no recording says that it cost has its cost by list prices of {day} ({package}), each of the response's own day.",
        detail={"dated": day, "package": package},
    )


def tools_offered(tools: str, run_id: str) -> ToolsOffered:
    """Return the event that keeps a list of tools."""
    tools_hash = hash_of_tools(tools)
    return ToolsOffered(**head(run_id, "tools-offered", tools_hash), tools_hash=tools_hash, tools=tools)


@lru_cache(maxsize=256)  # as a rule all turns of a session were offered the same
def hash_of_tools(tools: str) -> str:
    """Return what a list of tools is known by."""
    return sha256(utf8_with_halves(tools)).hexdigest()[:16]


def input_left_out(
    run_id: str, path: str, reason: LeftOutReason, detail: str, count: int, *, times: int = 0
) -> InputLeftOut:
    """Return the event of what a file holds that is no part of a session, beyond what earlier runs have said of it."""
    about = ("left-out", str(times), path, reason, detail)
    return InputLeftOut(**head(run_id, *about), path=path, reason=reason, detail=detail, count=count)
