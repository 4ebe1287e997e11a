"""docs/questions.md: each command, and its answer counted once more from the tables, by code that shares nothing with the package's queries."""

import re
import shlex
import shutil
from collections import Counter, defaultdict
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path

import duckdb
import pytest

import actionledger as al
from actionledger.demo import sample_sessions, take_samples

PAGE = Path(__file__).parents[2] / "docs/questions.md"
SAMPLES = [
    command
    for page in sorted(PAGE.parent.glob("*.md"))
    for command in re.findall(
        r"(?m)^actionledger ((?:show|shrink|case new|run) .*sample-\d+\S*(?: --shrink)?)",
        page.read_text("utf-8"),
    )
]
"""What pages tell people to do with a sample session."""

COMMANDS = dict(
    re.findall(r"^### (.+)\n\n```bash\nactionledger (.+)\n```", PAGE.read_text("utf-8"), re.MULTILINE)
)
SESSIONS = 110
"""So many of the demo's sessions: two weeks of them."""
MONDAY = datetime.fromisoformat("2026-09-07T00:00:00")
FIRST = "outcome <> 'not_recorded' AND run_kind <> 'reparse'"
ANNOUNCES = re.compile(r"(?:^|[.!?]\s+)(?:First )?(?:I'll|I will|Let me|Next, I)[^.!?]*[.:…]?\s*$")


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The first two weeks of the demo's sessions."""
    path = tmp_path_factory.mktemp("demo") / "demo.duckdb"
    with al.open_ledger(path) as ledger:
        take_samples(ledger, islice(sample_sessions(), SESSIONS))
    return path


@pytest.fixture
def answer(run, demo):
    """Runs the command that the page has for a question, on the demo's ledger or another one."""

    def asked(question, ledger=demo):
        done = run(*shlex.split(COMMANDS[question]), "-l", ledger)
        assert done.code == 0, done.err
        return done.value

    return asked


@pytest.fixture
def table(demo):
    """Asks the tables themselves, by DuckDB alone."""

    def asked(statement, path=demo):
        with duckdb.connect(str(path), read_only=True) as connection:
            return connection.execute(statement).fetchall()

    return asked


def test_every_question_of_the_page_is_asked_here():
    """Ten of them."""
    asked = set(re.findall(r'answer\(\s*"([^"]+)"', Path(__file__).read_text("utf-8")))
    assert set(COMMANDS) == asked
    assert len(COMMANDS) == 10


def test_which_sessions_stopped(answer, table):
    """Those with a response without a call that has no text, or whose last sentence says what is to be done next."""
    names = dict(table("SELECT session_id, external_id FROM session_starts"))
    turns = {
        (session, index): (prompt, text)
        for session, index, prompt, text in table(
            "SELECT session_id, turn_index, prompt, text FROM turn_starts"
        )
    }
    fed_back = {
        (session, index)
        for session, index in table(
            "SELECT session_id, turn_index FROM turn_starts SEMI JOIN (FROM turn_ends WHERE feedback <> '') USING (turn_id)"
        )
    }
    expected = Counter()
    for session, index, outcome in table(
        f"SELECT session_id, turn_index, outcome FROM parse_attempts WHERE {FIRST} AND outcome IN ('no_action', 'empty', 'failed')"
    ):
        _, text = turns[session, index]
        following = turns.get((session, index + 1))
        goes_on = following is not None and following[0] is None and (session, index) not in fed_back
        announces = outcome == "no_action" and ANNOUNCES.search(text) and not goes_on
        expected[names[session]] += bool(not text.strip() or announces)
    expected += Counter()
    found = {each["session"]: each["matching"] for each in answer("Which sessions stopped without acting?")}
    assert found == dict(expected)
    assert found


def test_which_model_is_worse(answer, table):
    """Both models' responses that meant to act, and those that were read whole."""
    counts = {
        model: (whole, meant)
        for model, whole, meant in table(
            "SELECT model, count(*) FILTER (outcome IN ('clean', 'repaired')), count(*) FROM parse_attempts "
            f"WHERE {FIRST} AND outcome IN ('clean', 'repaired', 'partial', 'failed') AND capture <> 'calls' GROUP BY model"
        )
    }
    found = {each["name"]: each for each in answer("Which model is worse?")["measures"]}
    for side, model in (("before", "heron-8b"), ("after", "heron-70b")):
        told = found["parse_success"][side]
        assert (told["successes"], told["count"]) == counts[model]
    said = Counter(
        (each.model, each.success)
        for each in islice((s for s in sample_sessions() if isinstance(s, al.RecordedSession)), SESSIONS)
    )
    told = found["recorded_success"]["before"]
    assert (told["successes"], told["count"]) == (
        said["heron-8b", True],
        said["heron-8b", True] + said["heron-8b", False],
    )


def test_why_something_failed(answer, table):
    """Each reason of reading is the main one of so many attempts."""
    expected = dict(
        table(
            f"SELECT reason, count(*) FROM parse_attempts WHERE {FIRST} AND outcome IN ('partial', 'failed') GROUP BY ALL"
        )
    )
    reasons = [
        each
        for each in answer("What could not be read, checked or done, and why?")["reasons"]
        if each["stage"] == "reading"
    ]
    assert reasons
    assert {each["code"]: each["turns"]["successes"] for each in reasons}.items() <= expected.items()


def test_how_sessions_came_out(answer):
    """What the demo's file says of its sessions is how they came out, whatever the last turn was."""
    told = Counter(
        each.success
        for each in islice((s for s in sample_sessions() if isinstance(s, al.RecordedSession)), SESSIONS)
    )
    rows = answer("How did sessions come out?")
    recorded = {row["outcome"]: row["sessions"] for row in rows if row["why"] == "recorded"}
    assert recorded == {"failed": told[False], "finished": told[True]}
    assert sum(row["sessions"] for row in rows) == SESSIONS


def test_which_tool_fails_most(answer, table):
    """Counted by the rows of what began and ended."""
    ends = dict(table("SELECT execution_id, status FROM execution_ends"))
    failed, tried = Counter(), Counter()
    for execution, name in table("SELECT execution_id, name FROM execution_starts"):
        status = ends.get(execution, "interrupted")
        tried[name] += status in {"succeeded", "failed", "timed_out", "interrupted"}
        failed[name] += status in {"failed", "timed_out", "interrupted"}
    found = {row["name"]: row["failure"] for row in answer("Which tool fails most often?")}
    assert {name: (rate["successes"], rate["count"]) for name, rate in found.items() if rate["count"]} == {
        name: (failed[name], count) for name, count in tried.items() if count
    }
    most = [rate["successes"] for rate in found.values()]
    assert most == sorted(most, reverse=True)
    assert most[0] > 0


def test_is_it_getting_worse(answer, table):
    """The responses before a Monday, and those from it on."""
    counts = defaultdict(lambda: [0, 0])
    for outcome, at in table(f"SELECT outcome, occurred_at FROM parse_attempts WHERE {FIRST}"):
        counts[at >= MONDAY][0] += outcome in {"clean", "repaired"}
        counts[at >= MONDAY][1] += outcome in {"clean", "repaired", "partial", "failed"}
    [parsed] = [
        each for each in answer("Is it getting worse?")["measures"] if each["name"] == "parse_success"
    ]
    assert [[parsed[side]["successes"], parsed[side]["count"]] for side in ("before", "after")] == [
        counts[False],
        counts[True],
    ]


def test_what_waits_and_what_is_in_no_number(answer, table):
    """Nothing waits in the demo; what was never read has no attempt."""
    [(waiting,)] = table("SELECT count(*) FROM approval_starts ANTI JOIN approval_ends USING (approval_id)")
    assert len(answer("What waits for a person?")) == waiting
    [(unread,)] = table("SELECT count(*) FROM turn_starts ANTI JOIN parse_attempts USING (turn_id)")
    assert answer("What is in none of these numbers?")["not_in_the_numbers"].get("never_read", 0) == unread


GOOD, CUT = (
    '```actions\n{"actions": [{"type": "list_tasks"}]}\n```',
    '```actions\n{"actions": [{"type": "list_',
)
COSTS = ((CUT, 0.5), (GOOD, 0.25), (GOOD, 2.0), (GOOD, None))


@pytest.fixture
def costly(tmp_path):
    """Two projects in two weeks; in each session one response fails and costs half a dollar."""
    path = tmp_path / "costly.duckdb"
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
                for index, (text, cost) in enumerate(COSTS)
            ),
            details=al.SessionDetails(project=project),
        )
        for number, (project, day) in enumerate([("one", -3), ("one", 1), ("two", 1), ("two", 2)])
    ]
    with al.open_ledger(path) as ledger:
        al.import_sessions(ledger, sessions)
    return path


def test_what_failures_cost_in_a_week(answer, costly):
    """Three sessions of the week failed once: the failed response, and nothing else that was well."""
    found = answer("What did failures cost this week?", costly)
    [group] = found["groups"]
    assert (group["turns"], found["spent"]["priced"], found["spent"]["cost_usd"]) == (
        3,
        group["spent"]["priced"],
        group["spent"]["cost_usd"],
    )
    assert found["spent"]["cost_usd"] == pytest.approx(3 * 0.5)


def test_what_a_project_costs_per_day(answer, costly):
    """Each session costs 2.75 dollars, in three of four responses of which a cost is known."""
    rows = answer("What does each project cost per day?", costly)["rows"]
    assert sorted((row["project"], row["cost_usd"], row["priced_turns"], row["turns"]) for row in rows) == [
        ("one", 2.75, 3, 4), ("one", 2.75, 3, 4), ("two", 2.75, 3, 4), ("two", 2.75, 3, 4),
    ]  # fmt: skip
    assert rows[0]["day"] == "2026-09-04"


@pytest.fixture(scope="module")
def named_samples(tmp_path_factory):
    """The sample sessions that pages name."""
    path = tmp_path_factory.mktemp("named") / "demo.duckdb"
    named = set(re.findall(r"sample-\d+", " ".join(SAMPLES)))
    with al.open_ledger(path) as ledger:
        take_samples(ledger, (each for each in sample_sessions() if each.external_id in named))
    return path


def test_pages_name_samples():
    """The test below looks at something."""
    assert {command.split()[0] for command in SAMPLES} == {"show", "shrink", "case", "run"}


@pytest.mark.parametrize("command", SAMPLES)
def test_what_a_page_does_with_a_sample_works(run, named_samples, tmp_path, command):
    """A sample that has nothing of what the page shows by it teaches that the command doesn't work."""
    ledger = tmp_path / "demo.duckdb"
    shutil.copy(named_samples, ledger)
    shutil.copytree(f"{named_samples}.d", f"{ledger}.d")
    done = run(*shlex.split(command, comments=True), "-l", ledger)
    assert done.code == 0, done.err
