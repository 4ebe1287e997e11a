"""The page of comparisons, in both shapes; and two readings beside each other in the replay."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binomtest
from streamlit.testing.v1 import AppTest

from actionledger.core.ids import derived_id
from actionledger.core.recordings import RecordedCall, RecordedResult, RecordedSession, RecordedTurn
from actionledger.core.vocabulary import Capture, Outcome, Reason, RunKind
from actionledger.imports import import_sessions
from actionledger.ledger import open_ledger, queries
from actionledger.replay.contrasts import MEASURES
from actionledger_dashboard.components.comparison_tables import NAMES

OVERVIEW, COMPARE, REPLAY = (f"views/{name}.py" for name in ("overview", "compare", "replay"))
STEPS = derived_id("session", "steps")
HOSTILE = (
    "<script>fetch('https://evil.example')</script>",
    '"><svg onload=fetch("https://evil.example")>',
    "![x](https://evil.example/x.png)",
    "[x](javascript:alert(1))",
    ":red[x] :material/home: :streamlit: :blue-background[y]",
    "$$\\href{https://evil.example}{x}$$",
    "# heading\n- item\n\n```python\nx\n```",
    "a\u202egnp.exe\u2066\u200b\ufeff\x1b[31m\u2028",
    "{{x}} ${x} %s {0} <!-- -->",
    "=HYPERLINK(1)",
)
MARKDOWN = (
    "markdown",
    "caption",
    "subheader",
    "header",
    "title",
    "info",
    "warning",
    "error",
    "success",
    "expander",
)

Open = Callable[..., AppTest]
Drawn = Callable[[AppTest, str], dict[str, Any]]


def said(test: AppTest) -> str:
    """Return all that a page says in words of Streamlit's own elements."""
    kinds = ("subheader", "text", "info", "caption", "warning")
    return "\n".join(str(element.value) for kind in kinds for element in test.get(kind))


def table(test: AppTest, label: str) -> dict[str, Any]:
    """Return what one of a page's tables was given to draw."""
    found = [
        json.loads(one.proto.json)[0]
        for one in test.get("bidi_component")
        if one.proto.component_name == "actionledger.table"
    ]
    return next(each for each in found if each["label"].startswith(label))


def record(recorder: Any, session: str, pairs: list[tuple[Outcome, Outcome]], model: str = "small") -> None:
    """Record a session whose turns are read twice."""
    recorder.session(session, model=model)
    for index, (before, after) in enumerate(pairs):
        text = f"{session} {index}"
        for outcome, run in ((before, "live"), (after, "again")):
            reason = Reason.UNCLOSED_TAG if outcome is Outcome.FAILED else None
            recorder.turn(session, index, text, outcome, model=model, run=run, reason=reason)


GOOD, BAD, NONE = Outcome.CLEAN, Outcome.FAILED, Outcome.NO_ACTION


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory, recorder: Any) -> Path:
    """A ledger of 24 sessions of two models, each read twice: 30 turns lost, 4 recovered, 2 that meant to act only before."""
    path = tmp_path_factory.mktemp("twice") / "twice.duckdb"
    with open_ledger(path) as ledger:
        made = recorder(ledger)
        made.run("live")
        made.run("again", RunKind.REPARSE)
        for number in range(24):
            pairs = [(GOOD, GOOD)] * 3 + [(BAD, BAD)]
            pairs += [(GOOD, BAD)] * (2 if number < 15 else 0)
            pairs += [(BAD, GOOD)] * (1 if number >= 20 else 0)
            pairs += [(GOOD, NONE)] * (1 if number in {16, 17} else 0)
            record(made, f"s{number}", pairs, model="small" if number < 12 else "large")
    return path


@pytest.fixture(scope="module")
def run_of(twice: Path) -> str:
    """The run that has read again."""
    with open_ledger(twice, read_only=True) as ledger:
        return next(run.run_id for run in queries.runs(ledger) if run.kind is RunKind.REPARSE)


@pytest.fixture(scope="module")
def dialects(tmp_path_factory: pytest.TempPathFactory, recorder: Any) -> Path:
    """Two sessions whose turns were read in two dialects, and no longer."""
    path = tmp_path_factory.mktemp("dialects") / "dialects.duckdb"
    with open_ledger(path) as ledger:
        made = recorder(ledger)
        made.run("live")
        made.run("again", RunKind.REPARSE)
        for session, found in (("s0", ("actions", "actions")), ("s1", ("actions", "mint"))):
            made.session(session)
            for index, dialect in enumerate(found):
                text = f"{session} {index}"
                made.turn(session, index, text, GOOD, run="live", dialect=dialect)
                made.turn(session, index, text, BAD, run="again", reason=Reason.UNCLOSED_TAG)
    return path


class TestPairs:
    def test_the_answer_stands_on_the_pairs(self, open_page: Open, twice: Path, drawn: Drawn) -> None:
        """Without a word in the link the last re-reading is compared with the first readings, and is worse."""
        answer = drawn(open_page(twice, COMPARE), "answer")
        assert (answer["verdict"], answer["look"]) == ("worse", "bad")
        counts = [cell["count"] for row in answer["grid"]["rows"] for cell in row["cells"]]
        assert counts == ["72", "30", "4", "24"]
        facts = dict(answer["facts"])
        assert facts["Compared"] == "130 turns that meant to act in both, in 24 sessions"
        assert facts["In no rate"].startswith("2 turns that meant to act in only one of the two")
        assert "p < 0.001" in facts["Exact McNemar test"]
        assert binomtest(4, 34).pvalue < 0.001

    def test_buckets_are_the_worst_first_and_are_all_pairs(self, open_page: Open, twice: Path) -> None:
        """Each has its verdict's look, and together they are all turns that both have read."""
        shown = table(open_page(twice, COMPARE), "what changed")
        assert [row[0] for row in shown["rows"]] == [
            "lost",
            "recovered",
            "meant to act only before",
            "same",
        ]
        assert shown["columns"][0]["looks"] == ["bad", "good", "idle", "idle"]
        assert sum(row[1] for row in shown["rows"]) == 24 * 4 + 30 + 4 + 2

    def test_models_are_sorted_by_what_they_lost(self, open_page: Open, twice: Path) -> None:
        """A row leads to the same comparison of that model alone."""
        shown = table(open_page(twice, COMPARE), "by model")
        assert [(row[0], row[2], row[4]) for row in shown["rows"]] == [("small", 24, 0), ("large", 6, 4)]
        assert "model=small" in shown["hrefs"][0]
        assert "after_run=" in shown["hrefs"][0]
        shown = table(open_page(twice, COMPARE, group="by dialect"), "by dialect")
        assert sum(row[2] for row in shown["rows"]) == 30

    def test_a_link_that_says_everything_stays(
        self, open_page: Open, twice: Path, drawn: Drawn, run_of: str
    ) -> None:
        """Also where it says what would be shown without it: a later run changes nothing of it."""
        asked = {"by": "runs", "before_run": "first", "after_run": run_of, "bucket": "lost"}
        test = open_page(twice, COMPARE, **asked)
        assert test.query_params == asked
        [link] = drawn(test, "anchors")["links"]
        assert link["href"] == f"compare?by=runs&before_run=first&after_run={run_of}"

    def test_a_model_in_the_link_narrows_both_sides(self, open_page: Open, twice: Path, drawn: Drawn) -> None:
        """What narrows stands in the link like any filter."""
        answer = drawn(open_page(twice, COMPARE, model="large"), "answer")
        assert answer["grid"]["rows"][0]["cells"][1]["count"] == "6"

    def test_turns_are_those_of_the_bucket(self, open_page: Open, twice: Path) -> None:
        """The worst bucket comes first; another one is a parameter, and each row opens its own turn."""
        assert len(table(open_page(twice, COMPARE), "turns")["rows"]) == 30
        shown = table(open_page(twice, COMPARE, bucket="recovered"), "turns")
        before = [head["label"] for head in shown["columns"]].index("Before")
        assert [row[before : before + 2] for row in shown["rows"]] == [["unparseable", "parsed"]] * 4
        assert all("session=" in href and "bucket=recovered" in href for href in shown["hrefs"])

    def test_a_dialect_narrows_the_list_and_no_rate(
        self, open_page: Open, dialects: Path, drawn: Drawn
    ) -> None:
        """A group by dialect leads to its turns; the answer above stays of all, since a dialect is found by reading."""
        shown = table(open_page(dialects, COMPARE, group="by dialect"), "by dialect")
        assert [(row[0], row[2]) for row in shown["rows"]] == [("actions", 3), ("mint", 1)]
        assert "of_dialect=mint" in shown["hrefs"][1]
        page = open_page(dialects, COMPARE, group="by dialect", of_dialect="mint", bucket="lost")
        assert [row[0] for row in table(page, "turns: lost")["rows"]] == ["s1"]
        [href] = table(page, "turns: lost")["hrefs"]
        assert "of_dialect=mint" in href
        assert drawn(page, "answer")["grid"]["rows"][0]["cells"][1]["count"] == "4"
        turn = open_page(
            dialects,
            COMPARE,
            bucket="lost",
            of_dialect="mint",
            session=derived_id("session", "s1"),
            turn="1",
        )
        place = drawn(turn, "readings")["place"]
        assert place == "lost in mint 1 of 1: session s1, turn 1"
        assert 'Dialect: there is no "gone" here' in said(open_page(dialects, COMPARE, of_dialect="gone"))

    def test_a_turn_shows_both_readings(
        self, open_page: Open, twice: Path, drawn: Drawn, run_of: str
    ) -> None:
        """Both readings stand beside each other, and the next turn of the bucket is a step away."""
        session = derived_id("session", "s3")
        test = open_page(twice, COMPARE, bucket="lost", session=session, turn="4", after_run=run_of)
        shown = drawn(test, "readings")
        assert [side["verdict"] for side in shown["sides"]] == ["parsed", "unparseable"]
        assert shown["sides"][0]["text"] == "s3 4"
        assert shown["place"].endswith("session s3, turn 4")
        assert f"session={session}&turn=5" in {step["text"]: step["href"] for step in shown["steps"]}["▶"]

    @pytest.mark.parametrize(
        ("name", "value", "expected"),
        [
            ("after_run", "no such run", 'After: there is no "no such run" here'),
            ("before_run", "<b>\u202ex</b>", 'Before: there is no "<b>[U+202E]x</b>" here'),
            ("bucket", "worst", 'Read again: there is no "worst" here'),
            ("model", "no such model", 'Model: there is no "no such model" here'),
            ("session", "no such session", "There is no such turn in this ledger"),
        ],
    )
    def test_a_wrong_link_is_named(
        self, open_page: Open, twice: Path, name: str, value: str, expected: str
    ) -> None:
        """What a link asks for and is not there is said, and nothing else is shown in its place."""
        assert expected in said(open_page(twice, COMPARE, **{name: value}))

    def test_what_is_picked_is_what_the_link_says(self, open_page: Open, twice: Path) -> None:
        """Each field has the buckets with how many turns, and shows the one of the link."""
        test = open_page(twice, COMPARE, bucket="recovered")
        drawn = [json.loads(one.proto.json)[0] for one in test.get("bidi_component")]
        [field] = [data for data in drawn if data.get("label") == "Read again" and "options" in data]
        assert field["picked"] == "recovered"
        assert field["options"][0] == {"value": "lost", "text": "lost · 30"}

    def test_the_same_side_twice_is_refused(self, open_page: Open, twice: Path, run_of: str) -> None:
        """A run beside itself says nothing."""
        test = open_page(twice, COMPARE, by="runs", before_run=run_of, after_run=run_of)
        assert "Both sides are the same responses" in said(test)


class TestSets:
    def test_models_share_no_turns(self, open_page: Open, twice: Path, drawn: Drawn) -> None:
        """It says so, and what can be said: each measure of both sides with its test."""
        test = open_page(twice, COMPARE, by="models", before_model="small", after_model="large")
        answer = drawn(test, "answer")
        assert answer["grid"] is None
        assert dict(answer["facts"])["Compared"].startswith(
            "different turns on each side, compared as independent samples"
        )
        shown = table(test, "measures")
        assert [row[0] for row in shown["rows"]] == ["Parse success", "Strict success"]
        assert shown["rows"][0][2].startswith("60 of 72 in 12 sessions")
        assert shown["hrefs"][0] == "turns?model=large&stage=reading"

    def test_periods_of_one_day_say_what_to_do(self, open_page: Open, twice: Path) -> None:
        """All responses are of one Monday."""
        assert "All responses are of one day" in said(open_page(twice, COMPARE, by="periods"))

    def test_periods_are_days_in_the_link(self, open_page: Open, sample: Path, drawn: Drawn) -> None:
        """By default the ledger's days in two halves: its Monday and its Tuesday."""
        test = open_page(sample, COMPARE, by="periods")
        assert "Before: 2026-03-02 – 2026-03-02. After: 2026-03-03 – 2026-03-03." in said(test)
        assert drawn(test, "answer")["verdict"] == "inconclusive"
        test = open_page(sample, COMPARE, by="periods", before_since="2026-03-03")
        assert "These two sides can't be compared" in said(test)

    def test_a_pause_between_two_periods_is_passed_over(
        self, open_page: Open, elsewhere_twice: Path, drawn: Drawn
    ) -> None:
        """A week in which nothing was recorded compared with nothing: the one before the pause is taken, and the page says which."""
        test = open_page(elsewhere_twice, COMPARE, by="periods")
        assert "Before: 2026-02-24 – 2026-03-02. After: 2026-03-25 – 2026-03-31." in said(test)
        assert drawn(test, "answer")["verdict"] == "inconclusive"

    def test_where_reading_can_not_be_audited_what_came_of_the_calls_answers(
        self, open_page: Open, elsewhere_twice: Path, drawn: Drawn
    ) -> None:
        """It was no answer, where recordings of agents have nothing else."""
        answer = drawn(open_page(elsewhere_twice, COMPARE, by="models"), "answer")
        assert answer["headline"] == (
            "100.0% of tool calls succeeded before, 50.0% after: −50.0 points, from too few sessions to tell that from chance."
        )
        assert dict(answer["facts"])["Not auditable"].startswith("2 before, 2 after")

    def test_what_recordings_say_themselves_is_a_row_that_leads_to_the_sessions(
        self, open_page: Open, elsewhere_twice: Path
    ) -> None:
        """Whether a session succeeded is said of no turn."""
        shown = table(open_page(elsewhere_twice, COMPARE, by="models"), "measures")
        rows = {row[0]: (row, href) for row, href in zip(shown["rows"], shown["hrefs"], strict=True)}
        row, href = rows["Recorded successes"]
        assert (row[1], row[3], href) == ("100.0%", "0.0%", "sessions?model=b")

    def test_each_measure_has_a_name(self) -> None:
        """A measure without one would leave the page without its table."""
        assert set(NAMES) == set(MEASURES)

    def test_one_source_says_what_to_do(self, open_page: Open, twice: Path) -> None:
        """Where there are no two values, that is said."""
        assert "There are no two sources to compare here" in said(open_page(twice, COMPARE, by="sources"))


@pytest.fixture
def elsewhere_twice(tmp_path: Path) -> Path:
    """A ledger of two models' calls, as another runtime has recorded them: two on a Monday, and two four weeks later, one of which failed."""
    sessions = [
        RecordedSession(
            model,
            None,
            model,
            "",
            tuple(
                RecordedTurn(
                    place,
                    "",
                    occurred_at=at,
                    capture=Capture.CALLS,
                    calls=(RecordedCall(f"{model}{place}", "edit", {}),),
                    results=(RecordedResult(f"{model}{place}", "so", is_error=is_wrong and place == 1),),
                )
                for place in range(2)
            ),
            success=not is_wrong,
        )
        for model, at, is_wrong in (
            ("a", datetime(2026, 3, 2, 9), False),
            ("b", datetime(2026, 3, 31, 9), True),
        )
    ]
    path = tmp_path / "twice.duckdb"
    with open_ledger(path) as ledger:
        import_sessions(ledger, sessions, source="chatlog")
    return path


class TestEmpty:
    def test_no_second_reading_names_the_command(self, open_page: Open, imported: Path, drawn: Drawn) -> None:
        """The very command stands there, for this ledger."""
        test = open_page(imported, COMPARE, by="runs")
        assert "No turn has been read twice yet" in said(test)
        command = drawn(test, "exact")["text"]
        assert command == f"actionledger replay --parser gembrain-standard --ledger {imported}"

    def test_an_empty_ledger_says_what_fills_it(self, open_page: Open, empty: Path) -> None:
        """As any page does."""
        assert "Nothing is recorded yet" in said(open_page(empty, COMPARE))


def test_the_overview_leads_to_the_answer(open_page: Open, twice: Path, drawn: Drawn, run_of: str) -> None:
    """The newest re-reading and each dimension with two values are one press away."""
    links = {link["text"]: link["href"] for link in drawn(open_page(twice, OVERVIEW), "anchors")["links"]}
    again = links["again with the first readings"]
    assert again == f"compare?by=runs&before_run=first&after_run={run_of}"
    assert links["models"] == "compare?as=table&of=models"
    assert "sources" not in links


class TestBeside:
    def test_the_first_difference_is_a_link(
        self, open_page: Open, twice: Path, drawn: Drawn, run_of: str
    ) -> None:
        """A session that was read twice says where the readings part."""
        session = derived_id("session", "s3")
        test = open_page(twice, REPLAY, session=session, turn="0")
        shown = drawn(test, "anchors")
        assert shown["before"] == "Read otherwise: 2 turns of this session."
        assert shown["links"][0]["text"] == "First differs at turn 4"
        assert shown["links"][0]["href"] == f"replay?session={session}&turn=4&beside={run_of}"

    def test_both_readings_stand_beside_each_other(
        self, open_page: Open, twice: Path, drawn: Drawn, run_of: str
    ) -> None:
        """The turn that differs first is marked as such, and the next difference is a step away."""
        session = derived_id("session", "s3")
        test = open_page(twice, REPLAY, session=session, turn="4", beside=run_of)
        shown = drawn(test, "readings")
        assert [side["title"] for side in shown["sides"]] == ["First reading", "again"]
        assert shown["place"] == "turn 4 / 5 · the first that differs"
        assert "turn=5" in shown["steps"][2]["href"]

    def test_the_other_way_round(self, open_page: Open, twice: Path, drawn: Drawn, run_of: str) -> None:
        """The re-reading may stand on the left."""
        session = derived_id("session", "s3")
        test = open_page(twice, REPLAY, session=session, turn="5", run=run_of, beside="first")
        shown = drawn(test, "readings")
        assert [side["verdict"] for side in shown["sides"]] == ["unparseable", "parsed"]

    def test_an_unknown_run_is_named(self, open_page: Open, twice: Path) -> None:
        """A link to a run that is not there says so."""
        test = open_page(twice, REPLAY, session=derived_id("session", "s3"), beside="x")
        assert 'Run: there is no "x" here' in said(test)


@pytest.fixture(scope="module")
def hostile_ledger(tmp_path_factory: pytest.TempPathFactory, recorder: Any) -> Path:
    """A ledger with two readings of turns whose models, sessions, texts and runs are all hostile."""
    path = tmp_path_factory.mktemp("hostile") / "hostile.duckdb"
    with open_ledger(path) as ledger:
        made = recorder(ledger)
        made.run("live")
        for text in HOSTILE:
            made.run(text, RunKind.REPARSE)
            made.session(text, model=text)
            made.turn(text, 0, text, GOOD, model=text)
            made.turn(text, 0, text, BAD, model=text, run=text, reason=Reason.UNCLOSED_TAG)
    return path


def test_hostile_texts_are_never_markdown(open_page: Open, hostile_ledger: Path) -> None:
    """Neither shape of the page, nor both readings of a turn, put a recorded text where Markdown is read."""
    with open_ledger(hostile_ledger, read_only=True) as ledger:
        runs = [run for run in queries.runs(ledger) if run.kind is RunKind.REPARSE]
    asked: list[tuple[str, dict[str, str]]] = [(COMPARE, {})]
    for text, run in zip(HOSTILE, runs, strict=True):
        session = derived_id("session", text)
        other = HOSTILE[0] if text != HOSTILE[0] else HOSTILE[1]
        asked.append((COMPARE, {"by": "models", "before_model": text, "after_model": other}))
        asked.append((COMPARE, {"after_run": run.run_id, "session": session, "turn": "0", "bucket": "lost"}))
    asked.append((REPLAY, {"session": session, "beside": run.run_id}))
    for page, parameters in asked:
        test = open_page(hostile_ledger, page, **parameters)
        read_as_markdown = [
            str(getattr(element, "value", element.proto)) for kind in MARKDOWN for element in test.get(kind)
        ]
        assert not [one for one in read_as_markdown for text in HOSTILE if text in one]
        components = {one.proto.component_name for one in test.get("bidi_component")}
        assert components & {"actionledger.answer", "actionledger.readings"}
