"""The known formats, and the detection of a file's format.

A format of the toolkit is a module of ``formats/`` with its ``SOURCE``. Another package's is an entry point of the group ``actionledger.sources``
that names such a value.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from itertools import islice
from json import JSONDecodeError, JSONDecoder
from pathlib import Path
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any, NamedTuple

from actionledger.core.errors import SourceError, called, in_words
from actionledger.imports import formats
from actionledger.imports.sources.base import SAMPLE_BYTES, Sample, Source
from actionledger.imports.sources.containers import head_of, kind_of

GROUP = "actionledger.sources"
"""The group of entry points under which packages offer formats."""

_VALUES = 40
_DECODER = JSONDecoder()
_DIGITS = 600
"""A number of digits that Python always accepts: it refuses longer integers."""

_OF_ANY_LENGTH = JSONDecoder(parse_int=lambda digits: int(digits[:_DIGITS]))
"""Reads integers of any length, cut if too long: a file's format doesn't depend on them."""


class RecognisedFormat(NamedTuple):
    """A format that a file may be of."""

    source: Source
    sureness: float  # the certainty, from 0 to 1


@cache
def sources() -> Mapping[str, Source]:
    """Return every format by name, sorted."""
    found: dict[str, Source] = {}
    for source in (*map(_own, _own_names()), *_offered()):
        if source.name in found:
            raise SourceError(
                f"Two formats are named {source.name!r}; uninstall one of the packages that offer it."
            )
        found[source.name] = source
    return MappingProxyType(dict(sorted(found.items())))


def source_named(name: str) -> Source:
    """Return the format with a name."""
    return _own(name) if name in _own_names() else called(name, "format", sources())


def known_source(name: str) -> Source | None:
    """Return the format with a name, or None; one of the toolkit's without loading the others."""
    return _own(name) if name in _own_names() else sources().get(name)


def recognised(sample: Sample) -> list[RecognisedFormat]:
    """Return the formats that a sample may have, the surest first; none if no format recognizes it."""
    found = [RecognisedFormat(source, sureness_of(source, sample)) for source in sources().values()]
    return sorted((each for each in found if each.sureness > 0), key=lambda each: -each.sureness)


def surest_of(sample: Sample) -> RecognisedFormat | None:
    """Return the surest format that a sample may have, of equally sure ones the first; None if no format recognizes it.

    Once a format is certain, the others are neither asked nor loaded.
    """
    surest: RecognisedFormat | None = None
    for source in _by_name():
        sureness = sureness_of(source, sample)
        if sureness > (surest.sureness if surest else 0):
            surest = RecognisedFormat(source, sureness)
        if sureness >= 1:
            break
    return surest


def sureness_of(source: Source, sample: Sample) -> float:
    """Return the certainty that a sample has a format, from 0 to 1."""
    try:
        return source.recognise(sample)
    except Exception as error:
        raise SourceError(
            f"The format {source.name!r} fails to say whether this is a file of its own: {in_words(error)}. "
            "Name the file's format, or mend or uninstall what offers that one."
        ) from error


def sample_of(path: Path, *, has_values: bool = True) -> Sample:
    """Return the sample by which a file's format is recognized."""
    from actionledger.imports.sources.json_values import MAX_LINE  # noqa: PLC0415 - slow to load, and who knows a source by its name needs none

    head = head_of(path, SAMPLE_BYTES, MAX_LINE)
    # A file stored uncompressed in an archive looks like lines of the archive.
    values = () if not has_values or kind_of(head) else tuple(islice(_values(head), _VALUES))
    return Sample(path, head, values)


def _values(head: bytes) -> Iterator[Any]:
    """Yield the JSON values at the beginning of a file; of a longer document, the part that is there."""
    from pydantic_core import from_json  # noqa: PLC0415 - slow to load, and a file that was imported before needs none

    place = 0
    with suppress(ValueError):  # no object on a line of its own
        while (end := head.find(b"\n", place)) >= 0:
            yield from_json(head[place:end])
            place = end + 1
    has_lines, text = place > 0, head[place:].decode("utf-8-sig", errors="replace")
    place = _next(text, 0)
    is_cut = not has_lines and _value(text, place) is None
    if is_cut and (first := _beginning(text[place:])) is not None:
        yield first
        return
    while place < len(text):
        if (found := _value(text, place)) is None:
            # A broken or cut line, such as the first of a rotated log, says nothing about the others.
            place = _next_object(text, place)
            continue
        value, place = found
        yield value
        place = _next(text, place)


def _value(text: str, place: int) -> tuple[Any, int] | None:
    try:
        return _DECODER.raw_decode(text, place)
    except (JSONDecodeError, RecursionError):
        return None
    except ValueError:  # a number with more digits than Python allows
        with suppress(ValueError, RecursionError):
            return _OF_ANY_LENGTH.raw_decode(text, place)
        return None


def _beginning(text: str) -> Any:
    """Return the content of a truncated JSON object or list; None if it is neither."""
    if not text.startswith(("{", "[")):
        return None
    from pydantic_core import from_json  # noqa: PLC0415 - slow to load, and most files are lines

    try:
        return from_json(text, allow_partial=True)
    except ValueError:
        return None


def _next(text: str, place: int) -> int:
    """Return the position of the next character that is not white space."""
    while place < len(text) and text[place] in " \t\r\n":
        place += 1
    return place


def _next_object(text: str, place: int) -> int:
    """Return the position of the next line that begins with an object."""
    found = text.find("\n{", place)
    return len(text) if found < 0 else found + 1


def _by_name() -> Iterator[Source]:
    """Yield every format, sorted by name as in ``sources``, and load one of the toolkit's only when it is its turn."""
    offered = {source.name: source for source in _offered()}
    names = [*_own_names(), *(source.name for source in _offered())]
    if len(set(names)) < len(names):
        sources()  # says that two have the same name
    for name in sorted(names):
        yield offered.get(name) or _own(name)


@cache
def _own_names() -> tuple[str, ...]:
    return tuple(module.name for module in iter_modules(formats.__path__))


def _own(name: str) -> Source:
    return _checked(import_module(f"{formats.__name__}.{name}").SOURCE, name)


@cache
def _offered() -> tuple[Source, ...]:
    return tuple(_of_packages())


def _of_packages() -> Iterator[Source]:
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow to load, and files that are known need no format

    for point in entry_points(group=GROUP):
        try:
            offered = point.load()
        except Exception as error:
            raise SourceError(
                f"The format {point.name!r} of {point.value!r} can't be loaded: {error}."
            ) from error
        yield _checked(offered, point.name)


def _checked(source: object, name: str) -> Source:
    if not isinstance(source, Source):
        raise SourceError(f"The format {name!r} is not a Source, but {type(source).__name__}.")
    return source
