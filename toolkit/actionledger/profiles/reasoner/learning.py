"""What earlier sessions teach: which action tends to fail right behind which, by count and interval."""

from dataclasses import dataclass

from actionledger.core.plurals import counted
from actionledger.core.rates import TOO_FEW, Rate
from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.sequels import Sequel, sequels

MINIMUM = 10
"""So often two actions must have stood behind each other before anything is said of them."""

MOST = 5
"""So many suggestions a planner is given at most."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An action that fails more often right behind a certain other one.

    Args:
        before: the other one's name.
        action: its own name.
        failures: how often it failed there.
        elsewhere: how often it failed behind any other.
    """

    before: str
    action: str
    failures: Rate
    elsewhere: Rate

    def __str__(self) -> str:
        ends = self.failures.interval
        interval = TOO_FEW if ends is None else f"95 % interval {ends[0]:.0%} to {ends[1]:.0%}"
        return (
            f"After {self.before}, {self.action} failed {self.failures.successes} of {counted(self.failures.count, 'time')} "
            f"({interval}; elsewhere {self.elsewhere})."
        )


def suggestions(
    ledger: Queryable, *, profile: str = "reasoner", minimum: int = MINIMUM, most: int = MOST
) -> list[Suggestion]:
    """Return what the recorded sessions of a profile suggest to avoid, the most failing first.

    A pair is named where the lower end of its interval lies above the action's share of failures elsewhere, and above a
    tenth: less is not worth a planner's attention. What comes from too few sessions for an interval is not named.
    """
    found = (_suggestion(sequel) for sequel in sequels(ledger, profile, minimum))
    return [each for each in found if _is_telling(each)][:most]


def _suggestion(sequel: Sequel) -> Suggestion:
    return Suggestion(
        before=sequel.before,
        action=sequel.name,
        failures=sequel.failures,
        elsewhere=sequel.elsewhere,
    )


def _is_telling(suggestion: Suggestion) -> bool:
    low, _ = suggestion.failures.interval or (0.0, 1.0)
    return low > max(0.1, suggestion.elsewhere.value or 0.0)
