"""Faults for the tolerant decoder: each function breaks valid JSON in one way that models do, at a random place.

A fault is a function of a text's tokens and a random generator. It returns the broken text, or None where the text
offers no place for it. What it does never changes what the text plainly means.
"""

import json
import re
from random import Random
from typing import NamedTuple

import pytest

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')

TEXTS = [
    "Paris", "high", "New York", "it's fine", "a, b", "key: value", "{x}", "see [1]", "https://x.org/a?b=1&c=2",
    "C:\\data\\new", "line one\nline two", "tab\there", 'say "hi" now', '"quoted"', 'he said "no", then left',
    "# heading", "a // b", "naïve 漢字 😀", "", "true", "null", "12", "The end.", "```code```", "f(x)", "\\d+\\s",
    "x = 1; y = 2", "user@host", "…", "don't", "2024-01-01", "50%", 'size 6" pipe',
]  # fmt: skip
KEYS = ["name", "type", "content", "a", "user_id", "x1", "first name", "k-1", "größe", "priority"]


class Token(NamedTuple):
    """A token of a valid text, with its place and its part in the grammar: key, text, number, literal or a sign."""

    written: str
    start: int
    end: int
    part: str


def tokens(text):
    """Return the tokens of a valid JSON text."""
    found = []
    for match in TOKEN.finditer(text):
        written = match[0]
        if written.startswith('"'):
            part = "key" if text[match.end() :].lstrip().startswith(":") else "text"
        elif written in "{}[],:":
            part = written
        else:
            part = "literal" if written.isalpha() else "number"
        found.append(Token(written, match.start(), match.end(), part))
    return found


def random_value(random, depth=3):
    """Return a random JSON value: an object or a list at the outside, the kind of thing that actions are made of."""
    if depth < 3 and (depth == 0 or random.random() < 0.6):
        scalars = [
            random.choice(TEXTS),
            random.randint(-20, 5000),
            random.choice([True, False, None, 0.25, 3.0]),
        ]
        return random.choice([*scalars, random.choice(TEXTS)])
    if random.random() < 0.7:
        return {random.choice(KEYS): random_value(random, depth - 1) for _ in range(random.randint(1, 4))}
    return [random_value(random, depth - 1) for _ in range(random.randint(1, 4))]


def random_text(random):
    """Return a random value and its JSON text, in one of the forms that models write."""
    value = random_value(random)
    return value, json.dumps(value, indent=random.choice([None, None, 2]), ensure_ascii=random.random() < 0.2)


def one_of(text, random, part, written=""):
    """Return a random token of a part that contains a text, or None."""
    fitting = [token for token in tokens(text) if token.part in part.split("|") and written in token.written]
    return random.choice(fitting) if fitting else None


def at(part, written=""):
    """Make a fault of a function that rewrites one token; it may return None."""

    def decorate(rewrite):
        def fault(text, random):
            token = one_of(text, random, part, written)
            after = token and rewrite(token.written, random)
            if after is None or after == token.written:
                return None
            return text[: token.start] + after + text[token.end :]

        return fault

    return decorate


def everywhere(part, rewrite):
    """Make a fault that rewrites every token of a part."""

    def fault(text, random):
        pieces, done = [], 0
        for token in tokens(text):
            if token.part in part.split("|"):
                pieces += (text[done : token.start], rewrite(token.written, random) or token.written)
                done = token.end
        broken = "".join(pieces) + text[done:]
        return broken if broken != text else None

    return fault


def single_quoted(written, _random):
    return repr(json.loads(written)) if "'" not in written else None


def quoted_in(opening, closing):
    def rewrite(written, _random):
        value = json.loads(written)
        return None if set(value) & {opening, closing, "\\", "\n", "\t"} else opening + value + closing

    return rewrite


def apostrophes(written, _random):
    value = json.loads(written)
    return f"'{value}'" if "'" in value and "\\" not in written else None


def bare(written, _random):
    return written[1:-1] if re.fullmatch(r'"[A-Za-z][A-Za-z_0-9]+"', written) and len(written) > 6 else None


def bare_words(written, _random):
    return written[1:-1] if re.fullmatch(r'"[A-Z]\w+(?: [A-Za-z]\w+)*"', written) else None


def unescaped_quotes(written, _random):
    return written.replace('\\"', '"')


def raw_controls(written, _random):
    return written.replace("\\n", "\n").replace("\\t", "\t") if "\\\\" not in written else None


def lone_backslashes(written, _random):
    value = json.loads(written)
    is_plain = not re.search(r'["\n\t]|\\["\\/bfnrtu]', value)
    return written.replace("\\\\", "\\") if is_plain else None


def drop(_written, _random):
    return ""


def python_literal(written, _random):
    return {"true": "True", "false": "False", "null": "None"}[written]


def other_literal(written, random):
    return random.choice({"true": ["TRUE"], "false": ["FALSE"], "null": ["NULL", "undefined"]}[written])


def other_number(written, random):
    number = json.loads(written)
    if isinstance(number, float):
        return written.rstrip("0") if written.endswith(".0") else written.replace("0.", ".")
    sign, digits = ("-", written[1:]) if number < 0 else ("", written)
    forms = [sign + hex(abs(number)), sign + "0" + digits]
    return random.choice([*forms, "+" + digits] if not sign else forms)


def grouped(written, _random):
    return f"{int(written):_}" if written.isdigit() else None


def comment(written, random):
    return written + random.choice([" // a note\n", " /* a note, with {brackets} */ ", " # a note\n"])


def ellipsis(written, random):
    return random.choice([", ...", ", …", "..."]) + written if written in "}]" else None


def other_space(written, random):
    return written + random.choice(["\xa0", "\u200b", "\ufeff", "\u3000", "\u2028"])


def summed(written, _random):
    return f'{written[:2]}" + "{written[2:]}' if len(written) > 5 and "\\" not in written else None


def raw_string(written, _random):
    value = json.loads(written)
    return f'r"{value}"' if "\\" in value and not set(value) & {'"', "\n", "\t"} else None


def triple_quoted(written, random):
    value, quotes = json.loads(written), random.choice(['"""', "'''"])
    return (
        None
        if "\\" in value or not value or value[-1] in "\"'" or value[0] in "\"'"
        else quotes + value + quotes
    )


def nested_json(text, _random):
    return f'{{"name": "f", "arguments": "{text}", "last": 1}}' if "\\" not in text else None


def cut(text, random):
    return text[: random.randint(1, len(text) - 1)]


FAULTS = {
    "single quotes": at("key|text")(single_quoted),
    "single quotes everywhere": everywhere("key|text", single_quoted),
    "apostrophes in single quotes": at("text")(apostrophes),
    "typographic quotes": at("key|text")(quoted_in("“", "”")),
    "typographic quotes everywhere": everywhere("key|text", quoted_in("“", "”")),
    "other typographic quotes": at("key|text")(quoted_in("„", "“")),
    "guillemets": at("text")(quoted_in("«", "»")),
    "backticks": at("text")(quoted_in("`", "`")),
    "triple quotes": at("text")(triple_quoted),
    "raw strings": at("text")(raw_string),
    "bare key": at("key")(bare),
    "bare keys everywhere": everywhere("key", bare),
    "bare text": at("text")(bare_words),
    "unescaped quotes": at("text", '\\"')(unescaped_quotes),
    "unescaped quotes everywhere": everywhere("text", unescaped_quotes),
    "raw control characters": at("text")(raw_controls),
    "lone backslashes": at("text", "\\\\")(lone_backslashes),
    "no closing quote": at("text")(lambda written, _: written[:-1]),
    "no opening quote": at("text")(lambda written, _: written[1:]),
    "no closing quote of a key": at("key")(lambda written, _: written[:-1]),
    "no opening quote of a key": at("key")(lambda written, _: written[1:]),
    "sum of strings": at("text")(summed),
    "trailing comma": at("}|]")(lambda written, _: "," + written),
    "two commas": at(",")(lambda _, random: random.choice([",,", ", ,"])),
    "no comma": at(",")(drop),
    "semicolon": at(",")(lambda *_: ";"),
    "equals sign": at(":")(lambda _, random: random.choice(["=", " =>"])),
    "no colon": at(":")(drop),
    "python literals": at("literal")(python_literal),
    "other literals": at("literal")(other_literal),
    "other numbers": at("number")(other_number),
    "grouped numbers": at("number")(grouped),
    "comment": at(",|:|{|[|}|]|key|text|number")(comment),
    "ellipsis": at("}|]")(ellipsis),
    "other blanks": at(",|:|{|[|key|text|number")(other_space),
    "no closing bracket": at("}|]")(drop),
    "one closing bracket too many": at("}|]")(lambda written, random: written + random.choice("}]")),
    "wrong closing bracket": at("}|]")(lambda written, _: "]" if written == "}" else "}"),
    "JSON in a string, unescaped": nested_json,
    "cut off": cut,
}


def pytest_generate_tests(metafunc):
    """Run a test that takes a fault once for each."""
    if "fault" in metafunc.fixturenames:
        metafunc.parametrize("fault", FAULTS)


@pytest.fixture(scope="session")
def faults():
    """Return the names of all faults."""
    return list(FAULTS)


@pytest.fixture(scope="session")
def broken_texts():
    """Return a function that yields broken texts of one fault, each with the value that is meant."""

    def make(fault, seed, count):
        random = Random(seed)
        while count:
            value, text = random_text(random)
            broken = FAULTS[fault](text, random)
            if broken is not None:
                count -= 1
                nested = {"name": "f", "arguments": text, "last": 1}
                yield nested if FAULTS[fault] is nested_json else value, broken

    return make
