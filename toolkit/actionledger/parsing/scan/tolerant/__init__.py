"""Tolerant JSON: what RFC 8259 allows is read as it stands; what plainly was meant is read with a named repair.

A text goes through at most three readers, each of which takes what the one before it can't read, container by
container. ``valid`` hands it to the C scanner of the standard library. ``regular`` mends faults that show in one token,
and hands the result to the scanner. ``reader`` goes token by token and knows the context; where two readings are
plausible it refuses, and says which they are. Every change is noted, with its place.

    decoding   one value at a known place              finding    several values; a value somewhere in a text
    decoded    the result: value, repairs, issues, spans
    valid      valid JSON, in C                        locating   where the objects of such a value stand
    regular    faults that can be mended one by one
    reader     containers: members, elements, brackets state      where reading stands
    words      numbers, literals, texts without quotes scalars    what they stand for
    strings    where a string ends                     escapes    what its text stands for
    contexts   what may follow a value, by container   patterns   the words of the grammar
    notes      what reading leaves behind
"""

from actionledger.parsing.scan.options import JSON_REPAIRS, LENIENT, STRICT, DecodeOptions
from actionledger.parsing.scan.tolerant.decoded import Call, Decoded
from actionledger.parsing.scan.tolerant.decoding import decode
from actionledger.parsing.scan.tolerant.finding import (
    Found,
    comments_behind,
    decode_all,
    decode_nested,
    find_value,
)

__all__ = [
    "JSON_REPAIRS",
    "LENIENT",
    "STRICT",
    "Call",
    "DecodeOptions",
    "Decoded",
    "Found",
    "comments_behind",
    "decode",
    "decode_all",
    "decode_nested",
    "find_value",
]
