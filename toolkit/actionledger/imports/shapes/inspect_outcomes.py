"""What a sample of Inspect is called, was about, and came to."""

from collections.abc import Iterator, Mapping
from typing import Any

from actionledger.core.ids import derived_id
from actionledger.imports.shapes import inspect_messages
from actionledger.imports.sources.access import count_at, object_at, score_of, text_at

_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""What Inspect's own metrics make of a score that is a word."""

_DECIDED = {"C": True, "I": False, True: True, False: False}


def name(sample: Mapping[str, Any], log: Mapping[str, Any]) -> str:
    """Return what a sample is known by: its own identifier, before it had one its run, task, number and epoch."""
    run = "/".join(filter(None, (text_at(log, key) for key in ("run_id", "task_id"))))
    number = f"{sample.get('id')}/{count_at(sample, 'epoch') or 1}"
    return text_at(sample, "uuid") or (
        f"{run}/{number}" if run else derived_id("inspect", text_at(log, "created"), number)
    )


def task(sample: Mapping[str, Any]) -> str:
    """Return the first line of what the model was asked."""
    given = sample.get("input")
    told = given if isinstance(given, str) else ""
    if isinstance(given, list):
        asked = (inspect_messages.message(each) for each in given if isinstance(each, dict))
        told = next((each.text for each in asked if each.speaker == "person"), "")
    return told.strip().split("\n", 1)[0][:200]


def reason(sample: Mapping[str, Any]) -> str:
    """Return why a sample ended before its time; empty where it didn't."""
    error, limit = object_at(sample, "error"), object_at(sample, "limit")
    if error:
        return f"error: {text_at(error, 'message')}"[:200]
    return f"limit: {text_at(limit, 'type')}" if limit else ""


def metadata(sample: Mapping[str, Any], log: Mapping[str, Any]) -> dict[str, Any]:
    """Return what else is known of a sample."""
    retries = sample.get("error_retries")
    known = {
        "sample": sample.get("id") if isinstance(sample.get("id"), str | int) else None,
        "epoch": count_at(sample, "epoch"),
        "run": text_at(log, "run_id"),
        "created": text_at(log, "created"),
        "inspect_ai": text_at(object_at(log, "packages"), "inspect_ai"),
        "retries": len(retries) if isinstance(retries, list) else None,
    }
    return {key: value for key, value in known.items() if value}


def success(scores: Mapping[str, Any]) -> bool | None:
    """Return whether all scores that say right or wrong say right; None where none does."""
    values = (score.get("value") for score in scores.values() if isinstance(score, dict))
    decided = [_DECIDED[value] for value in values if isinstance(value, str | bool) and value in _DECIDED]
    return all(decided) if decided else None


def numbers(scores: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Yield each score by its name; those of a score that has several by theirs as well."""
    for name, score in scores.items():
        value = score.get("value") if isinstance(score, dict) else None
        parts = value.items() if isinstance(value, dict) else [("", value)]
        for part, each in parts:
            number = score_of(_GRADES.get(each) if isinstance(each, str) else each)
            if number is not None:
                yield f"{name}/{part}" if part else name, number
