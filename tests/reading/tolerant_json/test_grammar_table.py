"""Keys, words and punctuation in every form that models write.

Each row is a text, the value that is plainly meant, and the repairs that it takes: the kind, then where it begins and ends.
"""

import pytest

from actionledger.reading.tolerant_json import decode

INF = float("inf")

UNQUOTED_KEY = [
    ("{a: 1}", {"a": 1}, "unquoted_key@1-2"),
    ('{a: 1, b_2: "x", $c: null}', {"a": 1, "b_2": "x", "$c": None}, "unquoted_key@1-2 unquoted_key@7-10 unquoted_key@17-19"),
    ('{1: "x"}', {"1": "x"}, "unquoted_key@1-2"),
    ("{a-b: 1}", {"a-b": 1}, "unquoted_key@1-4"),
    ("{a.b: 1}", {"a.b": 1}, "unquoted_key@1-4"),
    ('{"a": {b: [1, {c: 2}]}}', {"a": {"b": [1, {"c": 2}]}}, "unquoted_key@7-8 unquoted_key@15-16"),
    ("{größe: 1}", {"größe": 1}, "unquoted_key@1-6"),
    ("{a : 1}", {"a": 1}, "unquoted_key@1-2"),
    ("{true: 1}", {"true": 1}, "unquoted_key@1-5"),
    ("{None: 1}", {"None": 1}, "unquoted_key@1-5"),
    ('{a: "say "hi" now", b: 1}', {"a": 'say "hi" now', "b": 1}, "unquoted_key@1-2 inner_quote@9-13 unquoted_key@20-21"),
]  # fmt: skip

UNQUOTED_VALUE = [
    ('{"a": hello}', {"a": "hello"}, "unquoted_value@6-11"),
    ('{"a": hello world}', {"a": "hello world"}, "unquoted_value@6-17"),
    ('{"a": hello, "b": 1}', {"a": "hello", "b": 1}, "unquoted_value@6-11"),
    ("[red, green]", ["red", "green"], "unquoted_value@1-4 unquoted_value@6-11"),
    ("{a: hello}", {"a": "hello"}, "unquoted_key@1-2 unquoted_value@4-9"),
    ('{"a": https://x.org/p?q=1&r=2, "b": 1}', {"a": "https://x.org/p?q=1&r=2", "b": 1}, "unquoted_value@6-29"),
    ('{"a": 2024-01-01}', {"a": "2024-01-01"}, "unquoted_value@6-16"),
    ('{"a": 10:30}', {"a": "10:30"}, "unquoted_value@6-11"),
    ('{"a": 1.2.3}', {"a": "1.2.3"}, "unquoted_value@6-11"),
    ('{"a": 50%}', {"a": "50%"}, "unquoted_value@6-9"),
    ('{"a": ./src/x.py}', {"a": "./src/x.py"}, "unquoted_value@6-16"),
    ('{"a": user@example.org}', {"a": "user@example.org"}, "unquoted_value@6-22"),
    ("{\n  a: hello\n  b: there\n}", {"a": "hello", "b": "there"}, "unquoted_key@4-5 unquoted_value@7-12 missing_comma@15-15 unquoted_key@15-16 unquoted_value@18-23"),
    ('{"a": 5 apples, "b": 1}', {"a": "5 apples", "b": 1}, "unquoted_value@6-14"),
    ('{"a": it\'s fine}', {"a": "it's fine"}, "unquoted_value@6-15"),
]  # fmt: skip

LITERAL = [
    ('{"a": True}', {"a": True}, "literal@6-10"),
    ('{"a": False, "b": None}', {"a": False, "b": None}, "literal@6-11 literal@18-22"),
    ("[TRUE, FALSE, NULL]", [True, False, None], "literal@1-5 literal@7-12 literal@14-18"),
    ('{"a": undefined}', {"a": None}, "literal@6-15"),
    ("[Infinity, -Infinity, inf]", [INF, -INF, INF], "non_finite_number@1-9 non_finite_number@11-20 non_finite_number@22-25"),
    ("True", True, "literal@0-4"),
    ('{"a": +Infinity}', {"a": INF}, "non_finite_number@6-15"),
    ("{'a': None}", {"a": None}, "quotes@1-4 literal@6-10"),
    ('{"a": True // yes\n}', {"a": True}, "literal@6-10 comment@11-17"),
]  # fmt: skip

NUMBER = [
    ("[0x1F]", [31], "number@1-5"),
    ("[-0xff]", [-255], "number@1-6"),
    ("[1_000]", [1000], "number@1-6"),
    ("[+1]", [1], "number@1-3"),
    ("[.5]", [0.5], "number@1-3"),
    ("[-.5]", [-0.5], "number@1-4"),
    ("[1.]", [1.0], "number@1-3"),
    ("[007]", [7], "number@1-4"),
    ("[00]", [0], "number@1-3"),
    ("[0b101, 0o17]", [5, 15], "number@1-6 number@8-12"),
    ('{"a": 1_000.5}', {"a": 1000.5}, "number@6-13"),
    ("[1.e3]", [1000.0], "number@1-5"),
    ("[+.5e1]", [5.0], "number@1-6"),
    ("01", 1, "number@0-2"),
    ('{"a": 0xFF, "b": 1}', {"a": 255, "b": 1}, "number@6-10"),
]  # fmt: skip

COLON = [
    ('{"a" = 1}', {"a": 1}, "colon@5-6"),
    ('{"a"=1, "b"="c"}', {"a": 1, "b": "c"}, "colon@4-5 colon@11-12"),
    ('{"a" => 1}', {"a": 1}, "colon@5-7"),
    ('{a=1, b="x"}', {"a": 1, "b": "x"}, "unquoted_key@1-2 colon@2-3 unquoted_key@6-7 colon@7-8"),
    ('{a = "x"}', {"a": "x"}, "unquoted_key@1-2 colon@3-4"),
]  # fmt: skip

MISSING_COLON = [
    ('{"a" 1}', {"a": 1}, "missing_colon@5-5"),
    ('{"a" "b"}', {"a": "b"}, "missing_colon@5-5"),
    ('{"a" {"b": 1}}', {"a": {"b": 1}}, "missing_colon@5-5"),
    ('{"a" [1], "b" true}', {"a": [1], "b": True}, "missing_colon@5-5 missing_colon@14-14"),
    ('{"a"\n"b", "c": 1}', {"a": "b", "c": 1}, "missing_colon@5-5"),
]  # fmt: skip

MISSING_COMMA = [
    ('{"a": 1 "b": 2}', {"a": 1, "b": 2}, "missing_comma@8-8"),
    ('{"a": "x" "b": "y"}', {"a": "x", "b": "y"}, "missing_comma@10-10"),
    ('{"a": "x"\n"b": "y"}', {"a": "x", "b": "y"}, "missing_comma@10-10"),
    ("[1 2 3]", [1, 2, 3], "missing_comma@3-3 missing_comma@5-5"),
    ('["a" "b"]', ["a", "b"], "missing_comma@5-5"),
    ('["a"\n"b"\n"c"]', ["a", "b", "c"], "missing_comma@5-5 missing_comma@9-9"),
    ('[{"a": 1} {"b": 2}]', [{"a": 1}, {"b": 2}], "missing_comma@10-10"),
    ("[[1] [2]]", [[1], [2]], "missing_comma@5-5"),
    ('{"a": {"b": 1} "c": 2}', {"a": {"b": 1}, "c": 2}, "missing_comma@15-15"),
    ('{"a": [1] "c": 2}', {"a": [1], "c": 2}, "missing_comma@10-10"),
    ('{"a": true "b": null}', {"a": True, "b": None}, "missing_comma@11-11"),
    ("{a: 1\nb: 2}", {"a": 1, "b": 2}, "unquoted_key@1-2 missing_comma@6-6 unquoted_key@6-7"),
    ("{'a': 'x' 'b': 'y'}", {"a": "x", "b": "y"}, "quotes@1-4 quotes@6-9 missing_comma@10-10 quotes@10-13 quotes@15-18"),
    ('["a" 1]', ["a", 1], "missing_comma@5-5"),
    ('["a" null]', ["a", None], "missing_comma@5-5"),
    ("[null 12, 1.5 true]", [None, 12, 1.5, True], "missing_comma@6-6 missing_comma@14-14"),
    ("[true false 3]", [True, False, 3], "missing_comma@6-6 missing_comma@12-12"),
    ('[1"a", 2]', [1, "a", 2], "missing_comma@2-2"),
]  # fmt: skip

EXTRA_COMMA = [
    ("[1,,2]", [1, 2], "extra_comma@3-4"),
    ('{"a": 1,, "b": 2}', {"a": 1, "b": 2}, "extra_comma@8-9"),
    ("[,1]", [1], "extra_comma@1-2"),
    ('{,"a": 1}', {"a": 1}, "extra_comma@1-2"),
    ("[1, , 2]", [1, 2], "extra_comma@4-5"),
    ("[,]", [], "extra_comma@1-2"),
    ("[1,,]", [1], "trailing_comma@2-3 extra_comma@3-4"),
    ("[1,,,2]", [1, 2], "extra_comma@3-5"),
]  # fmt: skip

TRAILING_COMMA = [
    ('{"a": 1,}', {"a": 1}, "trailing_comma@7-8"),
    ("[1, 2,]", [1, 2], "trailing_comma@5-6"),
    ('{"a": [1,], "b": {"c": 2,},}', {"a": [1], "b": {"c": 2}}, "trailing_comma@8-9 trailing_comma@24-25 trailing_comma@26-27"),
    ("[1, ]", [1], "trailing_comma@2-3"),
    ("[1,\n]", [1], "trailing_comma@2-3"),
    ("[1, // c\n]", [1], "trailing_comma@2-3 comment@4-8"),
    ('{"a": "x",}', {"a": "x"}, "trailing_comma@9-10"),
]  # fmt: skip

SEPARATOR = [
    ('{"a": 1; "b": 2}', {"a": 1, "b": 2}, "separator@7-8"),
    ("[1; 2; 3]", [1, 2, 3], "separator@2-3 separator@5-6"),
    ('{"a": "x"; "b": "y"}', {"a": "x", "b": "y"}, "separator@9-10"),
    ("{a: 'x'; b: 1}", {"a": "x", "b": 1}, "unquoted_key@1-2 quotes@4-7 separator@7-8 unquoted_key@9-10"),
]  # fmt: skip

ELLIPSIS = [
    ("[1, 2, ...]", [1, 2], "trailing_comma@5-6 ellipsis@7-10"),
    ('{"a": 1, ...}', {"a": 1}, "trailing_comma@7-8 ellipsis@9-12"),
    ("[...]", [], "ellipsis@1-4"),
    ('["a", ..., "z"]', ["a", "z"], "ellipsis@6-10"),
    ("[1, 2 ...]", [1, 2], "ellipsis@6-9"),
    ("[1, …]", [1], "trailing_comma@2-3 ellipsis@4-5"),
    ("{...}", {}, "ellipsis@1-4"),
    ('["a" ...]', ["a"], "ellipsis@5-8"),
    ("[5...]", [5], "ellipsis@2-5"),
]  # fmt: skip

COMMENT = [
    ('{"a": 1 // c\n}', {"a": 1}, "comment@8-12"),
    ('{"a": 1, /* c */ "b": 2}', {"a": 1, "b": 2}, "comment@9-16"),
    ("[1, # c\n2]", [1, 2], "comment@4-7"),
    ('// c\n{"a": 1}', {"a": 1}, "comment@0-4"),
    ('{"a": /* c */ 1}', {"a": 1}, "comment@6-13"),
    ('{/* c */"a": 1}', {"a": 1}, "comment@1-8"),
    ('{"a" /* c */: 1}', {"a": 1}, "comment@5-12"),
    ("[/* [1, 2] */ 3]", [3], "comment@1-13"),
    ("[1 /* , 2 */]", [1], "comment@3-12"),
    ('{"a": "x", // note "quoted"\n"b": 1}', {"a": "x", "b": 1}, "comment@11-27"),
    ('{\n  // first\n  "a": "// no comment", // last\n}', {"a": "// no comment"}, "comment@4-12 trailing_comma@35-36 comment@37-44"),
    ('["http://x", "y"] ', ["http://x", "y"], ""),
    ("/* a */ /* b */ [1]", [1], "comment@0-7 comment@8-15"),
]  # fmt: skip

MISSING_CLOSER = [
    ('{"a": [1, 2}', {"a": [1, 2]}, "missing_closer@11-11"),
    ('[{"a": 1]', [{"a": 1}], "missing_closer@8-8"),
    ('{"a": {"b": [1, {"c": 2}}}', {"a": {"b": [1, {"c": 2}]}}, "missing_closer@24-24"),
    ('[[1, 2], [{"a": [3]]]', [[1, 2], [{"a": [3]}]], "missing_closer@19-19"),
    ('[{"a": "x"]', [{"a": "x"}], "missing_closer@10-10"),
    ('[{"a": 1, 5]', [{"a": 1}, 5], "missing_closer@8-8"),
    ('[{"a": 1, "b": 2, "x", {"c": 3}]', [{"a": 1, "b": 2}, "x", {"c": 3}], "missing_closer@16-16"),
    ('{"a": [1, 2, "b": 3}', {"a": [1, 2], "b": 3}, "missing_closer@11-11"),
    ('{"a": ["x", "b": {"c": [4]}}', {"a": ["x"], "b": {"c": [4]}}, "missing_closer@10-10"),
    ('[\n  {\n    "a": 1,\n    "b": {\n      "c": 2\n    }\n]', [{"a": 1, "b": {"c": 2}}], "missing_closer@48-48"),
    ('[\n  {"x": {\n    "a": 1,\n    "b": 2}\n]', [{"x": {"a": 1, "b": 2}}], "missing_closer@36-36"),
]  # fmt: skip

EXTRA_CLOSER = [
    ('{"a": {"b": 1}}, "c": 2}', {"a": {"b": 1}, "c": 2}, "extra_closer@14-15"),
    ('{"a": 1], "b": 2}', {"a": 1, "b": 2}, "extra_closer@7-8"),
    ('{"a": [1]], "b": 2}', {"a": [1], "b": 2}, "extra_closer@9-10"),
    ('[{"a": 1}}, {"b": 2}]', [{"a": 1}, {"b": 2}], "extra_closer@9-10"),
    ("[1), 2]", [1, 2], "extra_closer@2-3"),
    ('{"a": [{"b": 1}}, 2]}', {"a": [{"b": 1}, 2]}, "extra_closer@15-16"),
    ('[{"a": 1}, "b": 2}, 3]', [{"a": 1, "b": 2}, 3], "extra_closer@8-9"),
    ('{"k": [{"a": 1}, "b": 2}, 3]}', {"k": [{"a": 1, "b": 2}, 3]}, "extra_closer@14-15"),
]  # fmt: skip

WRONG_CLOSER = [
    ('{"a": [1, 2}}', {"a": [1, 2]}, "missing_closer@11-11 extra_closer@11-12"),
    ('{"x": {"a": [1, 2}, "b": 3}}', {"x": {"a": [1, 2], "b": 3}}, "missing_closer@17-17 extra_closer@17-18"),
    ('{"x": {"a": 1], "b": 2}', {"x": {"a": 1}, "b": 2}, "missing_closer@13-13 extra_closer@13-14"),
    ('[{"a": 1], 2]', [{"a": 1}, 2], "missing_closer@8-8 extra_closer@8-9"),
    ('[{"a": [1, 2}, "b": 3}]', [{"a": [1, 2], "b": 3}], "missing_closer@12-12 extra_closer@12-13"),
    ('{"a": 1]', {"a": 1}, "missing_closer@7-7 extra_closer@7-8"),
    ('{"a": [{"b": 2}, {"c": 3]]}', {"a": [{"b": 2}, {"c": 3}]}, "missing_closer@24-24 extra_closer@24-25"),
]  # fmt: skip

SPACE = [
    ('\ufeff{"a": 1}', {"a": 1}, "space@0-1"),
    ('{"a":\xa01}', {"a": 1}, "space@5-6"),
    ('{\u200b"a": 1}', {"a": 1}, "space@1-2"),
    ("[1,\u30002]", [1, 2], "space@3-4"),
    ("[1\u2028,2]", [1, 2], "space@2-3"),
    ('{"a"\u2009: 1}', {"a": 1}, "space@4-5"),
    ("[\x0c1]", [1], "space@1-2"),
]  # fmt: skip

BRACKETS = [
    ("[(1, 2)]", [[1, 2]], "brackets@1-2 brackets@6-7"),
    ('{"a": (1, "b")}', {"a": [1, "b"]}, "brackets@6-7 brackets@13-14"),
    ('{{"a": {{"b": 1}}}}', {"a": {"b": 1}}, "brackets@0-2 brackets@7-9 brackets@15-17 brackets@17-19"),
    ('{{"a": {"b": {}}}}', {"a": {"b": {}}}, "brackets@0-2 brackets@16-18"),
    ('{"a"： "x"， "b"： [1，2]}', {"a": "x", "b": [1, 2]}, "colon@4-5 separator@9-10 colon@14-15 separator@18-19"),
    (r'{"a": \"x y", "b": 1}', {"a": "x y", "b": 1}, "quotes@6-8"),
    ("[(1,)]", [[1]], "brackets@1-2 brackets@3-4 brackets@4-5"),
    ('{"a": ()}', {"a": []}, "brackets@6-7 brackets@7-8"),
    ("{'a': ('x', ('y', 'z'))}", {"a": ["x", ["y", "z"]]}, "quotes@1-4 brackets@6-7 quotes@7-10 brackets@12-13 quotes@13-16 quotes@18-21 brackets@21-22 brackets@22-23"),
]  # fmt: skip

SEVERAL = [
    ("{'a': True, b: 'x',} ", {"a": True, "b": "x"}, "quotes@1-4 literal@6-10 unquoted_key@12-13 quotes@15-18 trailing_comma@18-19"),
    ('{name: "f", arguments: {city: \'Paris\', n: 0x10,}}', {"name": "f", "arguments": {"city": "Paris", "n": 16}}, "unquoted_key@1-5 unquoted_key@12-21 unquoted_key@24-28 quotes@30-37 unquoted_key@39-40 number@42-46 trailing_comma@46-47"),
    ('{\'actions\': [{\'type\': \'add\', \'text\': \'it\'s, "done"\'}, ...]}', {"actions": [{"type": "add", "text": 'it\'s, "done"'}]}, "quotes@1-10 quotes@14-20 quotes@22-27 quotes@29-35 quotes@37-38 inner_quote@38-50 quotes@50-51 trailing_comma@52-53 ellipsis@54-57"),
    ('{"a": “x”; // c\n b: None}', {"a": "x", "b": None}, "quotes@6-9 separator@9-10 comment@11-15 unquoted_key@17-18 literal@20-24"),
    ('{"a" = "x\ny",\n}', {"a": "x\ny"}, "colon@5-6 control_character@9-10 trailing_comma@12-13"),
    ("[{'a': 1}, {'b': 2,}, {c: 3}]", [{"a": 1}, {"b": 2}, {"c": 3}], "quotes@2-5 quotes@12-15 trailing_comma@18-19 unquoted_key@23-24"),
]  # fmt: skip

DUPLICATES = [
    ('{"a": 1, "a": 2}', {"a": 2}, ""),
    ("{'a': 1, 'b': 2, 'a': 3}", {"a": 3, "b": 2}, "quotes@1-4 quotes@9-12 quotes@17-20"),
    ('[{"a": {"x": 1, "x": 1}}]', [{"a": {"x": 1}}], ""),
]  # fmt: skip

TABLE = [
    *UNQUOTED_KEY,
    *UNQUOTED_VALUE,
    *LITERAL,
    *NUMBER,
    *COLON,
    *MISSING_COLON,
    *MISSING_COMMA,
    *EXTRA_COMMA,
    *TRAILING_COMMA,
    *SEPARATOR,
    *ELLIPSIS,
    *COMMENT,
    *MISSING_CLOSER,
    *EXTRA_CLOSER,
    *WRONG_CLOSER,
    *SPACE,
    *BRACKETS,
    *SEVERAL,
    *DUPLICATES,
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
