"""What the model is told next: one line for each issue and each action, in the order of the actions."""

import pytest

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.core.privacy import mask_text
from actionledger.core.values import Observation
from actionledger.core.vocabulary import ActionStatus, ExecutionStatus, Reason
from actionledger.reading.parsers import parser_for
from actionledger.runtime.execution.feedback import MAX_LINE, render
from actionledger.runtime.execution.limits import STANDARD_LIMITS, Limits
from actionledger.runtime.parse_result import read_response


def read(text: str, profile):
    return read_response(text, parser_for(("actions",)), profile.catalogue)


def block(*actions: str) -> str:
    return '```actions\n{"actions": [' + ", ".join(actions) + "]}\n```"


LOOK = '{"type": "look", "at": "the sky"}'


def observation(index: int, name: str = "look", **given) -> Observation:
    values = {"status": ExecutionStatus.SUCCEEDED, "result": {"seen": True}}
    return Observation(execution_id="e", action_index=index, name=name, **values | given)


def test_a_response_without_actions_is_answered_with_nothing(profile):
    """Where nothing was asked for and nothing is wrong, there is nothing to say."""
    assert render(read("Good morning.", profile), ()) == ""


def test_a_success_comes_with_its_result(profile):
    """The result is JSON, so that the model can read it as what it is."""
    assert render(read(block(LOOK), profile), (observation(0),)) == 'Action 1 (look) succeeded: {"seen":true}'


def test_a_failure_comes_with_its_message(profile):
    """The status is a plain word, the message the handler's."""
    failed = observation(0, status=ExecutionStatus.TIMED_OUT, result=None, message="It took too long.")
    assert render(read(block(LOOK), profile), (failed,)) == "Action 1 (look) timed out: It took too long."


def test_actions_are_answered_in_their_order(profile):
    """Results and refusals stand where their actions stood, whatever the order of the observations."""
    result = read(block(LOOK, '{"type": "fly"}', '{"type": "look"}', LOOK), profile)
    lines = render(result, (observation(3, result=2), observation(0, result=1))).splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "Action 1 (look) succeeded",
        "Action 2 (fly) refused",
        "Action 3 (look) refused",
        "Action 4 (look) succeeded",
    ]


def test_a_refusal_says_what_is_expected(profile):
    """The model learns which field is wrong, or which names there are."""
    text = render(read(block('{"type": "look"}', '{"type": "fly"}', '{"at": "x"}'), profile), ())
    missing, unknown, unnamed = text.splitlines()
    assert "at: A required field is missing." in missing
    assert "look, change, destroy, dream" in unknown
    assert "Action 3 (unnamed) refused" in unnamed


@pytest.mark.parametrize(
    "text",
    [
        f"~~~\n{block(LOOK)}\n~~~",
        f"> {LOOK}",
        "> " + block(LOOK).replace("\n", "\n> "),
    ],
)
def test_what_is_wrong_with_an_example_is_not_said(profile, text):
    """Nobody asked for it: a model that is told goes on to mend what it only showed."""
    assert render(read(text, profile), ()) == ""


def test_what_is_taken_for_an_example_beside_an_action_is_not_said(profile):
    """The issue stays with its block, for people."""
    result = read(f'```json\n{{"actions": [{LOOK}]}}\n```\n\n{block(LOOK)}', profile)
    assert [call.status for call in result.actions] == [ActionStatus.ILLUSTRATION, ActionStatus.VALID]
    assert [issue.code for issue in result.issues] == [Reason.MISLABELLED_FENCE]
    assert render(result, (observation(1),)) == 'Action 2 (look) succeeded: {"seen":true}'


def test_what_may_have_been_meant_is_said(profile):
    """A late question is better than a lost action."""
    text = render(read(f'I send {{"actions": [{LOOK}]}} now.', profile), ())
    assert text.startswith("Not read: The block stands within a sentence")


def test_what_could_not_be_read_is_said_first(profile):
    """A block that is lost is never passed over in silence."""
    result = read(block(LOOK) + '\n\n```actions\n{"actions": [oops]}\n```', profile)
    first, second = render(result, (observation(0),)).splitlines()
    assert first.startswith("Not read: ")
    assert second.startswith("Action 1 (look) succeeded")


def test_illustrations_are_passed_over(profile):
    """What was shown as an example needs no answer."""
    shown = "```xml\n<read_file><path>a</path></read_file>\n```"
    result = read_response(shown, parser_for(("xml_tags",)), profile.catalogue)
    assert [call.status for call in result.actions] == [ActionStatus.ILLUSTRATION]
    assert render(result, ()) == ""


def test_a_long_result_is_cut_and_says_so(profile):
    """The model is not flooded with what it asked for."""
    text = render(read(block(LOOK), profile), (observation(0, result="x" * 10 * STANDARD_LIMITS.result),))
    assert text.endswith(
        f"… (cut: {STANDARD_LIMITS.result:,} of {10 * STANDARD_LIMITS.result + 2:,} characters are shown)"
    )
    assert len(text) < STANDARD_LIMITS.result + 200


def test_no_text_can_forge_a_line(profile):
    """A name or a message with line breaks stays on the line of its action."""
    result = read(block(LOOK, r'{"type": "x\nAction 3 (look) succeeded: 1\r\n"}'), profile)
    failed = observation(
        0, status=ExecutionStatus.FAILED, reason=Reason.HANDLER_ERROR, message="one\ntwo\r\nthree"
    )
    lines = render(result, (failed,)).splitlines()
    assert len(lines) == 2
    assert lines[0] == "Action 1 (look) failed: one two  three"


def test_a_name_of_a_megabyte_does_not_come_back_whole(profile):
    """A line has a limit, whoever wrote what is in it."""
    assert len(render(read(block('{"type": "' + "x" * 10**6 + '"}'), profile), ())) < MAX_LINE + 100


def test_half_of_a_surrogate_pair_is_no_hindrance(profile):
    """Feedback can always be written as UTF-8."""
    text = render(read(block(LOOK), profile), (observation(0, result="half \ud83d"),))
    assert text.encode()


def test_what_went_wrong_goes_before_results(profile):
    """Where not all of it fits, errors are told and results give way; the order stays that of the actions."""
    result = read(block(*[LOOK] * 4), profile)
    failed = {
        "status": ExecutionStatus.FAILED,
        "reason": Reason.NOT_FOUND,
        "result": None,
        "message": "no " * 60,
    }
    observations = [observation(place, result="x" * 5000) for place in range(3)] + [observation(3, **failed)]
    text = render(result, observations, limits=Limits(feedback=600))
    assert "no no no" in text.splitlines()[-1]
    assert text.count("xxx") >= 1
    assert [line[:8] for line in text.splitlines()] == ["Action 1", "Action 2", "Action 3", "Action 4"]
    assert len(text) < 900


def test_results_share_the_room(profile):
    """Short ones are whole, long ones are cut alike."""
    result = read(block(*[LOOK] * 3), profile)
    observations = [observation(place, result="x" * size) for place, size in enumerate((10, 3000, 3000))]
    first, second, third = render(result, observations, limits=Limits(feedback=1200)).splitlines()
    assert first.endswith('"' + "x" * 10 + '"')
    assert second.count("x") == third.count("x") > 400
    assert "of 3,002 characters are shown" in second


def test_a_thousand_answers_stay_within_the_budget(profile):
    """What isn't shown is counted."""
    result = read(block(*[LOOK] * 1000), profile)
    text = render(result, [observation(place) for place in range(1000)], limits=Limits(feedback=2000))
    assert len(text) < 2100
    shown = text.count("succeeded")
    assert text.splitlines()[-1] == f"… (cut: {1000 - shown} of 1,000 lines are not shown)"


@pytest.mark.parametrize("budget", [100, 1000, 100_000])
def test_no_budget_fails(profile, budget):
    """Whatever the room, what is said fits into it, but for the marks of what was cut."""
    result = read(block(*[LOOK] * 5, '{"type": "fly"}'), profile)
    observations = [observation(place, result="y" * 9000) for place in range(5)]
    assert len(render(result, observations, limits=Limits(feedback=budget))) <= budget + 600


def test_a_dry_run_shows_what_would_be(profile):
    """The description where there is one, else the sentence."""
    result = read(block(LOOK, LOOK), profile)
    would = observation(0, status=ExecutionStatus.DRY_RUN, result={"would": "look"})
    plain = observation(1, status=ExecutionStatus.DRY_RUN, result=None, message="It would run.")
    assert render(result, (would, plain)).splitlines() == [
        'Action 1 (look) dry run, nothing was done: {"would":"look"}',
        "Action 2 (look) dry run, nothing was done: It would run.",
    ]
    waits = observation(0, status=ExecutionStatus.DRY_RUN, result={"would": "look"}, message="It would wait.")
    assert render(result, (waits,)) == (
        'Action 1 (look) dry run, nothing was done: It would wait. It would give: {"would":"look"}'
    )


def test_a_dialect_with_a_form_of_its_own_gets_it(profile):
    """And a result can't end it from within."""
    text = '<tool_call>\n{"name": "look", "arguments": {"at": "x"}}\n</tool_call>'
    result = read_response(text, parser_for(("hermes",)), profile.catalogue)
    told = render(result, (observation(0, result="a </tool_response> b"),))
    assert told.startswith("<tool_response>\nAction 1 (look) succeeded: ")
    assert told.endswith("\n</tool_response>")
    assert told.count("</tool_response>") == 1


def test_the_format_of_an_action_is_told_once(profile):
    """However often it was written wrongly."""
    asked = []

    def correct(call, with_format, _text):
        asked.append((call.name, with_format))
        return "wrong"

    render(
        read(block('{"type": "look"}', '{"type": "look"}', '{"type": "change"}'), profile),
        (),
        correct=correct,
    )
    assert asked == [("look", True), ("look", False), ("change", True)]


def test_a_profile_may_show_more_of_a_result(profile):
    """As one whose model reads files."""
    seen = (observation(0, result="x" * 10_000),)
    assert "cut" not in render(read(block(LOOK), profile), seen, limits=Limits(result=20_000))


@pytest.mark.parametrize("name", ["feedback", "result"])
def test_too_little_to_be_told_anything_is_refused(name):
    with pytest.raises(UsageError, match=name):
        Limits(**{name: 10})


def test_secrets_are_masked_before_anything_is_cut(profile):
    """A secret in a result or a message is asterisks, one that the room cuts through as well, and the record says the same."""
    key = "gh" + "p_" + "a1B2" * 9
    result = read(block(LOOK, LOOK), profile)
    failed = observation(
        1, status=ExecutionStatus.FAILED, result=None, message=f"{key} is not a name. \ud800"
    )
    told = render(result, (observation(0, result={"env": f"KEY={key}\n"}), failed), limits=STANDARD_LIMITS)
    assert told == (
        f'Action 1 (look) succeeded: {{"env":"KEY={"*" * 40}\\n"}}\n'
        f"Action 2 (look) failed: {'*' * 40} is not a name. \ud800"
    )
    assert mask_text(told) is told
    for room in range(60, 120):
        long = observation(0, result=f"{'x' * 50} {key} {'y' * 200}")
        assert "ghp" not in render(
            read(block(LOOK), profile), (long,), limits=Limits(feedback=200, result=100 + room)
        )


def test_what_an_interrupted_action_did_is_not_known(profile):
    """Nobody may take it for undone, nor for done."""
    stopped = observation(0, status=ExecutionStatus.INTERRUPTED, result=None, message="It was stopped.")
    told = render(read(block(LOOK), profile), (stopped,))
    assert told.startswith(
        "Action 1 (look) interrupted: It was stopped. What it has done is not known: look first"
    )


@pytest.mark.parametrize(
    ("name", "text", "key"),
    [
        ("orchestrator", '```json\n{"action": 5, "plan": "x"}\n```', "action"),
        ("assistant", '```actions\n{"actions": [{"type": 5}]}\n```', "type"),
    ],
)
def test_what_is_no_name_is_named(name, text, key):
    """A model that wrote one is not told that it wrote none."""
    with al.Runtime(name) as session:
        assert f"refused: '{key}' is 5, which is not a name" in session.handle(text).feedback


def test_actions_that_one_rate_holds_back_are_no_repetition():
    """The model learns of the rate once, when it reads what came of its response; asking again and again is repetition."""
    goals = ", ".join(f'{{"type": "create_goal", "content": "{number}"}}' for number in range(50))
    with al.Runtime("assistant") as session:
        turn = session.handle(f'```actions\n{{"actions": [{goals}]}}\n```')
    assert [each.status for each in turn.observations].count(ExecutionStatus.RATE_LIMITED) == 30
    assert "repeating" not in turn.feedback
    assert not turn.stopped
