"""Every public callable has an example, and each example does what it shows."""

import doctest
import inspect

import pytest

import actionledger as al
from actionledger.profiles import PROFILES


def methods(cls: type) -> list[tuple[str, object]]:
    """Return the public methods that a class or one of its own bases defines."""
    found = {}
    for base in reversed(cls.__mro__):
        if base.__module__.startswith("actionledger"):
            found |= {
                name: getattr(cls, name)
                for name, value in vars(base).items()
                if not name.startswith("_")
                and (isinstance(value, classmethod | staticmethod) or inspect.isfunction(value))
            }
    return list(found.items())


def public_callables() -> dict[str, object]:
    """Return every public function, class and method by its dotted name."""
    named = {name: getattr(al, name) for name in al.__all__}
    for room in ("charts", "statistics"):
        module = getattr(al, room)
        named |= {f"{room}.{name}": getattr(module, name) for name in module.__all__}
    callables = {name: value for name, value in named.items() if callable(value)}
    for name, value in list(callables.items()):
        if inspect.isclass(value):
            callables |= {f"{name}.{method}": function for method, function in methods(value)}
    return callables


CALLABLES = public_callables()
DOCUMENTED = {name: inspect.getdoc(value) or "" for name, value in CALLABLES.items()}
WITH_LEDGER = [name for name, documented in DOCUMENTED.items() if "open_ledger" in documented]
ALONE = [name for name in DOCUMENTED if name not in WITH_LEDGER]


def test_the_callables_are_found():
    """Functions, classes, their methods and those that they inherit."""
    assert {
        "parse",
        "Runtime",
        "Runtime.reopen",
        "Runtime.handle",
        "Ledger.sql",
        "QueryResult.df",
        "charts.trend",
        "statistics.rate",
    } <= set(CALLABLES)
    assert len(CALLABLES) > 100


@pytest.fixture
def in_an_empty_folder(tmp_path, monkeypatch):
    """With nothing but the package imported, and with its own profiles."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(PROFILES, "_registered", {})


@pytest.mark.usefixtures("in_an_empty_folder")
@pytest.mark.parametrize("name", ALONE)
def test_an_example_does_what_it_shows(name):
    assert_done(name)


@pytest.mark.usefixtures("in_an_empty_folder")
@pytest.mark.parametrize("name", WITH_LEDGER)
def test_an_example_with_a_ledger_does_what_it_shows(name):
    assert_done(name)


def assert_done(name: str) -> None:
    """Run the example of a callable."""
    documented = DOCUMENTED[name]
    assert "Example:\n" in documented, f"{name} has no example"
    if ".pl(" in documented:
        pytest.importorskip("polars")
    example = doctest.DocTestParser().get_doctest(documented, {"al": al}, name, None, 0)
    assert any(each.want for each in example.examples)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    runner.run(example, out=said.append)
    assert runner.failures == 0, "".join(said)
