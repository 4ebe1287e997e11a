"""The notebooks run from top to bottom, and what is checked in is what the scripts beside them say."""

import ast
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import jupytext
import nbformat
import pytest

import actionledger as al

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
CORPORA = NOTEBOOKS.parents[1] / "shared/corpora"
SCRIPTS = sorted(path for path in NOTEBOOKS.glob("*.py") if path.name != "run.py")


@pytest.fixture(scope="module")
def runner() -> ModuleType:
    """The runner of `make notebooks`."""
    spec = importlib.util.spec_from_file_location("run_notebooks", NOTEBOOKS / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outputs(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """Return what the code cells of a notebook gave."""
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def test_there_are_notebooks():
    """The tests below look at something."""
    assert [script.stem for script in SCRIPTS] == [
        "compare_parsers",
        "does_the_improvement_plan_hold",
        "from_failure_to_gate",
        "repetition_and_recovery",
        "two_policies",
        "what_a_stricter_rule_would_have_stopped",
        "what_agents_fail_at",
        "what_did_last_week_cost",
        "what_models_really_write",
        "which_parser_is_best",
        "your_own_logs",
    ]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_notebook_uses_public_names_alone(script):
    """Nothing is imported from within the package, and each name of it is one that `dir(actionledger)` shows."""
    tree = ast.parse(script.read_text(encoding="utf-8"))
    within = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    imported = [name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names]
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "al"
    }
    assert not [name for name in [*within, *imported] if str(name).startswith("actionledger.")]
    assert used
    assert used <= set(dir(al))


def test_the_page_says_what_the_notebooks_answer(runner):
    """Each question and each answer in README.md is the one that is computed."""
    page = (NOTEBOOKS / "README.md").read_text(encoding="utf-8")
    assert page == runner.page()
    assert page.count("\n## ") == len(SCRIPTS)
    assert "…\n```" not in page
    for script in SCRIPTS:
        picture = runner.PICTURES / f"{script.stem}.png"
        assert picture.read_bytes() == runner.picture(script.with_suffix(".ipynb")), script.stem


def test_a_notebook_runs_on_samples(runner, tmp_path):
    """One of them from top to bottom, on three small recordings."""
    script = NOTEBOOKS / "what_a_stricter_rule_would_have_stopped.py"
    source = script.read_text(encoding="utf-8")
    assert 'RECORDINGS = ""' in source
    (tmp_path / script.name).write_text(source.replace('RECORDINGS = ""', 'RECORDINGS = "../data/agents"'))
    found = outputs(runner.executed(tmp_path / script.name))
    assert "Of 24 calls" in found[0].data["text/plain"]
    assert not [output for output in found if output.output_type == "error"]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_what_is_checked_in_was_made_from_the_script(script):
    """The notebook has the script's cells, and each code cell has been run in order."""
    cells = nbformat.read(script.with_suffix(".ipynb"), as_version=4).cells
    assert [cell.source for cell in cells] == [cell.source for cell in jupytext.read(script).cells]
    counts = [cell.execution_count for cell in cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_what_is_checked_in_names_no_place_and_shows_a_chart(script):
    """Outputs hold no path of the machine that made them, and at least one picture."""
    text = script.with_suffix(".ipynb").read_text(encoding="utf-8")
    assert '"image/png"' in text
    for folder in ("/tmp/", "/home/", "/root/", str(NOTEBOOKS.parent)):
        assert folder not in text


@pytest.mark.soak
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_notebook_runs_in_a_kernel_of_its_own(script, runner):
    """Every cell in order; the answer is computed, and the assertions of the last cell hold."""
    notebook = runner.executed(script)
    last = [cell for cell in notebook.cells if cell.cell_type == "code"][-1]
    found = outputs(notebook)
    assert "\nassert " in f"\n{last.source}"
    assert len(found[0].data["text/plain"]) > 1
    assert any("image/png" in output.get("data", {}) for output in found)
    assert not [output for output in found if output.output_type == "error"]


@pytest.mark.soak
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_notebook_runs_as_a_script_from_any_folder(script, tmp_path):
    """In plain Python it prints its answer, and leaves nothing behind where it was called."""
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    (here := tmp_path / "here").mkdir()
    done = subprocess.run(
        [sys.executable, script],
        cwd=here,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    answer = outputs(nbformat.read(script.with_suffix(".ipynb"), as_version=4))[0].data["text/plain"]
    assert (
        answer in done.stdout if CORPORA.is_dir() else done.stdout.strip()
    )  # made with the recordings beside the project
    assert not list(here.iterdir())
