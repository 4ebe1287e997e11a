"""What a scenario is told in: steps of answers and errors, calls that leave a mark, and the tools that an agent has for them."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
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
    behind: Shell | None = None
    """To run a command behind the agent's back, so that it goes on meanwhile."""
    read: Callable[[str], Filled] | None = None
    """To read a file."""
    write: Callable[[str, str], Filled] | None = None
    """To write a text into a file."""
    plan: Callable[[], Filled] | None = None
    """To note two things that are to be done."""
    namespace: str = ""
    """Where the MCP server's tools are for a model; empty where they are among the others."""
    is_rooted: bool = False
    """Whether files are named with all folders above them."""
    root: str = ""
    """The folder that the agent works in, where files are named with it."""


RAN = "ran.txt"
"""Where each command writes its mark, in the folder that the agent works in."""

CUT = RAN[:2]
"""What is left of that name in arguments that are cut."""

NOTES = "notes.txt"
"""A file that is there to be changed, of one word."""

PROMPT = "Please do the small job of the lab."
ON = "Please go on with the lab."
HELPER = "LAB-HELPER: look what there is."
DEEPER = "LAB-DEEPER: look further."
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
    path: str = NOTES
    """Which file is changed, read or written."""
    given: str | None = None
    """The whole command, which leaves no mark; or the task of a sub-agent."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Arguments beside the others."""
    near: Callable[[str], str] = str
    """What is made of the tool's name."""
    is_quiet: bool = False
    """Whether the command prints nothing."""
    is_judged: bool = True
    is_sure: bool = False
    """Whether it is known to go well, though it leaves no mark."""


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
    """Where the connection breaks off: ``text``, ``call`` or ``end``; ``error`` is an event of an error, ``unfinished`` an end without a last event."""
    after: tuple["Step", ...] = ()
    """What the same answer says next: thoughts, words and calls again."""
    usage: str = ""
    """``none`` where the answer has no tokens, ``full`` where its input is as long as any model's can be."""
    wait: int = 0
    """How many seconds an error asks to wait."""
    of: str = ""
    """Which scenario it is of, where several are run as one."""


@dataclass(frozen=True)
class Scenario:
    """A scenario: what the model says in words and in steps, and how the agent is started each time."""

    said: str
    steps: tuple[Step, ...]
    # each start in turn: the first is `new`, then `on`, `fork` or `compact`
    rounds: tuple[str, ...] = ("new",)
    stopped_by: int = 0  # the signal that the agent gets in its first round, while a command runs; 0 is none
    is_permitted: bool = True  # whether the agent may do all without asking
    helper: tuple[Step, ...] = ()  # what the model says to a sub-agent
    deeper: tuple[Step, ...] = ()  # what the model says to a sub-agent's sub-agent
    rule: str = ""  # `hook` or `denied`, where the agent's settings forbid a command

    @property
    def is_for_agents(self) -> bool:
        """Whether it needs a program with sessions, permissions or sub-agents, and not a framework alone."""
        is_plain = self.rounds == ("new",) and self.is_permitted and not self.rule
        return not is_plain or bool(self.helper or self.stopped_by)

    @property
    def tools(self) -> set[str]:
        """Which of an agent's tools it needs."""
        said = (self.steps, self.helper, self.deeper)
        return {call.tool for steps in said for step in steps for part in parts(step) for call in part.calls}


def parts(step: Step) -> tuple[Step, ...]:
    """Return the parts of an answer in order, of which each has thoughts, words and calls."""
    return (step, *step.after)


def command(asked: Asked) -> str:
    """Return the command that leaves a call's mark."""
    if asked.given is not None:
        return asked.given
    ending = f"; {asked.end}" if asked.end else ""
    writes = f">> {RAN}" if asked.is_quiet else f"| tee -a {RAN}"
    return f"echo {asked.mark} {writes}{ending}"


def call_of(asked: Asked, tools: Tools, place: str) -> Call:
    """Return a call as an agent's own tools have it."""
    name, arguments = filled(asked, tools)
    name = asked.near(name)
    is_custom = isinstance(arguments.get("="), str)  # a tool that takes text, not JSON
    raw = arguments["="] if is_custom else json.dumps({**arguments, **asked.more})
    if asked.arguments is not None and asked.tool != "mcp":
        raw = asked.arguments
    if asked.is_broken:
        raw = raw[: raw.index(RAN) + len(CUT)]
    identifier = asked.id or f"call_{place.replace(' ', '_')}"
    is_judged = asked.is_judged and asked.tool != "helper" and not (is_custom and asked.arguments is not None)
    is_custom = is_custom and not asked.name
    namespace = tools.namespace if asked.tool == "mcp" else ""
    return Call(
        identifier, name, raw, asked.mark, asked.exit_status, is_custom, is_judged, asked.is_sure, namespace
    )


def filled(asked: Asked, tools: Tools) -> Filled:
    """Return the name and the arguments with which an agent's tool does what is asked."""
    if asked.name:
        return asked.name, {}
    path = f"{tools.root}/{asked.path}" if tools.root else asked.path
    ways: dict[str, Callable[[], Filled] | None] = {
        "edit": tools.edit and partial(tools.edit, path, *asked.change),
        "read": tools.read and partial(tools.read, path),
        "write": tools.write and partial(tools.write, path, asked.change[1]),
        "plan": tools.plan,
        "helper": tools.helper and partial(tools.helper, asked.given or HELPER),
        "mcp": tools.mcp and partial(tools.mcp, asked.arguments or "", {"mark": asked.mark or "none"}),
        "slow": tools.slow and partial(tools.slow, command(asked)),
        "behind": tools.behind and partial(tools.behind, command(asked)),
    }
    way = ways.get(asked.tool)
    return way() if way else tools.shell(command(asked))


def text_of(step: Step, tools: Tools) -> str:
    """Return what a step says, a call among its words where it shows one."""
    if step.shown is None:
        return step.text
    name, arguments = tools.shell(command(step.shown))
    shown = json.dumps({"name": name, "arguments": arguments})
    return f"{step.text}\n<tool_call>\n{shown}\n</tool_call>"
