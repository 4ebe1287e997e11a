"""DeepSeek's DSML: an invoke tag for each call, with a tag for each parameter that says whether it is a text, or an object.

Version 3.2 puts all calls into ``function_calls``, version 4 into ``tool_calls``; version 4.1 has a blank in the name of each tag.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from actionledger.reading.dialects.base import Dialect, Found
from actionledger.reading.dialects.parameter_tags import ParameterTags
from actionledger.reading.dialects.parts.call_tags import TagGrammar
from actionledger.reading.dialects.parts.generations import Generations
from actionledger.reading.dialects.parts.optional_closers import CALLS_END
from actionledger.reading.dialects.parts.tagged_calls import TaggedCall
from actionledger.reading.dialects.parts.writing_tags import TagForms
from actionledger.reading.scan.openings import Opening
from actionledger.reading.tolerant_json.options import DecodeOptions

_MARK = "｜DSML｜"
_KIND = r'(?:\s++string="(?P<string>true|false)"|\s++type="[^"<>\n]*")*+'
"""What a parameter says of its value; where nothing says whether it is a text, it is one that the tool's schema types."""


def _grammar(prefix: str, groups: Sequence[str], *, spellings: bool = True) -> TagGrammar:
    """Return the grammar of tags whose names begin so."""
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
    strings_only: ClassVar[bool] = False

    def block(
        self, text: str, opening: Opening, calls: list[TaggedCall], end: int, options: DecodeOptions
    ) -> Found:
        """Return the calls as a block; a text among their values may be what the tool's schema calls otherwise."""
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
    optional_closers: ClassVar[Mapping[str, str]] = {
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
    generations: ClassVar[tuple[Dialect, ...]] = (_Version3(), _Version41(), _WithoutToken())
