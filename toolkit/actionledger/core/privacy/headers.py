"""Secrets that are recognised by their place: in a header, a cookie, a service's address, or a command's credentials."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from actionledger.core.patterns import regex
from actionledger.core.privacy.escapes import Span
from actionledger.core.privacy.placeholders import hides_nothing

_PUNCTUATION = r"(?:\\++\"|['\" :=,\[(]|\\++[nt]){1,12}+"
"""The characters between a header's name and its value, in any notation."""

_SCHEME = r"(?:basic|token|apikey|api-key|key|bot|negotiate|splunk|genie)[ =]++"

_SPARSE = 400
"""If a place's literal is rarer than once in this many bytes, only its positions are matched; otherwise the whole rest is searched."""

_NO_VALUE = regex(rb"[<{$%*]|\.\.\.")


@dataclass(frozen=True)
class Place:
    """A place of secrets."""

    name: str
    needs: str  # the literal that it begins with, in lower case
    pattern: str  # the place, as a regular expression over a line in lower case; group `secret` is masked
    values: str = ""  # the pattern of one value, in its group `value`, if the secret is a list of values

    @cached_property
    def needles(self) -> Sequence[bytes]:
        """The literal that it begins with; a line in lower case without it has no such place."""
        return [self.needs.encode()]

    @cached_property
    def _pattern(self) -> re.Pattern[bytes]:
        return regex(self.pattern.encode())

    @cached_property
    def _values(self) -> re.Pattern[bytes]:
        return regex(self.values.encode())

    def _found(self, lowered: bytes, starts: Sequence[int]) -> Iterator[re.Match[bytes]]:
        """Yield the matches at some positions, without overlaps."""
        if len(lowered) < _SPARSE * len(starts):
            yield from self._pattern.finditer(lowered, starts[0])
            return
        position = 0
        for start in starts:
            found = self._pattern.match(lowered, start) if start >= position else None
            if found is not None:
                position = found.end()
                yield found

    def spans(self, _text: bytes, lowered: bytes, starts: Sequence[int]) -> Iterator[Span]:
        """Yield the spans of secrets."""
        for found in self._found(lowered, starts):
            start, end = found.span("secret")
            if self.values:
                for value in self._values.finditer(lowered, start, end):
                    yield value.span("value")
            elif not _NO_VALUE.match(lowered, start, end) and not self._says_nothing(lowered[start:end]):
                yield start, end

    def _says_nothing(self, value: bytes) -> bool:
        """Return whether a value is a short placeholder, or the place's own name."""
        return len(value) < 30 and hides_nothing(value.decode("utf-8", "replace"), self.needs)


HEADERS: tuple[Place, ...] = (
    # RFC 6750. It is a credential if it has a digit or is very long; otherwise it is probably prose.
    Place(
        "bearer token",
        "bearer ",
        r"bearer {1,4}+(?P<secret>(?=[a-z._~+/=-]*+[0-9])[a-z0-9._~+/=-]{8,}+|[a-z._~+/=-]{24,}+)",
    ),
    # RFC 7235: a scheme and its credentials, or credentials alone.
    Place(
        "authorization header",
        "authorization",
        # A word after a comma continues a sentence, or a list of headers.
        rf"authorization(?=[ \\\"'\]]{{0,8}}[:=,])(?![ \\\"'\]]{{0,8}},[ \\\"']{{0,12}}(?!{_SCHEME})[a-z_-]++(?![a-z0-9._~+/=:]))"
        rf"{_PUNCTUATION}(?:{_SCHEME})?+"
        r"(?P<secret>[a-z0-9._~+/=:-]{8,}+)(?![(\[])",
    ),
    Place(
        "basic credentials",
        "basic ",
        r"basic {1,4}+(?P<secret>[a-z0-9+/]{8,}+={1,2}|(?=[a-z+/]*+[0-9])[a-z0-9+/]{24,}+)(?![a-z0-9_.=-])",
    ),
    # RFC 6265: pairs, of which any may be secret, except short ones and attributes.
    Place(
        "cookie",
        "cookie",
        rf"cookie{_PUNCTUATION}(?P<secret>[^\s\"'\\=;,]{{1,100}}+=[^\"'\\\r\n]{{4,}}+)",
        r"(?<![a-z0-9_-])(?!(?:path|domain|expires|max-age|samesite|secure|httponly|priority)=)"
        r"[^\s=;,]{1,100}+=(?P<value>[^\s;,(){}\[\]`]{8,}+)(?![(){}\[\]`])",
    ),
    *(
        Place("session identifier", name, rf"{name}(?P<secret>[a-z0-9%._:-]{{12,}}+)")
        for name in ("sessid=", "sessionid=", "gitlab_session=")
    ),
    # RFC 3986: user:password@host
    Place(
        "password in an address",
        "://",
        r"://[^\s/?#:@\"'\\<>]{0,100}+:(?P<secret>(?!(?:[*]+|\$\{?[a-z_]++\}?|\{[^{}@]*+\}|<[^<>@]*+>)@)[^\s/?#@\"'\\<>]{1,300}+)@",
    ),
    # curl -u user:password, wget --user=…
    Place(
        "credentials of a command",
        " -u",
        r" -u(?: |=|\\++\"|'){0,3}[a-z0-9_.@+-]{1,100}:(?P<secret>[^\s\"'\\$]{3,200}+)",
    ),
    Place(
        "credentials of a command",
        "--user ",
        r"--user (?:\\++\"|')?[a-z0-9_.@+-]{1,100}:(?P<secret>[^\s\"'\\$]{3,200}+)",
    ),
    # AWS, Signature Version 4
    Place("signature of a request", "x-amz-signature=", r"x-amz-signature=(?P<secret>[a-f0-9]{32,}+)"),
)
"""All places that are searched."""
