"""Which of the shapes a body has."""

from collections.abc import Mapping
from typing import Any, Protocol

from actionledger.core.values.recordings import Usage
from actionledger.core.vocabulary import Capture
from actionledger.imports.shapes import anthropic, bedrock, gemini, openai_chat, openai_responses
from actionledger.imports.shapes.base import Request, Response


class Shape(Protocol):
    """An interface, which is a module: how its bodies are read.

    Attributes:
        NAME: what the interface is called.
        KEEPS: how much of what the model wrote its bodies have.
    """

    NAME: str
    KEEPS: Capture

    def usage(self, value: Mapping[str, Any], /) -> Usage:
        """Read what a response took."""

    def is_request(self, body: Mapping[str, Any], /) -> bool:
        """Return whether a body asks by this interface."""

    def request(self, body: Mapping[str, Any], /) -> Request:
        """Read what a model was asked."""

    def is_response(self, body: Mapping[str, Any], /) -> bool:
        """Return whether a body answers by this interface."""

    def response(self, body: Mapping[str, Any], /) -> Response:
        """Read what a model answered."""


SHAPES: tuple[Shape, ...] = (bedrock, anthropic, openai_chat, openai_responses, gemini)
"""Every shape, those whose bodies say more of themselves first."""


def shape_of_request(body: Mapping[str, Any]) -> Shape | None:
    """Return by which interface a body asks; None where that isn't known."""
    return next((shape for shape in SHAPES if shape.is_request(body)), None)


def shape_of_response(body: Mapping[str, Any]) -> Shape | None:
    """Return by which interface a body answers; None where that isn't known."""
    return next((shape for shape in SHAPES if shape.is_response(body)), None)
