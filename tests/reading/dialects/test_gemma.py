"""Gemma: fences of printed calls, and one call between special tokens."""

import pytest

from actionledger.core.vocabulary import Outcome, Reason, RepairKind
from actionledger.reading.dialects.gemma import Gemma
from actionledger.reading.parsers import DialectParser

PARSER = DialectParser(name="p", dialects=(Gemma(),), decoding={"repairs": list(RepairKind)})
TOKENS = [
    ("<start_function_call>", "<escape>", "<end_function_call>"),
    ("<|tool_call>", '<|"|>', "<tool_call|>"),
]
either_notation = pytest.mark.parametrize(
    ("opener", "quote", "closer"), TOKENS, ids=["function-gemma", "gemma-4"]
)


def only_block(text):
    (block,) = PARSER.read(text).blocks
    return block


@either_notation
def test_a_string_may_hold_anything_but_its_token(opener, quote, closer):
    """Braces, commas, quotes, line breaks and the closing token are text between two quote tokens."""
    value = 'a{b},c:"d"\n[e]' + closer
    text = f"{opener}call:f{{k:{quote}{value}{quote},n:1}}{closer}"
    reading = PARSER.read(text)
    assert reading.outcome is Outcome.CLEAN
    assert reading.actions[0].arguments == {"k": value, "n": 1}
    assert reading.actions[0].span.of(text) == text.removeprefix(opener)[: -len(closer)]


@either_notation
@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("{a:b}", Reason.UNQUOTED_VALUE),
        ("{a:1 2}", Reason.MALFORMED_JSON),
        ("{a}", Reason.UNQUOTED_KEY),
        ("{:1}", Reason.MALFORMED_JSON),
        ("{a:1,}", Reason.TRAILING_COMMA),
        ("{a:[1}}", Reason.MISSING_CLOSER),
        ("{a:NaN}", Reason.NON_FINITE_NUMBER),
    ],
)
def test_what_is_no_object_is_refused(opener, quote, closer, body, reason):
    """Bare text, missing keys and stray commas have no plain reading: the notation is read strictly."""
    assert only_block(f"{opener}call:f{body}{closer}").reason is reason


@either_notation
@pytest.mark.parametrize("cut", ["c", "call", "call:f", "call:f{", "call:f{a:", "call:f{a:1,"])
def test_a_call_that_the_end_cuts_is_lost_and_said_to_be(opener, quote, closer, cut):
    assert only_block(f"{opener}{cut}").reason is Reason.TRUNCATED


@either_notation
def test_a_key_may_stand_between_quote_tokens(opener, quote, closer):
    """Gemma 4's template writes the keys of its declarations so."""
    reading = PARSER.read(f"{opener}call:f{{{quote}a b{quote}:{{c:true}}}}{closer}")
    assert reading.actions[0].arguments == {"a b": {"c": True}}


def test_nesting_beyond_the_limit_is_refused():
    """The decoder's limit holds for this notation, too."""
    text = f"<start_function_call>call:f{{a:{'[' * 300}{']' * 300}}}<end_function_call>"
    assert only_block(text).reason is Reason.TOO_DEEP


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("print(f(a=1))", ["f"]),
        ("print(default_api.f(a=1))", ["f"]),
        ("default_api.f(a=1)\nprint( g() )", ["f", "g"]),
        ("[f(a=1), g()]", ["f", "g"]),
        ("print([f(a=1)])", ["f"]),
    ],
)
def test_a_printed_call_is_the_call(body, names):
    """What is printed is what the tool returns: the call is what was meant."""
    reading = PARSER.read(f"```tool_code\n{body}\n```")
    assert [action.name for action in reading.actions] == names
    assert reading.outcome is Outcome.CLEAN


@pytest.mark.parametrize(
    "body", ["print(f(a=1), g())", "print(f(a=1)", "print(f(a=1))()", "x = f(a=1)\nprint(x)"]
)
def test_what_prints_more_than_a_call_is_a_program(body):
    """A program is shown, not run, and why is said."""
    block = only_block(f"```tool_code\n{body}\n```")
    assert block.reason in {Reason.EXAMPLE, Reason.MALFORMED_JSON}
    assert block.issues


def test_prose_in_the_fence_is_refused():
    """Whoever writes the label means a call."""
    assert only_block("```tool_code\nI would call f.\n```").reason is Reason.WRONG_SHAPE


@either_notation
@pytest.mark.parametrize(
    "case",
    [
        ('{q:"pears, plums: {two}  [three]"}', {"q": "pears, plums: {two}  [three]"}, []),
        ('{q:"a \\"b\\"",n:"c"}', {"q": 'a "b"', "n": "c"}, []),
        (
            "{o:{First step:{to:[]}, Second \t step :1}}",
            {"o": {"First step": {"to": []}, "Second \t step": 1}},
            [],
        ),
        ("{o:{名 前:1}}", {"o": {"名 前": 1}}, []),
        ("{q:' \\d+, \\s* ',n:1}", {"q": " \\d+, \\s* ", "n": 1}, [RepairKind.QUOTES]),
        ("{q:['a','b']}", {"q": ["a", "b"]}, [RepairKind.QUOTES] * 2),
    ],
)
def test_strings_in_other_quotes_and_keys_of_several_words_are_read(opener, quote, closer, case):
    """Blanks, commas and brackets in them are text; a string in single quotes holds its signs as they are."""
    body, arguments, repairs = case
    reading = PARSER.read(f"{opener}call:f{body}{closer}")
    assert [action.arguments for action in reading.actions] == [arguments]
    (block,) = reading.blocks
    assert [repair.kind for repair in block.repairs] == repairs


@either_notation
@pytest.mark.parametrize("body", ["{q:'it's'}", "{q:'a\nb'}", "{q:'it\\'s'}"])
def test_single_quotes_that_may_end_elsewhere_are_refused(opener, quote, closer, body):
    assert only_block(f"{opener}call:f{body}{closer}").reason is Reason.QUOTES


@either_notation
def test_single_quotes_are_mended_only_where_they_may_be(opener, quote, closer):
    strict = DialectParser(name="p", dialects=(Gemma(),), decoding={"repairs": []})
    (block,) = strict.read(f"{opener}call:f{{q:'a, b'}}{closer}").blocks
    assert (block.reason, block.span.start) == (Reason.QUOTES, 0)


def test_a_string_in_double_quotes_holds_no_token_of_the_format():
    """Whoever writes both means one of them."""
    text = '<start_function_call>call:f{q:"<escape>a<escape>"}<end_function_call>'
    assert only_block(text).reason is Reason.INNER_QUOTE
