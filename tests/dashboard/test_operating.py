"""The pages of who keeps a ledger: alerts, what goes on, a question of one's own, how the ledger is."""

import json
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import actionledger as al
import actionledger_dashboard
from actionledger.cli.alerts.raising import raise_alerts
from actionledger.cli.alerts.rules import rules_in
from actionledger.core.errors import UsageError
from actionledger.core.events import SessionFinished
from actionledger.core.ids import derived_id, now
from actionledger.core.vocabulary import ExecutionStatus, Outcome, Reason
from actionledger.ledger import Ledger, open_ledger, queries
from actionledger.ledger.saved import Saved
from actionledger_dashboard.components import statements
from actionledger_dashboard.components.charts import rows_chart, too_many
from actionledger_dashboard.data import saved

HEALTH, LIVE, SQL = "views/health.py", "views/live.py", "views/sql.py"

Open = Callable[..., AppTest]
Drawn = Callable[[AppTest, str], dict[str, Any]]


def texts(test: AppTest) -> str:
    """Return all that a page says in its own words."""
    kinds = ("subheader", "text", "info", "caption", "warning")
    return "\n".join(str(element.value) for kind in kinds for element in test.get(kind))


def command(test: AppTest) -> str:
    """Return the command that a page shows."""
    [shown] = [one for one in test.get("bidi_component") if one.proto.component_name == "actionledger.exact"]
    return str(json.loads(shown.proto.json)[0]["text"])


def run(test: AppTest, statement: str) -> AppTest:
    """Write a statement and have it run."""
    test.text_area[0].set_value(statement)
    [button] = [each for each in test.button if each.label.startswith("Run")]
    button.click().run()
    assert not test.exception
    return test


def table(test: AppTest) -> list[list[Any]] | None:
    """Return the rows of the table of an answer; None where there is none."""
    shown = [one for one in test.get("bidi_component") if one.proto.component_name == "actionledger.table"]
    return json.loads(shown[0].proto.json)[0]["rows"] if shown else None


REFUSED = [
    ("SELECT nope FROM turns", "can't be run"),
    ("", "no statement"),
    ("SELECT 1; SELECT 2", "2 statements"),
    ("ATTACH 'other.duckdb'", "a ledger is asked, not changed"),
    ("INSTALL httpfs", "a ledger is asked, not changed"),
    ("FROM read_text('/etc/passwd')", "can't be run"),
    ("SELECT getenv('HOME')", "can't be run"),
]
"""What is no question to the ledger, and what is said of it; more of them: ``tests/ledger/test_guarded.py``."""


class TestSql:
    def test_a_statement_is_answered_as_it_stands_in_the_ledger(self, open_page: Open, sample: Path) -> None:
        """A table of its rows, a chart of its numbers, and how it is asked in the link."""
        statement = "SELECT outcome, count(*) AS n FROM parse_attempts WHERE run_kind NOT IN ('reparse', 'rerun') GROUP BY ALL ORDER BY ALL"
        test = run(open_page(sample, SQL), statement)
        with open_ledger(sample, read_only=True) as ledger:
            assert table(test) == [list(row) for row in ledger.sql(statement).fetchall()]
        assert test.query_params["q"] == statement
        assert test.get("vega_lite_chart")
        assert [button.proto.label for button in test.get("download_button")] == ["Download 5 as CSV"]

    def test_a_link_writes_a_statement_and_does_not_run_it(self, open_page: Open, sample: Path) -> None:
        """Whoever sends a link has nothing run in another's name."""
        test = open_page(sample, SQL, q="SELECT 42 AS x")
        assert test.text_area[0].value == "SELECT 42 AS x"
        assert table(test) is None
        assert table(run(test, "SELECT 42 AS x")) == [[42]]

    def test_what_does_not_read_the_ledger_is_refused_in_words(
        self, open_page: Open, sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """No file is read or written, nothing of the answer before stays, and the page goes on."""
        monkeypatch.chdir(tmp_path)
        test = open_page(sample, SQL)
        for statement, said in REFUSED:
            run(test, statement)
            assert (said in texts(test), table(test)) == (True, None), statement
        assert list(tmp_path.iterdir()) == []
        assert table(run(test, "SELECT count(*) FROM turns")) == [[7]]

    def test_a_statement_without_an_end_is_stopped(
        self, open_page: Open, sample: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It says after how long."""
        monkeypatch.setattr(statements, "SECONDS", 0.3)
        test = run(
            open_page(sample, SQL), "SELECT count(*) FROM range(100000000000) WHERE hash(range) % 7 = 1"
        )
        assert "took longer than 0.3 seconds" in texts(test)

    def test_of_many_rows_the_first_are_kept_and_the_rest_is_said(
        self, open_page: Open, sample: Path
    ) -> None:
        """A page of them is shown."""
        test = run(open_page(sample, SQL), f"SELECT range AS n FROM range({statements.ROWS + 1})")
        assert f"the first {statements.ROWS:,} rows, there are more" in texts(test)
        assert len(table(test)) == 50
        assert "0 rows" in texts(run(test, "FROM turns WHERE false"))

    def test_what_others_wrote_is_text(self, open_page: Open, sample: Path, hostile: str) -> None:
        """As a value, and as a column's name, which a chart and a picker show too."""
        test = run(open_page(sample, SQL), f"SELECT '{hostile}' AS image, 3 AS \"{hostile}\"")
        assert table(test) == [[hostile, 3]]
        assert not test.get("markdown")

    def test_a_statement_is_kept_under_a_name(self, open_page: Open, tmp_path: Path, drawn: Drawn) -> None:
        """It is a link on the page then, and goes when it is removed."""
        path = tmp_path / "x.duckdb"
        open_ledger(path).close()
        test = run(open_page(path, SQL), "SELECT 7 AS x")
        test.text_input(key="sql.name").set_value("Seven").run()
        press(test, "Save this statement")
        assert dict(Saved(path, "queries").entries()) == {"Seven": "SELECT 7 AS x"}
        [link] = drawn(test, "anchors")["links"]
        assert link == {"text": "Seven", "href": "sql?q=SELECT+7+AS+x"}
        test.selectbox(key="sql.gone").set_value("Seven").run()
        press(test, "Remove it")
        assert dict(Saved(path, "queries").entries()) == {}

    def test_where_nobody_may_write_nothing_is_kept(
        self, open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The page says so; what is saved is there to be asked."""
        path = tmp_path / "x.duckdb"
        open_ledger(path).close()
        Saved(path, "queries").put("One", "SELECT 1")
        monkeypatch.setenv(actionledger_dashboard.READ_ONLY_VARIABLE, "1")
        test = open_page(path, SQL)
        assert "this dashboard only reads" in texts(test)
        assert [button.label for button in test.button] == ["Run (Ctrl+Enter)"]
        assert table(run(test, "SELECT 5 AS x")) == [[5]]
        with pytest.raises(UsageError, match="Nothing is written here"):
            saved("queries").put("Two", "SELECT 2")

    @pytest.mark.parametrize("damage", [b"{", b"[]", b"\xff\x00"])
    def test_a_damaged_file_of_saved_statements_is_named(
        self, open_page: Open, tmp_path: Path, damage: bytes
    ) -> None:
        """It is somebody's work, and stays; the ledger is not said to be damaged, and the rest of the page works."""
        path = tmp_path / "x.duckdb"
        open_ledger(path).close()
        file = Saved(path, "queries").path
        file.write_bytes(damage)
        test = open_page(path, SQL)
        said = texts(test)
        assert str(file) in said
        assert "away" in said
        assert "ledger can't be read" not in said
        assert table(run(test, "SELECT 5 AS x")) == [[5]]
        assert file.read_bytes() == damage

    def test_a_statement_that_can_not_be_saved_is_a_sentence(self, open_page: Open, tmp_path: Path) -> None:
        """The page broke where the disk refused it, or somebody else was saving."""
        path = tmp_path / "x.duckdb"
        open_ledger(path).close()
        test = open_page(path, SQL)
        Saved(path, "queries").path.with_suffix(".new").mkdir(parents=True)
        test.text_input(key="sql.name").set_value("Seven").run()
        press(test, "Save this statement")
        assert "can't be saved" in texts(test)

    def test_the_tables_stand_beside_it(self, open_page: Open, sample: Path, drawn: Drawn) -> None:
        """Those that people ask, with how many rows they have."""
        shown = {each["name"]: each for each in drawn(open_page(sample, SQL), "catalogue")["tables"]}
        assert (shown["turns"]["rows"], shown["sessions"]["rows"]) == (7, 3)
        assert all(column["meaning"] for each in shown.values() for column in each["columns"])


def press(test: AppTest, label: str) -> None:
    """Press a button."""
    [button] = [each for each in test.button if each.label == label]
    button.click().run()
    assert not test.exception


class TestHealth:
    def test_a_ledger_that_is_well(self, open_page: Open, sample: Path, drawn: Drawn) -> None:
        """Each check says so, and the command is named."""
        test = open_page(sample, HEALTH)
        assert "All good" in texts(test)
        assert {each["level"] for each in drawn(test, "findings")["findings"]} <= {"fine", "note"}
        assert "actionledger doctor" in command(test)

    def test_a_ledger_that_nothing_opens_has_this_page(
        self, open_page: Open, tmp_path: Path, drawn: Drawn
    ) -> None:
        """What needs somebody stands first."""
        path = tmp_path / "x.duckdb"
        path.write_text("no ledger")
        test = open_page(path, HEALTH)
        assert "1 thing needs you" in texts(test)
        first = drawn(test, "findings")["findings"][0]
        assert (first["look"], "is not a DuckDB database" in first["sentence"]) == ("bad", True)


@pytest.fixture
def live(tmp_path: Path, recorder: Callable[[Ledger], Any]) -> Path:
    """A ledger of sessions of a moment ago, one of yesterday, and one that is long over."""
    path = tmp_path / "live.duckdb"
    with open_ledger(path) as ledger:
        writer = recorder(ledger)
        writer.run("live")
        for name, age in (
            ("now", timedelta(seconds=9)),
            ("before", timedelta(hours=20)),
            ("old", timedelta(days=3)),
        ):
            writer.session(name, at=now() - age)
            writer.turn(name, 0, f"{name} said", Outcome.FAILED, at=now() - age, reason=Reason.UNCLOSED_TAG)
        writer.turn("now", 1, "and more", Outcome.NO_ACTION, at=now() - timedelta(seconds=1))
    return path


class TestLive:
    def test_the_latest_response_stands_first(self, open_page: Open, live: Path) -> None:
        """Each leads to its replay; those of before are in a wider window."""
        with open_ledger(live, read_only=True) as ledger:
            found = queries.recent_turns(ledger, now() - timedelta(hours=1))
        assert [(row.turn_index, row.snippet) for row in found] == [(1, "and more"), (0, "now said")]
        test = open_page(live, LIVE)
        assert [row[1] for row in json.loads(test.get("bidi_component")[-1].proto.json)[0]["rows"]] == [
            "now",
            "now",
        ]
        assert "2 responses in 1 session, 1 of which goes on" in texts(test)
        assert "3 responses in 2 sessions" in texts(open_page(live, LIVE, window="day"))

    def test_a_session_goes_on_that_said_something_lately_and_has_not_ended(self, live: Path) -> None:
        """Others are not looked at again and again while their replay is open."""
        ids = [derived_id("session", name) for name in ("now", "before")]
        with open_ledger(live) as ledger:
            lately = now() - timedelta(hours=1)
            assert [queries.goes_on(ledger, each, lately) for each in ids] == [True, False]
            head = {
                "event_id": derived_id("event", "end"),
                "run_id": derived_id("run", "live"),
                "recorded_at": now(),
            }
            ledger.record(SessionFinished(**head, session_id=ids[0], success=None, reason="done"))
            ledger.flush()
            assert not queries.goes_on(ledger, ids[0], lately)

    def test_what_is_flushed_meanwhile_is_there_the_next_time_it_looks(
        self, open_page: Open, live: Path, recorder: Callable[[Ledger], Any]
    ) -> None:
        """Before anybody has taken it in; and what is running is told."""
        test = open_page(live, LIVE)
        with open_ledger(live, in_background=False) as ledger:
            writer = recorder(ledger)
            writer.numbers = count(1000)  # other events than those of before
            writer.session("next", at=now())
            writer.turn("next", 0, "just now", Outcome.CLEAN, at=now(), done=ExecutionStatus.SUCCEEDED)
            ledger.flush()
            test.run()
            assert "3 responses in 2 sessions" in texts(test)

    def test_nothing_going_on_says_what_would(self, open_page: Open, sample: Path) -> None:
        """With the command."""
        test = open_page(sample, LIVE)
        assert "No response in the last 15 minutes" in texts(test)
        assert "actionledger watch" in command(test)

    def test_it_can_be_held_still(self, open_page: Open, live: Path) -> None:
        """What moves by itself can be stopped, and the link says so."""
        test = open_page(live, LIVE, paused="1")
        [found] = [
            one for one in test.get("bidi_component") if one.proto.component_name == "actionledger.bar"
        ]
        assert json.loads(found.proto.json)[0]["items"][0]["isOn"]
        assert "2 responses" in texts(test)


def test_a_column_that_a_tooltip_would_fetch_is_a_name() -> None:
    """A tooltip takes what is called image for a picture's address, whatever a statement calls so."""
    drawn = rows_chart(("image", "Title"), ["https://evil.example/x.png"], [1], "bars")
    titles = [each["title"] for each in drawn["layer"][0]["encoding"]["tooltip"]]
    assert [title.strip().lower() for title in titles] == ["image", "title"]
    assert {*titles}.isdisjoint({"image", "title", "Image", "Title"})


def test_a_chart_of_rows_holds_what_json_can_write() -> None:
    """A statement returns days, decimals and numbers that are none; what has no value there is a gap."""
    drawn = rows_chart(("day", "value"), [date(2026, 3, 2)] * 3, [Decimal("1.5"), float("nan"), 2], "line")
    assert json.loads(json.dumps(drawn, allow_nan=False))["datasets"]["rows"] == [
        {"along": "2026-03-02", "value": value} for value in (1.5, None, 2)
    ]


def test_bars_have_room_or_are_not_drawn() -> None:
    """Days have; a thousand names don't."""
    assert too_many([str(number) for number in range(61)], "bars")
    assert not too_many([str(number) for number in range(61)], "line")
    assert not too_many([now()] * 100, "bars")


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
