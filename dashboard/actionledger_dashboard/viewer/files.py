"""The scripts and styles of the components, which stand beside their modules."""

from pathlib import Path

FOLDER = Path(__file__).parents[1] / "components"

VIEWER = (
    "shared",
    "marked",
    "cards",
    "explained",
    "facts",
    "minimap",
    "selected",
    "copying",
    "stepping",
    "viewer",
)
"""What the viewer of a session is made of, in the order in which it is read."""


def read(name: str, kind: str) -> str:
    """Return a file ``NAME.KIND`` of the components; empty where there is none."""
    file = FOLDER / f"{name}.{kind}"
    return file.read_text(encoding="utf-8") if file.exists() else ""


def joined(names: tuple[str, ...], kind: str) -> str:
    """Return files of one kind, one behind the other."""
    return "".join(read(name, kind) for name in names)
