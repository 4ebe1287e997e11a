"""Values in the place of a secret that are not secrets: placeholders, variables, and source code's names for secrets."""

import re
from collections import Counter
from math import log2

from actionledger.core.patterns import regex

_VARIABLE = regex(
    # $NAME, ${NAME}, ${NAME:-word}, $(NAME), {{ name }}, ${{ secrets.NAME }}, %(name)s, %NAME%, @NAME@, $env:NAME
    r"\$\{?[A-Za-z_][\w.]*(?::?[-?+=][\w ./-]{0,30})?\}?|\$\([\w ./-]*\)|\$?\{\{?[^{}]*\}\}?|%\(\w*\)?[a-z]?|%[a-z]?|%\w+%|@[A-Z_]+@|\$env:\w+"
    # names of environment variables for secrets
    r"|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:TOKEN|KEY|SECRET|PASSWORD|CREDENTIALS?)"
    # <your key>, [REMOVED], (hidden): made of words
    r"|<[^<>]*>|\[[A-Za-z _-]*\]|\([A-Za-z _-]*\)"
    # [parameters('name')], in a template of Azure's
    r"|\[\w+\(.*\)\]"
    # reads from the environment
    r"|(?:os\.)?(?:environ|getenv)(?:\.get)?[\[(][^\[\]()]*[\])]?|process\.env\b.*"
    # references to another program's secrets
    r"|(?:op|vault|sm|keyring|env|file|ref\+\w+)://?[\w ./#@:-]*|env:\w+|arn:aws[\w-]*:secretsmanager:.*"
)
_PLACEHOLDER = regex(
    r"(?:your|insert|enter|replace)[_ -][\w .-]*|[\w-]*[_-](?:goes[_-])?here"
    r"|(?:[a-z]+[_ -])*(?:redacted|removed|masked|hidden|omitted|placeholder|dummy|fake|sample|example)(?:[_ -][a-z]+)*",
    re.IGNORECASE,
)
_FILLING = regex(r"(?:[A-Za-z]{1,6}+[-_])*+[xX*•.…_$-]++")
"""``xxx``, ``sk-...`` and ``****``, also after the beginning of a key."""

_SAYS_NOTHING = frozenset(
    [
        "value",
        "values",
        "string",
        "text",
        "str",
        "none",
        "null",
        "nil",
        "true",
        "false",
        "undefined",
        "empty",
        "required",
        "optional",
        "unknown",
        "default",
        "secret",
        "password",
        "passwd",
        "token",
        "key",
        "credential",
        "credentials",
    ]
)
_DASHES = str.maketrans("", "", "-_ ")

_ROOTS = frozenset(
    [
        "self",
        "this",
        "cls",
        "os",
        "sys",
        "env",
        "environ",
        "process",
        "config",
        "cfg",
        "conf",
        "settings",
        "setting",
        "secrets",
        "vault",
        "args",
        "argv",
        "opts",
        "options",
        "params",
        "props",
        "state",
        "data",
        "local",
        "var",
        "vars",
        "module",
        "each",
        "app",
        "request",
        "req",
        "response",
        "res",
        "context",
        "ctx",
        "user",
        "client",
        "auth",
        "creds",
        "credentials",
        "aws",
        "github",
        "inputs",
        "steps",
        "values",
        "flags",
        "event",
        "session",
        "cluster",
        "db",
        "database",
        "kwargs",
    ]
)
_TYPES = regex(
    r"str|text|value|val|type|field|char|bytes|model|schema|input|form|data|optional", re.IGNORECASE
)
_SAYS_SECRET = regex(r"pass|pwd|secret|token|key|cred|auth", re.IGNORECASE)
_PART = regex(r"(?:[A-Z]?[a-z]++|[A-Z]+(?![a-z])|_)*+", re.ASCII)
"""A name in source code without digits, with letter case as in words."""

_DIGITS = regex(r"\d+")
_ENDS_IN_SECRET = regex(
    r"(?:Key|Token|Secret|Password|Credentials?|_(?:key|token|secret|password|credentials?))$"
)
"""The name of a type or a field for secrets: ``ed25519.Ed25519PrivateKey``."""

_DOTTED = regex(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+", re.ASCII)
_NAME = regex(r"[a-z_]*(?:pass|pwd|secret|token|key|cred)[a-z_]*", re.ASCII)


def hides_nothing(value: str, name: str = "") -> bool:
    """Return whether a value is only a placeholder for a secret."""
    if _VARIABLE.fullmatch(value) or _PLACEHOLDER.fullmatch(value) or _FILLING.fullmatch(value):
        return True
    plain = value.lower().translate(_DASHES)
    return not plain.strip("*x.$…") or plain in _SAYS_NOTHING or plain == name.lower().translate(_DASHES)


def is_reference(value: str, *, is_setting: bool = False) -> bool:
    """Return whether an unquoted value is a name in source code: ``config.db_password``, ``secret_token``."""
    if _NAME.fullmatch(value):
        return True
    if not _DOTTED.fullmatch(value):
        return False
    first, *_, last = parts = value.split(".")
    is_code = first.lower() in _ROOTS or _SAYS_SECRET.search(last) is not None
    digits = sum(map(str.isdigit, value))
    if (
        digits
        and _ENDS_IN_SECRET.search(last)
        and all(_PART.fullmatch(_DIGITS.sub("", part)) for part in parts)
    ):
        return True
    if digits:
        # A digit may as well be a password's, unless the other parts look like code.
        return is_code and digits <= 3 and not any(map(is_random, parts))
    return (is_code or not is_setting or _TYPES.search(value) is not None) and all(
        _PART.fullmatch(part) and len(part) <= 40 for part in parts
    )


def is_random(value: str) -> bool:
    """Return whether a value looks random: letters and digits without a blank, with more than three bits a character."""
    if not (
        value.isascii() and any(map(str.isdigit, value)) and any(map(str.isalpha, value)) and " " not in value
    ):
        return False
    return len(value) >= 16 and entropy(value) > 3


def entropy(value: str) -> float:
    """Return a text's entropy, in bits a character, from its own letters."""
    counts = Counter(value).values()
    return -sum(count / len(value) * log2(count / len(value)) for count in counts)
