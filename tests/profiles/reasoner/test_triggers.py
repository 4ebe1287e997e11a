"""What sets the reasoner off, and what is kept of it."""

from datetime import UTC, datetime

from .conftest import plan


def test_what_set_it_off_is_recorded_with_its_time(reasoner, ledger):
    """The turn holds what happened and when, UTC without a zone."""
    before = datetime.now(UTC).replace(tzinfo=None)
    list(reasoner(plan(), ledger=ledger).process("It rains."))
    [(prompt, occurred_at)] = ledger.sql("SELECT prompt, occurred_at FROM turns").fetchall()
    assert "It rains." in prompt
    assert before <= occurred_at <= datetime.now(UTC).replace(tzinfo=None)
