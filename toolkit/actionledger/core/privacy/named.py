"""Secrets that are recognised by their names, in the notations of JSON, settings, source code, commands and tags."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from actionledger.core.patterns import regex
from actionledger.core.privacy.escapes import Span
from actionledger.core.privacy.placeholders import entropy, hides_nothing, is_random, is_reference

_ESCAPE = r"\\++(?:u[0-9a-f]{4}|[^\"\\])"
"""An escape, of the line itself or of JSON in one of its texts."""

_QUOTE_IN_TEXT = r"\\(?:\\\\)*+"
_BLANK = r"(?: |\\++[nrt])*+"
_BARE = r"[\w!#$%*+./:?@^~|-][\w!#$%*+./:?@^~|=-]*+"


def _string(opening: str) -> str:
    """Return the pattern of a string's content, up to the next quote with as many backslashes as the group ``opening``.

    With n backslashes there, n + 1 stand for one backslash of the string's own; an odd number of those makes a quote part of it.
    """
    own_backslash = rf"(?P={opening})\\"
    deeper_quote = rf"(?P={opening}){own_backslash}(?:{own_backslash}{own_backslash})*+\""
    return rf"(?:[^\"\\]++|{deeper_quote}|{_ESCAPE})*+"


_SINGLE = r"(?:[^'\"\\]++|\\++(?:u[0-9a-f]{4}|[^\"\\n]))*+"

_JOINED = r"\.[a-z_]++\(|%[ (]|(?:\+|\|\|)[\w.$\[\]()]{1,30}+(?:\+|\|\|)|;(?: |\\++[nrt]|[\w.]++\()"
"""Source code behind a string that ends in a name: a method, an operator with one operand, or the next statement."""

_CLOSES = rf" *+(?:[,:}}\])]|{_JOINED}|(?!(?P=code)\\)\\++[nr])"
_CLOSES_SINGLE = rf" *+(?:[,:}}\])]++(?: |\\++[nrt]|[;.'\"])|{_JOINED})"
"""What is behind a quote that ends a string, and does not begin one; a line break with more backslashes is part of a string."""

_WAYS = (
    # "name": "value", "name": ["value"] on any level of quoting; on the outermost, both are strings of the line
    rf"(?P<json>(?:{_QUOTE_IN_TEXT})?+)\"{_BLANK}[:=]{_BLANK}(?:\[{_BLANK})?+(?P=json)\"(?P<in_json>{_string('json')})",
    # "name", "value": "value", as a refused field or a header in a list is recorded; "name", "value" in a call
    rf"(?P<pair>(?:{_QUOTE_IN_TEXT})?+)\"{_BLANK},{_BLANK}(?P=pair)\"value(?P=pair)\"{_BLANK}:{_BLANK}(?P=pair)\"(?P<in_pair>{_string('pair')})",
    rf"(?P<call>(?:{_QUOTE_IN_TEXT})?+)\" *+, *+(?P=call)\"(?P<in_call>{_string('call')})(?=(?P=call)\" *+[)\]])",
    # name = "value", in source code and settings; a quote before other code ends a string that contains "name ="
    rf"(?:'|\\*+\")?+\]?+ *+(?::=?|=|=>) *+(?P<code>{_QUOTE_IN_TEXT})[bru]?+\"(?!{_CLOSES})(?P<in_code>{_string('code')})",
    # name = 'value', 'name': 'value', d['name'] = 'value', ('name', 'value')
    rf"(?:'|\\++\")?+\]?+ *+(?::=?|=|=>|(?<='),) *+[bru]?+'(?!{_CLOSES_SINGLE})(?P<in_single>{_SINGLE})(?=')",
    # PASSWORD 'value', in SQL
    rf" '(?P<in_statement>{_SINGLE})(?=')",
    # <name>value</name>, <parameter=name>value</parameter>, name</arg_key><arg_value>value</arg_value>
    rf"(?:</arg_key>{_BLANK}<arg_value)?+>(?P<in_tag>(?:[^<>\s\"\\]|\\++[^\"\\])[^<>\"\\]{{0,500}}+)(?=</)",
    # name=value, unless the value is a constant, a call or a subscript
    rf"=(?!(?:none|null|true|false)(?![\w.-])|[\w.]{{0,99}}+[(\[])(?P<assigned>{_BARE})",
    # name: value, name = value, - value, in settings; name is value, in prose
    rf"(?:['\"]?+ *+(?::=|[:=]){_BLANK}(?:- )?+| is )(?P<plain>[^\s\"'\\,;(){{}}\[\]<>|&`]{{4,300}}+)(?![(\[{{])",
    # name: NAME, value: value, as in a container's environment
    rf"['\"]?+{_BLANK},?+{_BLANK}['\"]?value['\"]?+ *+[:=] *+(?P<pair_plain>[^\s\"'\\,;(){{}}\[\]<>|&`]{{4,300}}+)",
    # --name value; password value, as in lists of machines
    r"(?<=[a-z]) (?P<option>[^\s\"'\\,;(){}\[\]<>|&`$-][^\s\"'\\<>|&`]{3,300}+)",
)

_VALUE = regex(f"(?:{'|'.join(_WAYS)})".encode())
"""What is behind a name, in any notation. Compiling it takes 10 ms: one pattern for all names, and not one for each."""

_LONG_AHEAD = r"(?=(?:\\++[nrt]?+|[^\w\\]|_){1,40}+(?:(?:value|is|arg_key|arg_value|[bru])(?:\\++[nrt]?+|[^\w\\]){1,30}+){0,2}[\w+/=.~%-]{15})"
"""A lookahead for a value that may be random, in any notation; short values and those with blanks fail early."""

_SHORT = frozenset({"plain", "pair_plain", "option"})
"""Notations whose values have a length limit; matching others twice would take more than linear time."""

_BARE_WAYS = _SHORT | {"assigned"}

_NO_SECRETS = frozenset(
    [
        "none",
        "null",
        "nil",
        "true",
        "false",
        "undefined",
        "str",
        "string",
        "text",
        "bytes",
        "int",
        "integer",
        "number",
        "float",
        "bool",
        "boolean",
        "object",
        "any",
        "array",
        "list",
        "dict",
        "required",
        "optional",
        "password",
        "passwd",
        "secret",
        "token",
        "hidden",
        "masked",
        "redacted",
        "unknown",
        "empty",
        "default",
        "value",
        "varchar",
        "char",
        "example",
        "placeholder",
        "changed",
        "incorrect",
        "invalid",
        "correct",
        "wrong",
        "missing",
        "needed",
        "weak",
        "strong",
        "too",
        "very",
        "not",
        "stored",
        "base64",
        "sha256",
        "bcrypt",
        "argon2",
        "command",
        "option",
        "options",
        "switch",
        "switches",
        "flag",
        "flags",
        "argument",
        "arguments",
        "called",
    ]
)
_BEHIND = "\\\"' ]:=,<>"
"""The characters that may follow a name directly."""

_OPTION = regex(rb"--[\w-]*$")
_OTHER_KEYS = regex(
    rb"(?:public|publishable|primary|foreign|cache|partition|sort|idempotency|dedupe|group|row|hash|object|index|lookup|"
    rb"locali[sz]ation|translation|host|known|measurement|site)[_-]?$",
    re.IGNORECASE,
)
"""Words before ``key`` that make it public."""

_DRAWN = regex(r"(?=[^A-Z]*+[A-Z])(?=[^a-z]*+[a-z])[\w+=~-]{20,}|[a-z0-9]{32,}", re.ASCII)
_OF_WORDS = regex(r"(?:[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])|[\d_-]|[A-Z](?![A-Za-z]))*+", re.ASCII)
"""An identifier made of words in any case, with numbers."""

_LETTERS = regex(r"[A-Za-z]{16,}")
_MOST_OF_WORDS, _MOST_OF_HASHES = 3.6, 4.0
"""The most entropy, in bits a character, of sixteen letters that are words, and of hexadecimal digits."""

_BEGINS_A_LINE = regex(rb"(?:^|\\[nr]|[\"'])(?:[ \t]|\\+t|- |export |set |set-)*[\w.-]*$")


class _Found(NamedTuple):
    """A name with its value."""

    start: int  # where the name begins
    behind_name: int  # where it ends
    value: re.Match[bytes]  # the match of what is behind it
    way: str  # the notation, which is the value's group


@dataclass(frozen=True)
class Named:
    """A name of secrets."""

    name: str  # the name in lower case
    rest: str = ""  # what may follow it, as a regular expression
    # words of which one must follow, after a dash, an underscore or nothing; none by default
    words: tuple[str, ...] = ()
    # whether every value of that name is a secret; otherwise only a value that looks random
    is_strict: bool = True
    is_common: bool = False  # whether hashes and identifiers have that name too; those are not masked

    @cached_property
    def needles(self) -> Sequence[bytes]:
        """The literals of this name; a line in lower case without any has no such secret."""
        if self.words:
            return [f"{self.name}{dash}{word}".encode() for word in self.words for dash in ("", "_", "-")]
        if self.rest:
            return [self.name.encode()]
        return [f"{self.name}{sign}".encode() for sign in _BEHIND]

    @cached_property
    def _name(self) -> re.Pattern[bytes]:
        rest = f"[_-]?(?:{'|'.join(self.words)})" if self.words else self.rest
        ahead = "" if self.is_strict else _LONG_AHEAD
        return regex(f"{self.name}{rest}(?=[{re.escape(_BEHIND)}]){ahead}".encode())

    def spans(self, text: bytes, lowered: bytes, starts: Sequence[int]) -> Iterator[Span]:
        """Yield the spans of the secrets with this name; ``starts`` are the name's positions."""
        position = 0
        for start in starts:
            name = self._name.match(lowered, start) if start >= position else None
            value = name and _VALUE.match(lowered, name.end())
            if name is None or value is None:
                continue
            found = _Found(*name.span(), value, value.lastgroup or "")
            position = value.end()
            if self._is_secret(text, found):
                yield value.span(found.way)
            elif found.way in _SHORT:
                # The supposed value may be another secret's name.
                position = found.behind_name

    def _is_secret(self, text: bytes, found: _Found) -> bool:
        way, (start, end) = found.way, found.value.span(found.way)
        value = text[start : min(end, start + 300)].decode("utf-8", "replace")
        name = text[found.start : found.behind_name]
        if hides_nothing(value, name.decode()) or (way in {"in_code", "in_single"} and value.startswith(" ")):
            return False
        if self.name == "pwd" and value.startswith(("/", "~")):
            return False  # a shell's working directory
        if not self.is_strict:
            # Other things have this name too, so only a value that looks random is a secret.
            is_given = (name.isupper() and text[max(0, found.start - 1) : found.start] == b"_") or _is_query(
                text, found
            )
            if self.is_common and _OTHER_KEYS.search(text[max(0, found.start - 60) : found.start]):
                return False
            # Programs get keys as NAME_KEY=… and ?key=…; some of these have no digit.
            if is_given and _LETTERS.fullmatch(value):
                return entropy(value) > _MOST_OF_WORDS and not value.islower()
            if not self.is_common or is_given:
                return is_random(value) and not (way in _BARE_WAYS and is_reference(value))
            return (
                is_random(value)
                and entropy(value) > _MOST_OF_HASHES
                and _DRAWN.fullmatch(value) is not None
                and _OF_WORDS.fullmatch(value) is None
            )
        if way == "assigned":
            return name.isupper() or _is_query(text, found) or not is_reference(value)
        if way in _SHORT:
            return self._is_plain_secret(text, found, value)
        if way == "in_single" and b"," in text[found.behind_name : start]:
            return _has_sign(value)  # otherwise it is the next name of a list
        return way not in {"in_call", "in_tag"} or _has_sign(value) or (way == "in_tag" and value.isalnum())

    def _is_plain_secret(self, text: bytes, found: _Found, value: str) -> bool:
        """Return whether an unquoted value is a secret, and not a type, a variable or a word of a sentence."""
        way, end = found.way, found.value.end()
        before = text[max(0, found.start - 60) : found.start]
        bare = value.rstrip(".:!?,;)")
        # A single word between "name:" at the beginning of a line and the line's end is a setting.
        behind = text[end : end + 2]
        is_alone = behind[:1] in {b"", b'"', b"'"} or behind in {b"\\n", b"\\r", b"\\\\", b'\\"'}
        is_setting = is_alone and bare == value and _BEGINS_A_LINE.search(before) is not None
        is_behind_colon = b"=" not in text[found.behind_name : found.value.start(way)]
        if (
            is_reference(bare, is_setting=is_setting and is_behind_colon)
            or bare.lower() in _NO_SECRETS
            or bare.startswith(("/", "./", "~/", "http"))
        ):
            return False
        if way == "option" and not _OPTION.search(before):
            return self.name == "passw" and (
                len(bare) >= 8 and any(map(str.isdigit, bare)) and any(map(str.isalpha, bare))
            )
        if way == "option" or (len(bare) >= 6 and _has_sign(bare)):
            return True
        return is_setting and bare.replace(".", "").islower()


def _has_sign(value: str) -> bool:
    """Return whether a value is more than a word: it has a digit, or a sign as in passwords."""
    return any(character.isdigit() or character in "!@#$%^&*+~=" for character in value)


def _is_query(text: bytes, found: _Found) -> bool:
    """Return whether a name is in the query of an address."""
    return b"?" in text[max(0, found.start - 40) : found.start].rpartition(b" ")[2]


NAMED: tuple[Named, ...] = (
    Named("passw", "(?:or[dt]|d)"),
    Named("passphrase"),
    Named("pwd"),
    Named("_pass"),
    Named("secret", "(?:[_-]?(?:access[_-]?)?(?:key(?:[_-]base)?|token))?+"),
    Named("api", words=("key", "secret", "token")),
    *(Named(kind, words=("token",)) for kind in ("access", "auth", "refresh", "bearer")),
    Named("private", words=("key",)),
    Named("token", is_strict=False),
    *(Named(name, is_strict=False) for name in ("credential", "credentials")),
    Named("key", is_strict=False, is_common=True),
    *(
        Named(kind, words=("key",), is_strict=False)
        for kind in ("access", "account", "auth", "signing", "encryption", "master", "subscription")
    ),
)
"""All names that are searched for."""
