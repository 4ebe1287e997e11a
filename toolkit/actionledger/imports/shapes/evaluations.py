"""How something was evaluated, as spans and logs of OpenTelemetry tell it: by an event of the span that it is about."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from actionledger.core.vocabulary import LeftOutReason
from actionledger.imports.shapes.about import About
from actionledger.imports.shapes.base import Passed
from actionledger.imports.shapes.spans import Span
from actionledger.imports.sources.access import score_of, text_at

_EVALUATED = "gen_ai.evaluation.result"


class Evaluation(NamedTuple):
    """One evaluation.

    Args:
        name: what was looked at; empty if unknown.
        score: its score; None if it has none.
        label: its score in a word; empty for none.
    """

    name: str
    score: float | None
    label: str


def evaluations_of(span: Span) -> tuple[Evaluation, ...]:
    """Return how what a span did was evaluated, as its events say."""
    return tuple(_read(span))


def of_session(evaluations: Iterable[Evaluation], passed: Passed) -> About:
    """Return what evaluations of an agent say of its session."""
    scores, labels = dict[str, float](), list[str]()
    for name, score, label in evaluations:
        if not name or (score is None and not label):
            passed[LeftOutReason.UNREADABLE, "score"] += 1
            continue
        if score is not None:
            scores[name] = score
        if label:
            labels.append(f"{name}={label}")
    return About(scores=scores, labels=tuple(labels))


def _read(span: Span) -> Iterator[Evaluation]:
    for event, fields in span.events:
        if event == _EVALUATED:
            score = score_of(fields.get("gen_ai.evaluation.score.value"))
            label = text_at(fields, "gen_ai.evaluation.score.label")
            yield Evaluation(text_at(fields, "gen_ai.evaluation.name"), score, label)
