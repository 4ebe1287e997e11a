"""Which turns wait for a person, and labels and verdicts: counted by hand."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.ledger import Ledger, queries
from actionledger.ledger.queries.choices import ScoreCount, score_counts
from actionledger.ledger.queries.labels import (
    LabelCount,
    Labelled,
    VerdictCount,
    label_counts,
    labelled,
    verdict_counts,
)
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


HOSTILE = "**bold** '; DROP TABLE reviews; -- 好"


@pytest.fixture(scope="module")
def labelled_ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    """Two sessions of three turns, one filed as flaky by its source; ann and bob have labelled and judged turns of the other."""
    turns = [al.RecordedTurn(number, f"Turn {number}.", external_id=f"m{number}") for number in range(3)]
    theirs = al.RecordedSession(
        "theirs", None, "m", "", tuple(turns), labels=("flaky",), scores={"reward": 0.5}
    )
    with al.open_ledger(tmp_path_factory.mktemp("labels") / "team.duckdb", in_background=False) as opened:
        al.import_sessions(opened, [theirs])
        for turn in turns:
            opened.record_turn("ours", turn.text)
        for by, turn, label in [("ann", 1, "flaky"), ("bob", 1, "flaky"), ("bob", 2, HOSTILE)]:
            al.review(opened, "ours", turn, by=by, label=label)
        gone = al.review(opened, "ours", 0, by="ann", label="flaky")
        al.withdraw(opened, gone.review_id, by="ann")
        al.review(opened, "ours", 0, by="ann", verdict="wrong")
        al.review(opened, "ours", 2, by="ann", verdict="wrong")
        al.review(opened, "ours", 2, by="ann", verdict="right")
        al.review(opened, "ours", 2, by="bob", verdict="right")
        yield opened


def _picked(labelled_ledger: Ledger, within: al.Filter) -> list[tuple[str, int]]:
    """Return the turns that a filter picks, as every list of turns has them."""
    found = sorted(
        (each.external_id, each.turn_index)
        for each in queries.turns_behind(labelled_ledger, within, limit=None)
    )
    assert queries.count_turns_behind(labelled_ledger, within) == len(found)
    assert queries.funnel(labelled_ledger, within.given).responses == (
        len(found) if within == within.given else queries.count_turns_behind(labelled_ledger, within.given)
    )
    return found


@pytest.mark.parametrize(
    ("within", "turns"),
    [
        (al.Filter(turn_labels=("flaky",)), [("ours", 1)]),
        (al.Filter(labels=("flaky",)), [("theirs", 0), ("theirs", 1), ("theirs", 2)]),
        (al.Filter(turn_labels=(HOSTILE,)), [("ours", 2)]),
        (al.Filter(turn_labels=("flaky", HOSTILE)), [("ours", 1), ("ours", 2)]),
        (al.Filter(labels=("flaky",), turn_labels=("flaky",)), []),
        (al.Filter(turn_labels=("gone",)), []),
    ],
)
def test_a_label_picks_the_turns_that_people_gave_it_or_the_sessions_that_are_filed_under_it(
    labelled_ledger: Ledger, within: al.Filter, turns: list[tuple[str, int]]
) -> None:
    """Each turn once, however many gave it; what was withdrawn picks nothing. The list of sessions says how many of each."""
    assert _picked(labelled_ledger, within) == turns
    sessions = {each.external_id: each.matching for each in queries.sessions(labelled_ledger, within)}
    assert sessions == {name: [of for of, _ in turns].count(name) for name in {of for of, _ in turns}}
    assert queries.count_sessions(labelled_ledger, within) == len(sessions)
    narrowed = replace(within, text="turn 1")
    assert [each for each in turns if each[1] == 1] == _picked(labelled_ledger, narrowed)


def test_no_rate_is_made_within_what_people_said_after_a_look(labelled_ledger: Ledger) -> None:
    """What a source filed a session under was known before; how somebody labelled a turn was not."""
    assert queries.funnel(labelled_ledger, al.Filter(labels=("flaky",))).responses == 3
    with pytest.raises(UsageError, match="turn label flaky would be a rate within its own outcome"):
        queries.funnel(labelled_ledger, al.Filter(turn_labels=("flaky",)))


def test_a_verdict_picks_the_readings_that_somebody_judged_so(labelled_ledger: Ledger) -> None:
    """As it stands now; and no rate is made within it."""
    assert _picked(labelled_ledger, al.Filter(verdicts=("right",))) == [("ours", 2)]
    assert _picked(labelled_ledger, al.Filter(verdicts=("wrong", "unsure"))) == [("ours", 0)]
    with pytest.raises(UsageError, match="verdict wrong would be a rate within its own outcome"):
        queries.funnel(labelled_ledger, al.Filter(verdicts=("wrong",)))
    with pytest.raises(UsageError, match="'bad' is not a valid verdict; choose from right, wrong, unsure"):
        al.Filter(verdicts=("bad",))


def test_what_people_say_is_narrowed_by_labels(labelled_ledger: Ledger) -> None:
    """The reviews of the labelled turns, and of no others."""
    assert {each.turn_index for each in al.reviews(labelled_ledger, al.Filter(turn_labels=("flaky",)))} == {1}


def test_what_there_is_to_filter_by_is_counted(labelled_ledger: Ledger) -> None:
    """Labels by the turns and sessions that have them, scores with their ends, verdicts by readings."""
    assert label_counts(labelled_ledger) == [
        LabelCount(HOSTILE, 1, is_of_turns=True),
        LabelCount("flaky", 1, is_of_turns=True),
        LabelCount("flaky", 1, is_of_turns=False),
    ]
    assert score_counts(labelled_ledger) == [ScoreCount("reward", 1, 0.5, 0.5)]
    assert verdict_counts(labelled_ledger) == [VerdictCount("right", 1), VerdictCount("wrong", 1)]
    known = queries.dimensions(labelled_ledger)
    assert (known.labels, known.turn_labels) == (("flaky",), tuple(sorted([HOSTILE, "flaky"])))


def test_sessions_and_turns_say_their_labels(labelled_ledger: Ledger) -> None:
    """What a session is filed under has no turn."""
    ours, theirs = (
        queries.sessions(labelled_ledger, al.Filter(text=name))[0].session_id for name in ("ours", "theirs")
    )
    assert labelled(labelled_ledger, [ours, theirs]) == sorted(
        [Labelled(theirs, None, ("flaky",)), Labelled(ours, 1, ("flaky",)), Labelled(ours, 2, (HOSTILE,))],
        key=lambda each: (each.session_id, each.turn_index or -1),
    )
    assert labelled(labelled_ledger, [theirs]) == [Labelled(theirs, None, ("flaky",))]
