"""Named configurations: the same settings have the same hash, in every process, and any other setting another one."""

import json
import os
import subprocess
import sys

import pytest
from pydantic import TypeAdapter, ValidationError

from actionledger.core.errors import UnknownNameError, UsageError
from actionledger.core.vocabulary import RepairKind
from actionledger.reading import parsers
from actionledger.reading.dialects import DIALECTS, dialect_named
from actionledger.reading.dialects.xml_tags import XmlTags
from actionledger.reading.parsers import (
    PARSERS,
    READING_RULES,
    AnyParser,
    BaselineParser,
    DialectParser,
    parser_for,
    parser_named,
)
from actionledger.reading.tolerant_json.faults import DecodeOptions

BASE = DialectParser(name="p", dialects=(dialect_named("actions"),))
ALL_NAMES = pytest.mark.parametrize("name", sorted(PARSERS))


@ALL_NAMES
def test_a_named_parser_goes_by_its_name(name):
    """The table's key and the parser's own name are one."""
    assert parser_named(name) is PARSERS[name]
    assert parser_named(name).name == name


def test_the_names_that_others_rely_on_exist():
    """One for each profile, and the documents' own parsers."""
    promised = {"assistant", "assistant-iterative", "orchestrator", "coder", "reasoner", "mint"}
    baselines = {
        "gembrain-standard",
        "gembrain-iterative",
        "echelon-progressive",
        "go-tags",
        "mint-harness",
    }
    assert promised | baselines <= set(PARSERS)
    assert all(isinstance(PARSERS[name], BaselineParser) for name in baselines)


def test_hashes_differ_from_parser_to_parser():
    """No two named parsers are told apart by name only."""
    assert len({parser.id for parser in PARSERS.values()}) == len(PARSERS)


def test_hashes_are_the_same_in_every_process():
    """A record made today is compared with one made tomorrow: nothing in a hash depends on the process."""
    code = "from actionledger.reading.parsers import PARSERS; print([p.id for p in PARSERS.values()])"
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert seen == {str([parser.id for parser in PARSERS.values()])}


@ALL_NAMES
def test_a_configuration_comes_back_from_its_json(name):
    """The text that a record holds is enough to read the same way again."""
    parser = PARSERS[name]
    again = TypeAdapter(AnyParser).validate_json(parser.configuration)
    assert (type(again), again.id) == (type(parser), parser.id)
    assert again.configuration == parser.configuration


def test_equal_settings_have_equal_hashes():
    """However they were written down: repairs are a set."""
    kinds = [RepairKind.COMMENT, RepairKind.TRAILING_COMMA, RepairKind.UNCLOSED_FENCE]
    one = BASE.model_copy(update={"decoding": DecodeOptions(repairs=frozenset(kinds))})
    other = BASE.model_copy(update={"decoding": DecodeOptions(repairs=frozenset(reversed(kinds)))})
    assert one.id == other.id


@pytest.mark.parametrize(
    "change",
    [
        {"name": "q"},
        {"version": "2"},
        {"requires_action": True},
        {"max_blocks": 5},
        {"reasoning": False},
        {"dialects": (dialect_named("iteration"),)},
        {"dialects": (dialect_named("actions"), dialect_named("iteration"))},
        {"decoding": {"repairs": []}},
        {"decoding": {"repairs": ["comment"]}},
        {"decoding": {"max_depth": 100}},
    ],
    ids=str,
)
def test_any_other_setting_has_another_hash(change):
    """A comparison never mixes two configurations."""
    settings = {"name": "p", "dialects": BASE.dialects}
    assert DialectParser(**settings).id == BASE.id
    assert DialectParser(**(settings | change)).id != BASE.id


def test_a_dialects_own_settings_are_part_of_the_hash():
    """Another set of tags is another parser."""
    own = XmlTags(tags=(("delete_file", (("path", "line"),)),))
    parser = DialectParser(name="p", dialects=(own,))
    assert parser.id != DialectParser(name="p", dialects=(XmlTags(),)).id
    assert [action.name for action in parser.read("<delete_file><path>a</path></delete_file>").actions] == [
        "delete_file"
    ]


def test_the_order_of_dialects_is_a_setting():
    """Of two that want the same block the first wins, so the order matters."""
    one, other = parser_for(("json_action", "plan")), parser_for(("plan", "json_action"))
    assert (one.name, other.name) == ("json_action+plan", "plan+json_action")
    assert one.id != other.id


@ALL_NAMES
def test_other_rules_of_reading_have_another_hash(name, monkeypatch):
    """A ledger tells apart what was read before the rules changed and after, and the record says by which."""
    parser = PARSERS[name]
    assert json.loads(parser.configuration)["reading_rules"] == READING_RULES
    monkeypatch.setattr(parsers, "READING_RULES", READING_RULES + 1)
    assert parser.model_copy(update={"reading_rules": READING_RULES + 1}).id != parser.id


def test_a_configuration_of_other_rules_is_refused():
    """This code can't read as it did under them, and would say that it did."""
    with pytest.raises(UsageError, match="reads by the rules"):
        BASE.model_copy(update={"reading_rules": READING_RULES - 1})


@ALL_NAMES
def test_a_reading_carries_its_parsers_hash(name):
    """What was read can be traced to the settings that read it."""
    assert PARSERS[name].read("text").parser_id == PARSERS[name].id


def test_a_configuration_is_frozen_and_closed():
    """A hash that is known can't be made wrong afterwards, and a misspelt setting isn't ignored."""
    with pytest.raises(ValidationError):
        BASE.max_blocks = 3
    with pytest.raises(UsageError, match="The setting 'max_block' of DialectParser: Extra inputs"):
        DialectParser(name="p", dialects=(), max_block=3)
    with pytest.raises(
        UsageError, match=r"'max_blocks' of DialectParser: .* greater than or equal to 1, not 0"
    ):
        DialectParser(name="p", dialects=(), max_blocks=0)
    with pytest.raises(UsageError, match=r"'rules' of BaselineParser: .*, not 'somebody-elses'"):
        BaselineParser(name="p", rules="somebody-elses")
    with pytest.raises(UsageError, match="'rules' of BaselineParser: it is missing"):
        BaselineParser(name="p")


def test_an_unknown_name_says_what_there_is():
    """The error names the kind, the word, the nearest one and all of them."""
    with pytest.raises(UnknownNameError) as caught:
        parser_named("asistant")
    assert "There is no parser 'asistant'. Did you mean 'assistant'?" in str(caught.value)
    assert all(name in str(caught.value) for name in PARSERS)
    with pytest.raises(UnknownNameError, match="There is no dialect 'xml'"):
        parser_for(("actions", "xml"))


def test_dialects_are_known_by_their_names():
    """Each name leads to its dialect in the default form."""
    assert len({dialect.name for dialect in DIALECTS}) == len(DIALECTS)
    assert all(dialect_named(dialect.name) is dialect for dialect in DIALECTS)
