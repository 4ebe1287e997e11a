"""Tolerant JSON: what RFC 8259 allows is read as it stands; what plainly was meant is read with a named repair.

A text goes through at most three readers, each of which takes what the one before it can't read, container by
container. ``valid`` hands it to the C scanner of the standard library. ``regular`` mends faults that show in one token,
and hands the result to the scanner. ``reader`` goes token by token and knows the context; where two readings are
plausible it refuses, and says which they are; for who asks for it, a fourth one then takes the likelier. What can be wrong stands in one table, which all of them work from. Every
change is noted, with its place: whoever makes all the changes that are noted has the JSON text of the value.

    decoding   one value at a known place, and doubts   finding    several values; a value somewhere in a text
    decoded    the result: value, repairs, places       faults     the table of what can be wrong; the options
    valid      valid JSON, in C, with its places        regular    faults that can be mended one by one
    rewriting  a container written anew                 reader     members and elements, keys, sums, step by step
    likelier   the likelier of two readings             containers how they are opened, filled, closed, read in one go
    brackets   brackets that don't add up               state      where reading stands
    words      numbers, literals, texts without quotes  strings    strings in any quotes
    escapes    what their text stands for               endings    which quote closes a string
    contexts   what may follow a value                  patterns   the words of the grammar
    notes      what reading leaves behind
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
