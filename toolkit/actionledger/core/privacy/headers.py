"""Secrets that are known by where they stand: in a header, a cookie, the address of a service, a command's credentials."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from actionledger.core.patterns import regex
from actionledger.core.privacy.escapes import Span
from actionledger.core.privacy.placeholders import hides_nothing

_PUNCTUATION = r"(?:\\++\"|['\" :=,\[(]|\\++[nt]){1,12}+"
"""What may stand between a header's name and its value, however both are written down."""

_SCHEME = r"(?:basic|token|apikey|api-key|key|bot|negotiate|splunk|genie)[ =]++"

_SPARSE = 400
"""Where a place begins less often than once in so many bytes, it is looked at there alone, and not for in between."""

_NO_VALUE = regex(rb"[<{$%*]|\.\.\.")


@dataclass(frozen=True)
class Place:
    """Where a secret may stand.

    Args:
        name: what the place is called.
        needs: what it begins with, in small letters.
        pattern: the place, as a regular expression over a line in small letters; group ``secret`` is what is hidden.
        values: where the secret is a list of values, what each of them looks like, its last group.
    """

    name: str
    needs: str
    pattern: str
    values: str = ""

    @cached_property
    def needles(self) -> Sequence[bytes]:
        """The text that a line in small letters must hold for the header to be searched for: its beginning."""
        return [self.needs.encode()]

    @cached_property
    def _pattern(self) -> re.Pattern[bytes]:
        return regex(self.pattern.encode())

    @cached_property
    def _values(self) -> re.Pattern[bytes]:
        return regex(self.values.encode())

    def _found(self, lowered: bytes, starts: Sequence[int]) -> Iterator[re.Match[bytes]]:
        """Yield what stands at some places, none of it twice."""
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
        """Yield where secrets stand."""
        for found in self._found(lowered, starts):
            start, end = found.span("secret")
            if self.values:
                for value in self._values.finditer(lowered, start, end):
                    yield value.span("value")
            elif not _NO_VALUE.match(lowered, start, end) and not self._says_nothing(lowered[start:end]):
                yield start, end

    def _says_nothing(self, value: bytes) -> bool:
        """Whether a value is a short word that stands for one, or the place's own name."""
        return len(value) < 30 and hides_nothing(value.decode("utf-8", "replace"), self.needs)


HEADERS: tuple[Place, ...] = (
    # RFC 6750. A credential if it has a digit or is very long, and else most likely prose.
    Place(
        "bearer token",
        "bearer ",
        r"bearer {1,4}+(?P<secret>(?=[a-z._~+/=-]*+[0-9])[a-z0-9._~+/=-]{8,}+|[a-z._~+/=-]{24,}+)",
    ),
    # RFC 7235: a scheme and what follows it, or what stands there alone.
    Place(
        "authorization header",
        "authorization",
        # Behind a comma a word is the next one of a sentence, or of a list of headers.
        rf"authorization(?=[ \\\"'\]]{{0,8}}[:=,])(?![ \\\"'\]]{{0,8}},[ \\\"']{{0,12}}(?!{_SCHEME})[a-z_-]++(?![a-z0-9._~+/=:]))"
        rf"{_PUNCTUATION}(?:{_SCHEME})?+"
        r"(?P<secret>[a-z0-9._~+/=:-]{8,}+)(?![(\[])",
    ),
    Place(
        "basic credentials",
        "basic ",
        r"basic {1,4}+(?P<secret>[a-z0-9+/]{8,}+={1,2}|(?=[a-z+/]*+[0-9])[a-z0-9+/]{24,}+)(?![a-z0-9_.=-])",
    ),
    # RFC 6265: pairs of which no one can say which are secret; short ones and attributes are not.
    Place(
        "cookie",
        "cookie",
        rf"cookie{_PUNCTUATION}(?P<secret>[^\s\"'\\=;,]{{1,100}}+=[^\"'\\\r\n]{{4,}}+)",
        r"(?<![a-z0-9_-])(?!(?:path|domain|expires|max-age|samesite|secure|httponly|priority)=)"
        r"[^\s=;,]{1,100}+=(?P<value>[^\s;,(){}\[\]`]{8,}+)(?![(){}\[\]`])",
    ),
    *(
        Place("session identifier", name, rf"{name}(?P<secret>[a-z0-9%._:-]{{12,}}+)")
        for name in ("sessid=", "sessionid=")
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
"""Every place that is looked at."""
