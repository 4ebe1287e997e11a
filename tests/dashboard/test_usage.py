"""The pages of usage and of tools: the rows of the queries, each a link to what it is about."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

import actionledger as al
from actionledger.ledger.queries.turn import turn_details
from actionledger_dashboard.components.wording import called, duration
from actionledger_dashboard.viewer.conversation import turns_of

Open = Callable[..., AppTest]
MONDAY = datetime(2026, 3, 30, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger of three sessions of two projects and two days."""
    path = tmp_path_factory.mktemp("used") / "used.duckdb"
    call = al.RecordedCall("c", "Read", {"path": "a"})
    bad = al.RecordedResult("c", "Exit code 1", is_error=True)
    sessions = [
        al.RecordedSession(
            f"s{number}",
            None,
            "m",
            "",
            (
                al.RecordedTurn(
                    0,
                    "",
                    external_id=f"m{number}",
                    capture=al.Capture.CALLS,
                    calls=(call,),
                    results=(bad,),
                    occurred_at=MONDAY + timedelta(days=number // 2),
                    usage=al.Usage(input_tokens=1000, output_tokens=10, cost_usd=1.0 + number),
                ),
            ),
            details=al.SessionDetails(title=f"Title {number}", project=f"/work/{'ab'[number % 2]}"),
        )
        for number in range(3)
    ]
    with al.open_ledger(path) as ledger:
        al.import_sessions(ledger, sessions)
    return path


def rows_of(drawn: Any, test: AppTest) -> list[dict[str, Any]]:
    """Return the rows of a page's table, with where each leads as ``href``."""
    table = drawn(test, "table")
    labels = [column["label"] for column in table["columns"]]
    return [
        dict(zip(labels, row, strict=True)) | {"href": href}
        for row, href in zip(table["rows"], table["hrefs"], strict=True)
    ]


def test_usage_by_day_leads_to_the_sessions_of_the_day(open_page: Open, used: Path, drawn: Any) -> None:
    """The latest first, with what it cost."""
    test = open_page(used, "views/usage.py")
    rows = rows_of(drawn, test)
    assert [(row["Day"], row["Sessions"], row["Cost"]) for row in rows] == [
        ("2026-03-31", 1, "$3.00"),
        ("2026-03-30", 2, "$3.00"),
    ]
    asked = parse_qs(urlsplit(rows[1]["href"]).query)
    assert (asked["since"], asked["until"]) == (["2026-03-30"], ["2026-03-30"])
    stats = {stat["label"]: stat["number"] for stat in drawn(test, "strip")["stats"]}
    assert stats == {"Cost": "$6.00", "Input tokens": "3,000", "Output tokens": "30", "Turns": "3"}


@pytest.mark.parametrize(
    ("by", "heading", "first", "href"),
    [
        ("project", "Project", "/work/a", "sessions?project=%2Fwork%2Fa"),
        ("session", "Session", "Title 2", "replay?session="),
        ("tool", "Tool", "Read", "sessions?action=Read"),
        ("model", "Model", "m", "sessions?model=m"),
        ("month", "Month", "2026-03", "sessions?since=2026-03-01&until=2026-03-31"),
    ],
)
def test_usage_by_anything_leads_to_it(  # noqa: PLR0917 - a case has that many
    open_page: Open, used: Path, drawn: Any, by: str, heading: str, first: str, href: str
) -> None:
    """Those that cost most first."""
    row = rows_of(drawn, open_page(used, "views/usage.py", by=by))[0]
    assert row[heading] == first
    assert row["href"].startswith(href)


def test_tools_lead_to_the_turns_in_which_they_fail(open_page: Open, used: Path, drawn: Any) -> None:
    """Each with its rate and what it rests on."""
    [row] = rows_of(drawn, open_page(used, "views/tools.py"))
    assert (row["Tool"], row["Calls"], row["Failed"], row["Most often"]) == (
        "Read",
        3,
        3,
        "command_failed (3)",
    )
    assert parse_qs(urlsplit(row["href"]).query) == {"stage": ["acting"], "action": ["Read"]}


def test_sessions_go_by_their_title_and_their_place(open_page: Open, used: Path, drawn: Any) -> None:
    """The dearest first, where that is asked for; the project's own name stands there, and filters by all of it."""
    test = open_page(used, "views/sessions.py", order="highest cost first")
    rows = rows_of(drawn, test)
    assert [(row["Session"], row["Project"], row["Cost"]) for row in rows] == [
        ("Title 2", "a", "$3.00"),
        ("Title 1", "b", "$2.00"),
        ("Title 0", "a", "$1.00"),
    ]
    [column] = [each for each in drawn(test, "table")["columns"] if each["label"] == "Project"]
    assert column["hrefs"][1] == "sessions?project=%2Fwork%2Fb"
    narrowed = open_page(used, "views/sessions.py", project="/work/b")
    assert [row["Session"] for row in rows_of(drawn, narrowed)] == ["Title 1"]


def test_an_order_by_its_former_name_is_the_same(open_page: Open, used: Path) -> None:
    """Saved views have it."""
    test = open_page(used, "views/sessions.py", order="worst read first")
    assert test.query_params["order"] == "lowest parse rate first"
    assert not [button for button in test.button if button.label == "Remove"]


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (None, ""),
        (0.2, "0 s"),
        (59, "59 s"),
        (61, "1 min 1 s"),
        (3600, "1 h"),
        (11_876, "3 h 17 min"),
        (90_000, "1 d 1 h"),
    ],
)
def test_a_duration_is_said_in_its_two_greatest_units(seconds: float | None, shown: str) -> None:
    """Nothing where nothing is recorded."""
    assert duration(seconds) == shown


@pytest.mark.parametrize(
    ("name", "title", "expected"),
    [
        ("5b227bad5398269053cc30fbd14f7b48", None, "untitled 5b227bad"),
        ("c8453209-604f-4c87-adea-08757dd367a8", None, "untitled c8453209"),
        ("c8453209-604f-4c87-adea-08757dd367a8", "Mend it", "Mend it"),
        ("task-17", None, "task-17"),
    ],
)
def test_an_identifier_that_nobody_reads_is_shortened(name: str, title: str | None, expected: str) -> None:
    """A title and a name that somebody gave stay whole."""
    assert called(name, "x", title) == expected


@pytest.fixture(scope="module")
def unwritten(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger of a session whose input tokens are recorded and whose output tokens are not, with a failure that is recovered."""
    path = tmp_path_factory.mktemp("unwritten") / "unwritten.duckdb"
    turns = tuple(
        al.RecordedTurn(
            place,
            "Reading.",
            capture=al.Capture.CALLS,
            calls=(al.RecordedCall("c", "Read", {"path": "a"}),),
            results=(al.RecordedResult("c", "Exit code 1", is_error=place == 0),),
            occurred_at=MONDAY + timedelta(minutes=place),
            usage=al.Usage(input_tokens=1000),
        )
        for place in range(2)
    )
    with al.open_ledger(path) as ledger:
        al.import_sessions(ledger, [al.RecordedSession("s", None, "m", "", turns)])
    return path


def test_relatives_are_on_the_transcript_and_in_the_list(open_page: Open, tmp_path: Path, drawn: Any) -> None:
    """Also a subagent whose call is not recorded; a parent that was not imported has no link."""
    path = tmp_path / "family.duckdb"
    turns = (al.RecordedTurn(0, "Done.", occurred_at=MONDAY),)
    sessions = [
        al.RecordedSession("main", None, "m", "", turns),
        *(
            al.RecordedSession(name, None, "m", "", turns, parent=parent, relation=al.Relation.SUBAGENT)
            for name, parent in (("helper", "main"), ("orphan", "elsewhere"))
        ),
    ]
    with al.open_ledger(path) as ledger:
        al.import_sessions(ledger, sessions)
    by_name = {row["Session"]: row for row in rows_of(drawn, open_page(path, "views/sessions.py"))}
    assert {"↳ helper", "orphan"} <= by_name.keys()
    table = drawn(open_page(path, "views/sessions.py"), "table")
    [relation] = [column for column in table["columns"] if column["label"] == "Relation"]
    assert sum(map(bool, relation["hrefs"])) == 1
    for name, role in (
        ("main", "subagent"),
        ("helper", "parent"),
        ("orphan", "subagent of a session that is not in this ledger"),
    ):
        facts = drawn(open_page(path, "views/transcript.py", session=name), "session_facts")
        assert [each["role"] for each in facts["family"]] == [role]


def test_output_tokens_that_are_not_recorded_are_never_0(
    open_page: Open, unwritten: Path, drawn: Any, stats: Any
) -> None:
    """On every page that shows a sum of them, and in the margin of a transcript."""
    assert stats(open_page(unwritten, "views/usage.py"), "Sums")["Output tokens"][0] == "not recorded"
    overview = open_page(unwritten, "views/overview.py", show="usage")
    assert stats(overview, "Usage")["Output tokens"][0] == "not recorded"
    failures = open_page(unwritten, "views/overview.py", show="failures")
    assert any("1,000 tokens in, out not recorded" in each.value for each in failures.caption)
    [row] = rows_of(drawn, open_page(unwritten, "views/sessions.py"))
    assert row["Tokens"] == "2,000 input"
    with al.open_ledger(unwritten, read_only=True) as ledger:
        [session] = al.sessions(ledger).df()["session_id"]
        [first, _] = turns_of(
            turn_details(ledger, str(session), (0, 1)), {}, failing=[], href_of=str, child_of=None
        )
    assert "1,000 in · out not recorded" in ["".join(line) for line in first["about"]]


def test_a_hit_in_a_result_opens_the_transcript_that_marks_it(
    open_page: Open, used: Path, drawn: Any
) -> None:
    """The replay has a mark only for hits in responses."""
    table = drawn(open_page(used, "views/turns.py", search="exit code"), "table")
    assert {urlsplit(href).path for href in table["hrefs"]} == {"transcript"}
    assert {parse_qs(urlsplit(href).query)["find"][0] for href in table["hrefs"]} == {"exit code"}
