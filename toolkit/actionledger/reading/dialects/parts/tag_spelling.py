"""Tags that are spelt otherwise than the format's: ``<CREATE_FILE>``, ``< createFile >``, ``<create_file path="a">``."""

import re
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from actionledger.core.values import Repair, Span
from actionledger.core.vocabulary import RepairKind
from actionledger.reading.scan.openings import Opening

_NAME = re.compile(r"<[ \t]*+([\w.:-]++)")
_ATTRIBUTE = re.compile(r"""\s*+([\w-]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'=<>`]++))""")
_REST = r"""(?:[^<>"']++|"[^"\n]{0,2000}+"|'[^'\n]{0,2000}+'){0,40}+"""


def spellings(name: str) -> str:
    """Return the pattern of a name in any case, with or without a sign between its words."""
    return f"(?i:{'[_-]?'.join(map(re.escape, name.split('_')))})"


def near_tag(names: Iterable[str]) -> str:
    """Return the pattern of an opening tag with one of these names in any spelling, attributes included."""
    return rf"<[ \t]*+(?:{'|'.join(map(spellings, sorted(names, reverse=True)))})(?=[\s/>]){_REST}>"


def meant(spelt: str, names: Collection[str]) -> str | None:
    """Return which of the names is meant by one in another spelling; None where none is."""
    if spelt in names:
        return spelt
    wanted = squeezed(spelt)
    return next((name for name in names if squeezed(name) == wanted), None)


def spelling_repair(span: Span, text: str, tag: str) -> tuple[Repair, ...]:
    """Return the repair of a tag in another spelling; none where it is the format's."""
    before = span.of(text)
    return () if before == tag else (Repair(RepairKind.TAG_SPELLING, span, before, tag),)


class Head(NamedTuple):
    """An opening tag as it was written.

    Args:
        tag: the name that is meant.
        attributes: its fields by name.
        repairs: what had to be changed.
        is_whole: whether it closes itself.
        fault: what can't be read in it, as a sentence; empty where all of it can.
    """

    tag: str
    attributes: Mapping[str, str] = MappingProxyType({})
    repairs: tuple[Repair, ...] = ()
    is_whole: bool = False
    fault: str = ""


def head_of(opening: Opening, fields_of: Mapping[str, Collection[str]]) -> Head | None:
    """Return what an opening tag says that is nearly one of the format's; None where its name is none of theirs."""
    written = opening.label
    name = _NAME.match(written)
    if name is None or (tag := meant(name[1], fields_of)) is None:
        return None
    inner = written[:-1].rstrip()
    is_whole = inner.endswith("/")
    stop, at = len(inner) - is_whole, name.end()
    attributes: dict[str, str] = {}
    fault = ""
    while attribute := _ATTRIBUTE.match(written, at, stop):
        field = meant(attribute[1], fields_of[tag])
        if field is None or field in attributes:
            fault = f"Expected the fields {', '.join(fields_of[tag])}, each once, got {attribute[1][:40]!r}."
            break
        attributes[field] = next(value for value in attribute.groups()[1:] if value is not None)
        at = attribute.end()
    if not fault and (rest := written[at:stop].strip()):
        fault = f"Expected a field and its value in quotes, got {rest[:20]!r}."
    repairs = _repairs(opening, tag, name.end(), attributes, is_whole=is_whole)
    return Head(tag, attributes, repairs, is_whole, fault)


def _repairs(
    opening: Opening, tag: str, name_end: int, attributes: dict[str, str], *, is_whole: bool
) -> tuple[Repair, ...]:
    written = opening.label
    if not attributes and not is_whole:
        return (Repair(RepairKind.TAG_SPELLING, Span(opening.start, opening.end), written, f"<{tag}>"),)
    name = Span(opening.start, opening.start + name_end)
    fields = "".join(f"<{field}>{value}</{field}>" for field, value in attributes.items())
    closer = f"</{tag}>" if is_whole else ""
    rest = Repair(
        RepairKind.TAG_ATTRIBUTES, Span(name.end, opening.end), written[name_end:], f">{fields}{closer}"
    )
    if written[:name_end] == f"<{tag}":
        return (rest,)
    return Repair(RepairKind.TAG_SPELLING, name, written[:name_end], f"<{tag}"), rest


def squeezed(name: str) -> str:
    """Return a name without its case and the signs between its words."""
    return name.replace("_", "").replace("-", "").lower()
