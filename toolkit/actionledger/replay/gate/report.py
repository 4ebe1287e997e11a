"""A gate's requirements, its conditions, the turns that count against a candidate, and the report."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import TypeAlias, get_args

from actionledger.core.errors import UnknownNameError, UsageError, require_number
from actionledger.core.hooks import Shown, drawn
from actionledger.core.rates import TOO_FEW, Rate, shown_p
from actionledger.core.text import counted
from actionledger.core.vocabulary import Outcome
from actionledger.ledger.queries.compare import QUIET, Bucket, ComparedTurn, Comparison
from actionledger.reading.parsers import AnyParser
from actionledger.replay.paired import PairedComparison

WORSE: Mapping[Bucket, int] = {"lost": 0, "no_longer_intent": 0, "newly_rejected": 0}
"""The buckets that make a turn worse, with the default number of turns that a gate allows in each."""

CHANGED: tuple[Bucket, ...] = ("changed_actions", "changed_arguments")
"""The buckets that ``max_changed`` counts together."""

MIN_ACTING = 10
"""Default minimum number of turns that meant to act, as many as the sessions needed for an interval."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of a gate.

    Args:
        name: the bucket that it limits, or ``acting``, ``changed``, ``success``, ``not_worse``, ``read_again``, ``texts_found``.
        asked: the requirement, in words.
        found: the finding, in words.
        limit: the required number.
        value: the number found; None if there is none.
        passed: whether it holds.
        lacks_evidence: whether it fails only because of too few turns or sessions, without evidence that the candidate is worse.
    """

    name: str
    asked: str
    found: str
    limit: float
    value: float | None
    passed: bool
    lacks_evidence: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """The requirements of a gate."""

    # maximum number of turns in each bucket
    most: Mapping[Bucket, int] = field(default_factory=lambda: dict(WORSE))
    # maximum number of turns parsed as other actions or with other arguments; None for no limit
    max_changed: int | None = None
    # minimum for the lower end of the candidate's success, 0 to 1; None for no minimum
    min_rate: float | None = None
    # a loss counts if its p-value is below this, 0 to 1; None for no such condition
    alpha: float | None = 0.05
    min_acting: int = MIN_ACTING  # minimum number of turns that meant to act in both parses, 1 or more
    # whether too few sessions for an interval are enough, and a single turn that meant to act
    allow_few: bool = False
    allow_missing: bool = False  # whether turns may stay unparsed

    def __post_init__(self) -> None:
        for bucket in self.most:
            if bucket not in get_args(Bucket) or bucket in QUIET:
                raise UnknownNameError("bucket", bucket, set(get_args(Bucket)) - QUIET)
        counts: list[tuple[str, int | None]] = [*self.most.items(), ("changed", self.max_changed)]
        for name, count in counts:
            require_number(f"The most turns of {name}", count, optional=name == "changed")
            if count is not None and not count >= 0:
                raise UsageError(f"At most {count} turns of {name} can't be; give 0 or more.")
        require_number("min_acting", self.min_acting, least=1)
        for name, share in (("min_rate", self.min_rate), ("alpha", self.alpha)):
            require_number(name, share, optional=True)
            if share is not None and not 0 <= share <= 1:
                raise UsageError(f"{name} is {share}; give a share from 0 to 1, such as 0.99.")


def conditions(comparison: PairedComparison, required: Requirements) -> Iterator[Condition]:
    """Yield each condition on a comparison of two parses of the same turns."""
    for bucket, most in required.most.items():
        yield _at_most(bucket, comparison.counts[bucket], most, comparison.pairs)
    if required.max_changed is not None:
        changed = sum(comparison.counts[bucket] for bucket in CHANGED)
        yield _at_most("changed", changed, required.max_changed, comparison.pairs)
    if required.min_rate is not None:
        yield _success(comparison.after, required.min_rate, allow_few=required.allow_few)
    if required.alpha is not None:
        yield _not_worse(comparison, required.alpha, allow_few=required.allow_few)
    yield _acting(comparison, required)


def unread(name: str, what: str, missing: int, total: int, *, allowed: bool) -> Condition:
    """Return the condition that every turn of the baseline is parsed."""
    asked = f"turns {what}: at most 0" + (", more are allowed" if allowed else "")
    found = f"{missing:,} of {counted(total, 'turn')}"
    return Condition(name, asked, found, 0, missing, passed=allowed or not missing)


def _at_most(name: str, count: int, most: int, pairs: int) -> Condition:
    return Condition(
        name, f"at most {counted(most, 'turn')}", f"{count:,} of {pairs:,}", most, count, passed=count <= most
    )


def acting_needed(least: float, rate: Rate) -> int | None:
    """Return how many turns, if all are parsed, bring the interval's lower end to a share; None if no number does."""
    if least >= 1:
        return None
    few, enough = 0, 1
    while not _reaches(enough, least):
        few, enough = enough, 2 * enough
    while enough - few > 1:
        middle = (few + enough) // 2
        few, enough = (few, middle) if _reaches(middle, least) else (middle, enough)
    effective = rate.effective_count
    return ceil(enough * rate.count / effective) if effective else enough


def _reaches(count: int, least: float) -> bool:
    interval = Rate(count, count).interval
    return interval is not None and interval[0] >= least


def _acting(comparison: PairedComparison, required: Requirements) -> Condition:
    """Require turns that meant to act: turns without an action can't be lost, so they are no evidence."""
    count, pairs = comparison.intent, comparison.pairs
    least = 1 if required.allow_few else required.min_acting
    words = f"at least {counted(least, 'turn')} that meant to act"
    low, _ = comparison.after.interval or (0.0, 0.0)
    if required.min_rate is not None and low < required.min_rate and not required.allow_few:
        needed = acting_needed(required.min_rate, comparison.after)
        least = max(least, needed or 0)
        words = f"at least {counted(least, 'turn')} that meant to act"
        reached = f"{_share(required.min_rate)} is reached by no number of turns" if needed is None else ""
        words += f" ({reached or f'all of them read, {_share(required.min_rate)} takes {needed:,}'})"
    found = f"{count:,} of {pairs:,}"
    if count:
        found += f"; with none lost, {_most_lost(comparison.after)} might still be"
    passed = count >= least
    return Condition("acting", words, found, least, count, passed, lacks_evidence=not passed)


def _most_lost(rate: Rate) -> str:
    """Return the upper end of the interval for the loss that the same turns and sessions give if none is lost."""
    clustering = replace(rate.clustering, totals=0, products=0) if rate.clustering else None
    none_lost = Rate(0, rate.count, clustering)
    interval = none_lost.interval or none_lost.plain_interval
    return _share(interval[1]) if interval else "all"


def _success(rate: Rate, least: float, *, allow_few: bool) -> Condition:
    """Require the interval's lower end, because a sample's share may be higher by chance."""
    asked = f"the lower end of the candidate's success at least {_share(least)}"
    if rate.value is None:
        nothing = "no turn that meant to act in both"
        return Condition("success", asked, nothing, least, None, passed=False, lacks_evidence=True)
    found = f"{_share(rate.value)} ({rate.successes:,} of {rate.count:,})"
    if rate.interval is None:
        sessions = counted(rate.clustering.sessions if rate.clustering else 0, "session")
        found += f", {TOO_FEW} for an interval ({sessions})"
        if allow_few:
            found += "; the share itself is taken"
        passed = allow_few and rate.value >= least
        is_open = not passed and rate.value >= least
        return Condition("success", asked, found, least, rate.value, passed, lacks_evidence=is_open)
    low, high = rate.interval
    found = f"{_share(low)} to {_share(high)} around {found}"
    needed = acting_needed(least, rate)
    is_open = low < least <= rate.value and needed is not None and rate.count < needed
    return Condition("success", asked, found, least, low, passed=low >= least, lacks_evidence=is_open)


def _not_worse(comparison: PairedComparison, alpha: float, *, allow_few: bool) -> Condition:
    won, lost = comparison.only_after, comparison.only_before
    asked = f"no loss beyond chance (p at least {alpha:g})"
    p_value = comparison.p_value
    found = f"{won:,} recovered, {lost:,} lost, {shown_p(p_value)} by the sign-flip test over sessions"
    passed = won >= lost or p_value >= alpha
    is_few = comparison.difference is None
    if won < lost and is_few:
        found += f"; {TOO_FEW} to tell a loss from chance ({comparison.net.sessions:,})"
        passed = passed and allow_few
    return Condition("not_worse", asked, found, alpha, p_value, passed=passed)


def _share(value: float) -> str:
    """Return a share in per cent, exact enough that a missed limit never looks reached."""
    return f"{100 * value:.4f}".rstrip("0").rstrip(".") + " %"


@dataclass(frozen=True, slots=True)
class WorseTurn:
    """A turn that counts against the candidate.

    Args:
        condition: the name of the condition that counts it.
        bucket: how the candidate's parse compares.
        session: its session's display name.
        turn_index: its place in the session, from 0.
        model: the language model.
        before, after: the outcomes of both parses.
        detail: how the two differ, as lines; may contain model text.
    """

    condition: str
    bucket: Bucket
    session: str
    turn_index: int
    model: str
    before: Outcome
    after: Outcome
    detail: str


@dataclass(frozen=True, slots=True, repr=False)
class GateReport(Shown):
    r"""A gate's verdict on whether a candidate may replace a baseline, with the reasons.

    Args:
        baseline: the baseline, in words.
        candidate: the judged parser or run.
        conditions: the conditions, each with its finding.
        comparison: both parses, pair by pair.
        worse: turns that count against it, at most ``MOST_TURNS`` per condition.
        notes: further remarks, as sentences.
        run_id: the run that records the candidate's parses; None if no ledger has them.

    Example:
        >>> text = '```actions\n{"actions": [{"type": "list_tasks"},]}\n```'
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turn = runtime.handle(text)
        ...     report = al.gate(ledger, baseline="first", candidate="gembrain-standard")
        >>> report.passed, [condition.name for condition in report.conditions if not condition.passed]
        (False, ['lost', 'not_worse', 'acting'])
    """

    baseline: str
    candidate: str
    conditions: tuple[Condition, ...]
    comparison: PairedComparison
    worse: tuple[WorseTurn, ...] = ()
    notes: tuple[str, ...] = ()
    run_id: str | None = None

    @property
    def passed(self) -> bool:
        """Whether every condition holds."""
        return all(condition.passed for condition in self.conditions)

    @property
    def lacks_evidence(self) -> bool:
        """Whether it fails only because of too few turns or sessions, without evidence that the candidate is worse."""
        return not self.passed and all(each.passed or each.lacks_evidence for each in self.conditions)

    def junit(self) -> str:
        r"""Return the report as JUnit XML: one testcase per condition, and per turn that counts against the candidate.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     with al.Runtime("assistant", ledger=ledger) as runtime:
            ...         turn = runtime.handle('```actions\n{"actions": [{"type": "list_tasks"}]}\n```')
            ...     report = al.gate(ledger, baseline="first", candidate="assistant")
            >>> report.junit().splitlines()[0]
            '<?xml version="1.0" encoding="UTF-8"?>'
        """
        return drawn(self, "junit")

    def markdown(self) -> str:
        r"""Return the report as Markdown for a pull request's comment: limited in length, with model text only in code.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     with al.Runtime("assistant", ledger=ledger) as runtime:
            ...         turn = runtime.handle('```actions\n{"actions": [{"type": "list_tasks"}]}\n```')
            ...     report = al.gate(ledger, baseline="first", candidate="assistant", allow_few=True)
            >>> report.markdown().splitlines()[0]
            '### The gate passes'
        """
        return drawn(self, "markdown")


MOST_TURNS = 100
"""Maximum number of turns per condition in a report."""


def counted_turns(comparison: Comparison, found: Sequence[Condition]) -> list[tuple[str, ComparedTurn]]:
    """Return the turns that the conditions count, each with the condition's name."""
    return [
        (condition.name, turn)
        for condition in found
        for bucket in (CHANGED if condition.name == "changed" else (condition.name,))
        for turn in comparison.turns.get(bucket, ())[:MOST_TURNS]  # type: ignore[call-overload]
    ]


def worse_turns(
    turns: Sequence[tuple[str, ComparedTurn]],
    names: Mapping[str, str],
    detail: Callable[[ComparedTurn], str],
) -> tuple[WorseTurn, ...]:
    return tuple(
        WorseTurn(
            condition,
            turn.bucket,
            names.get(turn.session_id, turn.session_id),
            turn.turn_index,
            turn.model,
            turn.before,
            turn.after,
            detail(turn),
        )
        for condition, turn in turns
    )


@dataclass(frozen=True, slots=True)
class ReadNow:
    """A candidate parser, which parses the turns now."""

    parser: str | AnyParser  # the parser, or the name of another version's
    # the version of this package that has the parser: a wheel, a folder, or a commit; None for this one
    against: str | None
    workers: int | None  # number of processes; None for one per core if there are enough turns


@dataclass(frozen=True, slots=True)
class ReadRun:
    """A candidate run of the ledger."""

    run_id: str

    @property
    def name(self) -> str:
        """The run's name."""
        return f"run {self.run_id}"


Candidate: TypeAlias = ReadNow | ReadRun


def not_judged(count: int) -> str:
    """Return the sentence about turns without a text."""
    return f"{counted(count, 'turn')} not judged: the recording has kept the calls alone, and there is no text to read."
