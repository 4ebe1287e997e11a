"""What takes down a test that failed has a limit, as the test had.

``faulthandler_timeout`` in pyproject.toml ends a process in which one test takes too long, with the stacks of its threads; from what runs
in parallel its name comes with it. pytest lifts that limit with the first failure, for whoever debugs: a server that doesn't end
then would keep the run for ever.
"""

import faulthandler

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key


@pytest.hookimpl(trylast=True)
def pytest_exception_interact(node: pytest.Item | pytest.Collector) -> None:
    """Begin the limit anew; the end of the test's protocol lifts it."""
    seconds = float(node.config.getini("faulthandler_timeout") or 0)
    if isinstance(node, pytest.Item) and seconds and not node.config.getoption("usepdb"):
        stderr = node.config.stash[fault_handler_stderr_fd_key]
        faulthandler.dump_traceback_later(seconds, exit=True, file=stderr)
