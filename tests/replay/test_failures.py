"""Groups of failures and what they cost, and responses in another format."""

import json
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

import actionledger as al
from actionledger.core.recordings import Usage
from actionledger.core.vocabulary import Capture, Origin, Reason
from actionledger.ledger.queries.filters import Filter
from actionledger.replay.failure_groups import FailureKey
from actionledger.replay.failures import group_turns
from actionledger.replay.fit import other_format

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
MESSAGES = {
    "miss": ("String to replace not found in file.\nString: x{}", Reason.NO_MATCH),
    "exit": ("Exit code {}", Reason.COMMAND_FAILED),
    "fine": ("done {}", None),
}


def session_of(random: Random, name: str) -> tuple[al.RecordedSession, list[list[str]]]:
    """Return a session of a few turns with up to three calls, and what became of the calls of each."""
    kinds = [[random.choice(["miss", "exit", "fine"]) for _ in range(random.randrange(4))] for _ in range(9)]
    turns = []
    for index, came in enumerate(kinds):
        calls = tuple(al.RecordedCall(f"{name}-{index}-{place}", "edit", "{}") for place in range(len(came)))
        results = tuple(
            al.RecordedResult(
                call.call_id, MESSAGES[kind][0].format(random.randrange(1, 99)), is_error=kind != "fine"
            )
            for call, kind in zip(calls, came, strict=True)
        )
        usage = (
            Usage()
            if index % 3 == 0
            else Usage(input_tokens=100 + index, output_tokens=7, cost_usd=0.25, latency_ms=500.0)
        )
        turns.append(
            al.RecordedTurn(
                index,
                "x",
                external_id=f"{name}{index}",
                occurred_at=MONDAY + timedelta(days=index),
                capture=Capture.ARGUMENTS,
                calls=calls,
                results=results,
                usage=usage,
            )
        )
    return al.RecordedSession(name, None, "m", "", tuple(turns)), kinds


@pytest.fixture
def recorded(tmp_path):
    """Twenty such sessions in a ledger."""
    random = Random(7)
    sessions = [session_of(random, f"s{number}") for number in range(20)]
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        al.import_sessions(ledger, [session for session, _ in sessions])
        yield ledger, sessions


def test_each_turn_until_an_action_gets_through_is_counted_once(recorded):
    """The turns, tokens, seconds and money of each group, its sessions and those lost, by walking each session."""
    ledger, sessions = recorded
    spent, lost, count, turns = defaultdict(set), defaultdict(set), defaultdict(int), defaultdict(set)
    for number, (_, kinds) in enumerate(sessions):
        for index, came in enumerate(kinds):
            behind = next((later for later in range(index + 1, len(kinds)) if "fine" in kinds[later]), None)
            for kind in came:
                if kind == "fine":
                    continue
                for key in (kind, "all"):
                    count[key] += 1
                    turns[key].add((number, index))
                    spent[key] |= {(number, each) for each in range(index, behind or len(kinds))}
                    if behind is None:
                        lost[key].add(number)
    report = al.failures(ledger)
    by_code = {group.key.code: group for group in report.groups}
    loops = {group.key.code for group in report.groups} - {Reason.NO_MATCH, Reason.COMMAND_FAILED}
    assert loops <= {Reason.REPETITION}
    for kind, code in (("miss", Reason.NO_MATCH), ("exit", Reason.COMMAND_FAILED)):
        group = by_code[code]
        usages = [sessions[number][0].turns[index].usage for number, index in spent[kind]]
        known = [usage for usage in usages if usage.input_tokens is not None]
        assert (group.count, group.turns, group.lost) == (count[kind], len(turns[kind]), len(lost[kind]))
        assert group.sessions.successes == len({number for number, _ in turns[kind]})
        assert group.spent.turns == len(usages)
        assert group.spent.counted == group.spent.priced == group.spent.timed == len(known) < len(usages)
        assert group.spent.input_tokens == sum(usage.input_tokens for usage in known)
        assert group.spent.output_tokens == 7 * len(known)
        assert group.spent.cost_usd == pytest.approx(0.25 * len(known))
        assert group.spent.seconds == pytest.approx(0.5 * len(known))
        assert sum(each.turns for each in group.periods.values()) == group.turns
        assert group.key.origin is Origin.RECORDED
    assert report.spent.turns == len(spent["all"])


def test_the_costliest_comes_first(recorded):
    """By the turns that were spent, then by sessions lost, then by how often."""
    groups = al.failures(recorded[0]).groups
    order = [(group.spent.turns, group.lost, group.count) for group in groups]
    assert order == sorted(order, reverse=True)


def test_what_got_through_after_the_filter_ends_still_counts(recorded):
    """A session is not lost because somebody looks at its first days alone."""
    ledger, sessions = recorded
    until = (MONDAY + timedelta(days=2)).replace(tzinfo=None)
    lost = {
        number
        for number, (_, kinds) in enumerate(sessions)
        for index, came in enumerate(kinds[:2])
        if {"miss", "exit"} & set(came) and not any("fine" in later for later in kinds[index + 1 :])
    }
    report = al.failures(ledger, Filter(until=until))
    assert max(group.lost for group in report.groups) <= len(lost)
    assert {group.last for group in report.groups} <= {
        (MONDAY + timedelta(days=day)).replace(tzinfo=None) for day in (0, 1)
    }


def test_an_action_that_a_later_try_brought_through_costs_no_turn(tmp_path):
    """A retry within a turn is no loss."""
    tries = iter([False, True])
    actions = al.ActionSet("fetching")

    @actions.action(example={"page": "a"})
    def fetch(page: str) -> str:
        """Fetch a page."""
        if not next(tries):
            raise al.ActionError("unavailable", "The page 7 could not be reached.", transient=True)
        return page

    at_once = al.ExecutionSettings(otherwise=al.ActionSettings(retries=1, delay=0))
    profile = al.custom_profile("fetching", actions=actions, dialects=["json"], execution_settings=at_once)
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        with al.Runtime(profile, ledger=ledger) as runtime:
            turn = runtime.handle(al.render([("fetch", {"page": "a"})], "json"))
        [group] = al.failures(ledger).groups
    assert turn.observations[-1].result == "a"
    assert group.key.signature == "The page # could not be reached."
    assert (group.count, group.spent.turns, group.lost) == (1, 0, 0)


def test_reading_checking_and_acting_are_grouped_with_spans(tmp_path):
    """One of each, each example a place in its text."""
    texts = {
        "reading": '```actions\n{"actions": [{"type": "list_tasks", "status": "a", "status": "b"}]}\n```',
        "checking": '```actions\n{"actions": [{"type": "create_task", "content": 7}]}\n```',
        "acting": '```actions\n{"actions": [{"type": "get_task", "task_id": 9}]}\n```',
    }
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        for text in texts.values():
            with al.Runtime("assistant", ledger=ledger) as runtime:
                runtime.handle(text)
        groups = al.failures(ledger).groups
    assert {group.key.stage for group in groups} == set(texts)
    for group in groups:
        [example] = group.examples
        text = texts[group.key.stage]
        assert example.span is None or example.span.of(text)
        assert group.lost == 1
    [checked] = (group for group in groups if group.key.stage == "checking")
    assert checked.examples[0].span.of(texts["checking"]) == '{"type": "create_task", "content": 7}'
    assert "got" not in checked.key.signature
    assert "got 7" in checked.examples[0].detail


def test_a_loop_is_a_group_that_costs_its_turns(tmp_path):
    """Its actions succeed, and it gets nowhere."""
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        with al.Runtime("assistant", ledger=ledger) as runtime:
            for _ in range(4):
                runtime.handle(al.render([("list_tasks", {})], "actions"))
        report = al.failures(ledger)
    [group] = (group for group in report.groups if group.key.signature.startswith("loop: "))
    assert group.key == FailureKey("acting", Reason.REPETITION, "list_tasks", None, "loop: same_action")
    assert (group.count, group.turns, group.spent.turns, group.sessions.count) == (1, 4, 4, 1)


def test_without_executions_a_valid_action_gets_through(tmp_path):
    """Of a benchmark's responses nobody says what came of their actions."""
    texts = ["Hm.", "Well.", "<execute>1 + 1</execute>", "Hm."]
    turns = tuple(al.RecordedTurn(index, text) for index, text in enumerate(texts))
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        al.import_sessions(ledger, [al.RecordedSession("a", "mint", "m", "", turns)])
        [group] = al.failures(ledger).groups
    assert (group.key.code, group.count, group.spent.turns, group.lost) == (Reason.NO_ACTION_FOUND, 3, 3, 1)


def test_an_empty_ledger_has_no_group(tmp_path):
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        report = al.failures(ledger)
    assert (report.groups, report.turns, report.sessions, report.spent.turns) == ((), 0, 0, 0)
    assert "0 groups" in str(report)


@pytest.mark.parametrize("hostile", ["<script>alert(1)</script>", "\x1b[31mred\u202e", "[bold]x[/bold]"])
def test_what_a_model_wrote_is_shown_as_text(tmp_path, hostile):
    calls, results = (al.RecordedCall("c", hostile, "{}"),), (al.RecordedResult("c", hostile, is_error=True),)
    turn = al.RecordedTurn(0, "x", capture=Capture.ARGUMENTS, calls=calls, results=results)
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        al.import_sessions(ledger, [al.RecordedSession("a", None, "m", "", (turn,))])
        report = al.failures(ledger)
    assert "<script>" not in report._repr_html_()
    assert "more group" not in report._repr_html_()  # all are shown
    for shown in (report._repr_html_(), str(report), repr(report)):
        assert "\x1b" not in shown
        assert "\u202e" not in shown


def test_fields_are_told_apart_whatever_words_are_in_their_names(tmp_path):
    """A field's name and what is expected may say "got": only the value that was refused is left out of the group."""
    tool = {"name": "read", "parameters": {"required": ["we got a", "we got b"]}}
    calls = tuple(al.RecordedCall(str(n), "read", {f"we got {'ab'[n]}": 1}) for n in (0, 1))
    turn = al.RecordedTurn(0, "", calls=calls, capture=al.Capture.CALLS, tools=json.dumps([tool]))
    with al.open_ledger(tmp_path / "words.duckdb") as ledger:
        al.import_sessions(ledger, [al.RecordedSession("s", None, "m", "", (turn,), source="trials")])
        groups = al.failures(ledger).groups
    assert [(str(group.key.code), group.count) for group in groups] == [("missing_field", 1)] * 2


def test_a_group_has_just_its_own_turns(recorded):
    """Those in which its kind of failure came up, each once, by walking each session; another message is another group."""
    ledger, sessions = recorded
    expected = defaultdict(set)
    for session, kinds in sessions:
        for index, came in enumerate(kinds):
            for kind in set(came) - {"fine"}:
                expected[MESSAGES[kind][1]].add((session.external_id, index))
    names = dict(ledger.sql("SELECT session_id::VARCHAR, external_id FROM session_starts").fetchall())
    report = al.failures(ledger)
    found = {
        group.key.code: [(names[turn.session_id], turn.turn_index) for turn in group_turns(ledger, group.key)]
        for group in report.groups
        if not group.key.is_loop
    }
    assert {code: set(turns) for code, turns in found.items()} == expected
    assert all(len(turns) == len(set(turns)) for turns in found.values())
    assert all(len(group_turns(ledger, group.key)) == group.turns for group in report.groups)


def test_without_loops_the_rest_is_the_same(recorded):
    """Nothing is looked through for loops, and no other group or sum is another one."""
    ledger, _ = recorded
    whole, rest = al.failures(ledger), al.failures(ledger, with_loops=False)
    assert any(group.key.is_loop for group in whole.groups)
    assert rest.groups == tuple(group for group in whole.groups if not group.key.is_loop)
    assert (rest.spent, rest.turns, rest.loops.sessions) == (whole.spent, whole.turns, 0)


def test_another_message_with_the_same_code_is_another_group_with_other_turns(tmp_path):
    """Two commands that fail in different words, in two turns and in one."""
    words = ["Exit code 1\nno such target", "Exit code 1\ndisk is full", "Exit code 2\nno such target"]
    turns = tuple(
        al.RecordedTurn(
            index,
            "x",
            capture=Capture.ARGUMENTS,
            calls=(al.RecordedCall(f"c{index}", "make", f'{{"n": {index}}}'),),
            results=(al.RecordedResult(f"c{index}", said, is_error=True),),
        )
        for index, said in enumerate(words)
    )
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        al.import_sessions(ledger, [al.RecordedSession("s", None, "m", "", turns)])
        groups = al.failures(ledger, with_loops=False).groups
        assert {group.key.code for group in groups} == {Reason.COMMAND_FAILED}
        found = sorted([turn.turn_index for turn in group_turns(ledger, group.key)] for group in groups)
    assert found == [[0, 2], [1]]


NOTHING_KNOWN = '{{"action":"search","query":"gpu {}"}}'
FENCED = '```json\n{{"action": "update_plan", "plan": "Phase {}"}}\n```'


def taken(path, *texts: str) -> al.Ledger:
    ledger = al.open_ledger(path / "team.duckdb")
    turns = tuple(al.RecordedTurn(index, text) for index, text in enumerate(texts))
    al.import_sessions(ledger, [al.RecordedSession("s", "coder", "m", "", turns)])
    return ledger


@pytest.mark.parametrize(
    ("text", "look"), [(NOTHING_KNOWN, "70 JSON of no known format."), (FENCED, "70 json_action.")]
)
def test_most_look_like_another_format(tmp_path, text, look):
    """Of as many as are looked at; which way reads them is said where one does."""
    with taken(tmp_path, *(text.format(index) for index in range(70))) as ledger:
        said = other_format(ledger)
    assert said.startswith(
        "In 70 of 70 responses no action of their format was found. Of 50 different ones, 50 look"
    )
    assert (look.replace("70", "50") in said, "replay --parser auto" in said) == (True, text == FENCED)


def test_no_more_texts_are_read_than_the_answer_needs(tmp_path, monkeypatch):
    """Once half of them look like no format, the rest can't change it."""
    looked: list[str] = []
    monkeypatch.setattr("actionledger.replay.fit._look_of", lambda text: looked.append(text) or "")
    with taken(tmp_path, *(f"Well, {index}." for index in range(20))) as ledger:
        assert other_format(ledger) == ""
    assert len(looked) == 10


def test_prose_and_what_is_read_say_nothing(tmp_path):
    """Nor do few among many that are read."""
    with taken(tmp_path, "Well.", "Very well.", "{not JSON", "3") as ledger:
        assert other_format(ledger) == ""
        assert other_format(ledger, al.Filter(models=("nobody",))) == ""
    read = al.render([("read_file", {"path": "a.py"})], "xml_tags")
    (tmp_path / "b").mkdir()
    with taken(tmp_path / "b", read, read + " ", FENCED.format(1)) as ledger:
        assert other_format(ledger) == ""
