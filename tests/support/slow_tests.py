"""Which tests ``make quick`` and ``make test`` leave out: the functions and files listed beside this file, by measured time.

``make quick`` leaves out what is slow: a tenth of a second, over all cases. ``make test`` leaves out what is long: a single
case of it takes a fifth of a second, as a whole program, a page or a browser does. ``make long`` runs just those.

``pytest --list-slow`` measures all that it runs and writes the lists anew. What counts is the time of processors, the children's too,
so that a busy machine lists hardly any others than a quiet one. A file of which every function is listed is listed itself, and not even
loaded.
"""

import resource
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

SLOW, LONG = "slow", "long"
LISTS = {name: Path(__file__).with_name(f"{name}_tests.txt") for name in (SLOW, LONG)}

ONE_CASE, ALL_CASES = 0.01, 0.1
"""Seconds of a processor: a function is slow from the first on the average of its cases, or from the second on in all."""

LONG_CASE = 0.2
"""Seconds of a processor that a case of a function that is long takes on the average, with its part of what a module's tests share."""

TAKEN, SHARED = "processor seconds", "processor seconds of what is shared"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the option."""
    parser.addoption(
        "--list-slow", action="store_true", help="measure the tests, and list those that are slow or long"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Measure, where asked; those that run the tests measure, and the one that hears of them writes the lists."""
    if config.getoption("--list-slow"):
        config.pluginmanager.register(_Measuring())
        if not hasattr(config, "workerinput"):
            config.pluginmanager.register(_Listing())


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Pass a file over that is listed itself, where nothing of its kind is wanted."""
    unwanted = [name for name in LISTS if f"not {name}" in config.option.markexpr]
    if not unwanted or not collection_path.is_file():
        return None
    file = collection_path.relative_to(config.rootpath).as_posix()
    return any(file in _listed(name) for name in unwanted) or None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is listed."""
    for item in items:
        function = _function(item.nodeid)
        for name in LISTS:
            if not _listed(name).isdisjoint({function, function.partition("::")[0]}):
                item.add_marker(name)


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
        """What a module's tests share is apart from the time of the first of them, which has it made."""
        known = set(self.shared)
        yield from self._measure(item)
        made = self.shared.keys() - known
        item.user_properties.append((TAKEN, -sum(self.shared[name] for name in made)))
        used = {_name_of(each[-1]) for each in item._fixtureinfo.name2fixturedefs.values()}
        shared = {name: self.shared[name] for name in used & self.shared.keys()}
        item.user_properties.append((SHARED, shared))

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
        self.own: defaultdict[str, dict[str, float]] = defaultdict(dict)
        self.shared: dict[str, dict[str, float]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        # Each step's report holds the steps before as well.
        known = report.user_properties
        self.own[_function(report.nodeid)][report.nodeid] = sum(
            taken for name, taken in known if name == TAKEN
        )
        self.shared[report.nodeid] = next((shared for name, shared in known if name == SHARED), {})

    def pytest_sessionfinish(self) -> None:
        users = Counter(name for shared in self.shared.values() for name in shared)
        slow, long = {}, {}
        for function, cases in self.own.items():
            own, count = sum(cases.values()), len(cases)
            shared = [self.shared[case] for case in cases]
            whole = own + sum(sum(each.values()) for each in shared)
            parts = own + sum(taken / users[name] for each in shared for name, taken in each.items())
            slow[function] = whole >= min(ALL_CASES, ONE_CASE * count)
            long[function] = parts >= LONG_CASE * count
        _write(LISTS[SLOW], slow)
        _write(LISTS[LONG], long)


def _write(file: Path, is_listed: Mapping[str, bool]) -> None:
    """Write which functions are listed; of a file with no others its name."""
    functions: defaultdict[str, list[str]] = defaultdict(list)
    for function in is_listed:
        functions[function.partition("::")[0]].append(function)
    listed: list[str] = []
    for path, each in functions.items():
        found = [function for function in each if is_listed[function]]
        listed += [path] if len(found) == len(each) else found
    file.write_text("".join(f"{name}\n" for name in sorted(listed)), encoding="utf-8")


@cache
def _listed(name: str) -> frozenset[str]:
    return frozenset(LISTS[name].read_text(encoding="utf-8").splitlines())


def _name_of(fixture: pytest.FixtureDef[object]) -> str:
    return f"{fixture.baseid}::{fixture.argname}"


def _function(nodeid: str) -> str:
    return nodeid.partition("[")[0]


def _processor_seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
