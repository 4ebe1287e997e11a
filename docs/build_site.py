"""Build the documentation site: python docs/build_site.py [FOLDER], which takes the extra ``docs``; it ends in an error where a link leads nowhere.

The pages are those of this folder, CONTRIBUTING.md, CHANGELOG.md, the notebooks as they were run, and the docstrings of the public names.
"""

import json
import re
import shutil
import subprocess
import sys
from base64 import b64decode
from pathlib import Path
from typing import Any

import actionledger as al

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BESIDE = ("CONTRIBUTING.md", "CHANGELOG.md")
"""Pages that lie beside this folder."""

NAV: dict[str, tuple[str, ...]] = {
    "How to": (
        *(
            "sources.md",
            "agents.md",
            "jsonl.md",
            "live.md",
            "questions.md",
            "failures.md",
            "replay.md",
            "filters.md",
            "reviews.md",
            "dashboard.md",
            "usage.md",
            "alerts.md",
            "gate.md",
            "experiments.md",
            "actions.md",
        ),
        *("policies.md", "repetition.md", "exports.md", "commands.md", "python.md"),
    ),
    "Profiles": ("assistant.md", "orchestrator.md", "coder.md", "reasoner.md"),
    "Formats": ("reading.md", "dialects.md", "evidence.md", "json_repairs.md", "limits.md", "dialects/*.md"),
    "Numbers": ("glossary.md", "statistics.md", "ledger.md", "tables.md", "scale.md"),
    "Security": ("security.md", "decisions.md", "privacy.md"),
    "Notebooks": ("notebooks/*.md",),
    "Reference": ("reference/*.md",),
    "The project": ("comparison.md", "architecture.md", "coverage.md", "tried.md", *BESIDE),
}

REFERENCE = {
    "Reading": (
        *("api", "reading", "report.explanation", "core.values", "actions.catalogue"),
        "profiles.custom",
    ),
    "Running": ("runtime", "profiles.assistant", "profiles.orchestrator", "core.vocabulary"),
    "Recording": (
        "core.recordings",
        "ledger",
        "imports",
        "report.progress",
        "report.sessions",
        "report.viewing",
        "core.errors",
    ),
    "Comparing": ("core.rates", "replay"),
}
"""The pages of the reference, each with the modules whose public names it has."""

ROOMS = al._ROOMS  # noqa: SLF001 - the one table of them
"""The modules whose own names are public, by the name that they go by, each a page by itself."""

_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def build(folder: Path) -> Path:
    """Write the site into a folder, and return where its pages are.

    Args:
        folder: what it is made in; what is there is replaced.

    Raises:
        subprocess.CalledProcessError: a link leads nowhere, or a docstring can't be read.
    """
    shutil.rmtree(folder, ignore_errors=True)
    write_pages(folder / "pages")
    (folder / "zensical.toml").write_text(configuration(folder / "pages"), encoding="utf-8")
    command = [sys.executable, "-m", "zensical", "build", "--strict", "-f", str(folder / "zensical.toml")]
    subprocess.run(command, check=True, cwd=folder)  # noqa: S603 - our own words
    return folder / "site"


def write_pages(pages: Path) -> None:
    """Write everything that is a page as Markdown, each link to another page as it is called there."""
    shutil.copytree(HERE, pages, ignore=shutil.ignore_patterns("*.py", "*.toml", "__pycache__"))
    for name in BESIDE:
        shutil.copy(ROOT / name, pages / name)
    (pages / "notebooks").mkdir()
    shutil.copy(ROOT / "notebooks" / "README.md", pages / "notebooks" / "README.md")
    shutil.copytree(ROOT / "notebooks" / "images", pages / "notebooks" / "images")
    for notebook in sorted((ROOT / "notebooks").glob("*.ipynb")):
        write_notebook(json.loads(notebook.read_text(encoding="utf-8")), pages / "notebooks" / notebook.stem)
    (pages / "reference").mkdir()
    for title, modules in REFERENCE.items():
        text = "\n".join([f"# {title}", *(f"\n::: actionledger.{name}" for name in names_of(modules))])
        (pages / "reference" / f"{title.lower()}.md").write_text(text + "\n", encoding="utf-8")
    for room, module in ROOMS.items():
        text = f"# {room.capitalize()}\n\n::: actionledger.{module}\n    options:\n      show_root_toc_entry: false\n"
        (pages / "reference" / f"{room}.md").write_text(text, encoding="utf-8")
    for page in pages.rglob("*.md"):
        page.write_text(_relinked(page.read_text(encoding="utf-8"), page, pages), encoding="utf-8")


def names_of(modules: tuple[str, ...]) -> list[str]:
    """Return the public names that some modules have, in alphabetical order."""
    return sorted(
        name
        for name in al.__all__
        if name in al._MODULES  # noqa: SLF001 - the one table of them
        and any(f"{al._MODULES[name]}.".startswith(f"{module}.") for module in modules)  # noqa: SLF001
    )


def write_notebook(notebook: dict[str, Any], to: Path) -> None:
    """Write a notebook as a page: its words, its code, and what that gave, as text and as pictures."""
    parts = []
    for number, cell in enumerate(notebook["cells"]):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(_fenced(source, "python"))
        for place, output in enumerate(cell["outputs"]):
            data = output.get("data", {})
            if "image/png" in data:
                picture = to.with_name(f"{to.name}-{number}-{place}.png")
                picture.write_bytes(b64decode("".join(data["image/png"])))
                parts.append(f"![What the cell above gave]({picture.name})")
            elif text := "".join(output.get("text", data.get("text/plain", []))):
                parts.append(_fenced(text.rstrip(), "text"))
    to.with_suffix(".md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def configuration(pages: Path) -> str:
    """Return the site's settings as TOML."""
    sections = [
        {title: [name for pattern in patterns for name in _found(pages, pattern)]}
        for title, patterns in NAV.items()
    ]
    project = {
        "site_name": "actionledger",
        "site_description": "What a language model tried to do, and what came of it.",
        "docs_dir": "pages",
        "site_dir": "site",
        "use_directory_urls": False,
        "nav": [{"Start here": "index.md"}, *sections],
        "theme": {
            "font": False,
            "features": ["content.code.copy", "navigation.indexes", "navigation.top", "search.highlight"],
            "palette": [
                {"media": f"(prefers-color-scheme: {scheme})", "scheme": name}
                for scheme, name in (("light", "default"), ("dark", "slate"))
            ],
        },
    }
    options = {
        "docstring_style": "google",
        "docstring_options": {"warn_unknown_params": False, "warn_missing_types": False},
        "show_source": False,
        "show_root_heading": True,
        "show_root_full_path": False,
        "show_bases": False,
        "separate_signature": True,
        "show_signature_annotations": True,
        "signature_crossrefs": True,
        "docstring_section_style": "list",
        "heading_level": 2,
        "filters": ["!^_"],
        "extensions": [str(HERE / "docstrings.py")],
    }
    lines = "\n".join(f"{name} = {_toml(value)}" for name, value in project.items())
    handler = {"paths": [str(ROOT / "toolkit")], "options": options}
    handling = "\n".join(f"{name} = {_toml(value)}" for name, value in handler.items())
    return f"[project]\n{lines}\n\n[project.plugins.mkdocstrings.handlers.python]\n{handling}\n"


def _found(pages: Path, pattern: str) -> list[str]:
    found = sorted(pages.glob(pattern), key=lambda page: (page.name != "README.md", page.name))
    assert found, f"there is no page {pattern}"
    return [page.relative_to(pages).as_posix() for page in found]


def _relinked(text: str, page: Path, pages: Path) -> str:
    """Return a page with its links to files that lie elsewhere now; to one that is no page, by its words alone."""

    def changed(found: re.Match[str]) -> str:
        mark, words, target = found.groups()
        path, sign, anchor = target.partition("#")
        if not path or "://" in path or (page.parent / path).exists():
            return found[0]
        name = path.removeprefix("../").removeprefix("docs/")
        for there in (
            pages / name,
            pages / name.replace(".ipynb", ".md"),
            page.with_name(Path(name).stem + ".md"),
        ):
            if there.exists():
                up = "../" * (len(page.relative_to(pages).parts) - 1)
                return f"{mark}[{words}]({up}{there.relative_to(pages).as_posix()}{sign}{anchor})"
        return words

    pieces = re.split(r"(^(?:`{3,}|~{3,}).*?^(?:`{3,}|~{3,})\s*$)", text, flags=re.DOTALL | re.MULTILINE)
    return "".join(piece if piece[:3] in {"```", "~~~"} else _LINK.sub(changed, piece) for piece in pieces)


def _fenced(text: str, label: str) -> str:
    fence = "`" * (1 + max(2, *(len(run) for run in re.findall(r"`+", text)), 0))
    return f"{fence}{label}\n{text}\n{fence}"


def _toml(value: object) -> str:
    match value:
        case dict():
            return (
                "{ " + ", ".join(f"{json.dumps(name)} = {_toml(each)}" for name, each in value.items()) + " }"
            )
        case list() | tuple():
            return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    where = build(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "build" / "site")
    print(f"{len(list(where.rglob('*.html')))} pages in {where}")  # noqa: T201 - what was made
