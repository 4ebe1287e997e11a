"""Rules of alerts: what a file may say, which numbers there are, and when a rule fires."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import actionledger as al
from actionledger.cli.alerts.numbers import number_at
from actionledger.cli.alerts.rules import AlertRule, check, rules_in
from actionledger.core.errors import SourceError, UsageError
from actionledger.core.ids import now
from actionledger.ledger.queries.filters import EVERYTHING


def recorded(name: str, *errors: str, days: float = 0, cost: float | None = 1.0) -> al.RecordedSession:
    """Return a session in which a tool fails by each of some errors, or succeeds where one is empty."""
    turns = tuple(
        al.RecordedTurn(
            index,
            "",
            external_id=f"{name}.{index}",
            capture=al.Capture.CALLS,
            calls=(al.RecordedCall(f"{name}.{index}", "Read", {"path": "a"}),),
            results=(al.RecordedResult(f"{name}.{index}", error or "fine", is_error=bool(error)),),
            occurred_at=now() - timedelta(days=days),
            usage=al.Usage(input_tokens=10, output_tokens=1, cost_usd=cost),
        )
        for index, error in enumerate(errors)
    )
    return al.RecordedSession(name, None, "own-1.5", "", turns)


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """A ledger of one session of ten days ago and two of today, of which one fails in a way that is new."""
    path = tmp_path / "l.duckdb"
    with al.open_ledger(path) as opened:
        al.import_sessions(
            opened,
            [
                recorded("old", "File not found", days=10),
                recorded("new", "File not found", "Exit code 7: no disk", "", "", cost=None),
                recorded("more", *[""] * 5, cost=2.5),
            ],
        )
    return path


def found(path: Path, **rule: Any) -> tuple[float | None, bool]:
    """Return what came of a rule."""
    with al.open_ledger(path, read_only=True) as opened:
        one = check(opened, AlertRule(name="r", **rule))
    return one.value, one.fires


def test_a_sum_is_over_the_time_of_the_rule(ledger: Path) -> None:
    """And over nothing of which a cost is known, nothing is known."""
    assert found(ledger, number="usage.cost_usd", above=13.0) == (13.5, True)
    assert found(ledger, number="usage.cost_usd", above=13.0, over="1d") == (12.5, False)
    assert found(ledger, number="usage.cost_usd", below=13.0, over="1d") == (12.5, True)
    assert found(ledger, number="usage.cost_usd", above=0, only={"model": "none"}) == (None, False)


def test_a_rate_fires_with_its_whole_interval(ledger: Path) -> None:
    """Three failures of ten may be so by chance; by its value alone it fires."""
    number = "funnel.recorded_execution.failed"
    assert found(ledger, number=number, above=0.2) == (pytest.approx(0.3), False)
    assert found(ledger, number=number, above=0.2, by_interval=False) == (pytest.approx(0.3), True)
    assert found(ledger, number=number, above=0.2, by_interval=False, at_least=11) == (None, False)
    assert found(ledger, number="by_model.own-1.5.recorded_execution", below=0.9, by_interval=False)[1]


def test_a_group_of_failures_is_new_that_was_not_there_before(ledger: Path) -> None:
    """Where nothing was recorded before, nothing can be called new."""
    assert found(ledger, number="new_failure_groups", above=0, over="7d") == (1.0, True)
    assert found(ledger, number="new_failure_groups", above=0, over="52w") == (None, False)


def test_silence_is_measured_from_the_last_record(ledger: Path) -> None:
    """In minutes, whatever time the turns are of."""
    value, fires = found(ledger, number="minutes_since_last_record", above=60)
    assert value is not None
    assert 0 <= value < 10
    assert not fires
    with al.open_ledger(ledger, read_only=True) as opened:
        rule = AlertRule(name="quiet", number="minutes_since_last_record", above=60)
        assert check(opened, rule, now() + timedelta(hours=2)).fires


def test_kinds_that_there_are_none_of_count_as_0(ledger: Path) -> None:
    """But only those that there can be."""
    assert found(ledger, number="session_outcomes.failed", above=0) == (0.0, False)
    assert found(ledger, number="by_model.gpt-9.responses", above=0) == (None, False)
    with pytest.raises(UsageError, match=r"Did you mean 'failed'"):
        found(ledger, number="session_outcomes.faild", above=0)


@pytest.mark.parametrize(
    ("number", "match"),
    [
        ("usage.cost", "There is no number 'usage.cost'"),
        ("usag", "Did you mean 'usage'"),
        ("usage", "is several numbers"),
        ("new_failure_groups", "needs a time"),
    ],
)
def test_a_number_that_there_is_none_of_is_refused(ledger: Path, number: str, match: str) -> None:
    """With the nearest one, or where they are listed."""
    with pytest.raises(UsageError, match=match):
        found(ledger, number=number, above=0)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "rule: Field required"),
        ('[[rule]]\nname = "a"\nnumber = "refused"', "rule 1 .*give one bound"),
        ('[[rule]]\nname = "a"\nnumber = "refused"\nabove = 1\nbelow = 2', "give one bound"),
        ('[[rule]]\nname = "a"\nnumber = "refused"\nabove = 1\nover = "1d"', "is of the whole ledger"),
        ('[[rule]]\nname = "a"\nnumber = "usage.turns"\nabove = 1\nover = "soon"', "such as 7d"),
        (
            '[[rule]]\nname = "a"\nnumber = "usage.turns"\nabove = 1\nonly = {colour = "red"}',
            "narrows nothing",
        ),
        (
            '[[rule]]\nname = "a"\nnumber = "usage.turns"\nabove = 1\nlimit = 3',
            "there is no key 'limit'; known are name, number",
        ),
        ('[[rule]]\nname = "a\\nb"\nnumber = "usage.turns"\nabove = 1', "one line"),
        ('link = "file:///x"\n[[rule]]\nname = "a"\nnumber = "usage.turns"\nabove = 1', "begins with http"),
        ('[[rule]]\nname = "a"\nnumber = "refused"\nabove = 1\n' * 2, "two rules are called 'a'"),
    ],
)
def test_a_file_of_rules_says_what_is_wrong_with_it(tmp_path: Path, text: str, match: str) -> None:
    """Which rule, what of it, and what is allowed."""
    path = tmp_path / "alerts.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=match):
        rules_in(path)


def test_a_file_that_can_t_be_read_is_said(tmp_path: Path) -> None:
    """No TOML and no file are faults of the input."""
    with pytest.raises(SourceError, match=r"can't be read: .*check --numbers"):
        rules_in(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("[[rule]")
    with pytest.raises(SourceError, match="not TOML"):
        rules_in(tmp_path / "bad.toml")


def test_the_command_prints_writes_and_ends_with_4(
    run: Callable[..., Any], ledger: Path, tmp_path: Path
) -> None:
    """The rules that fire, in words, as JSON and as JUnit; a rule of which nothing is known fails nothing."""
    rules, junit = tmp_path / "alerts.toml", tmp_path / "j.xml"
    rules.write_text(
        '[[rule]]\nname = "cost"\nnumber = "usage.cost_usd"\nabove = 13\n'
        '[[rule]]\nname = "waits"\nnumber = "usage.latency_ms"\nabove = 13\n'
        '[[rule]]\nname = "fine"\nnumber = "usage.turns"\nabove = 100\n'
    )
    done = run("check", "--rules", rules, "-l", ledger, "--junit", junit)
    assert done.code == 4
    assert "1 rule of 3 fires." in done.out
    suite = ET.parse(junit).getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "1")
    value = json.loads(run("check", "--rules", rules, "-l", ledger, "--json").out)
    assert [(each["rule"], each["value"], each["known"], each["fires"]) for each in value] == [
        ("cost", 13.5, True, True),
        ("waits", None, False, False),
        ("fine", 10.0, True, False),
    ]
    with al.open_ledger(ledger, read_only=True) as opened:
        assert opened.sql("SELECT count(*) FROM events WHERE code = 'alert_raised'").fetchall() == [(0,)]


def test_every_number_that_is_listed_can_be_asked_for(run: Callable[..., Any], ledger: Path) -> None:
    """And what is listed is what a rule finds."""
    listed = json.loads(run("check", "--numbers", "--json", "-l", ledger).out)
    assert listed["usage.cost_usd"] == "13.5"
    assert listed["funnel.recorded_execution.failed"].startswith("0.3 (3 of 10;")
    with al.open_ledger(ledger, read_only=True) as opened:
        for path in listed.keys() - {"new_failure_groups", "minutes_since_last_record"}:
            number_at(opened, path, EVERYTHING)
