"""What responses cost by a price file."""

import json
from datetime import datetime

import pytest

import actionledger as al
from actionledger.errors import SourceError, UsageError

FILE = """
[[model]]
model = "small-*"
input = 1.0
output = 4.0
[[model]]
model = "small-2*"
since = 2026-01-01
input = 2.0
output = 8.0
cached = 0.5
cache_write = 3.0
[[model]]
model = "small-2*"
since = 2026-06-01
input = 1.5
output = 6.0
"""
TOOK = al.Usage(
    input_tokens=1_000_000, output_tokens=500_000, cached_tokens=400_000, cache_write_tokens=100_000
)


@pytest.fixture
def prices(tmp_path):
    (tmp_path / "prices.toml").write_text(FILE)
    return al.Prices.of(tmp_path / "prices.toml")


@pytest.mark.parametrize(
    ("model", "at", "cost"),
    [
        ("small-1", datetime(2026, 3, 1), 3.0),
        ("small-2b", datetime(2025, 3, 1), 3.0),
        ("some/Small-2b", datetime(2026, 3, 1), 0.5 * 2 + 0.5 * 8 + 0.4 * 0.5 + 0.1 * 3),
        ("small-2b", datetime(2026, 6, 1), 1.5 + 3),
        ("large", datetime(2026, 6, 1), None),
    ],
)
def test_the_longest_name_holds_and_of_those_the_latest(prices, model, at, cost):
    """Caches have prices of their own, or cost what input does."""
    assert prices.cost(model, TOOK, at) == (cost if cost is None else pytest.approx(cost))


def test_litellms_prices_are_taken_as_they_are(tmp_path):
    """They are per token, and most of its entries say other things as well."""
    held = {
        "sample_spec": {"input_cost_per_token": 0, "output_cost_per_token": 0},
        "pics": {"input_cost_per_pixel": 1},
        "some/small-1": {
            "input_cost_per_token": 1e-6,
            "output_cost_per_token": 2e-6,
            "cache_read_input_token_cost": 1e-7,
        },
    }
    (tmp_path / "prices.json").write_text(json.dumps(held))
    read = al.Prices.of(tmp_path / "prices.json")
    assert len(read.rows) == 1
    assert read.cost("some/small-1", TOOK) == pytest.approx(0.6 + 1.0 + 0.04)


def test_what_is_recorded_stays_and_what_has_no_price_is_named(tmp_path, prices):
    """A cost is told apart by where it comes from."""
    turns = (
        al.RecordedTurn(
            0, "a", usage=al.Usage(input_tokens=1, output_tokens=1, cost_usd=9.0), model="small-1"
        ),
        al.RecordedTurn(1, "b", usage=TOOK, model="small-1"),
        al.RecordedTurn(2, "c", usage=TOOK, model="large"),
        al.RecordedTurn(3, "d", usage=al.Usage(output_tokens=1), model="small-1"),
    )
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        report = al.import_sessions(ledger, [al.RecordedSession("s", None, "m", "", turns)], prices=prices)
        found = ledger.sql("SELECT cost_usd, cost_origin FROM turns ORDER BY turn_index").fetchall()
    assert found == [(9.0, "recorded"), (3.0, "prices"), (None, None), (None, None)]
    assert (report.priced, dict(report.unpriced)) == (1, {"large": 1})


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("model = [", SourceError),
        ("[]", SourceError),
        ("model = []", UsageError),
        ("[[model]]\nmodel = 'a'\ninput = 1", UsageError),
        ("[[model]]\nmodel = 'a'\ninput = -1\noutput = 1", UsageError),
        ("[[model]]\nmodel = 'a'\ninput = nan\noutput = 1", UsageError),
        ("[[model]]\nmodel = 'a'\ninput = 1\noutput = 1\nother = 1", UsageError),
        ("[[model]]\nmodel = 'a'\nsince = 'soon'\ninput = 1\noutput = 1", UsageError),
    ],
)
def test_a_file_that_holds_no_prices_is_refused(tmp_path, text, error):
    """With what it should hold."""
    (tmp_path / "prices.toml").write_text(text)
    with pytest.raises(error):
        al.Prices.of(tmp_path / "prices.toml")
    with pytest.raises(SourceError):
        al.Prices.of(tmp_path / "none.toml")
