"""``dashboard``: needs its packages, and says so."""

import sys
from types import ModuleType

import pytest


def test_without_its_packages_it_says_what_to_install(sentence, monkeypatch):
    """One sentence, with the command."""
    monkeypatch.setitem(sys.modules, "streamlit", None)
    assert "pip install 'actionledger[dashboard]'" in sentence("dashboard")


@pytest.mark.parametrize(
    ("arguments", "served"),
    [
        (("x.duckdb",), ("x.duckdb", None, True)),
        (("--ledger", "y.duckdb", "--port", "8600"), ("y.duckdb", 8600, True)),
        (("x.duckdb", "-l", "y.duckdb", "--open"), ("x.duckdb", None, False)),
        ((), ("actionledger.duckdb", None, True)),
    ],
)
def test_it_serves_the_ledger_that_is_named(run, monkeypatch, arguments, served):
    """By the argument, by the option, or by custom; without a browser unless asked for. Its exit code is the server's."""
    calls = []

    def serve(ledger, port, *, headless):
        calls.append((str(ledger), port, headless))
        return 3

    server = ModuleType("actionledger_dashboard.server")
    server.serve = serve
    monkeypatch.setitem(sys.modules, "actionledger_dashboard.server", server)
    assert run("dashboard", *arguments).code == 3
    assert calls == [served]
