"""Families that write another one's format, and the thoughts that families mark in a way of their own."""

import pytest

import actionledger as al
from actionledger.core.errors import UnknownNameError
from actionledger.core.vocabulary import Outcome, Reason
from actionledger.reading.dialects import DIALECTS, FAMILIES, dialect_named, dialects_named
from actionledger.reading.parsers import parser_for, parser_named

THINKING = {
    dialect.name: pairs for dialect in DIALECTS if (pairs := getattr(dialect, "thought_markers", None))
}
CALL = '<tool_call>\n{"name": "get_time", "arguments": {}}\n</tool_call>'


def test_a_family_is_given_the_dialect_that_it_writes():
    """Each names one that exists, under a name that none has."""
    names = {dialect.name for dialect in DIALECTS}
    assert not names & FAMILIES.keys()
    assert list(FAMILIES) == sorted(FAMILIES)
    for name, family in FAMILIES.items():
        assert tuple(dialect.name for dialect in dialects_named(name)) == family.dialects
        assert dialect_named(name).name == family.dialects[0]


def test_a_response_is_read_by_its_family():
    """What is read has the dialect's own name."""
    result = al.parse("<tool_call>get_time</tool_call>", dialects=["poolside"])
    assert [(action.name, action.dialect) for action in result.actions] == [("get_time", "glm")]


@pytest.mark.parametrize("text", [CALL, "<tool_call>\n<function=get_time>\n</function>\n</tool_call>"])
def test_a_family_may_write_several_formats(text):
    """Each is read under the family's name, once."""
    for dialects in (["mimo"], ["mimo", "hermes"]):
        assert [action.name for action in al.parse(text, dialects=dialects).actions] == ["get_time"]
    assert [dialect.name for dialect in parser_for(("mimo", "hermes")).dialects] == ["qwen3_coder", "hermes"]


def test_a_profile_may_be_of_a_family():
    """What it is to write is told of the first format."""
    actions = al.ActionSet("clock")

    @actions.action(example={})
    def get_time() -> str:
        "Say the time."
        return "noon"

    profile = al.custom_profile("clock", actions=actions, dialects=["mimo"])
    assert [action.name for action in al.parse(CALL, profile=profile).actions] == ["get_time"]


def test_a_name_that_nobody_has_is_told_families_too():
    """Who misspells a family is told which one was meant."""
    with pytest.raises(UnknownNameError, match="Did you mean 'jamba'"):
        dialect_named("jambo")


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_auto_reads_every_example_as_its_dialect_does(dialect):
    """However many formats there are, each is told from all others."""
    names = frozenset({"get_weather", "get_time", "bash"})
    alone = parser_for((dialect.name,)).read(dialect.example, names)
    of_all = parser_named("auto").read(dialect.example, names)
    told = [(action.name, action.arguments, action.dialect, action.span) for action in of_all.actions]
    assert told == [(action.name, action.arguments, action.dialect, action.span) for action in alone.actions]
    assert of_all.outcome is Outcome.CLEAN


@pytest.mark.parametrize(
    ("name", "opener", "closer"),
    [(name, opener, closer) for name, pairs in THINKING.items() for opener, closer in pairs.items()],
)
def test_a_call_in_a_familys_thoughts_is_not_meant(name, opener, closer):
    """Whoever's format it is in; closed, never closed, and only mentioned."""
    parser = parser_named("auto")
    header = "to=self" if name == "muse_glimmer" else ""
    closed = parser.read(f"{header}{opener}I could: {CALL}{closer}No.")
    assert (closed.actions, [block.reason for block in closed.blocks]) == ((), [Reason.REASONING])
    assert [(issue.code, issue.span.of(closed.text)) for issue in closed.issues] == [(Reason.REASONING, CALL)]
    never = parser.read(f"{header}{opener}I could: {CALL}")
    assert [action.doubt for action in never.actions] == [Reason.REASONING]
    assert [issue.code for issue in never.issues] == [Reason.UNCLOSED_TAG, Reason.REASONING]
    mentioned = parser.read(f"Thoughts stand behind `{opener}`.\n{CALL}")
    assert [action.name for action in mentioned.actions] == ["get_time"]
