"""No action that the documents' own parsers read is lost without a word: it is read, reported, or shown with its reason."""

from collections.abc import Sequence
from random import Random

import pytest
from case_files import case_files
from effort import examples

from actionledger.core.values import Reading, Span
from actionledger.core.vocabulary import BlockStatus, Outcome, Reason
from actionledger.reading.parsers import PARSERS

TEXTS = examples(2500)
"""How many texts are made for each parser."""

ENOUGH = TEXTS // 42
"""In so many of them, at least, one of the documents' own parsers reads an action: else the test would look at nothing."""

CASES = [case["text"] for _, case in case_files()]

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
WRONG_TAGS = [
    *(
        "<execute_command>ls</execute_command>",
        "<READ_FILE>a.txt</READ_FILE>",
        "<read_file><file>a</file></read_file>",
    ),
    *("<write_file><path>a</path><content>x</content></write_file>", "<bash><command>ls</command></bash>"),
    "<WriteFile>\n<path>a</path>\n<content>\n<read_file><path>b</path></read_file>\n</content>\n</WriteFile>",
    *("&lt;read_file&gt;&lt;path&gt;a&lt;/path&gt;&lt;/read_file&gt;", "\\<read_file\\>a\\</read_file\\>"),
]
"""What was filled wrongly, is called otherwise or is escaped: filled and closed, so somebody meant it."""

LOOSE_PLANS = ["{action: 'update_plan', plan: 'x'}", "{'action': 'update_plan'}", "{action: update_plan}"]
LOOSE_ACTIONS = ["{actions: [{type: 'list_tasks'}]}", "{'actions': [{'type': 'list_tasks'}]}"]
NOTHING = ['{"a": 1}', "[]", "{", "x", ""]

VALUES = {
    "assistant": [*ACTIONS, *ITERATIONS, *LOOSE_ACTIONS],
    "assistant-iterative": ITERATIONS,
    "orchestrator": [*PLANS, *LOOSE_PLANS],
    "coder": [*TAGS, *WRONG_TAGS],
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
    *("For example:\n", "Zum Beispiel: ", "You could write:\n\n", "例如：", "Here is an example plan:\n"),
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


@pytest.mark.scaled
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


LANGUAGES = ["json5", "jsonc", "hjson", "js", "javascript", "json", ""]
MEANT = {
    "coder": WRONG_TAGS,
    "orchestrator": [
        *(f"```{label}\n{value}\n```" for label in LANGUAGES for value in LOOSE_PLANS),
        *(f"\n{value}\n" for value in [*LOOSE_PLANS, PLANS[0]]),
    ],
    "assistant": [
        *(f"```{label}\n{value}\n```" for label in LANGUAGES for value in LOOSE_ACTIONS),
        *(f"\n{value}\n" for value in [*LOOSE_ACTIONS, ACTIONS[0]]),
    ],
}
"""What was meant, though no baseline reads it: in the middle of a line where it is a tag, on lines of its own else."""

BEFORE_MEANT = [
    *PROSE[:5],
    *("Run ", "Sure: ", "- ", "1. ", "", "> ", "**Now** ", "a ```b ", "`", "\n\n", "中文：", "🍅 "),
]
AFTER_MEANT = ["", ".", " and so on.", "\nThat is all.\n", "\n\nDone.", "`", ")"]


def is_accounted_for(reading: Reading, place: Span) -> bool:
    """Return whether a block over a place was read, lost, said or shown: nobody took it for nothing."""
    return any(
        block.span.start < place.end
        and place.start < block.span.end
        and (block.status is not BlockStatus.IGNORED or block.reason is not Reason.NOT_AN_ACTION)
        for block in reading.blocks
    )


@pytest.mark.parametrize("name", MEANT)
def test_what_was_meant_and_no_baseline_reads_is_never_taken_for_nothing(name, assert_invariants):
    """Wrongly filled, called otherwise, escaped, without quotes or without a fence: read, lost or shown, with its place."""
    random = Random(name)
    for value in MEANT[name]:
        is_line = value.startswith(("`", "\n"))
        for _ in range(40):
            before = "".join(random.choice(BEFORE_MEANT) for _ in range(random.randint(0, 2)))
            before += "\n" if is_line and before and not before.endswith("\n") else ""
            text = before + value + ("\n" if is_line else "") + random.choice(AFTER_MEANT)
            reading = PARSERS[name].read(text)
            assert is_accounted_for(reading, Span(len(before), len(before) + len(value))), text
            assert_invariants(reading, PARSERS[name])


@pytest.mark.parametrize("name", MEANT)
def test_what_stands_alone_is_read_or_lost(name):
    """Without a word around it nothing else can be made of it, so it counts in every parse rate."""
    for value in MEANT[name]:
        assert PARSERS[name].read(value).outcome in {Outcome.REPAIRED, Outcome.FAILED}, value


@pytest.mark.parametrize(
    ("before", "outcome"),
    [
        ("That was an example. Now the plan: ", Outcome.REPAIRED),
        ("This is my plan. An example of it: ", Outcome.NO_ACTION),
    ],
)
def test_only_the_sentence_before_a_block_says_what_it_is(before, outcome):
    """What an earlier one on the line shows is another thing."""
    text = f'{before}```json\n{{"action":"update_plan","plan":"x"}}\n```'
    assert PARSERS["orchestrator"].read(text).outcome is outcome
