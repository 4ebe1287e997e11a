"""What a model is told after a turn: what came of it, and where that isn't plain, what to do. Pure."""

from actionledger.core.errors import UsageError
from actionledger.core.values import Turn
from actionledger.core.vocabulary import Outcome, Reason
from actionledger.runtime.execution.profile import Profile
from actionledger.runtime.execution.prompting import dialect_of


def is_iterative(profile: Profile) -> bool:
    """Return whether a profile's model works in iteration blocks until one says that it is final."""
    return profile.parser.requires_action and _dialect_name(profile) == "iteration"


def next_prompt(profile: Profile, turn: Turn, *, turns: int) -> str:
    """Return what the model is told after a turn."""
    done = turn.index + 1
    feedback = turn.feedback or "Nothing came of it: it asked for nothing."
    parts = [f"What came of iteration {done}:\n{feedback}" if is_iterative(profile) else feedback]
    if turn.result.outcome is Outcome.EMPTY or not turn.result.text.strip():
        parts.append("Your response was empty.")
    if any(issue.code is Reason.NO_ACTION_FOUND for issue in turn.result.issues):
        parts.append(f"This is how an action is written:\n{_example(profile)}")
    if is_iterative(profile):
        parts.append(_what_is_next(done + 1, turns))
    return "\n\n".join(parts)


def _what_is_next(number: int, turns: int) -> str:
    if number >= turns:
        return f'Iteration {number} is the last one: finish what you can, and write "is_final": true.'
    return f'Iteration {number} of at most {turns} is next. If all is done, write "is_final": true.'


def _dialect_name(profile: Profile) -> str:
    try:
        return dialect_of(profile).name
    except UsageError:  # a baseline parser has none
        return ""


def _example(profile: Profile) -> str:
    try:
        return dialect_of(profile).example
    except UsageError:
        return "as the instructions say"
