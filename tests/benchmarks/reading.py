"""How fast responses are read: each figure beside a known one, taken in the same run.

    python tests/benchmarks/reading.py [--corpora FOLDER] [--full]

Tables: whole responses; responses with many actions; what evidence adds; corpora beside readers that repair JSON; valid JSON; each kind of
fault; hostile texts; what opens a block, over and over. The ratios count: a busy machine slows both sides alike. Other libraries are compared with where
they are installed (``pip install json-repair fast-json-repair jiter orjson baml-py``); they are no dependency of the
project. A folder of corpora holds one folder each: MINT's sessions, lines of JSON with a response as ``text``, or aider's
transcripts.
"""

import argparse
from pathlib import Path

import evidence_share
import growth
import growth_of_openers
import many_actions
import recordings
import responses
import rivals
from rich.console import Console

SIZES = (1_000, 8_000, 64_000)
FAULT_SIZES = (2_000, 20_000)
WIDTH = 110


def main() -> None:
    """Print all tables."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--corpora", type=Path, help="a folder with recordings, to read them as well")
    arguments.add_argument(
        "--full", action="store_true", help="every response and every family: many minutes"
    )
    chosen = arguments.parse_args()
    console = Console(width=WIDTH)
    console.print(responses.table(chosen.corpora, is_full=chosen.full))
    console.print(many_actions.table(SIZES))
    console.print(many_actions.assistant_table())
    console.print(evidence_share.table())
    console.print(recordings.table(chosen.corpora, is_full=chosen.full))
    console.print(rivals.valid_table(SIZES))
    for size in FAULT_SIZES:
        console.print(rivals.faults_table(size))
    console.print(growth.table(is_full=chosen.full))
    console.print(growth_of_openers.table(is_full=chosen.full))


if __name__ == "__main__":
    main()
