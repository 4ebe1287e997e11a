"""Which tests ``make quick`` leaves out: the functions and files that are listed in slow_tests.txt, by measured time.

``pytest --list-slow`` measures all that it runs and writes the list anew. What counts is the time of processors, the
children's too, so that a busy machine lists no others than a quiet one. A file of which every function is slow is listed itself, and
not even loaded.
"""

import resource
import time
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

LIST = Path(__file__).with_name("slow_tests.txt")
ONE_CASE, ALL_CASES = 0.02, 0.2
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


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Pass a file over that is listed itself, where nothing slow is wanted."""
    if "not slow" not in config.option.markexpr or not collection_path.is_file():
        return None
    return collection_path.relative_to(config.rootpath).as_posix() in _listed() or None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is listed."""
    for item in items:
        function = _function(item.nodeid)
        if function in _listed() or function.partition("::")[0] in _listed():
            item.add_marker("slow")


class _Measuring:
    def __init__(self) -> None:
        self.shared: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object]) -> Iterator[None]:
        before = _processor_seconds()
        try:
            return (yield)
        finally:
            if fixturedef.scope == "module":
                self.shared[_name_of(fixturedef)] = _processor_seconds() - before

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        """What a module's tests share is the time of each of them: whichever is the first has it made."""
        known = dict(self.shared)
        used = {_name_of(each[-1]) for each in item._fixtureinfo.name2fixturedefs.values()}
        item.user_properties.append((TAKEN, sum(known.get(name, 0.0) for name in used)))
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
        files: defaultdict[str, dict[str, bool]] = defaultdict(dict)
        for function, cases in self.taken.items():
            is_slow = sum(cases.values()) >= min(ALL_CASES, ONE_CASE * len(cases))
            files[function.partition("::")[0]][function] = is_slow
        listed = [
            name
            for file, functions in files.items()
            for name in (
                [file] if all(functions.values()) else [each for each in functions if functions[each]]
            )
        ]
        LIST.write_text("".join(f"{name}\n" for name in sorted(listed)), encoding="utf-8")


@cache
def _listed() -> frozenset[str]:
    return frozenset(LIST.read_text(encoding="utf-8").splitlines())


def _name_of(fixture: pytest.FixtureDef[object]) -> str:
    return f"{fixture.baseid}::{fixture.argname}"


def _function(nodeid: str) -> str:
    return nodeid.partition("[")[0]


def _processor_seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
