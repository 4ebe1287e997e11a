"""A session as a viewer has it: few questions and few rows, however long it is, and the same without a server."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from effort import is_soak

from actionledger.core.errors import UsageError
from actionledger.core.ids import derived_id
from actionledger.core.vocabulary import SENTENCES, Outcome, Reason
from actionledger.ledger import Ledger, open_ledger, queries
from actionledger_dashboard.viewer.page import frame_of, page_of
from actionledger_dashboard.viewer.queries import Asked, course_of, session_view, view_of

STEPS = derived_id("session", "steps")
PARENT = derived_id("session", "chatlog", "parent")
LONG = 10_000 if is_soak() else 2_000


class Counting:
    """A ledger that counts what it is asked, and what it gives."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger, self.queries, self.rows = ledger, 0, 0
        self.manifests = ledger.manifests

    def sql(self, query: str, parameters: Any = None) -> "Counted":
        self.queries += 1
        return Counted(self, self.ledger.sql(query, parameters))


class Counted:
    def __init__(self, counting: Counting, result: Any) -> None:
        self._counting, self._result = counting, result
        self.columns = result.columns

    def fetchall(self) -> list[Any]:
        found = list(self._result.fetchall())
        self._counting.rows += len(found)
        return found


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory, recorder: Callable[..., Any]) -> Iterator[Ledger]:
    """A ledger with one session of thousands of turns, every hundredth of them failed."""
    with open_ledger(tmp_path_factory.mktemp("long") / "long.duckdb", in_background=False) as ledger:
        made = recorder(ledger)
        made.run("live")
        made.session("long")
        for index in range(LONG):
            outcome, reason = (
                (Outcome.FAILED, Reason.TRUNCATED) if index % 100 == 7 else (Outcome.NO_ACTION, None)
            )
            made.turn("long", index, f"Number {index}.", outcome, reason=reason)
        yield ledger


@pytest.mark.scaled
@pytest.mark.slow
@pytest.mark.parametrize("wanted", [0, LONG // 2 + 3, LONG - 1])
def test_a_session_of_thousands_of_turns_opens_without_loading_them(long: Ledger, wanted: int) -> None:
    """Some hundred rows and three dozen questions, wherever it is opened; three turns are sent, and every one is on the map."""
    counting: Any = Counting(long)

    def ask(query: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        return query(counting, *args, **kwargs)

    asked = Asked(derived_id("session", "long"), wanted)
    course = course_of(ask, asked)
    assert course is not None
    view = session_view(ask, asked, course)
    assert view["turn"]["text"] == f"Number {wanted}."
    assert counting.queries <= 40
    assert counting.rows <= 400
    assert len(view["near"]) <= 2
    assert len(json.dumps(view)) < 100_000
    assert view["stretches"][-1]["last"] == LONG - 1
    assert sum(one.errors for one in course.stretches) == LONG // 100


def test_a_short_session_is_asked_for_once_and_known_as_a_long_one_is(sample: Path) -> None:
    """Its turns one by one are its map, too: both were asked for, each in as much time as the turn itself."""
    with open_ledger(sample, read_only=True) as ledger:
        asked: list[str] = []

        def ask(query: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
            asked.append(query.__name__)
            return query(ledger, *args, **kwargs)

        for row in queries.sessions(ledger, limit=None):
            course = course_of(ask, Asked(row.session_id, 1))
            assert course is not None
            assert list(course.stretches) == queries.stretches(ledger, row.session_id)
    assert set(asked) == {"session", "turns"}


def test_a_turn_near_the_one_that_is_shown_is_the_same_as_when_it_is_shown(sample: Path) -> None:
    """What is stepped to at once is what the server would say."""
    with open_ledger(sample, read_only=True) as ledger:
        views = [view_of(ledger, STEPS, turn=index) for index in range(4)]
    assert [view["index"] for view in views] == [0, 1, 2, 3]
    for view in views:
        for index, near in view["near"].items():
            assert near == views[int(index)]["turn"]


def test_what_was_told_before_is_what_the_model_was_shown(sample: Path) -> None:
    """Where no prompt is recorded; and nothing before the first turn."""
    with open_ledger(sample, read_only=True) as ledger:
        view = view_of(ledger, STEPS)
    assert view["turn"]["shown"][0]["text"] is None
    assert view["near"]["1"]["shown"][0]["text"].startswith("done ")


@pytest.mark.parametrize(("near", "asked_for"), [(1, []), (0, [0])])
def test_no_turn_is_asked_for_twice(sample: Path, near: int, asked_for: list[int]) -> None:
    """What was told before a turn stands with its neighbour, which is asked for anyway; only where it isn't, it is asked for itself."""
    with open_ledger(sample, read_only=True) as ledger:
        responses: list[int] = []

        def ask(query: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
            if query is queries.response:
                responses.append(args[1])
            return query(ledger, *args, **kwargs)

        asked = Asked(STEPS, 1, near=near)
        course = course_of(ask, asked)
        assert course is not None
        view = session_view(ask, asked, course)
    assert view["turn"]["shown"][0]["text"].startswith("done ")
    assert responses == asked_for


def test_where_no_text_was_told_it_is_said_with_which_turn_its_parts_stand(elsewhere: Path) -> None:
    """Recordings have what came of each call, and not what was made of that."""
    with open_ledger(elsewhere, read_only=True) as ledger:
        view = view_of(ledger, PARENT, turn=1)
    [before] = view["turn"]["shown"]
    assert before["text"] is None
    assert before["absent"].startswith("Input: the tool results of turn 0")


def test_what_was_refused_is_an_error_with_its_reason(elsewhere: Path) -> None:
    """In the verdict, in the list, in the map and for whoever asks for the next error, as among the reasons of the overview."""
    with open_ledger(elsewhere, read_only=True) as ledger:
        view = view_of(ledger, PARENT, turn=2)
    turn, listed = view["turn"], view["turns"][2]
    said = ("parsed, a tool call failed", "bad")
    assert (turn["verdict"], turn["look"]) == (listed["outcome"], listed["look"]) == said
    assert turn["about"].startswith(f"rejected: {SENTENCES[Reason.REJECTED]} · ")
    assert view["stretches"][2]["look"] == "bad"


def test_a_session_that_is_not_there_says_so(sample: Path) -> None:
    with open_ledger(sample, read_only=True) as ledger, pytest.raises(UsageError):
        view_of(ledger, "no such session")


def test_a_page_holds_all_that_it_needs_and_no_text_as_html(sample: Path, hostile: str) -> None:
    """No address of another host, one script that may run, and recorded texts within JSON alone."""
    with open_ledger(sample, read_only=True) as ledger:
        view = view_of(ledger, derived_id("session", hostile))
    page = page_of(view, title="</title><script>")
    assert "<img" not in page
    assert "</title><script>" not in page
    assert page.count("<script") == 2
    assert "script-src 'sha256-" in page
    held = page.partition('id="view">')[2].partition("</script>")[0]
    assert json.loads(held) == json.loads(json.dumps(view))
    frame = frame_of(view)
    assert 'sandbox="allow-scripts"' in frame
    assert frame.count("<") == 2


def test_the_viewer_needs_no_streamlit() -> None:
    """A notebook imports it without the dashboard's packages."""
    code = "import sys, actionledger_dashboard.viewer.queries, actionledger_dashboard.viewer.page; print('streamlit' in sys.modules, 'pandas' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "False"]
