"""Tells what is wrong from what an agent itself loses, for each way in which a run was recorded."""

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lab.compare import Difference, is_ours, searcher, told
from lab.truth import Truth

KNOWN = Path(__file__).with_name("known.toml")


Ours = Callable[[Difference], bool]
"""Whether a difference is our fault."""


@dataclass(frozen=True)
class Known:
    """A loss that was looked into: whose, in which scenarios and ways, of what, and why."""

    agents: tuple[str, ...]
    scenarios: tuple[str, ...]
    ways: tuple[str, ...]
    what: tuple[str, ...]
    why: str

    def fits(self, agent: str, scenario: str, way: str, what: str) -> bool:
        """Whether it explains a difference; an empty list stands for any."""
        pairs = ((self.agents, agent), (self.scenarios, scenario), (self.ways, way), (self.what, what))
        return all(not known or said in known for known, said in pairs)


@dataclass(frozen=True)
class Cell:
    """What came of one run in one way of recording it."""

    agent: str
    scenario: str
    way: str
    wrong: tuple[str, ...] = ()
    lost: tuple[tuple[str, str], ...] = ()
    """What the agent itself loses, and why, where that is more than that it isn't there."""
    not_run: str = ""


@cache
def known() -> tuple[Known, ...]:
    """Return the losses that were looked into."""
    rows = tomllib.loads(KNOWN.read_text(encoding="utf-8")).get("loss", [])
    return tuple(
        Known(*(tuple(row.get(name, ())) for name in ("agents", "scenarios", "ways", "what")), row["why"])
        for row in rows
    )


def judged(
    agent: str,  # whose recording it is
    scenario: str,  # what was run
    way: str,  # `file`, `proxy` or `trace`
    found: Sequence[Difference],  # what is recorded otherwise than it was
    *,
    ours: Ours,  # whether a difference is our fault
    losses: Sequence[Known] | None = None,  # the losses that are known; by default those of `known.toml`
) -> Cell:
    """Part the differences of one recording into ours and the agent's."""
    wrong: list[str] = []
    lost: dict[str, str] = {}
    rows = known() if losses is None else losses
    for each in found:
        row = next((row for row in rows if row.fits(agent, scenario, way, each.what)), None)
        if row is not None:
            lost[each.what] = row.why
        elif ours(each):
            wrong.append(f"answer {each.answer}: {each}" if each.answer >= 0 else str(each))
        else:
            lost.setdefault(each.what, "")
    return Cell(agent, scenario, way, tuple(wrong), tuple(lost.items()))


def written_in(store: Path) -> bytes:
    """Return all that was written into a store, databases and their logs as they are."""
    if store.is_file():
        return store.read_bytes()
    return b"\n".join(path.read_bytes() for path in sorted(store.rglob("*")) if path.is_file())


def ours_in(store: Path) -> Ours:
    """What is our fault in what was read from a store: what stands there and is recorded otherwise."""
    has = searcher(written_in(store))
    return lambda difference: is_ours(difference, has)


def ours_behind(truth: Truth) -> Ours:
    """What is our fault in a proxy: everything, but what came of a call that the client never tells its model."""

    def ours(difference: Difference) -> bool:
        if (difference.what, difference.said) != ("status", "not recorded"):
            return True
        return is_ours(difference, told(truth, difference.answer))

    return ours
