"""A test that hangs ends, is named, and fails the run."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

HANGING = {
    "the interpreter's lock is held": """
import ctypes

def test_hangs():
    ctypes.PyDLL(None).sleep(100_000)
""",
    "taken down after a failure": """
import pytest, threading

@pytest.fixture
def server():
    yield
    threading.Event().wait()

def test_hangs(server):
    raise AssertionError
""",
}


@pytest.mark.soak
@pytest.mark.parametrize("hanging", HANGING.values(), ids=HANGING)
@pytest.mark.parametrize("workers", [0, 1])
def test_a_test_that_hangs_ends(tmp_path, hanging, workers):
    """With the line that it hangs in, whether it runs beside others or not."""
    (tmp_path / "test_it.py").write_text(hanging)
    settings = tomllib.loads((TESTS.parent / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    kept = {name: settings[name] for name in settings if name.startswith("faulthandler")}
    assert kept["faulthandler_timeout"] > 0
    options = (f"{name}={value}" for name, value in (kept | {"faulthandler_timeout": 1}).items())
    words = [word for option in options for word in ("-o", option)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", str(workers), "-p", "time_limit", *words, "test_it.py"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(TESTS / "support")},
        capture_output=True,
        text=True,
        check=False,
        timeout=250,
    )
    said = done.stdout + done.stderr
    assert done.returncode
    assert "Timeout (0:00:01)!" in said
    assert 'test_it.py", line' in said
    assert not workers or "crashed while running 'test_it.py::test_hangs'" in said
