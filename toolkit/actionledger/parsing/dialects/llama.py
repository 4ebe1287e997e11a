"""Llama 3's calls: a bare object with ``name`` and ``parameters``, or several with semicolons between them."""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from actionledger.parsing.dialects.bare_json import read_line
from actionledger.parsing.dialects.base import Found
from actionledger.parsing.dialects.parts.bare_calls import BareRule
from actionledger.parsing.dialects.parts.json_calls import Keys
from actionledger.parsing.dialects.parts.json_values import BARE_OBJECT
from actionledger.parsing.dialects.parts.marked import Marked
from actionledger.parsing.dialects.parts.writing import PlainCall, call_object, json_text
from actionledger.parsing.scan.openings import Opening, OpeningKind
from actionledger.parsing.scan.source import Source
from actionledger.tolerant_json.options import DecodeOptions


class Llama3Json(Marked):
    """A bare call object at the start of a line, or behind ``<|python_tag|>``."""

    name: Literal["llama3_json"] = "llama3_json"
    source = "The chat templates of Llama 3.1 and 3.2, JSON based tool calling"
    rules = (
        (
            'An action is a JSON object with "name" and "parameters", at the start of a line and with '
            "nothing behind it."
        ),
        "Several actions stand on one line, a semicolon between them.",
    )
    example = '{"name": "get_weather", "parameters": {"city": "Paris"}}'
    closers: ClassVar[Mapping[str, str]] = {"<|python_tag|>": ""}
    holds_several: ClassVar[bool] = True
    gap: ClassVar[re.Pattern[str]] = re.compile(r"\s*+;\s*+")
    rule: ClassVar[BareRule] = BareRule(Keys(("name",), ("parameters", "arguments")), maps=False)

    @property
    def line_patterns(self) -> frozenset[str]:
        """An object at the start of a line."""
        return frozenset({BARE_OBJECT})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the objects that begin here; see ``Dialect.read``."""
        if opening.kind is OpeningKind.LINE:
            return read_line(self.rule, source, opening, end, options)
        return super().read(source, opening, end, options)

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write bare objects with semicolons between them; see ``Dialect.write``."""
        return "; ".join(json_text(call_object(call, arguments="parameters")) for call in calls)
