"""What a scenario is told in: steps of answers and errors, calls that leave a mark, and the tools that an agent has for them."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lab.truth import Call

Filled = tuple[str, Mapping[str, Any]]
"""A tool's name and its arguments."""
Shell = Callable[[str], Filled]
"""How an agent is told to run a command."""


@dataclass(frozen=True)
class Tools:
    """How an agent is told to do each thing; None where it has no such tool."""

    shell: Shell
    slow: Shell | None = None
    """To run a command for two seconds at most."""
    edit: Callable[[str, str, str], Filled] | None = None
    """To put one text for another in a file."""
    helper: Callable[[str], Filled] | None = None
    """To send a sub-agent with a task."""
    mcp: Callable[[str, Mapping[str, Any]], Filled] | None = None
    """To call a tool of the lab's MCP server."""


RAN = "ran.txt"
"""Where each command writes its mark, in the folder that the agent works in."""

CUT = RAN[:2]
"""What is left of that name in arguments that are cut."""

NOTES = "notes.txt"
"""A file that is there to be changed, of one word."""

PROMPT = "Please do the small job of the lab."
ON = "Please go on with the lab."
HELPER = "LAB-HELPER: look what there is."
TITLE = "A short title"
LAST = "All done."


@dataclass(frozen=True)
class Asked:
    """A call to be made: of the shell, unless it says otherwise."""

    mark: str = ""
    exit_status: int | None = 0
    name: str = ""
    arguments: str | None = None
    """What stands in the arguments' place."""
    is_broken: bool = False
    id: str = ""
    end: str = ""
    """What the command does last."""
    tool: str = "shell"
    """Which of an agent's ``Tools`` it is of."""
    change: tuple[str, str] = ("", "")
    """What is put for what, by a call that changes a file."""


@dataclass(frozen=True)
class Step:
    """What the model says next."""

    text: str = ""
    calls: tuple[Asked, ...] = ()
    finish: str = ""
    shown: Asked | None = None
    """A call that is written in the text, as a model writes it that has no tools."""
    thought: str = ""
    status: int = 200
    """Another status is an error in the answer's place."""
    cut: str = ""
    """Where the connection breaks off: ``text``, ``call`` or ``end``."""


@dataclass(frozen=True)
class Scenario:
    """A scenario: what the model says in words and in steps, and how the agent is started each time.

    Attributes:
        rounds: each start in turn: the first is ``new``, then ``on`` or ``fork``.
        is_killed: whether the agent is killed in its first round, while a command runs.
        is_permitted: whether the agent may do all without asking.
        helper: what the model says to a sub-agent.
    """

    said: str
    steps: tuple[Step, ...]
    rounds: tuple[str, ...] = ("new",)
    is_killed: bool = False
    is_permitted: bool = True
    helper: tuple[Step, ...] = ()

    @property
    def is_for_agents(self) -> bool:
        """Whether it needs a program with sessions, permissions or sub-agents, and not a framework alone."""
        return self.rounds != ("new",) or not self.is_permitted or bool(self.helper)

    @property
    def tools(self) -> set[str]:
        """Which of an agent's tools it needs."""
        return {call.tool for step in self.steps for call in step.calls}


def command(asked: Asked) -> str:
    """Return the command that leaves a call's mark."""
    ending = f"; {asked.end}" if asked.end else ""
    return f"echo {asked.mark} | tee -a {RAN}{ending}"


def call_of(asked: Asked, tools: Tools, place: str) -> Call:
    """Return a call as an agent's own tools have it."""
    name, arguments = filled(asked, tools)
    is_custom = isinstance(arguments.get("="), str)  # a tool that takes text, not JSON
    raw = arguments["="] if is_custom else json.dumps(arguments)
    if asked.arguments is not None and asked.tool != "mcp":
        raw = asked.arguments
    if asked.is_broken:
        raw = raw[: raw.index(RAN) + len(CUT)]
    identifier = asked.id or f"call_{place.replace(' ', '_')}"
    is_judged = asked.tool != "helper" and not (is_custom and asked.arguments is not None)
    is_custom = is_custom and not asked.name
    return Call(identifier, name, raw, asked.mark, asked.exit_status, is_custom, is_judged)


def filled(asked: Asked, tools: Tools) -> Filled:
    """Return the name and the arguments with which an agent's tool does what is asked."""
    if asked.name:
        return asked.name, {}
    if asked.tool == "edit" and tools.edit:
        return tools.edit(NOTES, *asked.change)
    if asked.tool == "helper" and tools.helper:
        return tools.helper(HELPER)
    if asked.tool == "mcp" and tools.mcp:
        return tools.mcp(asked.arguments or "", {"mark": asked.mark or "none"})
    shell = tools.slow if asked.tool == "slow" and tools.slow else tools.shell
    return shell(command(asked))


def text_of(step: Step, tools: Tools) -> str:
    """Return what a step says, a call among its words where it shows one."""
    if step.shown is None:
        return step.text
    name, arguments = tools.shell(command(step.shown))
    shown = json.dumps({"name": name, "arguments": arguments})
    return f"{step.text}\n<tool_call>\n{shown}\n</tool_call>"
