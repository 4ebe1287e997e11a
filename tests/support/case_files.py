"""The corpus of cases: each file is read once for all the tests that ask for it."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

CASES = Path(__file__).parents[1] / "cases"


@cache
def case_files() -> tuple[tuple[Path, dict[str, Any]], ...]:
    """Return each case's file, by name, and what it says."""
    paths = sorted(CASES.glob("*/*.toml"))
    return tuple((path, tomllib.loads(path.read_text(encoding="utf-8"))) for path in paths)
