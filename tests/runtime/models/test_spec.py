"""Models by a short text: addresses, keys and errors."""

import inspect
import subprocess
import sys

import pytest

from actionledger import Runtime, open_ledger
from actionledger.core.errors import ActionLedgerError, UsageError
from actionledger.runtime.models import (
    ModelStatusError,
    RecordedModel,
    ScriptedModel,
    Timeouts,
    errors,
    model_from,
)
from actionledger.runtime.models.access import endpoint, key_to_send
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


@pytest.mark.parametrize(
    ("base_url", "url", "is_local"),
    [
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1/chat/completions", True),
        (" http://localhost:8080/ ", "http://localhost:8080/chat/completions", True),
        ("http://[::1]/v1", "http://[::1]/v1/chat/completions", True),
        ("https://h.example/v1/chat/completions/", "https://h.example/v1/chat/completions", False),
        ("HTTPS://h.example", "https://h.example/chat/completions", False),
    ],
)
def test_an_address_leads_to_the_chat_interface(base_url, url, is_local):
    """With or without a slash or the interface's own path at its end."""
    found = endpoint(base_url)
    assert (found.url, found.shown, found.is_local) == (url, url, is_local)


def test_a_query_is_sent_and_not_shown():
    """Some hosts want the interface's version there."""
    found = endpoint("https://h.example/openai?api-version=2025-01-01")
    assert found.url == "https://h.example/openai/chat/completions?api-version=2025-01-01"
    assert found.shown == "https://h.example/openai/chat/completions"


@pytest.mark.parametrize(
    "base_url",
    ["", "localhost:8000/v1", "ftp://h/v1", "http:///v1", "http://h:99999", "http://[::1", "http://h/#x", "http://h/\x00", f"http://{'a' * 70}/v1"],
)  # fmt: skip
def test_what_is_no_address_is_shown_with_one(base_url):
    """The operator sees what was given and how to write it."""
    with pytest.raises(UsageError) as caught:
        endpoint(base_url)
    assert repr(base_url) in str(caught.value)
    assert "http://HOST:PORT/v1" in str(caught.value)


@pytest.mark.parametrize(
    "base_url",
    [
        "https://user:hunter2@h/v1",
        "https://hunter2@h/v1",
        "https://h/v1?api_key=hunter2",
        "https://h/v1?Token=hunter2",
        "https://user:hunter2@h:99999/v1",
        "ftp://h/v1?key=hunter2",
    ],
)
def test_an_address_with_a_secret_is_refused_without_showing_it(base_url):
    """Addresses are logged; keys belong into the environment."""
    with pytest.raises(UsageError) as caught:
        endpoint(base_url)
    assert "hunter2" not in str(caught.value)


def test_a_key_given_wins_over_the_environment(monkeypatch):
    """Line breaks around it, which files leave, are cut off; an empty one is none."""
    monkeypatch.setenv("SOME_KEY", "sk-env\n")
    assert key_to_send("sk-given", "SOME_KEY").get_secret_value() == "sk-given"
    assert key_to_send(None, "SOME_KEY").get_secret_value() == "sk-env"
    assert key_to_send("", "SOME_KEY") is key_to_send(None, None) is key_to_send(None, "NOT_SET_KEY") is None


@pytest.mark.parametrize("key", ["sk-hun ter2", "sk-hun\nter2", "sk-hunter2…", "sk-hunter2\x00"])
def test_what_cannot_be_a_key_is_refused_without_showing_it(monkeypatch, key):
    """Such a key would break the header that it is sent in, and errors there show it."""
    monkeypatch.setenv("SOME_KEY", key.replace("\x00", "\x01"))
    for given in (key, None):
        with pytest.raises(UsageError, match="copy it again") as caught:
            key_to_send(given, "SOME_KEY")
        assert "hun" not in str(caught.value)
    assert "SOME_KEY" in str(caught.value)


ERRORS = [cls for _, cls in inspect.getmembers(errors, inspect.isclass) if issubclass(cls, errors.ModelError)]


@pytest.mark.parametrize("cls", ERRORS, ids=lambda cls: cls.__name__)
def test_the_tree_in_the_docstring_is_the_tree(cls):
    """The drawing names each class, deeper than its parent, and one ``except`` catches them all."""
    lines = {line.strip(" │├└─").split("  ")[0]: line for line in errors.__doc__.splitlines()}
    line, parent = lines[cls.__name__], cls.__bases__[0]
    assert issubclass(cls, ActionLedgerError)
    if cls is not errors.ModelError:
        assert line.index(cls.__name__) == lines[parent.__name__].index(parent.__name__) + 4


def test_a_status_error_carries_what_a_caller_decides_by():
    """The status, and how long to wait."""
    error = ModelStatusError("busy", status=429, retry_after=2.0)
    assert (str(error), error.status, error.retry_after, error.partial) == ("busy", 429, 2.0, None)


@pytest.mark.parametrize("given", [{"connect": 0}, {"read": -1}, {"total": float("nan")}])
def test_time_outs_are_above_zero(given):
    """A time-out that nothing can meet is the developer's mistake."""
    with pytest.raises(UsageError, match="seconds above 0"):
        Timeouts(**given)
