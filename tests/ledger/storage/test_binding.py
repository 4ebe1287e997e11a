"""What DuckDB asks for while it takes values is not loaded for it; whoever else imports that gets it."""

import sys

import pytest

from actionledger.ledger.storage import memory

FRAMES = "colorsys"
"""Stands for pandas: a module that nothing has loaded yet."""


def importing(asking: str) -> None:
    exec(f"import {FRAMES}", {"__name__": asking})


def asking_for_it(asking: str) -> None:
    """As DuckDB does, from behind a line that names another thing."""
    exec("execute(name)", {"__name__": asking, "execute": __import__, "name": FRAMES})


@pytest.fixture(autouse=True)
def not_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_OF_FRAMES", frozenset({FRAMES}))
    monkeypatch.delitem(sys.modules, FRAMES, raising=False)
    memory.keep_frames_out()


@pytest.mark.parametrize("asking", ["actionledger.ledger.results", "actionledger.ledger.storage.arrow"])
def test_a_statement_of_the_ledger_loads_no_frames(asking: str) -> None:
    with pytest.raises(ModuleNotFoundError):
        asking_for_it(asking)
    assert FRAMES not in sys.modules


@pytest.mark.parametrize(
    "asking", ["__main__", "a_users_module", "actionledger.core.frames", "actionledger.ledger.guarding.guard"]
)
def test_whoever_means_it_gets_it(asking: str) -> None:
    asking_for_it(asking)
    assert FRAMES in sys.modules


def test_a_line_of_the_ledger_that_names_it_gets_it() -> None:
    importing("actionledger.ledger.results")
    assert FRAMES in sys.modules


def test_what_is_loaded_stays_what_it_is() -> None:
    importing("a_users_module")
    importing("actionledger.ledger.results")
    assert FRAMES in sys.modules


def test_it_is_asked_once() -> None:
    memory.keep_frames_out()
    assert sum(type(each).__name__ == "_OnlyWhereMeant" for each in sys.meta_path) == 1
