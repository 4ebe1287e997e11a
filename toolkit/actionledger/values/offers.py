"""What a model was offered: the names of its tools and, where they are known, each one's parameters in order."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Self


class Offer(frozenset[str]):
    """The names of the tools, which know their parameters: arguments without names go by their order.

    Args:
        parameters: for each tool the names of its parameters, in the schema's order.
        only_texts: the parameter that a text by itself fills, for each tool that has one: the only one that is required, a
            string.
    """

    parameters: Mapping[str, tuple[str, ...]]
    only_texts: Mapping[str, str]

    def __new__(
        cls, parameters: Mapping[str, tuple[str, ...]], only_texts: Mapping[str, str] | None = None
    ) -> Self:
        """Make the set of the names."""
        made = super().__new__(cls, parameters)
        made.parameters = MappingProxyType(dict(parameters))
        made.only_texts = MappingProxyType(dict(only_texts or {}))
        return made


def parameters_of(names: frozenset[str], name: str) -> tuple[str, ...] | None:
    """Return a tool's parameters in the schema's order; None where nobody said which they are."""
    return names.parameters.get(name) if isinstance(names, Offer) else None


def only_text_of(names: frozenset[str] | None, name: str) -> str | None:
    """Return the parameter of a tool that a text by itself fills; None if it has none, or that is unknown."""
    return names.only_texts.get(name) if isinstance(names, Offer) else None
