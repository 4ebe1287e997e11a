"""Tolerant JSON: text valid by RFC 8259 is read unchanged; a plainly meant value is read with named repairs.

A text goes through at most three readers, container by container; each takes what the one before can't read.
``valid`` uses the C scanner of the standard library. ``regular`` repairs faults that show in one token,
and passes the result to the scanner. ``reader`` goes token by token and knows the context; if two readings are
plausible, it refuses and names them. On request, a fourth one, ``likelier``, then takes the likelier reading. All readers use
one table of faults. Every change is noted with its place, so applying the noted changes gives the value's JSON text.

    decoding   one value at a known place, and doubts   finding    several values; a value somewhere in a text
    decoded    the result: value, repairs, places       faults     the table of faults; the options
    valid      valid JSON, in C, with its places        regular    faults that can be repaired one by one
    rewriting  a rewritten container                    reader     members and elements, keys, sums, step by step
    likelier   the likelier of two readings             containers how they are opened, filled, closed, read in one go
    brackets   brackets that don't match                state      the reader's position
    words      numbers, literals, texts without quotes  strings    strings in any quotes
    escapes    what their text stands for               endings    which quote closes a string
    contexts   what may follow a value                  patterns   the words of the grammar
    notes      repairs noted while reading
"""

from actionledger.reading.tolerant_json.decoded import Call, Decoded
from actionledger.reading.tolerant_json.decoding import decode
from actionledger.reading.tolerant_json.faults import JSON_REPAIRS, LENIENT, STRICT, DecodeOptions
from actionledger.reading.tolerant_json.finding import (
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
