"""What people say of turns: each step is an event, what stands is derived, and nothing that was said gets lost."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from effort import soaked

import actionledger as al
from actionledger.core.errors import LedgerError, UsageError
from actionledger.core.events import TurnSuperseded
from actionledger.core.ids import new_id, now
from actionledger.ledger.queries.reviews import judged, labels, review_called, reviewers
from actionledger.ledger.storage.copies import read_tables, write_database, write_tables

HOSTILE = "<img src=x onerror=alert(1)> ![x](https://evil.example/x.png) \u202e\x00"
TEXT = "😀 好. <execute>1 + 1</execute>"


@pytest.fixture
def ledger(tmp_path) -> Iterator[al.Ledger]:
    """A ledger with two sessions of two turns each."""
    with al.open_ledger(tmp_path / "team.duckdb", in_background=False) as opened:
        for session in ("one", "two"):
            for number in range(2):
                opened.record_turn(session, f"{TEXT} {number}", profile="mint", model=f"m-{session}")
        yield opened


def test_each_kind_of_thing_is_said_of_a_turn(ledger) -> None:
    """With who, when, and the stretch that is meant in code points."""
    before = now()
    said = [
        al.review(ledger, "one", 0, by="ann", verdict=al.Judgement.WRONG),
        al.review(ledger, "one", 0, by="ann", label="flaky"),
        al.review(ledger, "one", 0, by=" bob ", comment=HOSTILE, span=(0, 3)),
        al.review(ledger, "one", 1, by="ann", assign="bob"),
        al.review(ledger, "one", 1, by="ann", decision="Tell the vendor."),
    ]
    found = al.reviews(ledger)
    assert found == said
    assert [(str(each.aspect), each.value, each.reviewer, each.turn_index) for each in found] == [
        ("verdict", "wrong", "ann", 0),
        ("label", "flaky", "ann", 0),
        ("comment", HOSTILE, "bob", 0),
        ("assignment", "bob", "ann", 1),
        ("decision", "Tell the vendor.", "ann", 1),
    ]
    comment = found[2]
    assert (comment.span, comment.quote, comment.session) == (al.Span(0, 3), "😀 好", "one")
    assert all(before <= each.given_at == each.changed_at <= now() for each in found)
    assert ledger.sql("SELECT count(*) FROM events WHERE kind = 'reviewed'").fetchone() == (5,)


def test_a_change_and_a_withdrawal_are_further_events(ledger) -> None:
    """What was said first is still there, and what was withdrawn is not shown unless it is asked for."""
    said = al.review(ledger, "one", 0, by="ann", comment="To brief.", span=(2, 3))
    later = al.change(ledger, said.review_id, "Too brief.", by="ann")
    assert (later.value, later.span, later.quote, later.steps) == ("Too brief.", said.span, "好", 2)
    al.withdraw(ledger, said.review_id, by="ann")
    assert al.reviews(ledger) == []
    [left] = al.reviews(ledger, withdrawn=True)
    assert (left.value, str(left.step), left.steps) == ("Too brief.", "withdrawn", 3)
    steps = (
        "SELECT step, value FROM reviews WHERE review_id = $id::UUID ORDER BY reviewed_at, step <> 'given'"
    )
    assert ledger.sql(steps, {"id": said.review_id}).fetchall() == [
        ("given", "To brief."),
        ("changed", "Too brief."),
        ("withdrawn", "Too brief."),
    ]
    with pytest.raises(UsageError, match="was withdrawn by ann"):
        al.change(ledger, said.review_id, "Again.", by="ann")


def test_a_person_judges_a_reading_once(ledger) -> None:
    """A second verdict is a change of mind; another's is another; of another reading it is a thing of its own."""
    al.review(ledger, "one", 0, by="ann", verdict="wrong")
    al.review(ledger, "one", 0, by="ann", verdict="right")
    al.review(ledger, "one", 0, by="bob", verdict="unsure")
    again = al.reparse(ledger, parser="mint-harness").run_id
    al.review(ledger, "one", 0, by="ann", verdict="wrong", run=again)
    assert [(each.reviewer, str(each.value)) for each in judged(ledger)] == [
        ("ann", "right"),
        ("bob", "unsure"),
    ]
    assert [(each.reviewer, str(each.value)) for each in judged(ledger, al.Filter(run_id=again))] == [
        ("ann", "wrong")
    ]
    al.withdraw(ledger, al.reviews(ledger, by="bob")[0].review_id, by="bob")
    assert [each.reviewer for each in judged(ledger)] == ["ann"]


def test_saying_the_same_again_is_no_step(ledger) -> None:
    """A second press records nothing."""
    for what in ({"verdict": "wrong"}, {"label": "odd"}, {"assign": "bob"}):
        first = al.review(ledger, "one", 0, by="ann", **what)
        assert al.review(ledger, "one", 0, by="ann", **what) == first


def test_a_turn_is_one_persons(ledger) -> None:
    """Assigned to another, it is that one's; done, it is nobody's; assigned anew, it is open again."""
    al.review(ledger, "one", 0, by="ann", assign="bob")
    al.review(ledger, "one", 0, by="bob", assign="cem")
    assert al.reviews(ledger, assigned_to="bob") == []
    [mine] = al.reviews(ledger, assigned_to="cem", only_open=True)
    done = al.settle(ledger, mine.review_id, by="cem")
    assert (str(done.step), done.reviewer, done.changed_by) == ("done", "ann", "cem")
    assert al.reviews(ledger, only_open=True) == []
    with pytest.raises(UsageError, match="This assignment is done"):
        al.settle(ledger, mine.review_id, by="cem")
    al.review(ledger, "one", 0, by="ann", assign="bob")
    assert [each.value for each in al.reviews(ledger, only_open=True)] == ["bob"]


def test_nobody_speaks_for_another(ledger) -> None:
    """A comment, a label and a verdict are their author's; a decision is the team's."""
    for what in ({"comment": "No."}, {"label": "x"}, {"verdict": "wrong"}):
        said = al.review(ledger, "one", 0, by="ann", **what)
        with pytest.raises(UsageError, match="is ann's"):
            al.withdraw(ledger, said.review_id, by="bob")
    decided = al.review(ledger, "one", 0, by="ann", decision="Wait.")
    assert al.change(ledger, decided.review_id, "Don't wait.", by="bob").changed_by == "bob"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"by": "ann"}, "one thing at a time"),
        ({"by": "ann", "label": "a", "comment": "b"}, "one thing at a time"),
        ({"by": "  ", "label": "a"}, "doesn't say who reviews"),
        ({"by": "a\u202eb", "label": "a"}, "doesn't say who reviews"),
        ({"by": "ann", "verdict": "good"}, "choose one of right, wrong, unsure"),
        ({"by": "ann", "label": "two\nlines"}, "doesn't say what it is"),
        ({"by": "ann", "comment": " \n"}, "A comment has 1 to"),
        ({"by": "ann", "comment": "x" * 20_001}, "not 20,001"),
        ({"by": "ann", "comment": "x", "span": (3, 3)}, r"no stretch \[3, 3\)"),
        ({"by": "ann", "comment": "x", "span": (0, 99)}, r"no stretch \[0, 99\)"),
        ({"by": "ann", "verdict": "wrong", "run": "nothing"}, "There is no run"),
    ],
)
def test_what_is_nothing_to_say_is_refused(ledger, given, said) -> None:
    """With a sentence, and nothing is recorded."""
    with pytest.raises(UsageError, match=said):
        al.review(ledger, "one", 0, **given)
    assert al.reviews(ledger, withdrawn=True) == []


def test_what_is_not_there_is_refused(ledger, tmp_path) -> None:
    """A turn, a session, a thing that was said; and a ledger that may not be written to."""
    for session, turn in (("one", 2), ("one", -1), ("three", 0)):
        with pytest.raises(UsageError):
            al.review(ledger, session, turn, by="ann", label="x")
    for review_id in (new_id(), "nonsense"):
        with pytest.raises(UsageError, match="Nothing was said"):
            al.withdraw(ledger, review_id, by="ann")
    ledger.ingest()
    with (
        al.open_ledger(ledger.path, read_only=True) as reader,
        pytest.raises(LedgerError, match="reading only"),
    ):
        al.review(reader, "one", 0, by="ann", label="x")


def test_filters_pick_what_was_said(ledger) -> None:
    """By session, turn, kind, person, model, source and time."""
    al.review(ledger, "one", 0, by="ann", label="a")
    al.review(ledger, "one", 1, by="bob", label="b")
    last = al.review(ledger, "two", 0, by="ann", comment="c")

    def values(*args, **given) -> list[str]:
        return [each.value for each in al.reviews(ledger, *args, **given)]

    assert values(session=last.session_id) == ["c"]
    assert values(session=last.session_id, turn=1) == []
    with pytest.raises(UsageError, match="There is no session 'nonsense'"):
        values(session="nonsense")
    assert values(by="ann") == ["a", "c"]
    assert values(aspects=["label"]) == ["a", "b"]
    assert values(al.Filter(models=("m-one",))) == ["a", "b"]
    assert values(al.Filter(sources=("python",), models=("m-two",))) == ["c"]
    assert values(al.Filter(sources=("elsewhere",))) == []
    assert values(since=last.changed_at) == ["c"]
    assert values(since=last.changed_at + timedelta(days=1)) == []
    assert (reviewers(ledger), labels(ledger)) == (["ann", "bob"], ["a", "b"])


def test_a_secret_in_a_comment_is_masked(ledger) -> None:
    """As anywhere: before it reaches the disk, with its length, in the table, the events and the segment."""
    secret = "sk-ant-api03-" + "Ab3" * 31 + "-wXyZ12AA"
    said = al.review(ledger, "one", 0, by="ann", comment=f"It told {secret} away.")
    assert secret not in said.value
    assert len(said.value) == len(f"It told {secret} away.")
    folder = ledger.path.with_name(f"{ledger.path.name}.d")
    ledger.ingest()
    files = [file for file in (ledger.path, *folder.rglob("*")) if file.is_file()]
    assert files
    assert not any(secret.encode() in file.read_bytes() for file in files)


def test_what_was_said_moves_on_with_its_turn(ledger) -> None:
    """A recording that has more of a response by now takes nothing away; a judgement is of what is gone."""
    kept = al.review(ledger, "one", 0, by="ann", comment="Look.", span=(0, 1))
    al.review(ledger, "one", 0, by="ann", verdict="wrong")
    [newer] = ledger.sql(
        "SELECT turn_id::VARCHAR FROM turn_starts WHERE turn_index = 1 AND model = 'm-one'"
    ).fetchall()
    for _ in range(2):  # also where it is said after the turn has gone
        ledger.record(
            TurnSuperseded(
                event_id=new_id(),
                recorded_at=now(),
                run_id=new_id(),
                session_id=kept.session_id,
                turn_id=kept.turn_id,
                superseded_by=newer[0],
            )
        )
        ledger.ingest()
    moved = review_called(ledger, kept.review_id)
    assert (moved.turn_id, moved.turn_index, moved.value) == (newer[0], 1, "Look.")
    assert moved.is_of_earlier_state
    assert judged(ledger) == []
    al.change(ledger, kept.review_id, "Look again.", by="ann")
    ledger.ingest()
    assert review_called(ledger, kept.review_id).value == "Look again."


@pytest.mark.parametrize("way", soaked(["database", "parquet", "jsonl"], ["database", "jsonl"]))
def test_a_copy_and_what_is_made_of_it_have_all_of_it(ledger, tmp_path, way) -> None:
    """Whole, and of one session only its own."""
    for session in ("one", "two"):
        al.review(ledger, session, 0, by="ann", comment=HOSTILE, span=(0, 3))
    first, _ = al.reviews(ledger)
    for which, expected in ((None, al.reviews(ledger)), ([first.session_id], [first])):
        made = tmp_path / f"{len(expected)}.duckdb"
        if way == "database":
            write_database(ledger, made, which)
        else:
            write_tables(ledger, tmp_path / f"out{len(expected)}", way, which)
            read_tables(tmp_path / f"out{len(expected)}", made)
        with al.open_ledger(made, read_only=True) as copy:
            assert al.reviews(copy) == expected
