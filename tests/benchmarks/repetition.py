"""How often recorded sessions go in circles, which of them the guard would stop, and how that goes with their success.

    python tests/benchmarks/repetition.py CORPORA [--show SEED]

CORPORA is a folder that holds any of the recordings of ``repetition_sources.py``, as their authors publish them. Each session is
handed to the guard turn by turn, as a live one would be: its calls are proposed, and what the recording says came of them is noted,
up to where the guard would not make a call any more. Long sessions have more room for circles and fail more often; so those
that would be stopped stand beside those that have as many calls and would not be.

Which sessions have a real loop is counted without the guard: four calls in a row, the same to the letter but for the order of
their arguments' keys, with the same result to the letter. ``--show`` prints fifty of the stopped sessions to be judged.
"""

import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from repetition_sources import SOURCES, Walked

from actionledger.core.rates import Rate
from actionledger.runtime.repetition.forms import call_form
from actionledger.runtime.repetition.guard import Repetition, RepetitionGuard
from actionledger.runtime.repetition.limits import STANDARD_REPETITION

_LOOP = 4
_SHOWN = 50


def stop_of(session: Walked) -> tuple[int, Repetition] | None:
    """Return before which of its calls the guard would stop a session, and why; None where it would not."""
    guard = RepetitionGuard(STANDARD_REPETITION)
    done = 0
    for is_asked, calls in session.turns:
        guard.begin_turn(is_new_request=is_asked)
        for call in calls:
            is_refused = bool(call.name) and guard.refuse(call_form(call.name, call.arguments))
            if not is_refused:
                guard.note([call.fingerprint])
                done += 1
            if guard.spent():
                assert guard.found is not None
                return done, guard.found
    return None


def nudges_of(session: Walked) -> int:
    """Return in how many turns the model would be told, where nothing stopped it."""
    guard = RepetitionGuard(STANDARD_REPETITION)
    told = 0
    for is_asked, calls in session.turns:
        guard.begin_turn(is_new_request=is_asked)
        guard.note(call.fingerprint for call in calls)
        told += guard.found is not None
    return told


def longest_loop(session: Walked) -> int:
    """Return how many calls in a row are the same to the letter, at most, with the same result to the letter."""
    lengths = [0]
    stretch = 0
    marked: list[tuple[int, str, str, str]] = []
    for is_asked, calls in session.turns:
        stretch += is_asked  # what somebody asked for apart is looked at apart
        marked += [(stretch, call.name, _sorted(call.arguments), call.seen) for call in calls]
    lengths += [len(list(group)) for _, group in groupby(marked)]
    return max(lengths)


def _sorted(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments), sort_keys=True)
    except ValueError:
        return arguments


def table(name: str, sessions: list[Walked]) -> dict[str, tuple[int, Repetition]]:
    """Print how many sessions of a source would be stopped, and by what; return where each of them is."""
    found = [stop_of(session) for session in sessions]
    stops = {each.name: stop for each, stop in zip(sessions, found, strict=True) if stop}
    calls = sum(len(session.calls) for session in sessions)
    told = sum(map(nudges_of, sessions))
    turns = sum(len(session.turns) for session in sessions)
    print(f"\n{name}: {len(sessions):,} sessions, {calls:,} calls; told in {Rate(told, turns)} of the turns")
    print(f"  would be stopped: {Rate(len(stops), len(sessions))}")
    for pattern, count in Counter(stop.pattern for _, stop in stops.values()).most_common():
        print(f"    {pattern:14} {count:,}")
    _print_success(sessions, stops)
    loops = [session for session in sessions if longest_loop(session) >= _LOOP]
    caught = sum(session.name in stops for session in loops)
    print(f"  real loops of {_LOOP} or more: {len(loops):,}, of which stopped: {Rate(caught, len(loops))}")
    return stops


def _print_success(sessions: list[Walked], stops: dict[str, tuple[int, Repetition]]) -> None:
    judged = [session for session in sessions if session.success is not None]
    stopped = [session for session in judged if session.name in stops]
    if not stopped:
        return
    least = min(len(session.calls) for session in stopped)
    peers = [each for each in judged if each.name not in stops and len(each.calls) >= least]
    print(f"  success: {_success(stopped)} of these, {_success(peers)} of the others that are as long")
    behind = sum(len(session.calls) - stops[session.name][0] for session in stopped)
    print(f"  calls behind the stop: {Rate(behind, sum(len(session.calls) for session in judged))}")


def _success(sessions: list[Walked]) -> Rate:
    return Rate(sum(session.success is True for session in sessions), len(sessions))


def spread(stops: dict[tuple[str, str], tuple[int, Repetition]], seed: int) -> Iterator[tuple[str, str]]:
    """Yield sessions to be judged: as many of each source and pattern as there are, at most, in turn."""
    piles = defaultdict(list)
    for key, (_, found) in stops.items():
        piles[key[0], found.pattern].append(key)
    mixed = random.Random(seed)
    for pile in piles.values():
        mixed.shuffle(pile)
    chosen = 0
    while chosen < _SHOWN and any(piles.values()):
        for pile in filter(None, piles.values()):
            yield pile.pop()
            chosen += 1
            if chosen == _SHOWN:
                return


def show(session: Walked, where: int, found: Repetition) -> None:
    """Print the calls before a stop, and the one behind it."""
    print(f"\n{session.name}, before call {where + 1} of {len(session.calls)}: {found.described}")
    for call in session.calls[max(0, where - 6) : where + 1]:
        print(
            f"    {call.name} {_end(call.arguments)} => {'error: ' if call.failed else ''}{_end(call.seen)}"
        )


def _end(text: str) -> str:
    return repr(text[-120:])


def main(corpora: Path, seed: int | None) -> None:
    """Print a table for each source, and fifty stopped sessions where asked for."""
    sessions: dict[tuple[str, str], Walked] = {}
    stops: dict[tuple[str, str], tuple[int, Repetition]] = {}
    for source, (folder, read) in SOURCES.items():
        if (corpora / folder).is_dir():
            walked = list(read(corpora / folder))
            sessions |= {(source, each.name): each for each in walked}
            stops |= {(source, name): stop for name, stop in table(source, walked).items()}
    if seed is not None:
        for key in spread(stops, seed):
            show(sessions[key], *stops[key])


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[3]) if sys.argv[2:3] == ["--show"] else None)
