"""What small models get wrong: read as it was meant, or told so that a model that does as it is told gets it right."""

import json
import re
from collections import Counter
from collections.abc import Iterator

import pytest
import wrong_ways
from small_models import ATTEMPTS, MEANT, Attempt, Calls, follow

import actionledger as al
from actionledger.core.errors import RenderError
from actionledger.core.values import ParseResult
from actionledger.core.vocabulary import Outcome
from actionledger.profiles import profile_named
from actionledger.reading.dialects import DIALECTS
from actionledger.reading.dialects.parts.writing import PlainCall
from actionledger.runtime.agent.endings import says_final
from actionledger.runtime.execution.feedback import corrector, render
from actionledger.runtime.execution.mending import HOW, mender

TRIES = 2
TOLD = {"escaped signs": "holds &lt;", "doubled": "it is done once"}
"""What is done as it is written, for it may be meant so, and what is done once of it; the model is told this."""


def done(result: ParseResult) -> list[tuple[str, dict[str, object]]]:
    """Return the actions that would run, each with the arguments that were given."""
    return [
        (
            profile_named(str(result.catalogue)).catalogue.known_name(call.name),
            call.action.model_dump(exclude_unset=True, by_alias=True, exclude={"type", "action"}),
        )
        for call in result.actions
        if call.status.is_runnable and call.action
    ]


def told(result: ParseResult, profile: str) -> str:
    """Return what the model is told of what was not read or was refused."""
    meant = profile_named(profile)
    return render(result, (), correct=corrector(meant), mend=mender(meant))


def tries_of(attempt: Attempt) -> int | None:
    """Return after how many tries the literal follower has done what was meant, and nothing else; None for never."""
    text, all_done = attempt.text, []
    for number in range(TRIES + 1):
        result = al.parse(text, profile=attempt.profile)
        all_done += done(result)
        if all_done == [(name, dict(arguments)) for name, arguments in attempt.meant]:
            return number
        text = follow(told(result, attempt.profile), attempt.meant)
    return None


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda each: f"{each.profile}: {each.name}")
def test_each_is_read_as_meant_or_can_be_mended(attempt):
    """None is read as anything else, none is passed over in silence, and what is shown is right as it stands."""
    if said := TOLD.get(attempt.name):
        with al.Runtime(attempt.profile, auto=True) as session:
            feedback = session.handle(attempt.text).feedback
        assert said in feedback
        if shown := follow(feedback, attempt.meant):
            assert done(al.parse(shown, profile=attempt.profile)) == list(attempt.meant)
        return
    meant = [(name, dict(arguments)) for name, arguments in attempt.meant]
    assert all(each in meant for each in done(al.parse(attempt.text, profile=attempt.profile)))
    assert tries_of(attempt) is not None


def test_most_are_read_as_meant():
    """At least thirty of fifty-five; all others are right after one try, but for what the model is told."""
    counted = Counter(tries_of(each) for each in ATTEMPTS if each.name not in TOLD)
    assert len(ATTEMPTS) == 55
    assert counted[0] >= 30
    assert counted[0] + counted[1] == 55 - len(TOLD)


def foreign(profile: str, meant: Calls) -> Iterator[Attempt]:
    """Yield what was meant in every format that is not the profile's own and can write it."""
    own = {dialect.name for dialect in profile_named(profile).parser.dialects}
    for dialect in DIALECTS:
        if dialect.name not in own:
            try:
                text = dialect.render([PlainCall(name, dict(arguments)) for name, arguments in meant])
            except RenderError:
                continue
            yield Attempt(dialect.name, profile, text, meant)


@pytest.mark.parametrize("profile", MEANT)
def test_another_format_is_told_in_this_one(profile):
    """Whatever format a model falls back into, it is shown its own call in the profile's, and gets it right at once."""
    attempts = list(foreign(profile, MEANT[profile]))
    assert len(attempts) >= 36
    assert {each.name: tries_of(each) for each in attempts if tries_of(each) not in {0, 1}} == {}


@pytest.mark.parametrize("attempt", ATTEMPTS[:11], ids=lambda each: each.name)
def test_nothing_of_what_is_told_contradicts_itself(attempt):
    """What was read is not said to have been read, and to be in no format."""
    said = told(al.parse(attempt.text, profile=attempt.profile), attempt.profile)
    assert "The value was read" not in said
    assert "none of the formats" not in said


def test_a_field_of_another_name_is_the_one_that_can_hold_its_value():
    """A path is told as the path, though its name is more like that of a line's number; and the call is shown once."""
    said = told(al.parse("<read_file><file>x.py</file></read_file>", profile="coder"), "coder")
    assert said.partition(HOW)[2].strip() == "<read_file>\n<path>x.py</path>\n</read_file>"


@pytest.mark.parametrize("profile", ["assistant", "orchestrator", "reasoner"])
def test_an_action_whose_name_is_its_only_key_is_shown_rightly(profile):
    """It is refused, since it says no name where one belongs, and the example is of what was tried."""
    name, arguments = MEANT[profile][0]
    block, key = ("actions", "type") if profile == "assistant" else ("json", "action")
    text = f"```{block}\n{json.dumps({'actions': [{name: arguments}]})}\n```"
    shown = follow(told(al.parse(text, profile=profile), profile), [(name, arguments)])
    assert f'"{key}": "{name}"' in shown
    assert done(al.parse(shown, profile=profile)) == [(name, dict(arguments))]


@pytest.mark.parametrize(
    ("tried", "meant"),
    [
        ('"list_tasks"', [("list_tasks", {})]),
        ('{"list_tasks": {}}', [("list_tasks", {})]),
        (
            '{"type": "create_task", "arguments": "{content: \'Buy milk\'}"}',
            [("create_task", {"content": "Buy milk"})],
        ),
        ('"create_task(content=\\"Buy milk\\")"', [("create_task", {"content": "Buy milk"})]),
        ('{"type": "delete_task", "task_id": "t3"}', [("delete_task", {"task_id": 3})]),
    ],
)
def test_what_is_shown_of_a_refused_action_is_what_was_tried(tried, meant):
    """A name alone, one without fields, fields in a text that is nearly JSON, a call in a text, and a number within a word."""
    said = told(al.parse(f'```actions\n{{"actions": [{tried}]}}\n```', profile="assistant"), "assistant")
    assert done(al.parse(follow(said, meant), profile="assistant")) == meant


OTHERWISE = [
    pytest.param(Attempt(way, profile, text, [(name, given)]), id=f"{profile}: {way}")
    for profile, (name, arguments, _) in wrong_ways.MEANT.items()
    for way, text, is_whole in wrong_ways.ways(name, arguments)
    for given in [arguments if is_whole else dict([*arguments.items()][:1])]
    if way != "two calls"
]


@pytest.mark.parametrize("attempt", OTHERWISE)
def test_what_no_format_has_is_told_in_this_one(attempt):
    """Names, values and fields are taken from what was tried; what was not given is left open."""
    tried = tries_of(attempt)
    if tried is None:  # more is required than the model has said
        required = profile_named(attempt.profile).catalogue.argument_schema(attempt.meant[0][0])["required"]
        rest = dict.fromkeys(required, "…") | dict(attempt.meant[0][1])
        shown = follow(told(al.parse(attempt.text, profile=attempt.profile), attempt.profile), attempt.meant)
        call = al.parse(shown, profile=attempt.profile).actions[0]
        assert (call.name, call.arguments) == (attempt.meant[0][0], rest)
    else:
        assert tried == 1


IN_ENVELOPES = [
    pytest.param(profile, name, arguments, held, id=f"{profile}: {way}")
    for profile, (name, arguments, _) in wrong_ways.MEANT.items()
    if profile != "coder"
    for way, held in wrong_ways.in_envelope(
        "type" if profile.startswith("assistant") else "action", name, arguments
    )
]


@pytest.mark.parametrize(("profile", "name", "arguments", "held"), IN_ENVELOPES)
def test_an_action_of_another_form_is_shown_with_all_that_it_says(profile, name, arguments, held):
    """In its own block: no field that was given is left out, and no other action is shown."""
    label = {"assistant": "actions", "assistant-iterative": "iteration"}.get(profile, "json")
    key = {"assistant-iterative": "next_actions"}.get(profile, "actions")
    body = held if profile == "orchestrator" else {key: [held]}
    attempt = Attempt("", profile, f"```{label}\n{json.dumps(body)}\n```", [(name, arguments)])
    assert tries_of(attempt) in {0, 1}


def test_a_name_in_words_is_told_where_another_format_is_asked_for():
    """The coder's tags are told for JSON with a name that has a blank in it."""
    text = '```json\n{"action": "read file", "path": "a.py"}\n```'
    assert tries_of(Attempt("", "coder", text, [("read_file", {"path": "a.py"})])) == 1


@pytest.mark.parametrize(
    "text",
    [
        "```json\n{action: create_file, path: a.py, content: def f(a, b):\\n    return a\\n}\n```",
        "| action | path | content |\n|---|---|---|\n| create_file | a.py | def f(a, b):\\n    return a\\n |",
    ],
)
def test_line_breaks_of_a_text_without_quotes_are_shown_as_such(text):
    """No file is told to be written with signs in their place."""
    meant = [("create_file", {"path": "a.py", "content": "def f(a, b):\n    return a\n"})]
    assert tries_of(Attempt("", "coder", text, meant)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "I have called {} with content 'x'.",
        "Should I call {} with content 'x'?",
        "Never call {} with content 'x'.",
    ],
)
def test_a_sentence_about_a_call_is_none(text):
    assert not told(al.parse(text.format("create_task"), profile="assistant"), "assistant")


def test_nothing_of_what_is_told_asks_for_another_format():
    """A model that is asked for tags is not told to write JSON, nor the other way."""
    options = '```bash\nread_file --path "a.py"\n```'
    assert "as JSON" not in told(al.parse(options, profile="coder"), "coder")
    tags = "&lt;escalate&gt;\n&lt;reason&gt;It is down&lt;/reason&gt;\n&lt;/escalate&gt;"
    assert "write the tags" not in told(al.parse(tags, profile="orchestrator"), "orchestrator")


def test_a_name_that_holds_others_is_told_by_its_kind():
    """Not with the beginning of what it holds."""
    text = '```json\n{"action": {"name": "escalate", "arguments": {"reason": "Down"}}}\n```'
    assert "'action' is an object, which is not a name" in told(
        al.parse(text, profile="orchestrator"), "orchestrator"
    )


@pytest.mark.parametrize(
    ("profile", "tried", "meant"),
    [
        ("orchestrator", "request_review(login-fix)", [("request_review", {"target": "login-fix"})]),
        (
            "orchestrator",
            'request_review(login-fix, notes = "Look at the tests")',
            [("request_review", {"target": "login-fix", "notes": "Look at the tests"})],
        ),
        ("orchestrator", 'escalate(reason, context = "budget")', None),
        ("assistant", "create_task(Call Ada)", [("create_task", {"content": "Call Ada"})]),
        ("coder", '<read_file path="notes.txt" first_line=true>', [("read_file", {"path": "notes.txt"})]),
        (
            "reasoner",
            '```json\n{"actions": [{"action": "forget_memory", "context": "the lost key"}]}\n```',
            [("remove_memory", {"context": "the lost key"})],
        ),
        ("coder", "<read_file path=notes.txt>", [("read_file", {"path": "notes.txt"})]),
        (
            "coder",
            '<read_file path="notes.txt" first_line="First line" last_line="…"/>',
            [("read_file", {"path": "notes.txt"})],
        ),
    ],
)
def test_what_is_shown_is_right_as_it_stands(profile, tried, meant):
    """A small model copies it, placeholders too: words without quotes are taken, and optional fields left out if unclear."""
    with al.Runtime(profile, auto=True) as session:
        shown = re.split(f"{HOW}|for example:", session.handle(tried).feedback)[1].strip()
    if meant is None:  # a field's name is no value
        assert '"reason": "…", "context": "budget"' in shown
    else:
        assert done(al.parse(shown, profile=profile)) == meant


def test_no_other_action_is_shown_than_the_one_that_was_tried():
    """A task to be completed is not told to be deleted, and a number that was not given is not made up."""
    tried = '{"next_actions": [{"type": "complete_task", "task_id": 1}], "is_final": true}'
    said = told(al.parse(tried, profile="assistant-iterative"), "assistant-iterative")
    assert "There is no action 'complete_task'" in said
    assert HOW not in said
    tried = '```actions\n{"actions": [{"type": "delete_memory", "id": "the last"}]}\n```'
    assert '"memory_id": "…"' in told(al.parse(tried, profile="assistant"), "assistant")
    tried = tried.replace("the last", "7")
    assert '"memory_id": 7}' in told(al.parse(tried, profile="assistant"), "assistant")


UNKNOWN = {
    "assistant": '```actions\n{"actions": [{"type": "choose_database", "database": "MySQL"}]}\n```',
    "orchestrator": '```json\n{"action": "choose_database", "database": "MySQL"}\n```',
    "reasoner": '```json\n{"actions": [{"action": "choose_database", "database": "MySQL"}]}\n```',
}


@pytest.mark.parametrize("profile", UNKNOWN)
def test_an_example_of_an_action_that_was_not_tried_does_nothing(profile):
    """A model that was refused for an unknown name copies what it is shown."""
    tried = UNKNOWN[profile]
    shown = follow(told(al.parse(tried, profile=profile), profile), [])
    assert not done(al.parse(shown, profile=profile))


@pytest.mark.parametrize("actions", ["{}", '"none"', "0"])
def test_a_last_step_of_another_shape_is_shown(actions):
    """As the last step, not as an action."""
    text = f'```iteration\n{{"next_actions": {actions}, "is_final": true}}\n```'
    shown = follow(told(al.parse(text, profile="assistant-iterative"), "assistant-iterative"), [])
    assert says_final(al.parse(shown, profile="assistant-iterative"))


@pytest.mark.parametrize(
    ("profile", "text"),
    [
        ("assistant", '```actions\n{"actions": "none"}\n```'),
        ("assistant", "```actions\n{not at all\n```"),
        ("assistant-iterative", '```iteration\n{"thoughts": "Look first."}\n```'),
        ("reasoner", '```json\n{"actions": "speak to them"}\n```'),
    ],
)
def test_a_block_that_names_no_action_is_told_with_the_format(profile, text):
    """Its example does nothing as it stands."""
    shown = follow(told(al.parse(text, profile=profile), profile), [])
    assert al.parse(shown, profile=profile).actions
    assert not done(al.parse(shown, profile=profile))


@pytest.mark.parametrize("flag", ["isFinal", "final", "IS_FINAL", "is-final"])
def test_a_flag_of_another_name_is_told(flag):
    """The step is not the last one then, and this is said."""
    step = f'{{"next_actions": [{{"type": "list_tasks"}}], "{flag}": true}}'
    result = al.parse(f"```iteration\n{step}\n```", profile="assistant-iterative")
    assert f"'{flag}' is no key here: write 'is_final'" in told(result, "assistant-iterative")
    result = al.parse(f"```iteration\n{step.replace('true', 'false')}\n```", profile="assistant-iterative")
    assert not result.issues


def test_a_list_that_is_there_twice_is_shown_whole():
    """The actions of both are lost, so both are shown."""
    lists = ", ".join(f'"actions": [{{"type": "create_task", "content": "{name}"}}]' for name in "AB")
    shown = follow(told(al.parse(f"```actions\n{{{lists}}}\n```", profile="assistant"), "assistant"), [])
    assert done(al.parse(shown, profile="assistant")) == [("create_task", {"content": name}) for name in "AB"]


def test_an_action_that_waits_for_itself_is_told_so():
    """Small models number an action as the one that they did before."""
    with al.Runtime("coder", auto=True) as session:
        said = session.handle('<delete_file path="a.py" depends_on="action_1"/>').feedback
    assert "waits for itself: leave out its depends_on." in said


def test_what_was_cut_is_told_beside_what_was_read():
    """The first action is whole and may run; the second one is shown again."""
    whole = '{"action": "add_goal", "context": "Learn French."}'
    text = f'```json\n{{"actions": [{whole}, {{"action": "speak", "context": "Tell th'
    shown = told(al.parse(text, profile="reasoner"), "reasoner").partition(HOW)[2]
    assert '"speak", "context": "…"' in shown
    assert "add_goal" not in shown


def test_a_last_step_may_have_no_list():
    """Neither one that is left out, nor one that is null."""
    text = '```iteration\n{"iteration": 2, "next_actions": null, "is_final": true}\n```'
    assert al.parse(text, profile="assistant-iterative").outcome is Outcome.ABSTAINED
    assert al.parse(text.replace("true", "false"), profile="assistant-iterative").outcome is Outcome.FAILED


def test_a_number_for_a_name_is_told_whole():
    """As it stands, its exponent too."""
    said = told(
        al.parse('```json\n{"action": 1e3, "reason": "x"}\n```', profile="orchestrator"), "orchestrator"
    )
    assert "'action' is 1e3" in said


def test_a_key_that_is_a_name_holds_its_value():
    """What a model wrote is not left open."""
    said = told(al.parse('{"escalate": "It is down."}', profile="orchestrator"), "orchestrator")
    assert '{"action": "escalate", "reason": "It is down."}' in said.partition(HOW)[2]


def test_line_breaks_that_are_none_are_told():
    """In an attribute there is no other way to write one; a program may hold the sign itself."""
    with al.Runtime("coder", auto=True) as session:
        said = session.handle('<create_file path="a.py" content="a = 1\\nb = 2\\n"/>').feedback
        assert "holds \\n and no line break" in said
        assert "a = 1\nb = 2\n" in said.partition(HOW)[2]
        own = "<create_file><path>a.py</path><content>\nprint('\\n')\n</content></create_file>"
        assert "line break" not in session.handle(own).feedback


def test_what_is_left_open_is_told():
    """A text that was cut off is not made up, nor copied in half."""
    cut = '```actions\n{"actions": [{"type": "create_task", "content": "Buy mi'
    said = told(al.parse(cut, profile="assistant"), "assistant")
    assert "Put your own value where … stands." in said
    assert '"content": "…"' in said


def test_the_nearest_name_and_the_fields_are_named():
    """Each thing that was wrong, in words of its own."""
    text = '<tool_call>\n{"name": "createTasks", "arguments": {"titel": "Buy milk"}}\n</tool_call>'
    said = told(al.parse(text, profile="assistant"), "assistant")
    assert "You wrote create_task as the format 'hermes'." in said
    assert "There is no action 'createTasks'; the nearest is 'create_task'." in said
    assert "has no field 'titel'" in said
    assert '"content": "Buy milk"' in said.partition(HOW)[2]


def test_no_example_is_made_of_a_name_that_may_be_any():
    """Who follows it would delete what was to be made."""
    text = '<tool_call>\n{"name": "make_tea", "arguments": {"sugar": 2}}\n</tool_call>'
    said = told(al.parse(text, profile="assistant"), "assistant")
    assert "There is no action 'make_tea'; expected one of: create_task," in said
    assert HOW not in said
    assert '{"type": "create_task", "content": "…"}' in said


@pytest.mark.parametrize(
    ("profile", "text", "name", "example"),
    [
        (
            "coder",
            '<rename_file path="old.txt" to="new.txt" />',
            "rename_file",
            "<move_file>\n<path>old.txt</path>\n<target>new.txt</target>\n</move_file>",
        ),
        (
            "coder",
            "<rename_file old.txt new.txt>",
            "rename_file",
            "<move_file>\n<path>old.txt</path>\n<target>new.txt</target>\n</move_file>",
        ),
        ("coder", "<read_file path=a.py>", "", "<read_file>\n<path>a.py</path>\n</read_file>"),
        (
            "coder",
            "I'll list the files.\n\n```sh\nls -l\n```",
            "",
            "<execute_command>\n<command>ls -l</command>\n</execute_command>",
        ),
        ("coder", "<delete_lines path='a.py'/>", "delete_lines", "<create_file>\n<path>…</path>"),
        (
            "reasoner",
            '{"actions": [{"type": "sing", "song": "Hey"}]}',
            "sing",
            '{"action": "think", "context": "…"}',
        ),
        (
            "assistant",
            '{"actions":[{"type":"complete_task","task_id":"t1"}]}',
            "complete_task",
            '{"type": "create_task", "content": "…"}',
        ),
    ],
)
def test_an_unknown_name_without_marks_is_told_with_an_example(profile, text, name, example):
    said = told(al.parse(text, profile=profile), profile)
    assert f"There is no action {name!r}" in said or not name
    assert example in said


@pytest.mark.parametrize(
    ("profile", "text", "odd"),
    [
        (
            "coder",
            "<create_file><path>a.py</path><content>\na &lt; b\n</content></create_file>",
            "holds &lt;",
        ),
        (
            "coder",
            "<create_file><path>a.py</path><content>\n```python\na = 1\n```\n</content></create_file>",
            "stands in a markdown fence",
        ),
    ],
)
def test_what_is_odd_about_a_file_is_told(profile, text, odd):
    """It is written as it stands, for it may be meant so."""
    with al.Runtime(profile, auto=True) as session:
        assert odd in session.handle(text).feedback
        assert odd not in session.handle(text.replace("a.py", "a.md").replace("&lt;", "<")).feedback


def test_a_sentence_before_a_fence_in_a_file_is_told():
    """The file holds both, and the model is shown what it may have meant."""
    text = "<create_file><path>a.py</path><content>\nHere is the code:\n```python\na = 1\n```\n</content></create_file>"
    with al.Runtime("coder", auto=True) as session:
        said = session.handle(text).feedback
        assert "stands in a markdown fence" in said
        assert done(al.parse(follow(said, []), profile="coder")) == [
            ("create_file", {"path": "a.py", "content": "a = 1\n"})
        ]


@pytest.mark.parametrize(
    ("search", "odd"),
    [
        ("\n```python\nb < 2\n```\n", "The markdown fence around it is not part of the file"),
        ("b &lt; 2", "Its signs are escaped"),
    ],
)
def test_an_edit_that_misses_by_its_dress_is_told_so(tmp_path, search, odd):
    (tmp_path / "a.py").write_text("a = 1\nb < 2\n")
    edit = f"<modify_file><path>a.py</path><search>{search}</search><replace>b</replace></modify_file>"
    with al.Runtime("coder", auto=True, workspace=tmp_path) as session:
        said = session.handle(edit).feedback
    assert odd in said
    assert "The nearest lines are: 2| b < 2" in said


def test_no_rejected_value_is_shown_again():
    """A number that is out of range is one also where it was written as a text."""
    text = "<read_file><path>a.py</path><first_line>0</first_line></read_file>"
    said = told(al.parse(text, profile="coder"), "coder")
    assert done(al.parse(follow(said, []), profile="coder")) == [("read_file", {"path": "a.py"})]


def test_lines_behind_a_file_are_told_as_none(tmp_path):
    (tmp_path / "a.py").write_text("a\nb\n")
    with al.Runtime("coder", auto=True, workspace=tmp_path) as session:
        said = session.handle("<read_file><path>a.py</path><first_line>5</first_line></read_file>").feedback
    assert "a.py, 2 lines, none of them from line 5:" in said


def test_a_file_is_told_as_its_text(tmp_path):
    """In a fence that nothing in it closes, as it has to stand in an edit, with its lines; what is cut says where to go on."""
    text = 'say("```")\n' * 3
    (tmp_path / "a.py").write_text(text)
    (tmp_path / "long.txt").write_text("".join(f"line {number}\n" for number in range(1, 20_000)))
    with al.Runtime("coder", auto=True, workspace=tmp_path) as session:
        told = session.handle("<read_file><path>a.py</path></read_file>").feedback
        assert told == f"Action 1 (read_file) succeeded: a.py, 3 lines:\n````\n{text}````"
        ask = "<read_file><path>a.py</path><first_line>2</first_line><last_line>3</last_line></read_file>"
        assert "a.py, lines 2 to 3 of 3:" in session.handle(ask).feedback
        long = session.handle("<read_file><path>long.txt</path></read_file>").feedback
    (shown,) = re.findall(r"of 19,999 \(read on with first_line (\d+)\)", long)
    cut = re.search(r"are shown; read on with first_line (\d+)", long)
    last = int(re.findall(r"\nline (\d+)(?=\n)", long)[-1])
    assert last + 1 == int(cut[1] if cut else shown)
