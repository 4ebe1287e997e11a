"""Addresses and keys: what is taken, what is refused, and what is never shown."""

import pytest

from actionledger.core.errors import UsageError
from actionledger.runtime.models.access import endpoint, key_to_send


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
