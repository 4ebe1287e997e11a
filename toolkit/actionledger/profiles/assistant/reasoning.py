"""The assistant's iterative reasoning: a model works in iteration blocks until one of them is final."""

from dataclasses import dataclass, field
from pathlib import Path

from actionledger.ledger import Ledger
from actionledger.profiles.assistant import ITERATIVE
from actionledger.runtime.agent import Conversation, ConversationLimits, converse
from actionledger.runtime.execution.approval import Policy
from actionledger.runtime.execution.profile import Profile
from actionledger.runtime.models import Model
from actionledger.runtime.session.runtime import Runtime

ITERATION_LIMITS = ConversationLimits(turns=10)
"""Ten iterations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IterativeReasoner:
    r"""Works on requests in steps; each request is a session of its own.

    The results of a step's ``next_actions`` are in the prompt of the next one. It ends with ``is_final``, or if it repeats
    itself: see ``ConversationLimits``.

    Args:
        model: gives the responses.
        ledger: where the sessions are recorded; nowhere if not given.
        workspace: the folder for data that outlives a session; if not given, each has a temporary one.
        limits: the limits of one request.
        profile: the sessions' profile.
        policy: which actions may run; the profile's if not given.
        auto: whether actions that need approval by the policy run without it.
        dry_run: whether actions only report what they would do.

    Example:
        >>> from actionledger.runtime.models import ScriptedModel
        >>> final = '```iteration\n{"thought": "Known.", "next_actions": [], "is_final": true}\n```'
        >>> reasoner = al.IterativeReasoner(model=ScriptedModel([final]))
        >>> str(reasoner.run("What is 1 + 1?").ending)
        'final'
    """

    model: Model
    ledger: Ledger | None = None
    workspace: str | Path | None = None
    limits: ConversationLimits = ITERATION_LIMITS
    profile: Profile = field(default=ITERATIVE)
    policy: Policy | None = None
    auto: bool = False
    dry_run: bool = False

    def run(self, prompt: str, *, task: str = "") -> Conversation:
        r"""Work on a request until it is done or reaches a limit.

        Args:
            prompt: the request.
            task: what the session is about, for the records.

        Raises:
            LedgerError: the ledger can't be written to.
            UsageError: the request is empty, or the workspace can't be used.

        Example:
            >>> from actionledger.runtime.models import ScriptedModel
            >>> step = '```iteration\n{"next_actions": [{"type": "list_tasks"}], "is_final": false}\n```'
            >>> final = '```iteration\n{"next_actions": [], "is_final": true}\n```'
            >>> reasoner = al.IterativeReasoner(model=ScriptedModel([step, final]))
            >>> len(reasoner.run("What is to be done?").turns)
            2
        """
        with Runtime(
            self.profile,
            ledger=self.ledger,
            workspace=self.workspace,
            policy=self.policy,
            auto=self.auto,
            dry_run=self.dry_run,
            model=self.model.name,
            task=task,
        ) as session:
            return converse(session, self.model, prompt, limits=self.limits)
