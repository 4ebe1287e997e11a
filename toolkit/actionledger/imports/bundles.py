"""A bundle for a bug report: versions, kinds and counts; no text of a model, unless it is requested.

Names in it come from closed lists, or look like a name: a name that the user chose (a dialect, a parser, a format of their own) is ``custom``.
"""

import json
import platform
import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from actionledger._version import __version__
from actionledger.core.canonical import JsonDict
from actionledger.core.errors import LedgerError
from actionledger.core.ids import now
from actionledger.core.patterns import regex
from actionledger.core.privacy import mask
from actionledger.core.text import from_utf8_with_halves, utf8_with_halves
from actionledger.core.vocabulary import LeftOutReason
from actionledger.imports.newer_versions import newer_recordings, unknown_errors, unknown_wordings
from actionledger.imports.sources.registry import sources
from actionledger.ledger import open_ledger
from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.skipped import left_out
from actionledger.ledger.queries.versions import ISSUES, NOTED, QUARANTINE, READINGS, RECORDINGS, UNREAD
from actionledger.ledger.storage.schema import SCHEMA_VERSION
from actionledger.ledger.upkeep.health import examine
from actionledger.reading.dialects import DIALECTS, FAMILIES
from actionledger.reading.parsers import PARSERS, READING_RULES

FORM = 1
"""The version of the bundle's format."""

_MOST_TEXTS = 20
_MOST_CHARACTERS = 4000
_MOST_ROWS = 500

_VERSION = regex(r"[\w.+-]{1,40}")
_KIND = regex(r"[\w.:/-]{1,60}(?: \([\w.:/, -]{0,200}…?\))?")
_CUSTOM = "custom"
_OURS = frozenset({"", "demo", "live"})


def bundle(path: Path, *, with_text: bool = False) -> JsonDict:
    """Return the parts of a ledger that a bug report needs, as JSON values with secrets masked.

    Args:
        path: the ledger's file; for one that can't be read, only versions and checks.
        with_text: add errors that match no wording, and the shortest responses that were not fully parsed.
    """
    found = examine(path)
    made: JsonDict = {
        "bundle": FORM,
        "made_at": now().isoformat(timespec="seconds"),
        "has_text": False,
        "versions": _versions(),
        "ledger": {
            "schema": found.schema_version,
            "sizes": [{"part": each.part, "files": each.files, "bytes": each.bytes} for each in found.sizes],
            "checks": [{"check": str(each.check), "level": str(each.level)} for each in found.findings],
        },
    }
    try:
        with open_ledger(path, read_only=True) as ledger:
            made |= _counts(ledger)
            if with_text:
                made |= {"has_text": True, "text": _texts(ledger)}
    except LedgerError:
        made["ledger"]["is_readable"] = False
    else:
        made["ledger"]["is_readable"] = True
    # A bundle with asterisks in place of secrets, and ``~`` for the user's home folder.
    line = utf8_with_halves(json.dumps(made, ensure_ascii=False))
    text = from_utf8_with_halves(mask(line))
    home = json.dumps(str(Path.home()), ensure_ascii=False)[1:-1]
    masked: JsonDict = json.loads(text.replace(home, "~") if len(home) > 1 else text)
    return masked


def _versions() -> JsonDict:
    return {
        "actionledger": __version__,
        "schema": SCHEMA_VERSION,
        "reading_rules": READING_RULES,
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "libc": " ".join(platform.libc_ver()).strip() if sys.platform == "linux" else "",
        "packages": _packages(),
    }


def _packages() -> dict[str, str]:
    """Return the versions of this package's installed dependencies, including its extras'."""
    found = {}
    with suppress(PackageNotFoundError):  # it runs from source
        for line in requires("actionledger") or ():
            name = re.split(r"[^\w.-]", line, maxsplit=1)[0]
            with suppress(PackageNotFoundError):
                found[name] = version(name)
    return dict(sorted(found.items()))


def _counts(ledger: Queryable) -> JsonDict:
    formats = frozenset(sources()) | _OURS
    dialects = frozenset({"", *(each.name for each in DIALECTS), *FAMILIES})
    parsers = frozenset(PARSERS)
    recordings = [
        row | {"source": _known(row["source"], formats), "version": _version(row["version"])}
        for row in _rows(ledger, RECORDINGS)
    ]
    readings = [
        row
        | {"source": _known(row["source"], formats), "parser": _known(row["parser"], parsers)}
        | {"dialect": _known(row["dialect"], dialects)}
        for row in _rows(ledger, READINGS)
    ]
    skipped = left_out(ledger, limit=_MOST_ROWS)
    # A kind's name with its keys; a sentence, a path with spaces or a value doesn't match.
    return {
        "recordings": recordings,
        "newer_than_tested": [
            {
                "source": each.source,
                "version": _version(each.version),
                "tested": each.tested,
                "sessions": each.sessions,
            }
            for each in newer_recordings(ledger)
        ],
        "unknown_kinds": [
            {
                "kind": (each.detail if _KIND.fullmatch(each.detail) else _CUSTOM),
                "count": each.count,
                "files": each.files,
            }
            for each in skipped
            if each.reason is LeftOutReason.UNKNOWN_KIND
        ],
        "unknown_wordings": [
            {"source": _known(each.source, formats), "version": _version(each.version), "count": each.count}
            for each in unknown_wordings(ledger)
        ],
        "skipped": _summed((str(each.reason), each.count) for each in skipped),
        "noted": _rows(ledger, NOTED),
        "quarantine": _rows(ledger, QUARANTINE),
        "readings": readings,
        "issues": _rows(ledger, ISSUES),
    }


def _texts(ledger: Queryable) -> JsonDict:
    """Return the requested texts: the most frequent error messages, and short responses."""
    unknown = sorted(unknown_errors(ledger), key=lambda each: -each.count)
    return {
        "errors": [
            {"source": each.source, "count": each.count, "message": each.message[:_MOST_CHARACTERS]}
            for each in unknown[:_MOST_TEXTS]
        ],
        "responses": _rows(ledger, UNREAD),
    }


def _rows(ledger: Queryable, query: str) -> list[JsonDict]:
    result = ledger.sql(query)
    return [dict(zip(result.columns, row, strict=True)) for row in result.fetchall()]


def _known(name: str, names: frozenset[str]) -> str:
    return name if name in names else _CUSTOM


def _version(text: str) -> str:
    return text if not text or _VERSION.fullmatch(text) else _CUSTOM


def _summed(counts: Iterable[tuple[str, int]]) -> Mapping[str, int]:
    summed: dict[str, int] = {}
    for name, count in counts:
        summed[name] = summed.get(name, 0) + count
    return summed
