"""No action that the documents' own parsers read is lost without a word: it is read, reported, or shown with its reason."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from actionledger.parsing.parsers import PARSERS

TEXTS = 2500
"""How many texts are made for each parser."""

ENOUGH = 60
"""In so many of them, at least, one of the documents' own parsers reads an action: else the test would look at nothing."""

CASES = [
    tomllib.loads(path.read_text(encoding="utf-8"))["text"]
    for path in sorted((Path(__file__).parents[1] / "cases").glob("*/*.toml"))
]

REMARKED = [
    *(
        'Sure: ```json\n{"action":"update_plan","plan":"x"}\n```',
        '```json {"action":"update_plan","plan":"x"} ```',
    ),
    *(
        '1. ```json\n{"action":"update_plan","plan":"x"}\n```',
        'Here: ```actions\n{"actions": [{"type": "list_tasks"}]}\n```',
    ),
    'I use ```iteration blocks.\n{"next_actions": [1]}',
    "Sure: `<create_file><path>a</path>\n<content>x</content></create_file",
    "Sure: `<create_file>\n<path>a</path><content>x</content> and </create_file>",
]

PLANS = [
    *('{"action": "update_plan", "plan": "x"}', '[{"action": "escalate", "a": "```json"}]'),
    *('{"action": "opened"}', '{\n  "action": "update_plan",\n  "plan": "``` x"\n}'),
    *('{"action": "update_plan",}', '{"action": "a", "action": "b"}', '{"note": {"action": "a"}}'),
]
ACTIONS = [
    *('{"actions": [{"type": "list_tasks"}]}', '[{"type": "list_tasks"}]', '{"type": "list_tasks"}'),
    *('{\n"actions": [\n{"type": "a", "b": "line\nbreak"}\n]\n}', '{"actions": []}', '{"actions": ["x"]}'),
]
ITERATIONS = [
    *('{"next_actions": [{"type": "list_tasks"}], "is_final": false}', '{"iteration": 1}'),
    *('{"iteration": 1, "reasoning": "a } b", "next_actions": [{"type": "a"}]}', '{"next_actions": [1]}'),
]
TAGS = [
    *("<read_file><path>a</path></read_file>", "<create_directory>\n<path>a</path>\n</create_directory>"),
    "<create_file><path>a</path><content>\n```json\nx\n```\n</content></create_file>",
    "<execute_command><command>ls</command></execute_command>",
    "<create_file><path>a</path><content><read_file><path>b</path></read_file></content></create_file>",
    *("<READ_FILE><path>a</path></READ_FILE>", '<read_file path="a"/>', "<read_file>", "</path></read_file>"),
]
PROGRAMS = [
    "<execute>\nprint(1)\n</execute>",
    "<solution>4</solution>",
    "<execute>",
    "<solution>",
    "</execute>",
]
NOTHING = ['{"a": 1}', "[]", "{", "x", ""]

VALUES = {
    "assistant": [*ACTIONS, *ITERATIONS],
    "assistant-iterative": ITERATIONS,
    "orchestrator": PLANS,
    "coder": TAGS,
    "mint": PROGRAMS,
}
"""What each parser looks for."""

OWN_LABELS = {
    "assistant": ["actions", "Actions", "iteration", "json"],
    "assistant-iterative": ["iteration", "ITERATION"],
    "orchestrator": ["json", "JSON"],
    "coder": ["xml", ""],
    "mint": ["python", "markdown", "xml", ""],
}
ALL_VALUES = [*PLANS, *ACTIONS, *ITERATIONS, *TAGS, *PROGRAMS, *NOTHING]
LABELS = [
    *("json", "actions", "iteration", "JSON", "Actions", "action", "json5", "jsonc", "python", "xml"),
    *("markdown", "", "json:", "json title", "actions-json", "ITERATION", "json {1,3}"),
]
PROSE = [
    *("Sure: ", "Use ", "For example ", "Do not write ", "text ", "e.g. ", "the ```json label ", "a ```b "),
    *("I use ```iteration blocks.\n", "```actions\n", "中文：", "🍅 ", "I'll do it.\n\n", "x\n", "\n", ""),
]
BEFORE = [
    *("", "", "", " ", "    ", "\t", "- ", "* ", "1. ", "12) "),
    *("> ", "> > ", "- [ ] ", ">", "`", "| ", "# ", "**"),
]
SEPARATORS = ["\n", " ", "", "\n\n", "  \n", "\r\n", "\n  ", "\t"]
CLOSERS = ["\n```", "```", " ```", "\n```\n", "\n```.", "``` then", "\n````", "\n~~~", "", "\n   ```", "`"]
MARKS = ["```", "```", "```", "````", "~~~", "``"]
AFTER = ["", "\n", " and so on.", "\n\nDone.\n", "`", ".", "\n> quoted\n", "</think>\n", "<think>"]

OUTER = [
    ("", ""),
    ("", ""),
    ("", ""),
    ("```markdown\n", "\n```\n"),
    ("````\n", "\n````\n"),
    ("```\n", ""),
    ("<think>", "</think>\n"),
]


class Writer:
    """Writes texts as a model may around its actions: some of it well formed, much of it not; a seed writes the same.

    Args:
        name: whose actions most of them are.
        seed: which texts.
    """

    def __init__(self, name: str, seed: int = 0) -> None:
        self._name = name
        self._random = Random(f"{name} {seed}")

    def response(self) -> str:
        """Return a whole text."""
        text = "".join(self._part() for _ in range(self._random.randint(1, 4)))
        if self._random.random() < 0.2:
            text = text.replace("\r\n", "\n").replace("\n", "\r\n")
        if self._random.random() < 0.1:
            text = "\ufeff" + text
        if self._random.random() < 0.15:
            text = "".join(f"> {line}" for line in text.splitlines(keepends=True))
        return text[: self._random.randint(0, len(text))] if self._random.random() < 0.2 else text

    def _part(self) -> str:
        opens, closes = self._random.choice(OUTER)
        value = self._mostly(VALUES[self._name], ALL_VALUES)
        before = self._random.choice(PROSE) + self._random.choice(BEFORE)
        if self._random.random() < 0.4:
            return opens + before + value + self._random.choice(AFTER) + closes
        fence = self._random.choice(MARKS) + self._mostly(OWN_LABELS[self._name], LABELS)
        separator = "\n" if self._random.random() < 0.5 else self._random.choice(SEPARATORS)
        return (
            opens
            + before
            + fence
            + separator
            + value
            + self._random.choice(CLOSERS)
            + self._random.choice(AFTER)
            + closes
        )

    def _mostly(self, own: Sequence[str], all_of_them: Sequence[str]) -> str:
        return self._random.choice(own if self._random.random() < 0.75 else all_of_them)


@pytest.mark.parametrize("name", VALUES)
def test_what_a_baseline_reads_is_read_or_reported(name, lost_actions, claimed_actions, assert_invariants):
    """Whatever stands around an action, whoever's parser finds it: it is never taken for nothing."""
    writer = Writer(name)
    texts = [*REMARKED, *(writer.response() for _ in range(TEXTS))]
    assert sum(bool(claimed_actions(name, text)) for text in texts) >= ENOUGH
    assert [text for text in texts if lost_actions(name, text)] == []
    for text in texts:
        assert_invariants(PARSERS[name].read(text), PARSERS[name])


@pytest.mark.parametrize("name", VALUES)
def test_what_a_baseline_reads_of_the_cases_is_read_or_reported(name, lost_actions):
    """The same of every case's text, whatever dialect it was written for."""
    assert [text for text in CASES if lost_actions(name, text)] == []
