"""How a value looks: the room that draws it stands above, and is loaded when somebody first looks."""

from actionledger.core.hooks import module_for


def drawn(value: object, how: str, *given: object) -> str:
    """Return how a value looks.

    Args:
        value: what is looked at.
        how: ``line``, ``text``, ``html``, or another form that its class has.
        given: what is drawn of it beside its public fields.

    Returns:
        Text, or HTML in which everything a model wrote is escaped.
    """
    return str(module_for("drawing").drawn(value, how, *given))


class Shown:
    """A value that a terminal shows as a line or a text, and a notebook as HTML."""

    __slots__ = ()

    def __repr__(self) -> str:
        return drawn(self, "line")

    def __str__(self) -> str:
        return drawn(self, "text")

    def _repr_html_(self) -> str:
        return drawn(self, "html")
