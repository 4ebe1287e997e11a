"""The playground: what is pasted is read and explained, kept as a case, and recorded nowhere."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.core.ids import derived_id
from actionledger.ledger.queries.readings import reading_of_turn
from actionledger_dashboard import READ_ONLY_VARIABLE
from actionledger_dashboard.components.messages import calls_lane, recognised
from actionledger_dashboard.components.paste import (
    LIMIT,
    Pasted,
    case_of_pasted,
    detail_of,
    read_pasted,
    recorded_in,
    tools_of,
    ways_to_read,
    why_lane,
)
from actionledger_dashboard.permissions import CASES_VARIABLE, file_name

PAGE = "views/playground.py"
BROKEN = '😀 好 <tool_call>{"name": "add", "arguments": {"a": 1,}}</tool_call>'
TOOLS = '[{"name": "add", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}]'
HOSTILE = "</pre><script>alert(1)</script>![x](https://evil.example/x.png) :red[x] $x$ \u202e\x00"

Open = Callable[..., AppTest]
Drawn = Callable[[AppTest, str], dict[str, Any]]


def pasted(open_page: Open, ledger: Path, text: str, tools: str = "", **parameters: str) -> AppTest:
    """Open the page and paste something."""
    test = open_page(ledger, PAGE, **parameters)
    test.text_area(key="playground.text").set_value(text)
    test.text_area(key="playground.tools").set_value(tools)
    test.run()
    assert not test.exception
    return test


def words(test: AppTest) -> str:
    return "\n".join(str(each.value) for kind in ("text", "info", "warning") for each in test.get(kind))


def test_what_is_read_and_why(open_page: Open, drawn: Drawn, empty: Path) -> None:
    """Also over an empty ledger: the block is marked where it stands, with its rule, its repair and where they come from."""
    test = pasted(open_page, empty, BROKEN)
    shown = drawn(test, "readings")
    [side] = shown["sides"]
    [mark] = side["marks"]
    assert BROKEN[mark["start"] : mark["end"]] == BROKEN[4:]
    lanes = {lane["title"]: lane["cards"] for lane in side["lanes"]}
    assert list(lanes) == ["Why", "Repairs", "Actions"]
    [why] = lanes["Why"]
    assert (why["name"], why["status"], why["look"], why["where"]) == (
        "hermes",
        "repaired",
        "mended",
        "[4, 66)",
    )
    assert why["lines"][0].startswith("Defined by: Nous Research")
    comma = BROKEN.index(",}")
    assert why["lines"][1] == f"trailing comma at [{comma}, {comma + 1})"
    assert shown["said"] == ""


def test_another_way_to_read_stands_beside_it(open_page: Open, drawn: Drawn, empty: Path) -> None:
    """With what differs, field by field; both ways stand in the link, what was pasted does not."""
    test = pasted(open_page, empty, BROKEN, read="dialect:hermes", beside="profile:coder")
    shown = drawn(test, "readings")
    assert [side["title"] for side in shown["sides"]] == ["dialect hermes", "profile coder"]
    assert shown["differences"][0]["kind"] == "removed"
    assert "tool_call" not in json.dumps(dict(test.query_params))


def test_tools_check_the_actions(open_page: Open, drawn: Drawn, empty: Path) -> None:
    """Of a response, and of a provider's message."""
    test = pasted(open_page, empty, BROKEN, TOOLS)
    lanes = {lane["title"]: lane["cards"] for lane in drawn(test, "readings")["sides"][0]["lanes"]}
    assert lanes["Actions"][0]["status"] == "invalid"
    message = {"content": "On it.", "tool_calls": [{"function": {"name": "no", "arguments": '{"a": "x"}'}}]}
    test = pasted(open_page, empty, json.dumps(message), TOOLS, kind="a provider's message")
    lanes = {lane["title"]: lane["cards"] for lane in drawn(test, "readings")["sides"][0]["lanes"]}
    assert [call["status"] for call in lanes["Calls, as the provider has split them off"]] == ["unknown"]


@pytest.mark.parametrize(
    ("text", "tools", "said"),
    [
        ("{", "", "This is not JSON, so no message: expecting property name"),
        ("[" * 100_000, "", "not a message that can be read"),
        (
            "x",
            "{",
            "so no list of tools: expecting property name enclosed in double quotes in line 1, character 2",
        ),
        ("x", "7", "The tools are no list of definitions"),
        ("x", "[[]]", "The tools are no list of definitions"),
        ("x", '[{"function": 7}]', "Tool 0 has no name"),
    ],
)
def test_what_is_none_is_a_sentence(open_page: Open, empty: Path, text: str, tools: str, said: str) -> None:
    """With where it stops being one, and nothing is read."""
    test = pasted(open_page, empty, text, tools, kind="a response" if tools else "a provider's message")
    assert said in words(test)
    assert not [
        one for one in test.get("bidi_component") if one.proto.component_name == "actionledger.readings"
    ]


def test_only_so_much_is_read() -> None:
    """And more is said to be too much, whatever the browser lets through."""
    with pytest.raises(UsageError, match="This response has 200,001 characters; 200,000 are read here"):
        Pasted("x" * (LIMIT + 1))
    with pytest.raises(UsageError, match="This list of tools has 200,001"):
        Pasted("x", tools="x" * (LIMIT + 1))


def test_every_way_reads_and_says_why() -> None:
    """Whatever is pasted, hostile texts among them; spans are the text's own."""
    for way in ways_to_read():
        for text in (BROKEN, HOSTILE, "", "```json\n{\n"):
            result, took = read_pasted(Pasted(text), way)
            detail = detail_of(result, took)
            assert detail.response.text == text
            assert len(why_lane(result)["cards"]) == len(detail.blocks)


def test_tools_as_people_have_them() -> None:
    """One alone, a list, or the request that they stood in; nothing for no text."""
    [tool] = json.loads(TOOLS)
    assert tools_of(TOOLS) == tools_of(json.dumps(tool)) == tools_of(json.dumps({"tools": [tool]})) == [tool]
    assert tools_of("  \n") is None


def test_nothing_that_is_pasted_is_recorded(open_page: Open, sample: Path) -> None:
    """Neither the text nor that it was read: the ledger's files stay as they are."""
    before = {file: file.stat().st_mtime_ns for file in sample.parent.rglob("*") if file.is_file()}
    pasted(open_page, sample, BROKEN)
    assert {file: file.stat().st_mtime_ns for file in sample.parent.rglob("*") if file.is_file()} == before


@pytest.mark.parametrize("way", ["parser:auto", "profile:coder", "dialect:hermes", "parser:go-tags"])
def test_a_case_is_read_again_as_it_was(way: str) -> None:
    """Its file holds how it is read, with the tools; secrets are masked."""
    secret = "sk-ant-api03-" + "Ab3" * 31 + "-wXyZ12AA"
    case = case_of_pasted(Pasted(f"{BROKEN} {secret}", tools=TOOLS if way != "profile:coder" else ""), way)
    again = al.Case.loads(case.dumps())
    assert again.differences() == ""
    assert secret not in case.dumps()


@pytest.mark.parametrize("typed", ["", "../../etc/passwd", "..", "/", "a/b\\c", "\x00", "x" * 500])
def test_no_name_is_a_path(typed: str) -> None:
    name = file_name(typed, "playground-1")
    assert name
    assert not set(name) & set("/\\\x00")
    assert not name.startswith(".")
    assert len(name) <= 100


def test_a_case_is_written_where_a_folder_is_named(
    open_page: Open, empty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once: a file that is there stays; without a folder there is nothing but the download."""
    test = pasted(open_page, empty, BROKEN)
    assert [button.label for button in test.button] == []
    [download] = test.get("download_button")
    assert download.proto.label == "Download the case"
    monkeypatch.setenv(CASES_VARIABLE, str(tmp_path / "cases"))
    test.text_input(key="playground.name").set_value("../comma").run()
    test.button(key="playground.write").click().run()
    file = tmp_path / "cases" / "comma.case.toml"
    assert f"Written to {file}." in words(test)
    assert al.load_case(file).text == BROKEN
    test.button(key="playground.write").click().run()
    assert "There is a case at" in words(test)
    assert [each.name for each in (tmp_path / "cases").iterdir()] == ["comma.case.toml"]


def test_a_dashboard_for_reading_writes_no_case(
    open_page: Open, empty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says so where a folder is named; a page that was open before writes none either, and the download is there."""
    folder = tmp_path / "cases"
    monkeypatch.setenv(CASES_VARIABLE, str(folder))
    test = pasted(open_page, empty, BROKEN)
    monkeypatch.setenv(READ_ONLY_VARIABLE, "1")
    test.button(key="playground.write").click().run()
    assert "Nothing can be written here: this dashboard only reads." in [each.value for each in test.caption]
    assert [button.label for button in test.button] == []
    assert [each.proto.label for each in test.get("download_button")] == ["Download the case"]
    assert not folder.exists()


CALLS = [("c1", "add", '{"a": "x"}'), ("c2", "mul", "{}"), ("c3", "add", '{"a": ')]
"""Identifier, name and arguments of a call that fits the tools, one of a tool that there is not, one that breaks off."""

CHAT = {"role": "assistant", "content": "On it.", "tool_calls": [
    {"id": name, "type": "function", "function": {"name": tool, "arguments": given}} for name, tool, given in CALLS
]}  # fmt: skip
RESPONSES = [{"type": "message", "content": [{"type": "output_text", "text": "On it."}]}] + [
    {"type": "function_call", "call_id": name, "name": tool, "arguments": given}
    for name, tool, given in CALLS
]
USES = [
    {"type": "tool_use", "id": name, "name": tool, "input": {"a": "x"} if name == "c1" else {}}
    for name, tool, _ in CALLS[:2]
]
GEMINI = [
    {"functionCall": {"name": tool, "args": {"a": "x"} if name == "c1" else {}}}
    for name, tool, _ in CALLS[:2]
]


@pytest.mark.parametrize(
    ("message", "called", "statuses"),
    [
        (CHAT, "an OpenAI chat message", ["valid", "unknown", "malformed"]),
        ({"choices": [{"message": CHAT}]}, "an OpenAI chat completion", ["valid", "unknown", "malformed"]),
        ({"response": {"body": {"choices": [{"message": CHAT}]}}}, "an OpenAI chat completion", ["valid", "unknown", "malformed"]),
        ({"output": RESPONSES, "tools": []}, "an OpenAI Responses response", ["valid", "unknown", "malformed"]),
        ({"type": "message", "role": "assistant", "content": [{"type": "text", "text": "On it."}, *USES]}, "an Anthropic message", ["valid", "unknown"]),
        (USES, "the parts of a message", ["valid", "unknown"]),
        ({"candidates": [{"content": {"role": "model", "parts": GEMINI}}]}, "a Gemini response", ["valid", "unknown"]),
        ({"role": "model", "parts": GEMINI}, "a Gemini message", ["valid", "unknown"]),
        ({"role": "assistant", "content": "Nothing to do."}, "a message", []),
    ],
)  # fmt: skip
def test_a_message_is_recognised_and_shown_call_by_call(
    message: object, called: str, statuses: list[str]
) -> None:
    """Each call with its name, what came of checking it against the tools, and its arguments; a case of it is read again as it was."""
    text = json.dumps(message)
    found = recognised(text)
    assert found is not None
    assert (found.called, found.refusal) == (called, "")
    pasted = Pasted(text, is_message=True, tools=TOOLS)
    lane = calls_lane(message, detail_of(*read_pasted(pasted, "parser:auto")))
    assert [card["status"] for card in lane["cards"]] == statuses
    assert [card["name"] for card in lane["cards"]] == [tool for _, tool, _ in CALLS[: len(statuses)]]
    if len(statuses) == 3:
        assert [card["where"].partition(" ")[0] for card in lane["cards"]] == ["c1", "c2", "c3"]
        assert lane["cards"][2]["value"] == '{"a": '
    case = case_of_pasted(pasted, "parser:auto")
    assert al.Case.loads(case.dumps()).differences() == ""
    assert al.Case.loads(case.dumps()).text == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"model": "m", "messages": [{"role": "user", "content": "Hi"}]}', "This is a request"),
        ('data: {"choices": [{"delta": {}}]}\n\n', "the pieces of a stream"),
        ('{"choices": [{"delta": {"content": "x"}}]}', "one piece of a stream"),
        ('{"error": {"message": "No <b>credits</b>."}}', "This is a provider's error, and no message: No <b>credits</b>."),
        ('{"role": "user", "content": "Hi"}', "This message is the user's"),
        ('[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "x"}]', "This is a conversation of 2 messages"),
        (TOOLS, "These are tools, not a message"),
    ],
)  # fmt: skip
def test_what_is_pasted_wrongly_is_a_sentence(open_page: Open, empty: Path, text: str, said: str) -> None:
    """With what to paste instead, and how it is read as text all the same."""
    found = recognised(text)
    assert found is not None
    assert said in found.refusal
    if said != "This is a request":
        return
    assert "To read it as text, choose: a response." in words(pasted(open_page, empty, text))
    assert not pasted(open_page, empty, text, kind="a response").get("info")


@pytest.mark.parametrize(
    "text", [BROKEN, HOSTILE, "", "7", '{"name": "add", "arguments": {}}', '[{"name": "add", "arguments": {}}]',
             '{"choices": ', '{"action": "x", "content": "y"}', "[]", "[" * 100_000, '{"response": {"response": {}}}']
)  # fmt: skip
def test_what_a_model_wrote_itself_is_no_message(text: str) -> None:
    """A call as bare JSON is a model's own writing, and so is whatever is none of an interface's shapes."""
    assert recognised(text) is None


def test_a_message_is_kept_as_a_case(
    open_page: Open, drawn: Drawn, empty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it was pasted, with the tools that stand in it; secrets are masked."""
    monkeypatch.setenv(CASES_VARIABLE, str(tmp_path))
    secret = "sk-ant-api03-" + "Ab3" * 31 + "-wXyZ12AA"
    body = {"output": RESPONSES, "tools": json.loads(TOOLS), "metadata": {"key": secret}}
    test = pasted(open_page, empty, json.dumps(body))
    shown = drawn(test, "readings")
    assert shown["place"] == "3 calls beside 6 characters, checked against 1 tool; read here and not recorded"
    assert [side["title"] for side in shown["sides"]] == ["an OpenAI Responses response"]
    test.text_input(key="playground.name").set_value("calls").run()
    test.button(key="playground.write").click().run()
    case = al.load_case(tmp_path / "calls.case.toml")
    assert (case.is_message, case.differences(), secret in case.dumps()) == (True, "", False)
    assert [action.get("status", "valid") for action in case.expect["actions"]] == ["valid", "unknown"]


def test_a_recorded_response_is_taken_from_the_ledger(
    open_page: Open, sample: Path, mixed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A case of it says where it comes from, until it is changed; what has read it and is not here is every format."""
    monkeypatch.setenv(CASES_VARIABLE, str(tmp_path))
    test = open_page(sample, PAGE, session=derived_id("session", "steps"), turn="0")
    assert test.text_area(key="playground.text").value == mixed, words(test)
    assert test.query_params["read"] == "parser:auto"
    test.text_input(key="playground.name").set_value("one").run()
    test.button(key="playground.write").click().run()
    case = al.load_case(tmp_path / "one.case.toml")
    assert (case.text, case.origin, case.differences()) == (mixed, {"session": "steps", "turn": 0}, "")
    test.text_area(key="playground.text").set_value(mixed + "!").run()
    assert test.text_area(key="playground.text").value == mixed + "!"
    test.text_input(key="playground.name").set_value("two").run()
    test.button(key="playground.write").click().run()
    assert al.load_case(tmp_path / "two.case.toml").origin == {}


def test_a_recorded_response_is_read_as_it_was(tmp_path: Path) -> None:
    """By its profile, or by its dialect against the tools that were offered."""
    with al.open_ledger(tmp_path / "team.duckdb") as ledger:
        with al.Runtime("coder", ledger=ledger, workspace=tmp_path / "work") as runtime:
            runtime.handle("<create_file><path>a</path><content>x</content></create_file>")
        ledger.record_turn("theirs", BROKEN, tools=json.loads(TOOLS), dialects=["hermes"])
        ledger.flush()
        ours, theirs = (
            recorded_in(reading_of_turn(ledger, session, 0))
            for session in (
                runtime.session_id,
                al.sessions(ledger, al.Filter(text="theirs")).fetchall()[0][0],
            )
        )
    assert (ours.way, ours.tools) == ("profile:coder", "")
    assert theirs.way == "dialect:hermes"
    [before], [after] = (
        read_pasted(Pasted(theirs.text, tools=theirs.tools), way)[0].actions
        for way in (theirs.way, "parser:auto")
    )
    assert (before.status, before.name) == (after.status, after.name) == ("invalid", "add")


def test_calls_that_were_recorded_beside_the_text_are_checked_again(
    open_page: Open, drawn: Drawn, tmp_path: Path
) -> None:
    """As a message that was put together from them, which is said; arguments that could not be read stand there as they were written."""
    written = ('{"path": "a", "line": "x",}', '{"command": "ls')
    turns = (
        al.RecordedTurn(
            0, "On it.", calls=(al.RecordedCall("c1", "edit", {"path": "a"}),), capture=al.Capture.CALLS
        ),
        al.RecordedTurn(
            1,
            "And on.",
            calls=tuple(al.RecordedCall(f"c{n}", "edit", text) for n, text in enumerate(written)),
            capture=al.Capture.ARGUMENTS,
        ),
    )
    tools = [{"name": "edit", "parameters": {"type": "object", "properties": {"path": {"type": "integer"}}}}]
    path = tmp_path / "theirs.duckdb"
    with al.open_ledger(path) as ledger:
        al.import_sessions(ledger, [al.RecordedSession("theirs", None, "m", "t", turns)], source="otel")
        session = al.sessions(ledger).fetchall()[0][0]
    test = open_page(path, PAGE, session=session, turn="0")
    assert test.query_params["kind"] == "a provider's message"
    assert "were recorded beside its text, parsed" in test.caption[0].value
    message = json.loads(test.text_area(key="playground.text").value)
    assert message["content"] == "On it."
    assert message["tool_calls"][0]["function"] == {"name": "edit", "arguments": {"path": "a"}}
    test.text_area(key="playground.tools").set_value(json.dumps(tools)).run()
    [side] = drawn(test, "readings")["sides"]
    assert [card["status"] for lane in side["lanes"] for card in lane["cards"]] == ["invalid"]
    test = open_page(path, PAGE, session=session, turn="1")
    assert "as the model wrote their arguments" in test.caption[0].value
    message = json.loads(test.text_area(key="playground.text").value)
    assert message["content"] == "And on."
    assert [call["function"]["arguments"] for call in message["tool_calls"]] == list(written)
    test.text_area(key="playground.text").set_value('{"role": "assistant", "content": "mine"}').run()
    assert not test.caption


def test_what_can_not_be_taken_is_a_sentence(open_page: Open, sample: Path, tmp_path: Path) -> None:
    """A turn that is not there, and one that is longer than what is read here."""
    path = tmp_path / "long.duckdb"
    with al.open_ledger(path) as ledger:
        ledger.record_turn("long", "x" * (LIMIT + 1), dialects=["hermes"])
        long = al.sessions(ledger).fetchall()[0][0]
    for ledger_path, session, turn, said in (
        (path, long, "0", f"It has {LIMIT + 1:,} characters, and {LIMIT:,} are read here"),
        (sample, derived_id("session", "none"), "7", "Nothing has read turn 7"),
        (sample, "'; DROP TABLE turns; --", "7", 'There is no session "\'; DROP TABLE turns; --"'),
    ):
        test = open_page(ledger_path, PAGE, session=session, turn=turn)
        assert not test.exception
        assert said in words(test)
        assert not test.text_area(key="playground.text").value
