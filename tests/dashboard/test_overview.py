"""The overview: its sentence, its numbers with the turns behind them, and what fails at the greatest cost."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

import actionledger as al
from actionledger.core.rates import Clustering
from actionledger.core.recordings import RecordedCall, RecordedResult, RecordedSession, RecordedTurn
from actionledger.core.vocabulary import Capture, LeftOutReason
from actionledger.imports import import_sessions
from actionledger.ledger import open_ledger, queries
from actionledger.ledger.queries import Filter, Mark
from actionledger.ledger.queries.stages import TRIED_ELSEWHERE
from actionledger.replay.changes import PeriodChange
from actionledger.report.drawing import beginning
from actionledger_dashboard.components.questions import parsed_of, unacted_of

Open = Callable[..., AppTest]
Stats = Callable[..., dict[str, tuple[str, list[str]]]]

PAGE = "views/overview.py"
MONDAY = datetime(2026, 3, 2, 9)
GOOD = '```actions\n{"actions": [{"type": "list_tasks"}]}\n```'
BAD = '```actions\n{"actions" [\n```'


def drawn(test: AppTest, component: str) -> list[dict[str, Any]]:
    """Return what each of our own components of a kind was given to draw."""
    name = f"actionledger.{component}"
    return [
        json.loads(one.proto.json)[0]
        for one in test.get("bidi_component")
        if one.proto.component_name == name
    ]


def answer(test: AppTest, question: str) -> dict[str, Any]:
    """Return what the page answers to one of its questions."""
    [found] = [each for each in drawn(test, "question") if each["question"] == question]
    return found


def said(pieces: list[dict[str, Any]]) -> str:
    """Return the words of a sentence in pieces."""
    return " ".join(
        "".join(piece["text"] + " " * (piece.get("kind") == "number") for piece in pieces).split()
    )


def lines(found: dict[str, Any]) -> dict[str, list[str]]:
    """Return the rows of an answer by their names."""
    return {row["name"]: row["cells"] for row in found["rows"]}


def uncounted(test: AppTest) -> list[tuple[str, str]]:
    """Return what the page says is in no number, and where each leads."""
    found = [part for part in drawn(test, "anchors") if part["before"] == "Not in the numbers"]
    return [(link["text"], link["href"]) for part in found for link in part["links"]]


def links_of(value: object) -> Iterator[str]:
    """Yield every address in what a component draws."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == "href" and inner:
                yield inner
            else:
                yield from links_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from links_of(inner)


@pytest.fixture(scope="module")
def weeks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two weeks of twenty sessions a day: in the first half of them fail, in the second a tenth, by another model."""
    path = tmp_path_factory.mktemp("weeks") / "weeks.duckdb"
    items = [
        al.RecordedSession(
            f"{day}.{nth}",
            "assistant",
            "old" if day < 7 else "new",
            "",
            (
                al.RecordedTurn(
                    0,
                    BAD if nth < (10 if day < 7 else 2) else GOOD,
                    occurred_at=MONDAY + timedelta(days=day, minutes=nth),
                ),
            ),
        )
        for day in range(14)
        for nth in range(20)
    ]
    with open_ledger(path) as ledger:
        import_sessions(ledger, items)
    return path


@pytest.fixture(scope="module")
def agents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six sessions of an agent whose recordings have the calls alone: three finished, two failed, one goes on; two calls failed."""
    path = tmp_path_factory.mktemp("agents") / "agents.duckdb"
    ends = (True, True, True, False, False, None)
    items = [
        RecordedSession(
            f"s{number}",
            None,
            "m",
            "",
            (
                RecordedTurn(
                    0,
                    "",
                    occurred_at=MONDAY,
                    capture=Capture.CALLS,
                    calls=(RecordedCall("c", "edit", {"path": "a"}),),
                    results=(RecordedResult("c", "done", is_error=ended is False),),
                ),
            ),
            success=ended,
        )
        for number, ended in enumerate(ends)
    ]
    with open_ledger(path) as ledger:
        import_sessions(ledger, items)
    return path


class TestDidItWork:
    def test_sessions_lead_and_each_outcome_opens_its_list(self, open_page: Open, agents: Path) -> None:
        """Counted once more from the recordings: of six sessions of an agent three finished, two failed, one is open."""
        found = answer(open_page(agents, PAGE), "Did it work?")
        assert said(found["lead"]).startswith("50.0% of 6 sessions finished (")
        assert lines(found) == {
            "finished": ["3", "50.0%"],
            "failed": ["2", "33.3%"],
            "open": ["1", "16.7%"],
        }
        with open_ledger(agents, read_only=True) as ledger:
            for row in found["rows"]:
                within = Filter.of_address(row["href"])
                assert f"{queries.count_sessions(ledger, within):,}" == row["cells"][0]
        assert said(found["notes"][-1]).startswith("66.7% of 6 tool calls succeeded")

    def test_parsing_leads_where_raw_text_was_recorded(self, open_page: Open, weeks: Path) -> None:
        """196 of 280 were parsed, the last week 126 of 140 and the one before 70 of 140."""
        found = answer(open_page(weeks, PAGE), "Did it work?")
        assert said(found["lead"]) == (
            "70.0% of 280 responses that meant to act parsed (64.4% – 75.1%); 90.0% from 2026-03-09 to 2026-03-15, "
            "+40.0 points on the 7 days beforebetter"
        )
        compare = parse_qs(urlsplit(found["lead"][-2]["href"]).query)
        assert {name: values for name, values in compare.items() if name != "by"} == {
            "before_since": ["2026-03-02"],
            "before_until": ["2026-03-08"],
            "after_since": ["2026-03-09"],
            "after_until": ["2026-03-15"],
        }
        assert found["lead"][-1]["look"] == "good"
        assert said(found["notes"][0]).startswith("0.0% of 280 sessions finished")
        assert lines(found) == {"stopped without acting": ["84", "30.0%"], "open": ["196", "70.0%"]}

    def test_a_period_that_is_asked_for_is_the_number_itself(self, open_page: Open, weeks: Path) -> None:
        """Within days of the filter the number and the later side are one."""
        found = answer(open_page(weeks, PAGE, since="2026-03-11", until="2026-03-12"), "Did it work?")
        assert said(found["lead"]) == (
            "90.0% of 40 responses that meant to act parsed (76.9% – 96.0%), +0.0 points on the 2 days beforemay be chance"
        )

    def test_an_empty_ledger_says_what_fills_it(self, open_page: Open, empty: Path) -> None:
        """There is no answer about nothing."""
        test = open_page(empty, PAGE)
        assert drawn(test, "question") == []
        assert "actionledger demo --ledger" in drawn(test, "exact")[0]["text"]

    def test_one_session_is_too_few(self, open_page: Open, imported: Path) -> None:
        """The share without an interval, nothing of a day before, nothing that failed."""
        test = open_page(imported, PAGE)
        assert said(answer(test, "Did it work?")["lead"]).endswith("parsed (too few sessions)")
        nothing = "Nothing failed, as far as it was read, checked and executed."
        assert said(answer(test, "What went wrong?")["notes"][0]) == nothing

    def test_too_few_sessions_say_so(self, tmp_path: Path) -> None:
        """A step without an interval is told, and not judged."""
        few, all_read = al.Rate(3, 4, Clustering(1, 16, 9, 12)), al.Rate(4, 4, Clustering(1, 16, 16, 16))
        dated = Filter(since=MONDAY.replace(hour=0), until=MONDAY.replace(hour=0, day=9))
        change = PeriodChange(
            days=7,
            is_whole=False,
            earlier=dated,
            later=dated,
            before=few,
            after=all_read,
            difference=None,
            p_value=None,
        )
        session = al.RecordedSession("s", "assistant", "m", "", (al.RecordedTurn(0, GOOD),))
        with open_ledger(tmp_path / "l.duckdb") as ledger:
            import_sessions(ledger, [session])
            found = queries.funnel(ledger)
        assert said(parsed_of(found, change, Filter())).endswith(
            "; 100.0% from 2026-03-02 to 2026-03-08, +25.0 points on the 7 days beforetoo few sessions to tell"
        )

    def test_calls_alone_have_no_parse_rate(self, open_page: Open, calls_alone: Path) -> None:
        """Nothing says how they parse, so that nothing is drawn of it, not even a word."""
        test = open_page(calls_alone, PAGE)
        assert "parsed" not in json.dumps(answer(test, "Did it work?"))
        looks = test.get("button_group")[0]
        assert [each.content for each in looks.proto.options] == ["failures", "funnel", "usage"]

    def test_nothing_is_drawn_over_time_where_nothing_carries_one(
        self, open_page: Open, tmp_path: Path
    ) -> None:
        """The failures are looked at first; a link to the course still shows that page."""
        with open_ledger(tmp_path / "l.duckdb") as ledger:
            import_sessions(ledger, [RecordedSession("s", None, "m", "", (RecordedTurn(0, "Done."),))])
        looks = open_page(tmp_path / "l.duckdb", PAGE).get("button_group")[0]
        assert "over time" not in [each.content for each in looks.proto.options]
        linked = open_page(tmp_path / "l.duckdb", PAGE, show="over time")
        assert linked.get("button_group")[0].value == "over time"


class TestUnacted:
    def test_each_number_opens_its_list(self, open_page: Open, sample: Path) -> None:
        """Of seven responses two could not be parsed, one is empty; as plain SQL counts them, and the lists."""
        pieces = answer(open_page(sample, PAGE), "Did it work?")["notes"][1]
        assert said(pieces) == (
            "1 response stopped without acting (1 empty) · 2 could not be parsed in 2 sessions: 42.9% of 7 (too few sessions)"
        )
        stopped, unread, sessions = [piece["href"] for piece in pieces if piece.get("href")]
        plain = "SELECT outcome, count(*) FROM parse_attempts WHERE run_kind <> 'reparse' GROUP BY ALL"
        with open_ledger(sample, read_only=True) as ledger:
            counts = dict(ledger.sql(plain).fetchall())
            assert [counts[outcome] for outcome in ("failed", "empty")] == [2, 1]
            behind = [
                queries.count_turns_behind(ledger, Filter(), mark_of(href)) for href in (stopped, unread)
            ]
            assert behind == [1, 2]
            assert queries.count_sessions(ledger, Filter.of_address(sessions)) == 2

    def test_within_a_filter_it_is_of_what_that_picks(self, open_page: Open, weeks: Path) -> None:
        """The filter goes along into the lists."""
        pieces = answer(open_page(weeks, PAGE, model="old"), "Did it work?")["notes"][1]
        assert said(pieces).startswith("70 responses could not be parsed in 70 sessions: 50.0% of 140 (")
        assert all("model=old" in piece["href"] for piece in pieces if piece.get("href"))

    def test_where_none_did_nothing_is_said(self) -> None:
        """What is constant is not drawn."""
        assert unacted_of(queries.Unacted(al.Rate(0, 5), 0, {}, {}), Filter()) == []


class TestHeader:
    def test_it_names_the_ledger_its_days_and_its_newest_response(self, open_page: Open, weeks: Path) -> None:
        """The last of the twenty sessions of the last day."""
        begin = "weeks.duckdb · 2026-03-02 – 2026-03-15 · newest response 2026-03-15 09:19 UTC, "
        assert any(each.value.startswith(begin) for each in open_page(weeks, PAGE).text)


class TestWhatItCost:
    def test_this_week_stands_beside_the_last(self, open_page: Open, tmp_path: Path) -> None:
        """As many days on either side, each sum counted once more; where nothing is known, that is all that is said."""
        path = tmp_path / "costs.duckdb"
        with al.open_ledger(path) as ledger:
            al.import_sessions(ledger, [priced(day, 1.0 if day < 7 else 2.0) for day in range(14)])
            plain = "SELECT sum(cost_usd) FROM turns WHERE occurred_at >= TIMESTAMP '2026-03-08'"
            assert ledger.sql(plain).fetchall() == [(14.0,)]
        found = answer(open_page(path, PAGE), "What did it cost?")
        assert said(found["lead"]) == "$14.00 from 2026-03-08 to 2026-03-14, +100% on the 7 days before"
        assert found["heads"] == ["", "03-08 – 03-14", "7 days before", "in all"]
        assert lines(found) == {
            "Responses": ["7", "7", "14"],
            "Cost": ["$14.00", "$7.00", "$21.00"],
            "Input tokens": ["7", "7", "14"],
            "Output tokens": ["not recorded", "not recorded", "not recorded"],
        }
        with al.open_ledger(tmp_path / "none.duckdb") as ledger:
            al.import_sessions(
                ledger, [al.RecordedSession("s", None, "m", "", (al.RecordedTurn(0, "Done."),))]
            )
        bare = answer(open_page(tmp_path / "none.duckdb", PAGE), "What did it cost?")
        assert (said(bare["notes"][0]), bare["rows"]) == ("Tokens and cost are not recorded.", [])

    def test_a_first_week_has_nothing_beside_it(self, open_page: Open, tmp_path: Path) -> None:
        """One column, and no word of a week before."""
        path = tmp_path / "first.duckdb"
        with al.open_ledger(path) as ledger:
            al.import_sessions(ledger, [priced(day, 0.5) for day in range(3)])
        found = answer(open_page(path, PAGE), "What did it cost?")
        assert (said(found["lead"]), found["heads"]) == ("$1.50 in all", [])


def priced(day: int, cost: float) -> al.RecordedSession:
    """Return a session of one response on a day of March, with what it cost."""
    at = datetime(2026, 3, 1 + day, 9, tzinfo=UTC)
    turn = al.RecordedTurn(0, "Done.", occurred_at=at, usage=al.Usage(input_tokens=1, cost_usd=cost))
    return al.RecordedSession(f"s{day}", None, "m", "", (turn,))


class TestNotInTheNumbers:
    def test_what_is_not_recorded_took_what_it_took(self, open_page: Open, tmp_path: Path) -> None:
        """Nothing is said of how it was read; its tokens are, its link leads to it, and each page of it opens."""
        path = tmp_path / "l.duckdb"
        turn = RecordedTurn(0, "", capture=Capture.NONE, usage=al.Usage(input_tokens=7, output_tokens=3))
        with open_ledger(path) as ledger:
            import_sessions(ledger, [RecordedSession("s", None, "big", "", (turn,))])
        test = open_page(path, PAGE)
        assert drawn(test, "question") == []
        assert uncounted(test) == [
            ("1 response not recorded but for tokens and times (in no rate)", "turns?outcome=not_recorded")
        ]
        open_page(path, "views/turns.py", outcome="not_recorded")
        open_page(path, "views/sessions.py")

    def test_each_is_named_and_leads_to_where_it_is_listed(self, open_page: Open, tmp_path: Path) -> None:
        """With the words that the report has; a filter says what is of the whole ledger."""
        path = tmp_path / "l.duckdb"
        call = RecordedCall("c", "edit", {"path": "a"})
        turn = RecordedTurn(0, "", capture=Capture.CALLS, calls=(call,))
        items = [
            RecordedSession("s", None, "big", "", (turn,)),
            al.LeftOut("f", LeftOutReason.DUPLICATE, "agent_message", 3),
            al.Refusal("f", 1, "The line is not JSON."),
        ]
        with open_ledger(path) as ledger:
            import_sessions(ledger, items)
        assert uncounted(open_page(path, PAGE)) == [
            (
                "1 response not auditable (in no rate of reading)",
                "turns?capture=calls&outcome=clean&outcome=repaired&outcome=partial&outcome=failed",
            ),
            ("3 things skipped on import", "left_out?by=by+reason"),
            ("1 line, file or turn refused by imports", "left_out?by=refused"),
        ]
        narrowed = uncounted(open_page(path, PAGE, since="2026-01-01"))
        assert narrowed[0][0] == "in the whole ledger 3 things skipped on import"

    def test_where_nothing_else_came_in_it_is_said_too(
        self, open_page: Open, tmp_path: Path, empty: Path, weeks: Path
    ) -> None:
        """A ledger that is empty because all was refused is not just empty; where there is nothing of it, nothing is said."""
        path = tmp_path / "l.duckdb"
        with open_ledger(path) as ledger:
            import_sessions(ledger, [al.Refusal("f", 1, "The line is not JSON.")])
        assert [text for text, _ in uncounted(open_page(path, PAGE))] == [
            "1 line, file or turn refused by imports"
        ]
        left = tmp_path / "left.duckdb"
        with open_ledger(left) as ledger:
            import_sessions(ledger, [al.LeftOut("f", LeftOutReason.DUPLICATE, "agent_message", 3)])
        assert [href for _, href in uncounted(open_page(left, PAGE))] == ["left_out?by=by+reason"]
        assert "3 things in 1 import" in open_page(left, "views/left_out.py").caption[0].value
        assert uncounted(open_page(empty, PAGE)) == uncounted(open_page(weeks, PAGE)) == []


class TestNumbers:
    def test_each_count_is_that_of_its_turns(self, open_page: Open, weeks: Path) -> None:
        """Where a number counts responses, its link picks as many turns; counted from the text of the recording."""
        test = open_page(weeks, PAGE, show="funnel")
        [steps] = drawn(test, "steps")
        reading = {step["label"]: step for step in steps["stages"][0]["steps"]}
        expected = {"Responses": (280, 0), "Meant to act": (280, 0), "Parsed": (196, 84)}
        with open_ledger(weeks, read_only=True) as ledger:
            for label, (count, lost) in expected.items():
                assert reading[label]["count"] == count
                assert queries.count_turns_behind(ledger, Filter(), mark_of(reading[label]["href"])) == count
                if lost:
                    assert reading[label]["lost"] == f"{lost} not parsed"
                    assert (
                        queries.count_turns_behind(ledger, Filter(), mark_of(reading[label]["lost_href"]))
                        == lost
                    )

    def test_every_link_of_the_page_leads_to_turns(self, open_page: Open, sample: Path) -> None:
        """Each address of the strip, the steps and the groups picks at least one turn."""
        shown = [open_page(sample, PAGE, show=look) for look in ("funnel", "parse rates")]
        found = [
            href
            for test in shown
            for kind in ("strip", "steps", "rates")
            for part in drawn(test, kind)
            for href in links_of(part)
        ]
        assert len(found) > 20
        with open_ledger(sample, read_only=True) as ledger:
            for href in found:
                query = parse_qs(urlsplit(href).query, keep_blank_values=True)
                within = Filter(models=tuple(query.get("model", ())))
                assert queries.count_turns_behind(ledger, within, mark_of(href)), href

    def test_whiskers_share_a_scale_that_says_where_it_begins(self, open_page: Open, weeks: Path) -> None:
        """At a multiple of 10 % below every interval, or at nothing."""
        [rates] = drawn(open_page(weeks, PAGE, show="funnel"), "strip")
        lowest = min(stat["rate"]["low"] for stat in rates["stats"] if stat["rate"])
        assert rates["begin"] <= lowest < rates["begin"] + 0.1
        assert beginning([al.Rate(1, 10)]) == 0.0
        assert beginning([]) == 0.0
        assert beginning([al.Rate(5, 5, Clustering(1, 25, 25, 25))]) == 0.9

    def test_groups_without_a_rate_have_the_word(self, open_page: Open, elsewhere: Path) -> None:
        """A source of which nothing can be audited is a row as well."""
        [rates] = drawn(open_page(elsewhere, PAGE, show="parse rates", by="by source"), "rates")
        assert [(group["label"], group["text"]) for group in rates["groups"]] == [("chatlog", "100.0% of 3")]
        assert rates["took"] == ["output tokens each", "cost"]

    def test_what_they_took_is_said_as_far_as_it_is_recorded(
        self, open_page: Open, elsewhere: Path, imported: Path, stats: Stats
    ) -> None:
        """Four turns with tokens, one with a cost, no latency; one of four tries is no time-out."""
        test = open_page(elsewhere, PAGE, show="usage")
        took = stats(test, "Usage")
        assert took["Input tokens"] == ("4,000", ["recorded of 4 of 4"])
        assert took["Cost"] == ("$0.2500", ["recorded of 1 of 4"])
        assert took["Timeouts (recorded agent)"][0] == "0.0%"
        assert (
            took["Timeouts (recorded agent)"][1][-1] == "median 12 ms, 95 % within 12 ms, recorded of 1 of 2"
        )
        assert "Latency: not recorded." in [caption.value for caption in test.caption]
        bare = open_page(imported, PAGE, show="usage")
        assert stats(bare, "Usage") == {}
        assert "Latency, tokens, cost: not recorded." in [caption.value for caption in bare.caption]


class TestFailures:
    def test_the_costliest_comes_first_and_opens_its_turns(self, open_page: Open, weeks: Path) -> None:
        """All 84 are one group; its link shows just these, each leading to its replay."""
        test = open_page(weeks, PAGE)
        found = answer(test, "What went wrong?")
        assert said(found["lead"]) == "84 turns spent on failures, in 1 group"
        assert found["heads"] == ["worst first", "turns", "sessions lost"]
        assert lines(found) == {"malformed json": ["84", "84"]}
        [row] = found["rows"]
        assert row["beside"].startswith("parsing")
        assert parse_qs(urlsplit(row["href"]).query)["show"] == ["failures"]
        test = open_page(weeks, PAGE, show="failures")
        assert any(each.value.startswith("1 group. Recovery took ") for each in test.caption)
        [groups] = drawn(test, "table")
        [href] = groups["hrefs"]
        test.query_params["group"] = parse_qs(urlsplit(href).query)["group"][0]
        test.run()
        [_, turns] = drawn(test, "table")
        assert len(turns["rows"]) == 84
        assert all(href.startswith("replay?session=") for href in turns["hrefs"])

    def test_loops_are_looked_for_when_asked_for(self, open_page: Open, weeks: Path, elsewhere: Path) -> None:
        """How many sessions could be looked through stands beside them."""
        test = open_page(weeks, PAGE, show="failures", reasons="loops")
        assert "0 sessions examined; 280 sessions could not be" in test.caption[-1].value
        assert "No session goes in circles, of those that could be looked through." in [
            info.value for info in test.info
        ]

    def test_a_group_that_is_not_there_is_named(self, open_page: Open, weeks: Path) -> None:
        """A link of another ledger, or other filters."""
        test = open_page(weeks, PAGE, show="failures", group="nonsense")
        assert any("The group of failures that the link names" in info.value for info in test.info)

    def test_hostile_names_are_text(self, open_page: Open, sample: Path, hostile: str) -> None:
        """No element that reads Markdown holds what others wrote; our components get it as it is."""
        test = open_page(sample, PAGE, show="parse rates")
        kinds = ("markdown", "caption", "subheader", "info", "warning", "header")
        assert not [shown for kind in kinds for shown in test.get(kind) if hostile in str(shown.value)]
        [rates] = drawn(test, "rates")
        assert hostile in [group["label"] for group in rates["groups"]]


class TestCourse:
    def test_what_is_new_and_what_changed_is_marked(self, open_page: Open, weeks: Path) -> None:
        """The model of the second week, and that the rate is another one from there on; nothing of the first day."""
        test = open_page(weeks, PAGE)
        [chart] = test.get("vega_lite_chart")
        said = [row["detail"] for row in json.loads(chart.proto.spec)["layer"][0]["data"]["values"]]
        assert said == ["50.0% → 90.0%; model new"]


def mark_of(href: str) -> Mark:
    """Return the mark of a link to turns."""
    found = parse_qs(urlsplit(href).query)
    repeated = {"outcomes": "outcome", "dialects": "dialect", "executions": "execution", "endings": "ending"}
    single = {name: found[name][0] for name in ("stage", "code", "action", "origin") if name in found}
    return Mark(**single, **{name: tuple(found.get(there, ())) for name, there in repeated.items()})


def test_calls_alone_have_a_course_of_what_was_tried_elsewhere(open_page: Open, tmp_path: Path) -> None:
    """Where nothing says how responses parse, the panel was empty; a point leads to the turns of which something was tried."""
    at = datetime(2026, 3, 2, 12)
    call, result = RecordedCall("c", "edit", "{}"), RecordedResult("c", "done")
    turn = RecordedTurn(0, "", occurred_at=at, capture=Capture.CALLS, calls=(call,), results=(result,))
    with open_ledger(path := tmp_path / "calls.duckdb") as ledger:
        import_sessions(ledger, [RecordedSession("s", None, "m", "", (turn,))], source="chatlog")
    test = open_page(path, "views/overview.py")
    assert "Tool call success over time" in [each.value for each in test.subheader]
    assert not [each.value for each in test.info if "recorded as it was written" in each.value][1:]
    with open_ledger(path, read_only=True) as ledger:
        assert queries.count_turns_behind(ledger, Filter(), TRIED_ELSEWHERE) == 1
