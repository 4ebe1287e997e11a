"""How answers and sessions end otherwise: parts in another order, streams that fail, tokens that are not told, histories that are too long."""

import signal

from lab.steps import Asked, Scenario, Step

_FAILED = Asked("mark-failed", 3, end="exit 3")

ENDS: dict[str, Scenario] = {
    "thoughts between calls": Scenario(
        "in one answer a thought, a call, a second thought, and a call that fails",
        (
            Step(
                "",
                (Asked("mark-then"),),
                thought="I think of one.",
                after=(Step("", (_FAILED,), thought="I think of two."),),
            ),
            Step("I have thought twice.", thought="That was it."),
        ),
    ),
    "words around a call": Scenario(
        "in one answer words, a call, words, a call, and words",
        (
            Step(
                "Before it.",
                (Asked("mark-between"),),
                after=(Step("Between both.", (_FAILED,)), Step("After them.")),
            ),
            Step("It is said."),
        ),
    ),
    "error within the stream": Scenario(
        "an event of an error in the place of an answer's end, then an answer",
        (
            Step("This one fails.", (Asked("mark-lost", id="call_lost"),), cut="error"),
            Step("This one doesn't.", (Asked("mark-kept"),)),
            Step("It went on."),
        ),
    ),
    "stream without its end": Scenario(
        "a stream that is closed in order, without its last events",
        (
            Step("It stops early.", (Asked("mark-early", id="call_early"),), cut="unfinished"),
            Step("It stops in time.", (Asked("mark-whole"),)),
            Step("It is whole."),
        ),
    ),
    "asked to wait": Scenario(
        "status 429 with a time to wait, status 503, and a call that fails",
        (Step(status=429, wait=1), Step(status=503), Step("At last.", (_FAILED,)), Step("It failed.")),
    ),
    "tokens not told": Scenario(
        "answers without any number of tokens",
        (Step("I count nothing.", (Asked("mark-uncounted"),), usage="none"), Step("Nothing.", usage="none")),
    ),
    "longer than its window": Scenario(
        "a call, and words that end because the model's window is full",
        (
            Step("I look.", (Asked("mark-look"),)),
            Step("There is no room for", finish="window"),
            Step("Now there is."),
        ),
    ),
    "ended by a stop word": Scenario(
        "a call, and words that end at a word at which they were to end",
        (Step("I look.", (Asked("mark-look"),)), Step("It ends at a word", finish="stop word")),
    ),
    "history that is full": Scenario(
        "a call whose answer says that the history is as long as it can be, and a call after it",
        (
            Step("I begin.", (Asked("mark-begun"),)),
            Step("It is full.", (Asked("mark-full"),), usage="full"),
            Step("It is new.", (_FAILED,)),
            Step("It is done."),
            Step("I go on.", (Asked("mark-later"),)),
            Step("It is over."),
        ),
        rounds=("new", "on"),
    ),
    "summed up": Scenario(
        "a call, a second start in which the agent is told to sum up, and a call that fails in a third",
        (
            Step("I begin.", (Asked("mark-begun"),)),
            Step("It is begun."),
            Step("I go on.", (_FAILED,)),
            Step("It is done."),
        ),
        rounds=("new", "compact", "on"),
    ),
    "failed from the start": Scenario(
        "status 400 alone, and in a second start a call",
        (Step(status=400), Step("Now it goes.", (Asked("mark-now"),)), Step("It went.")),
        rounds=("new", "on"),
    ),
    "fork of what failed": Scenario(
        "a call that fails and status 400, and a fork of it with calls of which the second fails",
        (
            Step("The trunk.", (Asked("mark-trunk", 2, end="exit 2"),)),
            Step(status=400),
            Step("The branch.", (Asked("mark-branch"), Asked("mark-second", 6, end="exit 6"))),
            Step("The branch ends."),
        ),
        rounds=("new", "fork"),
    ),
    "interrupted": Scenario(
        "a command during which the agent is interrupted from its keyboard; it is started again",
        (
            Step("This takes long.", (Asked("mark-long", None, end="sleep 40"),)),
            Step("After the break.", (_FAILED,)),
            Step("It went on."),
        ),
        rounds=("new", "on"),
        stopped_by=signal.SIGINT,
    ),
    "ended": Scenario(
        "the same, where the agent is asked to end",
        (
            Step("This takes long.", (Asked("mark-long", None, end="sleep 40"),)),
            Step("After the end.", (_FAILED,)),
            Step("It went on."),
        ),
        rounds=("new", "on"),
        stopped_by=signal.SIGTERM,
    ),
}
