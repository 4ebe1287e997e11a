"""Which files of a room are changed, and which tests each change is tried against."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Self

ROOT = Path(__file__).parents[2]
CONFIG = Path(__file__).with_name("rooms.toml")


@dataclass(frozen=True)
class Room:
    """A part of the toolkit with the tests that answer for it."""

    name: str  # what the table calls it
    code: tuple[Path, ...]  # its modules, relative to the root
    tests: tuple[Path, ...]  # its files of tests, relative to the root

    @classmethod
    def of(cls, name: str, globs: dict[str, list[str]]) -> Self:
        """Return a room by its globs."""
        return cls(name, _found(name, globs["code"]), _found(name, globs["tests"]))

    def tests_for(self, module: Path) -> list[Path]:
        """Return the room's tests, those that are named after a module or speak of it first: a fault is found sooner."""
        dotted = ".".join(module.with_suffix("").parts[1:])

        def distance(test: Path) -> tuple[bool, bool, Path]:
            is_its_own = test.stem == f"test_{module.stem}" and test.parent.name == module.parent.name
            return not is_its_own, dotted not in (ROOT / test).read_text(encoding="utf-8"), test

        return sorted(self.tests, key=distance)


def rooms(names: list[str]) -> list[Room]:
    """Return the rooms of those names; all of them where none is given."""
    config = tomllib.loads(CONFIG.read_text(encoding="utf-8"))
    if unknown := set(names) - set(config):
        raise LookupError(f"There is no room {min(unknown)!r}; {CONFIG.name} has {', '.join(config)}.")
    return [Room.of(name, globs) for name, globs in config.items() if not names or name in names]


def _found(name: str, globs: list[str]) -> tuple[Path, ...]:
    paths: set[Path] = set()
    for glob in globs:
        matching = {path.relative_to(ROOT) for path in ROOT.glob(glob)}
        if not matching:
            raise LookupError(f"The room {name!r} has nothing at {glob!r}; mend {CONFIG.name}.")
        paths |= matching
    return tuple(sorted(paths))
