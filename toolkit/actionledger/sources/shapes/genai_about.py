"""What an agent's span says of its session: how it was evaluated, as the conventions have it, and what our own export writes there."""

from collections.abc import Iterator, Mapping
from typing import Any

from actionledger.sources.access import scores_of, text_at, texts_at
from actionledger.sources.shapes.about import About
from actionledger.sources.shapes.outcomes import OWN
from actionledger.sources.shapes.spans import Span

_EVALUATED = "gen_ai.evaluation.result"


def about(span: Span, given: Mapping[str, Any]) -> About:
    """Return what an agent's span says of its session.

    Args:
        span: the span, whose events are evaluations of what the agent did.
        given: its attributes by their dotted names.
    """
    success = given.get(f"{OWN}success")
    return About(
        task=text_at(given, f"{OWN}task"),
        scores=scores_of(_evaluations(span)),
        labels=texts_at(given, f"{OWN}labels"),
        success=success if isinstance(success, bool) else None,
        reason=text_at(given, f"{OWN}end_reason"),
    )


def _evaluations(span: Span) -> Iterator[tuple[str, object]]:
    for name, fields in span.events:
        if name == _EVALUATED and (called := text_at(fields, "gen_ai.evaluation.name")):
            yield called, fields.get("gen_ai.evaluation.score.value")
