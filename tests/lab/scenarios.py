"""What the scripted model says, scenario by scenario; the names of tools are each agent's own, and so filled in for it."""

import signal

from lab.deeds import DEEDS
from lab.ends import ENDS
from lab.steps import Asked, Scenario, Step
from lab.variants import VARIANTS


def _bad(arguments: str, place: int) -> Asked:
    return Asked(arguments=arguments, id=f"call_shape_{place}")


_LETTERS = "Zeile ä, 日本 🦉, \\ and \"both\" 'quotes'."

_FIRST: dict[str, Scenario] = {
    "good": Scenario(
        "a call of the shell that ends well, then words",
        (Step("I look first.", (Asked("mark-good"),)), Step("It is as it should be.")),
    ),
    "exit 3": Scenario(
        "a command that ends with status 3",
        (Step("I try it.", (Asked("mark-exit", 3, end="exit 3"),)), Step("It ended with three.")),
    ),
    "signal": Scenario(
        "a command that kills its shell",
        (Step("I end it.", (Asked("mark-signal", 137, end="kill -9 $$"),)), Step("It was killed.")),
    ),
    "out of time": Scenario(
        "a command that runs longer than the two seconds it is given",
        (
            Step("I wait.", (Asked("mark-slow", None, end="sleep 12", tool="slow"),)),
            Step("It took too long."),
        ),
    ),
    "broken arguments": Scenario(
        "arguments that end in the middle of a text",
        (Step("I write badly.", (Asked("mark-broken", is_broken=True),)), Step("I gave up.")),
    ),
    "arguments of other shapes": Scenario(
        "in the arguments' place words, a list, an object without what is needed, and nothing at all",
        (
            Step("In words.", (_bad("list it, please", 1),)),
            Step("As a list.", (_bad('["list it"]', 2),)),
            Step("Without a command.", (_bad('{"lab_nonsense": "x-7316"}', 3),)),
            Step("With nothing.", (_bad("", 4),)),
            Step("No shape was right."),
        ),
    ),
    "unknown tool": Scenario(
        "a call of a tool that nobody offered",
        (
            Step("I leave.", (Asked(name="teleport", arguments='{"place": "moon-9417"}'),)),
            Step("There is no such tool."),
        ),
    ),
    "edit that does not fit": Scenario(
        "a change of a text that the file doesn't have, and then of one that it has",
        (
            Step("I change what is not there.", (Asked(tool="edit", change=("omega", "psi")),)),
            Step(
                "I change what is there.", (Asked("mark-edit", tool="edit", change=("alpha", "mark-edit")),)
            ),
            Step("One of both fitted."),
        ),
    ),
    "cut by length": Scenario(
        "the same broken arguments, and the provider says that the answer was cut by its length",
        (
            Step("I begin.", (Asked("mark-length", is_broken=True),), finish="length"),
            Step("It was cut short."),
        ),
    ),
    "words cut by length": Scenario(
        "words alone, cut by their length",
        (Step("These words are cut by their", finish="length"), Step("And these are whole.")),
    ),
    "parallel calls": Scenario(
        "two calls in one answer, of which the second ends with status 4",
        (
            Step("Both at once.", (Asked("mark-first"), Asked("mark-second", 4, end="exit 4"))),
            Step("Both are done."),
        ),
    ),
    "two calls with one id": Scenario(
        "the same, both with one identifier",
        (
            Step(
                "The same twice.",
                (
                    Asked("mark-one", id="call_same"),
                    Asked("mark-two", 4, id="call_same", end="exit 4"),
                ),
            ),
            Step("Both are done."),
        ),
    ),
    "one id later again": Scenario(
        "two answers after one another, whose calls have one identifier",
        (
            Step("One first.", (Asked("mark-early", id="call_again"),)),
            Step("One later.", (Asked("mark-late", 4, id="call_again", end="exit 4"),)),
            Step("Both have run."),
        ),
    ),
    "text left as a call": Scenario(
        "a call written into the text as `<tool_call>…</tool_call>`, beside no call at all",
        (Step("I run it.", shown=Asked("mark-text")), Step("Nothing came of it.")),
    ),
    "thoughts and letters": Scenario(
        "thoughts before words and before a call, and letters of many scripts",
        (
            Step(_LETTERS, (Asked("mark-äöü-日本"),), thought="I think of ü first."),
            Step("", (Asked("mark-then"),), thought="I think again."),
            Step("The letters are whole.", thought="I thought enough."),
        ),
    ),
    "empty answer": Scenario(
        "an answer of nothing at all, after a call",
        (Step("I look once.", (Asked("mark-before"),)), Step(""), Step("Now I speak.")),
    ),
    "only thoughts": Scenario(
        "an answer of thoughts alone, after a call",
        (
            Step("I look once.", (Asked("mark-before"),)),
            Step("", thought="I only think of it."),
            Step("Now I speak."),
        ),
    ),
    "refusal": Scenario(
        "words that end because the model or its provider refuses",
        (Step("I can't help with that.", finish="refusal"), Step("Now I speak.")),
    ),
    "server errors": Scenario(
        "status 500, 529 and 429 before an answer, and 500 before the next",
        (
            Step(status=500),
            Step(status=529),
            Step(status=429),
            Step("At last.", (Asked("mark-last"),)),
            Step(status=500),
            Step("It came through."),
        ),
    ),
    "bad request": Scenario(
        "a call, and status 400 when its result is told",
        (Step("I ask.", (Asked("mark-asked"),)), Step(status=400), Step("It was refused once.")),
    ),
    "broken off in words": Scenario(
        "a connection that breaks off in the middle of words",
        (Step("Half of this is never sent at all.", cut="text"), Step("The second try.")),
    ),
    "broken off in a call": Scenario(
        "a connection that breaks off in a call's arguments",
        (
            Step("The first try.", (Asked("mark-half", id="call_half"),), cut="call"),
            Step("A second try.", (Asked("mark-whole"),)),
            Step("The second one ran."),
        ),
    ),
    "broken off at the end": Scenario(
        "a connection that breaks off after a whole call, before the answer's end",
        (
            Step("The first try.", (Asked("mark-endless", id="call_endless"),), cut="end"),
            Step("A second try.", (Asked("mark-whole"),)),
            Step("It came to an end."),
        ),
    ),
    "not permitted": Scenario(
        "a command, where nobody is there to permit it",
        (Step("I may not.", (Asked("mark-forbidden"),)), Step("I was not let.")),
        is_permitted=False,
    ),
    "resumed": Scenario(
        "a call and words, and in a second start of the agent a call that fails, and words",
        (
            Step("Part one.", (Asked("mark-part-one"),)),
            Step("The first part ends."),
            Step("Part two.", (Asked("mark-part-two", 4, end="exit 4"),)),
            Step("The second part ends."),
        ),
        rounds=("new", "on"),
    ),
    "forked": Scenario(
        "the same, where the second start is a fork of the first",
        (
            Step("The trunk.", (Asked("mark-trunk"),)),
            Step("The trunk ends."),
            Step("The branch.", (Asked("mark-branch", 4, end="exit 4"),)),
            Step("The branch ends."),
        ),
        rounds=("new", "fork"),
    ),
    "killed": Scenario(
        "a command during which the agent is killed; it is started again, and told words",
        (
            Step("This takes long.", (Asked("mark-killed", None, end="sleep 40"),)),
            Step("After the kill.", (Asked("mark-after"),)),
            Step("It went on."),
        ),
        rounds=("new", "on"),
        stopped_by=signal.SIGKILL,
    ),
    "sub-agent": Scenario(
        "a sub-agent is sent, and runs a command that fails",
        (Step("I send a helper.", (Asked(tool="helper"),)), Step("The helper is back.")),
        helper=(
            Step("The helper looks.", (Asked("mark-helper", 5, end="exit 5"),)),
            Step("The helper saw it."),
        ),
    ),
    "MCP": Scenario(
        "two calls of an MCP server's tools: one that ends well, one that the server calls an error",
        (
            Step("I ask the server.", (Asked("mark-mcp", tool="mcp", arguments="lab_mark"),)),
            Step("I ask it badly.", (Asked(tool="mcp", arguments="lab_fail"),)),
            Step("The server has spoken."),
        ),
    ),
}

SCENARIOS = _FIRST | VARIANTS | ENDS | DEEDS
"""All of them by their names."""
