"""Every rate and every comparison over random ledgers, counted once more from the exported rows in plain Python."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from actionledger.core.ids import derived_id
from actionledger.core.rates import Clustering, Rate
from actionledger.core.vocabulary import ActionStatus, ExecutionStatus, Outcome, Reason, RunKind
from actionledger.ledger import Ledger, open_ledger, queries
from actionledger.ledger.queries.agreement import timings
from actionledger.ledger.queries.courses import sequels
from actionledger.replay.statistics import paired_difference

from .conftest import MISSING, MONDAY, TUESDAY, Book, call

READ, MEANT = {"clean", "repaired"}, {"clean", "repaired", "partial", "failed"}
CODE = {"execute_code", "execute", "execute_command"}
LIVE, AGAIN = derived_id("run", "live"), derived_id("run", "again")


Calls = list[tuple[str, str, bool]]
"""A reading's actions: name, arguments, and whether it may run."""


def drawn(seed: int) -> Book:
    """Return sessions of one to nine turns with outcomes, actions and executions as they come, and a second reading of most."""
    draw, book = random.Random(seed), Book()
    book.run("live", RunKind.LIVE)
    turns = []
    for number in range(40):
        name = f"s{number}"
        book.session(name, model=draw.choice(("small", "large")), task=draw.choice("ab"))
        turns += [(name, index) for index in range(draw.randint(1, 9))]
    for name, index in turns:
        book.turn(name, index, "x", draw.choice((MONDAY, TUESDAY, None)))
        read(draw, book, name, index, "live")
    book.run("again", RunKind.REPARSE, parent="live")
    for name, index in turns:
        if draw.random() < 0.9:
            read(draw, book, name, index, "again")
    return book


def read(draw: random.Random, book: Book, name: str, index: int, run: str) -> None:
    outcome = draw.choice([each for each in Outcome if each is not Outcome.NOT_RECORDED])
    found: dict[str, Any] = {"dialect": draw.choice(("xml_tags", "mint"))}
    if outcome in {Outcome.PARTIAL, Outcome.FAILED}:
        found["reason"] = draw.choice((Reason.TRUNCATED, Reason.MALFORMED_JSON))
    if str(outcome) in MEANT:
        checks = [(ActionStatus.VALID,)] * 3 + [(ActionStatus.INVALID, MISSING)]
        names = ("wait", "execute_code")
        found["actions"] = tuple(
            call(draw.choice(names), *draw.choice(checks), index=place, arguments={"at": [name, index, run]})
            for place in range(draw.randint(0, 2))
        )
    book.read(name, index, outcome, run, **found)
    if run == "live":
        for place in range(len(found.get("actions", ()))):
            status = draw.choice(
                [ExecutionStatus.SUCCEEDED, ExecutionStatus.TIMED_OUT, ExecutionStatus.DENIED]
            )
            reason = {"timed_out": Reason.TIMEOUT, "denied": Reason.NOT_APPROVED}.get(status)
            book.execute(name, index, place, status, reason=reason)


@pytest.fixture(scope="module", params=[1, 2, 3])
def ledger(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    """A random ledger."""
    with open_ledger(tmp_path_factory.mktemp("drawn") / "drawn.duckdb") as opened:
        for event in drawn(request.param).events:
            opened.record(event)
        opened.flush()
        yield opened


def exported(ledger: Ledger, table: str, run: str = LIVE) -> list[dict[str, Any]]:
    result = ledger.sql(f"SELECT *, session_id::VARCHAR AS session, turn_id::VARCHAR AS turn FROM {table}")
    names = list(result.columns)
    return [
        row
        for values in result.fetchall()
        if str((row := dict(zip(names, values, strict=True)))["run_id"]) == run
    ]


def counted(scored: Iterable[tuple[str, int]]) -> tuple[Rate, Clustering]:
    """Return the rate of scores by session, with its sums."""
    sessions: dict[str, list[int]] = defaultdict(list)
    for session, score in scored:
        sessions[session].append(score)
    sums = [(len(scores), sum(scores)) for scores in sessions.values()]
    rate = Rate(sum(score for _, score in sums), sum(count for count, _ in sums)) if sums else Rate(0, 0)
    clustering = Clustering(
        len(sums),
        sum(count * count for count, _ in sums),
        sum(score * score for _, score in sums),
        sum(count * score for count, score in sums),
    )
    return rate, clustering


def is_counted(rate: Rate, scored: Iterable[tuple[str, int]]) -> bool:
    """Return whether a rate is that of the scores, clustering and all."""
    return (rate, rate.clustering) == counted(scored)


def read_whole(rows: Iterable[dict[str, Any]]) -> list[tuple[str, int]]:
    return [(row["session"], row["outcome"] in READ) for row in rows if row["outcome"] in MEANT]


def test_the_funnels_rates(ledger: Ledger) -> None:
    """All five, whole and split."""
    found, attempts = queries.funnel(ledger), exported(ledger, "parse_attempts")
    assert is_counted(found.meant, [(row["session"], row["outcome"] in MEANT) for row in attempts])
    assert is_counted(found.parse_success, read_whole(attempts))
    strict = [(row["session"], row["outcome"] == "clean") for row in attempts if row["outcome"] in MEANT]
    assert is_counted(found.strict_success, strict)
    checked = [(row["session"], row["status"] == "valid") for row in exported(ledger, "actions")]
    assert is_counted(found.validation, checked)
    tried = [row for row in exported(ledger, "executions") if row["status"] != "denied"]
    assert is_counted(found.execution, [(row["session"], row["status"] == "succeeded") for row in tried])
    assert found.parse_success.interval is not None
    for label, part in queries.funnel_by(ledger, "model"):
        assert is_counted(part.parse_success, read_whole(row for row in attempts if row["model"] == label))


def test_the_same_rate_is_the_same_wherever_it_is_shown(ledger: Ledger) -> None:
    """By dialect, over time, by session, and of what code took."""
    attempts = exported(ledger, "parse_attempts")
    for part in queries.dialects_by(ledger, "model"):
        meant = [row for row in attempts if row["model"] == part.label and row["outcome"] in MEANT]
        read_in_it = [
            (row["session"], row["outcome"] in READ and row["dialect"] == part.dialect) for row in meant
        ]
        assert is_counted(part.share, read_in_it)
    for period in queries.success_over_time(ledger).periods:
        inside = [
            row for row in attempts if row["occurred_at"] and period.start <= row["occurred_at"] < period.end
        ]
        assert is_counted(period.success, read_whole(inside))
    for row in queries.sessions(ledger, limit=100):
        own = read_whole(each for each in attempts if each["session"] == row.session_id)
        assert not own or is_counted(row.parsed, own)
        assert row.parsed.interval is None
    code = [
        row for row in exported(ledger, "executions") if row["name"] in CODE and row["status"] != "denied"
    ]
    late = [(row["session"], row["status"] == "timed_out") for row in code]
    assert is_counted(timings(ledger).code_timeouts, late)


def test_the_reasons_shares(ledger: Ledger) -> None:
    """Of the turns that meant to act, those that have the reason, session by session."""
    attempts = [row for row in exported(ledger, "parse_attempts") if row["outcome"] in MEANT]
    found = queries.reasons(ledger)
    assert {failure.stage for failure in found} == {"reading", "checking", "acting"}
    executions, errors = exported(ledger, "executions"), exported(ledger, "validation_errors")
    for failure in found:
        failed = {
            "reading": [row for row in attempts if row["reason"] == failure.code],
            "checking": [r for r in errors if (r["code"], r["name"]) == (failure.code, failure.action)],
            "acting": [r for r in executions if (r["reason"], r["name"]) == (failure.code, failure.action)],
        }[failure.stage]
        turns = {row["turn"] for row in failed}
        assert failure.count == len(failed)
        assert is_counted(failure.turns, [(row["session"], row["turn"] in turns) for row in attempts])


def test_what_comes_behind_another_action(ledger: Ledger) -> None:
    """There and elsewhere, by the sessions of each."""
    rows = [row for row in exported(ledger, "executions") if row["status"] != "denied"]
    rows.sort(key=lambda row: (row["session"], row["turn_index"], row["started_at"], row["action_index"]))
    paired = [
        (before["name"] if before and before["session"] == row["session"] else None, row)
        for before, row in zip([None, *rows], rows, strict=False)
    ]
    found = sequels(ledger, "coder", 1)
    assert {(each.before, each.name) for each in found} == {
        (before, row["name"]) for before, row in paired if before
    }
    for each in found:
        here, there = [], []
        for before, row in paired:
            if row["name"] == each.name:
                (here if before == each.before else there).append(
                    (row["session"], row["status"] != "succeeded")
                )
        assert is_counted(each.failures, here)
        assert is_counted(each.elsewhere, there)


def test_a_comparison(ledger: Ledger) -> None:
    """Its buckets are all turns that both have read; success is over those that meant to act in both."""
    found = queries.compare_runs(ledger, LIVE, AGAIN)
    before = {row["turn"]: row for row in exported(ledger, "parse_attempts")}
    after = {row["turn"]: row for row in exported(ledger, "parse_attempts", AGAIN)}
    calls: dict[str, Calls] = defaultdict(list)
    for run in (LIVE, AGAIN):
        for row in sorted(exported(ledger, "actions", run), key=lambda row: row["action_index"]):
            may_run = row["status"] in {"valid", "coerced"}
            calls[run + row["turn"]].append((row["name"], str(row["arguments"]), may_run))
    expected: Counter[str] = Counter()
    scored = []
    for turn in before.keys() & after.keys():
        old, new = before[turn]["outcome"], after[turn]["outcome"]
        meant = (old in MEANT, new in MEANT)
        if meant == (True, True):
            scored.append((before[turn]["session"], (old in READ), (new in READ)))
        bucket = {
            (False, False): "no_intent",
            (False, True): "newly_intent",
            (True, False): "no_longer_intent",
        }.get(meant) or {(True, False): "lost", (False, True): "recovered"}.get((old in READ, new in READ))
        bucket = bucket or changed(calls[LIVE + turn], calls[AGAIN + turn])
        expected[bucket] += 1
    assert found.counts == {bucket: expected[bucket] for bucket in found.counts}
    assert sum(count > 0 for count in found.counts.values()) >= 8
    assert sum(found.counts.values()) == found.pairs == len(before.keys() & after.keys())
    outside = ("no_intent", "newly_intent", "no_longer_intent")
    assert found.intent == found.pairs - sum(found.counts[bucket] for bucket in outside)
    assert is_counted(found.before, [(session, old) for session, old, _ in scored])
    assert is_counted(found.after, [(session, new) for session, _, new in scored])
    sums: dict[str, list[int]] = defaultdict(list)
    for session, old, new in scored:
        sums[session].append(new - old)
    assert found.cells == Counter((len(each), sum(each)) for each in sums.values())
    shifts = Counter(sum(each) for each in sums.values())
    del shifts[0]
    assert found.shifts == shifts
    assert (found.net.totals, found.net.products) == (
        sum(sum(each) ** 2 for each in sums.values()),
        sum(sum(each) * len(each) for each in sums.values()),
    )
    assert paired_difference(found.only_before, found.only_after, found.intent, found.net) is not None


def changed(before: Calls, after: Calls) -> str:
    """Return the bucket of a turn that both readings read as well as each other: first what may run no longer, or does now."""

    def counts(calls: Calls, key: int) -> Counter[tuple[object, bool]]:
        return Counter((call[:key], call[2]) for call in calls)

    for worse, better, word in ((before, after, "newly_rejected"), (after, before, "newly_accepted")):
        for key in (1, 2):
            first, second = counts(worse, key), counts(better, key)
            if any(
                second[name, True] < first[name, True] and second[name, False] > first[name, False]
                for name in {name for name, _ in (*first, *second)}
            ):
                return word
    if [call[0] for call in before] != [call[0] for call in after]:
        return "changed_actions"
    return "same" if [call[:2] for call in before] == [call[:2] for call in after] else "changed_arguments"


@pytest.mark.parametrize("by", ["model", "profile", "task", "source", "dialect"])
def test_groups_add_up_to_the_whole(ledger: Ledger, by: queries.Grouping) -> None:
    """Every pair is in one group, and each group is what a filter picks, where there is one for it."""
    whole = queries.compare_runs(ledger, LIVE, AGAIN)
    groups = queries.compare_groups(ledger, LIVE, AGAIN, by)
    for bucket, count in whole.counts.items():
        assert sum(group.counts[bucket] for group in groups) == count
    assert sum(group.before.successes for group in groups) == whole.before.successes
    assert sum(group.after.successes for group in groups) == whole.after.successes
    if by in {"model", "task"}:
        assert len(groups) == 2
        for group in groups:
            within = queries.Filter(**{f"{by}s": (group.label,)})
            alone = queries.compare_runs(ledger, LIVE, AGAIN, within=within)
            assert (group.counts, group.before, group.after) == (alone.counts, alone.before, alone.after)
            assert (group.cells, group.net, group.before.clustering) == (
                alone.cells,
                alone.net,
                alone.before.clustering,
            )


def test_a_comparison_within_a_filter(ledger: Ledger) -> None:
    """The models' comparisons add up to the whole one."""
    whole = queries.compare_runs(ledger, LIVE, AGAIN)
    parts = [
        queries.compare_runs(ledger, LIVE, AGAIN, within=queries.Filter(models=(model,)))
        for model in ("small", "large")
    ]
    assert {bucket: sum(part.counts[bucket] for part in parts) for bucket in whole.counts} == whole.counts
    assert sum(part.before.successes for part in parts) == whole.before.successes
    assert {turn.model for turn in parts[0].turns["same"]} == {"small"}
