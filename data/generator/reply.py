"""A model's response while it is put together: parts that faults can still change, then text."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from generator.actions import Action
from generator.draw import Draw
from generator.voice import Voice

LONG = {"content", "search", "replace"}
"""The inner tags whose text stands on lines of its own."""


@dataclass(eq=False)
class Prose:
    """Text that is no action, examples included."""

    text: str

    def render(self) -> str:
        return self.text


@dataclass(eq=False)
class Block:
    """A fenced block of JSON that holds actions.

    Args:
        label: the fence's info string.
        value: what it holds.
        dumps: how it is written.
        body: its text, once a fault has touched it.
        opener: what stands before the body.
        closer: what stands behind it.
    """

    label: str
    value: Any
    dumps: Callable[[object], str]
    body: str | None = None
    opener: str = "```"
    closer: str = "```"

    @property
    def text(self) -> str:
        """The JSON text between the fences."""
        return self.dumps(self.value) if self.body is None else self.body

    @property
    def actions(self) -> list[Action]:
        """The actions in it, as the very objects that will be written."""
        if isinstance(self.value, dict):
            inner = self.value.get("actions", self.value.get("next_actions"))
            return inner if inner is not None else [self.value]
        return list(self.value)

    def render(self) -> str:
        head = f"{self.opener}{self.label}" if self.opener else ""
        return "\n".join(line for line in (head, self.text, self.closer) if line)


@dataclass(eq=False)
class Tag:
    """An action written as XML-style tags.

    Args:
        action: the outer tag as its ``action``, the inner tags and their text as the other fields.
        written: its text, once a fault has touched it.
    """

    action: Action
    written: str | None = None

    @property
    def name(self) -> str:
        return str(self.action["action"])

    @property
    def fields(self) -> dict[str, str]:
        """The inner tags and their text, in order."""
        return {field: text for field, text in self.action.items() if field != "action"}

    def render(self) -> str:
        if self.written is not None:
            return self.written
        inner = (
            f"<{field}>\n{text}\n</{field}>" if field in LONG else f"<{field}>{text}</{field}>"
            for field, text in self.fields.items()
        )
        return "\n".join((f"<{self.name}>", *inner, f"</{self.name}>"))


Part = Prose | Block | Tag


@dataclass
class Reply:
    """One response.

    Args:
        profile: the profile that it is written for.
        parts: what it consists of, in order.
        voice: the session's voice, for faults that need more words.
        more: makes one more plausible action; None where the profile's blocks hold a whole plan.
        line_end: what ends its lines.
    """

    profile: str
    parts: list[Part]
    voice: Voice
    more: Callable[[], Action] | None = None
    line_end: str = "\n"

    @property
    def draw(self) -> Draw:
        return self.voice.draw

    @property
    def blocks(self) -> list[Block]:
        return [part for part in self.parts if isinstance(part, Block)]

    @property
    def tags(self) -> list[Tag]:
        return [part for part in self.parts if isinstance(part, Tag)]

    @property
    def actions(self) -> list[Action]:
        """The actions of all blocks and tags."""
        return [action for block in self.blocks for action in block.actions] + [
            tag.action for tag in self.tags
        ]

    def say(self, text: str) -> None:
        """Make the whole response this text."""
        self.parts = [Prose(text)]

    def plain(self) -> str:
        """Return its text with simple line ends."""
        return "\n\n".join(part.render() for part in self.parts)

    def text(self) -> str:
        """Return its text as the model sent it."""
        return self.plain().replace("\n", self.line_end)


def spread(parts: Sequence[Part], voice: Voice, share: float, section: str = "between") -> list[Part]:
    """Return the parts, with a line of the section before a later one by the given probability."""
    spaced: list[Part] = []
    for index, part in enumerate(parts):
        if index and voice.draw.chance(share):
            spaced.append(Prose(voice.one(section)))
        spaced.append(part)
    return spaced
