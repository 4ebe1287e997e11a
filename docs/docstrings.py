"""Our docstrings in the words that griffe knows: what it should show as an example stands under ``Examples:`` for it."""

import re
from typing import Any

import griffe


class OneExample(griffe.Extension):
    """Has ``Example:`` read as the section of examples, and not as words of the text."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of what was found."""
        if obj.docstring:
            obj.docstring.value = re.sub(r"^Example:$", "Examples:", obj.docstring.value, flags=re.MULTILINE)
