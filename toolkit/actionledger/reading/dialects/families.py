"""Families of models that write another family's format: who asks for one by its name is given those dialects."""

from collections.abc import Mapping
from typing import NamedTuple


class Family(NamedTuple):
    """A family of models without a format of its own.

    Args:
        dialects: the names of the dialects that it writes, the one of its later models first.
        source: where that is defined.
    """

    dialects: tuple[str, ...]
    source: str


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
"""Each family's name with the dialects that it writes, in the order of the alphabet."""
