"""Who decides whether an action may run: a table of rules, read from the top; no rule means reject. Pure.

A rule is a glob over action names and, where it wants, conditions on fields. What is escalated waits for a person, whose ruling
is about exactly the content that was asked about: ``content_hash`` tells.
"""

import hashlib
import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from actionledger.errors import UsageError
from actionledger.recording import json_text
from actionledger.values import ActionCall
from actionledger.vocabulary import Decision

_SHELL_SIGNS = frozenset(";&|<>$`\n\r(){}*?[]!#~\\")
"""What makes a command more than words, for a shell."""


class Verdict(StrEnum):
    """What a policy says of an action.

    Example:
        >>> [str(verdict) for verdict in al.Verdict]
        ['approve', 'modify', 'reject', 'escalate']
    """

    APPROVE = "approve"
    MODIFY = "modify"
    REJECT = "reject"
    ESCALATE = "escalate"


Condition: TypeAlias = str | tuple[str, ...]
"""What a field must be: a glob over all of its text; or the words that a command begins with, which then may hold nothing
that a shell would take for more than words."""


class Rule(NamedTuple):
    """One row of a policy.

    Args:
        action: a glob over action names.
        verdict: what is said of the actions that it fits.
        when: conditions on fields, by name; all of them must hold. An action without the field doesn't fit.
        changes: for ``modify``: the fields to be set, by name.
        why: the reason, for the model and for people.

    Example:
        >>> tests = al.Rule("execute_command", al.Verdict.APPROVE, when={"command": ("pytest",)}, why="Tests are harmless.")
        >>> tests.action
        'execute_command'
    """

    action: str
    verdict: Verdict
    when: Mapping[str, Condition] = {}
    changes: Mapping[str, Any] = {}
    why: str = ""

    def fits(self, name: str, arguments: Mapping[str, Any]) -> bool:
        """Return whether the rule is about an action.

        Example:
            >>> tests = al.Rule("execute_command", al.Verdict.APPROVE, when={"command": ("pytest",)})
            >>> [tests.fits("execute_command", {"command": command}) for command in ("pytest -q", "pytest; rm x")]
            [True, False]
        """
        return fnmatchcase(name, self.action) and all(
            field in arguments and _holds(condition, arguments[field])
            for field, condition in self.when.items()
        )


NO_RULE = Rule("*", Verdict.REJECT)
"""What decides where nothing else does."""


@dataclass(frozen=True)
class Policy:
    """A table of rules; the first one that fits decides.

    Args:
        rows: the table, from the top; (glob over action names, verdict) is a short form of a rule.

    Example:
        >>> policy = al.Policy((("read_*", al.Verdict.APPROVE), ("*", al.Verdict.ESCALATE)))
        >>> [str(policy.rule_for(name, {}).verdict) for name in ("read_file", "create_file")]
        ['approve', 'escalate']
    """

    rows: Sequence[Rule | tuple[str, Verdict]]

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The table, each row a rule."""
        return tuple(row if isinstance(row, Rule) else Rule(*row) for row in self.rows)

    @cached_property
    def version(self) -> str:
        """The hash of the table: approvals hold it, so that what was approved under other rules is not run."""
        return hashlib.sha256(json_text([rule._asdict() for rule in self.rules]).encode()).hexdigest()

    def rule_for(self, name: str, arguments: Mapping[str, Any]) -> Rule:
        """Return the rule that decides about an action.

        Example:
            >>> policy = al.Policy((al.Rule("delete_*", al.Verdict.REJECT, why="Nothing is deleted."),))
            >>> policy.rule_for("delete_task", {"id": 1}).why
            'Nothing is deleted.'
        """
        return next((rule for rule in self.rules if rule.fits(name, arguments)), NO_RULE)

    def review(self, call: ActionCall) -> Verdict:
        """Return the verdict on an action; one that no rule fits is rejected.

        Example:
            >>> [call] = al.parse("<execute>1 + 1</execute>", profile="mint").actions
            >>> str(al.Policy((("execute", al.Verdict.ESCALATE),)).review(call))
            'escalate'
        """
        return self.rule_for(call.name, call.arguments).verdict

    def automatic(self) -> "Policy":
        """Return the policy of a session that runs without a person: what would wait is approved.

        Example:
            >>> policy = al.Policy((("*", al.Verdict.ESCALATE),)).automatic()
            >>> str(policy.rule_for("create_file", {}).verdict)
            'approve'
        """
        return Policy(
            tuple(
                rule._replace(verdict=Verdict.APPROVE) if rule.verdict is Verdict.ESCALATE else rule
                for rule in self.rules
            )
        )

    def manual(self) -> "Policy":
        """Return the policy of a session in which nothing runs unless somebody says so: what would be approved waits.

        Example:
            >>> policy = al.Policy((("*", al.Verdict.APPROVE),)).manual()
            >>> str(policy.rule_for("create_file", {}).verdict)
            'escalate'
        """
        return Policy(
            tuple(
                rule._replace(verdict=Verdict.ESCALATE) if rule.verdict is Verdict.APPROVE else rule
                for rule in self.rules
            )
        )


@dataclass(frozen=True, slots=True)
class Ruling:
    """What somebody decides about an action that waits.

    Args:
        decision: what.
        by: who.
        why: the reason, for the model and for the record.
        arguments: for ``modified``: all the arguments that it is to run with.

    Raises:
        UsageError: a modification without arguments, or arguments without a modification.

    Example:
        >>> al.Ruling(al.Decision.REJECTED, by="ada", why="Not today.").why
        'Not today.'
    """

    decision: Decision
    by: str
    why: str = ""
    arguments: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if (self.decision is Decision.MODIFIED) != (self.arguments is not None):
            raise UsageError(
                f"A ruling {str(self.decision)!r} takes arguments if and only if it is 'modified'."
            )


_BESIDE = "+"
"""Stands in a hash before that of what an action binds."""


def content_hash(name: str, arguments: str, policy_version: str, binds: str = "") -> str:
    """Return the hash of what a decision is about.

    Args:
        name: the action's name.
        arguments: what it is to run with, as the JSON text of an object that is recorded.
        policy_version: the policy's.
        binds: what else it stands for, such as the content of the files that a command names; empty where nothing.
    """
    canonical = json.dumps([name, json.loads(arguments), policy_version], sort_keys=True)
    shown = hashlib.sha256(canonical.encode()).hexdigest()
    # Beside the hash of what a person is shown, which whoever decides makes anew from the record.
    return f"{shown}{_BESIDE}{hashlib.sha256(binds.encode()).hexdigest()}" if binds else shown


def hash_of_shown(content: str) -> str:
    """Return the part of a content's hash that is about name, arguments and policy alone."""
    return content.partition(_BESIDE)[0]


def _holds(condition: Condition, value: Any) -> bool:
    text = value if isinstance(value, str) else json_text(value)
    if isinstance(condition, str):
        return fnmatchcase(text, condition)
    return _begins_with(condition, text)


def _begins_with(words: Iterable[str], command: str) -> bool:
    """Return whether a command begins with these words and is nothing but words."""
    if _SHELL_SIGNS & set(command):
        return False
    try:
        given = shlex.split(command)
    except ValueError:
        return False
    wanted = list(words)
    return given[: len(wanted)] == wanted
