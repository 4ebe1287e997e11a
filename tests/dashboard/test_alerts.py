"""The page of alerts: what was raised, which rules go on, and how to begin."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

import actionledger as al
from actionledger.cli.alerts.raising import raise_alerts
from actionledger.cli.alerts.rules import rules_in

PAGE = "views/alerts.py"


def raised(ledger: Path, folder: Path, text: str) -> None:
    """Raise what the rules of a text fire."""
    (folder / "alerts.toml").write_text(text)
    raise_alerts(ledger, rules_in(folder / "alerts.toml"), lambda _: None)


def test_alerts_are_listed_with_those_that_go_on(
    open_page: Callable[..., AppTest], drawn: Any, tmp_path: Path
) -> None:
    """The newest first; before there is one, the page says how to write a rule."""
    path = tmp_path / "l.duckdb"
    with al.open_ledger(path) as ledger:
        ledger.record_turn("s1", "Well.", profile="mint")
    assert "No alert has been raised" in open_page(path, PAGE).text[0].value
    rule = '[[rule]]\nname = "<b>many</b>"\nnumber = "usage.turns"\nabove = {}\n'
    raised(path, tmp_path, rule.format(0))
    raised(path, tmp_path, rule.format(5))
    raised(
        path, tmp_path, rule.format(0) + '[[rule]]\nname = "few"\nnumber = "funnel.responses"\nbelow = 5\n'
    )
    raised(path, tmp_path, '[[rule]]\nname = "few"\nnumber = "funnel.responses"\nbelow = 1\n')
    test = open_page(path, PAGE)
    assert test.text[0].value == "3 alerts; 1 rule firing now."
    table = drawn(test, "table")
    labels = [column["label"] for column in table["columns"]]
    rows = [dict(zip(labels, row, strict=True)) for row in table["rows"]]
    assert sorted((row["Rule"], row["It was"], row["Fires"], row["Now"]) for row in rows) == [
        ("<b>many</b>", "1", "above 0", "fires"),
        ("<b>many</b>", "1", "above 0", "over"),
        ("few", "1", "below 5", "over"),
    ]
