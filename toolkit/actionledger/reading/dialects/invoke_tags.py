"""An invoke tag for each call with a tag for each parameter: DeepSeek's DSML, GigaChat, dots, Step3 and MiniCPM.

Version 3.2 puts all calls into ``function_calls``, version 4 into ``tool_calls``; version 4.1 has a blank in the name of each tag.
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

from actionledger.reading.dialects.base import Dialect, Found, Generations
from actionledger.reading.dialects.parameter_tags import ParameterTags, Qwen3Coder
from actionledger.reading.dialects.parts.call_tags import TagForms, TagGrammar
from actionledger.reading.dialects.parts.marked import Marked
from actionledger.reading.dialects.parts.markers import Marker, behind_blanks, thoughts_behind
from actionledger.reading.dialects.parts.python_source import call_name
from actionledger.reading.dialects.parts.tagged_calls import TaggedCall
from actionledger.reading.dialects.parts.truncation import CALLS_END, VALUE_ENDS
from actionledger.reading.dialects.parts.writing import PlainCall, call_object, fenced, json_text, python_call
from actionledger.reading.dialects.python_calls import program_behind
from actionledger.reading.scan.openings import Opening
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions

_MARK = "｜DSML｜"
_KIND = r'(?:\s++string="(?P<string>true|false)"|\s++type="[^"<>\n]*")*+'
"""A parameter's type of value; without one, it is a text that the tool's schema types."""


def _grammar(prefix: str, groups: Sequence[str], *, spellings: bool = True) -> TagGrammar:
    """Return the grammar of tags with this prefix in their names."""
    closes = {name: f"</{prefix}{name}>" for name in ("parameter", "invoke")}
    return TagGrammar(
        call=rf'<{prefix}invoke\s++name="(?P<name>[^"<>\n]*)"\s*+(?P<whole>/)?+>',
        stem=f"<{prefix}parameter",
        parameter=rf'<{prefix}parameter\s++name="(?P<key>[^"<>\n]*)"{_KIND}\s*+>',
        parameter_closes=closes["parameter"],
        call_closes=closes["invoke"],
        groups={f"<{prefix}{group}>": f"</{prefix}{group}>" for group in groups},
        holds_json=True,
        spellings={closer: f"</{name}>" for name, closer in closes.items()} if spellings else {},
    )


class _Dsml(ParameterTags):
    name: Literal["deepseek_dsml"] = "deepseek_dsml"
    strings_only = False

    def block(
        self, text: str, opening: Opening, calls: list[TaggedCall], end: int, options: DecodeOptions
    ) -> Found:
        """Return the calls as a block; the tool's schema may give a text value another type."""
        found = super().block(text, opening, calls, end, options)
        has_texts = any(
            isinstance(value, str) for action in found.actions for value in action.arguments.values()
        )
        return found._replace(strings_only=has_texts)


class _Version3(_Dsml):
    mark = f"<{_MARK}invoke "
    opening_form = f'<{_MARK}invoke name="'
    grammar = _grammar(_MARK, ("function_calls", "tool_calls"))
    forms = TagForms(
        parameter=f'<{_MARK}parameter name="{{key}}" string="{{string}}">{{value}}</{_MARK}parameter>\n',
        call=f'<{_MARK}invoke name="{{name}}">\n{{parameters}}</{_MARK}invoke>',
        group=f"<{_MARK}function_calls>\n{{calls}}\n</{_MARK}function_calls>",
    )


class _Version41(_Dsml):
    mark = f"<{_MARK} invoke "
    opening_form = f'<{_MARK} invoke name="'
    grammar = _grammar(f"{_MARK} ", ("calls",))


class _WithoutToken(_Dsml):
    """The tags without their token, as SGLang's parser reads them as well."""

    mark = "<invoke "
    opening_form = '<invoke name="'
    grammar = _grammar("", ("function_calls",), spellings=False)


class DeepseekDsml(Generations):
    """``<｜DSML｜invoke name="NAME">`` with a parameter tag for each argument, which says whether it is a string."""

    name: Literal["deepseek_dsml"] = "deepseek_dsml"
    optional_closers = {
        "</｜DSML｜function_calls>": CALLS_END,
        "</｜DSML｜tool_calls>": CALLS_END,
        "</｜DSML｜ calls>": CALLS_END,
        "</function_calls>": CALLS_END,
    }
    source = (
        "DeepSeek-V3.2, encoding/encoding_dsv32.py; DeepSeek-V4 (tool_calls) and V4.1 (a blank in each name) as vLLM's and SGLang's "
        "parsers read them; an object as body, and tags without the token, SGLang's parser"
    )
    rules = (
        (
            "All actions stand between one pair of <｜DSML｜function_calls> tags: an invoke tag each, "
            "with a parameter tag for each argument."
        ),
        'A parameter with string="true" holds a text as it is, one with string="false" JSON.',
    )
    example = (
        '<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n'
        '<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>\n'
        '<｜DSML｜parameter name="days" string="false">3</｜DSML｜parameter>\n'
        "</｜DSML｜invoke>\n</｜DSML｜function_calls>"
    )
    generations = (_Version3(), _Version41(), _WithoutToken())


class GigaChat3(Marked):
    """A call object behind ``<|function_call|>``, or behind the name of the turn that it is: ``function call<|role_sep|>``."""

    name: Literal["gigachat3"] = "gigachat3"
    optional_closers = {"<|message_sep|>": "the model's end of turn, which servers take away"}
    source = "GigaChat3-10B-A1.8B, chat template; vLLM's and SGLang's parsers (the token of version 3.1)"
    rules = (
        'An action is <|function_call|> and a JSON object with "name" and "arguments".',
        "Several actions follow one another, each with the token.",
    )
    example = '<|function_call|>{"name": "get_weather", "arguments": {"city": "Paris"}}'
    closers = {
        "<|function_call|>": "<|message_sep|>",
        "function call<|role_sep|>": "<|message_sep|>",
    }
    may_stay_open = True

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write each call after a token of its own; see ``Dialect.write``."""
        return "\n".join(f"<|function_call|>{json_text(call_object(call))}" for call in calls)


class GigaChat35(ParameterTags):
    """``<｜GCML｜invoke name="NAME">`` with a parameter tag for each argument, which says whether it is a string."""

    name: Literal["gigachat35"] = "gigachat35"
    optional_closers = {"</｜GCML｜tool_calls>": CALLS_END}
    source = "GigaChat3.5, chat template"
    rules = (
        (
            "All actions stand between one pair of <｜GCML｜tool_calls> tags: an invoke tag each, "
            "with a parameter tag for each argument."
        ),
        'A parameter with string="true" holds a text as it is, one with string="false" JSON.',
    )
    example = (
        '<｜GCML｜tool_calls>\n<｜GCML｜invoke name="get_weather">\n'
        '<｜GCML｜parameter name="city" string="true">Paris</｜GCML｜parameter>\n'
        '<｜GCML｜parameter name="days" string="false">3</｜GCML｜parameter>\n'
        "</｜GCML｜invoke>\n</｜GCML｜tool_calls>"
    )
    strings_only = False
    mark = "<｜GCML｜invoke "
    opening_form = '<｜GCML｜invoke name="'
    grammar = TagGrammar(
        call=r'<｜GCML｜invoke\s++name="(?P<name>[^"<>\n]*)"\s*+>',
        stem="<｜GCML｜parameter",
        parameter=(
            r'<｜GCML｜parameter\s++name="(?P<key>[^"<>\n]*)"(?:\s++string="(?P<string>true|false)")?+\s*+>'
        ),
        parameter_closes="</｜GCML｜parameter>",
        call_closes="</｜GCML｜invoke>",
        groups={"<｜GCML｜tool_calls>": "</｜GCML｜tool_calls>"},
    )
    forms = TagForms(
        parameter='<｜GCML｜parameter name="{key}" string="{string}">{value}</｜GCML｜parameter>\n',
        call='<｜GCML｜invoke name="{name}">\n{parameters}</｜GCML｜invoke>',
        group="<｜GCML｜tool_calls>\n{calls}\n</｜GCML｜tool_calls>",
    )


_TAGS = {"<dots_function_call>": "</dots_function_call>"}


class _AsJson(Marked):
    name: Literal["dots"] = "dots"
    closers = _TAGS


_AS_JSON = _AsJson()


class Dots(ParameterTags):
    """Each ``<invoke>`` in ``<dots_function_call>`` is a call, and so is a JSON object there."""

    name: Literal["dots"] = "dots"
    optional_closers = {"</dots_function_call>": CALLS_END}
    source = "rednote dots models, tool calls as SGLang's parser reads them"
    rules = (
        (
            "All actions stand between <dots_function_call> and </dots_function_call>: each in an <invoke "
            'name="NAME">, with a <parameter name="FIELD"> for each argument.'
        ),
        "Texts are written as they are; numbers, lists and objects as JSON.",
    )
    example = (
        '<dots_function_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n'
        "</invoke>\n</dots_function_call>"
    )
    mark = "<dots_function_call>"
    stands_alone = False
    opening_form = '<invoke name="'
    grammar = TagGrammar(
        call=r"""<invoke\s++name\s*+=\s*+["']?+(?P<name>[^"'<>\n]*+)["']?+\s*+>""",
        stem="<parameter",
        parameter=r"""<parameter\s++name\s*+=\s*+["']?+(?P<key>[^"'<>\n]*+)["']?+\s*+>""",
        parameter_closes="</parameter>",
        call_closes="</invoke>",
        groups=_TAGS,
        line_breaks=True,
    )
    forms = TagForms(
        parameter='<parameter name="{key}">{value}</parameter>\n',
        call='<invoke name="{name}">\n{parameters}</invoke>',
        group="<dots_function_call>\n{calls}\n</dots_function_call>",
        wraps=True,
    )

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the tags, or the JSON, after the opening tag; see ``Dialect.read``."""
        found = super().read(source, opening, end, options)
        return found or _AS_JSON.read(source, opening, end, options)


_INVOKE = r'<steptml:invoke name="(?P<name>[^"<>\n]*)">'
_PARAMETER = r'<steptml:parameter name="(?P<key>[^"<>\n]*)">'


class _InTokens(ParameterTags):
    """``<｜tool_call_begin｜>`` with a ``<steptml:invoke>`` in it."""

    name: Literal["step3"] = "step3"
    mark = "<｜tool_call_begin｜>"
    opening_form = '<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="'
    grammar = TagGrammar(
        call=rf"<｜tool_call_begin｜>\s*+(?:function)?+\s*+(?:<｜tool_sep｜>)?+\s*+{_INVOKE}",
        stem="<steptml:parameter",
        parameter=_PARAMETER,
        parameter_closes="</steptml:parameter>",
        call_closes="</steptml:invoke>",
        tail="<｜tool_call_end｜>",
        groups={"<｜tool_calls_begin｜>": "<｜tool_calls_end｜>"},
    )
    forms = TagForms(
        parameter='<steptml:parameter name="{key}">{value}</steptml:parameter>',
        call=(
            '<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="{name}">{parameters}'
            "</steptml:invoke><｜tool_call_end｜>"
        ),
        group="<｜tool_calls_begin｜>{calls}<｜tool_calls_end｜>",
        between="",
    )


class _InTags(ParameterTags):
    """``<steptml:toolcall>`` with a ``<steptml:invoke>`` for each call."""

    name: Literal["step3"] = "step3"
    mark = '<steptml:invoke name="'
    opening_form = mark
    grammar = TagGrammar(
        call=_INVOKE,
        stem="<steptml:parameter",
        parameter=_PARAMETER,
        parameter_closes="</steptml:parameter>",
        call_closes="</steptml:invoke>",
        groups={"<steptml:toolcall>": "</steptml:toolcall>"},
    )


class Step3(Generations):
    """A ``<steptml:invoke>`` with a ``<steptml:parameter>`` for each argument, within special tokens or ``<steptml:toolcall>``."""

    name: Literal["step3"] = "step3"
    optional_closers = {
        "<｜tool_call_end｜>": CALLS_END,
        "<｜tool_calls_end｜>": CALLS_END,
        "</steptml:toolcall>": CALLS_END,
        "</function></tool_call>": CALLS_END,
    }
    source = (
        "Step3 as vLLM's and SGLang's parsers read it; Step-DeepResearch, vLLM's parser; Step-3.5-Flash and Step-3.7-Flash, "
        "chat templates"
    )
    rules = (
        (
            "All actions stand between <｜tool_calls_begin｜> and <｜tool_calls_end｜>: each in a "
            "<steptml:invoke>, with a <steptml:parameter> for each argument."
        ),
        "Texts are written as they are; numbers, lists and objects as JSON.",
    )
    example = (
        "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>"
        '<steptml:invoke name="get_weather"><steptml:parameter name="city">Paris</steptml:parameter>'
        "</steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>"
    )
    strings_only = True
    generations = (_InTokens(), _InTags(), Qwen3Coder())


_GAP = "(?:\\s++|Ġ)?+"
"""Text before an attribute: nothing if a tokenizer's mark for a blank is lost, or the mark itself."""

_FUNCTION = rf"""<function{_GAP}name=["'](?P<name>[^"'<>\n]*)["'][^<>\n]*+>"""
_MINICPM_PARAMETER = rf"""<param{_GAP}name=["'](?P<key>[^"'<>\n]*)["']\s*+>"""


class _InFence(Dialect):
    """Calls in a Python fence between ``<|tool_call_start|>`` and ``<|tool_call_end|>``: MiniCPM3.

    What stands between ``<|thought_start|>`` and ``<|thought_end|>`` is the model's thoughts.
    """

    name: Literal["minicpm"] = "minicpm"
    thoughts: ClassVar[tuple[str, str]] = ("<|thought_start|>", "<|thought_end|>")

    @property
    def literals(self) -> frozenset[str]:
        """The opening tokens of calls and of thoughts."""
        return frozenset({"<|tool_call_start|>", self.thoughts[0]})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the calls, or skip the thoughts, that begin here; see ``Dialect.read``."""
        text = source.text
        if opening.label == self.thoughts[0]:
            return thoughts_behind(source, opening, self.thoughts[1], end)
        start = behind_blanks(text, opening.end, end)
        marker = Marker(source, opening, "<|tool_call_end|>", end, options)
        if text.startswith("```", start, end) or call_name(text, start, end):
            return self.unless_quoted(program_behind(marker, start), text)
        return None

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write all calls in one fence; see ``Dialect.write``."""
        program = fenced("python", "\n".join(map(python_call, calls)))
        return f"<|tool_call_start|>\n{program}\n<|tool_call_end|>"


class _InXml(ParameterTags):
    """``<function name="NAME">`` with a ``<param name="KEY">`` for each argument: MiniCPM4 and MiniCPM5."""

    name: Literal["minicpm"] = "minicpm"
    mark = "<function name="
    opening_form = mark
    grammar = TagGrammar(
        call=_FUNCTION,
        stem="<param",
        parameter=_MINICPM_PARAMETER,
        parameter_closes="</param>",
        call_closes="</function>",
        line_breaks=True,
        is_xml=True,
    )

    @property
    def literals(self) -> frozenset[str]:
        """The tag that opens a call: with its blank, without it and with a tokenizer's mark for it."""
        return frozenset({self.mark, "<functionname=", "<functionĠname="})


class _InXmlOfBefore(_InXml):
    """The same with the parameters in an ``<arguments>`` tag."""

    grammar = TagGrammar(
        call=rf"{_FUNCTION}\s*+<arguments>",
        stem="<param",
        parameter=_MINICPM_PARAMETER,
        parameter_closes="</param>",
        call_closes="</arguments>",
        tail="</function>",
        line_breaks=True,
        is_xml=True,
    )


class MiniCpm(Generations):
    """Calls in a Python fence between ``<|tool_call_start|>`` and ``<|tool_call_end|>``, or each in a ``<function name="NAME">``."""

    name: Literal["minicpm"] = "minicpm"
    optional_closers = {"<|tool_call_end|>": VALUE_ENDS}
    source = "MiniCPM3, chat template; MiniCPM4 and MiniCPM5 (XML) as SGLang's and vLLM's parsers read them"
    rules = (
        (
            "Actions are Python calls in a python fence between <|tool_call_start|> and "
            "<|tool_call_end|>, one a line: with arguments by name, and literals as values."
        ),
    )
    example = '<|tool_call_start|>\n```python\nget_weather(city="Paris")\n```\n<|tool_call_end|>'
    generations = (_InFence(), _InXmlOfBefore(), _InXml())
