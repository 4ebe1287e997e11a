"""Responses of Gorilla's APIBench: one answer per line, ``{question_id, text, answer_id, model_id}``.

Defined by ``gorilla/eval`` of github.com/ShishirPatil/gorilla, which wrote them in the form of FastChat's evaluation. Each answer is a session of one
turn, with its text as recorded: a dictionary in Python's notation, or ``<<<api_call>>>: …`` lines, often escaped twice.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from actionledger.core.recordings import RecordedSession, RecordedTurn
from actionledger.core.vocabulary import Capture
from actionledger.imports.sources.access import text_at
from actionledger.imports.sources.base import Item, Refusal, Sample, Source
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.json_values import json_lines

_FIELDS = frozenset({"question_id", "text", "answer_id", "model_id"})


def read(path: Path, on_read: OnRead | None = None) -> Iterator[Item]:
    """Yield each answer as a session."""
    for item in json_lines(path, on_read):
        if isinstance(item, Refusal):
            yield item
            continue
        number, line = item
        if isinstance(line.get("text"), str) and text_at(line, "answer_id"):
            yield _session(line)
        else:
            yield Refusal(shown(path), number, "The line is not an answer: it needs a text and an answer_id.")


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample holds such answers: each line has their four fields."""
    lines = sample.objects
    return float(bool(lines) and all(line.keys() >= _FIELDS for line in lines))


def _session(line: Mapping[str, Any]) -> RecordedSession:
    answer = text_at(line, "answer_id")
    question = line.get("question_id")
    turn = RecordedTurn(0, text_at(line, "text"), external_id=answer, capture=Capture.TEXT)
    return RecordedSession(
        answer,
        None,
        text_at(line, "model_id"),
        f"question {question}" if isinstance(question, int | str) else "",
        (turn,),
        source=SOURCE.name,
    )


SOURCE = Source(
    "gorilla_apibench",
    "Gorilla APIBench",
    Capture.TEXT,
    read,
    recognise,
    patterns=("response_*.jsonl",),
    loses="The question, which is in a file of its own; tokens and times; whether the answer was right.",
    fields=("question_id", "text", "answer_id", "model_id"),
)
