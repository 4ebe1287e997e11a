"""What a profile's model is told before it starts."""

import json
import re

import pytest

import actionledger as al
from actionledger.core.errors import UnknownNameError, UsageError
from actionledger.core.vocabulary import ActionStatus, Outcome
from actionledger.profiles import PROFILES
from actionledger.profiles.reasoner import Reasoner
from actionledger.reading.dialects import DIALECTS
from actionledger.reading.dialects.parts.writing import PlainCall
from actionledger.reading.dialects.xml_tags import XmlTags
from actionledger.reading.parsers import DialectParser, parser_named
from actionledger.runtime.execution.feedback import corrector
from actionledger.runtime.execution.profile import dialect_of, prompt_of, writer
from actionledger.runtime.models import ScriptedModel

BUILT_IN = [
    PROFILES[name]
    for name in ("assistant", "assistant-iterative", "coder", "mint", "orchestrator", "reasoner")
]
ANY_CALL = [
    dialect
    for dialect in DIALECTS
    if dialect.name not in {"xml_tags", "mint", "search_replace", "apply_patch", "bash_fence", "command_tags"}
]
"""The dialects that can write any action."""


@pytest.mark.parametrize("profile", BUILT_IN, ids=lambda profile: profile.name)
def test_every_example_in_a_prompt_is_read_as_a_valid_action(profile):
    """A model that copies what it is shown is understood without a repair."""
    dialect = dialect_of(profile)
    text = prompt_of(profile)
    shown = 0
    for action in profile.catalogue.describe():
        example = writer(dialect)(action.name, action.example)
        shown += example in text
        result = al.parse(example, profile=profile)
        assert result.outcome is Outcome.CLEAN
        assert [(call.name, call.status.is_runnable) for call in result.actions] == [(action.name, True)]
    groups = {action.group for action in profile.catalogue.describe()}
    assert profile.told or shown >= len(groups)  # at least the first one of each group


@pytest.mark.parametrize("profile", BUILT_IN, ids=lambda profile: profile.name)
def test_a_prompt_names_every_action_and_every_field(profile):
    """Also those fields that all actions share, and in short as well."""
    for action in profile.catalogue.describe():
        assert re.search(rf"^(?:\*\*|- ){action.name}\b", prompt_of(profile), re.MULTILINE)
        assert f"- {action.name}(" in prompt_of(profile, short=True)
        for field in action.fields:
            assert re.search(rf"\b{field.name}\b", prompt_of(profile))


@pytest.mark.parametrize("dialect", ANY_CALL, ids=lambda dialect: dialect.name)
def test_a_profile_can_be_told_in_any_dialect(dialect):
    text = al.prompt("orchestrator", dialect.name)
    assert dialect.rules
    for rule in dialect.rules:
        assert f"- {rule}" in text
    assert (
        dialect.render([PlainCall("create_branch", {"branch_name": "search/accents", "from": "main"})])
        in text
    )


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_every_dialect_has_rules(dialect):
    """Whole sentences on one line each."""
    assert dialect.rules
    assert all(rule.endswith(".") and len(rule.splitlines()) == 1 for rule in dialect.rules)


SEVERAL = [
    dialect
    for dialect in ANY_CALL
    if any("everal" in rule or "All actions" in rule for rule in dialect.rules)
]


@pytest.mark.parametrize("dialect", SEVERAL, ids=lambda dialect: dialect.name)
def test_what_the_rules_say_of_several_actions_is_true(dialect):
    """Two actions of one response are both read."""
    calls = [("create_branch", {"branch_name": "a"}), ("update_plan", {"plan": "b"})]
    text = f"First this.\n\n{al.render(calls, dialect=dialect)}"
    result = al.parse(text, profile="orchestrator", dialects=[dialect.name])
    assert [call.name for call in result.actions] == ["create_branch", "update_plan"]


@pytest.mark.parametrize("name", ["actions", "json_action"])
def test_what_the_rules_say_of_several_blocks_is_true(name):
    """Each is read, and so is the text around them."""
    block = al.render([("create_branch", {"branch_name": "a"})], dialect=name)
    result = al.parse(f"One.\n\n{block}\n\nTwo.\n\n{block}\n", profile="orchestrator", dialects=[name])
    assert len(result.actions) == 2
    assert result.narrative == "One.\n\nTwo."


def test_the_last_step_needs_no_actions():
    result = al.parse('```iteration\n{"is_final": true}\n```', profile="assistant-iterative")
    assert result.outcome is not Outcome.FAILED


def test_what_the_parser_demands_is_told():
    """The limit of blocks where there is one, an action in every response where it is demanded."""
    assert "- At most 5 blocks with actions are read in one response." in al.prompt("assistant")
    assert "At most" not in al.prompt("orchestrator")
    assert "- Every response has to hold an action." in al.prompt("assistant-iterative")
    assert "has to hold" not in al.prompt("assistant")


def test_the_reasoner_is_told_what_each_context_should_hold():
    """The planner's guidance: what the action does, and what context it needs."""
    text = al.prompt("reasoner")
    think = PROFILES["reasoner"].catalogue.model("think")
    assert f"  Context needed: {think.context_description}" in text
    assert text.index("- think:") < text.index("- update_mood:") < text.index("- speak:")


def test_a_dialect_is_taken_as_the_profile_has_it():
    """The profile's own tags, not the format's usual ones; another dialect in its usual form."""
    tags = (("create_branch", (("branch_name", "line"),)),)
    own = DialectParser(name="own", dialects=(XmlTags(tags=tags),))
    profile = al.Profile("own", own, PROFILES["orchestrator"].catalogue, al.Policy(()))
    assert dialect_of(profile) is own.dialects[0]
    assert dialect_of(profile, "xml_tags") is own.dialects[0]
    assert dialect_of(profile, "hermes").name == "hermes"
    with pytest.raises(UnknownNameError, match="There is no dialect 'hermse'"):
        dialect_of(profile, "hermse")


def test_a_baseline_has_no_format_to_tell():
    """Which dialect to tell instead has to be said."""
    baseline = parser_named("go-tags")
    profile = al.Profile("old", baseline, PROFILES["coder"].catalogue, al.Policy(()))
    with pytest.raises(UsageError, match="'old' is read by 'go-tags'"):
        prompt_of(profile)
    assert "<create_file>" in prompt_of(profile, "xml_tags")


def test_a_correction_shows_the_action_in_the_dialect_of_the_call():
    """Copied as it stands, the example is a valid action."""
    text = '<tool_call>\n{"name": "create_branch", "arguments": {"name": "search/accents"}}\n</tool_call>'
    profile = PROFILES["orchestrator"]
    (call,) = al.parse(text, profile=profile, dialects=["hermes"]).actions
    told = corrector(profile)(call, True, text)
    _, example = told.split("A right one, for example:\n")
    (right,) = al.parse(example, profile=profile, dialects=["hermes"]).actions
    assert (right.name, right.status) == ("create_branch", ActionStatus.VALID)


@pytest.mark.parametrize("profile", BUILT_IN, ids=lambda profile: profile.name)
def test_a_profile_as_tools_reads_the_same(profile):
    """An example written as a native call is valid, whether it is checked by the models or by the tools."""
    tools = json.loads(json.dumps(al.tools(profile)))
    for action in profile.catalogue.describe():
        text = al.render([(action.name, action.example)], dialect="hermes")
        for how in ({"profile": profile}, {"tools": tools}):
            (call,) = al.parse(text, dialects=["hermes"], **how).actions
            assert call.status is ActionStatus.VALID


@pytest.mark.parametrize(
    "name", ["assistant", "assistant-iterative", "orchestrator", "coder", "reasoner", "mint"]
)
def test_a_prompt_leaves_room(name):
    """None is above 1,500 tokens, no short form above 500, by four characters a token; each action is named in both."""
    whole, short = al.prompt(name), al.prompt(name, short=True)
    assert len(whole) / 4 <= 1500
    assert len(short) / 4 <= 500
    for action in al.profile(name).catalogue.names:
        assert action in whole
        assert action in short


def test_a_step_without_actions_is_not_forbidden():
    """The last one has none, and is shown."""
    told = al.prompt("assistant-iterative")
    assert "- Every response has to hold an action. Only the last one may hold none." in told
    assert '{"next_actions": [], "is_final": true}' in told


def test_what_code_and_commands_can_do_is_told():
    """The object's methods with what they return, and what a command can't have."""
    assert "gb.create_task(content, notes, status)" in al.prompt("assistant")
    assert "goals (id, content, status)" in al.prompt("assistant")
    assert "no cd, no pipes, no wildcards" in al.prompt("coder")


def test_the_prompt_of_the_reasoner_is_what_its_planner_is_sent(tmp_path):
    model = ScriptedModel(['```json\n{"actions": [], "can_extend": false}\n```'])
    with Reasoner(model, workspace=tmp_path) as robin:
        list(robin.process("Well?"))
    assert model.asked[0].messages[0].content == al.prompt("reasoner")
