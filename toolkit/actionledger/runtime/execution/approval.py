"""Who decides whether an action may run: a table of rules, read from the top; no rule means reject. Pure.

A rule is a glob over action names and, where it wants, conditions on fields; docs/policies.md has the grammar. What is escalated
waits for a person, whose decision is about exactly the content that was asked about: ``content_hash`` tells.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, NamedTuple

from actionledger.core.canonical import json_text
from actionledger.core.errors import UsageError
from actionledger.core.values import ActionCall
from actionledger.core.vocabulary import SENTENCES, DecisionKind, Evidence, Reason
from actionledger.runtime.execution.rules import Condition, Fit, fits_plainly, restricts


class Verdict(StrEnum):
    """The verdict of a policy on an action.

    Example:
        >>> [str(verdict) for verdict in al.Verdict]
        ['approve', 'modify', 'reject', 'escalate']
    """

    APPROVE = "approve"
    MODIFY = "modify"
    REJECT = "reject"
    ESCALATE = "escalate"


class Rule(NamedTuple):
    """One row of a policy.

    Args:
        action: a glob over action names.
        verdict: what is said of the actions that it fits.
        when: conditions on fields, by name; all of them must hold. An action without the field doesn't fit. A text is a glob
            over all of the field's text; a tuple the words that a command begins with.
        changes: for ``modify``: the fields to be set, by name.
        why: the reason, for the model and for people.
        evidence: where it names any, the rule is only about actions that stand on such evidence, without their format's marks.

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
    evidence: tuple[Evidence, ...] = ()

    def fits(self, name: str, arguments: Mapping[str, Any]) -> bool:
        """Return whether the rule is surely about an action.

        Example:
            >>> tests = al.Rule("execute_command", al.Verdict.APPROVE, when={"command": ("pytest",)})
            >>> [tests.fits("execute_command", {"command": command}) for command in ("pytest -q", "pytest; rm x")]
            [True, False]
        """
        return self.fit(name, arguments) is Fit.YES

    def fit(self, name: str, arguments: Mapping[str, Any]) -> Fit:
        """Return whether the rule is about an action; where it restricts, however that is written, and perhaps.

        A rule that approves is about what its conditions plainly say, and nothing else.

        Example:
            >>> pushing = al.Rule("execute_command", al.Verdict.REJECT, when={"command": ("git", "push")})
            >>> [pushing.fit("execute_command", {"command": text}).name for text in ("git push", "git $X", "ls")]
            ['YES', 'PERHAPS', 'NO']
        """
        if not fnmatchcase(name, self.action):
            return Fit.NO
        if self.verdict is not Verdict.APPROVE:
            return min(
                (restricts(each, field, arguments) for field, each in self.when.items()), default=Fit.YES
            )
        holds = (
            field in arguments and fits_plainly(condition, field, arguments[field])
            for field, condition in self.when.items()
        )
        return Fit.YES if all(holds) else Fit.NO

    @property
    def conditions_in_words(self) -> str:
        """The rule's conditions for messages; the rule itself if it has none."""
        conditions = ", ".join(f"{field} = {json_text(each)}" for field, each in self.when.items())
        return (
            f"{self.verdict} {self.action} where {conditions}"
            if conditions
            else f"{self.verdict} {self.action}"
        )


NO_RULE = Rule("*", Verdict.REJECT)
"""What decides where nothing else does."""


LETS_RUN = frozenset({Verdict.APPROVE, Verdict.MODIFY})
"""The verdicts that let an action run."""


def _doubted(name: str, doubt: Reason) -> Rule:
    """Return what decides about an action that was read and may not be what was meant."""
    why = f"{SENTENCES[doubt]} It may not be what was meant, so it runs only if a person approves it."
    return Rule(name, Verdict.ESCALATE, why=why)


def _escalation(rule: Rule) -> Rule:
    """Return what decides where a rule may be about an action, and can't be compared with it."""
    why = f"It may be what this rule is about, which can't be conditions_in_words from how it is written: {rule.conditions_in_words}."
    return Rule(rule.action, Verdict.ESCALATE, why=f"{why} {rule.why}".rstrip())


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
        # A rule as it is hashed: a condition that it doesn't have leaves the hash of older policies as it is.
        return hashlib.sha256(
            json_text(
                [
                    ({name: value for name, value in rule._asdict().items() if name != "evidence" or value})
                    for rule in self.rules
                ]
            ).encode()
        ).hexdigest()

    def rule_for(
        self,
        name: str,
        arguments: Mapping[str, Any],
        evidence: Evidence | None = None,
        doubt: Reason | None = None,
    ) -> Rule:
        """Return the rule that decides about an action.

        Where a rule that restricts may be about it and nobody can tell, what a later rule would let run is escalated:
        to a person, in an automatic session as well. So is an action that may not be what was meant.

        Args:
            name: the action's name.
            arguments: its arguments.
            evidence: what says that it was meant, where it stands without its format's own marks.
            doubt: why it needs approval though it was read (the ``reason`` of the status ``needs_approval``); None where it doesn't.

        Example:
            >>> policy = al.Policy((al.Rule("delete_*", al.Verdict.REJECT, why="Nothing is deleted."),))
            >>> policy.rule_for("delete_task", {"id": 1}).why
            'Nothing is deleted.'
        """
        escalated = _doubted(name, doubt) if doubt else None
        for rule in self.rules:
            if rule.evidence and evidence not in rule.evidence:
                continue
            fit = rule.fit(name, arguments)
            if fit is Fit.YES:
                return escalated if escalated and rule.verdict in LETS_RUN else rule
            if fit is Fit.PERHAPS and escalated is None:
                escalated = _escalation(rule)
        return NO_RULE

    def review(self, call: ActionCall) -> Verdict:
        """Return the verdict on an action; one that no rule fits is rejected.

        Example:
            >>> [call] = al.parse("<execute>1 + 1</execute>", profile="mint").actions
            >>> str(al.Policy((("execute", al.Verdict.ESCALATE),)).review(call))
            'escalate'
        """
        return self.rule_for(call.name, call.arguments, call.evidence, call.doubt).verdict

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
class Decision:
    """A person's decision about an action that waits.

    Args:
        kind: what was decided.
        by: who.
        why: the reason, for the model and for the record.
        arguments: for ``modified``: all the arguments that it is to run with.

    Raises:
        UsageError: a modification without arguments, or arguments without a modification.

    Example:
        >>> al.Decision(al.DecisionKind.REJECTED, by="ada", why="Not today.").why
        'Not today.'
    """

    kind: DecisionKind
    by: str
    why: str = ""
    arguments: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if (self.kind is DecisionKind.MODIFIED) != (self.arguments is not None):
            raise UsageError(
                f"A decision {str(self.kind)!r} takes arguments if and only if it is 'modified'."
            )


_BESIDE = "+"
"""Stands in a hash before that of what an action binds."""


def content_hash(name: str, arguments: str, policy_version: str, binds: str = "") -> str:
    """Return the hash of what a decision is about."""
    canonical = json.dumps([name, json.loads(arguments), policy_version], sort_keys=True)
    shown = hashlib.sha256(canonical.encode()).hexdigest()
    # Beside the hash of what a person is shown, which whoever decides makes anew from the record.
    return f"{shown}{_BESIDE}{hashlib.sha256(binds.encode()).hexdigest()}" if binds else shown


def hash_of_shown(content: str) -> str:
    """Return the part of a content's hash that is about name, arguments and policy alone."""
    return content.partition(_BESIDE)[0]
