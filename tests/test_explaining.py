"""A response annotated."""

import json
import pickle

import pytest
from hypothesis import given, strategies as st

import actionledger as al

TEXT = 'Hi 😀\r\n```actions\n{"actions": [{"type": "create_task", "content": "a",}, {"type": "fly"}]}\n```\nbye\x1b[0m'


def test_every_stretch_is_marked():
    """Narrative, block, repair and errors each have their line."""
    lines = al.explain(al.parse(TEXT, profile="assistant")).splitlines()
    assert lines[0] == "= parsed with repairs, read by assistant"
    assert "| Hi 😀\\r" in lines
    assert "> ```actions" in lines
    comma = TEXT.index(",}")
    assert f"=   repair trailing_comma [{comma}:{comma + 1}]: ',' read as ''" in lines
    assert any(line.startswith("=   action 1, fly, unknown") for line in lines)
    assert lines[-1] == "| bye\\x1b[0m"


def test_what_is_missing_is_said():
    """An issue that no block holds has a line of its own."""
    assert "= no_action_found: " in al.explain(al.parse("Well.", profile="mint"))


@given(
    st.lists(
        st.sampled_from([*TEXT.split(" "), "```actions\n", "```\n", "<think>", "</think>", "\x85", "\u2028"])
    )
)
def test_no_character_is_lost(parts):
    """The marked lines together are the response."""
    text = " ".join(parts)
    lines = al.explain(al.parse(text, profile="assistant")).split("\n")
    shown = "".join(line[2:] for line in lines if line[:1] in {"|", ">"})
    visible = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text if c != "\n")
    assert shown == visible


def test_what_a_model_wrote_steers_no_terminal():
    """Names, paths and values come from the response as well; one with a line break would forge lines."""
    hostile = "\x1b[31m\x9b\u202e\u2066"
    name = f"x{hostile}\n= block 1, forged"
    actions = [{"type": name}, {"type": "create_task", "status": hostile, "depends_on": [hostile, 1]}]
    for ascii_only in (True, False):
        response = json.dumps({"actions": actions}, ensure_ascii=ascii_only)
        explained = str(al.explain(al.parse(f"```actions\n{response}\n```", profile="assistant")))
        assert all(mark.isprintable() or mark == "\n" for mark in explained)
        assert "\n= block 1" not in explained


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    """One session with a hostile response, what came of it, and a second reading of it."""
    with al.open_ledger(tmp_path_factory.mktemp("explained") / "team.duckdb") as opened:
        calls = [{"call_id": "c1", "output": "<script>no</script>", "is_error": True}]
        message = {
            "role": "assistant",
            "content": "<b>Hm</b> \x1b[31m",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "<i>add</i>", "arguments": "{}"}}
            ],
        }
        opened.record_turn(
            "with#sign", message=message, results=calls, prompt="<u>Add</u>", reasoning="<s>so</s>"
        )
        opened.record_turn("plain", "<execute>1 +", profile="mint")
        yield opened


def test_a_recorded_turn_is_shown_with_what_came_of_it(ledger):
    """What the model was shown, what it thought and wrote, and the recorded result; the same as the command prints."""
    found = al.explain(ledger, "with#sign#0")
    assert [line for line in found.splitlines() if line[0] in "<~"] == ["< <u>Add</u>", "~ <s>so</s>"]
    assert "action 0, <i>add</i> failed (tool_error), as its recording says: <script>no</script>" in found
    assert found.recorded.address.startswith("replay?session=")
    assert found.recorded.address.endswith("&turn=0")
    assert found.result.actions[0].name == "<i>add</i>"


def test_a_recorded_turn_is_never_markup(ledger):
    """Nothing of it is an element, in whichever part of the display it stands."""
    shown = al.explain(ledger, "with#sign#0")._repr_html_()
    for tag in ("<b>Hm", "<i>add", "<u>Add", "<s>so", "<script"):
        assert tag not in shown
    for word in ("&lt;b&gt;Hm", "&lt;i&gt;add", "&lt;u&gt;Add", "&lt;s&gt;so", "&lt;script&gt;no"):
        assert word in shown
    assert 'data-is="ESC"' in shown


def test_another_run_s_reading_is_shown_by_its_name(ledger):
    """And its address names the run; a turn that it has not read is shown unread."""
    report = al.reparse(ledger, parser="mint-harness")
    again = al.explain(ledger, "plain#0", run=report.run_id)
    assert "read by mint-harness" in again
    assert f"run={report.run_id}" in again.recorded.address
    unread = al.explain(ledger, "with#sign#0", run=report.run_id)
    assert unread.result is None
    assert "= nothing has read this response" in unread
    assert "not read" in unread._repr_html_()


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("plain", "say which turn"),
        ("plain#7", "no turn #7; its turns are #0 to #0"),
        ("nobody#0", "no session 'nobody'"),
        (None, "say which one"),
    ],
)
def test_a_turn_that_is_none_is_refused(ledger, place, said):
    with pytest.raises(al.ActionLedgerError, match=said):
        al.explain(ledger, place)


def test_a_turn_is_named_within_a_ledger_alone():
    """A reading is one already."""
    result = al.parse("Well.", profile="mint")
    with pytest.raises(al.ActionLedgerError, match="give the ledger first"):
        al.explain(result, "a#0")


def test_an_explanation_travels(ledger):
    found = al.explain(ledger, "plain#0")
    again = pickle.loads(pickle.dumps(found))
    assert (again, again.result, again.recorded) == (found, found.result, found.recorded)


def test_what_nobody_could_check_is_not_called_valid():
    """Without a catalogue an action is read, and that is all that is known of it."""
    text = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    loose, checked = al.parse(text, dialects=["hermes"]), al.parse(TEXT, profile="assistant")
    assert ", f, not checked [" in al.explain(loose)
    assert "(f not checked)" in repr(loose)
    assert "not checked" not in al.explain(checked)


def test_data_that_names_an_action_says_what_is_missing():
    """Alone, such a value may be anything: nothing shows it as an example, and nothing says that it is a call."""
    text = '{"action":"search","query":"gpu"}'
    said = str(al.explain(al.parse(text, dialects="auto")))
    assert "not_an_action" in said
    assert "nothing says that 'search' is an action: no tools were offered" in said
    assert "example" not in said
    assert "nothing says" not in str(al.explain(al.parse('{"a": 1}', dialects="auto")))
    assert "example" in str(al.explain(al.parse(f"Write {text} for that.", dialects="auto")))
