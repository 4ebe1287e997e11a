"""The place of a call decides what is made of it, and every place is said."""

import pytest

import actionledger as al
from actionledger.reading.parsers import PARSERS

CALL = "get_weather(city='Paris')"


@pytest.mark.parametrize(
    ("text", "rank"),
    [
        (CALL, "whole"),
        (f"<think>\nIt fits.\n</think>\n\n{CALL}", "whole"),
        (f"I look it up:\n\n{CALL}", "last"),
        (f"Sure: {CALL}", "last"),
        (f"I look it up.\n\n```\n{CALL}\n```\n\nThat tells us.", "last"),
    ],
)
def test_what_is_meant_is_read(read, text, rank):
    """By itself, or on lines of its own among prose."""
    [call] = read(text).actions
    assert (str(call.status), str(call.evidence)) == ("valid", rank)


@pytest.mark.parametrize(
    ("text", "rank", "code"),
    [
        (f"I could use {CALL} for it.", "sentence", "call_in_prose"),
        (f"For example:\n\n{CALL}", "example", "example"),
        (f"Rufen Sie zum Beispiel so auf:\n```\n{CALL}\n```", "example", "example"),
        (f"Shall I run this?\n\n{CALL}", "example", "example"),
        (f"<tool_response>\n{CALL}\n</tool_response>\nDone.", "quotation", "example"),
        (f"Done.\n\nOutput:\n{CALL}\n", "quotation", "example"),
        (f"<!-- {CALL} -->", "quotation", "example"),
        (f"<scratchpad>\n{CALL}\n</scratchpad>\nDone.", "quotation", "example"),
        (f"> {CALL}\n\nDone.", "quotation", "example"),
        (f"Done.\n\n    {CALL}\n", "quotation", "example"),
    ],
)
def test_what_is_shown_is_an_illustration_that_is_said(read, text, rank, code):
    """It is recorded with its reason, and doesn't run."""
    result = read(text)
    assert [(str(call.status), str(call.evidence)) for call in result.actions] == [("illustration", rank)]
    assert [str(issue.code) for issue in result.issues] == [code]


def test_a_call_in_thoughts_is_said(read):
    """The thoughts stay one block; what they name has its place."""
    text = f"<think>{CALL}</think>Done."
    [issue] = read(text).issues
    assert issue.span.of(text) == "get_weather"


def test_what_is_stated_twice_is_one_call(read):
    """Once bare and once in a fence, or in another notation."""
    text = f'[{CALL}]\n\n```json\n{{"name": "get_weather", "arguments": {{"city": "Paris"}}}}\n```'
    assert len(read(text).valid_actions) == 1


def test_of_a_choice_nothing_is_read(read):
    """Two readings are plausible."""
    result = read(f"One way:\n\n{CALL}\n\nor\n\nget_weather(city='Rome')")
    assert not result.valid_actions
    assert len(result.issues) == 2


@pytest.mark.parametrize(
    "turn",
    [
        "<|im_end|>\n<|im_start|>user\nGo on.<|im_end|>\n<|im_start|>assistant\n",
        "\nObservation: 21 degrees\n",
        "<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nGo on.\n",
    ],
)
@pytest.mark.parametrize(
    "write",
    [
        lambda city: f'<tool_call>{{"name": "get_weather", "arguments": {{"city": "{city}"}}}}</tool_call>',
        lambda city: f"[get_weather(city='{city}')]",
    ],
)
def test_what_follows_an_invented_turn_is_not_the_answer(read, turn, write):
    """The model wrote somebody else's turn, and goes on behind it."""
    result = read(write("Paris") + turn + write("Rome"))
    assert [call.arguments["city"] for call in result.valid_actions] == ["Paris"]
    assert any("turn" in issue.detail or "echo" in issue.detail for issue in result.issues)


@pytest.mark.parametrize("above", ["Output:\n", "$ cat a.json\n"])
def test_an_echo_is_not_run(above):
    """Also where nobody said which tools there are."""
    result = al.parse(f'{above}{{"name": "f", "arguments": {{"a": 1}}}}', dialects="auto")
    assert not result.valid_actions


def test_a_parser_says_what_is_done_with_evidence():
    """It is read, read in sentences as well, reported as lost, or left alone."""
    names, text = frozenset({"get_weather"}), f"I use {CALL} now."
    outcomes = {
        setting: PARSERS["auto"].model_copy(update={"evidence": setting}).read(text, names)
        for setting in ("ignored", "read", "read_in_sentences")
    }
    assert [len(reading.issues) for reading in outcomes.values()] == [0, 1, 0]
    assert [action.illustration is None for action in outcomes["read_in_sentences"].actions] == [True]
    reported = PARSERS["auto"].model_copy(update={"evidence": "reported"}).read(CALL, names)
    assert (str(reported.outcome), len(reported.issues)) == ("failed", 1)


def test_strict_parsers_read_nothing_by_evidence():
    """Every reading by evidence is a repair: where none is allowed, it is said."""
    strict = PARSERS["auto"].model_copy(update={"decoding": {"repairs": []}})
    reading = strict.read(CALL, frozenset({"get_weather"}))
    assert not reading.actions
    assert reading.issues


def test_a_call_in_a_change_to_a_file_is_shown():
    """What a diff adds is somebody's program."""
    text = '```diff\n- pass\n+ get_weather(city="Paris")\n```'
    reading = PARSERS["auto"].read(text, frozenset({"get_weather"}))
    assert [str(block.evidence) for block in reading.blocks] == ["code"]
    assert not [action for action in reading.actions if action.illustration is None]


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "functions.get_weather", "arguments": {"city": "Paris"}}',
        '{"tool_uses": [{"recipient_name": "functions.get_weather", "parameters": {"city": "Paris"}}]}',
        '["functions.get_weather", {"city": "Paris"}]',
        '{"functions.get_weather": {"city": "Paris"}}',
    ],
)
def test_a_module_before_a_name_in_quotes_is_read_over(read, text):
    """OpenAI's own parallel calls name their tools so."""
    [call] = read(text).valid_actions
    assert (call.name, call.arguments) == ("get_weather", {"city": "Paris"})
