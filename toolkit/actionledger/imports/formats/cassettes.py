"""VCR cassettes: exchanges of a program's tests with a provider, as YAML or JSON.

Defined by vcrpy (https://vcrpy.readthedocs.io, ``vcr/serialize.py``: version 1, ``interactions`` of a ``request`` and a ``response``, whose body is a
``string`` or ``base64_string``). pytest-recording writes them, and pydantic-ai's own serializer puts JSON bodies under ``parsed_body``. An
interaction without a model, such as a file upload, is skipped.
"""

import base64
import binascii
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from actionledger.core.canonical import JsonMap
from actionledger.core.errors import SourceError, require
from actionledger.core.vocabulary import Capture, LeftOutReason
from actionledger.imports.shapes.base import left_out
from actionledger.imports.shapes.bodies import exchange_of
from actionledger.imports.shapes.exchanges import Exchanges
from actionledger.imports.sources.access import object_at, objects_at, text_at
from actionledger.imports.sources.base import LeftOut, Recorded, Refusal, Sample, Source
from actionledger.imports.sources.containers import OnRead, opened, shown
from actionledger.imports.sources.json_values import MAX_DOCUMENT

NAME = "cassettes"

_MOST_VALUES = 5_000_000
"""The most values in a cassette; YAML aliases count each time."""


def read(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield the sessions of a cassette."""
    exchanges = Exchanges(NAME)
    found = _cassette(path, on_read).get("interactions")
    if not isinstance(found, list):
        raise SourceError(f"{shown(path)!r} is not a cassette: it has no list of interactions.")
    for number, interaction in enumerate(found, 1):
        if not isinstance(interaction, dict):
            yield Refusal(
                shown(path), 0, f"Interaction {number} is not an object but {type(interaction).__name__}."
            )
            continue
        request, response = object_at(interaction, "request"), object_at(interaction, "response")
        address = text_at(request, "uri") or text_at(request, "url")
        exchange = exchange_of(_body(request), _body(response), address)
        if exchange is None:
            yield LeftOut(shown(path), LeftOutReason.BOOKKEEPING, _kind(request, address))
        else:
            yield from exchanges.add(exchange)
    yield from left_out(shown(path), exchanges.passed)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is a cassette."""
    if sample.values and isinstance(sample.values[0], dict):
        first = next(objects_at(sample.values[0], "interactions"), {})
        return 1.0 if "request" in first and "response" in first else 0.0
    lines = sample.head.splitlines()[:4000]
    if not any(line.rstrip() == b"interactions:" for line in lines):
        return 0.0
    return 1.0 if any(line.strip() in {b"- request:", b"request:"} for line in lines) else 0.0


def _cassette(path: Path, on_read: OnRead | None) -> JsonMap:
    require("Reading cassettes", "sources", "yaml")
    import yaml  # noqa: PLC0415 — of the extra

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    with opened(path, on_read, only_lines=False) as file:
        data = file.read(MAX_DOCUMENT + 1)
    if len(data) > MAX_DOCUMENT:
        raise SourceError(f"{shown(path)!r} is one document of more than {MAX_DOCUMENT:,} bytes; split it.")
    try:
        value = yaml.load(data, Loader=loader)  # noqa: S506 — both are safe
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        why = " ".join(str(error).split())[:200]
        raise SourceError(f"{shown(path)!r} is not YAML: {why}.") from error
    if not isinstance(value, dict):
        raise SourceError(f"{shown(path)!r} is not a cassette but {type(value).__name__}.")
    if sum(1 for _ in _all_values(value, _MOST_VALUES)) >= _MOST_VALUES:
        raise SourceError(f"{shown(path)!r} has more than {_MOST_VALUES:,} values, each alias counted.")
    return value


def _all_values(value: Any, most: int) -> Iterator[Any]:
    """Yield the values within a value, up to a limit."""
    pending = [value]
    while pending and most:
        here = pending.pop()
        most -= 1
        yield here
        if isinstance(here, dict):
            pending += here.values()
        elif isinstance(here, list):
            pending += here


def _body(side: JsonMap) -> object:
    """Return the body of a request or a response, in any stored form."""
    if side.get("parsed_body") is not None:
        return side["parsed_body"]
    held = side.get("body")
    if not isinstance(held, dict):
        return held
    if text := text_at(held, "base64_string"):
        try:
            return base64.b64decode(text)
        except (binascii.Error, ValueError):
            return None
    return held.get("string")


def _kind(request: JsonMap, address: str) -> str:
    """Return the requested endpoint without identifiers, such as ``POST /v1/files``."""
    try:
        parts = urlsplit(address).path.split("/")
    except ValueError:
        parts = []
    kept = [part for part in parts if part.isascii() and part.replace("_", "").isalnum() and len(part) < 24]
    return f"{text_at(request, 'method')} /{'/'.join(kept[:2])}"[:40]


SOURCE = Source(
    NAME,
    "VCR cassettes",
    Capture.ARGUMENTS,
    read,
    recognise,
    patterns=("*.yaml", "*.yml", "*.yaml.gz", "*.json"),
    loses="Times, and how long an answer took, unless a provider says them; what a filter of the recorder has blotted out.",
    fields=("interactions", "version"),
)
