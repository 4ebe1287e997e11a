"""How a session's model and user talk: lines picked from word lists, with slots filled in."""

import re
from typing import Any

from generator.draw import Draw
from generator.words import Bank, bank, names, table, template

_SLOT = re.compile(r"\[\[(\w+)\]\]")


class Voice:
    """Picks lines and fills their slots; what is fixed stays the same for the whole session.

    Args:
        draw: the session's stream of chance.
        banks: word lists, the first that has a section wins.
        fixed: slots whose value is settled.
    """

    def __init__(self, draw: Draw, *banks: Bank, fixed: dict[str, str] | None = None) -> None:
        self.draw = draw
        self.fixed = dict(fixed or {})
        self._banks = (*banks, bank("common"))
        self._said: set[str] = set()
        self._promised: dict[str, str] = {}

    def one(self, section: str) -> str:
        """Return what the section is settled to be, or any of its lines, filled."""
        if section in self.fixed:
            return self.fixed[section]
        return self.fill(self.draw.pick(self._lines(section)))

    def line(self, section: str) -> str:
        """Return a line of the section that this session hasn't used yet, if there is one."""
        if section in self._promised:
            return self._promised.pop(section)
        lines = self._lines(section)
        fresh = [line for line in lines if line not in self._said] or lines
        chosen = self.draw.pick(fresh)
        self._said.add(chosen)
        text = self.fill(chosen)
        return text[:1].upper() + text[1:] if chosen.startswith("[[") else text

    def fix(self, *slots: str) -> None:
        """Settle slots for the rest of the session."""
        for slot in slots:
            self.fixed.pop(slot, None)
            self.fixed[slot] = self.one(slot)

    def promise(self, section: str) -> None:
        """Settle what the next line of a section will be, so that a request can already name it."""
        self.fixed.pop(section, None)
        self._promised[section] = self.fixed[section] = self.line(section)

    def fill(self, text: str) -> str:
        """Return the text with every ``[[slot]]`` replaced."""
        return _SLOT.sub(lambda slot: self.one(slot.group(1)), text)

    def written(self, recipe: str) -> dict[str, Any]:
        """Return the fields of an action that is written by a recipe of ``tables/written.toml``."""
        fields = table("written")[recipe].items()
        return {field: self._value(how) for key, how in fields for field in self.draw.wanted(key)}

    def document(self, folder: str, name: str = "") -> tuple[str, str]:
        """Return name and text of a template of the folder, filled; any of them where no name is given."""
        chosen = name or self.draw.pick(names(f"templates/{folder}", ".tmpl"))
        return self.fill(chosen), self.fill(template(folder, chosen))

    def code(self, language: str) -> str:
        """Return a few lines of code to show, as a Markdown fence."""
        shown = Voice(self.draw, bank("code_shown"), fixed=self.fixed)
        return f"```{language}\n{shown.line(language)}\n```"

    def _value(self, how: str | list[Any] | dict[str, float]) -> Any:
        if isinstance(how, dict):
            return self.draw.weighted(how)
        if isinstance(how, list):
            return self.draw.pick(how)
        return self.line(how[1:-1]) if how.startswith("<") else self.fill(how)

    def _lines(self, section: str) -> tuple[str, ...]:
        return next(lines[section] for lines in self._banks if section in lines)
