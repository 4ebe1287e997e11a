"""What a source gives, taken apart; and what it may give, whatever its file holds: each thing is of the type that a ledger takes."""

from collections import Counter
from collections.abc import Iterable, Sequence

from actionledger.core.recordings import RecordedSession, RecordedTurn
from actionledger.core.vocabulary import LeftOutReason
from actionledger.imports.sources.base import Item, LeftOut, Refusal, Wording
from actionledger.imports.sources.wordings import judged


def sessions(items: Iterable[Item]) -> list[RecordedSession]:
    """Return the sessions among what a source gave."""
    return [each for each in items if isinstance(each, RecordedSession)]


def left_out(items: Iterable[Item]) -> Counter[tuple[LeftOutReason, str]]:
    """Return how much was left out for each reason and detail."""
    return Counter({(each.reason, each.detail): each.count for each in items if isinstance(each, LeftOut)})


def check_items(items: Iterable[Item], wordings: Sequence[Wording]) -> None:
    """See that all of it can be recorded."""
    for item in items:
        assert isinstance(item, RecordedSession | LeftOut | Refusal)
        if isinstance(item, LeftOut):
            assert item.count > 0
            assert len(item.detail) <= (240 if item.reason is LeftOutReason.UNKNOWN_KIND else 40)
        elif isinstance(item, RecordedSession):
            _check_session(item, wordings)


def _check_session(session: RecordedSession, wordings: Sequence[Wording]) -> None:
    assert isinstance(session.external_id, str)
    assert session.external_id
    assert isinstance(session.model, str)
    assert all(isinstance(each, float) for each in session.scores.values())
    assert len({turn.index for turn in session.turns}) == len(session.turns)
    for turn in session.turns:
        _check_turn(turn, wordings)
    for result in session.results:
        assert judged(result, wordings).status


def _check_turn(turn: RecordedTurn, wordings: Sequence[Wording]) -> None:
    usage = turn.usage
    texts = (turn.text, turn.external_id, turn.model, turn.tools, turn.reasoning, usage.finish_reason)
    assert all(isinstance(each, str) for each in texts)
    counts = (usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.reasoning_tokens)
    assert all(each is None or (isinstance(each, int) and each >= 0) for each in counts)
    for call in turn.calls:
        assert isinstance(call.call_id, str)
        assert isinstance(call.name, str)
        assert isinstance(call.arguments, str | dict)
        assert call.at is None or call.at >= 0  # one behind the end is read as the end
    for result in turn.results:
        assert isinstance(result.call_id, str)
        assert judged(result, wordings).status
