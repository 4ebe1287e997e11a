"""Cases as files, and texts shrunk to what still fails in the same way."""

import pytest
from effort import examples
from hypothesis import given, settings, strategies as st

import actionledger as al
from actionledger.core.errors import SourceError, UsageError
from actionledger.core.vocabulary import Capture
from actionledger.demo import sample_sessions, take_samples
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.readings import readings
from actionledger.replay.cases import case_files, case_of, with_accepted
from actionledger.replay.readers import Reader
from actionledger.replay.shrink import like

ANYTHING = st.text(
    st.one_of(
        st.characters(), st.characters(categories=["Cs"]), st.sampled_from("\r\n\t\0'\"\\`{}<>\u202e\x7f")
    )
)
SECRET = "sk-ant-api03-" + "Ab3dEf6hIj" * 9


@settings(max_examples=examples(300))
@given(ANYTHING)
def test_a_text_is_kept_exactly(text):
    """CR, NUL, halves of surrogate pairs, quotes of every kind, and what turns its neighbours round."""
    case = al.Case.of(text, parser="mint", profile="mint", why=text)
    again = al.Case.loads(case.dumps())
    assert again.text == case.text == text
    assert again.differences() == ""
    case.dumps().encode()


@settings(max_examples=examples(100))
@given(
    st.dictionaries(
        ANYTHING,
        st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | ANYTHING, st.lists),
        max_size=4,
    )
)
def test_arguments_are_kept_that_toml_can_not_say(arguments):
    """Null, large numbers, floats, names of any kind."""
    text = f"<tool_call>{json_call(arguments)}</tool_call>"
    case = al.Case.of(text, dialects=["hermes"])
    assert al.Case.loads(case.dumps()).differences() == ""


def json_call(arguments):
    import json

    return json.dumps({"name": "f", "arguments": arguments})


def test_secrets_are_masked():
    """In the text, and so in what is expected of it."""
    case = al.Case.of(f"<execute>key = '{SECRET}'</execute>", parser="mint", profile="mint")
    assert SECRET not in case.dumps()
    assert "*****" in case.dumps()


def test_what_is_accepted_leaves_the_rest_of_the_file_as_it_is():
    """Comments, order, and a text that itself has a table of that name."""
    content = "# why: see below\nwhy = 'x'   # so\nparser = 'mint'\ntext = '''\n[expect]\nWell.'''\n\n[expect]\noutcome = 'clean'\nactions = []\n"
    accepted = with_accepted(content)
    assert accepted.startswith(content[: content.rindex("[expect]")])
    assert al.Case.loads(accepted).differences() == ""
    assert al.Case.loads(content).differences().splitlines()[3:] == [
        "-outcome clean",
        "+outcome failed",
        "+issue no_action_found",
    ]


BROKEN = {
    "text = 'a'": "expect: Field required",
    "text = ": "not TOML",
    "text = 'a'\nnote = 1\n[expect]\noutcome = 'clean'\nactions = []": "note: Extra",
    "[expect]\noutcome = 'clean'\nactions = []": "one of a text, a json_text and a message",
    "text = 'a'\nmessage = '{}'\n[expect]\noutcome = 'clean'\nactions = []": "one of a text",
    "message = '{}'\nparser = 'mint'\n[expect]\noutcome = 'clean'\nactions = []": "read by its interface",
    "json_text = '{'\n[expect]\noutcome = 'clean'\nactions = []": "not JSON text",
    "json_text = '1'\n[expect]\noutcome = 'clean'\nactions = []": "not JSON text",
    "text = 1\n[expect]\noutcome = 'clean'\nactions = []": "text",
    "text = 'a'\n[expect]\noutcome = 'clean'": "expect.actions",
    "text = 'a'\n[expect]\noutcome = 'clean'\nactions = [1]": "expect.actions",
    "text = 'a'\n[expect]\noutcome = 'clean'\nactions = [{ name = 'x' }]": "expect.actions.0.arguments",
    "text = 'a'\n[expect]\noutcome = 'clean'\nactions = []\nblocks = [{ kind = 1 }]": "expect.blocks.0",
    "text = 'a'\n[expect]\noutcome = 'clean'\nactions = 3": "expect.actions",
    "text = 'a'\ntools = '{'\n[expect]\noutcome = 'clean'\nactions = []": "tools",
}


@pytest.mark.parametrize(("content", "why"), BROKEN.items())
def test_what_is_no_case_is_refused_with_the_reason(content, why):
    """Each in a sentence that names the key."""
    with pytest.raises(SourceError) as refused:
        al.Case.loads(content, "The case 'a.toml'")
    assert why in str(refused.value)


def test_files_that_are_not_there_are_refused(tmp_path):
    """And a folder without one; other folders give theirs in order."""
    with pytest.raises(SourceError, match="There is no case"):
        list(case_files([tmp_path / "a.case.toml"]))
    with pytest.raises(SourceError, match="has no case"):
        list(case_files([tmp_path]))
    for name in ("b.case.toml", "a.case.toml", "pyproject.toml"):
        (tmp_path / name).write_text("")
    assert [path.name for path in case_files([tmp_path])] == ["a.case.toml", "b.case.toml"]
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    with pytest.raises(SourceError, match="can't be read"):
        al.load_case(tmp_path / "bytes.toml")


def test_a_recorded_response_is_read_as_it_was(tmp_path):
    """By its parser's name, its dialects or its profile; tools that were offered come with it."""
    tool = {
        "type": "function",
        "function": {
            "name": "add",
            "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}},
        },
    }
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        ledger.record_turn(
            session="s1", text='<tool_call>{"name": "add", "arguments": {"a": "x"}}</tool_call>', tools=[tool]
        )
        with al.Runtime("coder", ledger=ledger, workspace=tmp_path / "w") as runtime:
            runtime.handle("<read_file><path>a</path></read_file>")
        call = al.RecordedCall("c", "f", "{}")
        turn = al.RecordedTurn(0, "x", capture=Capture.ARGUMENTS, calls=(call,))
        al.import_sessions(ledger, [al.RecordedSession("s2", None, "m", "", (turn,))])
        found = {reading.external_id or reading.profile: reading for reading in readings(ledger, Filter())}
    offered, ours = case_of(found["s1"]), case_of(found["coder"])
    assert offered.reader.tools == [tool]
    assert offered.expect["actions"][0]["errors"] == ["a wrong_type"]
    assert (ours.reader.profile, ours.expect["outcome"], ours.differences()) == ("coder", "clean", "")
    with pytest.raises(UsageError, match="beside the text"):
        case_of(found["s2"])


@pytest.mark.parametrize("arguments", ["'{nojson'", f"{{ a = {'[' * 3000}{']' * 3000} }}"])
def test_arguments_that_are_no_value_are_said_and_no_fault_of_ours(arguments: str) -> None:
    content = f'text = "a"\nprofile = "mint"\n[expect]\noutcome = "clean"\nactions = [{{ name = "a", arguments = {arguments} }}]'
    with pytest.raises(SourceError, match="is no"):
        al.Case.loads(content)


FAILING = {
    "assistant": 'Sure.\n```actions\n{"actions": [{"type": "create_task", "content": "a", "content": "b"}]}\n```\nDone \U0001f389.',
    "coder": "I begin.\n<create_file>\n<path>a.py</path>\n<content>\nprint(1)\n</create_file>\nThat is all.",
    "mint": "Let me think about it.\nAs I said before.",
    "orchestrator": 'Now:\n```json\n{"action": "create_issues", "issues": [{"title": "A", "labels": "x"}]}\n```\nok',
}


@pytest.mark.parametrize(("profile", "text"), FAILING.items())
def test_what_is_left_fails_in_the_same_way(profile, text):
    """The same outcome, issues and refused fields, without a repair more; and a second time nothing goes."""
    shrunk = al.shrink(text, profile=profile)
    before, after = al.parse(text, profile=profile), al.parse(shrunk.text, profile=profile)
    assert after.outcome is before.outcome
    assert {issue.code for issue in after.issues} == {issue.code for issue in before.issues}
    errors = [{error.code for call in each.actions for error in call.errors} for each in (before, after)]
    assert errors[0] == errors[1]
    assert {repair.kind for repair in after.repairs} <= {repair.kind for repair in before.repairs}
    assert shrunk.is_smallest
    assert len(shrunk.text) < len(text)
    assert al.shrink(shrunk.text, profile=profile).text == shrunk.text
    assert al.shrink(text, profile=profile) == shrunk


def test_no_character_of_it_can_be_left_out():
    """Counted by trying each."""
    text = FAILING["assistant"]
    shrunk, is_alike = al.shrink(text, profile="assistant").text, like(text, Reader(profile="assistant"))
    assert [at for at in range(len(shrunk)) if is_alike(shrunk[:at] + shrunk[at + 1 :])] == []


@settings(max_examples=examples(100))
@given(st.text(max_size=60), st.sets(st.characters(), min_size=1, max_size=4))
def test_of_any_predicate_what_is_left_holds(text, needed):
    """All needed characters are kept, and they alone."""
    whole = text + "".join(sorted(needed))
    shrunk = al.shrink(whole, lambda each: needed <= set(each))
    assert sorted(shrunk.text) == sorted(needed)


def test_the_tries_are_bounded():
    """It gives what it has by then, and says that it is not the smallest."""
    tried = []
    shrunk = al.shrink("ab" * 500, lambda text: tried.append(text) is None and text.count("a") > 400, tries=7)
    assert (shrunk.tries, len(tried), shrunk.is_smallest) == (7, 8, False)
    assert shrunk.text.count("a") > 400


def test_what_does_not_fail_is_not_shrunk():
    with pytest.raises(UsageError, match="Nothing fails"):
        al.shrink("<execute>1</execute>", profile="mint")
    with pytest.raises(UsageError, match="doesn't fail"):
        al.shrink("a", lambda text: False)
    with pytest.raises(UsageError, match="either"):
        al.shrink("a", lambda text: True, profile="mint")
    with pytest.raises(UsageError, match="how to read"):
        al.shrink("a")


@pytest.mark.soak
def test_each_group_of_the_sample_sessions_shrinks(tmp_path):
    """The ten costliest groups of reading and checking: each a text of its group, of half its length or less in sum."""
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        take_samples(ledger, sample_sessions())
        groups = [group for group in al.failures(ledger).groups if group.key.stage != "acting"][:10]
        shrunk = [al.shrink_group(ledger, group) for group in groups]
        acting = next(group for group in al.failures(ledger).groups if group.key.stage == "acting")
        with pytest.raises(UsageError, match="only failures of parsing and checking"):
            al.shrink_group(ledger, acting)
    assert len(shrunk) == 10
    assert all(len(each.text) <= len(each.original) for each in shrunk)
    assert 2 * sum(len(each.text) for each in shrunk) < sum(len(each.original) for each in shrunk)
    assert all(each.is_smallest and each.text for each in shrunk)


def test_it_shows_every_character_as_text():
    """In a notebook no markup, in a terminal no sequence."""
    shrunk = al.shrink("<script>\x1b[31m\u202e", lambda text: {"<", "\x1b", "\u202e", "s"} <= set(text))
    assert "<script" not in shrunk._repr_html_()
    assert "\x1b" not in repr(shrunk)
    assert "⟨U+202E⟩" in repr(shrunk)
