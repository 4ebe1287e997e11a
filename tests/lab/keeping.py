"""Keeps a run's lines as a recording for tests: small, without the paths of this machine, with the truth beside them."""

from dataclasses import replace
from pathlib import Path

from lab.truth import kept, read

HOME = "/home/dev"
LAB = "/opt/lab"
MOST_BYTES = 20_000
"""A recording of more is an agent's own instructions for the most part, and is not kept."""


def keep(run: Path, store: Path, to: Path) -> bool:
    """Write a run's files of lines into a folder, and what was sent; False where they are too large.

    Args:
        run: the run's folder.
        store: what the agent has written there.
        to: where the recording is to be.
    """
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(store.rglob("*.jsonl"))}
    if not texts or sum(map(len, texts.values())) > MOST_BYTES:
        return False
    to.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        neutral = text.replace(str(run), HOME).replace(str(run.parents[2]), LAB)
        (to / name).write_text(neutral, encoding="utf-8")
    kept(replace(read(run / "truth.json"), requests=[]), to / "truth.json")
    return True
