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
        own_texts: for each tool the parameters with the texts that the schema itself gives for them, as a default or a choice.
    """

    parameters: Mapping[str, tuple[str, ...]]
    only_texts: Mapping[str, str]
    own_texts: Mapping[str, frozenset[tuple[str, str]]]

    def __new__(
        cls,
        parameters: Mapping[str, tuple[str, ...]],
        only_texts: Mapping[str, str] | None = None,
        own_texts: Mapping[str, frozenset[tuple[str, str]]] | None = None,
    ) -> Self:
        """Make the set of the names."""
        made = super().__new__(cls, parameters)
        made.parameters = MappingProxyType(dict(parameters))
        made.only_texts = MappingProxyType(dict(only_texts or {}))
        made.own_texts = MappingProxyType(dict(own_texts or {}))
        return made


def parameters_of(names: frozenset[str], name: str) -> tuple[str, ...] | None:
    """Return a tool's parameters in the schema's order; None where nobody said which they are."""
    return names.parameters.get(name) if isinstance(names, Offer) else None


def only_text_of(names: frozenset[str] | None, name: str) -> str | None:
    """Return the parameter of a tool that a text by itself fills; None if it has none, or that is unknown."""
    return names.only_texts.get(name) if isinstance(names, Offer) else None


def is_own_text(names: frozenset[str] | None, name: str, parameter: str, text: str) -> bool:
    """Return whether a tool's schema itself gives a text for a parameter, as a default or a choice."""
    return isinstance(names, Offer) and (parameter, text) in names.own_texts.get(name, ())
