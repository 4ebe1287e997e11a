"""Secrets are hidden, nothing else is, and the line stays what it was."""

import json
import random
import re
import string
from pathlib import Path

import pytest
from effort import examples
from hypothesis import given, settings, strategies as st
from planted import Planted, planted

from actionledger.core import privacy
from actionledger.core.privacy import escapes, mask, mask_lines, mask_text
from actionledger.core.privacy.headers import HEADERS
from actionledger.core.privacy.issuers import ISSUERS
from actionledger.core.privacy.named import NAMED
from actionledger.core.privacy.tokens import TOKENS, Token

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"


def masked(text: str, *, depth: int = 1) -> str:
    """Mask a text as it stands in a line, ``depth`` levels of JSON deep."""
    line = text
    for _ in range(depth):
        line = json.dumps({"text": line}, ensure_ascii=False)
    value = mask(line.encode()).decode()
    for _ in range(depth):
        value = json.loads(value)["text"]
    return value


@pytest.mark.parametrize(
    "secret",
    [
        "sk-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL",
        "sk-proj-Ab1_" + "x" * 40,
        "sk-ant-api03-" + "Zz9-_" * 10,
        "sk-" + "a" * 40,
        "ghp_" + "a1B2" * 9,
        "gho_" + "a1B2" * 9,
        "github_pat_" + "A1_b" * 10,
        "AKIAIOSFODNN7EXAMPLE",
        "AIzaSyA" + "b1-_" * 8,
        "xoxb-123456789012-abcDEF",
        JWT,
    ],
)
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("around", ["{}", "key: {}.", "one\n{}\ttwo", "\x1b{}\x1b", '"{}"', "'{}', é {} 漢"])
def test_a_token_is_hidden_by_its_looks(secret: str, around: str, depth: int) -> None:
    """A token of a known shape becomes asterisks, one for one, wherever it stands."""
    text = around.format(secret, secret)
    assert masked(text, depth=depth) == text.replace(secret, "*" * len(secret))


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("Authorization: Bearer abc123DEF456", "abc123DEF456"),
        ("authorization: bearer " + "x" * 30, "x" * 30),
        ('{"password": "hunter2", "user": "ann"}', "hunter2"),
        ('{"user_password":"hunter2"}', "hunter2"),
        ('{"Passwd" : "hünter 漢"}', "hünter 漢"),
        ("{'api_key': 'abc', 'n': 1}", "abc"),
        ('client = Client(api_key="abc def")', "abc def"),
        ("Client(client_secret='abc')", "abc"),
        ('secret_access_key = "abc/def+x"', "abc/def+x"),
        ('private_key: "abc"', "abc"),
        ("export DB_PASSWORD=hunter2 && run", "hunter2"),
        ("https://host/?access_token=abc.def&page=2", "abc.def"),
        ("API-KEY=abc;", "abc"),
        ('auth_token := "abc"', "abc"),
        ('[{"name": "password", "value": "hunter2"}]', "hunter2"),
        ('{"password": "cut o', "cut o"),
        ("token PRIVATE-TOKEN: p4UxGE3UbKCC0zD3BEFZ", "p4UxGE3UbKCC0zD3BEFZ"),
    ],
)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_value_is_hidden_by_its_name(text: str, hidden: str, depth: int) -> None:
    """What stands under the name of a secret becomes asterisks, at any depth of quoting."""
    assert masked(text, depth=depth) == text.replace(hidden, "*" * len(hidden))


def test_a_value_of_the_line_itself_is_hidden() -> None:
    """A secret under a key of the line, not of a text in it, is hidden, too, and its own escapes stay."""
    line = json.dumps({"detail": {"password": 'a"b\nc', "n": 1}}).encode()
    assert json.loads(mask(line)) == {"detail": {"password": '*"*\n*', "n": 1}}


def test_a_refused_field_is_hidden() -> None:
    """What the field of a secret was given is hidden in the record of its error."""
    line = b'{"code":"bad_length","path":"login.password","value":"\\"hunter2\\"","expected":"8 characters"}'
    assert mask(line) == line.replace(b"hunter2", b"*******")


def test_a_private_key_is_hidden_between_its_marks() -> None:
    """The body of a private key is hidden, its line breaks and marks stay; one that is cut off is hidden, too."""
    begin, end = "-----BEGIN RSA PRIVATE KEY-----\n", "\n-----END RSA PRIVATE KEY-----"
    assert masked(f"{begin}MIIE+/ab\nAbc=={end} rest") == f"{begin}********\n*****{end} rest"
    assert masked(f"{begin}MIIE+/ab\nAbc") == f"{begin}********\n***"


@pytest.mark.parametrize(
    "text",
    [
        "My password is important, so I keep the secret well. The bearer of this letter has a private key.",
        "a task-management-with-words-and-numbers-2024 of risk-averse people, sk-learn-with-many-simple-words",
        "6f1d5a0e-6a43-5f0e-9c38-0d5a3b0a7c11",
        "sha256:" + "9f86d081884c7d659a2feaa0c55ad015" * 2,
        "login(password=password, api_key=os.environ['KEY'], secret=get_secret(), auth_token=None)",
        'if password == "x" or password==y: pass',
        '{"password": {"type": "string"}, "max_tokens": "12", "secretary": "Jane"}',
        "password: ********",
        '"password',
        '"password": "',
        'password="',
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    """Prose, identifiers, hashes and code that only names a secret stay as they are, in the very same bytes."""
    line = json.dumps({"text": text}).encode()
    assert mask(line) is line


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"password": "a\\\\", "b": "c"}', '{"password": "*\\\\", "b": "c"}'),
        ('{"password": "a\\"b", "b": "c"}', '{"password": "*\\"*", "b": "c"}'),
        ('{"password": "a\\\\\\"b", "b": "c"}', '{"password": "*\\\\\\"*", "b": "c"}'),
        ('{"password": "ab\\', '{"password": "**\\'),
    ],
)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_value_ends_where_its_string_ends(text: str, expected: str, depth: int) -> None:
    """Backslashes before a quote are counted as JSON counts them, at any depth."""
    assert masked(text, depth=depth) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        # the line's own escape is one character of its string, an escape in a text of it six
        (r'{"password":"a\u0062c"}', r'{"password":"***"}'),
        (r'{"password":"a\/\ud83d\ude00"}', r'{"password":"***"}'),
        (r'{"t":"{\"password\":\"a\\u0062\\u00e9\"}"}', r'{"t":"{\"password\":\"*************\"}"}'),
        (r'{"t":"{\"password\":\"a\\/b\"}"}', r'{"t":"{\"password\":\"****\"}"}'),
        (r'{"t":"{\"password\":\"a\\u000ab\"}"}', r'{"t":"{\"password\":\"*\\u000a*\"}"}'),
        (r'{"t":"\"\\u0070assword\":\"abc\""}', r'{"t":"\"\\u0070assword\":\"***\""}'),
    ],
)
def test_a_letter_that_is_escaped_is_hidden_as_well(line: str, expected: str) -> None:
    """However a character is spelled, as many asterisks stand for it as the line's own string has characters there."""
    assert mask(line.encode()).decode() == expected
    assert [len(value) for value in json.loads(line).values()] == [
        len(value) for value in json.loads(expected).values()
    ]


@pytest.mark.parametrize("one", list(planted()), ids=lambda one: f"{one.kind}, {one.place}")
def test_nothing_is_left_of_a_planted_secret(one: Planted) -> None:
    """A secret is hidden in every kind of text, as it stands and in JSON within JSON, and the spans hold."""
    result = masked(one.text)
    assert one.secret not in result
    assert len(result) == len(one.text)
    for depth in (2, 3):
        assert one.secret not in masked(one.text, depth=depth)


def test_the_literals_have_few_ranges_of_bytes() -> None:
    """The automaton has a column for each range of bytes that its literals tell apart, up to the next power of two."""
    kinds = (*TOKENS, *ISSUERS, *NAMED, *HEADERS)
    used = {byte for kind in kinds for needle in kind.needles for byte in needle.lower()} | set(
        b"".join(escapes.SPELLINGS)
    )
    edges = {edge for byte in used for edge in (byte, byte + 1)}
    assert len(edges) + 1 <= 64


@pytest.mark.parametrize("kind", [*TOKENS, *ISSUERS], ids=lambda kind: f"{kind.name} {kind.prefix}")
def test_a_row_of_the_table_finds_its_example_only(kind: Token) -> None:
    """Each kind is found at the beginning, in the middle and at the end of a text, and what is like it is not."""
    drawn = random.Random(0)
    example, counter = (filled(template, drawn) for template in (kind.example, kind.counter))
    for text in (
        f"{example} of Discord and Mailgun",
        f"Discord, Mailgun: {example}.",
        f"Discord, Mailgun\n{example}",
        f'["{example}"] discord mailgun',
    ):
        line = json.dumps(text).encode()
        assert mask(line).count(b"*") >= 20, text
    other = json.dumps(f"discord mailgun {counter} x").encode()
    assert not list(kind.spans(other, other.lower(), range(len(other))))


def test_lines_are_masked_together_as_each_by_itself() -> None:
    """Where several lines are asked at once, what one holds changes none of the others, however they follow each other."""
    texts = [
        "no secret",
        "password=hunter2",
        "",
        "secret",
        "=x",
        "a token: none",
        "漢字 sk-proj-" + "a1" * 24,
        "task",
    ]
    kept = [json.dumps(text, ensure_ascii=False).encode() for text in texts]
    for first in range(len(kept)):
        lines = (kept[first:] + kept[:first]) * 6
        together = mask_lines(lines)
        assert together == [mask(line) for line in lines]
        assert [one is line for one, line in zip(together, lines, strict=True)] == [
            mask(line) is line for line in lines
        ]
    assert b"hunter2" not in b"".join(mask_lines(kept))
    assert mask_lines([]) == []


def test_lines_are_asked_once_what_they_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found in lines together is not looked for again in each of them."""
    asked: list[bytes] = []
    automaton = privacy._PREFILTER

    def literals(text: bytes, lowered: bytes) -> list[privacy.Literal]:
        asked.append(text)
        return type(automaton).literals(automaton, text, lowered)

    monkeypatch.setattr(automaton, "literals", literals)
    lines = [b'"in path"', b'"password=hunter2"', b'"task"']
    assert mask_lines(lines) == [b'"in path"', b'"password=*******"', b'"task"']
    assert asked == [b"\n".join(lines)]


@pytest.mark.parametrize(
    "text", ["task_id", "disk_usage", "work_dir", "network_name", "share_all", "has-been", "monkey_id"]
)
def test_an_everyday_name_holds_no_beginning_of_a_key(text: str) -> None:
    """What every result of a task has is not taken for a key's beginning, to be looked into at each flush."""
    assert privacy._PREFILTER.literals(text.encode(), text.encode()) == []


def filled(template: str, drawn: random.Random) -> str:
    """Return a template with characters in the place of ``{20w}`` and the like."""
    alphabets = {
        "w": string.ascii_letters + string.digits,
        "a": string.ascii_lowercase,
        "x": "0123456789abcdef",
        "d": string.digits,
        "u": string.ascii_uppercase + string.digits,
    }
    return re.sub(
        r"\{(\d+)([wxdua])\}",
        lambda found: "".join(drawn.choices(alphabets[found[2]], k=int(found[1]))),
        template,
    )


@pytest.mark.parametrize(
    "text",
    [
        "password = get_password()\npassword = config.password\npassword: SecretStr\npassword: required\n",
        "def login(user: str, password: str = '', token: Token | None = None) -> None:",
        "Your password is important, the token is invalid, and the password was changed.",
        "# The password is base64, the secret is sha256 of it.",
        "max_tokens: 4096, total_tokens=12, prompt_tokens: 33, stop_token: 50256",
        '{"token": " the", "logprob": -0.1, "token_type": "access", "key": "value"}',
        "--password-stdin --token-file /run/x --password",
        "postgres://app:${DB_PASSWORD}@db/app and https://host:8080/path and mailto:a@b.c",
        "password=${PASSWORD} api_key=<your key> secret={{ secret }}",
        "cookie: a=1; lang=en; Path=/; Domain=host.example",
        "the authorization implementations and the basic authorization",
        "HOME=/root\nPWD=/srv/app\nOLDPWD=/",
        "use_auth_token='ACCESS_TOKEN_GOES_HERE' api_key='your_project_api_key' OPENAI_API_KEY=YOUR_KEY_HERE",
        "see task-list, risk-adjusted-returns-in-2024 and AKIA or ghp_ alone",
    ],
)
def test_what_only_speaks_of_secrets_stays(text: str) -> None:
    """Types, variables, settings without a value and prose about secrets stay, in the very same bytes."""
    line = json.dumps({"text": text}).encode()
    assert mask(line) is line


def test_a_text_is_masked_as_it_is_recorded() -> None:
    """What the model is told is what a record of it holds; masking it once more changes nothing."""
    for one in planted(1):
        told = mask_text(one.text)
        assert told == masked(one.text)
        assert mask_text(told) == told
        assert mask_text(told) is told


fragments = st.sampled_from(
    (
        *(
            'password": "',
            'password="',
            "password='",
            "password=",
            'api_key":"',
            "sk-",
            "sk-a1b2c3d4e5f6a7b8c9d0",
            "Bearer ",
        ),
        *(
            "-----BEGIN PRIVATE KEY-----",
            "-----END",
            "eyJhbGci.eyJhbGci.x",
            '"',
            "'",
            "\\",
            "\\\\",
            "\\u00",
            "\n",
            " ",
        ),
        *(
            "=",
            ":",
            ",",
            "}",
            "é",
            "漢",
            "😀",
            "\x00",
            "x1",
            'secret", "value": "',
            "u",
            "n",
            "(",
            "AKIAIOSFODNN7EXAMPLE",
        ),
    )
)


@settings(max_examples=examples(300))
@given(st.lists(fragments, max_size=12).map("".join), st.integers(1, 3))
def test_a_line_stays_json_and_characters_stay_in_place(text: str, depth: int) -> None:
    """Whatever a model writes: the line reads as before, and only characters that became asterisks differ."""
    result = masked(text, depth=1)
    assert len(result) == len(text)
    assert all(new in {old, "*"} for old, new in zip(text, result, strict=True))
    nested = text
    for _ in range(depth):
        nested = json.dumps({"text": nested, "after": [1, "x"]})
    assert json.loads(mask(nested.encode()))["after"] == [1, "x"]


def test_one_asterisk_stands_for_a_character_of_several_bytes():
    """Every byte that continues a character counts with it, from the first such byte to the last."""
    text = "xĀ¿À漢😀y"
    line = text.encode()
    assert escapes.masked(line, [(0, len(line))]) == b"*" * len(text)


def test_the_page_says_how_many_kinds_there_are() -> None:
    """Kinds are counted by their names: some have several beginnings, and a row for each."""
    page = (Path(__file__).parents[3] / "docs" / "privacy.md").read_text(encoding="utf-8")
    assert f"tokens of {len({kind.name for kind in (*TOKENS, *ISSUERS)})} kinds" in page
    all_of_them = list(planted())
    kinds = len({one.kind for one in all_of_them})
    assert f"| {len(all_of_them)} of {len(all_of_them)}, of {kinds} kinds," in page
