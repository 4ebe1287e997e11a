"""Hold what was built against what a release must be: ``python tests/checks/release.py [FOLDER] [--tag v1.2.3]``.

``twine check`` and ``check-wheel-contents`` know what any package must be; this knows what this one must.
"""

import argparse
import re
import runpy
import sys
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from email import message_from_bytes
from email.message import Message
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = frozenset(
    {
        *("toolkit", "dashboard", "data", "hatch_build.py", "pyproject.toml", "PKG-INFO", ".gitignore"),
        *("README.md", "CHANGELOG.md", "LICENSE", "SECURITY.md"),
    }
)
"""What lies at the root of the source distribution."""

_SECTION = re.compile(r"^## \[([^\]]+)\](?: - (\d{4}-\d\d-\d\d))?$", re.MULTILINE)
_TARGET = re.compile(r"\]\(([^)\s]+)\)")
_FENCED = re.compile(r"^(`{3,}|~{3,}).*?^\1`*~*\s*$", re.DOTALL | re.MULTILINE)


def version(root: Path = ROOT) -> str:
    """Return the version, from its one place."""
    return str(runpy.run_path(str(root / "toolkit" / "actionledger" / "_version.py"))["__version__"])


def sections(changelog: str) -> list[tuple[str, str]]:
    """Return the sections of a changelog in their order, each with its date; the unreleased one has none."""
    return _SECTION.findall(changelog)


def faults_of_changelog(changelog: str, released: str) -> Iterator[str]:
    """Yield what is wrong with a changelog for the release of a version."""
    found = sections(changelog)
    if not found or found[0] != ("Unreleased", ""):
        yield "CHANGELOG.md does not begin with a section [Unreleased]"
    if not dict(found).get(released):
        yield f"CHANGELOG.md has no section [{released}] with a date"
    yield from (
        f"CHANGELOG.md has no address for [{name}]"
        for name, _ in found
        if f"\n[{name.lower()}]: https://" not in changelog.lower()
    )


def faults_of_names(names: Iterable[str]) -> Iterator[str]:
    """Yield what a source distribution has and must not have."""
    for name in sorted(names):
        below = name.partition("/")[2]
        if below and below.partition("/")[0] not in SOURCES:
            yield f"the source distribution has {below}"


def faults_of_description(metadata: Message) -> Iterator[str]:
    """Yield which links of a package page lead nowhere."""
    text = str(metadata.get_payload())
    targets = _TARGET.findall(_FENCED.sub("", text))
    if not targets:
        yield "the description has no links"
    yield from (
        f"the description links to {each}" for each in targets if not each.startswith(("https://", "#"))
    )


def faults_of_release(folder: Path, tag: str = "", root: Path = ROOT) -> Iterator[str]:
    """Yield what is wrong with a release that was built."""
    released = version(root)
    if tag not in {"", f"v{released}"}:
        yield f"the tag {tag} is not v{released}, which is the version"
    yield from faults_of_changelog((root / "CHANGELOG.md").read_text(encoding="utf-8"), released)
    wheel, source = (
        folder / f"actionledger-{released}-py3-none-any.whl",
        folder / f"actionledger-{released}.tar.gz",
    )
    there = sorted(path.name for path in folder.iterdir() if path.name != ".gitignore")
    if there != sorted((wheel.name, source.name)):
        yield f"{folder} holds {', '.join(there) or 'nothing'}, not {wheel.name} and {source.name}"
        return
    with tarfile.open(source) as archive:
        yield from faults_of_names(archive.getnames())
    with zipfile.ZipFile(wheel) as archive:
        yield from faults_of_description(
            message_from_bytes(archive.read(f"actionledger-{released}.dist-info/METADATA"))
        )


def main() -> int:
    """Return 1, after a line for each fault, where a release must not go out."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("folder", type=Path, nargs="?", default=ROOT / "dist")
    asked.add_argument("--tag", default="")
    given = asked.parse_args()
    faults = list(faults_of_release(given.folder, given.tag))
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
