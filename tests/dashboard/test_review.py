"""The page of reviews: a queue, a turn, what waits, the week and how far people agree; all that people wrote is text."""

import json
import shutil
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import actionledger as al
from actionledger.core.ids import derived_id
from actionledger.core.vocabulary import Outcome, Reason
from actionledger_dashboard import READ_ONLY_VARIABLE, permissions

PAGE = "views/review.py"
STEPS = derived_id("session", "steps")

Open = Callable[..., AppTest]
Drawn = Callable[[AppTest, str], dict[str, Any]]


@pytest.fixture
def own(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the sample to write to."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return Path(shutil.copy(sample, tmp_path / "own.duckdb"))


def words(test: AppTest) -> str:
    kinds = ("text", "info", "warning", "caption", "subheader")
    return "\n".join(str(each.value) for kind in kinds for each in test.get(kind))


def tables(test: AppTest) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each of the page's tables, by what the table is."""
    found = {}
    for one in test.get("bidi_component"):
        if one.proto.component_name == "actionledger.table":
            table = json.loads(one.proto.json)[0]
            heads = [column["label"] for column in table["columns"]]
            found[table["label"]] = [dict(zip(heads, row, strict=True)) for row in table["rows"]]
    return found


def cards(test: AppTest) -> list[dict[str, Any]]:
    """Return what is shown as said of the turn."""
    [shown] = [
        one for one in test.get("bidi_component") if one.proto.component_name == "actionledger.readings"
    ]
    [lane] = [
        lane
        for lane in json.loads(shown.proto.json)[0]["sides"][0]["lanes"]
        if lane["title"] == "Said of this turn"
    ]
    return list(lane["cards"])


def as_person(test: AppTest, name: str) -> AppTest:
    """Say once who one is."""
    test.text_input(key="reviewer.typed").set_value(name)
    [button] = [each for each in test.button if each.label == "Start"]
    button.click().run()
    assert f"You review as {name}." in words(test)
    return test


def widget(test: AppTest, kind: str, name: str) -> Any:
    """Return the one widget of a kind whose key begins with a name."""
    [found] = [each for each in test.get(kind) if str(each.key).startswith(f"review.{name}.")]
    return found


def press(test: AppTest, label: str) -> AppTest:
    [button] = [each for each in test.button if each.label == label]
    button.click().run()
    assert not test.exception
    return test


def said(path: Path, **how: Any) -> list[tuple[str, str, str]]:
    with al.open_ledger(path, read_only=True) as ledger:
        return [(each.reviewer, str(each.aspect), each.value) for each in al.reviews(ledger, **how)]


def test_nobody_says_anything_without_a_name(open_page: Open, own: Path) -> None:
    """No name is invented: the page asks for one, and shows the turn all the same."""
    test = open_page(own, PAGE, session=STEPS, turn="0")
    assert test.text_input(key="reviewer.typed").value == ""
    assert not [each for each in test.get("button_group") if "verdict" in str(each.key)]
    assert cards(test) == []
    assert said(own) == []


def test_what_is_said_is_kept_and_another_sees_it(open_page: Open, own: Path) -> None:
    """A verdict, a label, a comment on a block, an assignment; verdicts and labels only once one has judged oneself."""
    with al.open_ledger(own) as ledger:
        al.review(ledger, STEPS, 3, by="bob", label="short")  # so that there is a bob to assign to
    test = as_person(open_page(own, PAGE, session=STEPS, turn="0"), "ann")
    widget(test, "button_group", "verdict").set_value("wrong").run()
    widget(test, "multiselect", "labels").set_value(["flaky"]).run()
    place = widget(test, "selectbox", "place")
    place.set_value(place.options[1])
    widget(test, "text_area", "comment").set_value("Look here.")
    press(test, "Comment")
    widget(test, "selectbox", "assigned").set_value("bob").run()
    assert said(own, session=STEPS, turn=0) == [
        ("ann", "verdict", "wrong"),
        ("ann", "label", "flaky"),
        ("ann", "comment", "Look here."),
        ("ann", "assignment", "bob"),
    ]

    other = as_person(open_page(own, PAGE, session=STEPS, turn="0"), "bob")
    comment, task, more = cards(other)
    assert (comment["name"], comment["status"], comment["lines"], comment["block"]) == (
        "ann",
        "comment",
        ["Look here."],
        "0",
    )
    assert (task["status"], task["lines"], more["status"]) == ("assignment", ["bob"], "2 more")
    widget(other, "button_group", "verdict").set_value("right").run()
    seen = {(card["name"], card["status"], *card["lines"]) for card in cards(other)}
    assert seen >= {("ann", "verdict: wrong"), ("ann", "label", "flaky"), ("bob", "verdict: right")}


def test_a_change_of_mind_is_a_further_step(open_page: Open, own: Path) -> None:
    """And taking a verdict away withdraws it; both stay in the record."""
    test = as_person(open_page(own, PAGE, session=STEPS, turn="2"), "ann")
    for picked in ("wrong", "unsure", None):
        widget(test, "button_group", "verdict").set_value(picked).run()
    assert said(own) == []
    with al.open_ledger(own, read_only=True) as ledger:
        [left] = al.reviews(ledger, withdrawn=True)
        query = "SELECT step, value FROM reviews WHERE review_id = $id::UUID ORDER BY reviewed_at, step <> 'given'"
        steps = ledger.sql(query, {"id": left.review_id}).fetchall()
    assert steps == [("given", "wrong"), ("changed", "unsure"), ("withdrawn", "unsure")]


def test_what_one_said_can_be_changed_and_withdrawn(open_page: Open, own: Path) -> None:
    """A comment by its author, a decision by anybody; what is done is said to be done."""
    test = as_person(open_page(own, PAGE, session=STEPS, turn="0"), "ann")
    widget(test, "text_area", "comment").set_value("To brief.")
    press(test, "Comment")
    widget(test, "text_area", "again").set_value("Too brief.")
    press(test, "Change")
    assert said(own) == [("ann", "comment", "Too brief.")]
    press(test, "Withdraw")
    assert said(own) == []
    widget(test, "text_input", "decision").set_value("Tell the vendor.")
    press(test, "Decide")
    other = as_person(open_page(own, PAGE, session=STEPS, turn="0"), "bob")
    press(other, "This decision is done")
    assert said(own, only_open=True) == []


def test_hostile_words_are_words(open_page: Open, own: Path, hostile: str) -> None:
    """In a name, a label, a comment and a decision: nothing is taken for Markdown or HTML."""
    name = hostile[:80]
    with al.open_ledger(own) as ledger:
        for what in (
            {"comment": f"{hostile} :red[x]"},
            {"label": hostile},
            {"assign": hostile},
            {"decision": hostile},
        ):
            al.review(ledger, STEPS, 0, by=name, **what)
        al.review(ledger, STEPS, 0, by=name, verdict="wrong")
    test = as_person(open_page(own, PAGE, session=STEPS, turn="0"), name)
    markdown = "\n".join(
        str(each.value) for kind in ("markdown", "html", "caption") for each in test.get(kind)
    )
    assert "evil.example" not in markdown
    assert {line for card in cards(test) for line in card["lines"]} >= {hostile, f"{hostile} :red[x]"}
    for way in ("this week", "agreement"):
        shown = open_page(own, PAGE, by=way)
        markdown = "\n".join(
            str(each.value) for kind in ("markdown", "html", "caption") for each in shown.get(kind)
        )
        assert "evil.example" not in markdown


def test_a_queue_leads_from_turn_to_turn(open_page: Open, own: Path, drawn: Drawn) -> None:
    """What failed and one has not judged, each with its link; the turn knows the next one."""
    test = as_person(open_page(own, PAGE), "ann")
    rows = tables(test)["turns: failing, not judged by me"]
    assert len(rows) == 4
    hrefs = drawn(test, "table")["hrefs"]
    assert all("queue=failing" in href for href in hrefs)
    one = open_page(own, PAGE, session=STEPS, turn="2", queue="failing, not judged by me")
    steps = {step["text"]: step["href"] for step in drawn(one, "readings")["steps"]}
    assert steps["next turn"].startswith("review?session=")
    assert "turn=2" not in steps["next turn"].replace(derived_id("session", "undated"), "")
    assert steps["in its session"] == f"replay?session={STEPS}&turn=2"


def test_whose_queue_it_is_is_said_where_nobody_has_a_name(open_page: Open, own: Path) -> None:
    """A link to one that is somebody's shows what failed until then, as does the page by itself; one that there is not can be taken out."""
    said = words(open_page(own, PAGE, queue="assigned to me"))
    assert "give your name above" in said
    assert "4 turns" in said
    for nothing, turns in (({}, "4 turns"), ({"queue": "all"}, "7 turns")):
        said = words(open_page(own, PAGE, **nothing))
        assert "give your name above" not in said
        assert turns in said
    test = open_page(own, PAGE, queue="theirs")
    assert 'Queue: there is no "theirs" here' in words(test)
    [remove] = [button for button in test.button if button.label == "Remove"]
    remove.click().run()
    assert "queue" not in test.query_params


def test_a_turn_says_why_it_is_in_the_queue(open_page: Open, own: Path, drawn: Drawn) -> None:
    """What failed after reading, too: in the queue by its reason, on the page by what was executed; with the session's name."""
    test = as_person(open_page(own, PAGE), "ann")
    rows = tables(test)["turns: failing, not judged by me"]
    failed = [row for row in rows if row["Outcome"].endswith("a tool call failed")]
    assert failed
    assert all(row["Reason"] for row in rows)
    codes = {code for row in rows for code in row["Reason"].split(", ")}
    assert codes <= set(map(str, Reason))
    shown = drawn(as_person(open_page(own, PAGE, session=STEPS, turn="0"), "ann"), "readings")
    assert shown["place"] == "steps · turn 0"
    titles = [lane["title"] for lane in shown["sides"][0]["lanes"]]
    assert titles[0] == "Said of this turn"
    assert titles[-1].startswith("Executions")


def test_a_turn_of_the_week_leads_back_to_it(open_page: Open, own: Path, drawn: Drawn) -> None:
    """And from any turn to its session, and to the playground with its response."""
    steps = drawn(open_page(own, PAGE, session=STEPS, turn="1", by="this week"), "readings")["steps"]
    assert [(step["text"], step["href"]) for step in steps] == [
        ("this week", "review?by=this+week"),
        ("in its session", f"replay?session={STEPS}&turn=1"),
        ("in the playground", f"playground?session={STEPS}&turn=1"),
    ]


def test_a_link_that_leads_nowhere_is_a_sentence(open_page: Open, own: Path) -> None:
    """A turn, a session or a run of another ledger."""
    assert "There is no such session in this ledger" in words(open_page(own, PAGE, session="x"))
    for turn in ("99", "abc", "9" * 40):
        assert f'It has no turn "{turn}".' in words(open_page(own, PAGE, session=STEPS, turn=turn))
    assert 'Run: there is no "x" here' in words(open_page(own, PAGE, session=STEPS, turn="0", run="x"))


def test_a_link_that_names_a_filter_twice_opens_its_turn(open_page: Open, own: Path) -> None:
    """Of what has one value the first counts, as it does in the list; the page broke."""
    test = open_page(own, PAGE, session=STEPS, turn="0", action=["create_file", "read_file"])
    assert not test.exception


def test_a_dashboard_for_reading_records_nothing(
    open_page: Open, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says so and offers nothing to say; a page that was open before is refused."""
    before = as_person(open_page(own, PAGE, session=STEPS, turn="0"), "ann")
    monkeypatch.setenv(READ_ONLY_VARIABLE, "1")
    widget(before, "button_group", "verdict").set_value("wrong").run()
    assert "This dashboard is for reading only: nothing is recorded here." in words(before)
    test = as_person(open_page(own, PAGE, session=STEPS, turn="0"), "ann")
    assert "Nothing can be said here: this dashboard only reads." in [each.value for each in test.caption]
    assert not test.get("button_group")
    assert not test.text_area
    assert said(own) == []


@pytest.fixture
def waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ledger in which two files wait to be written."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(permissions, "_codes", [])
    path = tmp_path / "waiting.duckdb"
    files = "".join(f"<create_file><path>{name}</path><content>x</content></create_file>" for name in "ab")
    with (
        al.open_ledger(path) as ledger,
        al.Runtime("coder", ledger=ledger, workspace=tmp_path / "work") as runtime,
    ):
        runtime.handle(files)
    return path


def decisions(path: Path) -> list[tuple[str, str]]:
    with al.open_ledger(path, read_only=True) as ledger:
        asked = "SELECT decision, decided_by FROM approvals WHERE decision IS NOT NULL ORDER BY decided_at"
        return ledger.sql(asked).fetchall()


def test_what_waits_is_shown_with_what_a_decision_binds(open_page: Open, waiting: Path) -> None:
    """And without being asked to, a page decides nothing: the command does."""
    test = as_person(open_page(waiting, PAGE, by="approvals"), "ann")
    assert len(tables(test)["what waits for a decision"]) == 2
    what, binds, how = (
        str(json.loads(one.proto.json)[0]["text"])
        for one in test.get("bidi_component")
        if one.proto.component_name == "actionledger.exact"
    )
    assert '"path": "a"' in what
    assert "policy " in binds
    assert not [each for each in test.button if each.label in {"Approve", "Reject"}]
    assert how.startswith("actionledger approvals approve ")


def test_a_dashboard_for_reading_decides_nothing(
    open_page: Open, waiting: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever knows the code is told so, too, on a page that was open before as well."""
    code = permissions.allow_deciding()
    before = as_person(open_page(waiting, PAGE, by="approvals"), "ann")
    before.text_input(key="review.code").set_value(code).run()
    monkeypatch.setenv(READ_ONLY_VARIABLE, "1")
    press(before, "Approve")
    assert "This dashboard is for reading only: nothing is recorded here." in words(before)
    test = as_person(open_page(waiting, PAGE, by="approvals"), "ann")
    assert "Nothing can be decided here: this dashboard only reads." in words(test)
    assert "--decide" not in words(test)
    assert not [each for each in test.button if each.label in {"Approve", "Reject"}]
    assert decisions(waiting) == []


def test_who_knows_the_code_decides(open_page: Open, waiting: Path) -> None:
    """A wrong code decides nothing; a decision is signed, counts, and stands once."""
    code = permissions.allow_deciding()
    test = as_person(open_page(waiting, PAGE, by="approvals"), "ann")
    test.text_input(key="review.code").set_value("guess").run()
    assert "That is not the code." in words(test)
    assert not [each for each in test.button if each.label == "Approve"]
    test.text_input(key="review.code").set_value(code).run()
    press(test, "Approve")
    assert "create_file approved by ann." in words(test)
    assert decisions(waiting) == [("approved", "ann")]
    with al.open_ledger(waiting, read_only=True) as ledger:
        from actionledger.runtime.session.decisions import decided_approvals

        assert [each.decided_by for each in decided_approvals(ledger)] == ["ann"]


def test_a_week_with_none_before_it_says_so_once(
    open_page: Open, tmp_path: Path, recorder: Callable[..., Any], drawn: Drawn
) -> None:
    """Nothing is worse or new then: what failed stands there, worst first, each with a turn to review."""
    path = tmp_path / "gap.duckdb"
    with al.open_ledger(path) as ledger:
        writer = recorder(ledger)
        writer.run("live")
        for number, day in enumerate((2, 25)):
            writer.session(f"s{number}")
            writer.turn(f"s{number}", 0, "<a>b</a>", Outcome.CLEAN, at=datetime(2026, 3, day, 9))
        writer.turn("s1", 1, "<a>", Outcome.FAILED, reason=Reason.UNCLOSED_TAG, at=datetime(2026, 3, 25, 9))
    test = open_page(path, PAGE, by="this week")
    assert not test.warning
    assert (
        "The days before have no tool calls, so there is nothing to compare. 1 session: 1 stopped without acting."
        in words(test)
    )
    assert tables(test)["what failed, worst first"] == [
        {
            "Failure": "unclosed tag",
            "Where": "parsing",
            "Turns": 1,
            "Turns spent": 1,
            "Sessions lost": 1,
            "Sessions": "1 of 1 (20.7% – 100.0%)",
        }
    ]


def test_the_first_day_of_a_ledger_says_what_failed(open_page: Open, tmp_path: Path) -> None:
    """There was nothing but the word that there are no two days."""
    path = tmp_path / "day.duckdb"
    with al.open_ledger(path) as ledger:
        turn = al.RecordedTurn(0, '```actions\n{"actions" [\n```', occurred_at=datetime(2026, 3, 2, 9))
        al.import_sessions(ledger, [al.RecordedSession("s", "assistant", "m", "", (turn,))])
    test = open_page(path, PAGE, by="this week")
    assert "There is no day before to compare with. 1 session:" in words(test)
    [row] = tables(test)["what failed, worst first"]
    assert (row["Failure"], row["Where"][:7]) == ("malformed json", "parsing")


def test_the_week_shows_what_is_new_decided_and_open(
    open_page: Open, tmp_path: Path, recorder: Callable[..., Any]
) -> None:
    """A failure that the week before had not, with a turn to review; what was decided, and who is to look."""
    path = tmp_path / "weeks.duckdb"
    monday = al.open_ledger(path)
    with monday as ledger:
        writer = recorder(ledger)
        writer.run("live")
        for day in range(14):
            at = datetime(2026, 3, 2, 9) + timedelta(days=day)
            writer.session(f"s{day}", at=at)
            failed = day >= 7
            writer.turn(
                f"s{day}",
                0,
                "<a>b",
                Outcome.FAILED if failed else Outcome.CLEAN,
                at=at,
                reason=Reason.UNCLOSED_TAG if failed else None,
            )
        ledger.flush()
        al.review(ledger, "s9", 0, by="ann", decision="Close the tag.")
        al.review(ledger, "s9", 0, by="ann", assign="bob")
    test = open_page(path, PAGE, by="this week")
    shown = tables(test)
    [new] = shown["failures that are new or have grown"]
    assert (new["What became of it"], new["Sessions now"]) == ("new", 7)
    assert new["Failure"] == "unclosed tag"
    assert "1 group of failures: 1 new." in words(test)
    [download] = test.get("download_button")
    assert download.proto.label == "Download 1 as CSV"
    [decided] = shown["what was decided"]
    assert [decided[name] for name in ("Says", "State", "Session", "Turn")] == [
        "Close the tag.",
        "open",
        "s9",
        0,
    ]
    assert [row["What"] for row in shown["what is open"]] == ["decision", "assignment"]
    assert "2026-03-09 – 2026-03-15, beside 2026-03-02 – 2026-03-08" in words(test)


def test_agreement_stands_with_what_it_rests_on(open_page: Open, own: Path) -> None:
    """Nobody, one, two."""
    assert "No reading has been judged by two people yet" in words(open_page(own, PAGE, by="agreement"))
    with al.open_ledger(own) as ledger:
        for turn, one, other in ((0, "right", "right"), (1, "right", "wrong"), (2, "wrong", "wrong")):
            al.review(ledger, STEPS, turn, by="ann", verdict=one)
            al.review(ledger, STEPS, turn, by="bob", verdict=other)
    test = open_page(own, PAGE, by="agreement")
    shown = tables(test)
    assert "2 of 3 in 1 session" in words(test)
    [coefficient] = shown["agreement beyond chance"]
    # seen 2/3; by the margins (2·1 + 1·2) / 9
    assert (coefficient["Beyond chance"], coefficient["Value"]) == (
        "Cohen's kappa",
        f"{(2 / 3 - 4 / 9) / (5 / 9):.2f}",
    )
    [pair] = shown["agreement of each two people"]
    assert pair["Where they differ"] == "right / wrong 1"
