"""A file with a secret in it, worked on by a model that is shown asterisks for it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import actionledger as al
from actionledger.core.vocabulary import ExecutionStatus, Reason

KEY = "gh" + "p_" + "a1B2" * 9
ENV = f"HOST=a\nGITHUB={KEY}\nPORT=1\n"
SHOWN = ENV.replace(KEY, "*" * len(KEY))


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[al.Runtime]:
    """An automatic session over a file with a secret."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / ".env").write_text(ENV)
    with (
        al.open_ledger(tmp_path / "l.duckdb") as ledger,
        al.Runtime("coder", ledger=ledger, workspace=tmp_path / "work", auto=True) as opened,
    ):
        yield opened
        ledger.flush()
        feedback = [row[0] for row in ledger.sql("SELECT feedback FROM turns").fetchall()]
        assert not any(KEY in text for text in feedback)
    for path in tmp_path.rglob("*"):
        assert (
            not path.is_file() or KEY.encode() not in path.read_bytes() or path.name in {".env", "contents"}
        )


def test_a_secret_is_read_as_asterisks(runtime):
    """The model is told the file with asterisks; the record says the same."""
    turn = runtime.handle("<read_file><path>.env</path></read_file>")
    assert KEY not in turn.feedback
    assert "GITHUB=" + "*" * len(KEY) in turn.feedback


def test_a_search_for_asterisks_says_that_secrets_are_masked(runtime):
    """An edit that copies what was shown is refused with the reason; one beside the secret goes through."""
    edit = "<modify_file><path>.env</path><search>{}</search><replace>{}</replace></modify_file>"
    refused = runtime.handle(edit.format(SHOWN.splitlines()[1], "x"))
    assert refused.observations[0].reason is Reason.NO_MATCH
    assert "what you are shown of it is asterisks" in refused.feedback
    assert KEY not in refused.feedback
    assert runtime.handle(edit.format("PORT=1", "PORT=2")).observations[0].status is ExecutionStatus.SUCCEEDED


def test_asterisks_are_not_written_over_a_secret(runtime):
    """A file that is written anew from what was shown would lose its secret; that is refused, and nothing is written."""
    turn = runtime.handle(f"<create_file><path>.env</path><content>{SHOWN}NEW=1\n</content></create_file>")
    assert turn.observations[0].reason is Reason.MASKED_CONTENT
    assert (runtime.workspace / ".env").read_text() == ENV
    assert "Line 2" in turn.feedback


def test_asterisks_of_the_file_itself_are_no_masks(runtime):
    """A line of asterisks that stands in the file, or that is new, is written as it is."""
    for content in ("****\n* x *\n", "****\n* y *\n*****\n"):
        turn = runtime.handle(f"<create_file><path>x</path><content>{content}</content></create_file>")
        assert turn.observations[0].status is ExecutionStatus.SUCCEEDED
