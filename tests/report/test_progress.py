"""How far something is: shown where somebody watches, and never in what is kept of an output."""

import io
import sys
from types import ModuleType

import pytest

import actionledger as al
from actionledger.imports.plan_importer import ImportProgress
from actionledger.replay.reparse_run import ReparseProgress
from actionledger.report import progress as module


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_has_a_bar_that_goes_again(monkeypatch):
    """On the standard error, with turns; a label is no markup."""
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with al.progress("[b]reading") as tell:
        tell(ImportProgress(bytes=512, total=1024, turns=1200))
    written = screen.getvalue()
    assert "[b]reading" in written
    assert "50%" in written
    assert "1,200 turns" in written


def test_elsewhere_nothing_is_shown(capsys):
    """Neither in a file nor in a pipe."""
    with al.progress() as tell:
        tell(ReparseProgress(turns=1, total=2))
    assert capsys.readouterr() == ("", "")


@pytest.fixture
def shown(monkeypatch):
    """What a notebook's output holds, one entry for each time that it was changed."""
    pages: list[str] = []

    class Handle:
        def update(self, page, *, raw):
            pages.append(page["text/html"])

    def display(page, *, raw, display_id):
        assert page["text/plain"] == "<b>importing"
        pages.append(page["text/html"])
        return Handle()

    monkeypatch.setattr("IPython.display.display", display)
    monkeypatch.setattr(module, "_is_notebook", lambda: True)
    return pages


def test_a_notebook_has_one_output_that_changes(shown, monkeypatch):
    """Not for each call, and at the end with what came of it, also where that is an error."""
    now = iter([10.0, 10.0, 10.01, 10.02, 99.0, 99.0])
    monkeypatch.setattr(module, "monotonic", lambda: next(now))

    def reading():
        with al.progress("<b>importing") as tell:
            for turns in (1, 2, 3):
                tell(ImportProgress(bytes=turns * 10, total=100, turns=turns))
            raise ValueError("halfway")

    with pytest.raises(ValueError, match="halfway"):
        reading()
    assert len(shown) == 3, "the beginning, the first call, the end"
    assert 'value="10" max="100"' in shown[1]
    assert "3 turns, over" in shown[2]
    assert "<progress" not in shown[2]
    assert not [page for page in shown if "<b>importing" in page]


def test_only_a_kernel_is_a_notebook(monkeypatch):
    """A shell in a terminal has a terminal; without IPython's kernel nothing is looked at."""
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    assert not module._is_notebook()
    monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
    monkeypatch.setattr("IPython.core.getipython.get_ipython", lambda: None)
    assert not module._is_notebook()
