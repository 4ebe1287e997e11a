"""No action that the documents' own parsers read is lost without a word: it is read, reported, or shown with its reason."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import example, given, settings, strategies as st

from actionledger.parsing.parsers import PARSERS

NAMES = ["assistant", "assistant-iterative", "orchestrator", "coder", "mint"]

CASES = [
    tomllib.loads(path.read_text(encoding="utf-8"))["text"]
    for path in sorted((Path(__file__).parents[1] / "cases").glob("*/*.toml"))
]

VALUES = [
    *('{"action": "update_plan", "plan": "x"}', '[{"action": "escalate", "a": "```json"}]'),
    *('{"action": "opened"}', '{\n  "action": "update_plan",\n  "plan": "``` x"\n}', '{"a": 1}', "[]"),
    *('{"action": "update_plan",}', '{"action": "a", "action": "b"}', '{"note": {"action": "a"}}'),
    *('{"actions": [{"type": "list_tasks"}]}', '[{"type": "list_tasks"}]', '{"type": "list_tasks"}'),
    *('{\n"actions": [\n{"type": "a", "b": "line\nbreak"}\n]\n}', '{"actions": []}', '{"actions": ["x"]}'),
    *('{"next_actions": [{"type": "list_tasks"}], "is_final": false}', '{"iteration": 1}', "{", "x", ""),
    *('{"iteration": 1, "reasoning": "a } b", "next_actions": [{"type": "a"}]}', '{"next_actions": [1]}'),
    *("<read_file><path>a</path></read_file>", "<create_directory>\n<path>a</path>\n</create_directory>"),
    "<create_file><path>a</path><content>\n```json\nx\n```\n</content></create_file>",
    "<execute_command><command>ls</command></execute_command>",
    "<create_file><path>a</path><content><read_file><path>b</path></read_file></content></create_file>",
    *("<READ_FILE><path>a</path></READ_FILE>", '<read_file path="a"/>', "<read_file>", "</path></read_file>"),
    *("<execute>\nprint(1)\n</execute>", "<solution>4</solution>", "<execute>", "<solution>", "</execute>"),
]
LABELS = [
    *("json", "actions", "iteration", "JSON", "Actions", "action", "json5", "jsonc", "python", "xml"),
    *("markdown", "", "json:", "json title", "actions-json", "ITERATION", "json {1,3}"),
]
PROSE = [
    *("Sure: ", "Use ", "For example ", "Do not write ", "text ", "e.g. ", "the ```json label ", "a ```b "),
    *("I use ```iteration blocks.\n", "```actions\n", "中文：", "🍅 ", "I'll do it.\n\n", "x\n", "\n", ""),
]
BEFORE = [
    "",
    " ",
    "    ",
    "\t",
    "- ",
    "* ",
    "1. ",
    "12) ",
    "> ",
    "> > ",
    "- [ ] ",
    ">",
    "`",
    "| ",
    "# ",
    "**",
]
SEPARATORS = ["\n", " ", "", "\n\n", "  \n", "\r\n", "\n  ", "\t"]
CLOSERS = ["\n```", "```", " ```", "\n```\n", "\n```.", "``` then", "\n````", "\n~~~", "", "\n   ```", "`"]
MARKS = ["```", "```", "```", "````", "~~~", "``"]
AFTER = ["", "\n", " and so on.", "\n\nDone.\n", "`", ".", "\n> quoted\n", "</think>\n", "<think>"]

SOME = st.sampled_from
FENCED = st.tuples(
    SOME(PROSE),
    SOME(BEFORE),
    SOME(MARKS),
    SOME(LABELS),
    SOME(SEPARATORS),
    SOME(VALUES),
    SOME(CLOSERS),
    SOME(AFTER),
).map("".join)
PLAIN = st.tuples(SOME(PROSE), SOME(BEFORE), SOME(VALUES), SOME(AFTER)).map("".join)
OUTER = [
    ("", ""),
    ("```markdown\n", "\n```\n"),
    ("````\n", "\n````\n"),
    ("```\n", ""),
    ("<think>", "</think>\n"),
]


@st.composite
def responses(draw):
    """Return a text as a model may write it around its actions: some of it well formed, much of it not."""
    pieces = []
    for _ in range(draw(st.integers(1, 4))):
        opens, closes = draw(SOME(OUTER))
        pieces.append(opens + draw(FENCED | PLAIN) + closes)
    text = "".join(pieces)
    if draw(st.booleans()):
        text = text.replace("\r\n", "\n").replace("\n", draw(SOME(["\n", "\r\n"])))
    if draw(st.integers(0, 3)) == 0:
        text = "\ufeff" + text
    if draw(st.integers(0, 3)) == 0:
        text = "".join(f"> {line}" for line in text.splitlines(keepends=True))
    return text[: draw(st.integers(0, len(text)))] if draw(st.integers(0, 3)) == 0 else text


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None, max_examples=400)
@given(text=responses())
@example('Sure: ```json\n{"action":"update_plan","plan":"x"}\n```')
@example('1. ```json\n{"action":"update_plan","plan":"x"}\n```')
@example('```json {"action":"update_plan","plan":"x"} ```')
@example('Here: ```actions\n{"actions": [{"type": "list_tasks"}]}\n```')
def test_what_a_baseline_reads_is_read_or_reported(name, lost_actions, assert_invariants, text):
    """Whatever stands around an action, whoever's parser finds it: it is never taken for nothing."""
    assert lost_actions(name, text) == []
    assert_invariants(PARSERS[name].read(text), PARSERS[name])


@pytest.mark.parametrize("name", NAMES)
def test_what_a_baseline_reads_of_the_cases_is_read_or_reported(name, lost_actions):
    """The same of every case's text, whatever dialect it was written for."""
    assert [text for text in CASES if lost_actions(name, text)] == []
