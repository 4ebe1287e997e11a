"""The rooms whose code is changed to see what their tests notice."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ROOMS = tomllib.loads((HERE / "rooms.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("room", "kind"), [(room, kind) for room in ROOMS for kind in ("code", "tests")])
def test_each_room_has_code_and_tests_where_it_says(room: str, kind: str) -> None:
    """A room that moved would otherwise be left out, or be tried against nothing."""
    assert set(ROOMS[room]) == {"code", "tests"}
    for glob in ROOMS[room][kind]:
        found = [path for path in ROOT.glob(glob) if path.name != "__init__.py"]
        assert found, glob
        assert all((path.stem.startswith("test_")) is (kind == "tests") for path in found)


def test_the_tests_of_a_module_come_first() -> None:
    """Most mutants are caught by the tests that are named after their module."""
    code = (
        "from pathlib import Path; from rooms import rooms; (room,) = rooms(['execution'])\n"
        "tests = room.tests_for(Path('toolkit/actionledger/runtime/execution/limits.py'))\n"
        "print(tests[0], len(tests) == len(room.tests))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=HERE, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(Path("tests/runtime/execution/test_limits.py")), "True"]
