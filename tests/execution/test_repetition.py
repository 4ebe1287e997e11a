"""What counts as going in circles, what doesn't, and when it is told and stopped."""

import time

import pytest
from hypothesis import given, strategies as st

from actionledger.errors import UsageError
from actionledger.execution.deeds import Deed, deed
from actionledger.execution.repetition import (
    NO_REPETITION,
    Pattern,
    RepetitionLimits,
    Threshold,
    Watch,
    repetitions,
)

TELLING = "a result that is long enough to tell a change"


def does(name: str, arguments: str = "{}", result: str = TELLING, **given) -> Deed:
    return deed(name, arguments, result=result, **given)


def fails(name: str, error: str, arguments: str = "{}") -> Deed:
    return deed(name, arguments, error=error)


def last(deeds, limits=None) -> dict[Pattern, tuple[int, bool]]:
    """Return what repeats itself after the last deed: how often, and whether that is a stop."""
    *_, found = repetitions(deeds, limits) if limits else repetitions(deeds)
    return {each.pattern: (each.count, each.is_stop) for each in found}


@pytest.mark.parametrize(
    ("times", "expected"),
    [(2, None), (3, (3, False)), (4, (4, False)), (5, (5, True)), (6, (6, True))],
)
def test_the_same_action_again_is_told_and_then_stopped(times, expected):
    """The model is told at the third time and stopped at the fifth."""
    assert last([does("look")] * times).get(Pattern.SAME_ACTION) == expected


def test_the_same_arguments_in_another_layout_are_the_same():
    """Blanks and line breaks make no other action."""
    deeds = [does("run", text) for text in ("ls  -l", "ls -l\n", " ls\t-l")]
    assert Pattern.SAME_ACTION in last(deeds)


def test_long_arguments_that_differ_at_the_end_are_others():
    """A file's content counts to its last character."""
    long = "x" * 5000
    assert Pattern.SAME_ACTION not in last([does("write", long + end) for end in "abc"])
    assert Pattern.SAME_ACTION in last([does("write", long)] * 3)


def test_numbers_in_the_outcome_make_no_difference():
    """A record that is made again gets another number and another time; it is the same deed."""
    deeds = [does("add", '{"a":1}', f'{{"id":{n},"created_at":"2026-05-04T12:00:0{n}"}}') for n in range(3)]
    assert Pattern.SAME_ACTION in last(deeds)


def test_asking_until_the_answer_changes_is_no_circle():
    """The same question with other answers is waiting, not turning."""
    deeds = [
        does("status", "{}", answer) for answer in ("queued", "starting", "running", "uploading", "done")
    ]
    assert last(deeds) == {}


def test_something_else_in_between_begins_anew():
    """Reading again after a change is what a careful worker does."""
    deeds = [does("read", "a"), does("read", "a"), does("edit", "b", "edited"), does("read", "a")]
    assert last(deeds) == {}


@pytest.mark.parametrize("length", [2, 3])
def test_to_and_fro_is_told_and_then_stopped(length):
    """Two or three actions in turn, with the same outcomes, are a circle from the second round on."""
    circle = [does(f"action {n}", result=f"{TELLING} {'abc'[n]}") for n in range(length)]
    assert Pattern.ALTERNATION not in last((circle * 2)[:-1])
    assert last(circle * 2) == {Pattern.ALTERNATION: (2, False)}
    assert last(circle * 4) == {Pattern.ALTERNATION: (4, True)}


def test_edits_and_tests_in_turn_are_no_circle():
    """Each edit is another one, so each round is, too."""
    deeds = []
    for what in ("parser", "lexer", "printer", "reader"):
        deeds += [
            does("edit", f"rewrite the {what}", f"the {what} was rewritten, all of it"),
            does("test", "", "1 failed"),
        ]
    assert last(deeds) == {}


def test_the_same_action_all_the_time_is_no_alternation():
    """A circle of one is the same action again, and is called so."""
    assert set(last([does("look")] * 6)) == {Pattern.SAME_ACTION, Pattern.NO_CHANGE}


def test_a_streak_of_one_error_counts_whatever_was_tried():
    """Other actions that fail in the same way are the same error; numbers make no difference."""
    deeds = [
        fails(name, f"There is no task with the number {n}.")
        for n, name in enumerate(("get", "delete", "update"))
    ]
    assert last(deeds) == {Pattern.SAME_ERROR: (3, False)}


def test_a_success_ends_a_streak_of_errors():
    """Whoever got something done goes on from there."""
    deeds = [fails("get", "no"), fails("put", "no"), does("list"), fails("add", "no")]
    assert last(deeds) == {}


def test_another_error_is_another_streak():
    """Three errors of three kinds are no pattern."""
    assert (
        last([fails("a", "no such file"), fails("a", "not permitted", "b"), fails("a", "disk full", "c")])
        == {}
    )


def test_small_changes_that_change_nothing_are_told():
    """The same with one letter changed, and the same error each time, is trying the door again."""
    deeds = [
        fails("find", "nothing found", f'{{"query":"the garden plan of spring, {end}"}}') for end in "abcd"
    ]
    assert last(deeds)[Pattern.NEAR_ACTION] == (4, False)


def test_many_things_that_are_alike_are_no_circle():
    """Making twelve chapters is work: each has come to something of its own."""
    chapters = ("one", "two", "three", "four", "five", "six", "seven", "eight")
    deeds = [
        does(
            "create",
            f'{{"content":"Write chapter {n} of the book"}}',
            f'{{"id":1,"content":"Write chapter {n}"}}',
        )
        for n in chapters
    ]
    assert last(deeds) == {}


def test_short_answers_to_many_things_are_no_circle():
    """That each of five tasks is deleted says nothing of a standstill."""
    deeds = [does("delete", f'{{"task_id":{n}}}', '{"deleted":true}') for n in range(9)]
    assert last(deeds) == {}


def test_the_same_result_whatever_is_done_is_no_change():
    """Four different actions that all give the same long answer get nobody further."""
    names = ("list", "search", "find", "query")
    assert last([does(name, name) for name in names]) == {Pattern.NO_CHANGE: (4, False)}


def test_an_action_that_says_that_it_changed_nothing_is_believed():
    """However short or different the answers are."""
    deeds = [does(name, name, name, is_unchanged=True) for name in ("a", "b", "c", "d")]
    assert last(deeds) == {Pattern.NO_CHANGE: (4, False)}


def test_an_exempt_action_may_be_repeated():
    """An action that waits for something is not counted, and what stands before it doesn't count on."""
    limits = RepetitionLimits(exempt=("wait_*",))
    assert last([does("wait_for_build")] * 9, limits) == {}
    assert last([does("look"), does("look"), does("wait_for_build"), does("look")], limits) == {}


def test_what_is_not_looked_for_is_not_found():
    """A profile may switch any pattern off, or all of them."""
    assert last([does("look")] * 9, NO_REPETITION) == {}
    without = RepetitionLimits(same_action=None)
    assert set(last([does("look")] * 9, without)) == {Pattern.NO_CHANGE}


def test_a_stop_comes_first():
    """Of two patterns the one that stops is named first."""
    limits = RepetitionLimits(same_action=Threshold(2, None), no_change=Threshold(2, 3))
    *_, found = repetitions([does("look")] * 3, limits)
    assert [each.pattern for each in found] == [Pattern.NO_CHANGE, Pattern.SAME_ACTION]


def test_a_pattern_is_described_in_words():
    """People and models read how often, and what the last action was."""
    *_, (found, *_) = repetitions([does("look")] * 3)
    assert found.described == "the same action 3 times in a row, with the same outcome (last: look)"


def test_a_watch_that_forgets_begins_anew():
    """What a person asks for again is no repetition."""
    watch = Watch()
    assert [bool(watch.see(does("look"))) for _ in range(3)] == [False, False, True]
    watch.forget()
    assert [bool(watch.see(does("look"))) for _ in range(3)] == [False, False, True]


@pytest.mark.parametrize(("nudge", "stop"), [(1, None), (0, 3), (4, 3)])
def test_a_threshold_that_makes_no_sense_is_refused(nudge, stop):
    """Nothing repeats itself the first time, and nobody is stopped before being told."""
    with pytest.raises(UsageError, match="make no sense"):
        Threshold(nudge, stop)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["", "x", "y"])), max_size=40))
def test_counts_are_those_of_the_plain_definition(pairs):
    """Counted at once, a streak is as long as when the deeds behind are walked back."""
    deeds = [deed(name, "", result=f"{TELLING} {outcome}") for name, outcome in pairs]
    limits = RepetitionLimits(same_action=Threshold(2))
    for place, found in enumerate(repetitions(deeds, limits)):
        streak = 1
        while streak <= place and deeds[place - streak] == deeds[place]:
            streak += 1
        counts = {each.pattern: each.count for each in found}
        assert counts.get(Pattern.SAME_ACTION, 1) == streak


def test_the_time_grows_with_the_number_of_deeds_alone():
    """Ten times as many deeds, each with long and hostile texts, take about ten times as long."""

    def took(count: int) -> float:
        texts = [("a0" * 4000) + str(n % 3) for n in range(count)]
        began = time.perf_counter()
        for _ in repetitions(deed("look", text, result=text) for text in texts):
            pass
        return time.perf_counter() - began

    took(20)
    assert took(400) < 40 * min(took(40) for _ in range(3)) + 0.05
