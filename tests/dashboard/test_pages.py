"""Every page: with data, with an empty ledger, and with a link that leads nowhere."""

import json
import shlex
import shutil
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

import actionledger as al
import actionledger_dashboard
from actionledger.core.ids import derived_id
from actionledger.core.vocabulary import Outcome
from actionledger.ledger import open_ledger, queries
from actionledger.ledger.queries import Filter, recent
from actionledger_dashboard.components import tables

APP = Path(actionledger_dashboard.__file__).with_name("app.py")
OVERVIEW, SESSIONS, TURNS, REPLAY = (
    f"views/{name}.py" for name in ("overview", "sessions", "turns", "replay")
)
STEPS = derived_id("session", "steps")

Open = Callable[..., AppTest]
Stats = Callable[..., dict[str, tuple[str, list[str]]]]


def texts(test: AppTest) -> str:
    """Return all that a page says in its own words."""
    return "\n".join(
        str(element.value)
        for kind in ("subheader", "text", "info", "caption", "warning")
        for element in test.get(kind)
    )


def drawn(test: AppTest, component: str) -> dict[str, Any]:
    """Return what one of our own components of a page was given to draw."""
    found = [
        one for one in test.get("bidi_component") if one.proto.component_name == f"actionledger.{component}"
    ]
    [shown] = found
    return dict(json.loads(shown.proto.json)[0])


def shown(test: AppTest) -> dict[str, Any]:
    """Return what is drawn of the turn that is shown."""
    return dict(drawn(test, "transcript")["turn"])


def column(test: AppTest, label: str) -> list[Any]:
    """Return the cells of a column of a page's table."""
    table = drawn(test, "table")
    place = [head["label"] for head in table["columns"]].index(label)
    return [row[place] for row in table["rows"]]


def press(test: AppTest, label: str) -> None:
    """Press the button of a label."""
    [button] = [each for each in test.button if each.label == label]
    button.click().run()
    assert not test.exception


class TestOverview:
    def test_shows_rates_with_interval_and_count(self, open_page: Open, sample: Path, stats: Stats) -> None:
        """Of seven responses five meant to act, and three of those were read whole."""
        shown = stats(open_page(sample, OVERVIEW, show="funnel"))
        assert shown["Responses"] == ("7", ["in 3 sessions"])
        assert shown["Meant to act"] == ("71.4%", ["too few sessions", "n = 7 in 3 sessions"])
        parsed = ["too few sessions", "n = 5 in 3 sessions", "raw text 5"]
        assert shown["Parse success"] == ("60.0%", parsed)
        assert shown["Valid actions"][0] == "75.0%"
        assert shown["Executions succeeded"][0] == "66.7%"

    def test_the_execution_rate_is_one_number(self, open_page: Open, sample: Path, stats: Stats) -> None:
        """The tile and the bars rest on the same tries, and what was undone stands beside them."""
        test = open_page(sample, OVERVIEW, show="funnel")
        assert stats(test)["Executions succeeded"] == ("66.7%", ["too few sessions", "n = 3 in 2 sessions"])
        said = "Actions done and undone since: 0 of 2 in 1 session (too few sessions)."
        assert said in texts(test)

    def test_filter_in_the_link_narrows_every_number(
        self, open_page: Open, sample: Path, stats: Stats
    ) -> None:
        """A deep link with a task shows that task alone."""
        test = open_page(sample, OVERVIEW, show="funnel", task="undated")
        assert stats(test)["Responses"][0] == "1"

    def test_run_in_the_link_shows_its_readings(self, open_page: Open, sample: Path, stats: Stats) -> None:
        """A link names a run by its id, whatever the run is called."""
        again = next(run for run in _runs(sample) if run.name.startswith("again"))
        test = open_page(sample, OVERVIEW, show="funnel", run=again.run_id)
        assert stats(test)["Responses"][0] == "1"

    def test_says_that_undated_turns_have_no_course(self, open_page: Open, sample: Path) -> None:
        """Turns without a time get a sentence instead of an empty chart."""
        assert "These turns carry no time" in texts(open_page(sample, OVERVIEW, task="undated"))

    def test_says_that_nothing_matches(self, open_page: Open, sample: Path, hostile: str) -> None:
        """Filters that leave nothing over are named as the cause."""
        test = open_page(sample, OVERVIEW, show="funnel", task="undated", model=hostile)
        assert "Nothing matches these filters" in texts(test)

    @pytest.mark.parametrize(
        ("name", "value", "said"),
        [
            ("model", "no such model", 'Model: there is no "no such model" here'),
            ("run", "no such run", 'Run: there is no "no such run" here'),
            ("since", "yesterday", 'From (UTC): there is no "yesterday" here'),
            ("until", "9999-12-31", 'To (UTC): there is no "9999-12-31" here'),
            ("task", "<b>\u202ex</b>", 'Task: there is no "<b>[U+202E]x</b>" here'),
        ],
    )
    def test_a_filter_that_does_not_exist_is_named(
        self, open_page: Open, sample: Path, stats: Stats, *, name: str, value: str, said: str
    ) -> None:
        """A stale link doesn't show the numbers of everything as if they were the filter's."""
        test = open_page(sample, OVERVIEW, show="funnel", **{name: value})
        assert f"{said}; take it out" in texts(test)
        assert not stats(test)
        assert test.query_params[name] == value
        press(test, "Remove")
        assert stats(test)["Responses"][0] == "7"
        assert name not in test.query_params

    def test_only_the_unknown_value_is_removed(self, open_page: Open, sample: Path, stats: Stats) -> None:
        """What is known of a filter stays picked."""
        test = open_page(sample, OVERVIEW, show="funnel", task=["undated", "no such task"])
        press(test, "Remove")
        assert (test.query_params["task"], stats(test)["Responses"][0]) == ("undated", "1")

    def test_a_way_to_look_that_does_not_exist_is_the_first(
        self, open_page: Open, sample: Path, stats: Stats
    ) -> None:
        """A unit is no filter: without it the page shows the same numbers."""
        assert stats(open_page(sample, OVERVIEW, show="funnel", unit="by year"))["Responses"][0] == "7"

    def test_reasons_lead_to_their_turns(self, open_page: Open, sample: Path) -> None:
        """Each row is a link with the mark that it counts, under the page's filters."""
        table = drawn(open_page(sample, OVERVIEW, task="demo", reasons="by reason"), "table")
        asked = [parse_qs(urlsplit(href).query) for href in table["hrefs"]]
        assert {"task": ["demo"], "stage": ["reading"], "code": ["unclosed_tag"]} in asked


RECENTLY = datetime.fromisoformat("2026-03-02T09:00")


class TestSessions:
    def test_lists_sessions(self, open_page: Open, sample: Path) -> None:
        """Each session is a row."""
        test = open_page(sample, SESSIONS)
        assert "3 sessions" in texts(test)
        assert set(filter(lambda name: isinstance(name, str), column(test, "Session"))) >= {
            "steps",
            "undated",
        }

    def test_turns_are_known_by_title_time_and_agent(self, open_page: Open, tmp_path: Path) -> None:
        """On the lists of turns and of what is to be reviewed; an id stands with a session, for who asks."""
        said = al.RecordedTurn(
            0,
            "",
            occurred_at=RECENTLY,
            calls=(al.RecordedCall("c", "Bash", {}),),
            results=(al.RecordedResult("c", "no", is_error=True),),
        )
        details = al.SessionDetails(title="Mend the till", agent="claude_code")
        with al.open_ledger(tmp_path / "l.duckdb") as ledger:
            al.import_sessions(ledger, [al.RecordedSession("raw-1", None, "m", "", (said,), details=details)])
        for page in (TURNS, "views/review.py"):
            test = open_page(tmp_path / "l.duckdb", page)
            known = [column(test, name) for name in ("Session", "Turn", "When (UTC)", "Agent")]
            assert known == [["Mend the till"], [0], [f"{RECENTLY:%Y-%m-%d %H:%M}"], ["claude_code"]]
            assert "raw-1" not in json.dumps(drawn(test, "table")["rows"])
        facts = drawn(open_page(tmp_path / "l.duckdb", REPLAY, session="raw-1"), "session_facts")["facts"]
        assert [fact["text"] for fact in facts if fact["label"] == "Session"] == ["Mend the till"]
        assert next(fact["text"] for fact in facts if fact.get("folded")) == "raw-1"

    def test_a_title_is_searched_for(self, open_page: Open, tmp_path: Path) -> None:
        """On the list of sessions, and from every page on that of turns, where it is what is found."""
        said = al.RecordedTurn(0, "Done.")
        details = al.SessionDetails(title="Mend the till")
        with al.open_ledger(tmp_path / "l.duckdb") as ledger:
            al.import_sessions(ledger, [al.RecordedSession("s", None, "m", "", (said,), details=details)])
        assert column(open_page(tmp_path / "l.duckdb", SESSIONS, search="the TILL"), "Session") == [
            "Mend the till"
        ]
        test = open_page(tmp_path / "l.duckdb", TURNS, search="the TILL")
        assert column(test, "Found in") == ["the session's name"]
        assert [hit["text"] for hit in column(test, "What is found")] == ["the till"]

    def test_what_a_link_misses_is_said_with_what_is_nearest(self, open_page: Open, sample: Path) -> None:
        """A look at the overview, and a turn of a transcript, of which the nearest is shown."""
        assert "Use funnel" in [button.label for button in open_page(sample, OVERVIEW, show="funel").button]
        test = open_page(sample, "views/transcript.py", session=STEPS, turn="99")
        assert 'This session has no turn "99"; the nearest one is shown.' in texts(test)

    def test_a_column_that_there_is_not_is_named(self, open_page: Open, sample: Path) -> None:
        """With the nearest one that there is."""
        assert "Use Cost" in [button.label for button in open_page(sample, SESSIONS, hide="Csot").button]

    def test_search_in_the_link_finds_text(self, open_page: Open, sample: Path) -> None:
        """A response's text is found, in any script."""
        test = open_page(sample, SESSIONS, search="我先看看")
        assert column(test, "Session") == ["steps"]

    def test_only_failing_is_in_the_link(self, open_page: Open, sample: Path) -> None:
        """All three have something that failed, so that nothing changes here but what the bar says."""
        test = open_page(sample, SESSIONS, failing="1")
        assert drawn(test, "bar")["items"][0]["isOn"]
        assert "3 sessions" in texts(test)

    def test_an_order_that_is_not_there_is_named(self, open_page: Open, sample: Path) -> None:
        """And no list is shown as if it were in that order."""
        test = open_page(sample, SESSIONS, order="costliest first")
        assert 'Order: there is no "costliest first" here; take it out to see what there is.' in texts(test)

    @pytest.mark.parametrize("page", [OVERVIEW, SESSIONS, TURNS, "views/health.py"])
    def test_what_a_page_does_not_know_of_a_link_is_named(
        self, open_page: Open, sample: Path, page: str
    ) -> None:
        """A mistyped filter narrowed nothing, and the numbers stood there as if it had."""
        test = open_page(sample, page, modle="large")
        assert 'Unknown parameter "modle" in the link, ignored.' in texts(test)
        press(test, "Remove")
        assert "modle" not in test.query_params
        assert "modle" not in texts(test)

    def test_a_page_that_is_not_there_is_the_nearest(self, open_page: Open, larger: Path) -> None:
        """A link may be older than the list, or be written by hand."""
        test = open_page(larger, TURNS, task="many")
        for page, shown, rows in (("3", 2, 10), ("last", 1, 50)):
            test.query_params["page"] = page
            test.run()
            assert drawn(test, "bar")["items"][1:] == [{"kind": "pages", "page": shown, "pages": 2}]
            assert len(column(test, "Turn")) == rows

    def test_says_that_nothing_is_found(self, open_page: Open, sample: Path) -> None:
        """A search without a hit ends in a sentence."""
        assert "Nothing matches" in texts(open_page(sample, SESSIONS, search="no such words"))


class TestTurns:
    def test_mark_in_the_link_picks_the_turns(self, open_page: Open, sample: Path) -> None:
        """The link of a reason shows the turns that have it, and says what it means."""
        test = open_page(sample, TURNS, stage="reading", code="unclosed_tag")
        assert "The tag was opened and never closed." in texts(test)
        assert column(test, "Turn") == [2]
        assert column(test, "Outcome") == ["unparseable"]
        assert drawn(test, "table")["hrefs"] == [f"replay?session={STEPS}&turn=2"]

    def test_a_turn_that_failed_after_reading_is_called_so(self, open_page: Open, sample: Path) -> None:
        """It is not green because it was read: with a reason beside it, it says that it is a tool call failed."""
        test = open_page(sample, TURNS)
        reasons = dict(zip(column(test, "Outcome"), column(test, "Reason"), strict=True))
        assert any(outcome.endswith("a tool call failed") for outcome in reasons)
        assert {outcome for outcome, reason in reasons.items() if reason} == {
            outcome
            for outcome in reasons
            if outcome in {"unparseable", "partly parsed", "no tool call"}
            or outcome.endswith("a tool call failed")
        }

    def test_outcomes_in_the_link_pick_the_turns(self, open_page: Open, sample: Path) -> None:
        """Several outcomes are a repeated parameter."""
        test = open_page(sample, TURNS, outcome=["no_action", "empty"])
        assert sorted(column(test, "Turn")) == [1, 3]
        why = dict(zip(column(test, "Turn"), column(test, "Reason"), strict=True))
        assert why == {1: "only prose", 3: ""}

    def test_without_a_mark_shows_all(self, open_page: Open, sample: Path) -> None:
        """The page of its own shows every first reading."""
        assert "7 turns" in texts(open_page(sample, TURNS))

    def test_a_search_goes_through_all_of_them(self, open_page: Open, sample: Path) -> None:
        """Text of a response and the name of a session are found, whatever page they are on."""
        assert column(open_page(sample, TURNS, search="NOTHING to do"), "Turn") == [1]
        assert column(open_page(sample, TURNS, search="undated"), "Session") == ["undated"]
        assert "Nothing matches" in texts(open_page(sample, TURNS, search="%"))

    @pytest.mark.parametrize(("page", "asked_at"), [(None, []), ("1", []), ("2", [5]), ("999", [55])])
    def test_what_is_frequent_is_shown_from_the_latest_turns(
        self,
        open_page: Open,
        larger: Path,
        monkeypatch: pytest.MonkeyPatch,
        page: str | None,
        asked_at: list[int],
    ) -> None:
        """Each page has the turns of a look into all of them, with their number; the first one is shown without such a look."""
        monkeypatch.setattr(tables, "PAGE", 5)
        monkeypatch.setattr(recent, "LATEST", 10)
        monkeypatch.setattr(recent, "PART", 1)  # all of them are of one time
        whole, offsets = queries.turns_page, []

        def turns_page(*args: Any, **places: Any) -> queries.TurnsPage:
            offsets.append(places["offset"])
            return whole(*args, **places)

        monkeypatch.setattr(queries, "turns_page", turns_page)
        at = {} if page is None else {"page": page}
        test = open_page(larger, TURNS, task="many", search="Number", **at)
        within = Filter(tasks=("many",), text="Number")
        with open_ledger(larger, read_only=True) as ledger:
            found = whole(ledger, within, limit=5, offset=asked_at[0] if asked_at else 0)
        assert column(test, "Turn") == [turn.turn_index for turn in found.turns]
        assert texts(test).count("turns, the latest first") == 1
        assert "60 turns, the latest first" in texts(test)
        assert "counted" not in texts(test)
        assert offsets == asked_at

    def test_dialect_picks_turns_here(self, open_page: Open, sample: Path, stats: Stats) -> None:
        """What reading found is looked for in turns; a rate has no such filter."""
        assert column(open_page(sample, TURNS, dialect="xml_tags"), "Turn") == [0]
        test = open_page(sample, OVERVIEW, show="funnel", dialect="xml_tags")
        assert stats(test)["Responses"][0] == "7"
        [chip] = drawn(test, "chips")["chips"]
        assert (chip["label"], chip["value"], chip["isSetAside"]) == ("Dialect", "xml_tags", True)

    def test_offers_the_rows_of_the_whole_filter(self, open_page: Open, sample: Path) -> None:
        """The download says how many rows it has, and they are those of the filter and not of the page."""
        test = open_page(sample, TURNS, outcome=["no_action", "empty"])
        labels = [button.proto.label for button in test.get("download_button")]
        assert labels == ["Download 2 as CSV", "Download 2 as Parquet", "Download 2 as JSON lines"]


class TestReplay:
    def test_shows_the_session_and_what_was_told(self, open_page: Open, sample: Path) -> None:
        """The facts stand on one line, and prompt and feedback are shown exactly."""
        test = open_page(sample, REPLAY, session=STEPS, turn="0")
        known = drawn(test, "session_facts")
        facts = {fact["label"]: fact["text"] for fact in known["facts"]}
        query = f"session={test.query_params['session']}&turn={drawn(test, 'transcript')['index']}"
        assert [way["href"] for way in known["ways"]] == [
            *(f"{page}?{query}" for page in ("transcript", "review", "playground")),
            f"compare?as=two+sessions&before_session={test.query_params['session']}",
        ]
        assert (facts["Session"], facts["Model"], facts["Turns"]) == ("steps", "small", "4")
        [after] = shown(test)["told"]
        assert after["text"].startswith("done ![x](https://evil.example")

    def test_feedback_of_the_turn_before_is_the_prompt(self, open_page: Open, sample: Path) -> None:
        """Where no prompt was recorded, the model was shown what it had been told."""
        [before] = shown(open_page(sample, REPLAY, session=STEPS, turn="1"))["shown"]
        assert before["text"].startswith("done ")

    def test_a_turn_that_does_not_exist_shows_the_nearest(self, open_page: Open, sample: Path) -> None:
        """A mistyped turn is no dead end."""
        test = open_page(sample, REPLAY, session=STEPS, turn="99")
        assert drawn(test, "transcript")["index"] == 3
        assert 'This session has no turn "99"; the nearest one is shown.' in texts(test)
        test = open_page(sample, REPLAY, session=STEPS, turn="first")
        assert drawn(test, "transcript")["index"] == 0
        assert 'This session has no turn "first"' in texts(test)

    def test_a_link_to_characters_marks_them(self, open_page: Open, sample: Path, mixed: str) -> None:
        """In code points; what is no span of the response is said, and breaks nothing."""
        start = mixed.index("🚀")
        test = open_page(sample, REPLAY, session=STEPS, turn="0", at=f"{start}-{start + 1}")
        assert drawn(test, "transcript")["at"] == [start, start + 1]
        test = open_page(sample, REPLAY, session=STEPS, turn="0", at="7-99999")
        assert drawn(test, "transcript")["at"] is None
        assert 'This response has no characters "7-99999"; a span is written 412-420.' in texts(test)

    def test_without_characters_in_the_link_a_response_is_asked_for_once(
        self, open_page: Open, sample: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """With all that was read of it."""

        def response(*_: object) -> None:
            pytest.fail("The response by itself is asked for, too.")

        monkeypatch.setattr(queries, "response", response)
        test = open_page(sample, REPLAY, session=STEPS, turn="1")
        assert drawn(test, "transcript")["index"] == 1

    def test_a_search_stands_in_the_link(self, open_page: Open, sample: Path) -> None:
        """It marks the text in the response, and knows the turns that have it."""
        test = open_page(sample, REPLAY, session=STEPS, turn="1", find="nothing")
        found = drawn(test, "transcript")
        assert (found["find"]["turns"], found["find"]["here"]) == ([1], "response")
        assert found["turn"]["found"] == [[0, 7]]

    def test_an_unknown_run_is_named(self, open_page: Open, sample: Path) -> None:
        """A reading that is not there is not silently another one."""
        test = open_page(sample, REPLAY, session=STEPS, turn="0", run="no such run")
        assert 'Run: there is no "no such run" here; take it out' in texts(test)
        test.button[0].click().run()
        assert "run" not in test.query_params
        assert drawn(test, "transcript")["index"] == 0

    def test_what_an_import_does_not_say_is_not_recorded(self, open_page: Open, imported: Path) -> None:
        """Whether another runtime ran a turn, and what it told the model, can't be known from its text alone."""
        test = open_page(imported, REPLAY, session=derived_id("session", "jsonl", "theirs"), turn="0")
        turn = shown(test)
        [executions] = turn["done"]  # and nothing of a workspace that nobody here has seen
        assert executions["whenEmpty"].startswith("Not recorded: ")
        [before], [after] = turn["shown"], turn["told"]
        assert (before["text"], before["absent"]) == (None, "Not recorded.")
        assert (after["text"], after["absent"]) == (None, "Not recorded.")
        listed = drawn(open_page(imported, SESSIONS), "table")
        assert "Failed" not in {head["label"] for head in listed["columns"]}  # nothing is known of it

    def test_all_that_the_model_was_told_stands_in_order(self, open_page: Open, approved: Path) -> None:
        """First that something waits, then each time what came of it, with when."""
        with open_ledger(approved, read_only=True) as ledger:
            [row] = queries.sessions(ledger)
            [said] = queries.conversation(ledger, row.session_id)
        after = shown(open_page(approved, REPLAY, session=row.session_id, turn="0"))["told"]
        assert [part["text"] for part in after] == [told.text for told in said.told]
        times = [f"{told.at:%Y-%m-%d %H:%M:%S} UTC" for told in said.told]
        assert [part["title"] for part in after] == [
            f"Sent back to the model, exactly · {times[0]}",
            f"Told again as the turn went on (1) · {times[1]}",
            f"Told again as the turn went on (2) · {times[2]}",
        ]

    def test_the_workspace_stands_before_and_after_each_action(self, open_page: Open, approved: Path) -> None:
        """Where it was kept, action by action; a click on one shows what became of each file."""
        with open_ledger(approved, read_only=True) as ledger:
            [row] = queries.sessions(ledger)
        lane = shown(open_page(approved, REPLAY, session=row.session_id, turn="0"))["done"][-1]
        steps = [(card["name"], card["before"]["said"], card["after"]["said"]) for card in lane["cards"]]
        assert steps == [
            ("create_file", "empty", "1 path, 1 byte"),
            ("create_file", "1 path, 1 byte", "2 paths, 2 bytes"),
        ]

    def test_what_was_run_here_and_never_ended_says_so(self, open_page: Open, sample: Path) -> None:
        """A live turn without an end was cut off."""
        turn = shown(open_page(sample, REPLAY, session=STEPS, turn="2"))
        [after] = turn["told"]
        assert after["absent"] == "The turn never ended."
        assert turn["done"][0]["whenEmpty"] == "Nothing was executed."

    def test_the_readings_of_a_turn_are_links(self, open_page: Open, sample: Path) -> None:
        """Two runs have read the turn; the second is an address away, and so is it beside the first."""
        test = open_page(sample, REPLAY, session=STEPS, turn="0")
        again = next(run.run_id for run in _runs(sample) if run.name.startswith("again"))
        by, beside = drawn(test, "session_facts")["readings"]
        assert [(one["chosen"], one["href"]) for one in by["options"]] == [
            (True, f"replay?session={STEPS}&turn=0"),
            (False, f"replay?session={STEPS}&turn=0&run={again}"),
        ]
        assert beside["options"][1]["href"] == f"replay?session={STEPS}&turn=0&beside={again}"
        other = open_page(sample, REPLAY, session=STEPS, turn="0", run=again)
        assert shown(other)["verdict"] == "unparseable"
        assert [one["chosen"] for one in drawn(other, "session_facts")["readings"][0]["options"]] == [
            False,
            True,
        ]

    @pytest.mark.parametrize("session", ["nonsense", derived_id("session", "of another ledger")])
    def test_unknown_session_gets_a_sentence_and_a_way_back(
        self, open_page: Open, sample: Path, session: str
    ) -> None:
        """A link of another ledger is no traceback."""
        test = open_page(sample, REPLAY, session=session)
        assert "There is no such session in this ledger" in texts(test)
        assert test.page_link

    def test_a_session_by_its_name(self, open_page: Open, sample: Path) -> None:
        """A link with a listed name opens it, and one with the beginning of an id."""
        by_id = drawn(open_page(sample, REPLAY, session=STEPS), "session_facts")["facts"]
        with open_ledger(sample, read_only=True) as ledger:
            [found] = ledger.sql(
                "SELECT external_id FROM sessions WHERE session_id = $id::UUID", {"id": STEPS}
            ).fetchall()
        for called in (found[0], STEPS[:8]):
            assert drawn(open_page(sample, REPLAY, session=called), "session_facts")["facts"] == by_id

    def test_a_link_that_fits_several_sessions_leads_to_each(self, open_page: Open, tmp_path: Path) -> None:
        """Nobody is shown the wrong one."""
        path, title = tmp_path / "l.duckdb", "The same title"
        details = al.SessionDetails(title=title, title_from=al.TitleOrigin.AGENT)
        told = [
            al.RecordedSession(name, None, "m", "", (al.RecordedTurn(0, "Hello."),), details=details)
            for name in ("one", "two")
        ]
        with al.open_ledger(path) as ledger:
            al.import_sessions(ledger, told)
        test = open_page(path, REPLAY, session=title)
        assert "Several sessions are called that" in texts(test)
        links = [
            one for one in test.get("bidi_component") if one.proto.component_name == "actionledger.anchors"
        ]
        assert len(links) == 2

    def test_without_a_session_says_how_one_is_opened(self, open_page: Open, sample: Path) -> None:
        """The page of its own leads to the list."""
        assert "No session is open" in texts(open_page(sample, REPLAY))


def test_a_day_far_off_is_a_day(open_page: Open, sample: Path, stats: Stats) -> None:
    """A filter reaches back as far as recordings can."""
    assert stats(open_page(sample, OVERVIEW, show="funnel", since="1990-01-01"))["Responses"][0] == "6"
    assert 'From (UTC): there is no "1889-01-01" here' in texts(
        open_page(sample, OVERVIEW, show="funnel", since="1889-01-01")
    )


@pytest.mark.parametrize("page", [OVERVIEW, SESSIONS, TURNS])
def test_a_ledger_that_cannot_be_read_is_a_sentence(open_page: Open, tmp_path: Path, page: str) -> None:
    """What is wrong with the file is said in words, without a traceback."""
    path = tmp_path / "notes.duckdb"
    path.write_text("not a ledger")
    assert "is not a DuckDB database" in texts(open_page(path, page))


@pytest.mark.parametrize("page", [OVERVIEW, SESSIONS, TURNS, REPLAY])
def test_a_ledger_of_imports_alone_has_every_page(
    open_page: Open, imported: Path, stats: Stats, page: str
) -> None:
    """Nothing needs an execution, a time or a run of our own."""
    shown = stats(open_page(imported, page))
    assert all(below == ["none recorded"] for label, (_, below) in shown.items() if "Exec" in label)


@pytest.mark.parametrize("page", [OVERVIEW, SESSIONS, TURNS, REPLAY, "views/transcript.py"])
def test_empty_ledger_says_what_fills_it(open_page: Open, empty: Path, page: str) -> None:
    """An empty ledger shows the command with its own path."""
    test = open_page(empty, page)
    assert "Nothing is recorded yet" in texts(test)
    assert f"--ledger {shlex.quote(str(empty))}" in drawn(test, "exact")["text"]


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


def test_a_dashboard_that_only_reads_leaves_the_ledger_as_it_is(
    open_page: Open, sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No page writes a file of it, or makes its folder."""
    path = Path(shutil.copy(sample, tmp_path / "read.duckdb"))
    before = {each: each.read_bytes() for each in tmp_path.rglob("*")}
    monkeypatch.setenv(actionledger_dashboard.READ_ONLY_VARIABLE, "1")
    for script in sorted((APP.parent / "views").glob("[!_]*.py")):
        open_page(path, f"views/{script.name}")
    assert {each: each.read_bytes() for each in tmp_path.rglob("*")} == before


@pytest.mark.parametrize("page", ["overview", "sessions", "live"])
@pytest.mark.parametrize("damage", ["gone", "cut", "no database"])
def test_a_ledger_that_can_not_be_read_is_said_and_no_fault_of_a_page(
    open_page: Callable[..., AppTest], sample: Path, tmp_path: Path, page: str, damage: str
) -> None:
    """Also where a part of the page runs by itself, and where the file is cut behind what is looked at first."""
    path = tmp_path / "damaged.duckdb"
    content = sample.read_bytes()
    if damage != "gone":
        path.write_bytes(content[: len(content) // 2] if damage == "cut" else b"not one" * 1000)
    test = open_page(path, f"views/{page}.py")
    assert [each.value for each in test.subheader][-1] == "The ledger can't be read"
    assert "actionledger doctor" in drawn(test, "exact")["text"]


class TestLinksThatMiss:
    def test_the_nearest_value_takes_its_place(self, open_page: Open, sample: Path, stats: Stats) -> None:
        """A task that was mistyped; what else is picked stays."""
        test = open_page(sample, OVERVIEW, show="funnel", task=["undatd"], model="small")
        assert 'Task: there is no "undatd" here' in texts(test)
        press(test, "Use undated")
        assert (test.query_params["task"], test.query_params["model"]) == ("undated", "small")
        assert stats(test)["Responses"][0] == "1"

    def test_hostile_names_are_no_markdown_on_a_button(
        self, open_page: Open, sample: Path, hostile: str
    ) -> None:
        """A label of a button is read as Markdown."""
        test = open_page(sample, OVERVIEW, model=hostile[:-1])
        [label] = [each.label for each in test.button if each.label.startswith("Use ")]
        assert "![" not in label
        assert "](" not in label

    def test_the_nearest_session_is_offered(self, open_page: Open, sample: Path) -> None:
        """By its name, in the same page."""
        test = open_page(sample, REPLAY, session="stepz", turn="1")
        assert "There is no such session in this ledger" in texts(test)
        [link] = drawn(test, "anchors")["links"]
        assert link == {"text": "steps", "href": "?session=steps&turn=1"}

    def test_without_a_session_the_newest_are_offered(self, open_page: Open, sample: Path) -> None:
        """Each opens in the page that was asked for."""
        test = open_page(sample, REPLAY)
        found = [json.loads(one.proto.json)[0] for one in test.get("bidi_component")]
        hrefs = [link["href"] for each in found if "links" in each for link in each["links"]]
        assert len(hrefs) == 3
        assert all(href.startswith("replay?session=") for href in hrefs)

    def test_a_page_of_nothing_says_what_fills_it(self, open_page: Open, tmp_path: Path) -> None:
        """A ledger without a tool call has filters that leave nothing over, as it was said."""
        path = tmp_path / "l.duckdb"
        with open_ledger(path) as ledger:
            turn = al.RecordedTurn(0, "Done.")
            al.import_sessions(ledger, [al.RecordedSession("s", None, "m", "", (turn,))])
        test = open_page(path, "views/tools.py")
        assert "Nothing of this kind is recorded in this ledger yet." in texts(test)
        assert "actionledger import" in drawn(test, "exact")["text"]
