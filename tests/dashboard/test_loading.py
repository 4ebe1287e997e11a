"""What pages import, ask, and listen to."""

import gc
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

import actionledger_dashboard
from actionledger.core.errors import MemoryNeededError
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.storage.memory import FIRST_VARIABLE, MEMORY_VARIABLE
from actionledger_dashboard import LEDGER_VARIABLE
from actionledger_dashboard.data import ask
from actionledger_dashboard.loading import APP, load, script_of


def test_every_page_has_its_script() -> None:
    """The first one has no part of the address to itself."""
    assert script_of("") == script_of("overview")
    pages = list((APP.parent / "views").glob("[!_]*.py"))
    assert {script_of(each.stem) for each in pages} == set(pages)


_OPENS = """
import sys
from pathlib import Path
from streamlit.testing.v1 import AppTest
import actionledger_dashboard
for page in sys.argv[1:]:
    test = AppTest.from_file(Path(actionledger_dashboard.__file__).with_name("app.py"), default_timeout=300)
    if page != "overview":
        test.switch_page(f"views/{page}.py")
    assert not test.run().exception
    assert test.get("bidi_component")
print(*sorted({"altair", "numpy", "pandas", "pyarrow"} & {*sys.modules}))
"""


def test_pages_need_no_data_frames(sample: Path) -> None:
    """Streamlit's mounting of a component and Altair's charts loaded pandas, numpy and pyarrow: half of the first page's processor time."""
    pages = ("overview", "sessions", "turns", "usage", "tools", "live", "transcript", "replay")
    run = subprocess.run(
        [sys.executable, "-c", _OPENS, *pages],
        env={**os.environ, LEDGER_VARIABLE: str(sample)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout.split()) == (0, []), run.stderr[-2000:]


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


def _large_list(ledger: Ledger, numbers: int) -> int:
    [(length,)] = ledger.sql("SELECT len(list(range)) FROM range($numbers)", {"numbers": numbers}).fetchall()
    return int(length)


def test_a_question_that_needs_more_memory_than_the_others_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session of long texts opens; where the user has set a bound, the page says which."""
    path = tmp_path / "ledger.duckdb"
    open_ledger(path, in_background=False).close()
    monkeypatch.setenv(LEDGER_VARIABLE, str(path))
    monkeypatch.setenv(FIRST_VARIABLE, "20MB")
    monkeypatch.delenv(MEMORY_VARIABLE, raising=False)
    assert ask(_large_list, 5_000_000) == 5_000_000
    monkeypatch.setenv(MEMORY_VARIABLE, "20MB")
    with pytest.raises(MemoryNeededError, match=f"{MEMORY_VARIABLE}=20MB"):
        ask(_large_list, 5_000_001)


COMPONENTS = Path(actionledger_dashboard.__file__).parent / "components"
MOUNTED = [path for path in sorted(COMPONENTS.glob("*.js")) if "export default" in path.read_text()]


@pytest.mark.parametrize("path", MOUNTED, ids=lambda path: path.stem)
def test_a_component_that_is_drawn_anew_stops_what_its_last_drawing_listened_to(path: Path) -> None:
    """Streamlit tells it to stop when it goes, and not when it is drawn anew: a step in the viewer left a listener behind each time."""
    script = path.read_text()
    listens = re.search(
        r"\b(?:document|window)\.addEventListener|^\s*addEventListener|\bview\(", script, re.MULTILINE
    )
    returns = re.findall(r"^  return .*", script.partition("export default")[2], re.MULTILINE)
    stops = [line for line in returns if line.strip() != "return;"]
    assert all(line.startswith("  return instead(") for line in stops)
    assert bool(listens) <= bool(stops)
