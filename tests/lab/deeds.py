"""What else calls do: commands that are killed or say nothing, files and names that are hard, tools, servers and sub-agents that fail."""

from typing import Any

from lab.steps import DEEPER, RAN, Asked, Scenario, Step

_STRANGE = f"{RAN[:2]} ä 日本 'n.txt"
_BESIDE = f'(mkdir -p "a b/ü 日本" && cd "a b/ü 日本" && echo alpha > "../../{_STRANGE}" && pwd)'


def _deep(levels: int) -> Any:
    return {"down": [_deep(levels - 1), None, 1.5, "ü"]} if levels else {"at": "the bottom"}


def _three(number: int, middle: Asked) -> Step:
    first, last = Asked(f"mark-{number}-a"), Asked(f"mark-{number}-c", number, end=f"exit {number}")
    return Step(f"Three at once, {number}.", (first, middle, last))


def _shaped(arguments: str, place: int) -> Asked:
    return Asked(arguments=arguments, id=f"call_typed_{place}")


DEEDS: dict[str, Scenario] = {
    "ended by signals": Scenario(
        "commands that end by SIGTERM, SIGSEGV and SIGPIPE, and one whose child is killed",
        (
            Step("One.", (Asked("mark-term", 143, end="kill -TERM $$"),)),
            Step("Two.", (Asked("mark-segv", 139, end="kill -SEGV $$"),)),
            Step("Three.", (Asked("mark-child", 137, end="bash -c 'kill -9 $$'"),)),
            Step("All of them were killed."),
        ),
    ),
    "nothing printed": Scenario(
        "commands that print nothing, of which one ends well and one with status 1",
        (
            Step("It is quiet.", (Asked("mark-still", is_quiet=True),)),
            Step("It is quiet, too.", (Asked("mark-silent", 1, is_quiet=True, end="exit 1"),)),
            Step("Nothing was said."),
        ),
    ),
    "errors on standard error": Scenario(
        "a command that writes a traceback to standard error and ends well, and one that ends with status 1",
        (
            Step("It warns.", (Asked("mark-warned", end="echo 'Traceback (most recent call last):' >&2"),)),
            Step("It fails.", (Asked("mark-raised", 1, end="python3 -c 'raise ValueError(7316)'"),)),
            Step("One of them failed."),
        ),
    ),
    "last of a pipe": Scenario(
        "a failure that a pipe hides, and one behind `||`",
        (
            Step("It is hidden.", (Asked("mark-hidden", end="false | cat"),)),
            Step("It is caught.", (Asked("mark-caught", end="false || echo 'exit code 1, caught'"),)),
            Step("It is neither.", (Asked("mark-neither", 1, end="true && false"),)),
            Step("One of three failed."),
        ),
    ),
    "middle of three refused": Scenario(
        "three answers of three calls, of which the middle one is of no tool, broken, or without what it needs",
        (
            _three(2, Asked(name="teleport", arguments='{"place": "moon-9417"}')),
            _three(3, Asked("mark-middle", is_broken=True)),
            _three(4, Asked(arguments='{"lab_nonsense": "x-7316"}')),
            Step("Three of nine were wrong."),
        ),
    ),
    "arguments of other types": Scenario(
        "in the arguments' place `null`, a number and a text in quotes, and objects whose values are of another type",
        (
            Step("Null.", (_shaped("null", 1),)),
            Step("A number.", (_shaped("7316", 2),)),
            Step("A text.", (_shaped('"list it"', 3),)),
            Step("Null inside.", (_shaped('{"command": null, "cmd": null, "commands": null}', 4),)),
            Step("An object inside.", (_shaped('{"command": {"a": 1}, "cmd": {"a": 1}}', 5),)),
            Step("No type was right."),
        ),
    ),
    "empty command": Scenario(
        "a command that is an empty text, and one of blanks",
        (
            Step("It is empty.", (Asked(given="", is_judged=False),)),
            Step("It is blank.", (Asked(given="   ", is_judged=False),)),
            Step("Nothing was to be done."),
        ),
    ),
    "arguments that nobody asked for": Scenario(
        "a command with more arguments than its tool has, deep ones among them",
        (
            Step("There is more.", (Asked("mark-more", more={"lab_extra": "x-7316"}),)),
            Step("It is deep.", (Asked("mark-deep", 4, end="exit 4", more={"lab_deep": _deep(12)}),)),
            Step("It was too much."),
        ),
    ),
    "tool of nearly that name": Scenario(
        "calls of the shell by a name in other letters, with an `s` more, and with a blank before it",
        (
            Step("In other letters.", (Asked("mark-case", near=str.swapcase),)),
            Step("With a letter more.", (Asked("mark-letter", near=lambda name: f"{name}s"),)),
            Step("In another place.", (Asked("mark-place", near=lambda name: f"functions.{name}"),)),
            Step("None was its name."),
        ),
    ),
    "long command": Scenario(
        "a command of many lines with a document in it, and status 5",
        (
            Step(
                "It is long.",
                (
                    Asked(
                        "mark-lines", 5, end="\n".join(["cat <<'END'", *["line of it"] * 40, "END", "exit 5"])
                    ),
                ),
            ),
            Step("It failed at its end."),
        ),
    ),
    "letters that are no text": Scenario(
        "a command that prints bytes of no encoding, controls and colours, and fails",
        (
            Step(
                "It is no text.",
                (Asked("mark-bytes", 3, end="printf '\\377\\000\\033[31mred\\033[0m\\r\\b\\n'; exit 3"),),
            ),
            Step("It was none."),
        ),
    ),
    "edit that fits twice": Scenario(
        "a change of a text that stands in the file twice",
        (
            Step("It is there twice.", (Asked("mark-same", end="printf 'same\\nsame\\n' >> notes.txt"),)),
            Step("I change one.", (Asked("mark-other", tool="edit", change=("same", "mark-other")),)),
            Step("Which one was it?"),
        ),
    ),
    "edit of a hard name": Scenario(
        "a change in a file whose name has blanks, a quote and letters of many scripts",
        (
            Step("I make it.", (Asked("mark-made", end=_BESIDE),)),
            Step(
                "I change it.",
                (Asked("mark-strange", tool="edit", path=_STRANGE, change=("alpha", "mark-strange")),),
            ),
            Step("The name was hard."),
        ),
    ),
    "files that are not there": Scenario(
        "a file that is not there is read, a text written below a file, and a change made in no file",
        (
            Step("I read it.", (Asked(tool="read", path="absent-7316.txt"),)),
            Step("I write it.", (Asked(tool="write", path="notes.txt/below.txt", change=("", "words")),)),
            Step("I change it.", (Asked(tool="edit", path="absent-7316.txt", change=("alpha", "beta")),)),
            Step("Nothing was there."),
        ),
    ),
    "files that are": Scenario(
        "a file is read, and a file written in a new folder",
        (
            Step("I read it.", (Asked(tool="read", is_sure=True),)),
            Step(
                "I write it.",
                (Asked("mark-written", tool="write", path=f"{RAN[:2]}w.txt", change=("", "mark-written\n")),),
            ),
            Step("Both were there."),
        ),
    ),
    "plan": Scenario(
        "two things that are to be done are noted, then one is done",
        (
            Step("I plan.", (Asked(tool="plan", is_sure=True),)),
            Step("I do it.", (Asked("mark-done"),)),
            Step("One is left."),
        ),
    ),
    "command behind": Scenario(
        "a command that goes on while the agent does other things",
        (
            Step(
                "It goes on.", (Asked("mark-behind", end="sleep 30; exit 4", tool="behind", is_judged=False),)
            ),
            Step("I look.", (Asked("mark-beside"),)),
            Step("It may go on."),
        ),
    ),
    "forbidden by a hook": Scenario(
        "a command that a hook of the agent's settings forbids",
        (Step("I try.", (Asked("mark-hooked"),)), Step("A hook said no.")),
        rule="hook",
    ),
    "forbidden by the settings": Scenario(
        "a command that the agent's settings forbid",
        (Step("I try.", (Asked("mark-denied"),)), Step("The settings said no.")),
        rule="denied",
    ),
    "MCP server that dies": Scenario(
        "a call during which the MCP server ends, and one of the same server after it",
        (
            Step("I ask it.", (Asked("mark-dying", None, tool="mcp", arguments="lab_die"),)),
            Step("I ask it again.", (Asked(tool="mcp", arguments="lab_fail"),)),
            Step("It is gone."),
        ),
    ),
    "MCP of other results": Scenario(
        "results of an MCP server: structured, an error that is structured, a picture, nothing, and an error of the protocol",
        (
            Step("One.", (Asked("mark-structured", tool="mcp", arguments="lab_structured"),)),
            Step("Two.", (Asked(tool="mcp", arguments="lab_fail_structured"),)),
            Step("Three.", (Asked("mark-picture", tool="mcp", arguments="lab_picture"),)),
            Step("Four.", (Asked("mark-nothing", tool="mcp", arguments="lab_nothing"),)),
            Step("Five.", (Asked(tool="mcp", arguments="lab_error"),)),
            Step("Those were five."),
        ),
    ),
    "MCP with deep arguments": Scenario(
        "a call of an MCP server's tool whose arguments are deep and have an empty text",
        (
            Step(
                "It is deep.",
                (
                    Asked(
                        "mark-mcp-deep",
                        tool="mcp",
                        arguments="lab_mark",
                        more={"deep": _deep(12), "empty": ""},
                    ),
                ),
            ),
            Step("It went well."),
        ),
    ),
    "sub-agent that is refused": Scenario(
        "a sub-agent whose only answer is status 400",
        (Step("I send a helper.", (Asked(tool="helper"),)), Step("The helper had no answer.")),
        helper=(Step(status=400), Step(status=400), Step("The helper speaks after all.")),
    ),
    "sub-agent of a sub-agent": Scenario(
        "a sub-agent that sends a sub-agent, which runs a command that fails",
        (Step("I send a helper.", (Asked(tool="helper"),)), Step("The helper is back.")),
        helper=(
            Step("The helper sends one.", (Asked(tool="helper", given=DEEPER),)),
            Step("The helper heard it."),
        ),
        deeper=(Step("I look deeper.", (Asked("mark-deeper", 5, end="exit 5"),)), Step("It is deep.")),
    ),
}
