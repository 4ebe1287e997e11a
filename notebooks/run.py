"""Run the notebooks and save their outputs: each percent script next to this file becomes a notebook with its name.

python notebooks/run.py [NAME ...]

Also writes README.md: each notebook's question, computed answer, first picture and running time.
"""

import resource
import sys
from base64 import b64decode
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

HERE = Path(__file__).parent
PAGE = HERE / "README.md"
PICTURES = HERE / "images"

HEAD = """# Notebooks

Each notebook asks a question and computes the answer; reading it takes five minutes. The notebooks use only `import actionledger as al`,
pandas and altair. `make notebooks` makes them from the scripts in this folder, runs them and writes this page.

Some notebooks use recordings by others, if these are in a folder next to the project. Otherwise they use the samples of `data`, which the
project made up. Each notebook says which it used. The seconds are processor time.
"""


def executed(script: Path) -> NotebookNode:
    """Execute a percent script in its own kernel and return the notebook."""
    notebook = jupytext.read(script)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"  # stable ids keep the diff between two runs small
    before = _seconds()
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(HERE)}}).execute()
    notebook.metadata["processor_seconds"] = round(_seconds() - before)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    return notebook


def page() -> str:
    """Return the text of README.md: questions and answers of the checked-in notebooks."""
    return "\n".join([HEAD, *(_entry(path) for path in sorted(HERE.glob("*.ipynb")))])


def _seconds() -> float:
    """Return the processor time of all finished kernels, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _entry(path: Path) -> str:
    notebook = nbformat.read(path, as_version=4)
    title, question = notebook.cells[0].source.split("\n\n", 1)
    answer = next(cell for cell in notebook.cells if cell.cell_type == "code").outputs[0]["data"][
        "text/plain"
    ]
    seconds = notebook.metadata["processor_seconds"]
    picture = f"![The first picture of {path.stem}](images/{path.stem}.png)"
    return f"#{title}\n\n{question}\n\n```text\n{answer}\n```\n\n{picture}\n\n[{path.stem}]({path.name}), {seconds} s\n"


def picture(path: Path) -> bytes:
    """Return a notebook's first picture as PNG."""
    cells = nbformat.read(path, as_version=4).cells
    shown = (output.get("data", {}) for cell in cells for output in cell.get("outputs", ()))
    return b64decode(next(data["image/png"] for data in shown if "image/png" in data))


if __name__ == "__main__":
    names = set(sys.argv[1:])
    for script in sorted(HERE.glob("*.py")):
        if script.name != Path(__file__).name and (not names or script.stem in names):
            jupytext.write(executed(script), script.with_suffix(".ipynb"), fmt="ipynb")
            print(script.stem)
    PICTURES.mkdir(exist_ok=True)
    for path in HERE.glob("*.ipynb"):
        (PICTURES / f"{path.stem}.png").write_bytes(picture(path))
    PAGE.write_text(page(), encoding="utf-8")
