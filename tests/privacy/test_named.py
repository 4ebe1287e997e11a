"""Secrets that are known by their names: each name is tried, and each name is needed."""

import json

import pytest

from actionledger import privacy
from actionledger.privacy import mask_text
from actionledger.privacy.named import NAMED, Named

WORD = "correct-horse-7"
RANDOM = "q7Zr2Kx9Lm4Tn8Vb6Wp3"

BY_NAME = {
    "password": WORD,
    "passwort": WORD,
    "passwd": WORD,
    "passphrase": WORD,
    "ssh_key_passphrase": WORD,
    "pwd": WORD,
    "smtp_pass": WORD,
    "secret": WORD,
    "client_secret": WORD,
    "secret_key": WORD,
    "secret-access-token": WORD,
    "api_key": WORD,
    "api-secret": WORD,
    "apitoken": WORD,
    "access_token": WORD,
    "auth-token": WORD,
    "refresh_token": WORD,
    "bearertoken": WORD,
    "private_key": WORD,
    "token": RANDOM,
    "session_token": RANDOM,
    "credential": RANDOM,
    "credentials": RANDOM,
    "access_key": RANDOM,
    "account-key": RANDOM,
    "signing_key": RANDOM,
    "encryption_key": RANDOM,
    "master_key": RANDOM,
    "subscription-key": RANDOM,
}
"""Names that secrets go by, and what stands under them: a word with a sign, or what looks drawn at random where only that is taken."""

WAYS = (
    '{{"{name}": "{value}"}}',
    '{name} = "{value}"\n',
    "{name}: '{value}'\n",
    "{name}={value}\n",
    "--{name} {value}",
    '[{{"name": "{name}", "value": "{value}"}}]',
    "<{name}>{value}</{name}>",
)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("name", "value"), BY_NAME.items())
def test_what_goes_by_a_secrets_name_is_hidden(name: str, value: str, way: str) -> None:
    """In each way that name and value are written, in small letters and in capitals, and within JSON."""
    for written in (name, name.upper()):
        text = way.format(name=written, value=value)
        assert mask_text(text) == text.replace(value, "*" * len(value))
        nested = json.dumps({"arguments": text})
        assert value not in mask_text(nested)


@pytest.mark.parametrize("without", NAMED, ids=lambda named: named.name)
def test_each_name_is_needed(without: Named, monkeypatch: pytest.MonkeyPatch) -> None:
    """If it weren't looked for, something above would be recorded: a name that is added has to be tried there."""
    left = [named for named in NAMED if named is not without]
    monkeypatch.setattr(privacy, "_ASKED", privacy._Asked((), (*left, *privacy.HEADERS)))
    texts = [way.format(name=name, value=value) for name, value in BY_NAME.items() for way in WAYS]
    assert any(mask_text(text) == text for text in texts)
