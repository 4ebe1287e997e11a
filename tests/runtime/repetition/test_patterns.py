"""What counts as going in circles, what doesn't, and when it is told and stopped."""

import pytest
from hypothesis import given, strategies as st
from steps import steps

from actionledger.core.errors import UsageError
from actionledger.runtime.repetition.fingerprints import ActionFingerprint, fingerprint
from actionledger.runtime.repetition.guard import PatternWatch
from actionledger.runtime.repetition.limits import (
    NO_REPETITION,
    STANDARD_REPETITION,
    Pattern,
    RepetitionLimits,
    Threshold,
)

TELLING = "a result that is long enough to tell a change"


def does(name: str, arguments: str = "{}", result: str = TELLING, **given) -> ActionFingerprint:
    return fingerprint(name, arguments, result=result, **given)


def fails(name: str, error: str, arguments: str = "{}") -> ActionFingerprint:
    return fingerprint(name, arguments, error=error)


def seen(fingerprints, limits=STANDARD_REPETITION):
    return map(PatternWatch(limits).see, fingerprints)


def last(fingerprints, limits=STANDARD_REPETITION) -> dict[Pattern, tuple[int, bool]]:
    """Return what repeats itself after the last fingerprint: how often, and whether that is a stop."""
    *_, found = seen(fingerprints, limits)
    return {each.pattern: (each.count, each.is_stop) for each in found}


@pytest.mark.parametrize(
    ("times", "expected"),
    [(2, None), (3, (3, False)), (4, (4, True)), (5, (5, True))],
)
def test_the_same_action_again_is_told_and_then_stopped(times, expected):
    """The model is told at the third time and stopped at the fourth."""
    assert last([does("look")] * times).get(Pattern.SAME_ACTION) == expected


def test_the_same_arguments_in_another_layout_are_the_same():
    """Blanks and line breaks make no other action."""
    fingerprints = [does("run", text) for text in ("ls  -l", "ls -l\n", " ls\t-l")]
    assert Pattern.SAME_ACTION in last(fingerprints)


def test_long_arguments_that_differ_at_the_end_are_others():
    """A file's content counts to its last character."""
    long = "x" * 5000
    assert Pattern.SAME_ACTION not in last([does("write", long + end) for end in "abc"])
    assert Pattern.SAME_ACTION in last([does("write", long)] * 3)


def test_whatever_number_the_new_thing_has_it_is_made_again():
    """A record that is made again gets another number and another time; it is the same fingerprint."""
    fingerprints = [
        does("add_task", '{"a":1}', f'{{"id":{n},"created_at":"2026-05-04T12:00:0{n}"}}') for n in range(3)
    ]
    assert Pattern.SAME_ACTION in last(fingerprints)


def test_asking_until_the_answer_changes_is_no_circle():
    """The same question with other answers is waiting, not turning."""
    fingerprints = [
        does("status", "{}", answer) for answer in ("queued", "starting", "running", "uploading", "done")
    ]
    assert last(fingerprints) == {}


def test_something_else_in_between_begins_anew():
    """Reading again after a change is what a careful worker does."""
    fingerprints = [does("read", "a"), does("read", "a"), does("edit", "b", "edited"), does("read", "a")]
    assert last(fingerprints) == {}


@pytest.mark.parametrize(
    ("template", "is_same"),
    [
        ('{"id": %d, "title": "x"}', True),
        ('{"job_id": "j-%d", "finished_at": "2026-05-04T12:00:0%d"}', True),
        ("Ran 3 tests in 0.0%ds", True),
        ("Chunk ID: 7efc%da\nWall time: 0.%d seconds", True),
        ("saw 3fa85f64-5717-4562-b3fc-2c963f66afa%d", True),
        ("%d %% done", False),
        ("%d tests failed", False),
        ("page %d of 12", False),
        ('{"count": %d}', False),
    ],
)
def test_times_and_identifiers_in_a_result_make_no_difference(template, is_same):
    """What varies by itself is no change; other numbers may be progress."""
    fingerprints = [does("look", "{}", template.replace("%d", str(n)).replace("%%", "%")) for n in range(3)]
    assert (Pattern.SAME_ACTION in last(fingerprints)) is is_same


@pytest.mark.parametrize("length", [2, 3, 4])
def test_to_and_fro_is_told_and_then_stopped(length):
    """Two to four actions in turn, with the same outcomes, are a circle from the second round on."""
    circle = [does(f"action {n}", result=f"{TELLING} {'abcd'[n]}") for n in range(length)]
    assert Pattern.ALTERNATION not in last((circle * 2)[:-1])
    assert last(circle * 2) == {Pattern.ALTERNATION: (2, False)}
    assert last(circle * 3) == {Pattern.ALTERNATION: (3, True)}


def test_edits_and_tests_in_turn_are_no_circle():
    """Each edit is another one, so each round is, too."""
    fingerprints = []
    for what in ("parser", "lexer", "printer", "reader"):
        fingerprints += [
            does("edit", f"rewrite the {what}", f"the {what} was rewritten, all of it"),
            does("test", "", "1 failed"),
        ]
    assert last(fingerprints) == {}


def test_the_same_action_all_the_time_is_no_alternation():
    """A circle of one is the same action again, and is called so."""
    assert set(last([does("look")] * 6)) == {Pattern.SAME_ACTION}


def test_a_streak_of_one_error_counts_whatever_was_tried():
    """Other actions that fail in the same way are told, and never stopped for that."""
    names = ("get", "delete", "update") * 9
    assert last([fails(name, "The store is closed.", name) for name in names[:3]]) == {
        Pattern.SAME_ERROR: (3, False)
    }
    fingerprints = [fails("delete", "The store is closed.", f'{{"task_id":{n}}}') for n in range(27)]
    assert last(fingerprints) == {Pattern.SAME_ERROR: (27, False)}


def test_things_that_are_not_there_are_not_one_error():
    fingerprints = [fails("get", f"There is no task {n}.", f'{{"task_id":{n}}}') for n in range(9)]
    assert last(fingerprints) == {}


def test_the_same_mistake_in_writing_is_stopped():
    """What could not be run as it was written is no work, whatever it was about."""
    fingerprints = [
        fingerprint("fly", f'{{"to":{n}}}', error="There is no fly.", is_refused=True) for n in range(6)
    ]
    assert last(fingerprints[:3])[Pattern.SAME_MISTAKE] == (3, False)
    assert last(fingerprints)[Pattern.SAME_MISTAKE] == (6, True)


def test_a_success_ends_a_streak_of_errors():
    """Whoever got something done goes on from there."""
    fingerprints = [fails("get", "no"), fails("put", "no"), does("list"), fails("add", "no")]
    assert last(fingerprints) == {}


def test_another_error_is_another_streak():
    """Three errors of three kinds are no pattern."""
    assert (
        last([fails("a", "no such file"), fails("a", "not permitted", "b"), fails("a", "disk full", "c")])
        == {}
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"cmd":"ls  -l"}', '{"cmd": "ls -l "}'),
        ('{"cmd":"ls -l","call_id":"c1"}', '{"cmd":"ls -l","call_id":"c2"}'),
        ('{"action_id":"a1","sql":"select  a ,b"}', '{"action_id":"a9","sql":"select a, b"}'),
    ],
)
def test_blanks_and_call_ids_make_no_other_call(one, other):
    """The same call with the same failure is the same, however it is laid out and whatever id it got."""
    fingerprints = [fails("run", "no", text) for text in (one, other, one, other)]
    assert last(fingerprints)[Pattern.SAME_ACTION] == (4, True)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"path":"part_1.py"}', '{"path":"part_2.py"}'),
        ('{"content":"if a:\\n  b"}', '{"content":"if a:\\n    b"}'),
        ('{"invoice":"2026-001"}', '{"invoice":"2026-002"}'),
        ('{"action_id":1}', '{"action_id":2}'),
        ('{"message_id":1,"folder":"x"}', '{"message_id":2,"folder":"x"}'),
    ],
)
@pytest.mark.parametrize("did", [does, lambda name, text: fails(name, "no", text)])
def test_other_targets_and_contents_are_other_calls(one, other, did):
    """Whether they come to the same or fail in the same way, and however alike they look."""
    found = last([did("edit", text) for text in (one, other) * 2])
    assert Pattern.SAME_ACTION not in found
    assert not any(is_stop for _, is_stop in found.values())


def test_many_things_that_are_alike_are_no_circle():
    """Making twelve chapters is work: each has come to something of its own."""
    chapters = ("one", "two", "three", "four", "five", "six", "seven", "eight")
    fingerprints = [
        does(
            "create",
            f'{{"content":"Write chapter {n} of the book"}}',
            f'{{"id":1,"content":"Write chapter {n}"}}',
        )
        for n in chapters
    ]
    assert last(fingerprints) == {}


def test_short_answers_to_many_things_are_no_circle():
    """That each of five tasks is deleted says nothing of a standstill."""
    fingerprints = [does("delete", f'{{"task_id":{n}}}', '{"deleted":true}') for n in range(9)]
    assert last(fingerprints) == {}


def test_the_same_result_of_different_calls_is_no_circle():
    """Many files can be written with the same words of success."""
    fingerprints = [does("write", name, "The file was written, and all is well.") for name in "abcdefghi"]
    assert last(fingerprints) == {}


def think(text: str, result: str = "") -> ActionFingerprint:
    return fingerprint("think", f'{{"context":"{text}"}}', result=result, is_unchanged=bool(result))


@pytest.mark.parametrize(
    "texts",
    [
        ["They are sad since they lost their job."] * 5,
        [f"They are sad since they lost their job{end}" for end in (".", "!", "…", " :(", "")],
        ["Sad."] * 5,
    ],
)
def test_a_thought_that_comes_back_is_a_circle(texts):
    """Word for word, or nearly: a thought has no effect that a small change could make another one."""
    (found,) = {*last([think(text) for text in texts])} - {Pattern.NO_CHANGE}
    assert found in {Pattern.SAME_ACTION, Pattern.SAME_THOUGHT}
    assert all(is_stop for _, is_stop in last([think(text) for text in texts]).values())


def test_what_came_to_mind_can_be_the_same():
    """Whatever was to be thought about."""
    fingerprints = [
        think(about, '{"summary":"They must be heard."}') for about in ("job", "house", "dog", "cat", "tea")
    ]
    assert last(fingerprints) == {Pattern.SAME_THOUGHT: (5, True)}


def test_different_thoughts_are_no_circle():
    """Nor those that are told apart by a number, nor because a tool takes all of them down with the same words."""
    assert (
        last([think(text) for text in ("their job", "their house", "their dog", "their tone", "my answer")])
        == {}
    )
    assert last([think(f"The next step is to write chapter {n}.") for n in range(9)]) == {}
    noted = [
        fingerprint("Think", f'{{"thought":"{text}"}}', result="Your thought was taken down.")
        for text in "abcdef"
    ]
    assert last(noted) == {}


def test_asking_whether_it_is_ready_is_waiting():
    """It is told late and stopped very late, with or without a rest in between."""
    ask = does("get_build_status", '{"build":7}', '{"status":"running"}')
    rest = does("run", '{"command":"sleep 30"}', "")
    assert last([ask] * 5) == {}
    assert last([ask] * 6) == {Pattern.POLLING: (6, False)}
    assert last([ask] * 29) == {Pattern.POLLING: (29, False)}
    assert last([ask] * 30) == {Pattern.POLLING: (30, True)}
    assert last([ask, rest] * 29) == {Pattern.POLLING: (29, False)}
    assert last([ask, rest] * 30) == {Pattern.POLLING: (30, True)}


def test_making_something_that_waits_is_no_waiting():
    """The same task again is made again, even where its state is called pending."""
    fingerprints = [
        does("create_task", '{"title":"x"}', f'{{"id":{n},"status":"pending"}}') for n in range(4)
    ]
    assert last(fingerprints) == {Pattern.SAME_ACTION: (4, True)}


def test_trying_again_what_may_pass_is_told_later():
    """A time-out is worth some more tries than an error that stays."""
    again = fails("fetch", "It timed out after 30 s.", '{"url":"x"}')
    assert Pattern.SAME_ACTION not in last([again] * 7)
    assert last([again] * 4)[Pattern.RETRY] == (4, False)
    assert last([again] * 8)[Pattern.RETRY] == (8, True)


def test_an_action_that_says_that_it_changed_nothing_is_believed():
    """However short or different the answers are."""
    fingerprints = [does(name, name, name, is_unchanged=True) for name in ("a", "b", "c", "d")]
    assert last(fingerprints) == {Pattern.NO_CHANGE: (4, False)}


def test_an_exempt_action_may_be_repeated():
    """An action that waits for something is not counted, and what stands before it doesn't count on."""
    limits = RepetitionLimits(exempt=("wait_*",))
    assert last([does("wait_for_build")] * 9, limits) == {}
    assert last([does("look"), does("look"), does("wait_for_build"), does("look")], limits) == {}


def test_what_is_not_looked_for_is_not_found():
    """A profile may switch any pattern off, or all of them."""
    assert last([does("look")] * 9, NO_REPETITION) == {}
    without = RepetitionLimits(same_action=None)
    assert last([does("look")] * 9, without) == {}


def test_a_stop_comes_first():
    """Of two patterns the one that stops is named first."""
    limits = RepetitionLimits(same_error=Threshold(2), no_change=None, same_mistake=Threshold(2, 3))
    fingerprints = [fingerprint("fly", str(n), error="no", is_refused=True) for n in range(3)]
    *_, found = seen(fingerprints, limits)
    assert [each.pattern for each in found] == [Pattern.SAME_MISTAKE, Pattern.SAME_ERROR]
    limits = RepetitionLimits(same_mistake=Threshold(2), same_error=Threshold(2, 3))
    *_, found = seen(fingerprints, limits)
    assert [each.pattern for each in found] == [Pattern.SAME_ERROR, Pattern.SAME_MISTAKE]


def test_a_pattern_is_described_in_words():
    """People and models read how often, and what the last action was."""
    *_, (found, *_) = seen([does("look")] * 3)
    assert found.described == "the same action 3 times in a row, with the same outcome (last: look)"


def test_a_watch_that_forgets_begins_anew():
    """What a person asks for again is no repetition."""
    watch = PatternWatch()
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
    """Counted at once, a streak is as long as when the fingerprints behind are walked back."""
    fingerprints = [fingerprint(name, "", result=f"{TELLING} {outcome}") for name, outcome in pairs]
    limits = RepetitionLimits(same_action=Threshold(2))
    for place, found in enumerate(seen(fingerprints, limits)):
        streak = 1
        while streak <= place and fingerprints[place - streak] == fingerprints[place]:
            streak += 1
        counts = {each.pattern: each.count for each in found}
        assert counts.get(Pattern.SAME_ACTION, 1) == streak


def test_the_steps_grow_with_the_number_of_fingerprints_alone():
    """Ten times as many fingerprints, each with long and hostile texts, take about ten times as many steps."""

    def took(count: int) -> int:
        texts = [("a0" * 4000) + str(n % 3) for n in range(count)]
        return steps(lambda: list(seen(fingerprint("look", text, result=text) for text in texts)))

    took(20)
    assert took(400) < 12 * took(40)
