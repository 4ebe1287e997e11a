"""A response annotated."""

import json

from hypothesis import given, strategies as st

import actionledger as al

TEXT = 'Hi 😀\r\n```actions\n{"actions": [{"type": "create_task", "content": "a",}, {"type": "fly"}]}\n```\nbye\x1b[0m'


def test_every_stretch_is_marked():
    """Narrative, block, repair and errors each have their line."""
    lines = al.explain(al.parse(TEXT, profile="assistant")).splitlines()
    assert lines[0] == "= repaired, read by assistant"
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
