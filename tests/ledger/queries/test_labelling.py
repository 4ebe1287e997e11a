"""Labels of sources and of people, and verdicts: what they pick and how many there are, counted by hand."""

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

HOSTILE = "**bold** '; DROP TABLE reviews; -- 好"


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
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


def _picked(ledger: Ledger, within: al.Filter) -> list[tuple[str, int]]:
    """Return the turns that a filter picks, as every list of turns has them."""
    found = sorted(
        (each.external_id, each.turn_index) for each in queries.turns_behind(ledger, within, limit=None)
    )
    assert queries.count_turns_behind(ledger, within) == len(found)
    assert queries.funnel(ledger, within.given).responses == (
        len(found) if within == within.given else queries.count_turns_behind(ledger, within.given)
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
    ledger: Ledger, within: al.Filter, turns: list[tuple[str, int]]
) -> None:
    """Each turn once, however many gave it; what was withdrawn picks nothing. The list of sessions says how many of each."""
    assert _picked(ledger, within) == turns
    sessions = {each.external_id: each.matching for each in queries.sessions(ledger, within)}
    assert sessions == {name: [of for of, _ in turns].count(name) for name in {of for of, _ in turns}}
    assert queries.count_sessions(ledger, within) == len(sessions)
    narrowed = replace(within, text="turn 1")
    assert [each for each in turns if each[1] == 1] == _picked(ledger, narrowed)


def test_no_rate_is_made_within_what_people_said_after_a_look(ledger: Ledger) -> None:
    """What a source filed a session under was known before; how somebody labelled a turn was not."""
    assert queries.funnel(ledger, al.Filter(labels=("flaky",))).responses == 3
    with pytest.raises(UsageError, match="turn label flaky would be a rate within its own outcome"):
        queries.funnel(ledger, al.Filter(turn_labels=("flaky",)))


def test_a_verdict_picks_the_readings_that_somebody_judged_so(ledger: Ledger) -> None:
    """As it stands now; and no rate is made within it."""
    assert _picked(ledger, al.Filter(verdicts=("right",))) == [("ours", 2)]
    assert _picked(ledger, al.Filter(verdicts=("wrong", "unsure"))) == [("ours", 0)]
    with pytest.raises(UsageError, match="verdict wrong would be a rate within its own outcome"):
        queries.funnel(ledger, al.Filter(verdicts=("wrong",)))
    with pytest.raises(UsageError, match="'bad' is not a valid verdict; choose from right, wrong, unsure"):
        al.Filter(verdicts=("bad",))


def test_what_people_say_is_narrowed_by_labels(ledger: Ledger) -> None:
    """The reviews of the labelled turns, and of no others."""
    assert {each.turn_index for each in al.reviews(ledger, al.Filter(turn_labels=("flaky",)))} == {1}


def test_what_there_is_to_filter_by_is_counted(ledger: Ledger) -> None:
    """Labels by the turns and sessions that have them, scores with their ends, verdicts by readings."""
    assert label_counts(ledger) == [
        LabelCount(HOSTILE, 1, is_of_turns=True),
        LabelCount("flaky", 1, is_of_turns=True),
        LabelCount("flaky", 1, is_of_turns=False),
    ]
    assert score_counts(ledger) == [ScoreCount("reward", 1, 0.5, 0.5)]
    assert verdict_counts(ledger) == [VerdictCount("right", 1), VerdictCount("wrong", 1)]
    known = queries.dimensions(ledger)
    assert (known.labels, known.turn_labels) == (("flaky",), tuple(sorted([HOSTILE, "flaky"])))


def test_sessions_and_turns_say_their_labels(ledger: Ledger) -> None:
    """What a session is filed under has no turn."""
    ours, theirs = (
        queries.sessions(ledger, al.Filter(text=name))[0].session_id for name in ("ours", "theirs")
    )
    assert labelled(ledger, [ours, theirs]) == sorted(
        [Labelled(theirs, None, ("flaky",)), Labelled(ours, 1, ("flaky",)), Labelled(ours, 2, (HOSTILE,))],
        key=lambda each: (each.session_id, each.turn_index or -1),
    )
    assert labelled(ledger, [theirs]) == [Labelled(theirs, None, ("flaky",))]
