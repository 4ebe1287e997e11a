"""docs/questions.md: each way through the dashboard, by its links, and its numbers beside those of the tables themselves."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import duckdb
import pytest
from streamlit.testing.v1 import AppTest

import actionledger as al
from actionledger.demo import sample_sessions, take_samples

ASKED = re.findall(
    r"^### (.+)$", (Path(__file__).parents[2] / "docs/questions.md").read_text("utf-8"), re.MULTILINE
)
SESSIONS = 110
MONDAY = datetime.fromisoformat("2026-09-07T00:00:00")
MEANT = "outcome IN ('clean', 'repaired', 'partial', 'failed')"

Go = Callable[..., AppTest]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first two weeks of the demo's sessions."""
    path = tmp_path_factory.mktemp("demo") / "demo.duckdb"
    with al.open_ledger(path) as ledger:
        take_samples(ledger, islice(sample_sessions(), SESSIONS))
    return path


@pytest.fixture(scope="module")
def costly(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two projects in two weeks; in each session one response fails and costs half a dollar, the other one a quarter."""
    path = tmp_path_factory.mktemp("costly") / "costly.duckdb"
    good, cut = (
        '```actions\n{"actions": [{"type": "list_tasks"}]}\n```',
        '```actions\n{"actions": [{"type": "li',
    )
    sessions = [
        al.RecordedSession(
            f"s{number}",
            "assistant",
            "m",
            "",
            tuple(
                al.RecordedTurn(
                    index,
                    text,
                    occurred_at=(MONDAY + timedelta(days=day, seconds=index)).astimezone(),
                    usage=al.Usage(input_tokens=10, output_tokens=5, cost_usd=cost),
                )
                for index, (text, cost) in enumerate(((cut, 0.5), (good, 0.25)))
            ),
            details=al.SessionDetails(project=project),
        )
        for number, (project, day) in enumerate([("one", -3), ("one", 1), ("two", 1), ("two", 2)])
    ]
    with al.open_ledger(path) as ledger:
        al.import_sessions(ledger, sessions)
    return path


@pytest.fixture
def go(open_page: Go, demo: Path) -> Go:
    """Opens what a link leads to, on the demo's ledger or another one."""

    def to(href: str, ledger: Path = demo) -> AppTest:
        address = urlsplit(href)
        page = address.path.strip("./") or "overview"
        return open_page(ledger, f"views/{page}.py", **parse_qs(address.query))

    return to


def drawn(test: AppTest, component: str) -> list[dict[str, Any]]:
    """Return what a page's components of a kind were given to draw."""
    name = f"actionledger.{component}"
    return [
        json.loads(one.proto.json)[0]
        for one in test.get("bidi_component")
        if one.proto.component_name == name
    ]


def rows(test: AppTest, label: str) -> list[dict[str, Any]]:
    """Return the rows of the table that is labelled so, with where each leads as ``href``."""
    [table] = [each for each in drawn(test, "table") if each["label"].startswith(label)]
    names = [column["label"] for column in table["columns"]]
    return [
        dict(zip(names, row, strict=True)) | {"href": href}
        for row, href in zip(table["rows"], table["hrefs"], strict=True)
    ]


def answer(test: AppTest, question: str) -> dict[str, Any]:
    """Return what the overview answers to one of its questions."""
    [found] = [each for each in drawn(test, "question") if each["question"] == question]
    return found


def pieces(said: dict[str, Any]) -> Iterator[dict[str, str]]:
    """Yield the pieces of an answer's sentences."""
    yield from said["lead"]
    for note in said["notes"]:
        yield from note


def listed(test: AppTest) -> int:
    """Return how many turns a list has, on all of its pages."""
    [counted] = [found for each in test.caption if (found := re.match(r"([\d,]+) turns?\b", each.value))]
    return int(counted[1].replace(",", ""))


def told(ledger: Path, statement: str) -> list[tuple[Any, ...]]:
    """Return what the tables themselves say, by DuckDB alone."""
    with duckdb.connect(str(ledger), read_only=True) as connection:
        return connection.execute(statement).fetchall()


def test_every_question_is_answered_here() -> None:
    """Each by the test that names it."""
    named = set(re.findall(r'^    """([A-Z][^"]+\?)"""$', Path(__file__).read_text("utf-8"), re.MULTILINE))
    assert named == set(ASKED)


def test_the_number_opens_those_that_stopped(go: Go) -> None:
    """Which sessions stopped without acting?"""
    said = pieces(answer(go("./"), "Did it work?"))
    [stopped] = [each for each in said if each["text"].endswith("stopped without acting")]
    assert int(stopped["text"].split()[0]) == listed(go(stopped["href"])) == 6


def test_a_model_on_either_side(go: Go, demo: Path) -> None:
    """Which model is worse?"""
    test = go("compare?by=models&before_model=heron-8b&after_model=heron-70b")
    [row] = [each for each in rows(test, "measures") if each["Measure"] == "Parse success"]
    cells = [value for name, value in row.items() if isinstance(value, str) and " sessions (" in value]
    counts = told(
        demo,
        f"SELECT count(*) FILTER (outcome IN ('clean', 'repaired')), count(*) FROM parse_attempts WHERE {MEANT} "
        "AND model = 'heron-70b'",
    )
    assert cells
    assert cells[-1].startswith("{} of {} in ".format(*counts[0]))


def test_a_reason_opens_its_turns(go: Go) -> None:
    """What could not be read, checked or done, and why?"""
    first = answer(go("./"), "What went wrong?")["rows"][0]
    opened = go(first["href"])
    assert first["name"].replace(" ", "_") in json.dumps(drawn(opened, "table"))
    assert "replay?session=" in json.dumps(
        [json.loads(one.proto.json)[0] for one in opened.get("bidi_component")]
    )


def test_a_week_is_picked(go: Go, costly: Path) -> None:
    """What did failures cost this week?"""
    test = go("./?since=2026-09-07&until=2026-09-13&show=failures", costly)
    assert any("Recovery took 3 turns" in each.value and "$1.50" in each.value for each in test.caption)


def test_by_project_and_then_by_day(go: Go, costly: Path) -> None:
    """What does each project cost per day?"""
    assert {(row["Project"], row["Cost"]) for row in rows(go("usage?by=project", costly), "usage")} == {
        ("one", "$1.50"),
        ("two", "$1.50"),
    }
    days = rows(go("usage?by=day&project=two", costly), "usage")
    assert [(row["Day"], row["Cost"]) for row in days] == [
        ("2026-09-09", "$0.7500"),
        ("2026-09-08", "$0.7500"),
    ]


def test_the_first_tool_opens_its_failures(go: Go, demo: Path) -> None:
    """Which tool fails most often?"""
    first = rows(go("tools"), "tools")[0]
    [(failed,)] = told(
        demo,
        "SELECT count(*) FROM execution_starts JOIN execution_ends USING (execution_id) WHERE status = 'failed' "
        f"AND name = '{first['Tool']}'",
    )
    assert failed == first["Failed"] > 0
    assert listed(go(first["href"])) > 0


def test_the_rows_say_the_outcomes(go: Go) -> None:
    """How did sessions come out?"""
    told_by = Counter(
        each.success
        for each in islice((s for s in sample_sessions() if isinstance(s, al.RecordedSession)), SESSIONS)
    )
    shown = {row["name"]: int(row["cells"][0]) for row in answer(go("./"), "Did it work?")["rows"]}
    assert (shown["finished"], shown["failed"]) == (told_by[True], told_by[False])


def test_the_last_week_beside_the_one_before(go: Go) -> None:
    """Is it getting worse?"""
    lead = answer(go("./"), "Did it work?")["lead"]
    [change] = [each for each in lead if each.get("href", "").startswith("compare?")]
    [compared] = drawn(go(change["href"]), "answer")
    points = re.search(r"[+\N{MINUS SIGN}][\d.]+ points", change["text"])
    assert points
    assert points[0] in compared["headline"]


def test_approvals_are_a_part_of_review(go: Go, tmp_path: Path) -> None:
    """What waits for a person?"""
    path = tmp_path / "l" / "waits.duckdb"
    with al.open_ledger(path) as ledger, al.Runtime("coder", ledger=ledger) as runtime:
        runtime.handle("<create_file>\n<path>a.txt</path>\n<content>\nhello\n</content>\n</create_file>")
    test = go("review?by=approvals", path)
    assert "create_file" in json.dumps(
        [json.loads(each.proto.json)[0] for each in test.get("bidi_component")]
    )


def test_what_is_in_no_number_leads_to_skipped(go: Go, tmp_path: Path) -> None:
    """What is in none of these numbers?"""
    path = tmp_path / "l" / "left.duckdb"
    with al.open_ledger(path) as ledger:
        al.import_sessions(ledger, [al.Refusal("bad.jsonl", 1, "The line is not JSON.")])
    [link] = [link for each in drawn(go("./", path), "anchors") for link in each["links"]]
    assert "refused" in link["text"]
    assert "bad.jsonl" in json.dumps(drawn(go(link["href"], path), "table"))
