"""What a reading says of itself: options, places, issues, calls, bounds."""

import math

import pytest

from actionledger.core.values import Repair, Span
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.tolerant_json import LENIENT, STRICT, Call, DecodeOptions, comments_behind, decode
from actionledger.reading.tolerant_json.faults import GUESSES

CALLS = DecodeOptions(calls=True)
LIKELIER = GUESSES - {RepairKind.UNQUOTED_VALUE, RepairKind.ELLIPSIS}
"""What is done only for who asks for the likelier reading of a text that is refused."""


def only(*kinds):
    return DecodeOptions(repairs=frozenset(kinds))


def kinds(decoded):
    return [repair.kind.value for repair in decoded.repairs]


@pytest.mark.parametrize(
    ("text", "repair"),
    [
        ("{'a': 1}", Repair(RepairKind.QUOTES, Span(1, 4), "'a'", '"a"')),
        ('{a": 1}', Repair(RepairKind.UNCLOSED_STRING, Span(1, 1), "", '"')),
        ('["a\n\tb"]', Repair(RepairKind.CONTROL_CHARACTER, Span(3, 5), "\n\t", "\\n\\t")),
        ('["x "y" z"]', Repair(RepairKind.INNER_QUOTE, Span(4, 7), '"y"', '\\"y\\"')),
        (r'["\d and \s"]', Repair(RepairKind.ESCAPE, Span(2, 11), r"\d and \s", r"\\d and \\s")),
        ("[True]", Repair(RepairKind.LITERAL, Span(1, 5), "True", "true")),
        ("[0x1F]", Repair(RepairKind.NUMBER, Span(1, 5), "0x1F", "31")),
        ("{a: 1}", Repair(RepairKind.UNQUOTED_KEY, Span(1, 2), "a", '"a"')),
        ("[red]", Repair(RepairKind.UNQUOTED_VALUE, Span(1, 4), "red", '"red"')),
        ("[1 2]", Repair(RepairKind.MISSING_COMMA, Span(3, 3), "", ",")),
        ('{"a" 1}', Repair(RepairKind.MISSING_COLON, Span(5, 5), "", ":")),
        ('{"a" => 1}', Repair(RepairKind.COLON, Span(5, 7), "=>", ":")),
        ("[1; 2]", Repair(RepairKind.SEPARATOR, Span(2, 3), ";", ",")),
        ("[1,,2]", Repair(RepairKind.EXTRA_COMMA, Span(3, 4), ",", "")),
        ("[1 // c\n]", Repair(RepairKind.COMMENT, Span(3, 7), "// c", "")),
        ("[1,\xa02]", Repair(RepairKind.SPACE, Span(3, 4), "\xa0", " ")),
        ('{"a": [1}', Repair(RepairKind.MISSING_CLOSER, Span(8, 8), "", "]")),
    ],
)
def test_a_repair_says_what_stood_there_and_what_it_was_read_as(text, repair):
    """Before and after are JSON texts, so that a person can see the change."""
    assert decode(text).repairs == (repair,)


@pytest.mark.parametrize("kind", sorted(LENIENT.repairs - {RepairKind.DROPPED_TAIL} - LIKELIER))
def test_a_kind_that_is_not_allowed_is_refused_with_its_own_reason(kind):
    """Every kind has a reason of the same name; a text that needs it is refused where it needs it."""
    text = {
        "control_character": '["a\nb"]',
        "trailing_comma": "[1,]",
        "comment": "[1 /* */]",
        "missing_closer": '{"a": [1}',
        "unclosed_string": '{a": 1}',
        "space": "[1,\xa02]",
        "quotes": "['a']",
        "triple_quotes": '["""a"""]',
        "string_prefix": '[r"a"]',
        "inner_quote": '["x "y" z"]',
        "escape": r'["\d"]',
        "concatenation": '["a" + "b"]',
        "unquoted_key": "{a: 1}",
        "unquoted_value": "[red]",
        "literal": "[None]",
        "non_finite_number": "[-inf]",
        "number": "[+1]",
        "colon": '{"a" = 1}',
        "missing_colon": '{"a" 1}',
        "missing_comma": "[1 2]",
        "extra_comma": "[1,,2]",
        "separator": "[1; 2]",
        "ellipsis": "[1 ...]",
        "extra_closer": "[1), 2]",
        "brackets": "[(1, 2)]",
    }[kind.value]
    allowed = decode(text)
    assert allowed.ok
    assert {repair.kind for repair in allowed.repairs} == {kind}
    refused = decode(text, options=DecodeOptions(repairs=LENIENT.repairs - {kind}))
    assert (refused.ok, refused.value) == (False, None)
    assert refused.issues[0].code == Reason(kind.value)
    assert refused.issues[0].span == allowed.repairs[0].span


def test_the_first_repair_that_is_not_allowed_is_the_reason():
    """Of several, the one that comes first in the text is named, even if reading stops later for another reason."""
    options = only(RepairKind.QUOTES)
    assert decode("{'a': 1, b: True}", options=options).issues[0].code is Reason.UNQUOTED_KEY
    assert decode("{'a': 1, b: , }", options=options).issues[0].span == Span(9, 10)
    assert decode("{'a': , b: 1}", options=options).issues[0].code is Reason.MISSING_VALUE


@pytest.mark.parametrize("text", ["[NaN]", '{"a": {"b": -Infinity}}', "NaN"])
def test_numbers_that_are_none_are_read_and_can_be_refused(text):
    """NaN is a float with a repair; who allows none of them hears which number it was."""
    assert decode(text).ok
    refused = decode(text, options=STRICT)
    assert refused.issues[0].code is Reason.NON_FINITE_NUMBER
    assert refused.issues[0].span.of(text) in {"NaN", "-Infinity"}
    assert math.isnan(decode("[NaN]").value[0])


def test_a_duplicate_key_is_an_issue_with_both_values_and_the_last_one_counts():
    """No repair: valid JSON allows it, and every reader takes the last one."""
    text = '[{"a": 1, "b": {"a": 2}, "a": {"x": 3}}]'
    for options in (STRICT, LENIENT):
        decoded = decode(text, options=options)
        assert (decoded.ok, decoded.value, decoded.repairs) == (
            True,
            [{"a": {"x": 3}, "b": {"a": 2}}],
            (),
        )
        (issue,) = decoded.issues
        assert (issue.code, issue.span.of(text)) == (Reason.DUPLICATE_KEY, '"a"')
        assert issue.span.start == text.rindex('"a"')
        assert "1" in issue.detail
        assert "an object" in issue.detail


@pytest.mark.parametrize(
    "text",
    [
        '[{"a": {"b": "}{"}}, {"c": [{"d": 1}, "{"]}]',
        '[{"a": {"b": "}{"}}, {"c": [{"d": 1}, "{"]},]',
        "[{'a': {'b': '}{'}}, {c: [{d: 1}, '{']}]",
        '[{"a": {"b": "say "hi" now"}}, {"c": [{"d": 1}, "{"]}]',
    ],
)
def test_every_object_has_its_place(text):
    """However an object was read, its span is exactly its text, braces and all."""
    decoded = decode("xx" + text, 2)
    assert len(decoded.located) == 4
    for value, span in decoded.located:
        assert decode(span.of("xx" + text)).value == value
        assert decoded.span_of(value) == span
    assert decoded.span_of("no object") == Span(2, 2 + len(text))


def test_what_the_end_cuts_is_known_and_what_is_complete_is_kept():
    """A reader of actions drops what is cut; all that was closed is as good as ever."""
    text = "[{'type': 'a'}, {'type': 'b', 'n': [1, 2"
    decoded = decode(text, options=DecodeOptions())
    assert decoded.value == [{"type": "a"}, {"type": "b", "n": [1]}]
    whole, cut = decoded.value
    assert [decoded.is_cut(value) for value in (decoded.value, whole, cut, cut["n"])] == [
        True,
        False,
        True,
        True,
    ]
    assert decoded.span_of(cut) == Span(16, len(text))
    assert (
        decode(text, options=DecodeOptions(repairs=frozenset({RepairKind.QUOTES}))).issues[0].code
        is Reason.TRUNCATED
    )


def test_text_behind_the_value_is_left_alone():
    """The end says where the value ends; what follows is the caller's business."""
    decoded = decode('x = {"a": 1}; {"b": 2} and so on', 4)
    assert (decoded.value, decoded.start, decoded.end) == ({"a": 1}, 4, 12)


@pytest.mark.parametrize(
    ("text", "value", "repairs"),
    [
        ('{"a": [1, {"b": 2', {"a": [1, {"b": 2}]}, ["missing_closer"]),
        ('{"a": "x"\n', {"a": "x"}, ["missing_closer"]),
        ('{"a": 1,\n', {"a": 1}, ["trailing_comma", "missing_closer"]),
        ('{"a": "x}', {"a": "x"}, ["unclosed_string"]),
        ('{"a": ["x]}\n', {"a": ["x"]}, ["unclosed_string"]),
        ('{"a": 1}}', {"a": 1}, ["extra_closer"]),
        ("[1]]}", [1], ["extra_closer"]),
        ('{"a": "x {y}"', {"a": "x {y}"}, ["missing_closer"]),
    ],
)
def test_a_text_that_ends_where_its_writer_ended_it_was_not_cut(text, value, repairs):
    """With ``end`` given, brackets left open were forgotten: a plain repair, nothing is cut."""
    decoded = decode(f"..{text}``` more", 2, end=2 + len(text))
    assert (decoded.ok, decoded.value, kinds(decoded)) == (True, value, repairs)
    assert (decoded.cut, decoded.issues) == ((), ())
    assert all(repair.before == repair.span.of(f"..{text}``` more") for repair in decoded.repairs)
    assert decoded.end <= 2 + len(text)


@pytest.mark.parametrize("text", ['{"a": "int f() { return 0; }', '{"a": 1, "b":', '{"a": "x', '["a", "b'])
def test_a_string_that_may_go_on_is_cut_all_the_same(text):
    """Brackets at the end may belong to the string, and a value can't be invented."""
    decoded = decode(text, end=len(text))
    assert decoded.cut
    assert decoded.issues[0].code is Reason.TRUNCATED


def test_what_stands_beyond_the_end_is_not_looked_at():
    """A quote behind the fence closes nothing in it, and places count in the whole text."""
    text = '.....{"a": 1, "b": {"c": 2, "d": [3]\n```\nThen "d" and {"e": 1}.'
    decoded = decode(text, 5, end=text.index("```"))
    assert decoded.value == {"a": 1, "b": {"c": 2, "d": [3]}}
    assert [span.of(text) for _, span in decoded.located] == [
        '{"a": 1, "b": {"c": 2, "d": [3]\n',
        '{"c": 2, "d": [3]\n',
    ]
    assert (decoded.start, decoded.end) == (5, text.index("```"))


def test_brackets_that_are_missing_at_the_end_may_belong_elsewhere():
    """The indentation says so, or a key that is there twice; then nothing is read."""
    layout = '{\n  "a": {\n    "b": 1\n  ,\n  "c": 2\n}'
    assert decode(layout, end=len(layout)).issues[0].code is Reason.AMBIGUOUS
    twice = '{"a": {"b": 1, "c": 2, "b": 3}'
    assert decode(twice, end=len(twice)).issues[0].code is Reason.AMBIGUOUS
    last = '{\n  "a": {\n    "b": 1\n  }\n'
    assert decode(last, end=len(last)).value == {"a": {"b": 1}}
    code = '{\n  "a": {"code": "if x {\ny\n}", "b": 1\n}'
    assert decode(code, end=len(code)).ok  # lines in strings have no indentation to speak of


def test_brackets_too_many_at_the_end_may_belong_elsewhere():
    """One that closes an inner object too early leaves one over as well."""
    text = '{"name": "f", "arguments": {"a": 1}, "b": 2}}'
    refused = decode(text, options=DecodeOptions(), end=len(text))
    assert (refused.ok, refused.issues[0].code) == (False, Reason.AMBIGUOUS)
    text = '{"name": "f", "arguments": {"a": 1, "b": 2}}}'
    assert decode(text, end=len(text)).value == {"name": "f", "arguments": {"a": 1, "b": 2}}


def test_a_refusal_names_both_places_of_a_missing_bracket():
    """Whoever reads it knows what to write."""
    (issue,) = decode('[{"x": {"a": 1, "u": {"b": 2}}]').issues
    assert issue.detail == "A '}' is missing: here, or inside the value of 'x'."
    (issue,) = decode('{"a": [[1, 2]}').issues
    assert issue.detail == "A ']' is missing: here, or inside the last element."


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("f()", Call("f")),
        ("get_weather(city='Paris', days=3)", Call("get_weather", [], {"city": "Paris", "days": 3})),
        (
            "api.v1.get('x', [1, 2,], ok=True, n=None,)",
            Call("api.v1.get", ["x", [1, 2]], {"ok": True, "n": None}),
        ),
        ('f({"a": (1, 2)}, g(1))', Call("f", [{"a": [1, 2]}, Call("g", [1])])),
        ("f(r'\\d', '''x'y''', 0x10, 1_000)  # note", Call("f", ["\\d", "x'y", 16, 1000])),
    ],
)
def test_calls_are_values_where_they_are_asked_for(text, call):
    """What Python allows inside the brackets is no repair, and the call has its place."""
    decoded = decode(text, options=CALLS)
    assert (decoded.ok, decoded.value, decoded.repairs) == (True, call, ())
    assert text.startswith(decoded.span_of(decoded.value).of(text))
    assert decode(text, options=DecodeOptions(calls=True, repairs=frozenset())).ok
    assert not decode(text).ok


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("f(x)", Reason.AMBIGUOUS),
        ("f(a=x.y)", Reason.AMBIGUOUS),
        ("f(1 + 2)", Reason.MALFORMED_JSON),
        ("f(a=)", Reason.MISSING_VALUE),
        ("f(**{})", Reason.MALFORMED_JSON),
        ("print 1", Reason.MALFORMED_JSON),
    ],
)
def test_calls_with_variables_and_expressions_are_not_read(text, reason):
    """What an expression comes to isn't written there."""
    assert decode(text, options=CALLS).issues[0].code is reason


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        ("""[B(c="the "direct" one"), E(b="M", d='x')]""", False),
        ("""[B(c='it is 'so'), E('x')]""", False),
        ("""B(c="say "a"), f(" now")""", False),
        ("""[B(c="the "direct" one", d=1), E(b="M")]""", True),
        ("""[B(c="he said "f(x), g(y)" twice")]""", True),
        ("""[B(c="a), f("), E(b="M")]""", True),
    ],
)
def test_a_string_swallows_no_further_call(text, is_read):
    """Quotes that may end a string before another call are nobody's to guess; without that they are its own."""
    decoded = decode(text, options=CALLS)
    assert decoded.ok is is_read
    assert is_read or decoded.issues[0].code is Reason.AMBIGUOUS


def test_a_list_of_calls_that_is_cut_tells_which_are_whole():
    """Calls are containers like the others."""
    decoded = decode("[f(a=1), g(b='x', c=", options=CALLS)
    assert decoded.value == [Call("f", [], {"a": 1}), Call("g", [], {"b": "x"})]
    assert [decoded.is_cut(call) for call in decoded.value] == [False, True]


def test_repairs_outside_of_calls_are_repairs():
    """Only the inside of a call is Python."""
    assert kinds(decode("{'tool': f('x')}", options=CALLS)) == ["quotes"]


@pytest.mark.parametrize("opener", ["[", '{"a":', "{a:", "[{'a':"])
def test_depth_is_limited_and_never_a_recursion_error(opener):
    """One level too many is refused at its bracket; a hundred thousand cost no more."""
    for levels in (201, 100_000):
        decoded = decode(opener * levels)
        assert decoded.issues[0].code is Reason.TOO_DEEP
    assert decode("[" * 200 + "1,," + "]" * 200).ok


def test_work_is_limited():
    """The last resort against a text that nobody thought of."""
    decoded = decode("[(1,2)" + ",(1,2)" * 1000 + "]", options=DecodeOptions(work=100))
    assert decoded.issues[0].code is Reason.TOO_MUCH_WORK


def test_options_have_one_order_and_hash():
    """The same settings give the same JSON text in every process."""
    dumped = LENIENT.model_dump(mode="json")["repairs"]
    assert dumped == sorted(dumped)


def test_comments_behind_a_value_are_repairs():
    """They belong to the block, not to what follows it; who doesn't allow them gets none."""
    text = "[1] // one\n /* two */ x"
    found = comments_behind(text, 3)
    assert [repair.before for repair in found] == ["// one", "/* two */"]
    assert comments_behind(text, 3, options=STRICT) == ()
    assert comments_behind("[1]", 3) == ()


@pytest.mark.parametrize("sign", ["=", ":", " = "])
def test_an_arguments_name_may_stand_in_quotes(sign):
    """Its quote would be taken for one within a text else, and the name for a part of the value."""
    decoded = decode(f'f("a"{sign}"x", b=2)', options=CALLS)
    assert decoded.value == Call("f", [], {"a": "x", "b": 2})
    assert [repair.after for repair in decoded.repairs] == ["a="]


@pytest.mark.parametrize("text", ['f("a"=="b")', 'f(a="x" == "y")'])
def test_a_comparison_is_no_text(text):
    assert not decode(text, options=CALLS).ok
