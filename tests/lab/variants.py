"""More of what the scripted model says: the same things otherwise, several at once, and one behind the other."""

from lab.steps import Asked, Scenario, Step

_HARD = "printf '%s\\n' '</tool_call>' '```json {\"a\": [1, \"\\u00e9\"]}```' \"tab:\\t\" '\\\\n $HOME %s' 🦉 > /dev/null"
_MISLEADING = (
    "echo 'Error: exit code 3, command timed out after 2 seconds, permission denied by user'; echo fine"
)

VARIANTS: dict[str, Scenario] = {
    "other statuses": Scenario(
        "commands that end with status 2, 126, 127 and 255, one after the other",
        (
            *(Step(f"It ends with {n}.", (Asked(f"mark-{n}", n, end=f"exit {n}"),)) for n in (2, 126, 255)),
            Step("No such program.", (Asked("mark-127", 127, end="no-such-program-7316"),)),
            Step("All of them failed."),
        ),
    ),
    "misleading output": Scenario(
        "a command that prints words of errors and ends well, and one that prints that all is well and fails",
        (
            Step("It only sounds bad.", (Asked("mark-bad", end=_MISLEADING),)),
            Step(
                "It only sounds well.",
                (Asked("mark-well", 6, end="echo 'Exit code: 0, all tests passed'; exit 6"),),
            ),
            Step("So much for words."),
        ),
    ),
    "much output": Scenario(
        "a command that prints more than an agent keeps, and fails",
        (
            Step("It prints a lot.", (Asked("mark-much", 9, end="yes lab | head -n 60000; exit 9"),)),
            Step("It failed in the end."),
        ),
    ),
    "hard letters in a call": Scenario(
        "a command of quotes, backslashes, fences, a closing tag and an owl",
        (Step("I quote.", (Asked("mark-hard", end=_HARD),)), Step("It is quoted.")),
    ),
    "both fail": Scenario(
        "two calls in one answer, which end with status 5 and 6",
        (
            Step("Both at once.", (Asked("mark-five", 5, end="exit 5"), Asked("mark-six", 6, end="exit 6"))),
            Step("Both have failed."),
        ),
    ),
    "first of three fails": Scenario(
        "three calls in one answer, of which the first ends with status 2",
        (
            Step(
                "Three at once.",
                (Asked("mark-first", 2, end="exit 2"), Asked("mark-second"), Asked("mark-third")),
            ),
            Step("Two of them ran well."),
        ),
    ),
    "four at once": Scenario(
        "a call that ends well, one of no tool, one that is broken, and one that ends with status 7, in one answer",
        (
            Step(
                "Four at once.",
                (
                    Asked("mark-fine"),
                    Asked(name="teleport", arguments='{"place": "moon-9417"}'),
                    Asked("mark-broken", is_broken=True),
                    Asked("mark-seven", 7, end="exit 7"),
                ),
            ),
            Step("One of them was right."),
        ),
    ),
    "same call twice": Scenario(
        "one command twice in one answer, under two identifiers",
        (Step("Twice.", (Asked("mark-twice"), Asked("mark-twice"))), Step("Twice it was.")),
    ),
    "call beside a call in words": Scenario(
        "a call, and another one that is written into the text beside it",
        (
            Step("I run one.", (Asked("mark-called"),), shown=Asked("mark-shown")),
            Step("One of them ran."),
        ),
    ),
    "second call cut by length": Scenario(
        "a whole call and one that its length cuts, in one answer",
        (
            Step("I do two.", (Asked("mark-whole"), Asked("mark-cut", is_broken=True)), finish="length"),
            Step("The second was cut."),
        ),
    ),
    "thoughts cut by length": Scenario(
        "an answer of thoughts that are cut by their length, before any word",
        (
            Step("I look once.", (Asked("mark-before"),)),
            Step("", thought="I think and think and", finish="length"),
            Step("Now I speak."),
        ),
    ),
    "refusal after a call": Scenario(
        "a call, and words that end because the model or its provider refuses",
        (Step("I look.", (Asked("mark-look"),)), Step("I can't go on.", finish="refusal"), Step("I can.")),
    ),
    "broken off in the second call": Scenario(
        "a connection that breaks off in the second of two calls",
        (
            Step(
                "A first try.", (Asked("mark-1", id="call_one"), Asked("mark-2", id="call_two")), cut="call"
            ),
            Step("A second try.", (Asked("mark-again"),)),
            Step("That one ran."),
        ),
    ),
    "errors between failures": Scenario(
        "a call that fails, status 500, a call of no tool, status 429, and words",
        (
            Step("One.", (Asked("mark-one", 3, end="exit 3"),)),
            Step(status=500),
            Step("Two.", (Asked(name="teleport", arguments='{"place": "moon-9417"}'),)),
            Step(status=429),
            Step("That was all."),
        ),
    ),
    "refused, then resumed": Scenario(
        "a call and status 400, and in a second start of the agent a call that fails",
        (
            Step("I ask.", (Asked("mark-asked"),)),
            Step(status=400),
            Step("Once more.", (Asked("mark-more", 4, end="exit 4"),)),
            Step("It went on."),
        ),
        rounds=("new", "on"),
    ),
    "forked twice": Scenario(
        "a call, a fork of it with a call that fails, and a fork of that one with words",
        (
            Step("The trunk.", (Asked("mark-trunk"),)),
            Step("The trunk ends."),
            Step("The branch.", (Asked("mark-branch", 4, end="exit 4"),)),
            Step("The branch ends."),
            Step("The twig ends."),
        ),
        rounds=("new", "fork", "fork"),
    ),
    "resumed, then forked": Scenario(
        "words, words in a second start, and a fork of both with a call that fails",
        (
            Step("One."),
            Step("Two.", (Asked("mark-two"),)),
            Step("Two ends."),
            Step("Three.", (Asked("mark-three", 8, end="exit 8"),)),
            Step("Three ends."),
        ),
        rounds=("new", "on", "fork"),
    ),
    "two not permitted": Scenario(
        "two commands in one answer, where nobody is there to permit them",
        (
            Step("I may not.", (Asked("mark-one-forbidden"), Asked("mark-two-forbidden"))),
            Step("I was not let."),
        ),
        is_permitted=False,
    ),
    "sub-agent that fails": Scenario(
        "a sub-agent that calls what it doesn't have, is broken off by an error, and speaks",
        (Step("I send a helper.", (Asked(tool="helper"),)), Step("The helper is back.")),
        helper=(
            Step("The helper leaves.", (Asked(name="teleport", arguments='{"place": "moon-9417"}'),)),
            Step(status=500),
            Step("The helper tries.", (Asked("mark-helper"), Asked("mark-helped", 6, end="exit 6"))),
            Step("The helper gives up."),
        ),
    ),
    "two sub-agents": Scenario(
        "two sub-agents in one answer, of which one runs a command that fails",
        (Step("I send two.", (Asked(tool="helper"), Asked(tool="helper"))), Step("Both are back.")),
        helper=(
            Step("A helper looks.", (Asked("mark-helper-one"),)),
            Step("A helper tries.", (Asked("mark-helper-two", 5, end="exit 5"),)),
            Step("A helper saw it."),
            Step("A helper saw that."),
        ),
    ),
    "MCP beside the shell": Scenario(
        "a call of an MCP server's tool that fails, one of a tool that it doesn't have, and the shell, in one answer",
        (
            Step(
                "All at once.",
                (
                    Asked(tool="mcp", arguments="lab_fail"),
                    Asked(tool="mcp", arguments="lab_absent"),
                    Asked("mark-shell"),
                ),
            ),
            Step("One of them was right."),
        ),
    ),
}
