"""How actions are written in text: one file a family of formats, each dialect a small frozen model.

``DIALECTS`` is the one list that everything else takes them from, and its order is the order in which dialects that want
the same opening are asked: those with the narrower format first.
"""

from typing import TypeAlias, get_args

from actionledger.core.errors import called
from actionledger.reading.dialects.apertus import Apertus
from actionledger.reading.dialects.apply_patch import ApplyPatch
from actionledger.reading.dialects.bare_json import Json
from actionledger.reading.dialects.base import Dialect, Found
from actionledger.reading.dialects.bash_fences import BashFence
from actionledger.reading.dialects.beam import Beam
from actionledger.reading.dialects.cohere import Cohere
from actionledger.reading.dialects.command_tags import CommandTags
from actionledger.reading.dialects.deepseek import DeepSeekV3, DeepSeekV31
from actionledger.reading.dialects.deepseek_dsml import DeepseekDsml
from actionledger.reading.dialects.dots import Dots
from actionledger.reading.dialects.families import FAMILIES
from actionledger.reading.dialects.functionary import Functionary
from actionledger.reading.dialects.gemma import Gemma
from actionledger.reading.dialects.gigachat import GigaChat3, GigaChat35
from actionledger.reading.dialects.harmony import Harmony
from actionledger.reading.dialects.hunyuan import Hunyuan
from actionledger.reading.dialects.inkling import Inkling
from actionledger.reading.dialects.internlm import InternLm
from actionledger.reading.dialects.iquest import IQuestCoder, IQuestQ1
from actionledger.reading.dialects.json_fences import Actions, Iteration, JsonAction, Plan
from actionledger.reading.dialects.json_tags import Granite, Hermes, Phi4
from actionledger.reading.dialects.k2_horizon import K2Horizon
from actionledger.reading.dialects.kimi import KimiK2
from actionledger.reading.dialects.kimi_k3 import KimiK3
from actionledger.reading.dialects.llama import Llama3Json
from actionledger.reading.dialects.longcat import LongCat
from actionledger.reading.dialects.minicpm import MiniCpm
from actionledger.reading.dialects.minimax import Minimax
from actionledger.reading.dialects.mint import Mint
from actionledger.reading.dialects.mistral import Mistral
from actionledger.reading.dialects.muse import MuseGlimmer
from actionledger.reading.dialects.nemotron import Nemotron
from actionledger.reading.dialects.parameter_tags import Glm, Qwen3Coder
from actionledger.reading.dialects.plamo import Plamo
from actionledger.reading.dialects.python_calls import Lfm2, Llama4Pythonic, Pythonic
from actionledger.reading.dialects.python_fences import PythonFence
from actionledger.reading.dialects.react import React
from actionledger.reading.dialects.search_replace import SearchReplace
from actionledger.reading.dialects.seed_oss import SeedOss
from actionledger.reading.dialects.solar import SolarOpen, SolarOpen2
from actionledger.reading.dialects.step3 import Step3
from actionledger.reading.dialects.step_audio import StepAudio
from actionledger.reading.dialects.xml_tags import XmlTags

AnyDialect: TypeAlias = (
    Actions
    | Iteration
    | JsonAction
    | Plan
    | XmlTags
    | Mint
    | Beam
    | Harmony
    | Qwen3Coder
    | Glm
    | StepAudio
    | Hermes
    | Granite
    | Hunyuan
    | Phi4
    | Nemotron
    | Cohere
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
    | Functionary
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
"""The dialects as a type: what a parser's configuration may hold."""

DIALECTS: tuple[Dialect, ...] = tuple(kind() for kind in get_args(AnyDialect))
"""Every dialect in its default form."""


def dialects_named(name: str) -> tuple[AnyDialect, ...]:
    """Return the dialect of that name, or those that the family of that name writes, in their default form.

    Raises:
        UnknownNameError: nothing goes by that name.
    """
    known: dict[str, AnyDialect] = {
        dialect.name: dialect for dialect in DIALECTS if isinstance(dialect, AnyDialect)
    }
    written = {each: (each,) for each in known} | {each: family.dialects for each, family in FAMILIES.items()}
    return tuple(known[each] for each in called(name, "dialect", written))


def dialect_named(name: str) -> AnyDialect:
    """Return the dialect of that name, or the first one that the family of that name writes, in its default form.

    Raises:
        UnknownNameError: nothing goes by that name.
    """
    return dialects_named(name)[0]


__all__ = ["DIALECTS", "FAMILIES", "AnyDialect", "Dialect", "Found", "dialect_named", "dialects_named"]
