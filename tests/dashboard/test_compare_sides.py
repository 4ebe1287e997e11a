"""The comparison of more than two sides, and of two sessions."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

import actionledger as al
from actionledger.core.vocabulary import Capture

Open = Callable[..., AppTest]

COMPARE = "views/compare.py"


def tables_of(test: AppTest) -> list[dict[str, Any]]:
    """Return what the tables of a page show."""
    return [
        json.loads(one.proto.json)[0]
        for one in test.get("bidi_component")
        if one.proto.component_name == "actionledger.table"
    ]


def said(test: AppTest) -> str:
    """Return the texts of a page."""
    return "\n".join(str(each.value) for each in test.text)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten sessions of a model that always succeed, and ten of another, seven of which fail with their call."""
    path = tmp_path_factory.mktemp("models") / "models.duckdb"
    items = []
    for number in range(20):
        is_big = number < 10
        fails = number >= 13
        turn = al.RecordedTurn(
            0,
            "",
            occurred_at=datetime(2026, 3, 2, 9, number),
            capture=Capture.CALLS,
            calls=(al.RecordedCall("c", "edit", {"path": "a"}),),
            results=(al.RecordedResult("c", "done", is_error=fails),),
            usage=al.Usage(input_tokens=1, cost_usd=0.5 if is_big else 0.25),
        )
        items.append(
            al.RecordedSession(
                f"s{number}", None, "big" if is_big else "small", "", (turn,), success=not fails
            )
        )
    with al.open_ledger(path) as ledger:
        al.import_sessions(ledger, items, source="chatlog")
    return path


class TestTable:
    def test_each_side_has_its_numbers_and_a_cell_opens_its_tests(
        self, open_page: Open, models: Path
    ) -> None:
        """Ten of ten sessions against three of ten; a cell leads to the test, the test to both sides."""
        test = open_page(models, COMPARE)
        [table] = tables_of(test)
        heads = [column["label"] for column in table["columns"]]
        assert heads == [
            "Model",
            "Sessions",
            "Responses",
            "Recorded success",
            "Finished",
            "Failures per 100 calls",
            "Cost per session",
        ]
        assert [row[:2] for row in table["rows"]] == [["big", 10], ["small", 10]]
        assert [row[3] for row in table["rows"]] == [
            "100.0% (72.2% – 100.0%) of 10",
            "30.0% (10.8% – 60.3%) of 10",
        ]
        assert [row[5] for row in table["rows"]] == ["0.0 (0.0 – 27.8) of 10", "70.0 (39.7 – 89.2) of 10"]
        assert table["rows"][0][6].startswith("$0.5000 (")
        assert table["hrefs"] == ["sessions?model=big", "sessions?model=small"]
        asked = parse_qs(urlsplit(table["columns"][3]["hrefs"][0]).query)
        assert asked == {"as": ["table"], "of": ["models"], "measure": ["success"], "row": ["big"]}
        _, pairs = tables_of(open_page(models, COMPARE, **{name: each[0] for name, each in asked.items()}))
        assert pairs["rows"][0][:3] == ["small", "30.0%", "−70.0"]
        assert pairs["rows"][0][5] == "lower"
        assert pairs["columns"][5]["looks"] == ["bad"]
        assert pairs["hrefs"] == ["compare?by=models&before_model=big&after_model=small"]

    def test_a_cell_that_is_not_there_is_named(self, open_page: Open, models: Path) -> None:
        """A link of another ledger."""
        test = open_page(models, COMPARE, measure="success", row="nobody")
        assert "The link names a cell that this table does not have." in [each.value for each in test.info]

    def test_one_side_says_what_to_do(self, open_page: Open, models: Path) -> None:
        """No recording names an agent here, and all are of one source."""
        test = open_page(models, COMPARE, of="agents")
        assert "No recording here says its agent. Choose other sides above" in said(test)
        assert "All sessions are of chatlog." in said(open_page(models, COMPARE, of="sources"))


class TestTwoSessions:
    def test_both_stand_beside_each_other(self, open_page: Open, models: Path) -> None:
        """Named by their names; what each took, its tools, its turns."""
        test = open_page(
            models, COMPARE, **{"as": "two sessions", "before_session": "s0", "after_session": "s19"}
        )
        sums, tools, first, second = tables_of(test)
        told = {row[0]: row[1:] for row in sums["rows"]}
        assert told["Outcome"] == ["finished", "failed"]
        assert told["Models"] == ["big", "small"]
        assert told["Failed"] == ["0 of 1 (0.0%)", "1 of 1 (100.0%)"]
        assert told["Cost"] == ["$0.5000", "$0.2500"]
        assert tools["rows"] == [["edit", 1, 0, 1, 1]]
        assert (first["rows"][0][:3], second["rows"][0][:3]) == (["0", "", "edit"], ["0", "failed", "edit"])
        assert first["hrefs"][0].startswith("transcript?session=")

    def test_a_session_that_is_not_there_is_named(self, open_page: Open, models: Path) -> None:
        """It can be taken out of the link."""
        test = open_page(models, COMPARE, **{"as": "two sessions", "before_session": "nobody"})
        assert 'First session: there is no "nobody" here' in said(test)
