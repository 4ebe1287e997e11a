"""Decide whether an action may run, by a table of rules; the first match applies, no match means reject. Pure.

A rule is a glob over action names and, optionally, conditions on fields; docs/policies.md has the grammar. An escalated action
is pending until a person decides about exactly the requested content, identified by ``content_hash``.
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
        verdict: the verdict on matching actions.
        when: conditions on fields, by name; all must hold. An action without the field doesn't match. A text is a glob
            over the field's whole text; a tuple is the words that a command begins with.
        changes: for ``modify``: the fields to set, by name.
        why: the reason, for the model and for people.
        evidence: if not empty, the rule only covers actions without their format's marks that were found by such evidence.

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
        """Return whether the rule surely matches an action.

        Example:
            >>> tests = al.Rule("execute_command", al.Verdict.APPROVE, when={"command": ("pytest",)})
            >>> [tests.fits("execute_command", {"command": command}) for command in ("pytest -q", "pytest; rm x")]
            [True, False]
        """
        return self.fit(name, arguments) is Fit.YES

    def fit(self, name: str, arguments: Mapping[str, Any]) -> Fit:
        """Return how surely the rule matches an action; a restricting rule matches any spelling.

        An approving rule matches only the literal meaning of its conditions.

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
"""The rule that applies if no other does."""


LETS_RUN = frozenset({Verdict.APPROVE, Verdict.MODIFY})
"""The verdicts that let an action run."""


def _doubted(name: str, doubt: Reason) -> Rule:
    """Return the rule for a parsed action that may differ from what the model meant."""
    why = f"{SENTENCES[doubt]} It may not be what was meant, so it runs only if a person approves it."
    return Rule(name, Verdict.ESCALATE, why=why)


def _escalation(rule: Rule) -> Rule:
    """Return the rule for an action that another rule may match, but can't be compared with."""
    why = f"This rule may match it, but its spelling leaves that open: {rule.conditions_in_words}."
    return Rule(rule.action, Verdict.ESCALATE, why=f"{why} {rule.why}".rstrip())


@dataclass(frozen=True)
class Policy:
    """A table of rules; the first that matches applies.

    Args:
        rows: the rules in order; (glob over action names, verdict) is a short form of a rule.

    Example:
        >>> policy = al.Policy((("read_*", al.Verdict.APPROVE), ("*", al.Verdict.ESCALATE)))
        >>> [str(policy.rule_for(name, {}).verdict) for name in ("read_file", "create_file")]
        ['approve', 'escalate']
    """

    rows: Sequence[Rule | tuple[str, Verdict]]

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The table, with each row as a rule."""
        return tuple(row if isinstance(row, Rule) else Rule(*row) for row in self.rows)

    @cached_property
    def version(self) -> str:
        """The hash of the table: approvals contain it, so that an approval under other rules doesn't count."""
        # The hash omits a missing condition, so that the hashes of older policies stay the same.
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
        """Return the rule that applies to an action.

        If a restricting rule may match and that can't be determined, an action that a later rule would let run is escalated
        to a person, even in an automatic session. The same holds for an action that may differ from what the model meant.

        Args:
            name: the action's name.
            arguments: its arguments.
            evidence: the evidence that it was meant, if it lacks its format's marks.
            doubt: why it needs approval although it was parsed (the ``reason`` of the status ``needs_approval``); None if it doesn't.

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
        """Return the verdict on an action; without a matching rule it is rejected.

        Example:
            >>> [call] = al.parse("<execute>1 + 1</execute>", profile="mint").actions
            >>> str(al.Policy((("execute", al.Verdict.ESCALATE),)).review(call))
            'escalate'
        """
        return self.rule_for(call.name, call.arguments, call.evidence, call.doubt).verdict

    def automatic(self) -> "Policy":
        """Return the policy of an automatic session: escalated actions are approved.

        Example:
            >>> policy = al.Policy((("*", al.Verdict.ESCALATE),)).automatic()
            >>> str(policy.rule_for("create_file", {}).verdict)
            'approve'
        """
        return self._with(Verdict.APPROVE, instead_of=Verdict.ESCALATE)

    def manual(self) -> "Policy":
        """Return the policy of a manual session: approved actions are escalated.

        Example:
            >>> policy = al.Policy((("*", al.Verdict.APPROVE),)).manual()
            >>> str(policy.rule_for("create_file", {}).verdict)
            'escalate'
        """
        return self._with(Verdict.ESCALATE, instead_of=Verdict.APPROVE)

    def _with(self, verdict: Verdict, *, instead_of: Verdict) -> "Policy":
        return Policy(
            tuple(
                rule._replace(verdict=verdict) if rule.verdict is instead_of else rule for rule in self.rules
            )
        )


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's decision about a pending action.

    Args:
        kind: the kind of decision.
        by: the person.
        why: the reason, for the model and for the record.
        arguments: for ``modified``: the complete new arguments.

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
"""Separates the hash of what an action binds from the rest of the content's hash."""


def content_hash(name: str, arguments: str, policy_version: str, binds: str = "") -> str:
    """Return the hash of the content that a decision covers."""
    canonical = json.dumps([name, json.loads(arguments), policy_version], sort_keys=True)
    shown = hashlib.sha256(canonical.encode()).hexdigest()
    # Separate from the hash of the displayed content, which can be recomputed from the record.
    return f"{shown}{_BESIDE}{hashlib.sha256(binds.encode()).hexdigest()}" if binds else shown


def hash_of_shown(content: str) -> str:
    """Return the part of a content's hash that covers only name, arguments and policy."""
    return content.partition(_BESIDE)[0]
