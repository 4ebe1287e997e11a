"""Text between the tags of XML: its escapes, and its sections of text that is taken as it is."""

import re
from xml.sax.saxutils import unescape

CDATA, CDATA_CLOSES = "<![CDATA[", "]]>"

_ESCAPE = r"&(?:lt|gt|amp|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});"
_NO_XML = re.compile(rf"<|&(?!{_ESCAPE[1:]})")
_NUMBER = re.compile(r"&#(?:x(?P<hex>[0-9a-fA-F]{1,6})|(?P<decimal>\d{1,7}));")


def unescaped(text: str) -> str:
    """Return a text without its escapes if it is XML; one with a bare sign was never escaped, and stays as it is."""
    if "&" not in text or _NO_XML.search(text):
        return text
    return unescape(_NUMBER.sub(_character, text), {"&quot;": '"', "&apos;": "'"})


def _character(escape: re.Match[str]) -> str:
    number = int(escape["hex"], 16) if escape["hex"] else int(escape["decimal"])
    is_one = number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF
    return chr(number) if is_one and chr(number) != "&" else "&amp;" if is_one else escape[0]
