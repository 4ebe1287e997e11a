"""What pages import: by one thread at a time, whoever asks at once."""

import gc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from actionledger_dashboard.loading import APP, load, script_of


def test_every_page_has_its_script() -> None:
    """The first one has no part of the address to itself."""
    assert script_of("") == script_of("overview")
    pages = list((APP.parent / "views").glob("[!_]*.py"))
    assert {script_of(each.stem) for each in pages} == set(pages)


def test_visitors_who_come_at_once_wait_for_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package that imports its part, and the part by itself: each holds what the other waits for, and one ended in an error."""
    package = tmp_path / "slow_package"
    package.mkdir()
    (package / "__init__.py").write_text(
        "import time\ntime.sleep(0.3)\nfrom slow_package.part import VALUE\n"
    )
    (package / "part.py").write_text("import slow_package\n\nVALUE = 1\n")
    scripts = [tmp_path / "whole.py", tmp_path / "part.py"]
    scripts[0].write_text("import slow_package\nraise AssertionError('what is no import is not run')\n")
    scripts[1].write_text("import slow_package.part\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    begin = Barrier(len(scripts))

    def visited(script: Path) -> None:
        begin.wait()
        load(script)

    with ThreadPoolExecutor(len(scripts)) as visitors:
        assert list(visitors.map(visited, scripts)) == [None, None]


def test_what_was_imported_is_not_looked_through_behind_each_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streamlit collects garbage after each run of a page, which took longer than the page where all that is imported was looked at."""
    (tmp_path / "held_package.py").write_text("HELD = [[] for _ in range(1000)]\n")
    script = tmp_path / "page.py"
    script.write_text("import held_package\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    before = gc.get_freeze_count()
    load(script)
    assert gc.get_freeze_count() - before >= 1000
