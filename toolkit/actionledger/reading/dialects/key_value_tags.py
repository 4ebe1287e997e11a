"""Keys and values in tags of their own, like GLM's: IQuest, Hunyuan, LongCat and K2 Horizon."""

import re
from functools import lru_cache
from typing import ClassVar, Literal

from actionledger.core.patterns import regex
from actionledger.core.values import Span
from actionledger.core.vocabulary import BlockStatus
from actionledger.reading.dialects.base import Dialect, Found, Generations
from actionledger.reading.dialects.parameter_tags import ParameterTags
from actionledger.reading.dialects.parts.call_tags import TagForms, TagGrammar
from actionledger.reading.dialects.parts.marked import Marked
from actionledger.reading.dialects.parts.markers import Close, Marker, behind_blanks, closing_tag, read_block
from actionledger.reading.dialects.parts.truncation import CALLS_END, VALUE_ENDS
from actionledger.reading.scan.openings import Opening, OpeningKind
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions


def _grammar(tag: str) -> TagGrammar:
    """Return the grammar of calls in tags with that name."""
    return TagGrammar(
        call=rf"<{tag}>\s*+(?P<name>[A-Za-z_][\w.:/-]*+)\s*+(?=<arg_key>|</{tag}>)",
        stem="<arg_key>",
        parameter=r"<arg_key>(?P<key>[^<>\n]*)</arg_key>\s*+<arg_value>",
        parameter_closes="</arg_value>",
        call_closes=f"</{tag}>",
        value_opens="<arg_value>",
    )


def _forms(tag: str) -> TagForms:
    """Return the templates of calls in tags with that name."""
    return TagForms(
        parameter="<arg_key>{key}</arg_key><arg_value>{value}</arg_value>",
        call=f"<{tag}>{{name}}{{parameters}}</{tag}>",
        between="",
    )


def _cut(tag: str) -> re.Pattern[str]:
    """Return the pattern of the beginning of a call in tags with that name, up to its first argument."""
    return regex(rf"<{tag}>\s*+[A-Za-z_][\w.:/-]*+\s*+(?:<[\w/]*+)?")


def _rules(tag: str) -> tuple[str, ...]:
    return (
        (
            f"An action stands between <{tag}> and </{tag}>: its name, then an <arg_key> and an "
            "<arg_value> for each argument, without line breaks."
        ),
        (
            "Texts are written as they are; numbers, lists and objects as JSON. Several actions follow "
            "one another, each between tags of its own."
        ),
    )


class _IQuest(ParameterTags):
    cut: ClassVar[re.Pattern[str]]

    def is_cut(self, rest: str) -> bool:
        """Return whether a text ends within a call's name or the first tag after it."""
        return self.cut.fullmatch(rest) is not None


class IQuestQ1(_IQuest):
    """``<iquest_tool_call>NAME`` with an ``<arg_key>`` and an ``<arg_value>`` for each argument."""

    name: Literal["iquest_q1"] = "iquest_q1"
    source = "IQuest Q1, tool calls as SGLang's parser reads them"
    rules = _rules("iquest_tool_call")
    example = (
        "<iquest_tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value></iquest_tool_call>"
    )
    mark = "<iquest_tool_call>"
    opening_form = "<iquest_tool_call>"
    grammar = _grammar("iquest_tool_call")
    forms = _forms("iquest_tool_call")
    cut = _cut("iquest_tool_call")


class IQuestCoder(_IQuest):
    """``<iquestcoder_tool_call>NAME`` with an ``<arg_key>`` and an ``<arg_value>`` for each argument."""

    name: Literal["iquest_coder"] = "iquest_coder"
    source = "IQuest Coder 2, tool calls as a parser for vLLM reads them; no checkpoint was seen"
    rules = _rules("iquestcoder_tool_call")
    example = (
        "<iquestcoder_tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value>"
        "</iquestcoder_tool_call>"
    )
    mark = "<iquestcoder_tool_call>"
    opening_form = "<iquestcoder_tool_call>"
    grammar = _grammar("iquestcoder_tool_call")
    forms = _forms("iquestcoder_tool_call")
    cut = _cut("iquestcoder_tool_call")


_LIST = regex(r"\s*+(?:\[|\Z)")
_NAME = r"[A-Za-z_][\w.:/-]*+"
_SUFFIX = r":(?P<suffix>[\w.-]{1,32}+)>"
_SUFFIXED = regex(rf"<tool_calls?+{_SUFFIX}")


class _List(Marked):
    """A list of calls in ``<tool_calls>…</tool_calls>``: Hunyuan-A13B."""

    name: Literal["hunyuan"] = "hunyuan"
    closers = {"<tool_calls>": "</tool_calls>"}

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the list in the tags; objects in them are MiniMax's."""
        is_list = _LIST.match(marker.source.text, start, marker.end)
        return super().read_values(marker, start) if is_list else None


@lru_cache(maxsize=16)
def _tags(suffix: str) -> ParameterTags:
    """Return the form with a tag for each call: Hunyuan 3 has a separator after the name, Hunyuan 4 has none."""
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
            """Return whether a text ends within a call's opening, or within the first tag after it."""
            if self.mark.startswith(rest):
                return bool(rest)
            name = re.match(rf"<tool_call{behind}>\s*+{_NAME}\s*+(?:<tool_sep{behind}>\s*+)?+", rest)
            last = rest[name.end() :] if name else "?"
            return any(tag.startswith(last) for tag in (sep, opens_key, closes_call))

    return Tags()


class _Suffixed(Dialect):
    """The form with a tag for each call, each tag with the suffix of the response's first one."""

    name: Literal["hunyuan"] = "hunyuan"
    strings_only = True

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
    optional_closers = {"</tool_calls>": CALLS_END}
    source = "Tencent Hunyuan-A13B, chat template; Hunyuan 3 and 4 (tags for keys and values) as vLLM's and SGLang's parsers read them"
    rules = (
        (
            'Actions are one JSON list between <tool_calls> and </tool_calls>: objects with "name" and '
            '"arguments".'
        ),
    )
    example = '<tool_calls>[{"name": "get_weather", "arguments": {"city": "Paris"}}]</tool_calls>'
    generations = (_List(), _tags(""), _Suffixed())


_CUT = regex(r"<longcat_tool_call>(?:[ \t]*+\n\s*+)?+[A-Za-z_][\w.:/-]*+\s*+(?:<[\w/]*+)?")


class _AsJson(Marked):
    name: Literal["longcat"] = "longcat"
    closers = {"<longcat_tool_call>": "</longcat_tool_call>"}


_AS_JSON = _AsJson()


class LongCat(ParameterTags):
    """``<longcat_tool_call>`` around a JSON object, or a name with a key and a value in tags for each argument."""

    name: Literal["longcat"] = "longcat"
    optional_closers = {
        "}</longcat_tool_call>": VALUE_ENDS,
        "]</longcat_tool_call>": VALUE_ENDS,
    }
    source = "Meituan LongCat-Flash, tool calls as vLLM's (JSON) and mlx-lm's parsers (both forms) read them"
    rules = (
        (
            "An action stands between <longcat_tool_call> and </longcat_tool_call>: its name, then a "
            "<longcat_arg_key> and a <longcat_arg_value> for each argument."
        ),
        (
            "Texts are written as they are; numbers, lists and objects as JSON. Several actions follow "
            "one another, each between tags of its own."
        ),
    )
    example = (
        "<longcat_tool_call>get_weather\n<longcat_arg_key>city</longcat_arg_key>\n"
        "<longcat_arg_value>Paris</longcat_arg_value>\n</longcat_tool_call>"
    )
    mark = "<longcat_tool_call>"
    opening_form = "<longcat_tool_call>"
    grammar = TagGrammar(
        call=(
            r"<longcat_tool_call>(?:[ \t]*+\n\s*+)?+(?P<name>[A-Za-z_][\w.:/-]*+)\s*+"
            r"(?=<longcat_arg_key>|</longcat_tool_call>)"
        ),
        stem="<longcat_arg_key>",
        parameter=r"<longcat_arg_key>(?P<key>[^<>\n]*)</longcat_arg_key>\s*+<longcat_arg_value>",
        parameter_closes="</longcat_arg_value>",
        call_closes="</longcat_tool_call>",
        value_opens="<longcat_arg_value>",
    )
    forms = TagForms(
        parameter=(
            "<longcat_arg_key>{key}</longcat_arg_key>\n<longcat_arg_value>{value}</longcat_arg_value>\n"
        ),
        call="<longcat_tool_call>{name}\n{parameters}</longcat_tool_call>",
    )

    def is_cut(self, rest: str) -> bool:
        """Return whether a text ends within a call's name or the first tag after it."""
        return _CUT.fullmatch(rest) is not None

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the tags, or the JSON, after the opening tag; see ``Dialect.read``."""
        found = super().read(source, opening, end, options)
        return found or _AS_JSON.read(source, opening, end, options)


_ALL, _ALL_CLOSE = "<ifm|tool_calls>", "</ifm|tool_calls>"
_ONE, _ONE_CLOSE = "<ifm|tool_call>", "</ifm|tool_call>"
_K2_HORIZON_CUT = regex(r"<ifm\|tool_call>\s*+[^\s<>{}\[\]|]++\s*+(?:<[\w/|]*+)?")


class _K2HorizonAsJson(Marked):
    """Each object between tags of its own, all of them in a group or one alone."""

    name: Literal["k2_horizon"] = "k2_horizon"
    closers = {_ONE: _ONE_CLOSE, _ALL: _ALL_CLOSE}

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the call, or a group's calls; an unreadable one ends the group before it."""
        if marker.opening.label == _ONE:
            return super().read_values(marker, start)
        text, at = marker.source.text, start
        calls: list[Found] = []
        while text.startswith(_ONE, begin := behind_blanks(text, at, marker.end), marker.end):
            opening = Opening(OpeningKind.LITERAL, _ONE, begin, begin + len(_ONE))
            one = marker._replace(opening=opening, closer=_ONE_CLOSE, stops=(_ALL_CLOSE,))
            call = super().read_values(one, opening.end)
            if call is None or call.status is BlockStatus.MALFORMED:
                break
            calls.append(call)
            at = call.span.end
        return _grouped(marker, calls, at) if calls else self._without_calls(marker, begin)

    def _without_calls(self, marker: Marker, begin: int) -> Found | None:
        """Return the block of a group without a readable call: none before an unreadable one, a cut-off block at the end."""
        return None if begin < marker.end else marker.nothing_behind()


_K2_HORIZON_AS_JSON = _K2HorizonAsJson()


def _grouped(marker: Marker, calls: list[Found], at: int) -> Found:
    """Return the block of a group whose calls end at ``at``."""
    close = closing_tag(marker.source.text, at, marker.end, _ALL_CLOSE, marker.options)
    if close.issue:
        return marker.malformed(close.issue, Close(at, at))
    return read_block(
        Span(marker.opening.start, close.end),
        Span(marker.opening.end, close.start),
        tuple(action for call in calls for action in call.actions),
        tuple(repair for call in calls for repair in call.repairs) + close.repairs,
        tuple(issue for call in calls for issue in call.issues),
    )


class K2Horizon(ParameterTags):
    """``<ifm|tool_call>`` with the name and an ``<ifm|arg_key>`` and an ``<ifm|arg_value>`` for each argument, or JSON.

    An ``<ifm|arg_type>`` between the two says what the value is. What stands between the tags of ``think`` is the
    model's thoughts.
    """

    name: Literal["k2_horizon"] = "k2_horizon"
    optional_closers = {_ALL_CLOSE: CALLS_END, "}" + _ONE_CLOSE: VALUE_ENDS}
    source = "K2 Horizon, tool calls as vLLM's and llama.cpp's parsers read them"
    rules = (
        (
            "All actions stand between <ifm|tool_calls> and </ifm|tool_calls>: each between <ifm|tool_call> and "
            "</ifm|tool_call>, its name first, then an <ifm|arg_key> and an <ifm|arg_value> for each argument."
        ),
        "Texts are written as they are; numbers, lists and objects as JSON.",
    )
    example = (
        "<ifm|tool_calls>\n<ifm|tool_call>get_weather\n<ifm|arg_key>city</ifm|arg_key>\n"
        "<ifm|arg_value>Paris</ifm|arg_value>\n</ifm|tool_call>\n</ifm|tool_calls>"
    )
    mark = _ONE
    opening_form = _ONE
    grammar = TagGrammar(
        call=r"<ifm\|tool_call>\s*+(?P<name>[^\s<>{}\[\]|]++)\s*+(?=<ifm\|arg_key>|</ifm\|tool_call>)",
        stem="<ifm|arg_key>",
        parameter=(
            r"<ifm\|arg_key>(?P<key>[^<>\n]*)</ifm\|arg_key>\s*+"
            r"(?:<ifm\|arg_type>\s*+(?:(?:string|any)\b[^<>]*+|(?P<json>[^<>]*+))</ifm\|arg_type>\s*+)?+"
            r"<ifm\|arg_value>"
        ),
        parameter_closes="</ifm|arg_value>",
        call_closes=_ONE_CLOSE,
        value_opens="<ifm|arg_value>",
        groups={_ALL: _ALL_CLOSE},
    )
    forms = TagForms(
        parameter="<ifm|arg_key>{key}</ifm|arg_key>\n<ifm|arg_value>{value}</ifm|arg_value>\n",
        call="<ifm|tool_call>{name}\n{parameters}</ifm|tool_call>",
        group="<ifm|tool_calls>\n{calls}\n</ifm|tool_calls>",
    )
    thought_markers = {
        f"<ifm|{think}>": f"</ifm|{think}>" for think in ("think", "think_fast", "think_faster")
    }

    def is_cut(self, rest: str) -> bool:
        """Return whether a text ends within a call's name or the first tag after it."""
        return _K2_HORIZON_CUT.fullmatch(rest) is not None

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the tags or the JSON, or skip the thoughts, after the opening tag; see ``Dialect.read``."""
        found = super().read(source, opening, end, options)
        return (
            found
            if found or opening.label in self.thought_markers
            else _K2_HORIZON_AS_JSON.read(source, opening, end, options)
        )
