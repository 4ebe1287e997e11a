"""What responses cost by a price file."""

import json
from datetime import datetime

import pytest

import actionledger as al
from actionledger.cli.summary import usage_line
from actionledger.core.errors import SourceError, UsageError
from actionledger.ledger.queries import failure_costs, price_sources, usage
from actionledger.report.failures import group_cells

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


def test_turns_that_were_there_without_a_cost_are_counted_and_grown_ones_are_priced(ledger, prices):
    """What is recorded stays; a later state of a message is recorded anew, with what it cost."""

    def told(words, tokens):
        usage = al.Usage(input_tokens=1_000_000, output_tokens=tokens)
        first = al.RecordedTurn(0, "a", usage=TOOK, external_id="m1")
        return al.RecordedSession(
            "s", None, "small-1", "", (first, al.RecordedTurn(1, words, usage=usage, external_id="m2"))
        )

    assert al.import_sessions(ledger, [told("b", 1)]).unfilled == 0
    report = al.import_sessions(ledger, [told("b, and more", 500_000)], prices=prices)
    assert (report.known, report.revised, report.priced, report.unfilled) == (1, 1, 1, 1)
    again = al.import_sessions(ledger, [told("b, and more", 500_000)], prices=prices)
    assert (again.turns, again.unfilled) == (0, 1)
    costs = ledger.sql("SELECT text, cost_usd, cost_origin FROM turns ORDER BY text").fetchall()
    assert costs == [("a", None, None), ("b, and more", 3.0, "prices")]


def test_how_much_of_a_sum_is_by_the_price_file_is_said(tmp_path, prices):
    took = al.Usage(input_tokens=1, output_tokens=1, cost_usd=9.0)
    recorded, priced = (
        al.RecordedSession(name, None, "small-1", "", (al.RecordedTurn(0, name, usage=usage),))
        for name, usage in (("r", took), ("p", TOOK))
    )
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        al.import_sessions(ledger, [recorded], prices=prices)
        assert "$9.00 as recorded (1 of 1 response)" in usage_line(usage(ledger))
        al.import_sessions(ledger, [priced], prices=prices)
        found = usage(ledger)
        assert (found.cost_usd, found.by_prices, found.by_prices_usd) == (12.0, 1, 3.0)
        assert "$12.00, $3.00 of it by prices for 1 response (2 of 2 responses)" in usage_line(found)
    with al.open_ledger(tmp_path / "m.duckdb") as ledger:
        al.import_sessions(ledger, [priced], prices=prices)
        assert "$3.00 by prices (1 of 1 response)" in usage_line(usage(ledger))


def test_what_failures_cost_says_by_whose_price(tmp_path, prices):
    """Recorded, by the price file with its day, and not recorded, counted apart: of groups, in the frame, in both tables of text."""
    took = (al.Usage(input_tokens=1, output_tokens=1, cost_usd=9.0), TOOK, al.Usage())
    turns = tuple(
        al.RecordedTurn(
            place,
            "",
            external_id=str(place),
            capture=al.Capture.CALLS,
            calls=(al.RecordedCall(str(place), "run", {}),),
            results=(al.RecordedResult(str(place), "Exit code 1", is_error=True),),
            usage=usage,
        )
        for place, usage in enumerate(took)
    )
    day = prices.dated.isoformat()
    with al.open_ledger(tmp_path / "l.duckdb", in_background=False) as ledger:
        al.import_sessions(ledger, [al.RecordedSession("s", None, "small-1", "", turns)], prices=prices)
        assert price_sources(ledger) == (f"a price file of {day}",)
        report = al.failures(ledger)
        [group] = [each for each in report.groups if each.key.code == "command_failed"]
        assert (group.spent.priced, group.spent.by_prices, group.spent.by_prices_usd) == (2, 1, 3.0)
        assert "12.00 (recorded 1, by prices 1, not recorded 1)" in group_cells(group)
        assert f"by a price file of {day}" in str(report)
        assert f"by a price file of {day}" in usage_line(usage(ledger), price_sources(ledger))
        kinds, rows = report._columns()
        [row] = [
            each for row in rows if (each := dict(zip(kinds, row, strict=True)))["reason"] == group.key.code
        ]
        named = ("cost_recorded_turns", "cost_by_prices_turns", "spent_usd_by_prices", "price_sources")
        assert [row[name] for name in named] == [1, 1, 3.0, f"a price file of {day}"]
        [whole, *_] = failure_costs(ledger)
        assert (whole.priced, whole.by_prices, whole.by_prices_usd) == (2, 1, 3.0)


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
    (tmp_path / "prices.toml").write_text(text)
    with pytest.raises(error):
        al.Prices.of(tmp_path / "prices.toml")
    with pytest.raises(SourceError):
        al.Prices.of(tmp_path / "none.toml")
