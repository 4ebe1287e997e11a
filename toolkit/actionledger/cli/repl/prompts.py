"""System prompts by name: the profile's own instructions, and files of a folder."""

from collections.abc import Iterator
from pathlib import Path

from actionledger.core.errors import SourceError, UnknownNameError

OWN = "coding-agent-with-actions"
"""The name of the profile's own instructions."""

PLACE = "{{actions}}"
"""Where a file wants them."""

_ENDINGS = (".md", ".txt")


class Prompts:
    """The system prompts that there are.

    Args:
        instructions: the profile's own.
        folder: where further ones are; None for none.
    """

    def __init__(self, instructions: str, folder: Path | None = None) -> None:
        self._instructions = instructions
        self._folder = folder

    @property
    def names(self) -> tuple[str, ...]:
        """Their names, the profile's own first."""
        return (OWN, *sorted({path.stem for path in self._files()}))

    def named(self, name: str) -> str:
        """Return the prompt of a name; in a file, ``{{actions}}`` stands for the profile's instructions."""
        if name == OWN:
            return self._instructions
        path = next((path for path in self._files() if path.stem == name), None)
        if path is None:
            raise UnknownNameError("system prompt", name, self.names)
        try:
            return path.read_text(encoding="utf-8").replace(PLACE, self._instructions)
        except (OSError, UnicodeDecodeError) as error:
            raise SourceError(f"The prompt {str(path)!r} can't be read: {error}.") from error

    def _files(self) -> Iterator[Path]:
        if self._folder is not None and self._folder.is_dir():
            yield from sorted(path for path in self._folder.iterdir() if path.suffix in _ENDINGS)
