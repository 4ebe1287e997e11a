"""Profiles of one's own: functions as actions, run, told and checked like those that come with the toolkit."""

import json
from typing import Annotated, Any

import pytest
from pydantic import Field

import actionledger as al
from actionledger.core.errors import RenderError, UnknownNameError, UsageError
from actionledger.core.vocabulary import ActionStatus, ExecutionStatus, Reason
from actionledger.profiles.coder import CODER
from actionledger.reading.parsers import parser_named

TO_ADA = {"to": "ada@example.org", "text": "Done."}


@pytest.fixture
def sent() -> list[dict[str, Any]]:
    """What the mails' function was called with."""
    return []


@pytest.fixture
def actions(sent) -> al.ActionSet:
    """Sending a mail, which a person in the cellar doesn't get, and counting the mails."""
    actions = al.ActionSet("mail")

    @actions.action(example=TO_ADA, group="Mail")
    def send_mail(to: str, text: Annotated[str, Field(min_length=1)], copies: int = 1) -> dict[str, int]:
        """Send a mail to one person."""
        if to == "cellar":
            raise al.ActionError(Reason.NOT_FOUND, "Nobody is in the cellar.")
        sent.append({"to": to, "text": text, "copies": copies})
        return {"number": len(sent)}

    @actions.action(example={}, name="count_mails")
    def count(context: al.Context) -> str:
        """Count the mails of this session."""
        return f"{len(sent)} in {context.session_id}"

    return actions


@pytest.fixture
def profile(actions) -> al.Profile:
    """The mails, written in the Hermes dialect."""
    return al.custom_profile("mail", dialects=["hermes"], actions=actions)


def hermes(*calls) -> str:
    return al.render(calls, dialect="hermes")


def test_a_function_runs_with_what_the_model_wrote(profile, sent):
    """Its result is the action's; what isn't given has the function's default."""
    with al.Runtime(profile) as runtime:
        turn = runtime.handle(hermes(("send_mail", TO_ADA), ("count_mails", {})))
        said = runtime.session_id
    assert sent == [TO_ADA | {"copies": 1}]
    assert [each.result for each in turn.observations] == [{"number": 1}, f"1 in {said}"]


def test_a_function_that_refuses_is_heard(profile):
    """What it raises for the model gets to the model, with its reason."""
    with al.Runtime(profile) as runtime:
        turn = runtime.handle(hermes(("send_mail", {"to": "cellar", "text": "x"})))
    (observation,) = turn.observations
    assert (observation.status, observation.reason) == (ExecutionStatus.FAILED, Reason.NOT_FOUND)
    assert "Nobody is in the cellar." in turn.feedback


def test_a_response_is_checked_against_the_functions(profile):
    """A wrong argument is found before the function is called."""
    result = al.parse(hermes(("send_mail", {"to": 5}), ("send_post", {})), profile=profile)
    wrong, unknown = result.actions
    assert [error.path for error in wrong.errors] == ["to", "text"]
    assert unknown.status is ActionStatus.UNKNOWN
    assert result.catalogue == "mail"


def test_the_model_is_told_of_the_functions(profile):
    """With types, defaults and an example in the profile's dialect."""
    text = al.prompt(profile)
    assert "### Mail\n\n**send_mail**: Send a mail to one person.\n- to (string; required)\n" in text
    assert "- copies (integer; default 1)" in text
    assert hermes(("send_mail", TO_ADA)) in text
    assert "context" not in text
    assert [tool["function"]["name"] for tool in al.tools(profile)] == ["send_mail", "count_mails"]


@pytest.mark.parametrize(
    "dialect", ["actions", "json", "pythonic", "qwen3_coder", "xml_tags", "react", "harmony"]
)
def test_functions_can_be_called_in_any_dialect(actions, dialect, sent):
    """What the profile's prompt shows as an example is what the profile reads and runs, typed as the function says."""
    actions.remove("count_mails")  # in tags, an action without fields can't be written
    profile = al.custom_profile("mail", dialects=[dialect], actions=actions)
    written = profile.parser.dialects[0]
    text = al.render([("send_mail", TO_ADA | {"copies": 2})], dialect=written)
    assert al.render([("send_mail", TO_ADA)], dialect=written) in al.prompt(profile)
    with al.Runtime(profile) as runtime:
        runtime.handle(text)
    assert sent == [TO_ADA | {"copies": 2}]


def test_a_cell_that_is_run_again_replaces_its_function(actions):
    """A notebook's cell defines the function at the same place, so it is the same action, in the same position."""

    def cell(result):
        @actions.action(example={"to": "x"})
        def call_up(to: str) -> str:
            """Call somebody up."""
            return result

        return call_up

    cell("first")
    cell("second")
    assert actions.names == ("send_mail", "count_mails", "call_up")
    profile = al.custom_profile("mail", dialects=["hermes"], actions=actions)
    cell("third")
    with al.Runtime(profile) as runtime:
        turn = runtime.handle(hermes(("call_up", {"to": "ada"})))
    assert turn.observations[0].result == "second", "a profile keeps what it was made of"


def test_a_cell_with_a_fault_leaves_the_function_as_it_was(actions):
    """The old one goes on until the new one is right."""

    def cell(example):
        @actions.action(example=example)
        def call_up(to: str) -> None:
            """Call somebody up."""

    cell({"to": "ada"})
    before = actions.catalogue
    with pytest.raises(UsageError, match="doesn't validate"):
        cell({"to": 5})
    assert actions.catalogue == before


def test_another_function_by_the_same_name_is_a_clash(actions):
    """It doesn't silently take the other's place; the other can be taken out."""

    def post(to: str) -> None:
        """Send a letter."""

    add = actions.action(example={"to": "x"}, name="send_mail")
    with pytest.raises(
        UsageError, match=r"'send_mail' of the set 'mail' is made of the function .*remove\('send_mail'\)"
    ):
        add(post)
    actions.remove("send_mail")
    assert add(post) is post
    actions.remove("unheard")
    assert actions.names == ("count_mails", "send_mail")


def test_an_example_that_is_wrong_is_refused(actions):
    with pytest.raises(UsageError, match=r"The example of 'note' \(note\) doesn't validate: text: "):

        @actions.action(example={"text": 5})
        def note(text: str) -> None:
            """Write a note."""


def test_a_function_without_a_docstring_is_refused(actions):
    """The model would not know what it does."""
    with pytest.raises(UsageError, match=r"note' has no docstring"):

        @actions.action(example={"text": "x"})
        def note(text: str) -> None:
            pass


def test_a_set_without_functions_makes_no_profile():
    """There would be nothing to do."""
    with pytest.raises(UsageError, match="'empty' has no action"):
        al.custom_profile("mine", dialects=["hermes"], actions=al.ActionSet("empty"))


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"name": "coder"}, UsageError, "A profile 'coder' comes with the toolkit"),
        ({"dialects": []}, UsageError, "give either dialects or a parser"),
        ({"parser": parser_named("coder")}, UsageError, "give either dialects or a parser"),
        ({"dialects": ["hermse"]}, UnknownNameError, "Did you mean 'hermes'"),
        ({"dialects": ["mint"]}, RenderError, "'mint' can't write 'send_mail'"),
    ],
)
def test_a_profile_that_cannot_work_is_refused(actions, given, error, said):
    """When it is made, not in the middle of a session."""
    with pytest.raises(error, match=said):
        al.custom_profile(**{"name": "mail", "dialects": ["hermes"], "actions": actions} | given)


def test_an_argument_that_a_dialect_needs_for_itself_is_refused(actions):
    """In the dialect ``json_action``, the key ``action`` names the action."""

    @actions.action(example={"action": "x"})
    def judge(action: str) -> None:
        """Judge an action."""

    assert al.custom_profile("mail", dialects=["hermes"], actions=actions)
    with pytest.raises(UsageError, match="The field 'action' of the action 'judge'"):
        al.custom_profile("mail", dialects=["json_action"], actions=actions)


def test_a_policy_can_be_given(actions, sent):
    """By default whoever hands in a function wants it run."""
    policy = al.Policy((("send_*", al.Verdict.REJECT), ("*", al.Verdict.APPROVE)))
    profile = al.custom_profile("mail", dialects=["hermes"], actions=actions, policy=policy)
    with al.Runtime(profile) as runtime:
        turn = runtime.handle(hermes(("send_mail", TO_ADA), ("count_mails", {})))
    assert [each.status for each in turn.observations] == [ExecutionStatus.DENIED, ExecutionStatus.SUCCEEDED]
    assert sent == []


def test_a_catalogue_and_handlers_make_a_profile(tmp_path):
    """Models by hand work like functions; so another dialect can be given to a known catalogue."""
    profile = al.custom_profile(
        "coder-hermes", dialects=["hermes"], actions=CODER.catalogue, handlers=CODER.handlers
    )
    with al.Runtime(profile, workspace=tmp_path / "work") as runtime:
        runtime.handle(hermes(("create_file", {"path": "a.txt", "content": "x"})))
        assert (runtime.workspace / "a.txt").read_text() == "x"


def test_a_parser_can_be_given(actions):
    """A baseline parser reads, and nothing can be told in its format."""
    profile = al.custom_profile("mail", parser=parser_named("gembrain-standard"), actions=actions)
    body = json.dumps({"actions": [{"type": "send_mail", **TO_ADA}]})
    assert al.parse(f"```actions\n{body}\n```", profile=profile).actions[0].status is ActionStatus.VALID
    with pytest.raises(UsageError, match="is read by 'gembrain-standard', which has no dialect"):
        al.prompt(profile)
    assert "```actions" in al.prompt(profile, "actions")
