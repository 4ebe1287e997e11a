"""The coder: files, commands and a git repository in a workspace, requested in XML-style tags; its policy and its limits."""

from actionledger.profiles.coder.actions import CATALOGUE
from actionledger.profiles.coder.handlers import coder_handlers
from actionledger.reading.parsers import parser_named
from actionledger.runtime.commands import CommandSettings, OnOutput
from actionledger.runtime.execution.approval import Policy, Rule, Verdict
from actionledger.runtime.execution.limits import Limits
from actionledger.runtime.execution.profile import ActionSettings, ExecutionSettings, Outside, Profile

__all__ = ["CODER", "coder_profile", "with_commands"]

_RIGHTS = "Commands run with the rights that they are given."
_PUSHING = "Pushing is for people, or for a session whose policy allows it."

POLICY = Policy(
    (
        ("read_file", Verdict.APPROVE),
        ("git_status", Verdict.APPROVE),
        ("git_diff", Verdict.APPROVE),
        Rule("git_push", Verdict.REJECT, why=_PUSHING),
        Rule("execute_command", Verdict.REJECT, {"command": ("git", "push")}, why=_PUSHING),
        *(
            Rule("execute_command", Verdict.REJECT, {"command": (program,)}, why=_RIGHTS)
            for program in ("sudo", "su", "doas", "pkexec")
        ),
        ("*", Verdict.ESCALATE),
    )
)
"""Read-only actions run freely; a change or a command waits for approval, unless the session is automatic.

Rules about a command's words avoid questions: known harmless commands pass, and unclear ones are asked about. They
are no security boundary, since a program in a file can do anything. The way a command is run bounds its reach (``commands``).
"""


COMMAND_SETTINGS = CommandSettings()

LIMITS = Limits(feedback=60_000, result=40_000)
"""A whole file is returned to the model, up to a length that a model can handle."""

_READING = ActionSettings(idempotent=True)
_PROGRAMS: frozenset[Outside] = frozenset({"programs"})
_AROUND_COMMANDS = 60.0
"""The maximal extra time of a command besides its own: reading the workspace before and after it, in seconds."""


def coder_profile(
    name: str,
    *,
    commands: CommandSettings = COMMAND_SETTINGS,
    policy: Policy = POLICY,
    on_output: OnOutput | None = None,
    line_numbers: bool = False,
) -> Profile:
    """Return a profile of the coder with other settings.

    Args:
        name: its name in records and for people.
        commands: how commands are run.
        policy: which actions may run.
        on_output: receives the output of commands as it comes.
        line_numbers: whether the model sees a file's lines with their numbers.
    """
    # The command runner ends a command in time; the executor only ends whatever hangs around it.
    seconds = commands.seconds + commands.grace
    running = ActionSettings(timeout=seconds + _AROUND_COMMANDS, retries=0, outside=_PROGRAMS)
    committing = ActionSettings(timeout=4 * seconds + _AROUND_COMMANDS, retries=0, outside=_PROGRAMS)
    return Profile(
        name=name,
        parser=parser_named("coder"),
        catalogue=CATALOGUE,
        policy=policy,
        handlers=coder_handlers(commands, on_output, line_numbers=line_numbers),
        execution_settings=ExecutionSettings(
            (("execute_command", running), ("read_file", _READING), ("git_*", committing)),
        ),
        limits=LIMITS,
    )


CODER = coder_profile("coder")
"""Writes, changes and runs; changes wait for approval unless the session is automatic."""


def with_commands(name: str, commands: CommandSettings, *, line_numbers: bool = False) -> Profile | str:
    """Return a profile by its name, with other settings of commands and files if it has any.

    Args:
        name: the profile's.
        commands: how commands are run.
        line_numbers: whether the model sees a file's lines with their numbers.

    Returns:
        The coder with these settings; the name of any other profile.
    """
    if name != CODER.name or (commands == COMMAND_SETTINGS and not line_numbers):
        return name
    return coder_profile(name, commands=commands, line_numbers=line_numbers)
