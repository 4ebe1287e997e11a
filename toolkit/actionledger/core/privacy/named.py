"""Secrets that are known by their names, in the ways that JSON, settings, source code, commands and tags write name and value."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from actionledger.core.patterns import regex
from actionledger.core.privacy.escapes import Span
from actionledger.core.privacy.placeholders import entropy, hides_nothing, is_random, is_reference

_ESCAPE = r"\\++(?:u[0-9a-f]{4}|[^\"\\])"
"""After a backslash: an escape of the line's own, or of JSON in a text of it."""

_QUOTE_IN_TEXT = r"\\(?:\\\\)*+"
_BLANK = r"(?: |\\++[nrt])*+"
_BARE = r"[\w!#$%*+./:?@^~|-][\w!#$%*+./:?@^~|=-]*+"


def _string(opening: str) -> str:
    """What a string holds whose quote has the backslashes of the group ``opening`` before it: all up to the next such quote.

    With n of them, n + 1 stand for one backslash of the string's own; an odd number of those makes a quote part of it.
    """
    own_backslash = rf"(?P={opening})\\"
    deeper_quote = rf"(?P={opening}){own_backslash}(?:{own_backslash}{own_backslash})*+\""
    return rf"(?:[^\"\\]++|{deeper_quote}|{_ESCAPE})*+"


_SINGLE = r"(?:[^'\"\\]++|\\++(?:u[0-9a-f]{4}|[^\"\\n]))*+"

_WAYS = (
    # "name": "value", "name": ["value"] on any level of quoting; on the outermost, both are strings of the line itself
    rf"(?P<json>(?:{_QUOTE_IN_TEXT})?+)\"{_BLANK}[:=]{_BLANK}(?:\[{_BLANK})?+(?P=json)\"(?P<in_json>{_string('json')})",
    # "name", "value": "value", as a refused field is recorded, and a header of a list; "name", "value" in a call
    rf"(?P<pair>(?:{_QUOTE_IN_TEXT})?+)\"{_BLANK},{_BLANK}(?P=pair)\"value(?P=pair)\"{_BLANK}:{_BLANK}(?P=pair)\"(?P<in_pair>{_string('pair')})",
    rf"(?P<call>(?:{_QUOTE_IN_TEXT})?+)\" *+, *+(?P=call)\"(?P<in_call>{_string('call')})(?=(?P=call)\" *+[)\]])",
    # name = "value", in source code and settings; a quote before punctuation ended a string with "name =" in it
    rf"(?:'|\\*+\")?+\]?+ *+(?::=?|=|=>) *+(?P<code>{_QUOTE_IN_TEXT})[bru]?+\"(?! *+[,:}}\])])(?P<in_code>{_string('code')})",
    # name = 'value', 'name': 'value', d['name'] = 'value', ('name', 'value')
    rf"(?:'|\\++\")?+\]?+ *+(?::=?|=|=>|(?<='),) *+[bru]?+'(?P<in_single>{_SINGLE})(?=')",
    # PASSWORD 'value', in SQL
    rf" '(?P<in_statement>{_SINGLE})(?=')",
    # <name>value</name>, <parameter=name>value</parameter>, name</arg_key><arg_value>value</arg_value>
    rf"(?:</arg_key>{_BLANK}<arg_value)?+>(?P<in_tag>(?:[^<>\s\"\\]|\\++[^\"\\])[^<>\"\\]{{0,500}}+)(?=</)",
    # name=value, where the value is neither a constant, a call nor an item
    rf"=(?!(?:none|null|true|false)(?![\w.-])|[\w.]{{0,99}}+[(\[])(?P<assigned>{_BARE})",
    # name: value, name = value, - value, in settings; name is value, in prose
    rf"(?:['\"]?+ *+(?::=|[:=]){_BLANK}(?:- )?+| is )(?P<plain>[^\s\"'\\,;(){{}}\[\]<>|&`]{{4,300}}+)(?![(\[{{])",
    # name: NAME, value: value, as the environment of a container is written
    rf"['\"]?+{_BLANK},?+{_BLANK}['\"]?value['\"]?+ *+[:=] *+(?P<pair_plain>[^\s\"'\\,;(){{}}\[\]<>|&`]{{4,300}}+)",
    # --name value; password value, as machines are listed
    r"(?<=[a-z]) (?P<option>[^\s\"'\\,;(){}\[\]<>|&`$-][^\s\"'\\<>|&`]{3,300}+)",
)

_LONG_AHEAD = r"(?=(?:\\++[nrt]?+|[^\w\\]|_){1,40}+(?:(?:value|is|arg_key|arg_value|[bru])(?:\\++[nrt]?+|[^\w\\]){1,30}+){0,2}[\w+/=.~%-]{15})"
"""Before a value that may be drawn at random, whatever the way: what is short or has blanks is no longer looked at."""

_SHORT = frozenset({"plain", "pair_plain", "option"})
"""Ways whose values have a bound; to look at others twice would take more than linear time."""

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
"""What may stand at once behind a name, a character each."""

_OPTION = regex(rb"--[\w-]*$")
_OTHER_KEYS = regex(
    rb"(?:public|publishable|primary|foreign|cache|partition|sort|idempotency|dedupe|group|row|hash|object|index|lookup|"
    rb"locali[sz]ation|translation|host|known|measurement|site)[_-]?$",
    re.IGNORECASE,
)
"""What stands before ``key`` where everybody may know it."""

_DRAWN = regex(r"(?=[^A-Z]*+[A-Z])(?=[^a-z]*+[a-z])[\w+=~-]{20,}|[a-z0-9]{32,}", re.ASCII)
_OF_WORDS = regex(r"(?:[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])|[\d_-]|[A-Z](?![A-Za-z]))*+", re.ASCII)
"""An identifier of words in any case, with numbers."""

_LETTERS = regex(r"[A-Za-z]{16,}")
_MOST_OF_WORDS, _MOST_OF_HASHES = 3.6, 4.0
"""The bits a character of sixteen letters that are words, and of digits to the base of sixteen, at most."""

_BEGINS_A_LINE = regex(rb"(?:^|\\[nr]|[\"'])(?:[ \t]|\\+t|- |export |set |set-)*[\w.-]*$")


@dataclass(frozen=True)
class Named:
    """A name that secrets go by.

    Args:
        name: the name in small letters.
        rest: what may follow it, as a regular expression.
        words: what must follow it, with a dash, an underscore or nothing between; none if not given.
        is_strict: whether whatever goes by that name is a secret; else only what looks drawn at random.
        is_common: whether hashes and identifiers go by that name as well, which are left.
    """

    name: str
    rest: str = ""
    words: tuple[str, ...] = ()
    is_strict: bool = True
    is_common: bool = False

    @cached_property
    def needles(self) -> Sequence[bytes]:
        """The texts of which a line in small letters must hold one for the secret to be searched for."""
        if self.words:
            return [f"{self.name}{dash}{word}".encode() for word in self.words for dash in ("", "_", "-")]
        if self.rest:
            return [self.name.encode()]
        return [f"{self.name}{sign}".encode() for sign in _BEHIND]

    @cached_property
    def _pattern(self) -> re.Pattern[bytes]:
        rest = f"[_-]?(?:{'|'.join(self.words)})" if self.words else self.rest
        behind = re.escape(_BEHIND)
        ahead = "" if self.is_strict else _LONG_AHEAD
        return regex(f"(?P<name>{self.name}{rest})(?=[{behind}]){ahead}(?:{'|'.join(_WAYS)})".encode())

    def spans(self, text: bytes, lowered: bytes, starts: Sequence[int]) -> Iterator[Span]:
        """Yield where values stand that go by the name, which begins at ``starts``."""
        position = 0
        for start in starts:
            found = self._pattern.match(lowered, start) if start >= position else None
            if found is None:
                continue
            way = found.lastgroup or "name"
            position = found.end()
            if self._is_secret(text, found, way):
                yield found.span(way)
            elif way in _SHORT:
                # What was taken for a value may be the name of one.
                position = found.end("name")

    def _is_secret(self, text: bytes, found: re.Match[bytes], way: str) -> bool:
        start, end = found.span(way)
        value = text[start : min(end, start + 300)].decode("utf-8", "replace")
        name = text[found.start("name") : found.end("name")]
        if hides_nothing(value, name.decode()) or (way == "in_code" and value.startswith(" ")):
            return False
        if self.name == "pwd" and value.startswith(("/", "~")):
            return False  # the working directory of a shell
        if not self.is_strict:
            # Whether a value looks drawn at random, behind a name that other things go by as well.
            is_given = (
                text[found.start("name") : found.end("name")].isupper()
                and (text[max(0, found.start() - 1) : found.start()] == b"_")
            ) or _is_query(text, found)
            if self.is_common and _OTHER_KEYS.search(text[max(0, found.start() - 60) : found.start()]):
                return False
            # NAME_KEY=… and ?key=… are where programs are given keys, some of them without a digit.
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
            return self._is_plain_secret(text, found, way, value)
        if way == "in_single" and b"," in text[found.end("name") : found.start(way)]:
            return _has_sign(value)  # else the next one of a list of names
        return way not in {"in_call", "in_tag"} or _has_sign(value) or (way == "in_tag" and value.isalnum())

    def _is_plain_secret(self, text: bytes, found: re.Match[bytes], way: str, value: str) -> bool:
        """Whether a value without quotes is one, and neither a type, a variable nor a word of a sentence."""
        before = text[max(0, found.start() - 60) : found.start()]
        bare = value.rstrip(".:!?,;)")
        # A word alone behind "name:" at the beginning of a line and at its end is a setting.
        behind = text[found.end() : found.end() + 2]
        is_alone = behind[:1] in {b"", b'"', b"'"} or behind in {b"\\n", b"\\r", b"\\\\", b'\\"'}
        is_setting = is_alone and bare == value and _BEGINS_A_LINE.search(before) is not None
        is_behind_colon = b"=" not in text[found.end("name") : found.start(way)]
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
    """Whether a value is more than a word: it has a digit, or a sign that passwords have."""
    return any(character.isdigit() or character in "!@#$%^&*+~=" for character in value)


def _is_query(text: bytes, found: re.Match[bytes]) -> bool:
    """Whether a name stands in the query of an address."""
    return b"?" in text[max(0, found.start() - 40) : found.start()].rpartition(b" ")[2]


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
    Named("credential", "s?+", is_strict=False),
    Named("key", is_strict=False, is_common=True),
    *(
        Named(kind, words=("key",), is_strict=False)
        for kind in ("access", "account", "auth", "signing", "encryption", "master", "subscription")
    ),
)
"""Every name that is looked for."""
