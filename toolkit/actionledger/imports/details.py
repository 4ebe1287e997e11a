"""What a session is called and where it ran: what its source says in so many fields, then what its metadata says, then its first prompt."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from actionledger.core.privacy import mask_text
from actionledger.core.values.recordings import NO_DETAILS, RecordedSession, SessionDetails
from actionledger.core.vocabulary import TitleOrigin
from actionledger.imports.sources.access import text_at
from actionledger.ledger.queries.versions import VERSIONS

_TITLE_CHARACTERS = 80
_LOOKED_AT = 2_000
_TAGGED = 16
_TAG = re.compile(r"<([a-z][a-z0-9_-]{0,60})>")

_BY_PERSON = frozenset({"user", "manual", "person"})
"""The words of sources for a title that a person has given."""


_NO_BRANCH = "HEAD"
"""What Claude Code and others name where no branch is checked out."""


def details_of(piece: RecordedSession) -> SessionDetails:
    """Return what a piece says of what its session is called and where it ran."""
    found = _in_metadata(piece.metadata, piece.source).then(piece.details)
    if found.title or not piece.turns or piece.turns[0].index:
        return found
    title = title_of(piece.turns[0].prompt or "")
    return replace(found, title=title, title_from=TitleOrigin.PROMPT) if title else found


def title_of(prompt: str) -> str:
    """Return the first words of a prompt, on one line."""
    prompt = prompt.lstrip()
    for _ in range(_TAGGED):
        tag = _TAG.match(prompt)
        end = prompt.find(f"</{tag[1]}>") if tag else -1
        if tag is None or end < 0:
            break
        prompt = prompt[end + len(tag[1]) + 3 :].lstrip()
    # No more than these are looked at: a prompt may be as long as a book.
    words = " ".join(mask_text(prompt[:_LOOKED_AT]).split())
    return words if len(words) <= _TITLE_CHARACTERS else f"{words[: _TITLE_CHARACTERS - 1].rstrip()}…"


def _in_metadata(metadata: Mapping[str, Any], source: str) -> SessionDetails:
    """Return what metadata says of it, of an agent's session: others have no folder and no title of their own."""
    title = text_at(metadata, "title")
    project = _first(metadata, "cwd")
    if not title and not project:
        return NO_DETAILS
    by = TitleOrigin.PERSON if text_at(metadata, "title_source") in _BY_PERSON else TitleOrigin.AGENT
    branch = _first(metadata, "gitBranch", "branch")
    return SessionDetails(
        title=title,
        title_from=by if title else None,
        project=project,
        git_branch="" if branch == _NO_BRANCH else branch,
        git_commit=_first(metadata, "headCommit"),
        agent=_first(metadata, "agent") or source,
        agent_version=_first(metadata, *VERSIONS, "agent_version"),
    )


def _first(metadata: Mapping[str, Any], *keys: str) -> str:
    return next((value for key in keys if (value := text_at(metadata, key))), "")
