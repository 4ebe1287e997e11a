"""What other runtimes did, page by page: told apart from ours, with what it cost, under its parent."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from actionledger.core.ids import derived_id
from actionledger.core.recordings import RecordedCall, RecordedSession, RecordedTurn
from actionledger.core.vocabulary import Capture, LeftOutReason, Relation
from actionledger.imports import import_sessions
from actionledger.imports.sources.base import LeftOut, Refusal
from actionledger.ledger import open_ledger, queries
from actionledger.ledger.queries.filters import filter_of

Open = Callable[..., AppTest]
Stats = Callable[..., dict[str, tuple[str, list[str]]]]
Drawn = Callable[[AppTest, str], dict[str, Any]]
PARENT = derived_id("session", "chatlog", "parent")
CHILD = derived_id("session", "chatlog", "child")


@pytest.fixture
def cells(drawn: Drawn) -> Callable[[AppTest], list[dict[str, Any]]]:
    """The rows of a page's table, each by its columns' labels."""

    def found(test: AppTest) -> list[dict[str, Any]]:
        table = drawn(test, "table")
        labels = [column["label"] for column in table["columns"]]
        return [dict(zip(labels, row, strict=True)) for row in table["rows"]]

    return found


def test_each_parse_rate_has_its_capture_levels(open_page: Open, elsewhere: Path, stats: Stats) -> None:
    """Three of the four were kept as they were written; the fourth is in no rate, and in the funnel by name."""
    shown = stats(open_page(elsewhere, "views/overview.py", show="funnel"))
    for rate in ("Parse success", "Strict success"):
        assert shown[rate][0] == "100.0%"
        assert shown[rate][1][1:] == ["n = 3 in 2 sessions", "raw arguments only 3 · parsed calls only 1"]
    assert "Executed by actionledger" not in shown
    assert shown["Executed by the recorded agent"][0] == "50.0%"


def test_a_number_opens_the_turns_that_it_counts(open_page: Open, elsewhere: Path, drawn: Drawn) -> None:
    """Of four that meant to act, the rates of reading are about the three that were kept as they were written, and so are their links."""
    test = open_page(elsewhere, "views/overview.py", show="funnel")
    steps = {step["label"]: step for stage in drawn(test, "steps")["stages"] for step in stage["steps"]}
    stats = {stat["label"]: stat for stat in drawn_strip(test)["stats"]}
    [group] = drawn(open_page(elsewhere, "views/overview.py", show="parse rates"), "rates")["groups"]
    with open_ledger(elsewhere, read_only=True) as ledger:

        def turns(href: str) -> int:
            return queries.count_turns_behind(ledger, filter_of(href))

        assert steps["With a valid action"]["lost_href"] == ""  # no filter picks those
        read = [steps[label]["href"] for label in ("Can be audited", "Parsed")]
        rated = [stats[label]["href"] for label in ("Parse success", "Strict success")]
        assert [turns(href) for href in (*read, *rated, group["href"])] == [3] * 5
        assert (steps["Can be audited"]["lost"], turns(steps["Can be audited"]["lost_href"])) == (
            "1 can't be",
            1,
        )
    narrowed = open_page(elsewhere, "views/overview.py", show="funnel", capture=["arguments", "calls"])
    [success] = [stat for stat in drawn_strip(narrowed)["stats"] if stat["label"] == "Parse success"]
    assert parse_qs(urlsplit(success["href"]).query)["capture"] == ["arguments"]


def drawn_strip(test: AppTest) -> dict[str, Any]:
    """Return the first row of numbers of a page."""
    strips = [one for one in test.get("bidi_component") if one.proto.component_name == "actionledger.strip"]
    return dict(json.loads(strips[0].proto.json)[0])


def test_where_nothing_can_be_audited_the_rate_is_the_word(
    open_page: Open, calls_alone: Path, stats: Stats, drawn: Drawn
) -> None:
    """Calls that somebody else has parsed are no proof of parsing."""
    test = open_page(calls_alone, "views/overview.py", show="funnel")
    assert stats(test)["Parse success"] == (
        "not auditable",
        ["the recordings have no text of the calls", "parsed calls only 1"],
    )
    [group] = drawn(open_page(calls_alone, "views/overview.py", show="parse rates"), "rates")["groups"]
    assert (group["text"], group["rate"]["value"]) == ("not auditable", None)


def test_each_reason_has_what_its_turns_took(open_page: Open, elsewhere: Path, cells: Any) -> None:
    """Three failures of two reasons, with the tokens of their turns; money where it is recorded; one is inferred from words."""
    test = open_page(elsewhere, "views/overview.py", reasons="by reason")
    rows = {row["Reason"]: row for row in cells(test)}
    assert {name: row["Where"] for name, row in rows.items()} == dict.fromkeys(
        ("command_failed", "rejected"), "acting (recorded agent)"
    )
    assert [rows[name]["Input tokens"] for name in ("command_failed", "rejected")] == ["1,000", "2,000"]
    assert rows["command_failed"]["Cost"] == "$0.2500"
    assert rows["rejected"]["Cost"] is None  # shown as "–"
    assert (rows["rejected"]["Inferred"], rows["command_failed"]["Inferred"]) == (1, 0)
    said = "Together 3 failures in 3 turns of 2 sessions. Those turns took 3,000 tokens in, 30 out, $0.2500"
    assert any(said in caption.value for caption in test.caption)


def test_a_reason_leads_to_its_turns(open_page: Open, elsewhere: Path, drawn: Drawn) -> None:
    """The link names who had run it, and the page of turns narrows by that."""
    links = drawn(open_page(elsewhere, "views/overview.py", reasons="by reason"), "table")["hrefs"]
    asked = [parse_qs(urlsplit(href).query) for href in links]
    assert {"stage": ["acting"], "code": ["rejected"], "origin": ["recorded"]} in asked
    theirs = open_page(elsewhere, "views/turns.py", stage="acting", origin="recorded")
    assert any("3 turns" in caption.value for caption in theirs.caption)
    ours = open_page(elsewhere, "views/turns.py", stage="acting", origin="runtime")
    assert any("Nothing matches" in info.value for info in ours.info)


def test_children_stand_under_their_parent(open_page: Open, elsewhere: Path, cells: Any) -> None:
    """In the list of sessions, in any order; a child whose parent is not there stands for itself."""
    for order in (
        "newest first",
        "oldest first",
        "most turns first",
        "longest duration first",
        "highest cost first",
        "lowest parse rate first",
    ):
        rows = cells(open_page(elsewhere, "views/sessions.py", order=order, also="Capture"))
        named = [(row["Session"], row["Relation"]) for row in rows]
        place = named.index(("parent", ""))
        assert named[place + 1] == ("↳ child", "subagent")
        assert ("orphan", "fork") in named
    assert {row["Session"]: row["Capture"] for row in rows}["parent"] == "arguments, calls"


def test_a_session_shows_its_family(open_page: Open, elsewhere: Path, drawn: Drawn) -> None:
    """Its children and its parent, each a link; a parent that is not recorded is said."""
    parent = drawn(open_page(elsewhere, "views/replay.py", session=PARENT, turn="1"), "session_facts")
    [row] = parent["family"]
    assert (row["name"], row["role"], row["turns"], row["failed"]) == ("child", "subagent", 1, 0)
    assert row["href"] == f"replay?session={CHILD}&turn=0"
    assert row["opened"] == f"replay?session={PARENT}&turn=1&child={CHILD}"
    child = drawn(open_page(elsewhere, "views/replay.py", session=CHILD), "session_facts")
    assert [(row["name"], row["role"]) for row in child["family"]] == [("parent", "parent")]
    orphan = derived_id("session", "chatlog", "orphan")
    said = drawn(open_page(elsewhere, "views/replay.py", session=orphan), "session_facts")["family"]
    assert [row["role"] for row in said] == ["fork of a session that is not in this ledger"]


def test_a_child_opens_in_the_place_of_its_parent(open_page: Open, elsewhere: Path) -> None:
    """Both are on the page, each with its own turn, and a child that is not there is named."""
    test = open_page(elsewhere, "views/replay.py", session=PARENT, turn="1", child=CHILD)
    viewers = [
        json.loads(one.proto.json)[0]
        for one in test.get("bidi_component")
        if one.proto.component_name == "actionledger.transcript"
    ]
    assert [(one["index"], one["inner"], one["names"]["turn"]) for one in viewers] == [
        (1, False, "turn"),
        (3, True, "child_turn"),
    ]
    assert not test.text
    test = open_page(elsewhere, "views/replay.py", session=PARENT, child="gone")
    assert any('Child session: there is no "gone" here' in text.value for text in test.text)


def test_a_child_opens_from_the_call_that_started_it(open_page: Open, tmp_path: Path, drawn: Drawn) -> None:
    """The call's card leads to the child, in the turn that it stands in; the family says which call it was, or that nobody knows."""
    path = tmp_path / "agents.duckdb"
    calls = (
        RecordedCall("call-0001", "Read", {}),
        RecordedCall("call-0002", "Task", {"prompt": "Count the files."}),
    )
    turns = (RecordedTurn(0, "First."), RecordedTurn(1, "Go.", calls=calls, capture=Capture.CALLS))
    child = partial(
        RecordedSession,
        profile=None,
        model="",
        task="",
        turns=turns[:1],
        parent="p",
        relation=Relation.SUBAGENT,
    )
    sessions = [RecordedSession("p", None, "", "", turns), child("p/call-0002"), child("p/lost")]
    with open_ledger(path) as ledger:
        import_sessions(ledger, sessions, source="theirs", origin="theirs.jsonl")
    parent, started = (derived_id("session", "theirs", name) for name in ("p", "p/call-0002"))
    test = open_page(path, "views/replay.py", session=parent, turn="1")
    [lane] = [lane for lane in drawn(test, "transcript")["turn"]["lanes"] if lane["title"] == "Actions"]
    assert [[each["name"] for each in card["started"]] for card in lane["cards"]] == [[], ["p/call-0002"]]
    [link] = lane["cards"][1]["started"]
    assert link["opened"] == f"replay?session={parent}&turn=1&child={started}"
    family = {row["name"]: row for row in drawn(test, "session_facts")["family"]}
    assert family["p/call-0002"]["start"] == "started in turn 1 by Task"
    assert family["p/lost"]["start"] == "which call has started it is not recorded"
    first = drawn(open_page(path, "views/replay.py", session=parent), "session_facts")["family"]
    assert link["opened"] in [row["opened"] for row in first]


def test_recorded_results_stand_beside_the_response(open_page: Open, elsewhere: Path, drawn: Drawn) -> None:
    """In a lane of their own, with exit status and time, and no empty lane of ours."""
    theirs = {}
    for turn in ("0", "1", "2"):
        shown = drawn(open_page(elsewhere, "views/replay.py", session=PARENT, turn=turn), "transcript")[
            "turn"
        ]
        [lane] = shown["done"]
        assert lane["title"] == "Executed by the recorded agent"
        assert [lane["title"] for lane in shown["lanes"]] == ["Actions"]
        assert "1,000 tokens in · 10 tokens out" in shown["about"]
        assert shown["about"].endswith("finish reason tool[U+202E]_use")
        theirs[turn] = lane["cards"]
    assert [(card["status"], card["where"]) for card in theirs["0"]] == [("succeeded", "recorded · 12.5 ms")]
    assert [card["where"] for card in theirs["1"]] == ["recorded · exit 2 · time not recorded"]
    assert [card["status"] for card in theirs["2"]] == ["denied"]
    assert "parsed calls only, so parsing can't be checked" in shown["about"]


def test_what_only_words_tell_says_so(open_page: Open, elsewhere: Path, drawn: Drawn) -> None:
    """A failure that no field of the recording has."""
    shown = drawn(open_page(elsewhere, "views/replay.py", session=CHILD), "transcript")["turn"]
    [card] = shown["done"][-1]["cards"]
    assert "Inferred: only the words of the result tell this." in card["lines"]


def test_what_was_left_out_is_counted_with_its_import(
    open_page: Open, elsewhere: Path, drawn: Drawn, cells: Any, hostile: str
) -> None:
    """By reason, and by import with what it took in; a row of an import leads to its sessions."""
    test = open_page(elsewhere, "views/left_out.py")
    assert [(row["Reason"], row["Kind"], row["Times"]) for row in cells(test)] == [
        ("encrypted", hostile, 3),
        ("empty", "", 1),
    ]
    test = open_page(elsewhere, "views/left_out.py", by="by import")
    assert {row["Import of"] for row in cells(test)} == {"theirs.jsonl"}
    with open_ledger(elsewhere, read_only=True) as ledger:
        [run] = queries.runs(ledger)
    assert set(drawn(test, "table")["hrefs"]) == {f"sessions?run={run.run_id}"}


def test_a_reason_is_one_row_with_its_kinds_folded_below(
    open_page: Open, tmp_path: Path, cells: Any, drawn: Drawn
) -> None:
    """The most frequent reason first by all of its kinds, each meaning once; sixty kinds of one reason hid the others."""
    counts = [
        ("a", LeftOutReason.ENCRYPTED, 5),
        ("b", LeftOutReason.BOOKKEEPING, 4),
        ("c", LeftOutReason.BOOKKEEPING, 3),
    ]
    with open_ledger(path := tmp_path / "left.duckdb") as ledger:
        items = [LeftOut("theirs.jsonl", reason, name, count) for name, reason, count in counts]
        import_sessions(
            ledger,
            [RecordedSession("s", None, "m", "", (RecordedTurn(0, "Done."),)), *items],
            source="chatlog",
        )
    test = open_page(path, "views/left_out.py")
    found = [(row["Kind"], row["Times"], bool(row["Meaning"])) for row in cells(test)]
    assert found == [("2 kinds", 7, True), ("b", 4, False), ("c", 3, False), ("a", 5, True)]
    assert drawn(test, "table")["depths"] == [0, 1, 1, 0]


def test_what_was_refused_is_listed_with_why(
    open_page: Open, tmp_path: Path, cells: Any, hostile: str
) -> None:
    """Also where nothing else was left out, and where nothing at all was taken in: it was said that all is there."""
    for count in (0, 1):
        path = tmp_path / f"{count}.duckdb"
        session = RecordedSession("s", None, "m", "", (RecordedTurn(0, "Done."),))
        with open_ledger(path) as ledger:
            items = [*[session] * count, Refusal("log.jsonl", 2, hostile)]
            import_sessions(ledger, items, source="chatlog")
        test = open_page(path, "views/left_out.py")
        assert test.caption[-1].value == "0 things in 0 imports, and 1 refused."
        assert "What could not be read is refused." in test.info[0].value
        [row] = cells(open_page(path, "views/left_out.py", by="refused"))
        assert (row["Which"], row["Why"]) == ("log.jsonl:2", hostile)


def test_a_ledger_of_which_nothing_was_left_out_says_so(
    open_page: Open, sample: Path, empty: Path, drawn: Drawn
) -> None:
    """And an empty one says what fills it."""
    test = open_page(sample, "views/left_out.py")
    assert "No import has left anything out" in test.info[0].value
    assert (
        "No import has refused anything."
        in open_page(sample, "views/left_out.py", by="refused").info[0].value
    )
    assert "actionledger import" in drawn(open_page(empty, "views/left_out.py"), "exact")["text"]


def test_what_has_no_time_is_in_no_order_and_in_no_period(open_page: Open, calls_alone: Path) -> None:
    """The list claimed to have the latest first, and the overview led to periods of which there is none."""
    captions = [caption.value for caption in open_page(calls_alone, "views/turns.py").caption]
    assert "1 turn" in captions
    shown = open_page(calls_alone, "views/overview.py").get("bidi_component")
    assert not [one for one in shown if "by=periods" in str(one.proto.json)]
