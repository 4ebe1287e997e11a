"""Tags for each parameter: exact places, what closes a value, groups, and what no plain reading is found for."""

import pytest

import actionledger as al
from actionledger.core.vocabulary import BlockStatus, Outcome, Reason, RepairKind
from actionledger.reading.dialects.invoke_tags import DeepseekDsml, Step3
from actionledger.reading.dialects.parameter_tags import Glm, Qwen3Coder
from actionledger.reading.parsers import DialectParser

QWEN, GLM, DSML, STEP3 = Qwen3Coder(), Glm(), DeepseekDsml(), Step3()


def read(dialect, text, **decoding):
    return DialectParser(
        name="p", dialects=(dialect,), decoding=decoding or {"repairs": list(RepairKind)}
    ).read(text)


def only_block(dialect, text):
    (block,) = read(dialect, text).blocks
    return block


def qwen(*parameters, name="f"):
    values = "".join(f"<parameter={key}>{value}</parameter>" for key, value in parameters)
    return f"<function={name}>{values}</function>"


def test_block_body_and_action_have_exact_places():
    """The block reaches from the outer tag to its closing tag, the action from its own opening tag to its own end."""
    call = qwen(("a", "1"))
    text = f"🍅 <tool_call>\n{call}\n</tool_call> é"
    reading = read(QWEN, text)
    assert reading.blocks[0].span.of(text) == f"<tool_call>\n{call}\n</tool_call>"
    assert reading.blocks[0].body.of(text) == f"\n{call}\n"
    assert reading.actions[0].span.of(text) == call


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("1", "1"),
        ("", ""),
        ("\n1\n", "1"),
        ("\r\n1\r\n", "1"),
        ("\n", ""),
        ("\n\n1\n\n", "\n1\n"),
        ("  1  ", "  1  "),
        ("\n  1\n  ", "  1\n  "),
    ],
)
def test_a_value_loses_one_line_break_at_each_end(body, value):
    """The template writes a value on lines of its own; everything else in it is the model's."""
    assert read(QWEN, qwen(("a", body))).actions[0].arguments == {"a": value}


@pytest.mark.parametrize(
    "value",
    [
        "</tool_call>",
        "</function>",
        "<function=g>",
        "<function=g> is written so",
        "<parameter=b>2</parameter>",
        "<parameters>\n<parameter>a</parameter>\n<parameter>b</parameter>\n</parameters>",
        '<parameter name="b" value="2"/>',
        "```\ncode\n```",
        "<b>&amp;</b>",
    ],
)
def test_a_value_may_hold_what_looks_like_tags(value):
    """Tags that are closed in it, and other ones, are the value's own."""
    reading = read(QWEN, f"<tool_call>{qwen(('a', f'x {value} y'), ('z', '1'))}</tool_call>")
    assert reading.outcome is Outcome.CLEAN
    assert reading.actions[0].arguments == {"a": f"x {value} y", "z": "1"}


@pytest.mark.parametrize(
    "value",
    [
        "<parameter=b>",
        '</parameter> <parameter name="b">2',
        "<parameter=b>2</parameter> <function=g>",
        "<function=g><parameter=b>2</parameter>",
    ],
)
def test_a_value_that_opens_what_it_does_not_close_is_ambiguous(value):
    """It may be quoted, or the tag was never closed: neither reading is run, nor is anything inside."""
    reading = read(QWEN, f"{qwen(('a', f'x {value} y'))}\nDone.")
    assert [block.reason for block in reading.blocks] == [Reason.AMBIGUOUS]
    assert reading.actions == ()


@pytest.mark.parametrize(
    "value",
    [
        qwen(("b", "2"), name="g"),
        f"{qwen(('b', '2'), name='g')} and {qwen(('c', '3'), name='h')}",
        qwen(("b", f"in {qwen(('c', '3'), name='h')}"), name="g"),
    ],
)
def test_a_value_may_hold_whole_calls(value):
    """Each of their tags is closed, and so is the value behind them: one reading, and nothing inside is run."""
    reading = read(QWEN, f"<tool_call>{qwen(('a', f'x {value} y'), ('z', '1'))}</tool_call>\nDone.")
    assert [(action.name, action.arguments) for action in reading.actions] == [
        ("f", {"a": f"x {value} y", "z": "1"})
    ]
    assert reading.outcome is Outcome.CLEAN
    assert reading.narrative == "Done."


@pytest.mark.parametrize(
    "value",
    ["</parameter>", "a </parameter> b", "</parameter>\nthen", "<parameter=b>2</parameter> </parameter>"],
)
def test_a_closing_tag_in_a_sentence_stays_and_is_said(value):
    """The format's own mark is content only with a repair; strictly, it is none."""
    text = f"<tool_call>{qwen(('a', f'x {value} y'), ('z', '1'))}</tool_call>"
    reading = read(QWEN, text)
    assert reading.actions[0].arguments == {"a": f"x {value} y", "z": "1"}
    [repair] = reading.blocks[0].repairs
    assert (repair.kind, repair.before) == (RepairKind.STRAY_MARK, "</parameter>")
    assert repair.span.of(text) == "</parameter>"


@pytest.mark.parametrize(
    "value",
    [
        "\nusers\n</parameter>\np<arameter=limit>\n1500\n",
        "users</parameter>1500",
        "x</PARAMETER>",
        "\nx\n<",
        "x=/parameter>",
    ],
)
def test_a_value_that_may_end_before_is_not_run(value):
    """A tag was lost or misspelt, or the text names one: nobody can tell."""
    reading = read(
        QWEN, f"<tool_call>\n<function=f>\n<parameter=a>{value}</parameter>\n</function>\n</tool_call>"
    )
    assert [block.reason for block in reading.blocks] == [Reason.AMBIGUOUS]


@pytest.mark.parametrize(
    "value", ["<", "a <", "<Parameter>1</Parameter>", "<para>x</para>", "say `</parameter>`\nthen"]
)
def test_a_value_of_signs_or_tags_of_its_own_is_read(value):
    text = f"<tool_call>\n<function=f>\n<parameter=a>\n{value}\n</parameter>\n</function>\n</tool_call>"
    assert read(QWEN, text).actions[0].arguments == {"a": value}


def test_a_value_without_its_closing_tag_ends_before_the_line_break():
    """The call's own closing tag stands on a line of its own."""
    text = "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>x\n\n</tool_call>"
    assert read(Glm(), text).actions[0].arguments == {"a": "x\n"}


@pytest.mark.parametrize("closers", ["</parameter>", "\n</parameter>", "\n</parameter>\n</parameter>"])
def test_a_closing_tag_that_stands_twice_is_taken_away(closers):
    """A file would be written with it: the value is without it, and that is said."""
    text = f"<function=f>\n<parameter=a>\nhello\n</parameter>{closers}\n</function>"
    reading = read(QWEN, text)
    assert reading.actions[0].arguments == {"a": "hello"}
    assert [(repair.kind, repair.before, repair.after) for repair in reading.blocks[0].repairs] == [
        (RepairKind.STRAY_MARK, closers.strip(), "")
    ]


@pytest.mark.parametrize(
    "value",
    [
        "</arg_value><arg_key><arg_key>b</arg_key><arg_value>2",
        "</arg_value><arrg_key>b</arg_key><arg_value>2",
        "</arg_value><arg_key>b</arg_key></arg_key><arg_value>2",
        "</arg_key><arg_value>2",
        "</arg_value><key>b</key>",
    ],
)
def test_a_misspelt_tag_behind_a_value_is_no_content(value):
    """The rest of the call would be swallowed into one value: nobody can tell where that was to end."""
    reading = read(Glm(), f"<tool_call>f<arg_key>a</arg_key><arg_value>1{value}</arg_value></tool_call>")
    assert [block.reason for block in reading.blocks] == [Reason.AMBIGUOUS]
    assert reading.actions == ()


@pytest.mark.parametrize(
    ("written", "arguments", "repairs"),
    [
        (
            "<arg_key>a</arg_key><arg_value><arg_value>1</arg_value>",
            {"a": "1"},
            [("stray_mark", "<arg_value>")],
        ),
        ("<arg_key>a</arg_key>1 2</arg_value>", {"a": "1 2"}, [("tag_spelling", "")]),
        (
            "<arg_key>a</arg_key><arg_value>1</arg_value><arg_key>b</arg_key>2</arg_value>",
            {"a": "1", "b": "2"},
            [("tag_spelling", "")],
        ),
    ],
)
def test_a_values_own_opening_tag_twice_or_not_at_all(written, arguments, repairs):
    """One reading is left, and what was changed is said."""
    reading = read(Glm(), f"<tool_call>f{written}</tool_call>")
    assert reading.actions[0].arguments == arguments
    assert [(repair.kind.value, repair.before) for repair in reading.blocks[0].repairs] == repairs


def test_a_value_that_is_a_parameter_or_has_both_tags_twice_is_ambiguous():
    """It may be a document about the format, or ``1``."""
    text = "<tool_call>f<arg_key>a</arg_key><arg_value><arg_value>1</arg_value></arg_value></tool_call>"
    assert [block.reason for block in read(Glm(), text).blocks] == [Reason.AMBIGUOUS]


def test_a_call_behind_an_unclosed_one_is_read():
    """A call that lacks all its closing tags ends where the next one begins, if a value was closed before."""
    text = f"<function=f><parameter=a>1</parameter>\n{qwen(('b', '2'), name='g')}"
    reading = read(QWEN, text)
    assert [(action.name, action.arguments) for action in reading.actions] == [
        ("f", {"a": "1"}),
        ("g", {"b": "2"}),
    ]
    assert [block.status for block in reading.blocks] == [BlockStatus.REPAIRED, BlockStatus.STRICT]


def test_a_call_without_parameters_needs_its_closing_tag():
    """Where nothing says that a call needs no arguments, none are invented."""
    reading = read(QWEN, f"<function=f>\n{qwen(('b', '2'), name='g')}")
    assert [action.name for action in reading.actions] == ["g"]
    assert only_block(QWEN, "<tool_call>\n<function=f>").reason is Reason.TRUNCATED


@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ("<function=f><parameter=a>1</parameter>", ["</function>"]),
        ("<function=f><parameter=a>1</parameter></func", ["</function>"]),
        ("<tool_call><function=f><parameter=a>1</parameter></function>", ["</tool_call>"]),
        ("<tool_call><function=f><parameter=a>1</function></tool_call>", ["</parameter>"]),
        ("<tool_call><function=f><parameter=a>1</parameter>", ["</function>", "</tool_call>"]),
    ],
)
def test_a_closing_tag_that_was_left_out_is_added_where_it_belongs(text, repaired):
    """The repair says where and what; without leave to repair, the block is refused."""
    block = only_block(QWEN, text)
    assert [repair.after for repair in block.repairs] == repaired
    assert {repair.kind for repair in block.repairs} == {RepairKind.UNCLOSED_TAG}
    refused = read(QWEN, text, repairs=[])
    assert [block.reason for block in refused.blocks] == [Reason.UNCLOSED_TAG]
    assert refused.actions == ()


@pytest.mark.parametrize(
    "rest", ["", "1", "\n<", "\n<par", "\n<parameter=b", "\n<parameter=b>2", "\n<parameter=b>2</param"]
)
def test_a_call_that_the_end_cuts_is_lost_and_said_to_be(rest):
    """Half a value is never run, nor a call whose further parameters are missing."""
    text = (
        f"<function=f><parameter=a>1</parameter>{rest}"
        if rest.startswith("\n")
        else f"<function=f><parameter=a>{rest}"
    )
    block = only_block(QWEN, text)
    assert (block.status, block.reason) == (BlockStatus.MALFORMED, Reason.TRUNCATED)
    assert block.span.end == len(text)


@pytest.mark.parametrize(
    "between", ["more", '<parameter name="b">2</parameter> more', "<parameter=>2</parameter>"]
)
def test_what_is_no_parameter_between_parameters_is_refused(between):
    """A parameter that is written otherwise would be lost, or become part of another one."""
    text = f"<function=f><parameter=a>1</parameter>{between}</function>"
    assert only_block(QWEN, text).status is BlockStatus.MALFORMED


def test_a_glm_name_stands_directly_behind_its_tag():
    """A sentence about the tags is no call."""
    assert read(GLM, "Put <tool_call> and </tool_call> around it.").blocks == ()
    assert read(GLM, "<tool_call>\nget_time\n</tool_call>").actions[0].name == "get_time"


def test_typed_dsml_values_are_not_only_strings():
    """DSML says of each value whether it is a string; the other formats can't."""
    assert [dialect.strings_only for dialect in (QWEN, GLM, DSML, STEP3)] == [True, True, False, True]


@pytest.mark.parametrize(
    ("value", "reason"), [('"oops', Reason.TRUNCATED), ("[1] 2", Reason.TEXT_AFTER_VALUE)]
)
def test_a_dsml_value_that_begins_as_json_must_be_json(value, reason):
    """Reading it as a string would be a guess; what begins as JSON was not meant as a text."""
    text = f'<｜DSML｜invoke name="f"><｜DSML｜parameter name="a" string="false">{value}</｜DSML｜parameter></｜DSML｜invoke>'
    assert only_block(DSML, text).reason is reason


def test_a_dsml_text_that_says_that_it_is_json_is_a_text_and_may_be_typed():
    """Which of the two is wrong, the tag or the value, the tool's schema decides; nothing is repaired where nothing may be."""
    text = '<｜DSML｜invoke name="f"><｜DSML｜parameter name="a" string="false">oops</｜DSML｜parameter></｜DSML｜invoke>'
    reading = read(DSML, text)
    assert [(action.arguments, action.strings_only) for action in reading.actions] == [({"a": "oops"}, True)]
    assert [repair.span.of(text) for repair in reading.blocks[0].repairs] == ["false"]
    assert read(DSML, text, repairs=[]).blocks[0].reason is Reason.MALFORMED_JSON


@pytest.mark.parametrize(("second", "arguments"), [("1", [{"a": {"k": 1}}]), ("2", [])])
def test_a_duplicate_key_in_a_dsml_value_is_an_issue_of_the_block(second, arguments):
    """A key that says the same twice is read; one with two values is not."""
    text = (
        '<｜DSML｜invoke name="f"><｜DSML｜parameter name="a" string="false">'
        f'{{"k": 1, "k": {second}}}</｜DSML｜parameter></｜DSML｜invoke>'
    )
    reading = read(DSML, text)
    assert [issue.code for issue in reading.issues] == [Reason.DUPLICATE_KEY]
    assert [action.arguments for action in reading.actions] == arguments


def test_a_group_that_breaks_off_in_the_next_opening_says_so():
    """The first call is whole; that another one was to come is not kept quiet."""
    text = DSML.example.removesuffix("</｜DSML｜function_calls>") + "<｜"
    reading = read(DSML, text)
    assert reading.outcome is Outcome.PARTIAL
    assert len(reading.actions) == 1
    assert [issue.code for issue in reading.issues] == [Reason.TRUNCATED]


def test_a_step3_call_has_a_token_behind_its_tag():
    """The token is part of the call's place."""
    reading = read(STEP3, STEP3.example)
    assert reading.actions[0].span.of(STEP3.example).endswith("</steptml:invoke><｜tool_call_end｜>")


@pytest.mark.parametrize("tag", ["<arrg_key>", "<key>", "<argument>"])
def test_a_misspelt_first_tag_is_said(tag):
    """A call whose values are closed was meant, whatever its first tag is called."""
    text = f"<tool_call>f{tag}a</arg_key><arg_value>1</arg_value></tool_call>"
    assert [block.reason for block in read(Glm(), text).blocks] == [Reason.WRONG_SHAPE]
    assert read(Glm(), f"A call is <tool_call>name{tag} and so on.").blocks == ()


@pytest.mark.parametrize(
    ("dialect", "closer"),
    [("glm", "</arg_value>"), ("qwen3_coder", "</parameter>"), ("kimi_k3", "<|close|>argument<|sep|>")],
)
@pytest.mark.parametrize("place", [2, 5, -1])
@pytest.mark.parametrize("change", ["", "xx"])
def test_a_misspelt_closing_tag_is_no_part_of_the_last_value(dialect, closer, place, change):
    """The call's own closing tag behind it says that the value is over."""
    head, _, tail = al.render([("write_file", {"path": "a", "text": "hello"})], dialect).rpartition(closer)
    misspelt = closer[:place] + change + closer[place:][1:] if place > 0 else closer[:-2] + change + ">"
    result = al.parse(head + misspelt + tail, dialects=[dialect])
    [call] = result.actions
    assert call.arguments == {"path": "a", "text": "hello"}
    [repair] = result.repairs
    assert (str(repair.kind), repair.before, repair.after) == ("tag_spelling", misspelt, closer)


def test_a_tag_of_another_name_stays_in_the_last_value():
    """Only one that is nearly the format's own is taken for it."""
    text = al.render([("write_file", {"text": "<p>hello</p>"})], "qwen3_coder")
    [call] = al.parse(text.replace("\n</parameter>", ""), dialects=["qwen3_coder"]).actions
    assert call.arguments == {"text": "<p>hello</p>"}


@pytest.mark.parametrize("dialect", ["step3", "beam", "minimax"])
def test_a_call_in_a_json_text_closes_no_value(dialect):
    """Its escaped opening tag is none of the format's, and its closing tag is."""
    inner = al.render([("delete_file", {"path": "a.txt"})], dialect).replace('"', '\\"')
    text = al.render([("write_file", {"text": "@"})], dialect).replace("@", f'{{"saved": "{inner}"}}.')
    result = al.parse(text, dialects=[dialect])
    assert not [call for call in result.valid_actions if call.name == "delete_file"]
    assert all(call.arguments["text"].endswith('"}.') for call in result.valid_actions)


def test_the_first_token_of_a_closing_tag_is_no_content():
    """Kimi K3's closing tag has three tokens; where the first stands twice, one is too many."""
    text = al.render([("write_file", {"path": "a", "text": "b"})], "kimi_k3")
    result = al.parse(text.replace("a<|close|>", "a<|close|>\n<|close|>"), dialects=["kimi_k3"])
    assert [call.arguments for call in result.actions] == [{"path": "a", "text": "b"}]
    assert [(str(repair.kind), repair.before) for repair in result.repairs] == [("stray_mark", "<|close|>")]


def test_a_tag_that_opens_a_call_twice_makes_no_call_without_arguments():
    """The first one may be one too many, or a call whose rest is lost."""
    text = al.render([("write_file", {"path": "a"})], "minimax")
    twice = text.replace('<invoke name="write_file">', '<invoke name="write_file">\n' * 2)
    assert al.parse(twice, dialects=["minimax"]).valid_actions == ()
