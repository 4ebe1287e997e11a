"""Tencent's Hunyuan: a JSON list of calls in tags, or a tag for each call with one for each key and each value.

The tokenizers of Hunyuan 3 and 4 end the name of each tag in a suffix of their own: ``<tool_calls:opensource>``.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import ClassVar, Literal

from actionledger.reading.dialects.base import Dialect, Found
from actionledger.reading.dialects.parameter_tags import ParameterTags
from actionledger.reading.dialects.parts.call_tags import TagGrammar
from actionledger.reading.dialects.parts.generations import Generations
from actionledger.reading.dialects.parts.marked import Marked
from actionledger.reading.dialects.parts.markers import Marker
from actionledger.reading.dialects.parts.optional_closers import CALLS_END
from actionledger.reading.scan.openings import Opening
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.options import DecodeOptions

_LIST = re.compile(r"\s*+(?:\[|\Z)")
_NAME = r"[A-Za-z_][\w.:/-]*+"
_SUFFIX = r":(?P<suffix>[\w.-]{1,32}+)>"
_SUFFIXED = re.compile(rf"<tool_calls?+{_SUFFIX}")


class _List(Marked):
    """A list of calls in ``<tool_calls>…</tool_calls>``: Hunyuan-A13B."""

    name: Literal["hunyuan"] = "hunyuan"
    closers: ClassVar[Mapping[str, str]] = {"<tool_calls>": "</tool_calls>"}

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the list in the tags; objects in them are MiniMax'."""
        is_list = _LIST.match(marker.source.text, start, marker.end)
        return super().read_values(marker, start) if is_list else None


@lru_cache(maxsize=16)
def _tags(suffix: str) -> ParameterTags:
    """Return the form with a tag for each call: Hunyuan 3 has a separator behind the name, Hunyuan 4 has none."""
    sep, opens_key, closes_call = f"<tool_sep{suffix}>", f"<arg_key{suffix}>", f"</tool_call{suffix}>"
    blanks, behind = r"\s*+", re.escape(suffix)

    class Tags(ParameterTags):
        name: Literal["hunyuan"] = "hunyuan"
        mark = f"<tool_call{suffix}>"
        opening_form = mark
        grammar = TagGrammar(
            call=(
                rf"<tool_call{behind}>{blanks}(?P<name>{_NAME}){blanks}(?:<tool_sep{behind}>{blanks})?+"
                rf"(?=<arg_key{behind}>|</tool_call{behind}>)"
            ),
            stem=opens_key,
            parameter=rf"<arg_key{behind}>(?P<key>[^<>\n]*)</arg_key{behind}>{blanks}<arg_value{behind}>",
            parameter_closes=f"</arg_value{suffix}>",
            call_closes=closes_call,
            value_opens=f"<arg_value{suffix}>",
            groups={f"<tool_calls{suffix}>": f"</tool_calls{suffix}>"},
        )

        def is_cut(self, rest: str) -> bool:
            """Return whether a text ends within the opening of a call, or before the first tag behind it is whole."""
            if self.mark.startswith(rest):
                return bool(rest)
            name = re.match(rf"<tool_call{behind}>\s*+{_NAME}\s*+(?:<tool_sep{behind}>\s*+)?+", rest)
            last = rest[name.end() :] if name else "?"
            return any(tag.startswith(last) for tag in (sep, opens_key, closes_call))

    return Tags()


class _Suffixed(Dialect):
    """The form with a tag for each call, each tag with the suffix of the response's first one."""

    name: Literal["hunyuan"] = "hunyuan"
    strings_only: ClassVar[bool] = True

    @property
    def literals(self) -> frozenset[str]:
        """The tags that open a group or a call, up to their suffix."""
        return frozenset({"<tool_calls:", "<tool_call:"})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the call, or the group of calls, that begins here; see ``Dialect.read``."""
        first = _SUFFIXED.match(source.text, source.search(_SUFFIXED, 0, len(source.text)))
        tag = _SUFFIXED.match(source.text, opening.start, end)
        if first is None or tag is None or tag["suffix"] != first["suffix"]:
            return None
        whole = Opening(opening.kind, tag[0], opening.start, tag.end())
        return _tags(f":{tag['suffix']}").read(source, whole, end, options)


class Hunyuan(Generations):
    """A list of calls in ``<tool_calls>…</tool_calls>``, or a ``<tool_call>`` in it for each, with ``<arg_key>`` and ``<arg_value>``."""

    name: Literal["hunyuan"] = "hunyuan"
    optional_closers: ClassVar[Mapping[str, str]] = {
        "</tool_calls>": CALLS_END,
    }
    source = "Tencent Hunyuan-A13B, chat template; Hunyuan 3 and 4 (tags for keys and values) as vLLM's and SGLang's parsers read them"
    rules = (
        (
            'Actions are one JSON list between <tool_calls> and </tool_calls>: objects with "name" and '
            '"arguments".'
        ),
    )
    example = '<tool_calls>[{"name": "get_weather", "arguments": {"city": "Paris"}}]</tool_calls>'
    generations: ClassVar[tuple[Dialect, ...]] = (_List(), _tags(""), _Suffixed())
