"""Run every notebook anew and keep its outputs: each percent script beside this file becomes a notebook of its name.

python notebooks/run.py [NAME ...]

Also writes README.md anew: each notebook's question, its computed answer, its first picture, and what running it took.
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

Each is a question with an answer that it computes: read from the top, it takes five minutes. They use nothing but `import actionledger as al`, pandas and
altair, and are made from the scripts beside them: `make notebooks` runs all of them and writes this page. Where recordings of others lie beside
the project, some ask these; else the samples of `data`, which the project made up. Each says which it was. The seconds are those of a processor.
"""


def executed(script: Path) -> NotebookNode:
    """Return a percent script as a notebook that was executed in a kernel of its own."""
    notebook = jupytext.read(script)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"  # a stable id keeps the difference between two runs small
    before = _seconds()
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(HERE)}}).execute()
    notebook.metadata["processor_seconds"] = round(_seconds() - before)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    return notebook


def page() -> str:
    """Return README.md: what the notebooks that are checked in ask and answer."""
    return "\n".join([HEAD, *(_entry(path) for path in sorted(HERE.glob("*.ipynb")))])


def _seconds() -> float:
    """Return how long the kernels that have ended kept a processor."""
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
    """Return the first picture that a notebook shows, as PNG."""
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
