"""Which turns wait for a person, counted by hand."""

from collections.abc import Iterator

import pytest

import actionledger as al
from actionledger.ledger import queries
from actionledger.ledger.queries.reviews import Queue, count_turns_to_review, turns_to_review

CREATE = '```actions\n{"actions": [{"type": "create_task", "content": "Call Ada"}]}\n```'
TEXTS = ["<execute>1</execute>", "Well.", "<execute>2</execute>", "Hm."]


@pytest.fixture(scope="module")
def ledger(tmp_path_factory) -> Iterator[al.Ledger]:
    """A session of four turns, two of them failing; ann and bob have begun."""
    with al.open_ledger(tmp_path_factory.mktemp("queue") / "team.duckdb", in_background=False) as opened:
        for text in TEXTS:
            opened.record_turn("s", text, profile="mint")
        al.review(opened, "s", 0, by="ann", verdict="right")
        al.review(opened, "s", 1, by="bob", verdict="wrong")
        al.review(opened, "s", 1, by="bob", label="odd")
        al.review(opened, "s", 1, by="ann", label="odd")
        al.review(opened, "s", 3, by="bob", assign="ann")
        al.review(opened, "s", 3, by="bob", comment="Look.")
        gone = al.review(opened, "s", 2, by="ann", verdict="wrong")
        al.withdraw(opened, gone.review_id, by="ann")
        yield opened


@pytest.mark.parametrize(
    ("queue", "by", "expected"),
    [
        (Queue.MINE, "ann", [3]),
        (Queue.MINE, "bob", []),
        (Queue.SECOND, "ann", [1]),
        (Queue.SECOND, "bob", [0]),
        (Queue.FAILING, "ann", [1, 3]),
        (Queue.FAILING, "bob", [3]),
        (Queue.UNJUDGED, "ann", [1, 2, 3]),
        (Queue.JUDGED, "ann", [0]),
        (Queue.ALL, "", [0, 1, 2, 3]),
    ],
)
def test_a_queue_has_these_turns(ledger, queue, by, expected) -> None:
    """And as many as are counted, on whatever page."""
    found = turns_to_review(ledger, queue, by)
    assert sorted(turn.turn_index for turn in found) == expected
    assert count_turns_to_review(ledger, queue, by) == len(expected)
    assert [
        turn for at in range(len(found)) for turn in turns_to_review(ledger, queue, by, limit=1, offset=at)
    ] == found


def test_a_turn_says_what_was_said_of_it(ledger) -> None:
    """What was withdrawn isn't said, and a label that two gave stands once."""
    turns = {turn.turn_index: turn for turn in turns_to_review(ledger, Queue.ALL, "ann")}
    assert [(turns[n].judged_by, turns[n].is_mine, turns[n].is_failing) for n in range(4)] == [
        (1, True, False),
        (1, False, True),
        (0, False, False),
        (0, False, True),
    ]
    assert (turns[1].labels, turns[3].assigned_to, turns[3].comments) == (("odd",), "ann", 1)


def test_whoever_asks_which_turns_fail_is_told_the_same(tmp_path) -> None:
    """A refused action is a failure for the queue, the lists and the replay alike."""
    policy = tmp_path / "policy.toml"
    policy.write_text('[[rule]]\naction = "*"\nverdict = "reject"\nwhy = "Not today."\n')
    with al.open_ledger(tmp_path / "team.duckdb", in_background=False) as ledger:
        with al.Runtime("assistant", ledger=ledger, policy=policy) as runtime:
            for text in ("Hello.", CREATE):
                runtime.handle(text)
        within = al.Filter(is_failing=True)
        assert [turn.turn_index for turn in turns_to_review(ledger, Queue.FAILING, "ann")] == [1]
        assert [turn.turn_index for turn in queries.turns_behind(ledger, within)] == [1]
        [session] = queries.sessions(ledger, within)
        assert (session.turns, session.matching) == (2, 1)
        assert [turn.has_error for turn in queries.turns(ledger, session.session_id)] == [False, True]


def test_a_filter_narrows_a_queue(ledger) -> None:
    """Another model's turns are none of these."""
    assert count_turns_to_review(ledger, Queue.ALL, "ann", al.Filter(models=("other",))) == 0
