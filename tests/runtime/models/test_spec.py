"""Models by a short text."""

import subprocess
import sys

import pytest

from actionledger import Runtime, open_ledger
from actionledger.core.errors import UsageError
from actionledger.runtime.models import RecordedModel, ScriptedModel, model_from
from actionledger.runtime.models.openai import OpenAICompatible


@pytest.mark.parametrize(
    ("spec", "name", "url"),
    [
        ("openai:gpt@https://api.example.org/v1", "gpt", "https://api.example.org/v1/chat/completions"),
        ("openai:org/m:8b@20@http://h:1/v1/", "org/m:8b@20", "http://h:1/v1/chat/completions"),
        ("ollama:qwen3:8b", "qwen3:8b", "http://127.0.0.1:11434/v1/chat/completions"),
    ],
)
def test_live_models(spec, name, url):
    """Names may hold colons and at signs."""
    model = model_from(spec)
    assert isinstance(model, OpenAICompatible)
    assert model.name == name
    assert repr(model) == f"OpenAICompatible({url!r}, {name!r})"


def test_the_key_comes_from_the_variable_that_is_named(server, monkeypatch, hello):
    """Another variable, or none, can be named; Ollama never gets a key."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-one")
    monkeypatch.setenv("OTHER", " sk-two\n")
    for variable in ("OPENAI_API_KEY", "OTHER", "UNSET", None):
        server.whole()
        model_from(f"openai:m@{server.url}", key_variable=variable).complete(hello)
    monkeypatch.setattr("actionledger.runtime.models.spec.OLLAMA", server.url)
    server.whole()
    model_from("ollama:m").complete(hello)
    sent = [seen.headers.get("Authorization") for seen in server.seen]
    assert sent == ["Bearer sk-one", "Bearer sk-two", None, None, None]


def test_recorded_and_scripted_models(tmp_path):
    """One needs a ledger, the other a file."""
    script = tmp_path / "s.jsonl"
    script.write_text('"a"\n')
    assert isinstance(model_from(f"scripted:{script}"), ScriptedModel)
    with open_ledger(tmp_path / "l.duckdb") as ledger:
        with Runtime("mint", ledger=ledger) as runtime:
            runtime.handle("Hm.")
        spec = f"recorded:{runtime.session_id}"
        assert isinstance(model_from(spec, ledger=ledger), RecordedModel)
    with pytest.raises(UsageError, match="say which one"):
        model_from(spec)


@pytest.mark.parametrize(
    "spec",
    ["", "gpt", "openai:", "openai:gpt", "openai:@http://h/v1", "openai:m@ftp://h", "ollama:", "recorded:", "scripted:", "Ollama:m"],
)  # fmt: skip
def test_anything_else_names_no_model(spec):
    """The operator sees every allowed form."""
    with pytest.raises(UsageError) as caught:
        model_from(spec)
    for form in ("openai:NAME@BASE_URL", "ollama:NAME", "recorded:SESSION", "scripted:FILE"):
        assert form in str(caught.value)


def test_a_password_in_the_text_is_not_shown():
    """Neither where it names no model, nor where its address is refused."""
    for spec in ("openai:m@htp://u:hunter2@h/v1", "openai:m@https://u:hunter2@h/v1"):
        with pytest.raises(UsageError) as caught:
            model_from(spec)
        assert "hunter2" not in str(caught.value)


def test_only_live_models_need_the_extra(tmp_path):
    """Without its packages the others work, and the live ones say what to install."""
    script = tmp_path / "s.jsonl"
    script.write_text('"a"\n')
    program = """
import sys
sys.modules["httpx"] = sys.modules["tenacity"] = None
from actionledger.runtime.models import Message, UsageError, model_from
print(model_from("scripted:" + sys.argv[1]).complete([]).text)
try:
    model_from("ollama:m")
except UsageError as error:
    print(error)
""".replace("Message, UsageError, model_from", "model_from\nfrom actionledger.core.errors import UsageError")
    done = subprocess.run(
        [sys.executable, "-c", program, str(script)], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        "a",
        "A live model needs httpx and tenacity, not installed here: pip install 'actionledger[live]'.",
    ]
