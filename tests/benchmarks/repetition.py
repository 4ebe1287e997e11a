"""How often recorded sessions go in circles, by pattern, and how that goes with their success.

    python tests/benchmarks/repetition.py CORPORA

CORPORA is a folder that holds any of ``mint``, ``intercode`` and ``tau-bench`` as their authors publish them. A pattern counts
where it reaches its nudge. Long sessions have more room for patterns and fail more often; so those that have one stand beside
those without one that have at least as many actions as the nudge takes.
"""

import gzip
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actionledger.execution.deeds import Deed, deed
from actionledger.execution.repetition import STANDARD_REPETITION, Pattern, Repetition, repetitions
from actionledger.parsing.parsers import parser_named
from actionledger.rates import Rate
from actionledger.sources.base import RecordedSession, RecordedTurn
from actionledger.sources.mint import mint_files, read_mint


@dataclass(frozen=True)
class Walked:
    """One recorded session.

    Args:
        success: whether it reached what it was for.
        deeds: what was done in it.
    """

    success: bool
    deeds: tuple[Deed, ...]


def mint_sessions(folder: Path) -> Iterator[Walked]:
    """Yield MINT's sessions; a turn is one deed."""
    for file in mint_files(folder):
        for session in read_mint(file):
            if isinstance(session, RecordedSession):
                yield Walked(bool(session.success), tuple(map(_mint_deed, session.turns)))


def _mint_deed(turn: RecordedTurn) -> Deed:
    actions = parser_named("mint").read(turn.text).actions
    name = actions[0].name if actions else ""
    arguments = json.dumps([action.arguments for action in actions], sort_keys=True)
    lines = (turn.feedback or "").removeprefix("Observation:").strip().splitlines()
    observed = [line for line in lines if not line.startswith(("You have ", "You should take the last step"))]
    if not actions:
        return deed(name, turn.text, error="no action")
    failed = any(line.startswith("Traceback") for line in observed) or _ends_in_error(observed)
    return deed(
        name,
        arguments,
        result="" if failed else "\n".join(observed),
        error=observed[-1] if failed else "",
    )


def _ends_in_error(lines: list[str]) -> bool:
    return bool(lines) and lines[-1].partition(":")[0].endswith(("Error", "Exception"))


def intercode_sessions(folder: Path) -> Iterator[Walked]:
    """Yield InterCode's episodes; one that was rewarded in full is a success."""
    for file in sorted(folder.rglob("*.json.gz")):
        for episode in json.loads(gzip.decompress(file.read_bytes())).values():
            history = episode.get("turn_history", {})
            if (
                not {"actions", "observations", "rewards", "valid_action"} <= history.keys()
                or not history["rewards"]
            ):
                continue  # another kind of record
            steps = zip(history["actions"], history["observations"], history["valid_action"], strict=False)
            deeds = tuple(
                _plain_deed("act", str(action), str(seen), is_valid) for action, seen, is_valid in steps
            )
            yield Walked(max(history["rewards"]) == 1, deeds)


def tau_sessions(folder: Path) -> Iterator[Walked]:
    """Yield tau-bench's episodes; one with the full reward is a success."""
    for file in sorted(folder.glob("*first100.json.gz")):
        for episode in json.loads(gzip.decompress(file.read_bytes())):
            yield Walked(episode["reward"] == 1, tuple(_tau_deeds(episode["traj"])))


def _tau_deeds(messages: list[dict[str, Any]]) -> Iterator[Deed]:
    results = {each["tool_call_id"]: each["content"] for each in messages if each["role"] == "tool"}
    for message in messages:
        for call in message.get("tool_calls") or ():
            seen = results.get(call["id"], "")
            function = call["function"]
            yield _plain_deed(
                function["name"], function["arguments"], seen, is_valid=not seen.startswith("Error")
            )


def _plain_deed(name: str, arguments: str, seen: str, is_valid: bool) -> Deed:
    return deed(name, arguments, result=seen if is_valid else "", error="" if is_valid else seen or "error")


SOURCES = {"mint": mint_sessions, "intercode": intercode_sessions, "tau-bench": tau_sessions}


def table(name: str, sessions: Iterable[Walked]) -> None:
    """Print how many sessions have which pattern, and how many of these succeed beside the others."""
    walked = list(sessions)
    began = time.perf_counter()
    found = [[each for of_deed in repetitions(session.deeds) for each in of_deed] for session in walked]
    took = time.perf_counter() - began
    deeds = sum(len(session.deeds) for session in walked)
    print(f"\n{name}: {len(walked):,} sessions, {deeds:,} deeds, {took / max(1, deeds) * 1e6:.0f} µs a deed")
    print(f"  {'all':14} {'':34}   success {_success(walked)}")
    without = [session for session, of_session in zip(walked, found, strict=True) if not of_session]
    print(f"  {'none':14} {Rate(len(without), len(walked))!s:>34}   success {_success(without)}")
    for pattern in Pattern:
        having = _those(walked, found, lambda each, pattern=pattern: each.pattern is pattern)
        peers = [session for session in without if len(session.deeds) >= _least(pattern)]
        _row(pattern, having, len(walked), f"   without any, as long: {_success(peers)}")
    spared = Rate(sum(map(_behind_the_stop, walked)), deeds)
    _row(
        "would stop",
        _those(walked, found, lambda each: each.is_stop),
        len(walked),
        f"   deeds spared: {spared}",
    )


def _those(
    walked: list[Walked], found: list[list[Repetition]], wanted: Callable[[Repetition], bool]
) -> list[Walked]:
    return [
        session
        for session, of_session in zip(walked, found, strict=True)
        if any(wanted(each) for each in of_session)
    ]


def _row(title: str, having: list[Walked], count: int, beside: str = "") -> None:
    print(f"  {title:14} {Rate(len(having), count)!s:>34}   success {_success(having)}{beside}")


def _behind_the_stop(session: Walked) -> int:
    """Return how many deeds of a session lie behind the point where it would be stopped."""
    stops = (
        number
        for number, found in enumerate(repetitions(session.deeds), start=1)
        if any(each.is_stop for each in found)
    )
    return len(session.deeds) - next(stops, len(session.deeds))


def _success(sessions: list[Walked]) -> Rate:
    return Rate(sum(session.success for session in sessions), len(sessions))


def _least(pattern: Pattern) -> int:
    """Return how many deeds a session needs to have a pattern."""
    threshold = STANDARD_REPETITION.of(pattern)
    assert threshold is not None
    return threshold.nudge * (2 if pattern is Pattern.ALTERNATION else 1)


if __name__ == "__main__":
    for source, walk in SOURCES.items():
        if (Path(sys.argv[1]) / source).is_dir():
            table(source, walk(Path(sys.argv[1]) / source))
