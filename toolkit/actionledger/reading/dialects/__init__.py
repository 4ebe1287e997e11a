"""Formats in which text states actions: one file per family of formats, each dialect a small frozen model.

``DIALECTS`` is the only list of them. Dialects that want the same opening are asked in its order: narrower formats first.
"""

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias, get_args

from actionledger.core.errors import called
from actionledger.reading.dialects.apply_patch import ApplyPatch
from actionledger.reading.dialects.argument_tokens import KimiK3, SolarOpen, SolarOpen2
from actionledger.reading.dialects.bare_json import Json, Llama3Json
from actionledger.reading.dialects.base import Dialect, Found
from actionledger.reading.dialects.call_sections import DeepSeekV3, DeepSeekV31, KimiK2, Plamo
from actionledger.reading.dialects.cohere_xml import CohereXml
from actionledger.reading.dialects.commands import BashFence, CommandTags, Mint
from actionledger.reading.dialects.gemma import Gemma
from actionledger.reading.dialects.harmony import Beam, Harmony, MuseGlimmer
from actionledger.reading.dialects.invoke_tags import (
    DeepseekDsml,
    Dots,
    GigaChat3,
    GigaChat35,
    MiniCpm,
    Step3,
)
from actionledger.reading.dialects.json_fences import Actions, Iteration, JsonAction, Plan
from actionledger.reading.dialects.json_tags import (
    Apertus,
    Granite,
    Hermes,
    InternLm,
    Mistral,
    Nemotron,
    Phi4,
)
from actionledger.reading.dialects.key_value_tags import Hunyuan, IQuestCoder, IQuestQ1, K2Horizon, LongCat
from actionledger.reading.dialects.minimax import Minimax
from actionledger.reading.dialects.named_calls import Cohere, Functionary, Inkling, StepAudio
from actionledger.reading.dialects.parameter_tags import Glm, Qwen3Coder, SeedOss
from actionledger.reading.dialects.python_calls import Lfm2, Llama4Pythonic, PythonFence, Pythonic
from actionledger.reading.dialects.react import React
from actionledger.reading.dialects.search_replace import SearchReplace
from actionledger.reading.dialects.xml_tags import XmlTags

__all__ = ["DIALECTS", "FAMILIES", "AnyDialect", "Dialect", "Found", "dialect_named", "dialects_named"]


class Family(NamedTuple):
    """A family of models without a format of its own."""

    dialects: tuple[str, ...]  # the names of the dialects that it writes, that of its later models first
    source: str  # where that is defined


FAMILIES: Mapping[str, Family] = {
    "apriel": Family(("hunyuan",), "ServiceNow Apriel 1.5, chat template"),
    "berrylm": Family(("qwen3_coder",), "Wildberries BerryLM, tool calls as SGLang's parser reads them"),
    "ernie": Family(("hermes",), "ERNIE 4.5 and X1, tool calls as vLLM's and FastDeploy's parsers read them"),
    "exaone": Family(("hermes",), "LG EXAONE 4, chat template"),
    "falcon": Family(("hermes",), "Falcon-H1, chat template"),
    "hyperclova": Family(
        ("glm",), "NAVER HyperCLOVA X SEED Think, tool calls as a parser for vLLM reads them"
    ),
    "iquest": Family(
        ("iquest_q1", "iquest_coder", "qwen3_coder"),
        "IQuest Q1, tool calls as SGLang's parser reads them; IQuest Coder 2 and 1, as parsers for vLLM do",
    ),
    "jamba": Family(("hunyuan",), "AI21 Jamba 1.5 and later, tool calls as vLLM's parser reads them"),
    "kolibri": Family(("hermes",), "Kolibri 1, tool calls as Ollama's parser reads them, which is Qwen3's"),
    "ling": Family(("glm",), "Ling 3, tool calls as SGLang's and llama.cpp's parsers read them"),
    "mimo": Family(
        ("qwen3_coder", "hermes"),
        "Xiaomi MiMo, tool calls as SGLang's and vLLM's parsers read them, and llama.cpp's (JSON)",
    ),
    "nanbeige": Family(
        ("qwen3_coder", "hermes"), "Nanbeige, tool calls as SGLang's parser reads them; 4.1, chat template"
    ),
    "olmo": Family(("pythonic",), "Olmo 3, tool calls as vLLM's parser reads them"),
    "pangu": Family(
        ("lfm2",), "Huawei openPangu, tool calls as JSON between tokens, as a parser for vLLM reads them"
    ),
    "poolside": Family(("glm",), "Poolside Laguna, tool calls as SGLang's and vLLM's parsers read them"),
    "rwkv": Family(
        ("json", "hermes"), "RWKV, tool calls as a parser for vLLM reads them: an object in a fence"
    ),
    "sarashina": Family(
        ("granite", "json"),
        "SoftBank Sarashina, tool calls as smg's parser reads them: a list behind a token that servers take away",
    ),
    "smollm3": Family(("hermes",), "SmolLM3, chat template (xml_tools); programs in <code> are no calls"),
    "spark": Family(
        ("glm",), "iFlytek Spark 2.5 and 3, tool calls as SGLang's parser and one for vLLM read them"
    ),
    "step5": Family(
        ("qwen3_coder",), "StepFun Step 3.5 and 5, tool calls as vLLM's and SGLang's parsers read them"
    ),
    "trinity": Family(("hermes",), "Arcee Trinity, tool calls as SGLang's parser reads them"),
    "xlam": Family(
        ("json", "hermes", "mistral"),
        "Salesforce xLAM 1 and 2, format instructions and chat templates; vLLM's parser (the markers)",
    ),
}
"""Each family's name with the dialects that it writes, in alphabetical order."""


AnyDialect: TypeAlias = (
    Actions
    | Iteration
    | JsonAction
    | Plan
    | XmlTags
    | Mint
    | Beam
    | Harmony
    | Functionary
    | Qwen3Coder
    | Glm
    | StepAudio
    | Hermes
    | Granite
    | Hunyuan
    | Phi4
    | Nemotron
    | Cohere
    | CohereXml
    | Minimax
    | Mistral
    | DeepSeekV3
    | DeepSeekV31
    | DeepseekDsml
    | KimiK2
    | Step3
    | Lfm2
    | MiniCpm
    | Gemma
    | Apertus
    | Dots
    | GigaChat3
    | GigaChat35
    | Inkling
    | IQuestCoder
    | IQuestQ1
    | InternLm
    | K2Horizon
    | KimiK3
    | LongCat
    | MuseGlimmer
    | SeedOss
    | Plamo
    | SolarOpen
    | SolarOpen2
    | PythonFence
    | SearchReplace
    | ApplyPatch
    | BashFence
    | CommandTags
    | React
    | Pythonic
    | Llama4Pythonic
    | Llama3Json
    | Json
)
"""The dialects as a type, for a parser's configuration."""

DIALECTS: tuple[Dialect, ...] = tuple(kind() for kind in get_args(AnyDialect))
"""Every dialect in its default form."""


def dialects_named(name: str) -> tuple[AnyDialect, ...]:
    """Return the named dialect, or those of the named family, in their default form.

    Raises:
        UnknownNameError: no dialect or family has that name.
    """
    known: dict[str, AnyDialect] = {
        dialect.name: dialect for dialect in DIALECTS if isinstance(dialect, AnyDialect)
    }
    written = {each: (each,) for each in known} | {each: family.dialects for each, family in FAMILIES.items()}
    return tuple(known[each] for each in called(name, "dialect", written))


def dialect_named(name: str) -> AnyDialect:
    """Return the named dialect, or the first one of the named family, in its default form.

    Raises:
        UnknownNameError: no dialect or family has that name.
    """
    return dialects_named(name)[0]
