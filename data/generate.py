"""Write the sample sessions: ``python data/generate.py``.

The same seed always gives the same bytes, on every supported version of Python.
"""

import argparse
import json
import sys
from datetime import datetime
from pathlib import Path

from generator.assistant import Assistant, Iterative
from generator.cast import LENGTHS, PROFILES, SEED, shares, starts
from generator.coder import Coder
from generator.draw import Draw
from generator.orchestrator import Orchestrator
from generator.reasoner import Reasoner
from generator.report import placed, table
from generator.session import Turn

HERE = Path(__file__).parent
KINDS = {kind.profile: kind for kind in (Assistant, Iterative, Orchestrator, Coder, Reasoner)}


def session(number: int, start: datetime) -> list[Turn]:
    """Return the turns of a session, which has a stream of chance of its own."""
    draw = Draw(f"{SEED}/{number}")
    profile, model = draw.weighted(PROFILES), draw.weighted(shares(start.date()))
    return KINDS[profile](draw, draw.weighted(LENGTHS[profile])).play(f"sample-{number:04}", model, start)


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes sessions.jsonl and the table of rates in README.md.")
    parser.add_argument(
        "--folder", type=Path, default=HERE, help="where to write (default: beside this file)"
    )
    folder: Path = parser.parse_args().folder
    turns = [
        turn for number, start in enumerate(starts(Draw(SEED)), start=1) for turn in session(number, start)
    ]
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row, _ in turns]
    (folder / "sessions.jsonl").write_text("".join(lines), encoding="utf-8", newline="\n")
    rates = table([(row["model"], faults) for row, faults in turns])
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    (folder / "README.md").write_text(placed(readme, rates), encoding="utf-8", newline="\n")
    sys.stdout.write(f"{rates}\n")


if __name__ == "__main__":
    main()
