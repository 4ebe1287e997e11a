"""The list of sessions: headings that order it, columns that are left out, times of the bar, subagents under who has called them."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from browsing import launched, served, window
from playwright.sync_api import expect
from streamlit.testing.v1 import AppTest

import actionledger as al
from actionledger.core.ids import now
from actionledger.core.vocabulary import Relation
from actionledger_dashboard.components.filters import TIMES

Open = Callable[..., AppTest]
PAGE = "views/sessions.py"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger of a session with a subagent, and of one that cost more, long ago."""
    file = tmp_path_factory.mktemp("listed") / "listed.duckdb"
    sessions = [
        al.RecordedSession(
            name,
            None,
            "own-1",
            name,
            (
                al.RecordedTurn(
                    0,
                    "Done.",
                    external_id=name,
                    occurred_at=now() - timedelta(days=days),
                    usage=al.Usage(input_tokens=5, output_tokens=1, cost_usd=cost),
                ),
            ),
            parent=parent,
            relation=Relation.SUBAGENT if parent else None,
            details=al.SessionDetails(title=f"Title {name}"),
        )
        for name, parent, days, cost in (("a", "", 1, 1.0), ("b", "a", 1, 2.5), ("c", "", 50, 9.0))
    ]
    with al.open_ledger(file) as ledger:
        al.import_sessions(ledger, sessions)
    return file


def rows_of(table: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a table by its headings."""
    labels = [column["label"] for column in table["columns"]]
    return [dict(zip(labels, row, strict=True)) for row in table["rows"]]


def test_what_all_sessions_share_is_no_column(open_page: Open, path: Path, drawn: Any) -> None:
    """One source and one profile tell no session from another, and what another column says is shown on request."""
    labels = {column["label"] for column in drawn(open_page(path, PAGE), "table")["columns"]}
    assert labels.isdisjoint({"Source", "Profile", "Parsed turns", "Success", "Capture", "Id"})
    asked = drawn(open_page(path, PAGE, also=["Id", "Capture"]), "table")["columns"]
    assert labels | {"Id"} == {column["label"] for column in asked} - {"Capture"}


def test_a_heading_leads_to_the_list_in_its_order(open_page: Open, path: Path, drawn: Any) -> None:
    """Numbers from the greatest, and the other way when it is pressed again; what else the address says stays."""
    test = open_page(path, PAGE, model="own-1", page="1")
    heads = {column["label"]: column for column in drawn(test, "table")["columns"]}
    assert heads["Started (UTC)"]["sorted"] == "descending"
    asked = parse_qs(urlsplit(heads["Cost"]["order"]).query)
    assert asked == {"model": ["own-1"], "order": ["by cost, greatest first"]}
    test = open_page(path, PAGE, order=asked["order"][0])
    table = drawn(test, "table")
    assert [row["Session"] for row in rows_of(table)] == ["Title c", "Title a", "↳ Title b"]
    heads = {column["label"]: column for column in table["columns"]}
    assert heads["Cost"]["sorted"] == "descending"
    assert parse_qs(urlsplit(heads["Cost"]["order"]).query)["order"] == ["by cost, least first"]
    assert parse_qs(urlsplit(heads["Session"]["order"]).query)["order"] == ["by session, least first"]
    assert heads["Relation"]["order"] == ""


def test_subagents_stand_under_their_caller_whose_cost_says_theirs(
    open_page: Open, path: Path, drawn: Any
) -> None:
    """Apart from its own, with how many there are."""
    table = drawn(open_page(path, PAGE), "table")
    assert table["depths"] == [0, 1, 0]
    assert [row["Cost"] for row in rows_of(table)] == ["$1.00 + $2.50 in 1 subagent", "$2.50", "$9.00"]


def test_columns_that_the_address_hides_are_left_out(open_page: Open, path: Path, drawn: Any) -> None:
    """The session's name stays."""
    test = open_page(path, PAGE, hide=["Cost", "Session", "Model"])
    labels = [column["label"] for column in drawn(test, "table")["columns"]]
    assert "Session" in labels
    assert not {"Cost", "Model", "Id"} & {*labels}
    [chosen] = [each for each in test.multiselect if each.label == "Columns"]
    assert "Tokens" in chosen.value
    chosen.set_value([each for each in chosen.value if each != "Tokens"]).run()
    assert set(test.query_params["hide"]) == {"Cost", "Session", "Model", "Tokens"}
    assert not test.exception
    labels = [column["label"] for column in drawn(open_page(path, PAGE, also="Id"), "table")["columns"]]
    assert "Id" in labels


def test_the_bar_narrows_the_time(open_page: Open, path: Path, drawn: Any) -> None:
    """The address has the day; an end of its own is called another time."""
    test = open_page(path, PAGE)
    [time] = [each for each in test.selectbox if each.label == "Time"]
    assert time.value == "All time"
    time.set_value("Last 7 days").run()
    begin = now().date() - timedelta(days=TIMES["Last 7 days"] or 0)
    assert test.query_params["since"] in (begin.isoformat(), [begin.isoformat()])
    assert {row["Session"] for row in rows_of(drawn(test, "table"))} == {"Title a", "↳ Title b"}
    test = open_page(path, PAGE, until=now().date().isoformat())
    assert [each.value for each in test.selectbox if each.label == "Time"] == ["Other"]


def test_cost_and_duration_narrow_the_list(open_page: Open, path: Path, drawn: Any) -> None:
    """By what a session itself took; what is no number is named."""
    rows = rows_of(drawn(open_page(path, PAGE, min_cost="2", max_cost="5"), "table"))
    assert [row["Session"] for row in rows] == ["Title b"]
    test = open_page(path, PAGE, min_cost="much")
    assert any('there is no "much" here' in each.value for each in test.text)


@pytest.mark.browser
@pytest.mark.slow
def test_subagents_are_unfolded_and_headings_pressed_by_keyboard(path: Path) -> None:
    """They are folded at first; what is open stays so, and the order is a step of the browser's history."""
    with served(path) as url, launched() as browser, window(browser) as context:
        page = context.new_page()
        page.goto(f"{url}/sessions")
        below = page.get_by_role("row").filter(has_text="Title b")
        button = page.get_by_role("button", name="Show the row below it")
        expect(button).to_be_visible()
        expect(below).to_be_hidden()
        button.focus()
        page.keyboard.press("Enter")
        expect(below).to_be_visible()
        page.get_by_role("button", name="Hide the row below it").click()
        expect(below).to_be_hidden()
        page.get_by_role("columnheader", name="Cost").get_by_role("link").press("Enter")
        page.wait_for_url("**order=by+cost%2C+greatest+first")
        expect(page.locator("tbody tr").first).to_contain_text("Title c")
        expect(page.locator("th[aria-sort=descending]")).to_contain_text("Cost")
        page.go_back()
        expect(page.locator("th[aria-sort=descending]")).to_contain_text("Started")
        page.set_viewport_size({"width": 390, "height": 844})
        expect(page.locator("tbody tr").first).to_be_visible()
        expect(below).to_be_hidden()
