"""What a recording says of a response, as a ledger has it."""

from pathlib import Path

import pytest

import actionledger as al
from actionledger.imports.turns import known_usage
from actionledger.ledger.queries import unpriced

TOOK = al.Usage(input_tokens=1_000_000, output_tokens=100_000)


@pytest.mark.parametrize(
    ("turn", "tokens"),
    [
        (
            al.RecordedTurn(0, "cut", usage=al.Usage(input_tokens=0, output_tokens=0, cost_usd=0.0)),
            (None, None, None),
        ),
        (al.RecordedTurn(0, "cut", usage=al.Usage(input_tokens=9, output_tokens=0)), (9, None, None)),
        (al.RecordedTurn(0, "", usage=al.Usage(input_tokens=9, output_tokens=0)), (9, 0, None)),
        (al.RecordedTurn(0, "x", usage=al.Usage(output_tokens=120, reasoning_tokens=140)), (None, 260, 140)),
        (al.RecordedTurn(0, "x", usage=al.Usage(output_tokens=140, reasoning_tokens=120)), (None, 140, 120)),
    ],
)
def test_a_zero_that_nobody_counted_is_not_known(
    turn: al.RecordedTurn, tokens: tuple[int | None, int | None, int | None]
) -> None:
    """Of messages that were broken off; and thoughts are among the output, whoever counts them apart."""
    usage_ = known_usage(turn)
    assert (usage_.input_tokens, usage_.output_tokens, usage_.reasoning_tokens) == tokens
    assert usage_.cost_usd is None


def test_without_the_lists_nothing_is_guessed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns without a price are counted all the same."""
    monkeypatch.setattr("actionledger.imports.price_lists.is_installed", lambda: False)
    with al.open_ledger(tmp_path / "l.duckdb", in_background=False) as ledger:
        report = al.import_sessions(
            ledger, [al.RecordedSession("s", None, "o3", "", (al.RecordedTurn(0, "a", usage=TOOK),))]
        )
        assert (report.listed, dict(report.unpriced)) == (0, {"o3": 1})
        assert [(each.model, each.turns) for each in unpriced(ledger)] == [("o3", 1)]
