"""Strings in every form that models write: quotes, escapes, quotes inside, quotes left out.

Each row is a text, the value that is plainly meant, and the repairs that it takes: the kind, then where it begins and ends.
"""

import pytest

from actionledger.reading.tolerant_json import decode

INF = float("inf")

VALID = [
    ("{}", {}, ""),
    ("[]", [], ""),
    ('  {"a": 1}  ', {"a": 1}, ""),
    ('{"a": [1, {"b": null}], "c": "d"}', {"a": [1, {"b": None}], "c": "d"}, ""),
    ('"text"', "text", ""),
    ("12", 12, ""),
    ("-0.5e3", -500.0, ""),
    ("true", True, ""),
    ("null", None, ""),
    ('"a \\"b\\" \\\\ \\/ \\b\\f\\n\\r\\t \\u00e9 \\ud83d\\ude00"', 'a "b" \\ / \x08\x0c\n\r\t é 😀', ""),
    ('{"a b": {"": ""}}', {"a b": {"": ""}}, ""),
    ('{"ключ": "値"}', {"ключ": "値"}, ""),
    ("[1,\r\n\t2]", [1, 2], ""),
    ('{"a": "it\'s, {not} [json]: //x #y"}', {"a": "it's, {not} [json]: //x #y"}, ""),
    ('{"a": "“typographic”"}', {"a": "“typographic”"}, ""),
    ('{"a": 1e999}', {"a": INF}, ""),
    ('{"a":{"b":{"c":{"d":{"e":[[[[0]]]]}}}}}', {"a": {"b": {"c": {"d": {"e": [[[[0]]]]}}}}}, ""),
    ('{"a": "```\\ncode\\n```"}', {"a": "```\ncode\n```"}, ""),
    ('{"a": "</tool_call>"}', {"a": "</tool_call>"}, ""),
]  # fmt: skip

QUOTES = [
    ("{'a': 'b'}", {"a": "b"}, "quotes@1-4 quotes@6-9"),
    ('{""a"": 1}', {"a": 1}, "quotes@1-6"),
    ('[\'a\', "b", \'c\']', ["a", "b", "c"], "quotes@1-4 quotes@11-14"),
    ("{'a': 'it's'}", {"a": "it's"}, "quotes@1-4 quotes@6-7 inner_quote@9-12"),
    ("{'it's': 1}", {"it's": 1}, "quotes@1-2 inner_quote@4-7"),
    ('{\'a\': \'say "hi"\'}', {"a": 'say "hi"'}, "quotes@1-4 quotes@6-16"),
    ("{'a': 'don\\'t'}", {"a": "don't"}, "quotes@1-4 quotes@6-14"),
    ("{'a': ''}", {"a": ""}, "quotes@1-4 quotes@6-8"),
    ("{'a': 'x', 'b': 'y'}", {"a": "x", "b": "y"}, "quotes@1-4 quotes@6-9 quotes@11-14 quotes@16-19"),
    ("['it's', 'they're']", ["it's", "they're"], "quotes@1-2 inner_quote@4-7 quotes@9-10 inner_quote@14-18"),
    ("{'a': 'line\\nbreak'}", {"a": "line\nbreak"}, "quotes@1-4 quotes@6-19"),
    ("{'a': 'C:\\\\dir'}", {"a": "C:\\dir"}, "quotes@1-4 quotes@6-15"),
    ("'text'", "text", "quotes@0-6"),
    ("{“a”: “b”}", {"a": "b"}, "quotes@1-4 quotes@6-9"),
    ('{""to": 7}', {"to": 7}, "quotes@2-3"),
    ('{"to"": 7}', {"to": 7}, "quotes@5-6"),
    ('{"to": "Rom“, "n": 7}', {"to": "Rom", "n": 7}, "quotes@7-12"),
    ('{"to": \'Rom", "n": 7}', {"to": "Rom", "n": 7}, "quotes@7-12"),
    ('{"to": "Rom\', "n": 7}', {"to": "Rom", "n": 7}, "quotes@7-12"),
    ('{"to": "Rom\'}', {"to": "Rom"}, "quotes@7-12"),
    ('{"to\': 7, "n": 8}', {"to": 7, "n": 8}, "quotes@1-5"),
    ("{„a“: „b“}", {"a": "b"}, "quotes@1-4 quotes@6-9"),
    ("{„a”: „b”}", {"a": "b"}, "quotes@1-4 quotes@6-9"),
    ("{‘a’: ‘b’}", {"a": "b"}, "quotes@1-4 quotes@6-9"),
    ("{«a»: «b»}", {"a": "b"}, "quotes@1-4 quotes@6-9"),
    ("{‘a’: ‘it’s’}", {"a": "it’s"}, "quotes@1-4 quotes@6-7 inner_quote@9-12"),
    ('{“a”: “say "hi" now”}', {"a": 'say "hi" now'}, "quotes@1-4 quotes@6-20"),
    ('{"a": “b”}', {"a": "b"}, "quotes@6-9"),
    ("[“a”, “b”]", ["a", "b"], "quotes@1-4 quotes@6-9"),
    ("{”a”: ”b”}", {"a": "b"}, "quotes@1-4 quotes@6-9"),
    ('{"a": `b`}', {"a": "b"}, "quotes@6-9"),
    ("{`a`: `b`}", {"a": "b"}, "quotes@1-4 quotes@6-9"),
    ('{"a": `x "y" \'z\'`}', {"a": 'x "y" \'z\''}, "quotes@6-17"),
    ('{"a": `line\nbreak`}', {"a": "line\nbreak"}, "quotes@6-18"),
    ('{"a": \'b\', "c": "d"}', {"a": "b", "c": "d"}, "quotes@6-9"),
    ("{'a': {'b': ['c', 'd']}}", {"a": {"b": ["c", "d"]}}, "quotes@1-4 quotes@7-10 quotes@13-16 quotes@18-21"),
]  # fmt: skip

TRIPLE_QUOTES = [
    ('{"a": """x"""}', {"a": "x"}, "triple_quotes@6-13"),
    ("{'a': '''x'''}", {"a": "x"}, "quotes@1-4 triple_quotes@6-13"),
    ('{"a": """x "y" z"""}', {"a": 'x "y" z'}, "triple_quotes@6-19"),
    ('{"code": """def f():\n    return "1"\n"""}', {"code": 'def f():\n    return "1"\n'}, "triple_quotes@9-39"),
    ('["""a""", """b"""]', ["a", "b"], "triple_quotes@1-8 triple_quotes@10-17"),
    ('{"a": """""", "b": 1}', {"a": "", "b": 1}, "triple_quotes@6-12"),
]  # fmt: skip

STRING_PREFIX = [
    ('{"a": r"\\d+"}', {"a": "\\d+"}, "string_prefix@6-7 string_prefix@8-11"),
    ("{'a': u'x'}", {"a": "x"}, "quotes@1-4 string_prefix@6-7 quotes@7-10"),
    ('{"a": b"x"}', {"a": "x"}, "string_prefix@6-7"),
    ('{"a": f"x"}', {"a": "x"}, "string_prefix@6-7"),
    ('[rb"\\x"]', ["\\x"], "string_prefix@1-3 string_prefix@4-6"),
    ('{"a": R"C:\\new"}', {"a": "C:\\new"}, "string_prefix@6-7 string_prefix@8-14"),
]  # fmt: skip

INNER_QUOTE = [
    ('{"a": "say "hi" now"}', {"a": 'say "hi" now'}, "inner_quote@11-15"),
    ('{"a": "say "hi""}', {"a": 'say "hi"'}, "inner_quote@11-15"),
    ('{"a": ""hi" she said"}', {"a": '"hi" she said'}, "inner_quote@7-11"),
    ('{"a": "say "hi" now", "b": 1}', {"a": 'say "hi" now', "b": 1}, "inner_quote@11-15"),
    ('{"a": "he said "no", then left", "b": 1}', {"a": 'he said "no", then left', "b": 1}, "inner_quote@15-19"),
    ('["say "hi" now"]', ['say "hi" now'], "inner_quote@6-10"),
    ('["say "hi" now", "b"]', ['say "hi" now', "b"], "inner_quote@6-10"),
    ('{"a": "6" pipe", "b": 1}', {"a": '6" pipe', "b": 1}, "inner_quote@8-9"),
    ('{"a": "5\'10"", "b": 1}', {"a": '5\'10"', "b": 1}, "inner_quote@11-12"),
    ('{"a": {"b": "x "y" z"}, "c": 1}', {"a": {"b": 'x "y" z'}, "c": 1}, "inner_quote@15-18"),
    ('[{"a": "x "y" z"}, {"a": "b"}]', [{"a": 'x "y" z'}, {"a": "b"}], "inner_quote@10-13"),
    ('{"a "b" c": 1}', {'a "b" c': 1}, "inner_quote@4-7"),
    ('{"a": "x "y" and "z" end"}', {"a": 'x "y" and "z" end'}, "inner_quote@9-20"),
    ('{"a": "esc \\"in\\" and "out" end"}', {"a": 'esc "in" and "out" end'}, "inner_quote@22-27"),
    ('{"html": "<a href="x">y</a>"}', {"html": '<a href="x">y</a>'}, "inner_quote@18-21"),
    ('{"arguments": "{"city": "Paris"}"}', {"arguments": '{"city": "Paris"}'}, "inner_quote@16-31"),
    ('{"name": "f", "arguments": "{"a": 1, "b": "c"}", "id": 2}', {"name": "f", "arguments": '{"a": 1, "b": "c"}', "id": 2}, "inner_quote@29-45"),
    ('{"a": "["x", "y"]"}', {"a": '["x", "y"]'}, "inner_quote@8-16"),
    ('{"cmd": "grep "a b" file"}', {"cmd": 'grep "a b" file'}, "inner_quote@14-19"),
    ('{"a": "x:"y""}', {"a": 'x:"y"'}, "inner_quote@9-12"),
    ('{"a": "one\n"two" three"}', {"a": 'one\n"two" three'}, "control_character@10-11 inner_quote@11-16"),
    ('["a "b\n" c"]', ['a "b\n" c'], "inner_quote@4-5 control_character@6-7 inner_quote@7-8"),
    ('{"a": "x\n"y"\nz "q""}', {"a": 'x\n"y"\nz "q"'}, "control_character@8-9 inner_quote@9-12 control_character@12-13 inner_quote@15-18"),
    ('{"code": "print({"a": "b", "c": 1})", "n": 1}', {"code": 'print({"a": "b", "c": 1})', "n": 1}, "inner_quote@17-30"),
    ('{"code": "if (x) {"a"} else {"b"}"}', {"code": 'if (x) {"a"} else {"b"}'}, "inner_quote@18-32"),
    ('{"code": "f(["a", "b"], {"k": "v", "w": [1]})", "n": {"m": 1}}', {"code": 'f(["a", "b"], {"k": "v", "w": [1]})', "n": {"m": 1}}, "inner_quote@13-38"),
    ('["run f({"a": "b", "c": 1})", "x"]', ['run f({"a": "b", "c": 1})', "x"], "inner_quote@9-22"),
    ('{"a": "["# x", "```py"]", "b": 1}', {"a": '["# x", "```py"]', "b": 1}, "inner_quote@8-22"),
]  # fmt: skip

UNCLOSED_STRING = [
    ('{"a": "x, "b": 1}', {"a": "x", "b": 1}, "unclosed_string@8-8"),
    ('{"a": "x,\n "b": 1}', {"a": "x", "b": 1}, "unclosed_string@8-8"),
    ('{"a": "x\n "b": 1}', {"a": "x", "b": 1}, "unclosed_string@8-8 missing_comma@10-10"),
    ('{"a": "x"\nb": "y"}', {"a": "x", "b": "y"}, "missing_comma@10-10 unclosed_string@10-10"),
    ('{"a: 1, "b": 2}', {"a": 1, "b": 2}, "unclosed_string@3-3"),
    ('{"first name: "x"}', {"first name": "x"}, "unclosed_string@12-12"),
    ('{a": 1}', {"a": 1}, "unclosed_string@1-1"),
    ('{"a": 1, b": 2}', {"a": 1, "b": 2}, "unclosed_string@9-9"),
    ('{"a": hello", "b": 1}', {"a": "hello", "b": 1}, "unclosed_string@6-6"),
    ('{"a": New York"}', {"a": "New York"}, "unclosed_string@6-6"),
    ('{"a": a, b", "c": 1}', {"a": "a, b", "c": 1}, "unclosed_string@6-6"),
    ('{"a": see f(x)[1]", "c": 1}', {"a": "see f(x)[1]", "c": 1}, "unclosed_string@6-6"),
    ('{"a": he said \\"no\\"", "c": 1}', {"a": 'he said "no"', "c": 1}, "unclosed_string@6-6"),
    ('{"a": \\d+"}', {"a": "\\d+"}, "unclosed_string@6-6 escape@6-8"),
    ('{"a": # heading"\n}', {"a": "# heading"}, "unclosed_string@6-6"),
    ('["x", naïve 😀", 1]', ["x", "naïve 😀", 1], "unclosed_string@6-6"),
    ('{first name": 1}', {"first name": 1}, "unclosed_string@1-1"),
    ('{gr\\u00f6\\u00dfe": 1}', {"größe": 1}, "unclosed_string@1-1"),
    ('{"gr\\u00f6\\u00dfe: "x"}', {"größe": "x"}, "unclosed_string@17-17"),
    ('{"a: 1}', {"a": 1}, "unclosed_string@3-3"),
    ("{'a': 'x, 'b': 1}", {"a": "x", "b": 1}, "quotes@1-4 quotes@6-7 unclosed_string@8-8 quotes@10-13"),
    ('{"o": {"a": "x}, "b": 1}', {"o": {"a": "x"}, "b": 1}, "unclosed_string@14-14"),
    ('[{"a": "x}, {"b": 1}]', [{"a": "x"}, {"b": 1}], "unclosed_string@9-9"),
    ('{"a": ["x], "b": 1}', {"a": ["x"], "b": 1}, "unclosed_string@9-9"),
    ('{"a": "see {x}, "b": 1}', {"a": "see {x}", "b": 1}, "unclosed_string@14-14"),
    ('{"a": "{x}, "b": 1}', {"a": "{x}", "b": 1}, "unclosed_string@10-10"),
    ('[[1, "x], "y"]', [[1, "x"], "y"], "unclosed_string@7-7"),
]  # fmt: skip

CONTROL_CHARACTER = [
    ('{"a": "x\ny"}', {"a": "x\ny"}, "control_character@8-9"),
    ('{"a": "x\ty"}', {"a": "x\ty"}, "control_character@8-9"),
    ('["\x00"]', ["\x00"], "control_character@2-3"),
    ('{"a\nb": 1}', {"a\nb": 1}, "control_character@3-4"),
    ('{"a": "x\r\ny\r\nz"}', {"a": "x\r\ny\r\nz"}, "control_character@8-13"),
    ('{"a": "def f():\n\treturn \\"x\\"\n"}', {"a": 'def f():\n\treturn "x"\n'}, "control_character@15-30"),
    ('["a\nb", "c\nd"]', ["a\nb", "c\nd"], "control_character@3-4 control_character@10-11"),
    ('"a\nb"', "a\nb", "control_character@2-3"),
]  # fmt: skip

ESCAPE = [
    ('{"a": "\\d"}', {"a": "\\d"}, "escape@7-9"),
    ('{"a": "\\d+\\s*"}', {"a": "\\d+\\s*"}, "escape@7-12"),
    ('{"a": "C:\\Users\\new\\temp"}', {"a": "C:\\Users\\new\\temp"}, "escape@9-20"),
    ('{"a": "it\\\'s"}', {"a": "it's"}, "escape@9-11"),
    ('{"a": "\\x41"}', {"a": "A"}, "escape@7-11"),
    ('{"a": "\\u12"}', {"a": "\\u12"}, "escape@7-9"),
    ('{"a": "\\`x\\`"}', {"a": "`x`"}, "escape@7-12"),
    ('{"a": "\\bword\\d"}', {"a": "\\bword\\d"}, "escape@7-15"),
    ('{"a": "tab\\tand\\d"}', {"a": "tab\tand\\d"}, "escape@15-17"),
    ('{"a": "\\\\ok \\q"}', {"a": "\\ok \\q"}, "escape@12-14"),
    ('{"a\\d": 1}', {"a\\d": 1}, "escape@3-5"),
    ('{"a": "x \\\n y"}', {"a": "x \\\n y"}, "escape@9-11"),
    ('{"a": "\\$5"}', {"a": "\\$5"}, "escape@7-9"),
    ('{"a": "\\d \\"q\\""}', {"a": '\\d "q"'}, "escape@7-9"),
    ('["\\_", "\\*"]', ["\\_", "\\*"], "escape@2-4 escape@8-10"),
]  # fmt: skip

CONCATENATION = [
    ('{"a": "x" + "y"}', {"a": "xy"}, "concatenation@8-13"),
    ('{"a": "x" +\n "y" + "z", "b": 1}', {"a": "xyz", "b": 1}, "concatenation@8-14 concatenation@15-20"),
    ("['a' + 'b']", ["ab"], "quotes@1-3 concatenation@3-8 quotes@8-10"),
    ('["a", "b" + "c"]', ["a", "bc"], "concatenation@8-13"),
]  # fmt: skip

TABLE = [
    *VALID,
    *QUOTES,
    *TRIPLE_QUOTES,
    *STRING_PREFIX,
    *INNER_QUOTE,
    *UNCLOSED_STRING,
    *CONTROL_CHARACTER,
    *ESCAPE,
    *CONCATENATION,
]


@pytest.mark.parametrize(("text", "value", "repairs"), TABLE)
def test_what_is_plainly_meant_is_read_with_every_repair_named(text, value, repairs):
    """The value is the one that is meant, all of the text is read, and each change has its kind and place."""
    decoded = decode(text)
    assert (decoded.ok, decoded.value) == (True, value)
    assert not decoded.cut
    assert not text[decoded.end :].strip()
    assert (
        " ".join(f"{repair.kind}@{repair.span.start}-{repair.span.end}" for repair in decoded.repairs)
        == repairs
    )
    assert all(repair.before == repair.span.of(text) for repair in decoded.repairs)
