"""The profiles as wholes: what a profile's parser finds its catalogue knows, and its handlers run."""

import json

import pytest

import actionledger as al
from actionledger.core.errors import UnknownNameError
from actionledger.core.vocabulary import ActionStatus, Outcome
from actionledger.profiles import PROFILES, profile_named
from actionledger.reading.parsers import PARSERS, DialectParser
from actionledger.runtime.execution.approval import Verdict
from actionledger.runtime.workspace import Workspace

UNHANDLED = {"mint": {"execute", "solution"}, "orchestrator": {"create_branch"}}
"""The actions that nothing can run: MINT's code and answers, and branches outside a repository."""

WRITTEN = {
    "actions": lambda name, fields: json.dumps({"actions": [{"type": name} | fields]}),
    "iteration": lambda name, fields: json.dumps(
        {"next_actions": [{"type": name} | fields], "is_final": False}
    ),
    "json_action": lambda name, fields: json.dumps({"action": name} | fields),
    "plan": lambda name, fields: json.dumps({"actions": [{"action": name} | fields]}),
}
"""A JSON dialect's body of one action."""

FENCES = {"actions": "actions", "iteration": "iteration", "json_action": "json", "plan": "json"}


def written(dialect: str, name: str, fields: dict[str, object]) -> str:
    """Return a response that holds one action in a dialect."""
    if dialect in FENCES:
        return f"```{FENCES[dialect]}\n{WRITTEN[dialect](name, fields)}\n```"
    if dialect == "mint":
        (body,) = fields.values()
        return f"<{name}>\n{body}\n</{name}>"
    tags = "\n".join(f"<{field}>{value}</{field}>" for field, value in fields.items())
    return f"<{name}>\n{tags}\n</{name}>"


PAIRS = [
    (profile, dialect)
    for profile in PROFILES.values()
    if isinstance(profile.parser, DialectParser)
    for dialect in profile.parser.dialects
]


@pytest.mark.parametrize(("profile", "dialect"), PAIRS, ids=lambda value: value.name)
def test_the_example_of_a_dialect_reads_as_valid_actions(profile, dialect):
    """What a model is shown as the format is read without a repair and known to the catalogue."""
    result = al.parse(dialect.example, profile=profile)
    assert result.outcome is Outcome.CLEAN
    assert result.actions
    assert {call.status for call in result.actions} == {ActionStatus.VALID}
    assert {call.dialect for call in result.actions} == {dialect.name}


@pytest.mark.parametrize(("profile", "dialect"), PAIRS, ids=lambda value: value.name)
def test_every_action_can_be_written_in_every_dialect(profile, dialect):
    """The example of each action, written in the profile's own form, is read as just that action and valid."""
    for action in profile.catalogue.describe():
        result = al.parse(written(dialect.name, action.name, action.example), profile=profile)
        assert [call.name for call in result.actions] == [action.name]
        (call,) = result.actions
        assert call.status is ActionStatus.VALID, (action.name, call.errors)
        assert isinstance(call.action, profile.catalogue.model(action.name))


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_handlers_have_the_names_of_actions(profile, tmp_path):
    """There is no handler that no action could reach; which actions have none is known."""
    handlers = profile.handlers(Workspace(tmp_path))
    assert set(handlers) == set(profile.catalogue.names) - UNHANDLED.get(profile.name, set())


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_every_row_of_the_policy_is_about_an_action(profile):
    """A row that fits no action is a slip of the pen."""
    for name in profile.catalogue.names:
        call = al.ActionCall(name, {}, ActionStatus.VALID, al.Span(0, 1), "actions", 0)
        assert profile.policy.review(call) in Verdict
    patterns = [rule.action for rule in profile.policy.rules if "*" not in rule.action]
    assert set(patterns) <= set(profile.catalogue.names)


def test_nothing_of_a_recording_of_others_runs():
    """The profile that reads MINT's recordings lets nothing run, in an automatic session neither."""
    call = al.ActionCall("execute", {}, ActionStatus.VALID, al.Span(0, 1), "mint", 0)
    for policy in (PROFILES["mint"].policy, PROFILES["mint"].policy.automatic()):
        assert policy.review(call) is Verdict.REJECT


def test_a_profile_is_found_by_its_name():
    """Its parser is one of the named ones; another name is refused with the names that there are."""
    for name, profile in PROFILES.items():
        assert profile_named(name) is profile
        assert profile.name == name
        assert profile.parser is PARSERS[name]
    with pytest.raises(UnknownNameError, match=r"Did you mean 'coder'\?.*assistant, assistant-iterative"):
        profile_named("codr")
