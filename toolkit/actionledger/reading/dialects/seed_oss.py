"""ByteDance's Seed-OSS: Qwen3-Coder's tags for the name and the parameters, in tags of its own."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from actionledger.reading.dialects.parameter_tags import ParameterTags
from actionledger.reading.dialects.parts.call_tags import TagGrammar
from actionledger.reading.dialects.parts.optional_closers import CALLS_END
from actionledger.reading.dialects.parts.writing_tags import TagForms


class SeedOss(ParameterTags):
    """``<seed:tool_call>`` with ``<function=NAME>`` in it and a ``<parameter=KEY>`` for each argument.

    What stands between ``<seed:think>`` and ``</seed:think>`` is the model's thoughts.
    """

    name: Literal["seed_oss"] = "seed_oss"
    optional_closers: ClassVar[Mapping[str, str]] = {
        "</seed:tool_call>": CALLS_END,
    }
    source = "ByteDance Seed-OSS, chat template"
    rules = (
        (
            "An action stands between <seed:tool_call> and </seed:tool_call>: its name in <function=NAME>, and a "
            "<parameter=FIELD> for each argument."
        ),
        (
            "Texts are written as they are; numbers, lists and objects as JSON. Several actions follow "
            "one another, each between tags of its own."
        ),
    )
    example = (
        "<seed:tool_call>\n<function=get_weather>\n<parameter=city>Paris</parameter>\n</function>\n"
        "</seed:tool_call>"
    )
    mark = "<seed:tool_call>"
    stands_alone: ClassVar[bool] = False
    opening_form = "<function="
    grammar = TagGrammar(
        call=r"<function=(?P<name>[^<>\n]*)>",
        stem="<parameter=",
        parameter=r"<parameter=(?P<key>[^<>\n]*)>",
        parameter_closes="</parameter>",
        call_closes="</function>",
        groups={"<seed:tool_call>": "</seed:tool_call>"},
        line_breaks=True,
    )
    forms = TagForms(
        parameter="<parameter={key}>{value}</parameter>\n",
        call="<seed:tool_call>\n<function={name}>\n{parameters}</function>\n</seed:tool_call>",
        wraps=True,
    )
    thought_markers: ClassVar[Mapping[str, str]] = {"<seed:think>": "</seed:think>"}
