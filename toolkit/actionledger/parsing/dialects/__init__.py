"""How actions are written in text: one file a family of formats, each dialect a small frozen model.

``DIALECTS`` is the one list that everything else takes them from, and its order is the order in which dialects that want
the same opening are asked: those with the narrower format first.
"""

from typing import TypeAlias, get_args

from actionledger.errors import called
from actionledger.parsing.dialects.apertus import Apertus
from actionledger.parsing.dialects.apply_patch import ApplyPatch
from actionledger.parsing.dialects.bare_json import Json
from actionledger.parsing.dialects.base import Dialect, Found
from actionledger.parsing.dialects.bash_fences import BashFence
from actionledger.parsing.dialects.beam import Beam
from actionledger.parsing.dialects.cohere import Cohere
from actionledger.parsing.dialects.command_tags import CommandTags
from actionledger.parsing.dialects.deepseek import DeepSeekV3, DeepSeekV31
from actionledger.parsing.dialects.deepseek_dsml import DeepseekDsml
from actionledger.parsing.dialects.dots import Dots
from actionledger.parsing.dialects.families import FAMILIES
from actionledger.parsing.dialects.functionary import Functionary
from actionledger.parsing.dialects.gemma import Gemma
from actionledger.parsing.dialects.gigachat import GigaChat3, GigaChat35
from actionledger.parsing.dialects.harmony import Harmony
from actionledger.parsing.dialects.hunyuan import Hunyuan
from actionledger.parsing.dialects.inkling import Inkling
from actionledger.parsing.dialects.internlm import InternLm
from actionledger.parsing.dialects.iquest import IQuestCoder, IQuestQ1
from actionledger.parsing.dialects.json_fences import Actions, Iteration, JsonAction, Plan
from actionledger.parsing.dialects.json_tags import Granite, Hermes, Phi4
from actionledger.parsing.dialects.k2_horizon import K2Horizon
from actionledger.parsing.dialects.kimi import KimiK2
from actionledger.parsing.dialects.kimi_k3 import KimiK3
from actionledger.parsing.dialects.llama import Llama3Json
from actionledger.parsing.dialects.longcat import LongCat
from actionledger.parsing.dialects.minicpm import MiniCpm
from actionledger.parsing.dialects.minimax import Minimax
from actionledger.parsing.dialects.mint import Mint
from actionledger.parsing.dialects.mistral import Mistral
from actionledger.parsing.dialects.muse import MuseGlimmer
from actionledger.parsing.dialects.nemotron import Nemotron
from actionledger.parsing.dialects.parameter_tags import Glm, Qwen3Coder
from actionledger.parsing.dialects.plamo import Plamo
from actionledger.parsing.dialects.python_calls import Lfm2, Llama4Pythonic, Pythonic
from actionledger.parsing.dialects.python_fences import PythonFence
from actionledger.parsing.dialects.react import React
from actionledger.parsing.dialects.search_replace import SearchReplace
from actionledger.parsing.dialects.seed_oss import SeedOss
from actionledger.parsing.dialects.solar import SolarOpen, SolarOpen2
from actionledger.parsing.dialects.step3 import Step3
from actionledger.parsing.dialects.step_audio import StepAudio
from actionledger.parsing.dialects.xml_tags import XmlTags

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
