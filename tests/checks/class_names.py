"""Refuse a second class of one public name: ``python tests/checks/class_names.py [--lower]``.

The names that stood more than once when this began are in ``class_names.txt``, each with how often. That list must be what the
packages have, so that whoever joins or renames two classes lowers it (``--lower`` writes it), and nobody raises it.
"""

import argparse
import ast
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = (ROOT / "toolkit" / "actionledger", ROOT / "dashboard" / "actionledger_dashboard")
LIST = Path(__file__).with_suffix(".txt")


def public_classes(packages: Iterable[Path]) -> dict[str, list[Path]]:
    """Return the modules that define a public class at their top, by the class's name."""
    found = defaultdict[str, list[Path]](list)
    for path in sorted(path for package in packages for path in package.rglob("*.py")):
        for node in ast.parse(path.read_bytes(), str(path)).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(path)
    return dict(found)


def repeated(classes: Mapping[str, list[Path]]) -> dict[str, int]:
    """Return how often each name stands that stands more than once, sorted by name."""
    return {name: len(paths) for name, paths in sorted(classes.items()) if len(paths) > 1}


def differences(allowed: Mapping[str, int], there: Mapping[str, int]) -> tuple[list[str], list[str]]:
    """Return which names stand more often than is allowed, and which less often than the list says."""
    names = sorted({*allowed, *there})
    more = [name for name in names if there.get(name, 1) > allowed.get(name, 1)]
    fewer = [name for name in names if there.get(name, 1) < allowed.get(name, 1)]
    return more, fewer


def read_list(path: Path = LIST) -> dict[str, int]:
    """Return the allowed names, each with how often it may stand."""
    rows = (line.split() for line in path.read_text(encoding="utf-8").splitlines() if line)
    return {name: int(count) for name, count in rows}


def main() -> int:
    """Return 1, after a line for each, where the list isn't what the packages have."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument(
        "--lower", action="store_true", help="write the list anew, if no name stands more often than it says"
    )
    is_lowering = asked.parse_args().lower
    classes = public_classes(PACKAGES)
    there = repeated(classes)
    allowed = read_list()
    more, fewer = differences(allowed, there)
    for name in more:
        places = ", ".join(str(path.relative_to(ROOT)) for path in classes[name])
        print(
            f"{name} stands {there[name]} times ({places}): give one of them a name of its own",
            file=sys.stderr,
        )
    if is_lowering and not more:
        LIST.write_text("".join(f"{name} {count}\n" for name, count in there.items()), encoding="utf-8")
        return 0
    for name in fewer:
        print(
            f"{name} stands {there.get(name, 1)} times, and {LIST.name} says {allowed[name]}: run it with --lower",
            file=sys.stderr,
        )
    return 1 if more or fewer else 0


if __name__ == "__main__":
    sys.exit(main())
