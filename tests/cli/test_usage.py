"""``usage`` and ``tools``: the same rows as in Python, and sentences for what is wrong."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import actionledger as al


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A ledger of two sessions of two days, one of which costs something."""
    call = al.RecordedCall("c", "Read", {"path": "a"})
    bad = al.RecordedResult("c", "Exit code 1", is_error=True)
    used = al.Usage(input_tokens=1000, cached_tokens=400, output_tokens=20, cost_usd=1.25)
    sessions = [
        al.RecordedSession(
            f"s{number}",
            None,
            "m",
            "",
            (
                al.RecordedTurn(
                    0,
                    "",
                    external_id=f"m{number}",
                    capture=al.Capture.CALLS,
                    calls=(call,),
                    results=(bad,),
                    usage=usage,
                ),
            ),
            details=al.SessionDetails(title=title, project="/work/shop"),
        )
        for number, (title, usage) in enumerate([("Mend \x1b[31mit", used), ("Look", al.Usage())])
    ]
    file = tmp_path / "l.duckdb"
    with al.open_ledger(file) as ledger:
        al.import_sessions(ledger, sessions)
    return file


def test_usage_is_printed_by_its_groups(run: Callable[..., Any], path: Path) -> None:
    """With a row for all of them; a title does nothing to a terminal."""
    done = run("usage", "--by", "project,session", "-l", path)
    assert done.code == 0
    assert "\x1b" not in done.out
    lines = [line.split() for line in done.out.splitlines()]
    assert ["all", "2", "2", "2", "2", "1,000", "400", "20", "1.25", "1.25"] in lines
    assert any("Mend" in line and "/work/shop" in line for line in done.out.splitlines())


def test_usage_as_json_is_the_frame(run: Callable[..., Any], path: Path) -> None:
    """Row by row, with the sums of all of them."""
    found = json.loads(run("usage", "--by", "session", "--json", "-l", path).out)
    with al.open_ledger(path, read_only=True) as ledger:
        rows = [dict(row) for row in al.usage(ledger, by="session")]
    assert [row["session_id"] for row in found["rows"]] == [row["session_id"] for row in rows]
    assert found["total"]["cost_usd"] == 1.25
    assert found["by"] == ["session"]


def test_tools_are_printed_with_what_they_fail_by(run: Callable[..., Any], path: Path) -> None:
    """A rate never stands without how many it is of."""
    [row] = json.loads(run("tools", "--json", "-l", path).out)
    assert (row["name"], row["calls"], row["reason"], row["cost_usd"]) == ("Read", 2, "command_failed", 1.25)
    assert (row["failure"]["successes"], row["failure"]["count"]) == (2, 2)
    assert (row["recovery"]["successes"], row["recovery"]["count"], row["recovery_turns"]) == (0, 2, None)
    printed = run("tools", "-l", path).out
    assert "command_failed (2)" in printed
    assert "0 of 2" in printed


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("usage", "--by", "colour"), "'colour' is not a group of usage; choose from day, week"),
        (("usage", "--project", "/nowhere"), "There is no project '/nowhere'"),
        (("usage", "--since", "2030-01-01"), "No response fits"),
        (("usage", "--by", "", "--since", "2030-01-01"), "No response fits"),
        (("tools", "--since", "2030-01-01"), "No response that fits calls a tool"),
    ],
)
def test_what_is_not_there_is_said(
    run: Callable[..., Any], path: Path, options: tuple[str, ...], said: str
) -> None:
    """A wrong use ends with 2, and nothing to show with 0."""
    done = run(*options, "-l", path)
    assert said in done.out + done.err
    assert done.code == (0 if "fits" in said else 2)
