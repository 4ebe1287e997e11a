"""The closed lists: the words that records, charts and gates rely on, and a sentence for each reason."""

import pytest

from actionledger.core.vocabulary import (
    LEFT_OUT,
    SENTENCES,
    ActionStatus,
    BlockStatus,
    Capture,
    DecisionKind,
    Ending,
    ExecutionStatus,
    LeftOutReason,
    Origin,
    Outcome,
    Reason,
    Relation,
    RepairKind,
    Reversal,
    RunKind,
)

LISTS = {
    Outcome: "clean repaired partial failed no_action abstained empty not_recorded",
    BlockStatus: "strict repaired malformed ignored",
    ActionStatus: "valid coerced invalid unknown illustration needs_approval not_checked",
    ExecutionStatus: "succeeded failed timed_out denied rate_limited skipped pending dry_run interrupted",
    Reversal: "undone redone",
    DecisionKind: "approved modified rejected",
    RunKind: "live import reparse rerun",
    Capture: "text arguments calls none",
    Origin: "runtime recorded",
    Relation: "subagent continuation fork",
}


@pytest.mark.parametrize("words", LISTS, ids=lambda words: words.__name__)
def test_a_list_is_closed(words):
    """A word more or less changes what a stored rate means, so it has to change here as well."""
    assert {word.value for word in words} == set(LISTS[words].split())


@pytest.mark.parametrize(
    "words", [*LISTS, LeftOutReason, Reason, RepairKind], ids=lambda words: words.__name__
)
def test_words_are_codes(words):
    """Stored, compared and charted: lower case, no blanks, none twice."""
    values = [word.value for word in words]
    assert all(value.isidentifier() and value == value.lower() for value in values)
    assert len(set(values)) == len(words.__members__)


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_has_a_sentence(reason):
    """A code is never shown without one: a plain sentence of its own, with a capital and a full stop."""
    sentence = SENTENCES[reason]
    assert sentence[0].isupper()
    assert sentence.endswith(".")
    assert list(SENTENCES.values()).count(sentence) == 1


def test_no_sentence_is_left_without_its_reason():
    """The two lists are one."""
    assert set(SENTENCES) == set(Reason)


def test_every_reason_to_leave_out_has_a_sentence():
    """What is passed over is shown with a sentence of its own."""
    assert set(LEFT_OUT) == set(LeftOutReason)
    assert len(set(LEFT_OUT.values())) == len(LEFT_OUT)


def test_what_reading_came_to_is_said_in_one_way():
    """Pages, the command line and exports show these words; the codes are what is stored and filtered by."""
    assert [outcome.said for outcome in Outcome] == [
        *("parsed", "parsed with repairs", "partly parsed", "unparseable", "no tool call", "abstained"),
        *("empty", "not recorded"),
    ]
    assert [capture.said for capture in Capture] == [
        *("raw text", "raw arguments only", "parsed calls only", "no text"),
    ]
    endings = [ending.said for ending in Ending]
    assert endings == [
        *("stopped without acting", "could not be parsed", "final answer", "went on", "not known"),
    ]
    assert set(endings).isdisjoint(outcome.said for outcome in Outcome)


def test_intent_leaves_out_what_was_not_meant():
    """The denominator of the parse rates: all but no action, abstained, empty, and what isn't recorded."""
    assert {outcome for outcome in Outcome if not outcome.has_intent} == {
        Outcome.NO_ACTION,
        Outcome.ABSTAINED,
        Outcome.EMPTY,
        Outcome.NOT_RECORDED,
    }


def test_a_success_is_read_whole():
    """Clean or repaired; partly read is no success."""
    assert {outcome for outcome in Outcome if outcome.is_success} == {Outcome.CLEAN, Outcome.REPAIRED}


def test_what_nothing_speaks_against_may_run():
    """Nothing else than what is right, or was made so, or could not be checked goes on to be executed."""
    assert {status for status in ActionStatus if status.is_runnable} == {
        ActionStatus.VALID,
        ActionStatus.COERCED,
        ActionStatus.NOT_CHECKED,
    }


def test_a_person_can_let_a_waiting_action_run_but_no_refused_one():
    """Its arguments fit, unlike those of an action that its catalogue rejects."""
    assert {status for status in ActionStatus if status.is_plannable and not status.is_runnable} == {
        ActionStatus.NEEDS_APPROVAL
    }
    assert {status for status in ActionStatus if status.is_refused} == {
        ActionStatus.INVALID,
        ActionStatus.UNKNOWN,
    }


def test_an_execution_was_attempted_if_its_effect_was_tried():
    """What was denied, limited, skipped, put off or only planned never began."""
    assert {status for status in ExecutionStatus if not status.was_attempted} == {
        ExecutionStatus.DENIED,
        ExecutionStatus.RATE_LIMITED,
        ExecutionStatus.SKIPPED,
        ExecutionStatus.PENDING,
        ExecutionStatus.DRY_RUN,
    }


def test_a_reparse_is_no_first_reading():
    """Reports count a turn once, by default as it was read first."""
    assert [kind for kind in RunKind if not kind.is_first_reading] == [
        RunKind.REPARSE,
        RunKind.RERUN,
    ]
