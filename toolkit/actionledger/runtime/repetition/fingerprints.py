"""Fingerprints of calls and results, live or recorded, in which repetition is searched for. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from actionledger.core.canonical import json_text
from actionledger.core.values import ActionCall, FieldError, Observation, ParseResult
from actionledger.core.vocabulary import SENTENCES, ActionStatus, ExecutionStatus, Outcome, Reason
from actionledger.runtime.repetition.forms import (
    CallForm,
    call_form,
    ends_of,
    error_form,
    hashed,
    may_pass,
    result_form,
    says_not_yet,
    words_of,
)

_DONE = frozenset({ExecutionStatus.SUCCEEDED, ExecutionStatus.DRY_RUN})
_FAILED = frozenset(
    {
        ExecutionStatus.FAILED,
        ExecutionStatus.TIMED_OUT,
        ExecutionStatus.DENIED,
        ExecutionStatus.RATE_LIMITED,
        ExecutionStatus.SKIPPED,
    }
)
_BECAUSE_OF_OTHERS = frozenset(
    {Reason.DEPENDENCY_FAILED, Reason.ACTION_LIMIT, Reason.FAILURE_LIMIT, Reason.REPETITION}
)
"""Reasons why actions are skipped without a fault of their own."""

REFUSED = frozenset({ActionStatus.INVALID, ActionStatus.UNKNOWN})
"""The statuses of checked actions that can't be run as written."""


@dataclass(frozen=True, slots=True)
class ActionFingerprint:
    """The fingerprint of one action or attempt; made by ``fingerprint``."""

    call: CallForm  # the call in comparable form; its name is empty for a response without a parsed action
    answer: str  # its result or error; only the ends of a long one
    error: str = ""  # the hash of its error; empty if it didn't fail
    thought: str = ""  # the words of a thought, if the action is nothing else; for comparison
    is_refused: bool = False  # whether it could not be run at all as written
    is_unchanged: bool = False  # whether it reports that it changed nothing
    # whether it waits, or asks for a status and the answer is that it isn't ready yet
    is_waiting: bool = False
    is_passing: bool = False  # whether it failed for a transient reason
    is_limited: bool = False  # whether a rate limit held it back, which says nothing about it

    @property
    def name(self) -> str:
        """The action's name."""
        return self.call.name

    @property
    def outcome(self) -> str:
        """The hash of the result without varying parts; computed on request, because it takes long."""
        return _outcome(self.name, self.answer, is_error=bool(self.error))

    @property
    def is_unread(self) -> bool:
        """Whether it is a response without a parsed action."""
        return not self.call.name


def fingerprint(
    name: str,
    arguments: str,
    *,
    result: str = "",
    error: str = "",
    is_refused: bool = False,
    is_unchanged: bool = False,
    references: bool = False,
) -> ActionFingerprint:
    """Return a fingerprint in comparable form."""
    call = call_form(name, arguments, references=references)
    return ActionFingerprint(
        call=call,
        answer=ends_of(error or result),
        error=hashed(error) if error else "",
        # A tool that only records a thought answers all thoughts alike.
        thought=words_of(result) if is_unchanged else "",
        is_refused=is_refused,
        is_unchanged=is_unchanged,
        is_waiting=call.is_rest or says_not_yet(name, arguments, error or result),
        is_passing=bool(error) and not is_refused and may_pass(error),
    )


@lru_cache(maxsize=64)
def _outcome(name: str, answer: str, *, is_error: bool) -> str:
    return error_form(answer) if is_error else result_form(name, answer)


def proposed_form(call: ActionCall, *, references: bool) -> CallForm:
    """Return the comparable form of a call that is about to run."""
    return call_form(call.name, json_text(call.arguments), references=references)


def observed_fingerprint(
    call: ActionCall, observation: Observation, *, references: bool = False
) -> ActionFingerprint | None:
    """Return an action's fingerprint; None if it has no result yet, or was withheld because of other actions."""
    return tried_fingerprint(json_text(call.arguments), observation, references=references)


def tried_fingerprint(
    arguments: str, observation: Observation, *, references: bool
) -> ActionFingerprint | None:
    """Return the fingerprint of one try; None if it has no result yet, or was withheld because of other actions."""
    name, result, reason = observation.name, observation.result, observation.reason
    if observation.status in _DONE:
        is_unchanged = isinstance(result, dict) and result.get("changed") is False
        told = "" if result is None else json_text(result)
        return fingerprint(name, arguments, result=told, is_unchanged=is_unchanged, references=references)
    if observation.status not in _FAILED or reason in _BECAUSE_OF_OTHERS:
        return None
    error = observation.message or (SENTENCES[reason] if reason else observation.status)
    failed = fingerprint(name, arguments, error=error, references=references)
    return replace(failed, is_limited=True) if reason is Reason.RATE_LIMIT else failed


def refused_fingerprint(
    name: str, arguments: str, reason: Reason | None, errors: Iterable[FieldError]
) -> ActionFingerprint:
    """Return a fingerprint for an action that could not be run as written."""
    why = " ".join(error.message for error in errors)
    return fingerprint(name, arguments, error=f"{reason}: {why}", is_refused=True)


def unread_fingerprint(text: str, code: Reason | None) -> ActionFingerprint:
    """Return a fingerprint for a response without a parsed action."""
    return fingerprint("", text, error=code or Reason.NO_ACTION_FOUND, is_refused=True)


def refused_fingerprints(result: ParseResult) -> Iterator[ActionFingerprint]:
    """Yield a fingerprint for an unparseable response, or one for each of its rejected actions."""
    if result.outcome is Outcome.FAILED:
        yield unread_fingerprint(result.text, result.issues[0].code if result.issues else None)
    for call in result.actions:
        if call.status in REFUSED:
            yield refused_fingerprint(call.name, json_text(call.arguments), call.reason, call.errors)
