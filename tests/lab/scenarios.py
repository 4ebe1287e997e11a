"""What the scripted model says, scenario by scenario; the names of tools are each agent's own, and so filled in for it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lab.truth import Call

Shell = Callable[[str], tuple[str, Mapping[str, Any]]]
"""How an agent is told to run a command: the tool's name and its arguments."""

RAN = "ran.txt"
"""Where each command writes its mark, in the folder that the agent works in."""

CUT = RAN[:2]
"""What is left of that name in arguments that are cut."""

PROMPT = "Please do the small job of the lab."
TITLE = "A short title"
LAST = "All done."


@dataclass(frozen=True)
class Asked:
    """A call to be made: of the shell, unless it has a name of its own."""

    mark: str = ""
    exit_status: int = 0
    name: str = ""
    arguments: str = ""
    is_broken: bool = False
    id: str = ""


@dataclass(frozen=True)
class Step:
    """What the model says next."""

    text: str = ""
    calls: tuple[Asked, ...] = ()
    finish: str = ""
    shown: Asked | None = None
    """A call that is written in the text, as a model writes it that has no tools."""


SCENARIOS: dict[str, tuple[Step, ...]] = {
    "good": (Step("I look first.", (Asked("mark-good"),)), Step("It is as it should be.")),
    "exit 3": (Step("I try it.", (Asked("mark-exit", 3),)), Step("It ended with three.")),
    "broken arguments": (Step("I write badly.", (Asked("mark-broken", is_broken=True),)), Step("I gave up.")),
    "unknown tool": (
        Step("I leave.", (Asked(name="teleport", arguments='{"place": "moon-9417"}'),)),
        Step("There is no such tool."),
    ),
    "cut by length": (
        Step("I begin.", (Asked("mark-length", is_broken=True),), finish="length"),
        Step("It was cut short."),
    ),
    "parallel calls": (
        Step("Both at once.", (Asked("mark-first"), Asked("mark-second", 4))),
        Step("Both are done."),
    ),
    "two calls with one id": (
        Step("The same twice.", (Asked("mark-one", id="call_same"), Asked("mark-two", 4, id="call_same"))),
        Step("Both are done."),
    ),
    "text left as a call": (Step("I run it.", shown=Asked("mark-text")), Step("Nothing came of it.")),
}


def command(asked: Asked) -> str:
    """Return the command that leaves a call's mark."""
    ending = f"; exit {asked.exit_status}" if asked.exit_status else ""
    return f"echo {asked.mark} | tee -a {RAN}{ending}"


def call_of(asked: Asked, shell: Shell, place: str) -> Call:
    """Return a call as an agent's own tools have it."""
    name, arguments = shell(command(asked)) if not asked.name else (asked.name, {})
    is_custom = isinstance(arguments.get("="), str)  # a tool that takes text, not JSON
    raw = asked.arguments or (arguments["="] if is_custom else json.dumps(arguments))
    if asked.is_broken:
        raw = raw[: raw.index(RAN) + len(CUT)]
    identifier = asked.id or f"call_{place.replace(' ', '_')}"
    return Call(identifier, name, raw, asked.mark, asked.exit_status, is_custom and not asked.name)


def text_of(step: Step, shell: Shell) -> str:
    """Return what a step says, a call among its words where it shows one."""
    if step.shown is None:
        return step.text
    name, arguments = shell(command(step.shown))
    shown = json.dumps({"name": name, "arguments": arguments})
    return f"{step.text}\n<tool_call>\n{shown}\n</tool_call>"
