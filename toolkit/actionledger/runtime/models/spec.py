"""Make a model from a short text, as in a command line or a configuration."""

import re
from pathlib import Path

from actionledger.core.errors import UsageError, require_kind
from actionledger.core.patterns import regex
from actionledger.ledger.queries import Queryable
from actionledger.runtime.models.base import Model
from actionledger.runtime.models.scripted import RecordedModel, ScriptedModel

FORMS = ("openai:NAME@BASE_URL", "ollama:NAME", "recorded:SESSION", "scripted:FILE")
"""The forms of a model's text."""

OLLAMA = "http://127.0.0.1:11434/v1"
"""Ollama's default address."""

# A name and an address may hold colons and at signs: the first at sign before a scheme separates them.
_NAME_AT_URL = regex(r"(?P<name>.+?)@(?P<url>https?://.+)", re.IGNORECASE)


def model_from(
    spec: str, *, ledger: Queryable | None = None, key_variable: str | None = "OPENAI_API_KEY"
) -> Model:
    """Return the model that a text names.

    Args:
        spec: one of ``FORMS``.
        ledger: the ledger with the recorded sessions.
        key_variable: the environment variable with the key for ``openai:``; None to send none.

    Raises:
        UsageError: the text names no model, the extra ``live`` is missing, or the session is not in the ledger.
        SourceError: the script can't be read.

    Example:
        >>> from pathlib import Path
        >>> _ = Path("script.jsonl").write_text('"Hello."')
        >>> al.model_from("scripted:script.jsonl").complete([]).text
        'Hello.'
    """
    require_kind(spec, str, f"A model is named by a text, one of {', '.join(FORMS)}")
    kind, _, rest = spec.partition(":")
    match kind:
        case "openai" if found := _NAME_AT_URL.fullmatch(rest):
            return _live(found["url"], found["name"], key_variable)
        case "ollama" if rest:
            return _live(OLLAMA, rest, None)
        case "recorded" if rest and ledger is not None:
            return RecordedModel(ledger, rest)
        case "recorded" if rest:
            raise UsageError(f"The model {spec!r} is recorded in a ledger; say which one.")
        case "scripted" if rest:
            return ScriptedModel.from_file(Path(rest))
    shown = re.sub("@.*", "@…", spec, flags=re.DOTALL)  # an address may hold a password
    raise UsageError(f"{shown!r} names no model; write one of: {', '.join(FORMS)}.")


def _live(base_url: str, name: str, key_variable: str | None) -> Model:
    from actionledger.runtime.models.openai import OpenAICompatible  # noqa: PLC0415 - an optional dependency

    return OpenAICompatible(base_url, name, key_variable=key_variable)
