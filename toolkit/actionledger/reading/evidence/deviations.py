"""How a call deviates from the plain object that it is read as: each deviation is a named repair with its place."""

import json
import re
from collections.abc import Sequence
from typing import Any

from actionledger.core.values import Repair, Span
from actionledger.core.vocabulary import RepairKind
from actionledger.reading.tolerant_json.options import JSON_REPAIRS


class Deviations:
    """What was noted while the calls of a text were read.

    Args:
        text: the response, or what stands in it with escapes.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.repairs: list[Repair] = []

    def add(self, kind: RepairKind, span: Span, after: str) -> None:
        """Note that a stretch is read as another text; nothing where that is the same."""
        before = span.of(self.text)
        if before != after:
            self.repairs.append(Repair(kind, span, before, after))

    def key(self, kind: RepairKind, key: str, known: str, span: Span) -> None:
        """Note that a key of an object stands for a known one."""
        if key == known or (kind is RepairKind.ARGUMENT_KEY and key == "parameters"):
            return
        found = re.search(rf"""["']?(?P<key>{re.escape(key)})["']?\s*+[:=]""", span.of(self.text))
        place = (
            Span(*(span.start + at for at in found.span("key"))) if found else Span(span.start, span.start)
        )
        self.add(kind, place, known)

    def text_as(
        self, written: str, after: str, span: Span, kind: RepairKind = RepairKind.NAME_SPELLING
    ) -> None:
        """Note that a text within a stretch is read as another one, by default as the name of a tool."""
        at = self.text.find(written, span.start, span.end)
        place = Span(at, at + len(written)) if at >= 0 else Span(span.start, span.start)
        self.add(kind, place, after)

    def nested(self, written: str, value: Any, span: Span) -> None:
        """Note that a text was read as the JSON that it holds."""
        at = self.text.find(written, span.start, span.end)
        place = Span(at - 1, at) if at > span.start else Span(span.start, span.start)
        after = "" if at > span.start else json.dumps(value, ensure_ascii=False, default=str)[:200]
        self.add(RepairKind.NESTED_JSON, place, after)


def tidied(repairs: Sequence[Repair]) -> list[Repair]:
    """Return repairs in text order; of those that overlap the first, unless another one says how the call deviates."""
    kept: list[Repair] = []
    for repair in sorted(repairs, key=lambda repair: repair.span):
        if not kept or repair.span.start >= kept[-1].span.end:
            kept.append(repair)
        elif repair.kind not in JSON_REPAIRS and kept[-1].kind in JSON_REPAIRS:
            kept[-1] = repair
    return kept
