"""The sentence before a block: which ones say that it is shown, and which ones only sound like it."""

import pytest

from actionledger.core.vocabulary import BlockStatus, Outcome, Reason
from actionledger.reading.cues import is_shown
from actionledger.reading.parsers import PARSERS
from actionledger.reading.scan.source import Source

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


SHOWN += [
    *("I won't write:", "I refuse to run this:", "Never do this:", "Wrong:", "Not like this:", "You wrote:"),
    *("For example, creating a file:", "Creating a file, for example:", "One could write:", "Usage:"),
    *("Here's an example of reading a file:", "So nicht:", "Mach das nicht:", "Ne faites pas ça :"),
    *("No hagas esto:", "不要这样写："),
    *("The tool printed:", "It returned:", "Tool result:", "The output was:", "Observation:"),
    "Here\nis an example:",
]
MEANT += [
    *("Creating an example:", "Adding example usage to the README:", "Adding a host, for example.com:"),
    *("Adding some settings, for example the port:", "For example the port is missing, adding it now:"),
    *("Here is an example response handler:", "Here's an example of good style applied to your file:"),
    *("The file exists? It does not:", "It's now or never:", "You might need this file first:"),
    *("Since you could not find it:", "Your tests would look like they pass:", "Now I create the example:"),
    *(
        "Benutzer können sich nicht anmelden:",
        "Die Datei gibt es noch nicht:",
        "Schreibrechte fehlen nicht mehr:",
    ),
    *("Du könntest danach testen, zuerst die Datei:", "Le code n'exécute pas la migration :"),
    *("Le fichier n'existe pas :", "El script nunca envía el correo:", "Por ejemplo falta, lo agrego:"),
    *("创建示例：", "脚本不要使用全局变量：", "你可以写测试了，先创建文件：", "比如说缺少端口，现在加上："),
]
IN_DOUBT = [
    *(
        "Never use tabs:",
        "Lesson learned: do not use eval here:",
        "Please do not run the tests before I finish:",
    ),
    *("Don't run rm:", "Verwende nicht mehr die alte Datei:", "不要使用全局变量："),
]


@pytest.mark.parametrize("gap", ["\n", "\n\n", "\r\n", "\n- "])
@pytest.mark.parametrize(
    ("before", "shows"), [*((each, True) for each in SHOWN), *((each, False) for each in MEANT)]
)
def test_the_last_sentence_says_whether_a_block_is_shown(before, shows, gap):
    """Directly before it or behind a blank line, and in a list's item."""
    text = f"Some words.\n\n{before}{gap}{FENCE}"
    assert is_shown(Source(text), text.index("```json")) is shows


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
    assert not is_shown(Source(f"For example {'a' * 2000}\n{FENCE}"), 2013)


@pytest.mark.parametrize("before", IN_DOUBT)
def test_what_forbids_something_may_forbid_another_thing(before):
    """The block isn't run, and that is said: nobody knows whether it is what the sentence speaks of."""
    for name, block in (("orchestrator", FENCE), ("coder", TAG)):
        reading = PARSERS[name].read(f"{before}\n{block}\n")
        [found] = reading.blocks
        assert (found.status, found.reason) == (BlockStatus.IGNORED, Reason.CALL_IN_PROSE)
        assert [issue.span for issue in reading.issues] == [found.span]
        assert [action.illustration for action in reading.actions] == [Reason.CALL_IN_PROSE]
