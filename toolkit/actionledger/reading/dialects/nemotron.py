"""NVIDIA's Nemotron: a JSON list of calls in ``<TOOLCALL>``; since version 3 as Qwen3-Coder writes."""

import re
from collections.abc import Mapping
from typing import ClassVar, Literal

from actionledger.core.values import Repair, Span
from actionledger.core.vocabulary import BlockStatus, RepairKind
from actionledger.reading.dialects.base import Dialect, Found
from actionledger.reading.dialects.parameter_tags import Qwen3Coder
from actionledger.reading.dialects.parts.generations import Generations
from actionledger.reading.dialects.parts.json_shapes import in_order
from actionledger.reading.dialects.parts.marked import Marked
from actionledger.reading.dialects.parts.markers import Marker, behind_blanks
from actionledger.reading.dialects.parts.optional_closers import CALLS_END, VALUE_ENDS

_READ = frozenset({BlockStatus.STRICT, BlockStatus.REPAIRED})


class _InTag(Marked):
    """A list of calls in ``<TOOLCALL>…</TOOLCALL>``; several without the list's brackets are mended."""

    name: Literal["nemotron"] = "nemotron"
    closers: ClassVar[Mapping[str, str]] = {"<TOOLCALL>": "</TOOLCALL>"}
    holds_several: ClassVar[bool] = True
    gap: ClassVar[re.Pattern[str]] = re.compile(r"\s*+,\s*+")

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the calls in the tag."""
        found = super().read_values(marker, start)
        if found is None or found.status not in _READ or len(found.actions) < 2:
            return found
        begins = behind_blanks(marker.source.text, start, marker.end)
        if (
            marker.source.text.startswith("[", begins)
            or RepairKind.MISSING_WRAPPER not in marker.options.repairs
        ):
            return found
        repair = Repair(RepairKind.MISSING_WRAPPER, Span(begins, begins), "", "[")
        return found._replace(status=BlockStatus.REPAIRED, repairs=in_order((repair,), found.repairs))


class Nemotron(Generations):
    """A JSON list of calls in ``<TOOLCALL>…</TOOLCALL>``."""

    name: Literal["nemotron"] = "nemotron"
    optional_closers: ClassVar[Mapping[str, str]] = {
        "</TOOLCALL>": VALUE_ENDS,
        "</function></tool_call>": CALLS_END,
    }
    source = "Llama-3.3-Nemotron-Super-49B-v1.5 and Nemotron Nano v2, chat templates; Nemotron 3 as vLLM's parser reads it"
    rules = (
        (
            'Actions are one JSON list between <TOOLCALL> and </TOOLCALL>: objects with "name" and '
            '"arguments".'
        ),
    )
    example = '<TOOLCALL>[{"name": "get_weather", "arguments": {"city": "Paris"}}]</TOOLCALL>'
    generations: ClassVar[tuple[Dialect, ...]] = (_InTag(), Qwen3Coder())
