"""What the model was told of a turn, in the order in which it was."""

import actionledger as al
from actionledger.core.vocabulary import DecisionKind
from actionledger.ledger import queries
from actionledger.runtime.execution.approval import Decision

FILES = "".join(f"<create_file><path>{name}</path><content>x</content></create_file>" for name in "ab")
APPROVED = Decision(DecisionKind.APPROVED, by="ann")


def test_each_time_that_the_turn_went_on_is_told(tmp_path) -> None:
    """First that something waits, then what came of it, with the times; the last text is what it knows in the end."""
    with (
        al.open_ledger(tmp_path / "l.duckdb") as ledger,
        al.Runtime("coder", ledger=ledger, workspace=tmp_path / "w") as runtime,
    ):
        first = runtime.handle(FILES)
        second = runtime.resume(first.turn_id, {0: APPROVED})
        third = runtime.resume(first.turn_id, {1: APPROVED})
        found = queries.turn(ledger, runtime.session_id, 0)
        [said] = queries.conversation(ledger, runtime.session_id)
    assert found is not None
    assert found.response == said
    told = said.told
    assert [each.text for each in told] == [first.feedback, second.feedback, third.feedback]
    assert [each.is_resumed for each in told] == [False, True, True]
    assert [each.at for each in told] == sorted(each.at for each in told if each.at)
    assert said.feedback == third.feedback != first.feedback


def test_the_same_text_told_again_is_told_again(tmp_path) -> None:
    """A turn that goes on without anything new."""
    with (
        al.open_ledger(tmp_path / "l.duckdb") as ledger,
        al.Runtime("coder", ledger=ledger, workspace=tmp_path / "w") as runtime,
    ):
        turn = runtime.handle(FILES)
        for _ in range(2):
            runtime.resume(turn.turn_id)
        [said] = queries.conversation(ledger, runtime.session_id)
    assert [each.text for each in said.told] == [turn.feedback] * 3
