"""Which texts take two or four bytes for each character: where their mark says so, or where their first line leaves no doubt."""

import codecs

_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),  # before UTF-16's, which it begins with
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_UNMARKED = ("UTF-32LE", "UTF-32BE", "UTF-16LE", "UTF-16BE")
_LONGEST_LINE = 64 * 1024


def wide_encoding_of(head: bytes) -> str:
    """Return the encoding of a text of wide characters, by iconv's name; empty for any other text, and where it isn't certain.

    Read with its bytes the wrong way round, a line end is U+0A00, which nothing is: so one encoding at most gives a whole first line.
    """
    if marked := next((name for mark, name in _MARKS if head.startswith(mark)), ""):
        return marked
    fitting = [name for name in _UNMARKED if b"\0" in head and _has_first_line(head, name)]
    return fitting[0] if len(fitting) == 1 else ""


def told(encoding: str) -> str:
    """Return what a file of an encoding is and what makes one of it that is read, the end of a sentence."""
    mark = "" if encoding in {"UTF-16", "UTF-32"} else " without a byte order mark"
    return f"in {encoding}{mark}: iconv -f {encoding} -t UTF-8 FILE makes one that is read"


def _has_first_line(head: bytes, encoding: str) -> bool:
    """Return whether there is a line of characters that can be seen."""
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(head[:_LONGEST_LINE])
    except UnicodeDecodeError:
        return False
    line, line_end, _ = text.partition("\n")
    seen = line.removesuffix("\r").replace("\t", "")
    return bool(line_end and seen) and seen.isprintable()
