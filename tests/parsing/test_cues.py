"""The sentence before a block: which ones say that it is shown, and which ones only sound like it."""

import pytest

from actionledger.parsing.cues import is_shown
from actionledger.parsing.parsers import PARSERS
from actionledger.vocabulary import BlockStatus, Outcome, Reason

FENCE = '```json\n{"action": "update_plan", "plan": "x"}\n```'
TAG = "<read_file><path>a</path></read_file>"

SHOWN = [
    *("For example:", "**For example:**", "This is done for instance so:", "It has one form, e.g. this:"),
    *("### Example", "Example:", "Here is an example:", "Let me show you an example:", "Example output:"),
    *(
        "Do not write:",
        "Please don't run this:",
        "Never send",
        "It would look like this:",
        "You could write:",
    ),
    *("The format is:", "Output format:", "Instead of:", "I wait. Such as:"),
    *("Zum Beispiel:", "Das geht z. B. so:", "Beispiel:", "Du könntest schreiben:", "Schreib das nicht:"),
    *("Par exemple :", "Exemple :", "Vous pourriez écrire :", "N'utilisez jamais ceci :"),
    *("Por ejemplo:", "Ejemplo:", "Podrías escribir:", "No uses esto:"),
    *("例如：", "比如", "示例：", "不要写：", "格式如下："),
]
MEANT = [
    *(
        "",
        "Done:",
        "Here is an example plan:",
        "I create an example.",
        "Let me create an example:",
        "I'll add an example:",
        "Create an issue with code examples:",
        "Now write the page with two examples:",
        "Save the sample:",
    ),
    *("For example, the port is missing, so I'll add it:", "The tests could not run, so I look:"),
    *(
        "The server does not return it. I add that:",
        "Instead of rewriting it, I edit it:",
        "As you might expect:",
    ),
    *(
        "For example, this is so.\n\nNow I read it:",
        "Do not use print, but a log:",
        "I answer in the required format:",
    ),
    *(
        "You could wait. I don't:",
        "```\nFor example\n```",
        "For example</think>\n",
        "Hier ist der Beispielplan:",
    ),
    *(
        "Ich lege ein Beispiel an:",
        "Voici le plan :",
        "Este es el plan:",
        "我来写一个示例：",
        "以下是示例计划：",
    ),
]


@pytest.mark.parametrize("gap", ["\n", "\n\n", "\r\n", "\n- "])
@pytest.mark.parametrize(
    ("before", "shows"), [*((each, True) for each in SHOWN), *((each, False) for each in MEANT)]
)
def test_the_last_sentence_says_whether_a_block_is_shown(before, shows, gap):
    """Directly before it or behind a blank line, and in a list's item."""
    text = f"Some words.\n\n{before}{gap}{FENCE}"
    assert is_shown(text, text.index("```json")) is shows


@pytest.mark.parametrize("before", SHOWN)
def test_what_is_shown_is_an_illustration_with_its_reason(before):
    """A fence and a tag alike: nothing runs, nothing is lost, and what it is stays on record."""
    for name, block in (("orchestrator", FENCE), ("coder", TAG)):
        reading = PARSERS[name].read(f"{before}\n{block}\n")
        assert reading.outcome is Outcome.NO_ACTION
        assert [(each.status, each.reason) for each in reading.blocks] == [
            (BlockStatus.IGNORED, Reason.EXAMPLE)
        ]
        assert [action.illustration for action in reading.actions] == [Reason.EXAMPLE]


def test_only_the_block_behind_the_sentence_is_shown():
    """What follows it has a sentence of its own."""
    reading = PARSERS["coder"].read(f"For example:\n{TAG}\nNow I do it:\n{TAG}\n{TAG}")
    assert [action.illustration for action in reading.actions] == [Reason.EXAMPLE, None, None]


def test_a_sentence_far_away_says_nothing():
    """It is looked for in a few hundred characters, so reading stays linear."""
    assert not is_shown(f"For example {'a' * 2000}\n{FENCE}", 2013)
