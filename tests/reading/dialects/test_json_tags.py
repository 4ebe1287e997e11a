"""JSON between markers: whose block it is, where its parts stand, and what an option forbids."""

import sys

import pytest
from effort import soaked

from actionledger.core.vocabulary import BlockStatus, Outcome, Reason, RepairKind
from actionledger.reading.dialects import DIALECTS, dialect_named
from actionledger.reading.parsers import DialectParser, parser_for
from actionledger.reading.scan.openings import Opening, OpeningKind
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions

CALL = '{"name": "get_time", "arguments": {}}'
ALL = DecodeOptions(repairs=frozenset(RepairKind))
EVERY_DIALECT = parser_for(tuple(dialect.name for dialect in DIALECTS))


LATER_GENERATIONS = {"qwen3_coder": {"step3", "nemotron"}, "glm": {"hunyuan"}, "hermes": {"granite"}}
"""The families that write as another one does in one of their generations."""


def lenient(name):
    return DialectParser(name="p", dialects=(dialect_named(name),), decoding=ALL)


def takers(text):
    """Return the dialects that read the block that the text's first marker opens."""
    found = set()
    for dialect in DIALECTS:
        for literal in dialect.literals:
            opening = Opening(OpeningKind.LITERAL, literal, 0, len(literal))
            if text.startswith(literal) and dialect.read(Source(text), opening, len(text), ALL):
                found.add(dialect.name)
    return found


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"<tool_call>\n{CALL}\n</tool_call>", "hermes"),
        (f"<tool_call>{CALL}", "hermes"),
        (f"<tool_call>[{CALL}]</tool_call>", "hermes"),
        (f"<tool_call>[{CALL}]", "granite"),
        (f"<tool_call>[{CALL}]\nSo be it.", "granite"),
        ("<tool_call>\n<function=get_time>\n</function>\n</tool_call>", "qwen3_coder"),
        (
            "<tool_call>get_time\n<arg_key>zone</arg_key>\n<arg_value>UTC</arg_value>\n</tool_call>",
            "glm",
        ),
        (f"<|tool_call|>[{CALL}]<|/tool_call|>", "phi4"),
        (f"<|tool_call|>{CALL}<|/tool_call|>", "phi4"),
        (f"<tool_calls>[{CALL}]</tool_calls>", "hunyuan"),
        (f"<tool_calls>[{CALL}]", "hunyuan"),
        (f"<tool_calls>\n{CALL}\n</tool_calls>", "minimax"),
        (f"<tool_calls>{CALL}", "minimax"),
    ],
)
def test_what_stands_in_a_shared_marker_says_whose_block_it_is(text, name):
    """Among all dialects the block is one family's; beside it, only families whose later generation writes the same take it."""
    assert takers(text) <= {name} | LATER_GENERATIONS.get(name, set())
    (block,) = EVERY_DIALECT.read(text).blocks
    assert block.dialect == name


def test_of_two_dialects_that_a_block_fits_the_one_that_needs_no_repair_is_asked_first():
    """An unclosed list behind the token is Granite's as it stands, and Phi-4's only with its closing token added."""
    assert takers(f"<|tool_call|>[{CALL}]") == {"granite", "phi4"}
    (block,) = EVERY_DIALECT.read(f"<|tool_call|>[{CALL}]").blocks
    assert (block.dialect, block.status) == ("granite", BlockStatus.STRICT)


def test_block_body_and_action_have_exact_places():
    """The block reaches from tag to tag, its body between them, the action is the object."""
    tag = f"<tool_call>\n{CALL}\n</tool_call>"
    text = f"🍅 {tag} é"
    reading = parser_for(("hermes",)).read(text)
    assert reading.blocks[0].span.of(text) == tag
    assert reading.blocks[0].body.of(text) == f"\n{CALL}\n"
    assert reading.actions[0].span.of(text) == CALL


def test_each_call_of_a_list_has_its_own_place_and_identifier():
    """Whoever looks at the third of ten calls wants to see that one."""
    text = '<tool_calls>[{"name": "a", "id": "x"}, {"name": "b", "arguments": {"c": {}}}]</tool_calls>'
    first, second = parser_for(("hunyuan",)).read(text).actions
    assert (first.span.of(text), first.call_id) == ('{"name": "a", "id": "x"}', "x")
    assert (second.span.of(text), second.call_id) == ('{"name": "b", "arguments": {"c": {}}}', None)


def test_functools_keeps_its_bracket_in_the_body():
    """The bracket is the list's."""
    text = f"functools[{CALL}]"
    (block,) = parser_for(("phi4",)).read(text).blocks
    assert block.body.of(text) == f"[{CALL}]"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"<tool_call>{CALL}\n", Reason.UNCLOSED_TAG),
        ('<tool_call>{"name": "f",}</tool_call>', Reason.TRAILING_COMMA),
        (f"<tool_call>{CALL}}}</tool_call>", Reason.TEXT_AFTER_VALUE),
    ],
)
def test_a_strict_parser_refuses_what_needs_a_repair(text, reason):
    """The block is malformed, and says what it would have needed."""
    strict = DialectParser(name="p", dialects=(dialect_named("hermes"),), decoding={"repairs": []})
    reading = strict.read(text)
    assert reading.outcome is Outcome.FAILED
    assert reading.blocks[0].reason is reason


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (f"{CALL}}}", RepairKind.EXTRA_CLOSER),
        (CALL[:-1], RepairKind.MISSING_CLOSER),
        (CALL.replace('"', "'"), RepairKind.QUOTES),
        (CALL.replace("{}", '{"a": True}'), RepairKind.LITERAL),
    ],
)
def test_what_the_decoder_repairs_before_the_closing_tag_is_repaired(body, kind):
    """The closing tag bounds the value, so that one reading is plain."""
    reading = lenient("hermes").read(f"<tool_call>{body}</tool_call>")
    assert reading.outcome is Outcome.REPAIRED
    assert reading.actions[0].name == "get_time"
    assert kind in {repair.kind for repair in reading.blocks[0].repairs}


def test_text_on_the_line_of_an_unclosed_call_makes_it_malformed():
    """It may be what the call is quoted in; the block ends with the value."""
    text = f"<tool_call>{CALL} is how it looks.\nMore."
    reading = lenient("hermes").read(text)
    assert reading.blocks[0].reason is Reason.UNCLOSED_TAG
    assert reading.narrative.startswith("is how it looks.")


GROWING = [
    "<tool_call>",
    "<tool_call>{",
    '<tool_call>{"a": "',
    "<tool_call>{/*",
    f"<tool_call>{CALL}",
    f"<|tool_call|>[{CALL}",
    "functools[{",
    "<tool_calls>[",
    '<minimax:tool_call><invoke name="a"><parameter name="b">',
    '[TOOL_CALLS]f{"a": "',
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>a\n```json\n{",
    "<｜tool▁call▁begin｜>a<｜tool▁sep｜>{",
    '<|tool_calls_section_begin|><|tool_call_begin|>f:0<|tool_call_argument_begin|>{"a": ',
    '{"name": "f", "parameters": {"a": "\n\n',
    '{"a":\n',
    '<|python_tag|>{"a": ',
]


class Looked(dict):
    """What a source remembers of its searches, and how many characters those went through."""

    def __init__(self, count):
        super().__init__()
        self.count = count

    def __setitem__(self, key, found):
        super().__setitem__(key, found)
        start, end, at, *_ = (*found, found[1]) if len(found) == 2 else found
        self.count(min(at, end) - start)


@pytest.fixture
def work(monkeypatch):
    """Reads a text and counts: the functions that were called, and the characters that searches for closers went through."""
    looked = []
    begin = Source.__init__

    def watched(self, *given, **named):
        begin(self, *given, **named)
        self._missing, self._next = Looked(looked.append), Looked(looked.append)

    monkeypatch.setattr(Source, "__init__", watched)

    def read(parser, text):
        calls = 0

        def count(_frame, event, _argument):
            nonlocal calls
            calls += event in {"call", "c_call"}

        looked.clear()
        before = sys.getprofile()
        sys.setprofile(count)
        try:
            parser.read(text)
        finally:
            sys.setprofile(before)
        return calls, sum(looked)

    return read


@pytest.mark.parametrize("piece", soaked(GROWING, GROWING[2::5]))
def test_work_grows_with_the_text(work, piece):
    """Ten times as many openers are ten times the work; reading on to the end each time would be a hundred times."""
    names = ("hermes", "granite", "hunyuan", "phi4", "minimax", "mistral", "deepseek_v3", "deepseek_v31")
    parser = parser_for((*names, "kimi_k2", "llama3_json", "json"))
    small, large = (work(parser, piece * (length // len(piece))) for length in (1_000, 10_000))
    for name, few, many in zip(("calls", "characters"), small, large, strict=True):
        assert many <= 15 * few + 1_000, f"{few:,} {name} for 1,000 characters, {many:,} for 10,000"
