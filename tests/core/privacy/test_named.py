"""Secrets that are known by their names: each name is tried, and each name is needed."""

import json
import random
import re
import string

import pytest

from actionledger.core import privacy
from actionledger.core.privacy import mask, mask_text
from actionledger.core.privacy.named import NAMED, Named

WORD = "correct-horse-7"
RANDOM = "q7Zr2Kx9Lm4Tn8Vb6Wp3"

HASH = "0123456789abcdef7e3c91ab"

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
    "secret_key_base": WORD,
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
    "access_key": HASH,
    "account-key": HASH,
    "x-auth-key": HASH,
    "signing_key": HASH,
    "encryption_key": HASH,
    "master_key": HASH,
    "subscription-key": HASH,
    "stripe_key": RANDOM,
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
    monkeypatch.setattr(privacy, "_PREFILTER", privacy._Prefilter((), (*left, *privacy.HEADERS)))
    texts = [way.format(name=name, value=value) for name, value in BY_NAME.items() for way in WAYS]
    assert any(mask_text(text) == text for text in texts)


def drawn(template: str) -> str:
    """Return a made-up key after a template of ``tokens``."""
    alphabets = {"w": string.ascii_letters + string.digits, "x": "0123456789abcdef"}
    characters = random.Random(template)
    return re.sub(
        r"\{(\d+)([wx])\}",
        lambda found: "4" + "".join(characters.choices(alphabets[found[2]], k=int(found[1]) - 1)),
        template,
    )


DOTTED = (
    ("GEMINI_API_KEY: {}", "AQ.Ab8{47w}"),
    ("x-api-key: {}", "AQ.Ab8{47w}"),
    ("--api-key {}", "AQ.Ab8{47w}"),
    ("password: {}", "hunter2.Moon9"),
    ("password = {}", "hunter2.Moon9"),
    ("password={}", "hunter2.Moon9"),
    ("--password {}", "hunter2.Moon9"),
    ("The password is {}, as ever.", "hunter2.Moon9"),
    ("db_password: {}", "correct.horse.battery"),
    ("passphrase: {}", "Moon.River7.Sky"),
    ("DB_PASSWORD: {}", "b.C9xQ2.zz"),
    ("secret: {}", "a1.b2.c3"),
    ("client_secret: {}", "{20w}.{20w}"),
    ("auth_token={}", "{12w}.{12w}"),
    ("token: {}", "{24w}.{20w}"),
)
"""Where a secret with a dot in it stands, and what it is like."""

GIVEN = (
    ("https://maps.example/api?key={}&page=2", "{39w}"),
    ("https://host.example/?a=1&key={}", "{32x}"),
    ("https://host.example/v1?token={}", "{32w}"),
    ("SEARCH_KEY={}", "{40x}"),
    ("export MY_APP_KEY={}", "{32x}"),
    ("SPEECH_KEY={}", "{8x}-{4x}-{4x}-{4x}-{12x}"),
    ("OTHER_KEY={}", "QwErTyUiOpAsDfGhJkLz"),
    ('{{"key": "{}"}}', "{40w}"),
    ("'license_key': '{}'", "{40w}"),
    ('azure_key = "{}"', "{32w}"),
)
"""Where only how it is drawn tells a key from other things that go by that name."""


@pytest.mark.parametrize("around", ["{}", "see\n{}\nbye", "HOST=db\n{}"])
@pytest.mark.parametrize(("way", "template"), DOTTED + GIVEN)
def test_a_key_is_hidden_though_it_looks_like_a_name(way: str, template: str, around: str) -> None:
    """A dot makes no name of source code of it, and ``key`` hides what programs are given."""
    value = drawn(template)
    text = around.format(way.format(value))
    assert mask_text(text) == text.replace(value, "*" * len(value))
    assert value not in mask_text(json.dumps({"arguments": text}))


HIDES_NOTHING = (
    '{"secret": "value"}',
    'client = Client(api_key="api_key")',
    'KEYRING_PASSWORD="[REMOVED]" run',
    "https://user:REDACTED@host.example/x",
    "api_key: <your key>",
    "API_KEY=${KEY:-none}",
    "secret: ${{ secrets.DEPLOY_KEY }}",
    "password: xxx",
    'password = "xxxxxx"',
    "API_KEY=sk-xxxxxxxx",
    'api_key: "sk-..."',
    'api_key=os.environ["KEY"]',
    """{"api_key": "os.environ['KEY']"}""",
    'os.getenv("GROQ_API_KEY")',
    "password: process.env.DB_PASSWORD",
    "password: config.db.password",
    "password=self.settings.db2_password",
    "password: z.string",
    "private_key: ed25519.Ed25519PrivateKey",
    "const apiKey = settings.providers.key;",
    "secret: op://vault/item/field",
    '{"password": "<redacted>"}',
    "password: {{ vault_password }}",
    'api_key="your-api-key-here"',
    '{"cache_key": "9f86d081884c7d659a2feaa0c55ad0159f86d081"}',
    '{"key": "6f1d5a0e-6a43-5f0e-9c38-0d5a3b0a7c11"}',
    "key: HomeScreen_Welcome_Title_22",
    '{"Key": "Documents/Reports/2024/Q1-Summary.pdf"}',
    "PUBLIC_KEY=ABCDEF0123456789ABCDEF",
    "primary key: customer_identifier_1234567",
    '<Row key="list-item-1234567890-abc" />',
    "for key, value in items: press the key: enter, and the key is found",
    "Details of the peering authorization, including expiration; JWT-based authorization, specifying how.",
    'headers = ["Cookie", "Authorization", "Proxy-Authorization"]; request(authorization=authorization)',
    "wget has --user and --password switches, --ask-password option, --proxy-password options and --http-password command line",
    "document.cookie,r=encodeURIComponent(f),i=n.indexOf(r)",
    "cookies=`a`;typeof window!==`undefined`&&f&&(e.contentDocument??e.body)",
    "{keywords:[`cookie`,`cake`],char:`x`},ce={keywords:[`face`,`concern`]}",
    """{PWD:"/",HOME:"/home/web"} PWD: '/Users/ann', OLDPWD="/srv" """,
    "scrypt('password', 'salt', 64); names = ['grp', 'pwd', 'symlink_exception', 'kid_private_key', 'kid_public_key']",
    "Credential: _win32typing.PyCredHandle, token = windll.advapi32.OpenThreadToken",
    "AUTH_TOKEN = 'AWS_CONTAINER_AUTHORIZATION_TOKEN'; load(password=KEY_PASSWORD)",
    """getpass("%s's password: " % (server))""",
    'x = "password: "\ny = "some words"; echo "Password:"\nread it; echo "some words"',
    'ask("password: ");run("words"); prompt = "token: "; run("words"); text = "password: ".format(a, "words")',
    """getpass("%s's password: "%(user, server)) or ask('%s password: '%(user, 'server'))""",
    """"password: "+name+"words", 'password: '+name()+'words', "password: "||name||"words" """,
    """ask('password: ');run('words'); ask('password: '.format('words')); ['password: ', 'name: ']""",
    """'password: ' + name + 'words'; 'password:' if name else 'words'; ask('password='); run('words')""",
    '{"adminPassword": "[parameters(\'publicKey\')]"}',
    "re_compile_everything_in_the_module as-is-in-2024 pa-system fc-barcelona key_value_store_of_all_things_2",
)


@pytest.mark.parametrize("text", HIDES_NOTHING)
def test_what_stands_in_the_place_of_a_secret_stays(text: str) -> None:
    """Placeholders, variables, names of source code, identifiers and hashes stay as they are, in the very same bytes."""
    for line in (json.dumps({"text": text}), json.dumps({"text": json.dumps({"text": text})})):
        assert mask(line.encode()) == line.encode()


@pytest.mark.parametrize("value", [";ab7", "+ab7/cd=", ".ab7;c", "%ab7cd", "]ab7", "||ab7"])
def test_a_value_that_begins_with_a_sign_is_hidden(value: str) -> None:
    """A sign ends a string that contains a name only if source code follows it."""
    assert "ab7" not in mask_text(f"password = '{value}'\nnext = 1")
    if not value.startswith("]"):  # within double quotes, it closes a list
        assert "ab7" not in mask_text(f'password = "{value}"\nnext = 1')


def test_a_value_that_begins_with_an_escape_is_hidden() -> None:
    """A line break of the text ends a string that contains a name; an escape in source code is part of the value."""
    assert "ab7" not in mask_text('password = "\\nab7cd"\nnext = 1')
