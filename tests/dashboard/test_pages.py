"""Every page: with data, with an empty ledger, and with a link that leads nowhere."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import actionledger_dashboard
from actionledger.ids import derived_id
from actionledger.ledger import open_ledger, queries
from actionledger.vocabulary import Outcome

APP = Path(actionledger_dashboard.__file__).with_name("app.py")
OVERVIEW, SESSIONS, TURNS, REPLAY = (
    f"views/{name}.py" for name in ("overview", "sessions", "turns", "replay")
)
STEPS = derived_id("session", "steps")

Open = Callable[..., AppTest]


@pytest.fixture
def open_page(monkeypatch: pytest.MonkeyPatch) -> Open:
    """Open a page of a ledger with query parameters, and fail if it shows an exception."""

    def opened(ledger: Path, page: str, **parameters: str | list[str]) -> AppTest:
        monkeypatch.setenv(actionledger_dashboard.LEDGER_VARIABLE, str(ledger))
        test = AppTest.from_file(APP, default_timeout=30)
        if page != OVERVIEW:  # the page that every visit begins with
            test.run().switch_page(page)
        for name, value in parameters.items():
            test.query_params[name] = value
        test.run()
        assert not test.exception
        return test

    return opened


def texts(test: AppTest) -> str:
    """Return all that a page says in its own words."""
    return "\n".join(
        str(element.value)
        for kind in ("subheader", "text", "info", "caption", "warning")
        for element in test.get(kind)
    )


class TestOverview:
    def test_shows_rates_with_interval_and_count(self, open_page: Open, sample: Path) -> None:
        """Of seven responses five meant to act, and three of those were read whole."""
        test = open_page(sample, OVERVIEW)
        shown = {metric.label: (metric.value, metric.delta) for metric in test.metric}
        assert shown["Responses"][0] == "7"
        assert shown["Meant to act"][0] == "5"
        assert shown["Parse success"] == ("60.0%", "too few sessions · n = 5")
        assert shown["Valid actions"][0] == "75.0%"
        assert shown["Executions succeeded"][0] == "66.7%"

    def test_filter_in_the_link_narrows_every_number(self, open_page: Open, sample: Path) -> None:
        """A deep link with a task shows that task alone."""
        test = open_page(sample, OVERVIEW, task="undated")
        assert test.metric[0].value == "1"

    def test_run_in_the_link_shows_its_readings(self, open_page: Open, sample: Path) -> None:
        """A link names a run by its id, whatever the run is called."""
        again = next(run for run in _runs(sample) if run.name.startswith("again"))
        test = open_page(sample, OVERVIEW, run=again.run_id)
        assert test.metric[0].value == "1"

    def test_says_that_undated_turns_have_no_course(self, open_page: Open, sample: Path) -> None:
        """Turns without a time get a sentence instead of an empty chart."""
        assert "These turns carry no time" in texts(open_page(sample, OVERVIEW, task="undated"))

    def test_says_that_nothing_matches(self, open_page: Open, sample: Path, hostile: str) -> None:
        """Filters that leave nothing over are named as the cause."""
        test = open_page(sample, OVERVIEW, task="undated", model=hostile)
        assert "Nothing matches these filters" in texts(test)

    def test_ignores_filters_that_do_not_exist(self, open_page: Open, sample: Path) -> None:
        """A stale link opens the page all the same."""
        test = open_page(
            sample,
            OVERVIEW,
            model="no such model",
            run="no such run",
            since="yesterday",
            until="9999-12-31",
            unit="by year",
            order="none",
        )
        assert test.metric[0].value == "7"


class TestSessions:
    def test_lists_sessions(self, open_page: Open, sample: Path) -> None:
        """Each session is a row."""
        test = open_page(sample, SESSIONS)
        assert "3 sessions" in texts(test)
        assert set(test.dataframe[0].value["name"]) >= {"steps", "undated"}

    def test_search_in_the_link_finds_text(self, open_page: Open, sample: Path) -> None:
        """A response's text is found, in any script."""
        test = open_page(sample, SESSIONS, search="我先看看")
        assert list(test.dataframe[0].value["name"]) == ["steps"]

    def test_only_failing_is_a_toggle(self, open_page: Open, sample: Path) -> None:
        """All three have something that failed, so that the toggle changes nothing here but the link."""
        test = open_page(sample, SESSIONS)
        test.toggle[0].set_value(True).run()
        assert not test.exception
        assert "3 sessions" in texts(test)

    def test_says_that_nothing_is_found(self, open_page: Open, sample: Path) -> None:
        """A search without a hit ends in a sentence."""
        assert "Nothing matches" in texts(open_page(sample, SESSIONS, search="no such words"))


class TestTurns:
    def test_mark_in_the_link_picks_the_turns(self, open_page: Open, sample: Path) -> None:
        """The link of a reason shows the turns that have it, and says what it means."""
        test = open_page(sample, TURNS, stage="reading", code="unclosed_tag")
        assert "The tag was opened and never closed." in texts(test)
        frame = test.dataframe[0].value
        assert list(frame["turn"]) == [2]
        assert list(frame["outcome"]) == ["failed"]

    def test_outcomes_in_the_link_pick_the_turns(self, open_page: Open, sample: Path) -> None:
        """Several outcomes are a repeated parameter."""
        test = open_page(sample, TURNS, outcome=["no_action", "empty"])
        assert sorted(test.dataframe[0].value["turn"]) == [1, 3]

    def test_without_a_mark_shows_all(self, open_page: Open, sample: Path) -> None:
        """The page of its own shows every first reading."""
        assert "7 turns" in texts(open_page(sample, TURNS))


class TestReplay:
    def test_shows_the_session_and_what_was_told(self, open_page: Open, sample: Path) -> None:
        """The header is plain text, and prompt and feedback are shown exactly."""
        test = open_page(sample, REPLAY, session=STEPS, turn="0")
        assert "steps" in texts(test)
        assert test.code[1].value.startswith("done ![x](https://evil.example")
        assert test.code[1].language is None or test.code[1].language == "plaintext"

    def test_feedback_of_the_turn_before_is_the_prompt(self, open_page: Open, sample: Path) -> None:
        """Where no prompt was recorded, the model was shown what it had been told."""
        test = open_page(sample, REPLAY, session=STEPS, turn="1")
        assert test.code[0].value.startswith("done ")

    def test_a_turn_that_does_not_exist_shows_the_nearest(self, open_page: Open, sample: Path) -> None:
        """A mistyped turn is no dead end."""
        assert open_page(sample, REPLAY, session=STEPS, turn="99").number_input[0].value == 3
        assert open_page(sample, REPLAY, session=STEPS, turn="first").number_input[0].value == 0

    def test_number_goes_to_a_turn(self, open_page: Open, sample: Path) -> None:
        """The number jumps, and the link follows."""
        test = open_page(sample, REPLAY, session=STEPS, turn="0")
        test.number_input[0].set_value(2).run()
        assert test.query_params["turn"] == "2"

    def test_reading_of_another_run_is_picked(self, open_page: Open, sample: Path) -> None:
        """Two runs have read the turn; picking the second puts it into the link."""
        test = open_page(sample, REPLAY, session=STEPS, turn="0")
        picker = test.selectbox[0]
        assert len(picker.options) == 2
        again = next(run.run_id for run in _runs(sample) if run.name.startswith("again"))
        picker.set_value(again).run()
        assert not test.exception
        assert test.query_params["run"] == again

    @pytest.mark.parametrize("session", ["nonsense", derived_id("session", "of another ledger")])
    def test_unknown_session_gets_a_sentence_and_a_way_back(
        self, open_page: Open, sample: Path, session: str
    ) -> None:
        """A link of another ledger is no traceback."""
        test = open_page(sample, REPLAY, session=session)
        assert "There is no such session in this ledger" in texts(test)
        assert test.page_link

    def test_without_a_session_says_how_one_is_opened(self, open_page: Open, sample: Path) -> None:
        """The page of its own leads to the list."""
        assert "No session is open" in texts(open_page(sample, REPLAY))


def test_a_day_far_off_is_a_day(open_page: Open, sample: Path) -> None:
    """A filter reaches back as far as recordings can."""
    assert open_page(sample, OVERVIEW, since="1990-01-01").metric[0].value == "6"
    assert open_page(sample, OVERVIEW, since="1889-01-01").metric[0].value == "7"


@pytest.mark.parametrize("page", [OVERVIEW, SESSIONS, TURNS])
def test_a_ledger_that_cannot_be_read_is_a_sentence(open_page: Open, tmp_path: Path, page: str) -> None:
    """What is wrong with the file is said in words, without a traceback."""
    path = tmp_path / "notes.duckdb"
    path.write_text("not a ledger")
    assert "is no DuckDB database" in texts(open_page(path, page))


@pytest.mark.parametrize("page", [OVERVIEW, SESSIONS, TURNS])
def test_empty_ledger_says_what_fills_it(open_page: Open, empty: Path, page: str) -> None:
    """An empty ledger shows the command with its own path."""
    test = open_page(empty, page)
    assert "Nothing is recorded yet" in texts(test)
    assert f"--ledger '{empty}'" in test.code[0].value


def test_what_is_recorded_meanwhile_is_shown_on_the_next_run(
    open_page: Open, tmp_path: Path, recorder: Callable[..., object]
) -> None:
    """An open page sees new sessions without a restart."""
    path = tmp_path / "growing.duckdb"
    with open_ledger(path) as ledger:
        writer = recorder(ledger)
        writer.run("live")
        writer.session("one")
        writer.turn("one", 0, "Hello.", Outcome.NO_ACTION)
        ledger.ingest()
        test = open_page(path, SESSIONS)
        assert "1 session" in texts(test)
        writer.session("two")
        writer.turn("two", 0, "Hello.", Outcome.NO_ACTION)
        ledger.flush()
        test.run()
        assert "2 sessions" in texts(test)


def _runs(path: Path) -> list[queries.Run]:
    with open_ledger(path, read_only=True) as ledger:
        return queries.runs(ledger)
