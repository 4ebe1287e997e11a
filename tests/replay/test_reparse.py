"""Recorded turns under another parser: what is read the same, recovered, lost or changed, and nothing overwritten."""

from collections.abc import Iterator

import pytest

import actionledger as al
from actionledger.core.errors import LedgerError, UnknownNameError, UsageError
from actionledger.core.recordings import RecordedSession, RecordedTurn, Usage
from actionledger.imports import Importer, import_sessions
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.recorded import Known
from actionledger.reading.parsers import parser_for
from actionledger.replay.statistics import mcnemar

ONE = '```actions\n{"actions": [{"type": "list_tasks"}]}\n```'
TWO_BLOCKS = ONE + '\n\n```actions\n{"actions": [{"type": "list_goals"}]}\n```'
TRAILING_COMMA = '```actions\n{"actions": [{"type": "list_tasks"},]}\n```'
INNER_FENCE = '```actions\n{"actions": [{"type": "create_task", "content": "```python\nx\n```"}]}\n```'
LINE_BREAK = '```actions\n{"actions": [{"type": "create_task", "content": "a\nb"}]}\n```'
HOPELESS = "```actions\n{oops\n```"

TURNS = (ONE, TWO_BLOCKS, TRAILING_COMMA, INNER_FENCE, LINE_BREAK, HOPELESS, "Good morning.", "")
OLD = "gembrain-standard"
"""Reads the first block alone, ends it at the first line of three backticks, and repairs nothing but line breaks."""

BUCKETS = {
    "same": {0, 4, 5},
    "lost": {2, 3},
    "changed_actions": {1},
    "recovered": set(),
    "newly_rejected": set(),
    "newly_accepted": set(),
    "changed_arguments": set(),
    "newly_intent": set(),
    "no_longer_intent": set(),
    "no_intent": {6, 7},
}
"""What the old parser makes of the turns, by their places."""


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    """A ledger with one session of the assistant and one of the coder, imported; each test adds its rereadings."""
    with open_ledger(tmp_path_factory.mktemp("reparse") / "team.duckdb") as opened:
        importer = Importer(opened.record, source="jsonl", origin="log.jsonl", known=Known())
        turns = tuple(RecordedTurn(index, text) for index, text in enumerate(TURNS))
        importer.take(RecordedSession("one", "assistant", "m", "t", turns))
        read = RecordedTurn(0, "<read_file><path>x</path></read_file>")
        importer.take(RecordedSession("two", "coder", "other", "t", (read,)))
        importer.finish()
        yield opened


@pytest.fixture(scope="module")
def old(ledger: Ledger) -> al.ReparseReport:
    """What the old parser makes of the assistant's session."""
    return al.reparse(ledger, parser=OLD, within=ASSISTANT)


IMPORTED = Filter(sources=("jsonl",))
ASSISTANT = Filter(sources=("jsonl",), profiles=("assistant",))
CODER = Filter(sources=("jsonl",), profiles=("coder",))


def counts(**turns: int) -> dict[str, int]:
    """Every bucket, empty where nothing is said of it."""
    return dict.fromkeys(BUCKETS, 0) | turns


def by_bucket(report: al.ReparseReport) -> dict[str, set[int]]:
    return {bucket: {turn.turn_index for turn in turns} for bucket, turns in report.comparison.turns.items()}


def test_each_turn_is_the_same_recovered_lost_or_changed(old):
    """Made by hand: what the old parser loses of what is read today, turn by turn."""
    assert (old.turns, old.parser_name) == (8, OLD)
    assert old.counts == counts(same=3, lost=2, changed_actions=1, no_intent=2)
    assert by_bucket(old) == BUCKETS


def test_a_run_can_be_compared_with_another_rereading(ledger, old):
    """The other way round, what was lost is recovered."""
    report = al.reparse(ledger, parser="assistant", run=old.run_id)
    assert report.counts == counts(same=3, recovered=2, changed_actions=1, no_intent=2)
    assert by_bucket(report) == BUCKETS | {"recovered": BUCKETS["lost"], "lost": set()}


def test_the_same_parser_reads_the_same(ledger):
    """Nothing is ever changed by reading again."""
    report = al.reparse(ledger, parser="assistant", within=ASSISTANT)
    assert report.counts == counts(same=6, no_intent=2)
    assert report.p_value == 1


def test_the_first_readings_are_compared_where_no_run_is_named(ledger, old):
    """However often the turns were read again in between."""
    report = al.reparse(ledger, parser=OLD, within=IMPORTED)
    assert report.turns == 9
    assert report.counts == counts(same=3, lost=2, changed_actions=1, no_longer_intent=1, no_intent=2)


def test_the_test_and_the_interval_are_about_these_turns(old):
    """They are computed from the pairs that differ."""
    assert old.p_value_by_turn == mcnemar(2, 0) == 0.5
    assert old.p_value == 1, "one session alone is no evidence"
    assert old.difference is None, "nor enough for an interval"
    assert (old.comparison.pairs, old.comparison.intent) == (8, 6)
    assert old.seconds > 0


def test_a_turn_keeps_all_its_attempts(ledger):
    """Reading again adds a reading; texts, first readings and sessions stay as they are."""
    kept = (
        "SELECT * FROM parse_attempts WHERE run_kind <> 'reparse' ORDER BY attempt_id",
        "SELECT * FROM turns ORDER BY turn_id",
        "SELECT * FROM sessions ORDER BY session_id",
    )
    attempts = "SELECT count(*), count(DISTINCT attempt_id) FROM parse_attempts"
    before, ((count, _),) = [ledger.sql(query).fetchall() for query in kept], ledger.sql(attempts).fetchall()
    for parser in (OLD, OLD, "go-tags"):
        al.reparse(ledger, parser=parser, within=IMPORTED)
    assert [ledger.sql(query).fetchall() for query in kept] == before
    assert ledger.sql(attempts).fetchall() == [(count + 27,) * 2]


def test_a_rereading_is_a_run_with_its_parser(ledger, old):
    """It is named, says whose turns it read, and is over; a parser is kept once."""
    new = al.reparse(ledger, parser="assistant", run=old.run_id)
    runs = "SELECT name, parent_run_id::VARCHAR, turns FROM runs WHERE run_id = ? AND run_kind = 'reparse'"
    assert ledger.sql(runs, [old.run_id]).fetchall() == [(f"reparse {OLD}", None, 8)]
    assert ledger.sql(runs, [new.run_id]).fetchall() == [("reparse assistant", old.run_id, 8)]
    parsers = "SELECT count(*) FROM parsers WHERE name IN ('assistant', ?)"
    assert ledger.sql(parsers, [OLD]).fetchall() == [(2,)]


def test_nothing_is_run_again(ledger):
    """Reading again has no effects."""
    report = al.reparse(ledger, parser="assistant", within=IMPORTED)
    executions = "SELECT count(*) FROM executions WHERE run_id = ?"
    assert ledger.sql(executions, [report.run_id]).fetchall() == [(0,)]


def test_actions_are_checked_as_they_were_at_first(ledger):
    """Each turn's own catalogue is asked, whichever parser reads."""
    report = al.reparse(ledger, parser=parser_for(("actions", "xml_tags")), within=IMPORTED)
    catalogues = (
        "SELECT profile, catalogue, count(*) FROM parse_attempts WHERE run_id = ? GROUP BY ALL ORDER BY ALL"
    )
    assert ledger.sql(catalogues, [report.run_id]).fetchall() == [
        ("assistant", "assistant", 8),
        ("coder", "coder", 1),
    ]
    statuses = "SELECT DISTINCT status FROM actions WHERE run_id = ?"
    assert ledger.sql(statuses, [report.run_id]).fetchall() == [("valid",)]


def test_the_rereading_carries_the_dimensions_of_the_turn(ledger):
    """So that it can be split as the first readings can."""
    report = al.reparse(ledger, parser=OLD, within=IMPORTED)
    query = (
        "SELECT DISTINCT a.profile, a.model, a.task FROM parse_attempts a JOIN turns t USING (turn_id) "
        "WHERE a.run_id = ? AND (a.profile, a.model, a.task, a.turn_index, a.session_id) "
        "= (t.profile, t.model, t.task, t.turn_index, t.session_id) ORDER BY ALL"
    )
    assert ledger.sql(query, [report.run_id]).fetchall() == [("assistant", "m", "t"), ("coder", "other", "t")]


@pytest.mark.parametrize(
    ("within", "turns"),
    [(Filter(profiles=("coder",)), 1), (Filter(models=("m",)), 8), (Filter(sources=("jsonl",)), 9)],
)
def test_a_filter_narrows_the_turns_down(ledger, within, turns):
    """Only those are read, and only those are compared."""
    report = al.reparse(ledger, parser="assistant", within=within)
    assert (report.turns, report.comparison.pairs) == (turns, turns)


def test_a_live_session_can_be_read_again(ledger):
    """Its first reading was made while it ran."""
    with al.Runtime("assistant", ledger=ledger, model="live") as runtime:
        runtime.handle(TRAILING_COMMA)
        runtime.handle(ONE)
    report = al.reparse(ledger, parser=OLD, within=Filter(models=("live",)))
    assert report.counts == counts(same=1, lost=1)


def test_one_turn_makes_a_run(ledger):
    """It has its name and its parser, however little there is to read."""
    report = al.reparse(ledger, parser=OLD, within=CODER)
    found = "SELECT name, turns FROM runs WHERE run_id = ?"
    assert ledger.sql(found, [report.run_id]).fetchall() == [(f"reparse {OLD}", 1)]


def test_an_unknown_parser_is_refused_and_nothing_recorded(ledger):
    """The message says which there are."""
    runs = ledger.sql("SELECT count(*) FROM runs").fetchall()
    with pytest.raises(UnknownNameError, match="Did you mean 'gembrain-standard'"):
        al.reparse(ledger, parser="gembrain-standart")
    assert ledger.sql("SELECT count(*) FROM runs").fetchall() == runs


@pytest.mark.parametrize(
    "within", [Filter(models=("nobody",)), Filter(run_id="00000000-0000-4000-8000-000000000009")]
)
def test_where_nothing_fits_nothing_is_recorded(ledger, within):
    """A sentence says so, and there is no run of no turns."""
    runs = ledger.sql("SELECT count(*) FROM runs").fetchall()
    with pytest.raises(UsageError, match="No recorded turn fits"):
        al.reparse(ledger, parser=OLD, within=within)
    assert ledger.sql("SELECT count(*) FROM runs").fetchall() == runs


@pytest.mark.parametrize("run", ["last week", "", "00000000-0000-4000-8000-00000000000"])
def test_what_is_no_run_is_refused(ledger, run):
    """An id that can't be one is a slip of the pen, not an empty result."""
    with pytest.raises(UsageError):
        al.reparse(ledger, parser=OLD, run=run)


def test_a_run_is_named_once(ledger):
    """Two ways of naming it could contradict each other."""
    with pytest.raises(UsageError, match="either run or within"):
        al.reparse(ledger, parser=OLD, run="x", within=ASSISTANT)


def test_what_only_one_reading_takes_for_intent_is_no_gain_and_no_loss(ledger):
    """Of the coder's turn, the assistant's parser makes nothing: there is no success to compare."""
    report = al.reparse(ledger, parser=OLD, within=CODER)
    assert report.counts == counts(no_longer_intent=1)
    assert (report.comparison.before, report.comparison.after) == (al.Rate(0, 0), al.Rate(0, 0))
    assert (report.p_value, report.p_value_by_turn, report.difference) == (1, 1, None)
    back = al.reparse(ledger, parser="coder", run=report.run_id)
    assert back.counts == counts(newly_intent=1)


@pytest.mark.parametrize(
    ("parser", "within", "unfit"),
    [
        (OLD, IMPORTED, {"coder": 1}),
        (OLD, ASSISTANT, {}),
        ("go-tags", IMPORTED, {"assistant": 8}),
        ("auto", IMPORTED, {}),
        ("reasoner", IMPORTED, {"assistant": 8, "coder": 1}),
    ],
)
def test_turns_that_a_parser_is_not_for_are_counted(ledger, parser, within, unfit):
    """By profile: a parser is for those whose formats it reads."""
    assert al.reparse(ledger, parser=parser, within=within).unfit == unfit


def test_a_ledger_that_may_only_be_read_is_refused(ledger):
    """A rereading is recorded, or it isn't made."""
    ledger.ingest()
    with (
        open_ledger(ledger.path, read_only=True) as reader,
        pytest.raises(LedgerError, match="for reading only"),
    ):
        al.reparse(reader, parser=OLD)


def test_what_a_model_was_stopped_in_waits_also_when_it_is_read_again(tmp_path):
    """The finish reason is recorded with the turn: the same text, whole without its last mark, runs where the model was done."""
    text = '<tool_call>{"name": "f", "arguments": {"a": 1}}'
    turns = [
        RecordedTurn(index, text, usage=Usage(finish_reason=why))
        for index, why in enumerate(("stop", "length", "MAX_TOKENS", ""))
    ]
    waits = ["not_checked", "needs_approval", "needs_approval", "not_checked"]
    with open_ledger(tmp_path / "team.duckdb", in_background=False) as opened:
        import_sessions(opened, [RecordedSession("s", None, "m", "", tuple(turns))])
        opened.flush()
        statuses = "SELECT status FROM actions WHERE run_id {} ORDER BY turn_index"
        first = opened.sql("SELECT DISTINCT run_id::VARCHAR FROM actions").fetchall()[0][0]
        assert [row[0] for row in opened.sql(statuses.format(f"= '{first}'")).fetchall()] == waits
        al.reparse(opened, parser="auto")
        opened.flush()
        assert [row[0] for row in opened.sql(statuses.format(f"<> '{first}'")).fetchall()] == waits
