"""The description of the package: README with links that lead somewhere from a package page, too.

Hatchling runs it at each build. A relative link becomes one to the file of the release's tag in the repository of ``[project.urls]``,
and what installs from a clone becomes what installs from the index that the page is of.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(?P<before>!?\[[^\]]*\]\()(?!\w+:|#)(?P<path>[^)\s#]+)(?P<anchor>#[^)\s]*)?\)")
_IN_CLONE = re.compile(r"<!-- In a clone\..*?-->.*?<!-- end -->\n", re.DOTALL)
_FENCE = re.compile(r"(^(?:`{3,}|~{3,}).*?^(?:`{3,}|~{3,})\s*$)", re.DOTALL | re.MULTILINE)


class ReadmeHook(MetadataHookInterface):
    """Sets the description of the package."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add README with absolute links.

        Args:
            metadata: the fields of ``[project]``, with the version.
        """
        text = from_index(Path(self.root, "README.md").read_text(encoding="utf-8"))
        text = with_absolute_links(text, metadata["urls"]["Repository"], f"v{metadata['version']}")
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def from_index(text: str) -> str:
    """Return README as somebody needs it who has no clone.

    Args:
        text: README.
    """
    installing = "You need Python 3.11 or newer.\n\n```bash\npip install 'actionledger[dashboard]'\nactionledger demo\n```\n"
    return _IN_CLONE.sub(lambda _: installing + "\nWith a clone of the repository:\n", text)


def with_absolute_links(text: str, repository: str, tag: str) -> str:
    """Return Markdown whose relative links and pictures lead to files of a repository.

    Args:
        text: the Markdown; what stands in fences stays.
        repository: the repository's address.
        tag: which of its tags or branches has the files.
    """

    def absolute(found: re.Match[str]) -> str:
        kind = "raw" if found["before"].startswith("!") else "blob"
        return f"{found['before']}{repository}/{kind}/{tag}/{found['path']}{found['anchor'] or ''})"

    pieces = _FENCE.split(text)
    return "".join(piece if piece[:3] in {"```", "~~~"} else _LINK.sub(absolute, piece) for piece in pieces)
