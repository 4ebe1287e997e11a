"""What is bounded, what ends too early, and values whose place is not known."""

import json

import pytest
from effort import examples
from hypothesis import given, settings, strategies as st
from steps import steps_of_reading

from actionledger.core.values import Span
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.tolerant_json import STRICT, decode, decode_all, decode_nested, find_value
from actionledger.reading.tolerant_json.faults import DecodeOptions


def nested(levels, inner="", opener="[", closer="]"):
    return opener * levels + inner + closer * levels


@pytest.mark.parametrize(("opener", "closer"), [("[", "]"), ('{"a":', "}")])
@pytest.mark.parametrize("limit", [1, 2, 3, 200, 500])
def test_the_depth_limit_is_exact(limit, opener, closer):
    """A value of as many levels is read; one more is refused at the bracket that goes too deep."""
    options = DecodeOptions(max_depth=limit)
    assert decode(nested(limit, "0", opener, closer), options=options).ok
    found = decode(nested(limit + 1, "0", opener, closer), options=options)
    at = limit * len(opener)
    assert [(issue.code, issue.span) for issue in found.issues] == [(Reason.TOO_DEEP, Span(at, at + 1))]


def test_the_depth_limit_holds_beside_many_flat_containers():
    """Breadth is no depth: only the levels count."""
    wide = "[" + ",".join(["[0]"] * 5000) + "]"
    assert decode(nested(10, wide), options=DecodeOptions(max_depth=12)).ok
    assert decode(nested(10, wide), options=DecodeOptions(max_depth=11)).issues[0].code is Reason.TOO_DEEP


def test_the_depth_limit_holds_where_a_repair_is_needed():
    """A broken value of allowed depth is repaired, a broken one beyond it is refused for its depth."""
    assert decode(nested(200, "1,")).repairs[0].kind is RepairKind.TRAILING_COMMA
    assert decode(nested(201, "1,")).issues[0].code is Reason.TOO_DEEP


@pytest.mark.parametrize("opener", ["[", "{", '{"a":', "[[{", '[{"a":['])
def test_a_hundred_thousand_openers_are_refused_in_no_time(opener):
    """Depth costs nothing: reading stops at the limit."""
    assert not decode(opener * 100_000).ok
    calls, characters = steps_of_reading(decode, opener * 100_000)
    assert calls < 50_000
    assert characters < 5_000


def test_integers_of_many_digits_are_exact():
    """Digits beyond a float's are kept."""
    text = "[123456789012345678901234567890, -0, 1" + "0" * 400 + "]"
    assert decode(text).value == [123456789012345678901234567890, 0, 10**400]


@pytest.mark.parametrize("template", ["%s", "[%s]", "[[[[%s]]]]", '{"a": {"b": {"c": {"d": %s}}}}'])
def test_an_integer_beyond_pythons_limit_is_refused_not_raised(template):
    """Python refuses to convert more than 4,300 digits; that is an issue like any other."""
    text = template % ("7" * 5000)
    found = decode(text)
    assert (found.ok, found.issues[0].code) == (False, Reason.MALFORMED_JSON)
    assert found.issues[0].span.start == text.index("7")


def test_floats_out_of_range_are_what_the_standard_library_makes_of_them():
    """An exponent that is too large is infinity there, and here."""
    assert decode("[1e999, 1e-999]").value == json.loads("[1e999, 1e-999]")


@pytest.mark.parametrize(
    "text", ['"\ud800"', '["\udc00 \ud83d"]', '{"\udfff": [[["\ud800"]]]}', '"\\ud800"', '["\\udc00\\ud83d"]']
)
def test_lone_surrogates_are_kept(text):
    """They are no characters, but they are what the text holds; writing them is the recorder's matter."""
    assert decode(text).value == json.loads(text)


def test_nul_is_a_control_character_in_a_string_and_nothing_outside():
    """A NUL between the tokens is no blank."""
    assert decode('["a\x00b"]').value == ["a\x00b"]
    assert decode("[1,\x00 2]").issues[0].span == Span(3, 4)


@pytest.mark.parametrize(
    "value",
    [
        ["x" * 1_000_000],
        {"a": "line\n" * 200_000},
        list(range(150_000)),
        [{"type": "a", "n": number} for number in range(30_000)],
    ],
    ids=["string", "escapes", "numbers", "objects"],
)
def test_a_megabyte_is_read_in_one_go(value):
    """Size is no obstacle: a large value comes back equal, and is looked at a few times at most, its objects once."""
    text = json.dumps(value)
    assert decode(text).value == value
    calls, characters = steps_of_reading(decode, text)
    assert calls < 100 + 10 * text.count("{")
    assert characters < 3 * len(text)


def test_a_megabyte_of_raw_line_breaks_is_one_repair():
    """A long file pasted into a string is read, and told once."""
    body = "line\n" * 200_000
    found = decode(f'["{body}"]')
    assert found.value == [body]
    assert [repair.kind for repair in found.repairs] == [RepairKind.CONTROL_CHARACTER]


CAREFUL = DecodeOptions()


@pytest.mark.parametrize(
    ("text", "value", "dropped", "closers"),
    [
        ("[", [], "", "]"),
        ("{", {}, "", "}"),
        ("[1, 2", [1], ", 2", "]"),
        ("[5, 1", [5], ", 1", "]"),
        ("[5, 0", [5], ", 0", "]"),
        ("[5, 1.", [5], ", 1.", "]"),
        ("[5, -", [5], ", -", "]"),
        ("[5, 1e-", [5], ", 1e-", "]"),
        ("[1, 2 ", [1, 2], "", "]"),
        ("[1,", [1], ",", "]"),
        ("[true", [True], "", "]"),
        ("[tru", [], "tru", "]"),
        ("[null, nul", [None], ", nul", "]"),
        ('["a"', ["a"], "", "]"),
        ('["a', [], '"a', "]"),
        ('["a\\', [], '"a\\', "]"),
        ('["a\\u00', [], '"a\\u00', "]"),
        ('{"a', {}, '"a', "}"),
        ('{"a"', {}, '"a"', "}"),
        ('{"a":', {}, '"a":', "}"),
        ('{"a": 12', {}, '"a": 12', "}"),
        ('{"a": "x', {}, '"a": "x', "}"),
        ('{"a": 1, "b": // c', {"a": 1}, ', "b": // c', "}"),
        ('{"a": 1,', {"a": 1}, ",", "}"),
        ('{"a": 1, "a": 2', {"a": 1}, ', "a": 2', "}"),
        ('{"a": [1, {"b": tr', {"a": [1, {}]}, '"b": tr', "}]}"),
        ('[[[[{"a": 1}, {"b"', [[[[{"a": 1}, {}]]]], '"b"', "}]]]]"),
        ('{"a\nb"', {}, '"a\nb"', "}"),
    ],
)
def test_a_cut_text_keeps_what_is_complete(text, value, dropped, closers):
    """The tail that the end cuts through is dropped, with its key and the comma before it; open brackets are closed."""
    found = decode(text, options=CAREFUL)
    assert (found.ok, found.value, found.end) == (True, value, len(text))
    tails = [repair.before for repair in found.repairs if repair.kind is RepairKind.DROPPED_TAIL]
    assert tails == ([dropped] if dropped else [])
    closer = found.repairs[-1]
    assert (closer.kind, closer.span, closer.before, closer.after) == (
        RepairKind.MISSING_CLOSER,
        (len(text), len(text)),
        "",
        closers,
    )
    assert [issue.code for issue in found.issues] == [Reason.TRUNCATED]
    assert found.issues[0].span.of(text) == dropped


@pytest.mark.parametrize("text", ["tru", '"a', "-", "nu"])
def test_a_lone_scalar_that_is_cut_gives_nothing(text):
    """Without a container nothing is complete."""
    found = decode(text, options=CAREFUL)
    assert (found.ok, found.issues[0].code) == (False, Reason.TRUNCATED)


def test_the_containers_that_were_open_are_known():
    """Whether more was meant to be in them can't be known, so a reader may refuse to act on them."""
    found = decode('{"actions": [{"t": "a"}, {"t": "b"')
    whole, cut = found.value["actions"]
    assert not found.is_cut(whole)
    assert found.is_cut(cut)
    assert found.is_cut(found.value)
    assert list(found.cut) == [found.value, found.value["actions"], cut]


def test_repairs_inside_a_dropped_tail_are_not_counted():
    """A raw line break in a key that is dropped anyway changed nothing."""
    text = '[1,], {"a": 1'
    assert [repair.kind for repair in decode(text).repairs] == [RepairKind.TRAILING_COMMA]
    kinds = [repair.kind for repair in decode('{"x": "a\nb", "c\nd": 1', options=CAREFUL).repairs]
    assert kinds == [RepairKind.CONTROL_CHARACTER, RepairKind.DROPPED_TAIL, RepairKind.MISSING_CLOSER]


@settings(max_examples=examples(200))
@given(data=st.data())
def test_a_prefix_never_holds_more_than_the_whole(data):
    """Wherever a list is cut, what is read are its first elements; only the last of them may be incomplete."""
    value = data.draw(
        st.lists(st.integers() | st.text() | st.booleans() | st.lists(st.integers()), min_size=1)
    )
    text = json.dumps(value)
    end = data.draw(st.integers(min_value=1, max_value=len(text) - 1))
    found = decode(text[:end], options=CAREFUL)
    assert found.ok
    assert found.issues[-1].code is Reason.TRUNCATED
    *complete, last = found.value or [None]
    assert complete == value[: len(complete)]
    if found.value:
        expected = value[len(complete)]
        assert last == expected or (found.is_cut(last) and last == expected[: len(last)])


@pytest.mark.parametrize(
    ("text", "value", "cut"),
    [
        ('["road to', ["road to"], '"road to'),
        ("{'to': 'Bon", {"to": "Bon"}, "'Bon"),
        ('{"to": "caf\\u00e', {"to": "caf"}, '"caf\\u00e'),
        ('{"to": "a\\\\', {"to": "a\\"}, '"a\\\\'),
        ('{"to": "a\\', {"to": "a"}, '"a\\'),
        ('{"to": "ok \\ud83d', {"to": "ok "}, '"ok \\ud83d'),
        ('{"to": "ok \\ud83d\\ude', {"to": "ok "}, '"ok \\ud83d\\ude'),
        ('{"to": "ok \\ud83d\\ude00', {"to": "ok 😀"}, '"ok \\ud83d\\ude00'),
        ('{"rows": [7, 18', {"rows": [7, 18]}, "18"),
        ("[7, 1.", [7, 1.0], "1."),
        ("[7, 2.5e-", [7, 2.5], "2.5e-"),
        ("[fal", [False], "fal"),
        ('{"x": No', {"x": None}, "No"),
        ("{x: blu", {"x": "blu"}, "blu"),
        ('"road to', "road to", '"road to'),
    ],
)
def test_the_likelier_reading_takes_what_is_cut_as_far_as_it_goes(text, value, cut):
    """And says so: the issue has the place of what may go on."""
    found = decode(text)
    assert (found.ok, found.value, found.end) == (True, value, len(text))
    assert [(issue.code, issue.span.of(text)) for issue in found.issues] == [(Reason.TRUNCATED, cut)]
    assert decode(text, options=CAREFUL).value != value


@pytest.mark.parametrize(
    "text", ['{"a": 1, "b', '{"a": 1, "b"', '{"a": 1, "b":', '{"a": 1, "b": -', '{"a": 1, "b": "x "y" z']
)
def test_what_has_no_value_yet_is_dropped_by_every_reading(text):
    """A key alone says nothing, nor does a sign; and a text with quotes inside it may have ended before."""
    assert decode(text).value == decode(text, options=CAREFUL).value == {"a": 1}


@pytest.mark.parametrize(
    ("text", "value"),
    [('{"a": ["up and down]}', {"a": ["up and down"]}), ('{"a": "up and down }', {"a": "up and down"})],
)
def test_a_string_without_its_last_quote_ends_before_the_brackets_of_all_that_is_open(text, value):
    """It may have been cut off within it all the same, which is said; who acts on a value drops it."""
    found = decode(text)
    assert found.value == value
    assert [issue.code for issue in found.issues] == [Reason.AMBIGUOUS]
    assert decode(text, options=CAREFUL).value in ({"a": []}, {})


@pytest.mark.parametrize(
    ("text", "values", "repairs"),
    [
        ('{"a": 1}{"b": 2}', [{"a": 1}, {"b": 2}], []),
        ('{"a": 1}\n{"b": 2}\n', [{"a": 1}, {"b": 2}], []),
        (
            "{'a': 1}, {'b': 2}; [3]",
            [{"a": 1}, {"b": 2}, [3]],
            ["quotes", "separator", "quotes", "separator"],
        ),
        ('1 "two" true', [1, "two", True], []),
        ("", [], []),
        ("no value", [], []),
        ('{"a": 1} and {"b": 2}', [{"a": 1}], []),
    ],
)
def test_values_in_a_row_are_read_one_by_one(text, values, repairs):
    """Blanks, commas and semicolons may stand between them; other text ends the row."""
    found = decode_all(text)
    assert [decoded.value for decoded in found] == values
    assert [repair.kind for decoded in found for repair in decoded.repairs] == repairs
    assert all(repair.before == repair.span.of(text) for decoded in found for repair in decoded.repairs)


def test_a_row_ends_with_what_cannot_be_read():
    """The value that is refused or cut is the last one, so that nothing is lost in silence."""
    *whole, last = decode_all('{"a": 1} {b c: 2} {"d": 3}')
    assert [decoded.value for decoded in whole] == [{"a": 1}]
    assert last.issues[0].code is Reason.AMBIGUOUS
    assert decode_all('{"a": 1} {"b": ')[-1].cut
    assert decode_all("[1], [2]", options=STRICT)[-1].issues[0].code is Reason.SEPARATOR


def test_a_row_ends_at_the_end():
    """What stands beyond the end is not looked at."""
    text = "[1] [2 ``` [3]"
    assert [decoded.value for decoded in decode_all(text, end=text.index("```"))] == [[1], [2]]


def test_a_row_of_thousands_of_broken_lines_is_read():
    """A value larger than any window, then many small ones."""
    text = "{'a': '" + "x" * 100_000 + "'}\n" + "{'a': 1}\n" * 3_000
    found = decode_all(text)
    assert len(found) == 3_001
    assert found[-1].repairs[0].span.of(text) == "'a'"
    assert found[-1].span_of(found[-1].value) == Span(len(text) - 9, len(text) - 1)


@pytest.mark.parametrize(
    ("text", "value", "before", "after"),
    [
        ('{"a": 1}', {"a": 1}, "", ""),
        ('Here: {"a": 1}. Done.', {"a": 1}, "Here: ", ". Done."),
        ("I'll call {'a': 'it's'} now", {"a": "it's"}, "I'll call ", " now"),
        ('See [1] and {x}: {"a": 1}', {"a": 1}, "See [1] and {x}: ", ""),
        ('Not {"b": 2} but\n```json\n{"a": 1\n```\n', {"a": 1}, 'Not {"b": 2} but\n```json\n', "```\n"),
        ('```\n[{"a": 1},]\n```', [{"a": 1}], "```\n", "\n```"),
        ("The list is [1, 2].", [1, 2], "The list is ", "."),
        ("12", 12, "", ""),
        ("True", True, "", ""),
        ('  "text"\n', "text", "  ", "\n"),
        ('{"a": {"b": 1}}}', {"a": {"b": 1}}, "", ""),
        ("{}", {}, "", ""),
    ],
)
def test_a_value_somewhere_in_a_text_is_found(text, value, before, after):
    """The text before and behind it is told; a footnote is no value where there is an object."""
    found = find_value(text)
    assert (found.decoded.ok, found.decoded.value) == (True, value)
    assert (found.before, found.after) == (before, after)


@pytest.mark.parametrize("text", ["", "nothing here", "a {b} c", "f(x) [y]", "{{name}}"])
def test_a_text_without_a_value_has_none(text):
    """Brackets in prose are no value."""
    found = find_value(text)
    assert not found.decoded.ok
    assert (found.before, found.after) == (text, "")


def test_nothing_is_taken_in_place_of_an_object_that_cannot_be_read():
    """The arguments of a broken call are no call."""
    found = find_value('Do {"name": "f", x y: 1, "arguments": {"a": 1}} now')
    assert found.decoded.value == {"name": "f", "x y": 1, "arguments": {"a": 1}}
    assert found.decoded.issues
    careful = find_value(found.text, options=DecodeOptions())
    assert not careful.decoded.ok


def test_another_value_behind_the_first_is_an_issue():
    """The first one is taken, and the second one is not lost in silence."""
    text = '{"a": 1} or {"b": 2}'
    found = find_value(text)
    assert found.decoded.value == {"a": 1}
    assert [(issue.code, issue.span.of(text)) for issue in found.decoded.issues] == [
        (Reason.SEVERAL_VALUES, '{"b": 2}')
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [('{"a": 1}', {"a": 1}), (" [1, 2] ", [1, 2]), ("{'a': None}", {"a": None}), ('{"a": [1', {"a": [1]})],
)
def test_json_in_a_string_is_read(text, value):
    """Arguments as a string hold an object or a list and nothing else."""
    decoded = decode_nested(text)
    assert (decoded.ok, decoded.value, decoded.cut) == (True, value, ())


@pytest.mark.parametrize("text", ["", "12", "true", '"a"', "text", '{"a": 1} x', "{x}"])
def test_a_string_that_is_no_object_or_list_stays_a_string(text):
    """What looks like a number was written as a string."""
    assert not decode_nested(text).ok
