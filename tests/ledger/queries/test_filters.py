"""Each filter counted once more, in plain Python over whole rows: which turns it picks, and where a search finds its text."""

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from actionledger.core.errors import UsageError
from actionledger.core.ids import derived_id
from actionledger.core.recordings import RecordedCall, RecordedResult, RecordedSession, RecordedTurn
from actionledger.core.vocabulary import Capture, ExecutionStatus, Origin, Outcome, Reason, RunKind
from actionledger.imports import import_sessions
from actionledger.ledger import Ledger, open_ledger, queries
from actionledger.ledger.queries import EVERYTHING, Filter, Mark, ScoreBound
from actionledger.ledger.queries.scopes import scope, turn_scope

from .conftest import MONDAY, Book

HOSTILE = (
    "100% sure_",
    "'; DROP TABLE turn_starts; --",
    'he said "hi"\\n',
    "NUL \x00 here",
    "👩‍💻 works",
    "\u202eright to left שלום",
    "ÄÖÜ straße",
    "$text {text} (.*)",
)
"""Texts that are nothing but data: each stands in a response, in arguments and in a result."""

Row = dict[str, Any]
Picks = Callable[[Row], bool]


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    """Recordings of two runtimes: calls with hostile arguments and results, scores, labels, every capture."""
    sessions = []
    for number, text in enumerate(HOSTILE):
        call = RecordedCall("c", "edit", {"path": f"a{number}", "note": text})
        result = RecordedResult("c", f"done: {text}", is_error=bool(number % 2))
        turns = (
            RecordedTurn(0, f"好 😀 {text} end", external_id="m0"),
            RecordedTurn(1, "", external_id="m1", capture=Capture.CALLS, calls=(call,), results=(result,)),
            RecordedTurn(
                2,
                "Look.",
                external_id="m2",
                capture=Capture.ARGUMENTS,
                calls=(RecordedCall("d", "edit", '{"path": '),),
            ),
        )
        scores = {"reward": number / 4} | ({"a=b": 1.0} if number == 3 else {})
        labels = ("even", "all") if number % 2 == 0 else ("all",)
        model = "big" if number % 3 else "small"
        sessions.append(
            RecordedSession(f"s{number}", None, model, "", turns, scores=scores, labels=labels, success=True)
        )
    with open_ledger(tmp_path_factory.mktemp("filters") / "filters.duckdb") as opened:
        import_sessions(opened, sessions, source="theirs", origin="theirs.jsonl")
        opened.flush()
        yield opened


def _table(ledger: queries.Queryable, name: str) -> list[Row]:
    found = ledger.sql(f"SELECT * FROM {name}")
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


def lowered(text: str) -> str:
    """Return a text with every character in lower case that has one of one character."""
    return "".join(each.lower() if len(each.lower()) == 1 else each for each in text)


def _rows(ledger: queries.Queryable) -> list[Row]:
    """Return every first reading with all that belongs to it."""
    again = {row["run_id"] for row in _table(ledger, "run_starts") if row["run_kind"] in {"reparse", "rerun"}}
    sessions = {row["session_id"]: row for row in _table(ledger, "sessions")}
    turns = {row["turn_id"]: row for row in _table(ledger, "turns")}
    names = ("actions", "validation_errors", "executions")
    of: dict[str, dict[object, list[Row]]] = {name: {} for name in names}
    for name in names:
        for row in _table(ledger, name):
            of[name].setdefault(row["attempt_id"], []).append(row)
    return [
        row
        | {"session": sessions[row["session_id"]], "turn": turns[row["turn_id"]]}
        | {name: rows.get(row["attempt_id"], []) for name, rows in of.items()}
        for row in _table(ledger, "parse_attempts")
        if row["run_id"] not in again
    ]


def _values(value: object) -> Iterator[str]:
    """Yield every text within a JSON value, names included."""
    if isinstance(value, dict):
        for name, held in value.items():
            yield str(name)
            yield from _values(held)
    elif isinstance(value, list):
        for held in value:
            yield from _values(held)
    elif isinstance(value, str):
        yield value


def _holds(row: Row, text: str) -> bool:
    texts = [row["turn"]["text"], row["session"]["external_id"]]
    for action in row["actions"]:
        texts += [str(action["arguments"]), *_values(json.loads(str(action["arguments"])))]
    for execution in row["executions"]:
        texts += [str(execution["result"]), *_values(json.loads(str(execution["result"])))]
        texts.append(str(execution["message"]))
    return any(lowered(text) in lowered(each) for each in texts)


def _failures(row: Row) -> Iterator[tuple[str, str, str, str | None]]:
    """Yield what went wrong in a turn: where, why, with which action, run by whom."""
    if row["outcome"] in {"partial", "failed"} and row["reason"]:
        yield "reading", row["reason"], "", None
    for error in row["validation_errors"]:
        if error["code"] != Reason.CONVERTED:
            yield "checking", error["code"], error["name"], None
    for each in row["executions"]:
        if each["status"] not in {"succeeded", "pending", "dry_run", "skipped"} and each["reason"]:
            yield "acting", each["reason"], each["name"], each["origin"]


def _score(row: Row, name: str) -> float:
    return float(json.loads(str(row["session"]["scores"] or "{}")).get(name, "nan"))


def _labels(row: Row) -> set[str]:
    return set(json.loads(str(row["session"]["labels"] or "[]")))


GIVEN: list[tuple[Filter, Picks]] = [
    (Filter(models=("big",)), lambda row: row["model"] == "big"),
    (Filter(sources=("theirs",)), lambda row: row["session"]["source"] == "theirs"),
    (Filter(captures=("calls",)), lambda row: row["turn"]["capture"] == "calls"),
    (Filter(captures=("text", "arguments")), lambda row: row["turn"]["capture"] != "calls"),
    (Filter(labels=("even",)), lambda row: "even" in _labels(row)),
    (Filter(labels=("even", "odd")), lambda row: bool(_labels(row) & {"even", "odd"})),
    (Filter(scores=(ScoreBound("reward", ">=", 0.5),)), lambda row: _score(row, "reward") >= 0.5),
    (
        Filter(scores=(ScoreBound("reward", ">=", 0.5), ScoreBound("reward", "<=", 1))),
        lambda row: 0.5 <= _score(row, "reward") <= 1,
    ),
    (Filter(scores=(ScoreBound("a=b", "=", 1),)), lambda row: _score(row, "a=b") == 1),
]
FOUND: list[tuple[Filter, Picks]] = [
    (Filter(outcomes=("clean",)), lambda row: row["outcome"] == "clean"),
    (Filter(outcomes=("failed", "no_action")), lambda row: row["outcome"] in {"failed", "no_action"}),
    (Filter(dialects=("none",)), lambda row: row["dialect"] == ""),
    (Filter(is_failing=True), lambda row: any(_failures(row))),
    (Filter(stage="reading"), lambda row: any(each[0] == "reading" for each in _failures(row))),
    (Filter(stage="checking", action="fly"), lambda row: any(each[2] == "fly" for each in _failures(row))),
    (Filter(stage="acting"), lambda row: any(each[0] == "acting" for each in _failures(row))),
    (Filter(action="create_file"), lambda row: any(each["name"] == "create_file" for each in row["actions"])),
]
ELSEWHERE: list[tuple[Filter, Picks]] = [
    (
        Filter(is_failing=True, origin=Origin.RECORDED),
        lambda row: any(each[0] == "acting" and each[3] == "recorded" for each in _failures(row)),
    ),
    (
        Filter(stage="acting", action="edit", origin=Origin.RECORDED),
        lambda row: any(
            (each[0], each[2], each[3]) == ("acting", "edit", "recorded") for each in _failures(row)
        ),
    ),
    (
        Filter(executions=("failed",)),
        lambda row: any(each["status"] == "failed" for each in row["executions"]),
    ),
    (
        Filter(origin=Origin.RECORDED),
        lambda row: any(each["origin"] == "recorded" for each in row["executions"]),
    ),
]


def _check(ledger: queries.Queryable, within: Filter, picks: Picks, *, may_be_none: bool = False) -> None:
    """Compare what a filter picks with what the rows say: the turns, their sessions and their actions."""
    every = _rows(ledger)
    wanted = [row for row in every if picks(row)]
    assert may_be_none or 0 < len(wanted) < len(every) or within == Filter(sources=("theirs",))
    assert queries.count_turns_behind(ledger, within) == len(wanted)
    listed = queries.turns_behind(ledger, within, limit=None)
    assert sorted((each.session_id, each.turn_index) for each in listed) == sorted(
        (str(row["session_id"]), row["turn_index"]) for row in wanted
    )
    sessions = queries.sessions(ledger, within, limit=None)
    assert {each.session_id for each in sessions} == {str(row["session_id"]) for row in wanted}
    assert queries.count_sessions(ledger, within) == len(sessions)
    for line in sessions:
        own = [row for row in wanted if str(row["session_id"]) == line.session_id]
        assert line.matching == len(own)
    condition, parameters = scope(within, "actions")
    [(actions,)] = ledger.sql(f"SELECT count(*) FROM actions WHERE {condition}", parameters).fetchall()
    assert actions == sum(len(row["actions"]) for row in wanted)
    condition, parameters = turn_scope(within)
    [(turns,)] = ledger.sql(f"SELECT count(*) FROM turn_starts WHERE {condition}", parameters).fetchall()
    assert turns == len({row["turn_id"] for row in wanted})


def test_a_filter_picks_what_the_rows_say(ledger: Ledger, world: queries.Queryable) -> None:
    """Turns, sessions and actions of a filter are those that plain Python finds in the whole tables."""
    for within, picks in GIVEN + ELSEWHERE:
        _check(ledger, within, picks)
    for within, picks in FOUND:
        _check(world, within, picks)


def test_each_member_of_the_closed_lists(world: queries.Queryable) -> None:
    """Each outcome, each status and each reason is a filter; where it stands in no reading, it finds nothing."""
    every = _rows(world)
    for outcome in Outcome:
        wanted = sum(row["outcome"] == outcome for row in every)
        assert queries.count_turns_behind(world, Filter(outcomes=(outcome,))) == wanted
    for status in ExecutionStatus:
        wanted = sum(any(each["status"] == status for each in row["executions"]) for row in every)
        assert queries.count_turns_behind(world, Filter(executions=(status,))) == wanted
    for reason in Reason:
        wanted = sum(any(each[1] == reason for each in _failures(row)) for row in every)
        assert queries.count_turns_behind(world, Filter(reasons=(reason,))) == wanted


def _check_turns(ledger: queries.Queryable, within: Filter, picks: Picks) -> None:
    assert queries.count_turns_behind(ledger, within) == sum(map(picks, _rows(ledger)))


@pytest.mark.parametrize(
    "text", [*HOSTILE, "%", "_", "\\", '"', "STRASSE", "äöü STRAßE", "S3", "no such text", "😀"]
)
def test_a_search_is_literal_and_in_any_case(ledger: Ledger, text: str) -> None:
    """Nothing in it is a wildcard, a quote or SQL; it is found in responses, arguments, results and names."""
    _check(ledger, Filter(text=text), lambda row: _holds(row, text), may_be_none=True)


def test_turns_with_and_without_a_time_stand_on_one_page_with_their_texts(tmp_path: Path) -> None:
    """The texts of a page are looked for by its times first: by identifiers alone, every response of a ledger is unpacked for fifty."""
    times = [None, MONDAY, MONDAY + timedelta(days=400), None, MONDAY - timedelta(days=400)]
    book = Book()
    book.run("live", RunKind.LIVE)
    book.session("one")
    for index, at in enumerate(times):
        book.turn("one", index, f"Number {index}.", at)
        book.read("one", index, Outcome.NO_ACTION)
    with open_ledger(tmp_path / "times.duckdb", in_background=False) as ledger:
        for event in book.events:
            ledger.record(event)

        def listed(limit: int, offset: int) -> list[str]:
            return [each.snippet for each in queries.turns_behind(ledger, limit=limit, offset=offset)]

        assert listed(50, 0) == [f"Number {index}." for index in (2, 1, 4, 0, 3)]
        assert listed(2, 2) == ["Number 4.", "Number 0."]
        assert listed(2, 3) == ["Number 0.", "Number 3."]


def test_letters_with_a_third_form_are_found_in_two(tmp_path: Path) -> None:
    """The long s and the Kelvin sign are letters of their own, as other signs are; an s and a k are found in either case."""
    responses = ["A SKETCH", "a sketch", "a \u017fketch", "a s\u212aetch", "a (?-i:[Ss])ketch"]
    book = Book()
    book.run("live", RunKind.LIVE)
    book.session("one")
    for index, response in enumerate(responses):
        book.turn("one", index, response)
        book.read("one", index, Outcome.NO_ACTION)
    with open_ledger(tmp_path / "letters.duckdb", in_background=False) as ledger:
        for event in book.events:
            ledger.record(event)

        def found(text: str) -> set[int]:
            return {each.turn_index for each in queries.turns_behind(ledger, Filter(text=text))}

        assert found("sKetch") == {0, 1}
        assert found("\u017fketch") == {2}
        assert found("\u212a") == {3}
        assert found("[Ss])k") == {4}


@pytest.mark.parametrize("text", ["x" * 3_000 + "y", 'a"b' * 700])
def test_a_text_of_any_length_is_looked_for_whole(tmp_path: Path, text: str) -> None:
    """Where it is longer than what a pattern takes, what only begins like it is not found, and the place is that of all of it."""
    book = Book()
    book.run("live", RunKind.LIVE)
    book.session("one")
    for index, response in enumerate((text[:-1].upper(), f"{text[:-1]}. {text.upper()}")):
        book.turn("one", index, response)
        book.read("one", index, Outcome.NO_ACTION)
    with open_ledger(tmp_path / "long.duckdb", in_background=False) as ledger:
        for event in book.events:
            ledger.record(event)
        [found] = queries.turns_behind(ledger, Filter(text=text))
    assert found.turn_index == 1
    assert found.hit is not None
    assert (found.hit.start, found.hit.end) == (len(text) + 1, 2 * len(text) + 1)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hit_is_the_characters_that_were_searched_for(ledger: Ledger, text: str) -> None:
    """Its place is code points of the response, and what is shown of it is the text as it is written there."""
    found = {hit.turn_index: hit.hit for hit in queries.turns_behind(ledger, Filter(text=lowered(text)))}
    response = found[0]
    assert response is not None
    raw = f"好 😀 {text} end"
    assert (response.place, raw[response.start : response.end]) == ("response", text)
    assert response.before + response.text + response.after == raw
    arguments = found[1]
    assert arguments is not None
    assert (arguments.place, arguments.start) == ("arguments", None)
    assert lowered(arguments.text) in {lowered(text), lowered(json.dumps(text, ensure_ascii=False)[1:-1])}


def test_a_hit_in_a_result_marks_the_action(world: queries.Queryable) -> None:
    """A result stands nowhere in the response; what it is the result of does."""
    hits = {
        (each.external_id, each.turn_index): each.hit
        for each in queries.turns_behind(world, Filter(text="ok"), limit=None)
    }
    hit = hits["one", 0]
    assert hit is not None
    assert (hit.place, hit.start, hit.end) == ("result", 0, 4)


def test_without_a_search_there_is_no_hit(world: queries.Queryable) -> None:
    """A filter of another kind marks nothing."""
    assert {each.hit for each in queries.turns_behind(world)} == {None}


def test_a_filter_and_a_mark_are_both_kept(world: queries.Queryable) -> None:
    """What a number counts narrows what was picked, also where both speak of the same thing."""
    within, mark = Filter(outcomes=("clean", "failed")), Mark(outcomes=("failed", "partial"))
    _check_turns(world, replaced := Filter(outcomes=("failed",)), lambda row: row["outcome"] == "failed")
    assert queries.count_turns_behind(world, within, mark) == queries.count_turns_behind(world, replaced)
    assert queries.count_turns_behind(world, Filter(outcomes=("clean",)), Mark(outcomes=("failed",))) == 0


def test_the_numbers_of_a_session_are_of_all_that_was_given(world: queries.Queryable) -> None:
    """A share within what failed would be none: a session that is picked by it keeps its own."""
    [one] = [row for row in queries.sessions(world, Filter(outcomes=("failed",))) if row.external_id == "one"]
    [same] = [row for row in queries.sessions(world) if row.external_id == "one"]
    assert (one.parsed, one.actions, one.failed) == (same.parsed, same.actions, same.failed)
    assert (one.matching, same.matching) == (1, same.turns)


@pytest.mark.parametrize(
    "ask",
    [
        queries.funnel,
        queries.success_over_time,
        queries.dialects,
        queries.reasons,
        lambda ledger, within: queries.funnel_by(ledger, "model", within),
        lambda ledger, within: queries.compare_runs(
            ledger, derived_id("run", "live"), derived_id("run", "again"), within=within
        ),
    ],
)
def test_no_rate_is_within_its_own_outcome(world: queries.Queryable, ask: Callable[..., object]) -> None:
    """What came of responses picks lists, and a rate refuses it with what to do."""
    within = Filter(models=("small",), outcomes=("clean",))
    with pytest.raises(
        UsageError, match=r"outcome clean would be a rate within its own outcome; leave that out"
    ):
        ask(world, within)
    ask(world, within.given)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"outcomes": ("claen",)}, "'claen' is not a valid outcome; choose from clean, repaired"),
        ({"captures": ("all",)}, "'all' is not a valid capture; choose from text, arguments, calls"),
        ({"reasons": ("because",)}, "'because' is not a valid reason"),
        ({"executions": ("done",)}, "'done' is not a valid execution"),
        ({"stage": "thinking"}, "'thinking' is not a valid stage; choose from reading, checking, acting"),
        ({"origin": "them"}, "'them' is not a valid origin"),
        ({"text": "\ud800"}, "holds half of a character"),
    ],
)
def test_what_can_pick_nothing_is_refused(values: dict[str, Any], said: str) -> None:
    """A mistyped value doesn't silently find nothing."""
    with pytest.raises(UsageError, match=said):
        Filter(**values)


@pytest.mark.parametrize("text", ["reward>=0.5", "a=b=1", "x <= -2.5e3", "a>=b=3"])
def test_a_bound_is_read_as_it_is_written(text: str) -> None:
    """The last comparison before a number is meant."""
    assert ScoreBound.parse(str(ScoreBound.parse(text))) == ScoreBound.parse(text)


@pytest.mark.parametrize(
    "text", ["", "reward", "reward>=", ">=1", "reward>=nan", "reward>=1e999", "reward~1"]
)
def test_what_bounds_nothing_is_refused(text: str) -> None:
    """It is said how a bound is written."""
    with pytest.raises(UsageError, match=r"such as reward>=0\.5"):
        ScoreBound.parse(text)


def test_words_say_all_of_it() -> None:
    """Every field has its words, given and found."""
    within = Filter(
        models=("m",),
        captures=("text",),
        labels=("l",),
        scores=(ScoreBound("r", "<=", 1),),
        outcomes=("failed",),
    )
    assert within.words == "model m, capture text, label l, score r<=1, outcome failed"
    found = Filter(
        dialects=("none",), stage="acting", reasons=("timeout",), action="a", origin=Origin.RECORDED
    )
    assert found.words == "dialect none, failed in acting, reason timeout, action a, run by recorded"
    assert (
        Filter(executions=("failed",), is_failing=True, text="a'b").words
        == 'failing, execution failed, text "a\'b"'
    )
    assert EVERYTHING.words == "everything"
    assert (within.given.words, within.found.words) == (
        "model m, capture text, label l, score r<=1",
        "outcome failed",
    )


def test_unread_responses_are_found_by_their_text(world: queries.Queryable) -> None:
    """What nobody has read has a text all the same, and a session whose name is asked for needs no response."""
    assert [row.external_id for row in queries.sessions(world, Filter(text="never read"))] == ["three"]
    assert queries.count_sessions(world, Filter(text="never read", outcomes=("clean",))) == 0
    assert queries.count_sessions(world, Filter(text="two", until=None)) == 1


def test_days_narrow_what_is_searched(world: queries.Queryable) -> None:
    """The name of a session finds it on the days alone that it has responses on."""
    tuesday = queries.dimensions(world).last
    assert tuesday is not None
    assert queries.count_sessions(world, Filter(text="one", since=tuesday + timedelta(days=1))) == 0
    assert queries.count_sessions(world, Filter(text="one", since=tuesday)) == 1


def test_what_there_is_to_choose_from(ledger: Ledger) -> None:
    """Captures, labels and the names of scores are those that are recorded."""
    known = queries.dimensions(ledger)
    assert known.captures == ("arguments", "calls", "text")
    assert known.labels == ("all", "even")
    assert known.scores == ("a=b", "reward")


def test_reading_has_no_action_to_ask_for(ledger: queries.Queryable) -> None:
    """A name that the statement does not ask for is no value of it."""
    assert queries.sessions(ledger, Filter(stage="reading", action="edit")) == []
