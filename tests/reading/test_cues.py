"""The sentence before a block: whether it says that the block is shown, or names the work at hand."""

import re
from itertools import product
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, strategies as st

import actionledger as al
from actionledger.core.vocabulary import BlockStatus, Outcome, Reason
from actionledger.reading import cues
from actionledger.reading.cues import CueWords, is_shown
from actionledger.reading.parsers import PARSERS
from actionledger.reading.prose_words import stems
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


FINDING = ("_ANYWHERE", "_ENDS_SO", "_FORBIDS", "_PRESCRIBES", "_LAST", "_TELLS_FORMAT")
"""The patterns that find a cue anywhere in a sentence."""

MESSAGES = [
    '>>>f\n{"a": "x"}',
    ">>>f\n{",
    "<function=f>{",
    '<function=f>{"a": "x"}\n',
    '<|tool_call|>{"a": "x"',
]
"""Openers with a body that nothing closes, so that no sentence ends between them."""


def _shortest(tree: Any) -> list[str]:
    """Return a text for each way through a pattern's alternatives, with no more in it than there has to be, but for single signs."""
    return ["".join(parts) for parts in product(*(_ways(kind, given) for kind, given in tree))]


def _ways(kind: Any, given: Any) -> list[str]:
    match str(kind):
        case "LITERAL":
            return [chr(given)]
        case "BRANCH":
            return [way for tree in given[1] for way in _shortest(tree)]
        case "SUBPATTERN":
            return _shortest(given[-1])
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            least, _, repeated = given
            if least:
                return [way * least for way in _shortest(repeated)]
            is_sign = [str(what) for what, _ in repeated] == ["LITERAL"]
            return ["", *(_shortest(repeated) if is_sign else [])]
        case "IN":
            return [chr(of) if str(what) == "LITERAL" else " " for what, of in given]
        case "AT" | "ASSERT" | "ASSERT_NOT":
            return [""]
    raise NotImplementedError(kind)


@pytest.mark.parametrize("name", [*FINDING, "_FORMAT"])
def test_whatever_a_pattern_finds_holds_such_a_word(name):
    """A cue that is added without its word would never be found."""
    pattern = getattr(cues, name)
    ways = _shortest(re._parser.parse(pattern.pattern, pattern.flags))
    assert [way for way in ways if not CueWords().may_stand_in(way, way)] == []


ASKED = {
    "_FORBIDS": stems.NEGATIONS,
    "_ENDS_SO": stems.EXAMPLES,
    "_PRESCRIBES": stems.FORMATS,
    "_ANYWHERE": stems.EXAMPLES | stems.POSSIBILITIES,
}
"""The words without one of which each of these patterns is not asked."""


@pytest.mark.parametrize("name", ASKED)
def test_whatever_a_pattern_finds_holds_a_word_of_those_that_it_is_asked_for(name):
    pattern = getattr(cues, name)
    ways = _shortest(re._parser.parse(pattern.pattern, pattern.flags))
    assert [way for way in ways if not cues.may_hold(way, ASKED[name])] == []
    assert not cues.may_hold("The trains are late today.", ASKED[name])


@given(
    st.lists(st.sampled_from([*sorted(stems.STEMS), "x" * 100, "e.", " no", "\n", "例"]), max_size=8),
    st.data(),
)
def test_long_parts_miss_no_word(parts, data):
    """Any stretch of a text is asked for, in any order; a long one in another way than a short one."""
    text, words = "".join(parts), CueWords()
    places = st.integers(0, len(text))
    for start, end in data.draw(st.lists(st.tuples(places, places).map(sorted), max_size=6)):
        part = text[start:end]
        with mock.patch.object(cues, "_PIECE", len(text)):
            is_any = CueWords().may_stand_in(part, part)
        assert words.may_stand_in(text, part) == is_any


class _Counting:
    """A pattern that notes how many characters it was asked about."""

    def __init__(self, pattern: Any) -> None:
        self._pattern, self.characters = pattern, 0

    def search(self, text: str, start: int = 0, end: int | None = None) -> re.Match[str] | None:
        end = len(text) if end is None else min(end, len(text))
        self.characters += end - start
        return self._pattern.search(text, start, end)


@pytest.mark.parametrize("message", MESSAGES)
def test_messages_behind_one_another_are_gone_through_for_cues_once(message):
    """Eight patterns went through six hundred characters for each message, of fifteen characters: a millisecond."""
    text = message * (6_000 // len(message))
    counting = {name: _Counting(getattr(cues, name)) for name in FINDING}
    with mock.patch.multiple(cues, **counting):
        reading = PARSERS["auto"].read(text, frozenset({"f"}))
    assert len(reading.blocks) > 100
    assert sum(each.characters for each in counting.values()) < 3 * len(text)


@given(
    st.lists(
        st.sampled_from([*sorted(stems.STEMS), "I", "this", ".", ":", "\n\n", "\n", "- ", "例如"]), max_size=9
    )
)
def test_a_paragraph_without_such_a_word_shows_nothing(parts):
    """It is asked for them before its last sentence is looked for: that saves work and changes no answer."""
    text = " ".join(parts)
    for source in (Source(text), Source(f"{text}\n\n```json\n{{}}\n```")):
        start = min(len(source.text), len(text) + 2)
        found = cues.is_shown(source, start)
        with mock.patch.object(CueWords, "may_stand_in", return_value=True):
            assert cues.is_shown(Source(source.text), start) == found


TOOLS = [
    {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    }
]
CALL = al.render([("get_weather", {"city": "Oslo"})], "hermes")

OF_WORK = [
    "Build, tests, lint:",
    "All cases pass. Full suite + vet + lint:",
    "Quick sanity check of the parser's new branch:",
    "Final verification — gofmt and the whole run:",
    "Diff overview before committing:",
    "Three stale comments to update (`old` → `new`):",
    "**Part 2**: switch both call sites to `c.url()`:",
    "Extract `example.com` as a constant too:",
    "Check if `strings` is still used in this file:",
    "Build and run the tests first to catch regressions:",
    "Also remove the old rule, since nothing needs it:",
    "Now the new unit test in planner, so that nobody breaks it.",
    "Now the changelog with its new section.",
    "Here's the corrected code:",
    "I apologize. Here is the modified code with the right syntax:",
    "Let me check whether both give the same result.",
    "I need the number of rows and have to check if they give the same result.",
    "I should write a function that takes both numbers.",
    "I'll fix that now. The fastest way is to use sed:",
    "The plan:\n\n1. Take the lettuce.\n2. Cool it in the fridge\n3. Go to the other countertop and put it there",
]
OF_TEXTS = [
    "The failing test:",
    "What the linter printed:",
    "The diff of both transcripts:",
    "A test for the parser has this call:",
    "The tests feed the parser with:",
    "The suite contains:",
    "Build command of theirs:",
    "Here's the new version that I propose:",
    "Here's the fixed line of your log:",
    "Three calls to compare:",
    "Two lines to ignore:",
    "Two ways to fix it:",
    "I'll look into it. The other agent's request:",
    "Let me verify. The client sent:",
    "I will check. Somebody wrote:",
    "If they confirm, run the tests:",
    "Check if they agree, then run the tests:",
    "According to the changelog, clients send:",
    "In the unit test, the model answers:",
    "A function call in this protocol has two parts:",
]


def outcome(lead):
    """Return whether the call behind a lead runs, and that something is said of one that doesn't."""
    result = al.parse(f"{lead}\n\n{CALL}", dialects="auto", tools=TOOLS)
    runs = any(call.status.is_runnable for call in result.actions)
    assert runs or result.issues
    return runs


@pytest.mark.parametrize("lead", OF_WORK)
def test_a_lead_that_names_the_work_lets_a_marked_call_run(lead):
    assert outcome(lead)


@pytest.mark.parametrize("lead", OF_TEXTS)
def test_a_lead_that_names_a_text_lets_it_wait(lead):
    assert not outcome(lead)


OWN = {
    "assistant": al.render([("create_task", {"content": "Paris"})], "actions"),
    "coder": al.render([("read_file", {"path": "a.txt"})], "xml_tags"),
    "orchestrator": al.render([("escalate", {"reason": "Paris"})], "json_action"),
    "reasoner": al.render([("speak", {"context": "Hi"})], "plan"),
}
RUNS = [
    "A branch comes first:\n\n…",
    "With a sketch:\n\n…",
    "…\n\nWould you like me to set a reminder as well?",
    "…\n\nShall I also add a due date?",
    "…\n\nIs there anything else you need?",
    "…\n\nSoll ich noch eine Erinnerung setzen?",
    "…\n\nThe next step is up to the tests.",
    "…\n\nLet me know if anything is missing.",
    "Please approve the branch before Friday:\n\n…",
    "The fence was wrong. Once more, as it should be:\n\n…",
    "You were right about the order of these fields. The same plan in the right form:\n\n…",
    "…\n\nAfter that, a check:\n\n…",
    "Create an issue with a list of code examples:\n\n…",
    "Falsch eingerückt, Verzeihung. Dasselbe noch einmal, diesmal als JSON:\n\n…",
]
WAITS = [
    "This is how the other team's product writes it:\n\n…",
    "The parser stumbles over this because of a missing bracket:\n\n…",
    "The unit test compares what comes out with this string:\n\n…",
    "I was told not to do this, but for completeness:\n\n…",
    "If the upload fails, the fallback would be:\n\n…",
    "I decided against it:\n\n…",
    "That was done this morning, so I won't repeat it:\n\n…",
    "What would the call be? Answer:\n\n…",
    "…\n\nThis is what the user pasted.",
    "…\n\nShall I also run this?",
    "…\n\nWould you like me to do this as well?",
]


@pytest.mark.parametrize("profile", OWN)
@pytest.mark.parametrize(("texts", "is_meant"), [(RUNS, True), (WAITS, False)], ids=["runs", "waits"])
def test_an_action_in_a_profiles_own_format_waits_where_it_is_shown(profile, texts, is_meant):
    for text in texts:
        result = al.parse(text.replace("…", OWN[profile]), profile=profile)
        assert any(call.status.is_runnable for call in result.actions) is is_meant, text
        assert is_meant or result.issues, text
