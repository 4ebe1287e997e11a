"""Which tests ``make quick`` leaves out: the functions that are listed in slow_tests.txt, by measured time.

``pytest --list-slow`` measures all that it runs and writes the list anew. What counts is the time of processors, the
children's too, so that a busy machine lists no others than a quiet one.
"""

import resource
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

LIST = Path(__file__).with_name("slow_tests.txt")
ONE_CASE, ALL_CASES = 0.1, 1.0
"""Seconds of a processor: a function is slow from the first on the average of its cases, or from the second on in all."""

TAKEN = "processor seconds"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the option."""
    parser.addoption(
        "--list-slow", action="store_true", help="measure the tests, and list those that are slow"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Measure, where asked; those that run the tests measure, and the one that hears of them writes the list."""
    if config.getoption("--list-slow"):
        config.pluginmanager.register(_Measuring())
        if not hasattr(config, "workerinput"):
            config.pluginmanager.register(_Listing())


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is listed."""
    slow = set(LIST.read_text(encoding="utf-8").splitlines())
    for item in items:
        if _function(item.nodeid) in slow:
            item.add_marker("slow")


class _Measuring:
    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        yield from self._measure(item)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        yield from self._measure(item)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Iterator[None]:
        yield from self._measure(item)

    @staticmethod
    def _measure(item: pytest.Item) -> Iterator[None]:
        before = _processor_seconds()
        try:
            return (yield)
        finally:
            item.user_properties.append((TAKEN, _processor_seconds() - before))


class _Listing:
    def __init__(self) -> None:
        self.taken: defaultdict[str, dict[str, float]] = defaultdict(dict)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        # Each step's report holds the steps before as well.
        total = sum(seconds for name, seconds in report.user_properties if name == TAKEN)
        self.taken[_function(report.nodeid)][report.nodeid] = float(total)

    def pytest_sessionfinish(self) -> None:
        slow = [
            function
            for function, cases in self.taken.items()
            if sum(cases.values()) >= min(ALL_CASES, ONE_CASE * len(cases))
        ]
        LIST.write_text("".join(f"{function}\n" for function in sorted(slow)), encoding="utf-8")


def _function(nodeid: str) -> str:
    return nodeid.partition("[")[0]


def _processor_seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
