"""How responses without a call ended: as the views say, as the lists that each number opens, and never within an outcome."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.core.vocabulary import Ending, SessionOutcome, Stop
from actionledger.ledger import queries
from actionledger.ledger.queries import Filter, Mark
from actionledger.ledger.queries.stages import UNACTED

CALL = al.RecordedCall("c1", "read_file", {"path": "a.py"})
DONE = al.RecordedResult("c1", "text", is_error=False)
ACTED = al.RecordedTurn(0, "", capture=al.Capture.CALLS, calls=(CALL,), results=(DONE,), prompt="Do it.")


def answer(
    text: str, stopped_by: str = "end_turn", *, index: int = 1, prompt: str | None = None, **more: object
) -> al.RecordedTurn:
    usage = al.Usage(finish_reason=stopped_by)
    return al.RecordedTurn(index, text, prompt=prompt, capture=al.Capture.CALLS, usage=usage, **more)


def recorded(path, turns: Sequence[al.RecordedTurn], **more: object) -> al.Ledger:
    ledger = al.open_ledger(path / "l.duckdb")
    al.import_sessions(ledger, [al.RecordedSession("s", None, "m", "", tuple(turns), **more)])
    return ledger


@pytest.mark.parametrize(
    ("text", "stopped_by", "ending", "why"),
    [
        ("All tests pass now.", "end_turn", Ending.FINAL_ANSWER, None),
        ("All tests pass now.", "", Ending.FINAL_ANSWER, None),
        ("All tests pass now.", "some_new_word", Ending.NOT_KNOWN, None),
        ("I see. Let me look at the tests.", "end_turn", Ending.STOPPED, Stop.ANNOUNCED),
        ("Now I’ll run them:", "stop", Ending.STOPPED, Stop.ANNOUNCED),
        ("Ich werde jetzt die Tests ausführen.", "stop", Ending.STOPPED, Stop.ANNOUNCED),
        ("接下来我运行测试。", "stop", Ending.STOPPED, Stop.ANNOUNCED),
        ("Done. Let me know if you need more.", "end_turn", Ending.FINAL_ANSWER, None),
        ("I'll wait for your answer.", "end_turn", Ending.FINAL_ANSWER, None),
        ("Shall I go on? I will then run the tests?", "end_turn", Ending.FINAL_ANSWER, None),
        ("It was a long", "max_tokens", Ending.STOPPED, Stop.CUT),
        ("I can't help with that.", "refusal", Ending.STOPPED, Stop.REFUSED),
        ("It was a", "error", Ending.STOPPED, Stop.BROKEN_OFF),
        ("", "end_turn", Ending.STOPPED, Stop.EMPTY),
    ],
)
def test_why_the_model_stopped_and_how_its_text_ends_decide(tmp_path, text, stopped_by, ending, why) -> None:
    with recorded(tmp_path, [ACTED, answer(text, stopped_by)]) as ledger:
        assert ledger.sql("SELECT ending, why FROM unacted_turns").fetchall() == [(ending, why)]


@pytest.mark.parametrize(
    ("feedback", "prompt", "ending"),
    [(None, None, Ending.WENT_ON), (None, "Go on.", Ending.STOPPED), ("Call a tool.", None, Ending.STOPPED)],
    ids=["by itself", "pushed", "told"],
)
def test_what_came_next_decides_whether_an_announcement_was_kept(tmp_path, feedback, prompt, ending) -> None:
    """A model that goes on by itself did what it said; one that had to be told again did not."""
    turns = [answer("Let me look.", index=0, feedback=feedback), replace(ACTED, index=1, prompt=prompt)]
    with recorded(tmp_path, turns) as ledger:
        assert ledger.sql("SELECT ending FROM unacted_turns").fetchall() == [(ending,)]


@pytest.mark.parametrize(
    ("turns", "more", "outcome"),
    [
        ([ACTED, answer("Done.")], {}, SessionOutcome.FINISHED),
        ([ACTED, answer("Let me look.")], {}, SessionOutcome.STOPPED),
        ([ACTED], {}, SessionOutcome.OPEN),
        ([ACTED], {"success": True}, SessionOutcome.FINISHED),
        ([ACTED, answer("Done.")], {"success": False}, SessionOutcome.FAILED),
        ([ACTED], {"details": al.SessionDetails(aborted="interrupted")}, SessionOutcome.INTERRUPTED),
        ([ACTED], {"reason": "submitted"}, SessionOutcome.NOT_KNOWN),
        ([ACTED, answer("Done.", "some_new_word")], {}, SessionOutcome.NOT_KNOWN),
        ([], {"success": False}, SessionOutcome.FAILED),
        ([], {}, SessionOutcome.NOT_KNOWN),
    ],
)
def test_the_last_turn_and_the_source_say_how_a_session_came_out(tmp_path, turns, more, outcome) -> None:
    with recorded(tmp_path, turns, **more) as ledger:
        assert ledger.sql("SELECT outcome FROM session_outcomes").fetchall() == [(outcome,)]
        assert queries.session_outcomes(ledger) == {outcome: 1}
        for within in (Filter(models=("m",)), Filter(models=("other",))):
            counted = queries.session_outcomes(ledger, within)
            assert sum(counted.values()) == queries.count_sessions(ledger, within) == ("m" in within.models)


def test_is_every_first_reading_without_a_call(world: queries.Queryable) -> None:
    """Two that could not be read, an empty one; of one in plain text nobody says how it ended."""
    found = queries.unacted(world)
    assert (found.rate.successes, found.rate.count, found.sessions) == (3, 10, 3)
    assert found.endings == {Ending.STOPPED: 1, Ending.UNPARSEABLE: 2, Ending.NOT_KNOWN: 1}
    assert found.stops == {Stop.EMPTY: 1}


@pytest.mark.parametrize("within", [Filter(), Filter(models=("small",)), Filter(profiles=("assistant",))])
def test_is_what_plain_sql_counts_and_what_its_links_list(world: queries.Queryable, within: Filter) -> None:
    """Responses and sessions, of all and of a part; each ending's number is that of its turns."""
    found = queries.unacted(world, within)
    plain = """
        SELECT count(*) FILTER (outcome IN ('failed', 'empty')), count(*),
               count(DISTINCT session_id) FILTER (outcome IN ('failed', 'empty'))
        FROM parse_attempts WHERE run_kind = 'live' AND model LIKE $model AND profile LIKE $profile"""
    named = {"model": (within.models or ("%",))[0], "profile": (within.profiles or ("%",))[0]}
    assert world.sql(plain, named).fetchall() == [(found.rate.successes, found.rate.count, found.sessions)]
    assert queries.count_turns_behind(world, within, UNACTED) == found.rate.successes
    for ending, count in found.endings.items():
        assert queries.count_turns_behind(world, within, Mark(endings=(str(ending),))) == count


def test_is_no_share_of_an_outcome_or_of_nothing(world: queries.Queryable, empty: queries.Queryable) -> None:
    """Within its own outcome it would be a rate of itself; where there is no response there is none."""
    with pytest.raises(UsageError):
        queries.unacted(world, Filter(endings=("final_answer",)))
    found = queries.unacted(empty)
    assert (found.rate.successes, found.rate.value, found.sessions, found.endings) == (0, None, 0, {})
    with pytest.raises(UsageError, match="ending"):
        Filter(endings=("finished",))


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_an_empty_response_was_no_call_that_nobody_could_parse(tmp_path, text) -> None:
    """Where the protocol demands an action it has failed, as any response without one: it stopped, and there was nothing to read."""
    turns = [al.RecordedTurn(0, text), al.RecordedTurn(1, "Well.")]
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        al.import_sessions(ledger, [al.RecordedSession("s", "mint", "m", "", tuple(turns))])
        asked = "SELECT outcome, ending, why FROM unacted_turns ORDER BY turn_index"
        assert ledger.sql(asked).fetchall() == [
            ("failed", Ending.STOPPED, Stop.EMPTY),
            ("failed", Ending.UNPARSEABLE, None),
        ]
