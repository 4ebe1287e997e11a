"""Write the sample sessions: ``python data/generate.py``.

The same seed always gives the same bytes, on every supported version of Python.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from generator.cast import SEED, starts
from generator.draw import Draw
from generator.report import placed, table
from generator.session import Session, Tally

HERE = Path(__file__).parent


def sessions(tally: Tally) -> list[dict[str, Any]]:
    """Return the turns of all sessions, in order of time.

    Args:
        tally: where the faults are counted.
    """
    rows: list[dict[str, Any]] = []
    for number, start in enumerate(starts(Draw(SEED)), start=1):
        rows += Session(f"sample-{number:04}", start, Draw(f"{SEED}/{number}"), tally).play()
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes sessions.jsonl and the table of rates in README.md.")
    parser.add_argument(
        "--folder", type=Path, default=HERE, help="where to write (default: beside this file)"
    )
    folder: Path = parser.parse_args().folder
    tally = Tally()
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in sessions(tally)]
    (folder / "sessions.jsonl").write_text("".join(lines), encoding="utf-8", newline="\n")
    rates = table(tally)
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    (folder / "README.md").write_text(placed(readme, rates), encoding="utf-8", newline="\n")
    sys.stdout.write(f"{rates}\n")


if __name__ == "__main__":
    main()
