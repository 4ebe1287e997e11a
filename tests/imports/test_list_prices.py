"""What responses cost by their providers' lists: of which day, for whom, and that what is recorded or told overrules them."""

import socket
from datetime import datetime, time
from pathlib import Path
from types import SimpleNamespace

import pytest

import actionledger as al
from actionledger.cli.summary import cost_lines, usage_line
from actionledger.core.recordings import Billed
from actionledger.imports import turn_usage
from actionledger.imports.prices import Price, cost_of
from actionledger.imports.sources.usage import with_billed
from actionledger.imports.turn_usage import list_price, price_list
from actionledger.ledger.queries import billed_beside, price_sources, unpriced, usage

TOOK = al.Usage(input_tokens=1_000_000, output_tokens=100_000)
IN_MAY = datetime(2025, 5, 1, 12)
IN_JULY = datetime(2025, 7, 1, 12)


pytest.importorskip("genai_prices")


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a price was asked of a network")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def session(*turns: al.RecordedTurn, model: str = "o3") -> al.RecordedSession:
    return al.RecordedSession("s", None, model, "", turns)


def test_a_list_has_days() -> None:
    """A price that came down holds from that day on; without a time the latest one."""
    before, after = list_price("o3", IN_MAY), list_price("o3", IN_JULY)
    assert before is not None
    assert after is not None
    assert (before.input, before.output, after.input, after.output) == (10, 40, 2, 8)
    assert list_price("o3") == after
    held = price_list()
    assert held is not None
    assert IN_JULY.date() < held.dated <= datetime.now().date()  # noqa: DTZ005 - a day is near enough


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("anthropic/claude-sonnet-4-5", "claude-sonnet-4-5"),
        ("Claude-Sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("openrouter/anthropic/claude-sonnet-4-5", "claude-sonnet-4-5"),
        ("global.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
    ],
)
def test_a_model_goes_by_several_names(name: str, same: str) -> None:
    """A provider's name before it, capitals, a day behind it."""
    found, meant = list_price(name, IN_JULY), list_price(same, IN_JULY)
    assert found is not None
    assert meant is not None
    assert (found.input > 0, found.output) == (True, meant.output)


@pytest.mark.parametrize(
    "name",
    ["", "m", "ollama/llama3.2", "ollama/deepseek-chat", "qwen3:8b", "<synthetic>", "a/" * 999, "\x00(*"],
)
def test_what_runs_at_home_and_what_nobody_lists_has_no_price(name: str) -> None:
    """Nothing a model is called goes wrong."""
    assert list_price(name) is None


def test_our_sums_are_the_packages_own() -> None:
    """With caches, kept for minutes and for an hour, and long inputs: counted once more by the package."""
    from genai_prices import Usage, calc_price

    for shown in (1_000, 250_000):
        for model in ("claude-sonnet-4-5", "claude-opus-4-5", "gpt-5", "gemini-2.5-pro", "o3"):
            usage = with_billed(
                al.Usage(
                    input_tokens=shown,
                    output_tokens=321,
                    cached_tokens=shown // 2,
                    cache_write_tokens=shown // 4,
                ),
                [Billed(kind="ephemeral_1h_input_tokens", long_writes=shown // 8, is_own=True)],
            )
            theirs = calc_price(
                Usage(
                    input_tokens=shown,
                    output_tokens=321,
                    cache_read_tokens=shown // 2,
                    cache_write_tokens=shown // 4,
                    cache_write_1h_tokens=shown // 8,
                ),
                model,
                genai_request_timestamp=IN_JULY.astimezone(),
            )
            assert cost_of(list_price, model, usage, IN_JULY) == pytest.approx(float(theirs.total_price)), (
                model
            )


def test_recorded_then_told_then_listed(tmp_path: Path) -> None:
    """Each cost says which it is, and of which day; what has none is named."""
    turns = (
        al.RecordedTurn(0, "a", usage=al.Usage(input_tokens=1, output_tokens=1, cost_usd=9.0), model="o3"),
        al.RecordedTurn(1, "b", usage=TOOK, model="mine"),
        al.RecordedTurn(2, "c", usage=TOOK, model="o3", occurred_at=IN_JULY),
        al.RecordedTurn(3, "d", usage=TOOK, model="home-made"),
        al.RecordedTurn(4, "e", usage=al.Usage(output_tokens=1), model="o3"),
    )
    prices = al.Prices((Price(model="mine", input=1.0, output=1.0),))
    with al.open_ledger(tmp_path / "l.duckdb", in_background=False) as ledger:
        report = al.import_sessions(ledger, [session(*turns)], prices=prices)
        asked = "SELECT cost_usd, cost_origin FROM turns ORDER BY turn_index"
        found = ledger.sql(asked).fetchall()
        assert found == [
            (9.0, "recorded"),
            (1.1, "prices"),
            (2.8, "list_prices"),
            (None, None),
            (None, None),
        ]
        assert (report.priced, report.listed, dict(report.unpriced)) == (1, 1, {"home-made": 1})
        again = al.import_sessions(
            ledger, [session(*turns)], prices=al.Prices((Price(model="*", input=50.0, output=50.0),))
        )
        assert (again.turns, ledger.sql(asked).fetchall()) == (0, found)
        held = price_list()
        assert held is not None
        assert price_sources(ledger) == ("a price file", f"list prices of {held.dated} ({held.package})")
        assert "$12.90, $3.90 of it by a price file and list prices of 2" in usage_line(
            usage(ledger), price_sources(ledger)
        )
        assert [(each.model, each.turns) for each in unpriced(ledger)] == [("home-made", 1)]
        [line] = cost_lines([], unpriced(ledger))
        assert line.startswith("No cost is known for 1 response of home-made. No price list has them; ")


def test_what_is_billed_beside_is_in_the_sums_and_named(tmp_path: Path) -> None:
    """An advisor at its own model's price, searches by their number."""
    beside = [
        Billed(kind="advisor_message", model="o3", input_tokens=1_000_000),
        Billed(kind="web_search_requests", requests=3),
    ]
    usage_ = with_billed(al.Usage(input_tokens=1_000_000, output_tokens=0), beside)
    turn = al.RecordedTurn(0, "", usage=usage_, model="gpt-5", occurred_at=IN_JULY)
    with al.open_ledger(tmp_path / "l.duckdb", in_background=False) as ledger:
        al.import_sessions(ledger, [session(turn, model="gpt-5")])
        assert usage(ledger).input_tokens == 2_000_000
        assert usage(ledger).cost_usd == pytest.approx(1.25 + 2.0 + 0.03)
        found = billed_beside(ledger)
        assert [(each.kind, each.model, each.times, each.input_tokens, each.requests) for each in found] == [
            ("advisor_message", "o3", 1, 1_000_000, 0),
            ("web_search_requests", "", 1, 0, 3),
        ]
        [line] = cost_lines(found, [])
        assert "advisor_message of o3 1 time (1,000,000 tokens in, 0 out)" in line
        assert "web_search_requests 1 time (3 requests)" in line


def test_what_the_lists_say_of_a_model_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The next process asks no list for it, nor finds its name; other lists are asked anew, and so is a price by the time of day."""
    from genai_prices.types import ConditionalPrice, ModelInfo, ModelPrice, TimeOfDateConstraint

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    forget = (turn_usage._kept.cache_clear, turn_usage._steps.cache_clear)
    [clear() for clear in forget]
    before, none, held = list_price("o3", IN_MAY), list_price("home-made"), price_list()
    [kept] = (tmp_path / "actionledger").iterdir()
    assert b"home-made" not in kept.read_bytes()
    [clear() for clear in (*forget, price_list.cache_clear)]
    with monkeypatch.context() as unasked:
        unasked.setattr(turn_usage, "_lists", None)
        assert (list_price("o3", IN_MAY), list_price("home-made"), price_list()) == (before, none, held)
        assert list_price("O3 ", IN_JULY) != before
    [clear() for clear in forget]
    at_night = ConditionalPrice(
        TimeOfDateConstraint(time(0), time(6)), prices=ModelPrice(input_mtok=1, output_mtok=2)
    )
    by_day = ConditionalPrice(None, prices=ModelPrice(input_mtok=3, output_mtok=4))
    found = SimpleNamespace(id="o3", prices=[by_day, at_night])
    found.get_prices = lambda at: ModelInfo.get_prices(found, at)
    monkeypatch.setattr(turn_usage, "_key", lambda: b"others\n")
    monkeypatch.setattr(turn_usage, "_model", lambda _name: found)
    assert [list_price("o3", datetime(2025, 5, 1, hour)).input for hour in (3, 12)] == [1, 3]
    [clear() for clear in forget]
