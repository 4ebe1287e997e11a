"""What came of a reading: exact, in doubt, refused, or silently wrong."""

import math
from typing import Any

from actionledger.core.vocabulary import RepairKind
from actionledger.reading.tolerant_json import Decoded, decode, find_value
from actionledger.reading.tolerant_json.faults import GUESSES
from broken_json.combining import Sample
from broken_json.wholes import AROUND, SEVERAL

_DOUBTS = GUESSES | {RepairKind.DROPPED_TAIL}


def judged(sample: Sample) -> str:
    """Return what our reader makes of a broken text."""
    decoded = _read(sample)
    if not decoded.ok:
        return "refused"
    says_so = bool(decoded.issues) or any(repair.kind in _DOUBTS for repair in decoded.repairs)
    if _is_exact(decoded.value, sample) and (says_so or not needs_issue(sample)):
        return "exact"
    return "in doubt" if says_so else "wrong"


def needs_issue(sample: Sample) -> bool:
    """Return whether more was there than a value can show: another one, or what the end cut off."""
    return sample.faults[-1] in SEVERAL or sample.faults[-1] == "cut off"


def _read(sample: Sample) -> Decoded:
    if any(name in AROUND for name in sample.faults):
        return find_value(sample.text).decoded
    return decode(sample.text, end=None if sample.faults[-1] == "cut off" else len(sample.text))


def _is_exact(value: Any, sample: Sample) -> bool:
    if sample.faults[-1] == "cut off":
        return begins(value, sample.value)
    return same(value, sample.value)


def same(one: Any, other: Any) -> bool:
    """Return whether two values are equal, True and 1 told apart."""
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def begins(part: Any, whole: Any) -> bool:
    """Return whether a value may be the beginning of another one."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and begins(inner, whole[key]) for key, inner in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) <= len(whole) and all(begins(*pair) for pair in zip(part, whole, strict=False))
    if isinstance(part, str) and isinstance(whole, str):
        return whole.startswith(part)
    return same(part, whole)
