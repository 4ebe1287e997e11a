"""What the coder may do by itself, what waits for a person, and what nobody is asked about."""

from actionledger.runtime.execution.approval import Policy, Rule, Verdict

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
"""Looking is free; a change or a command waits, unless the session is automatic.

Rules about a command's words keep a person from being asked, let what is known to be harmless pass, and ask where they can't tell. They
are no wall: a program in a file does what it likes. What a command can reach is bounded by how it is run (``commands``).
"""
